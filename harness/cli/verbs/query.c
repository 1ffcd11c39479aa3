/* SPDX-License-Identifier: Apache-2.0 */
/* query: a SELECT on the records of a folder. Without one: the views that can be asked, with their columns. */
#include "harness/base/json.h"
#include "harness/cli/answer.h"
#include "harness/record/views.h"

struct verb_query_options {
    enum answer_format format;
};
static const char *const formats[] = {[ANSWER_TABLE] = "table", [ANSWER_CSV] = "csv", NULL};
static const struct setting options[] = {ENUM_SETTING("--format", struct verb_query_options, format, "table", formats,
                                                      "what is printed", .group = GROUP_OUTPUT),
                                         {0}};

static void list_views(struct cli *c)
{
    struct text t = {0};
    cJSON *list = json_array();
    for (const struct record_view *v = views; v->name; v++) {
        text_printf(&t, "%s%s: a row is %s\n", v == views ? "" : "\n", v->name, v->help);
        for (const struct view_column *k = v->columns; k->name; k++) {
            cJSON *o = json_put_object(list, NULL);
            json_put_str(o, "view", v->name);
            json_put_str(o, "column", k->name);
            json_put_str(o, "help", k->help);
            text_printf(&t, "  %-12s %s\n", k->name, k->help);
        }
    }
    if (c->json) {
        cli_print_json(list);
    } else {
        cli_print(&t);
        cJSON_Delete(list);
    }
    text_free(&t);
}

static bool run(struct cli *c, struct err *err)
{
    const struct verb_query_options *o = c->options;
    if (c->nwords >= 2)
        return answer_print(c, c->words[0], c->words[1], c->json ? ANSWER_JSON : o->format, err);
    list_views(c);
    return true;
}

static const struct json_member members[] = {
    MEMBER_MAYBE("{column}", "any", "A column of the answer, as the statement names it; rows are in its order."), {0}};
static const struct json_member view_members[] = {MEMBER("view", "text", "A view that can be asked."),
                                                  MEMBER("column", "text", "One of its columns."),
                                                  MEMBER("help", "text", "What it holds, with its unit."),
                                                  {0}};
static const struct json_form forms[] = {
    JSON_FORM_LIST("raingauge query DIR SQL", members), JSON_FORM_LIST("raingauge query DIR", view_members), {0}};
static const struct verb_exit exits[] = {{EXIT_USAGE, "wrong SQL, or no records there"}, {0}};

const struct verb verb_query = {.name = "query",
                                .arguments = "RESULTS [SQL]",
                                .summary =
                                    "a SELECT on recorded trials, kernels, rounds and re-timings; without one, the "
                                    "views and columns",
                                .asks = "which results folder?",
                                .needed = 1,
                                .words = 2,
                                VERB_OPTIONS(struct verb_query_options),
                                .exits = exits,
                                .json = forms,
                                .run = run};

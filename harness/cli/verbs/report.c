/* SPDX-License-Identifier: Apache-2.0 */
/* report: the tables of an experiment from its records. */
#include "harness/report/render/report.h"
#include "harness/base/log.h"
#include "harness/cli/open.h"
#include "harness/report/render/text_report.h"

/* With --write the three lines are said again at the end, where a long report has scrolled them away. */
static void say_summary(struct cli *c, const struct document *d, const char *dir)
{
    struct text t = {0};
    text_report_summary(d, arena_printf(c->arena, "Next: open %s/report.html", dir), &t);
    log_info("%.*s", (int)t.len - 1, text_str(&t)); /* without the last line end */
    text_free(&t);
}

static const char *const formats[] = {"text", "tsv", "json", "html", NULL};
struct report_options {
    struct open_options open;
    int format;
    bool write;
};
static const struct setting options[] = {
    OPEN_ROWS(struct report_options, open),
    ENUM_SETTING("--format", struct report_options, format, "text", formats, "what is printed", .group = GROUP_OUTPUT),
    FLAG_SETTING("--write", struct report_options, write,
                 "also write page, summary, host and figure into the results folder", .group = GROUP_OUTPUT),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct report_options *o = c->options;
    struct experiment *e;
    struct document d;
    if (!open_experiment(c, c->words[0], &o->open, &e, err) ||
        !report_open(c->arena, c->registry, e, c->folder, &d, err))
        return false;
    struct text t = {0};
    char *note = NULL;
    bool done = report_print(&d, c->json ? "json" : formats[o->format], c->plots, &t, err);
    cli_print(&t);
    done = done && (!o->write || report_write(&d, e->plan.results_dir, c->plots, &note, err));
    if (done && note) {
        log_info("%s", note);
        say_summary(c, &d, e->plan.results_dir);
    }
    return done && document_valid(&d, err);
}

static const struct verb_exit exits[] = {{EXIT_INVALID, "a gate failed: the report is printed and says INVALID"},
                                         {EXIT_INCONCLUSIVE, "nothing is measured yet"},
                                         {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge report EXPERIMENT", NULL), {0}};

const struct verb verb_report = {.name = "report",
                                 .arguments = "EXPERIMENT|DIR",
                                 .summary = "the tables of an experiment, or of a results folder",
                                 .asks = ASKS_EXPERIMENT,
                                 .needed = 1,
                                 .words = 1,
                                 VERB_OPTIONS(struct report_options),
                                 .experiments = true,
                                 .exits = exits,
                                 .json = forms,
                                 .run = run};

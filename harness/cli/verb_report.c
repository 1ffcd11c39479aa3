/* SPDX-License-Identifier: Apache-2.0 */
/* report: the tables of an experiment from its records. */
#include "harness/base/log.h"
#include "harness/cli/open.h"
#include "harness/report/render/html_report.h"
#include "harness/report/render/validity_text.h"

#include <string.h>

static bool print_form(const struct report *r, const char *folder, const char *format, struct text *t, struct err *err)
{
    if (strcmp(format, "json") == 0)
        return report_json(r, t, err);
    if (strcmp(format, "text") == 0)
        return report_text(r, t, err);
    if (strcmp(format, "html") == 0)
        return html_report_html(r, folder, t, err);
    if (strcmp(format, "tsv") != 0)
        return err_set(err, "unknown format '%s': text, tsv, json or html", format);
    report_tsv(r, t);
    return true;
}

struct report_options {
    struct open_options open;
    const char *format;
    bool write;
};
static const struct option options[] = {
    OPEN_ROWS(struct report_options, open),
    OPTION_OF(GROUP_OUTPUT, struct report_options, format, "--format", "text|tsv|json|html", "what is printed (text)"),
    OPTION_OF(GROUP_OUTPUT, struct report_options, write, "--write", NULL,
              "also write page, summary, host and figure into the results folder"),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct report_options *o = c->options;
    struct experiment *e;
    struct report r;
    if (!open_experiment(c, c->words[0], &o->open, &e, err) || !report_open(c->arena, e, c->folder, &r, err))
        return false;
    struct text t = {0};
    char *note = NULL;
    bool done = print_form(&r, c->folder, c->json ? "json" : o->format, &t, err);
    cli_print(&t);
    text_free(&t);
    if (done && o->write)
        done = report_write(&r, c->folder, c->plots, &note, err);
    if (done && note)
        log_info("%s", note);
    if (done && validity_invalid(&r) && validity_text_counts(&r)) {
        done = err_set(err, "%s", validity_invalid(&r));
        err->code = EXIT_INVALID;
    }
    report_close(&r);
    return done;
}

static const struct verb_exit exits[] = {{EXIT_INVALID, "a gate failed: the report is printed and says INVALID"},
                                         {EXIT_INCONCLUSIVE, "nothing is measured yet"},
                                         {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge report EXPERIMENT", NULL), {0}};

const struct verb verb_report = {.name = "report",
                                 .arguments = "EXPERIMENT",
                                 .summary = "the tables of an experiment",
                                 .words = 1,
                                 .options = options,
                                 .defaults = &(const struct report_options){.format = "text"},
                                 .options_size = sizeof(struct report_options),
                                 .experiments = true,
                                 .exits = exits,
                                 .json = forms,
                                 .run = run};

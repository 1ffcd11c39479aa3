/* SPDX-License-Identifier: Apache-2.0 */
/* report: the tables of an experiment from its records. */
#include "harness/base/log.h"
#include "harness/cli/open.h"
#include "harness/report/render/html_report.h"
#include "harness/report/render/validity_text.h"

#include <string.h>
#include <unistd.h>

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

bool verb_report(struct cli *c, struct err *err)
{
    struct open_options o = {0};
    const char *format = "text", *name = NULL;
    bool write = false;
    const struct option table[] = {
        OPEN_ROWS(o),
        {"--format", "text|tsv|json|html", "form", NULL, &format, NULL},
        {"--write", NULL, "also writes page, summary, host and figure into the results folder", &write, NULL, NULL},
        {0}};
    int n;
    struct experiment *e;
    struct report r;
    if (!cli_options(c, table, &name, 1, &n, err) || !open_experiment(c, name, &o, &e, err) ||
        !report_open(c->arena, e, c->folder, &r, err))
        return false;
    struct text t = {0};
    char *note = NULL;
    bool done = print_form(&r, c->folder, c->json ? "json" : format, &t, err);
    cli_print(&t);
    text_free(&t);
    if (done && write)
        done =
            report_write(&r, c->folder, access("plots", F_OK) == 0 ? "plots" : RAINGAUGE_DATADIR "/plots", &note, err);
    if (done && note)
        log_info("%s", note);
    if (done && validity_invalid(&r) && validity_text_counts(&r)) {
        done = err_set(err, "%s", validity_invalid(&r));
        err->code = EXIT_INVALID;
    }
    report_close(&r);
    return done;
}

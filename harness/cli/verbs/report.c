/* SPDX-License-Identifier: Apache-2.0 */
/* report: the tables of an experiment from its records, or those of several machines side by side. */
#include "harness/report/render/report.h"
#include "harness/base/log.h"
#include "harness/cli/open.h"
#include "harness/record/record_lines.h"
#include "harness/report/machines/machine_print.h"
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
    bool write, machines;
};
static const struct setting options[] = {
    OPEN_ROWS(struct report_options, open),
    ENUM_SETTING("--format", struct report_options, format, "text", formats, "what is printed", .group = GROUP_OUTPUT),
    FLAG_SETTING("--write", struct report_options, write,
                 "also write page, summary, host and figure into the results folder", .group = GROUP_OUTPUT),
    FLAG_SETTING("--machines", struct report_options, machines,
                 "sets results folders of several machines side by side, a column each", .group = GROUP_OUTPUT),
    {0}};

/* ---- several machines ---- */

static bool open_machine(struct cli *c, const char *word, struct document *out, const char **dir, struct err *err)
{
    const struct report_options *o = c->options;
    struct open_options open = o->open;
    struct experiment *e;
    *dir = record_folder(c->arena, word);
    *dir = *dir ? *dir : word;
    open.folder = *dir;
    return open_experiment(c, word, &open, &e, err) && report_open(c->arena, c->registry, e, c->folder, out, err);
}

static bool run_machines(struct cli *c, struct err *err)
{
    const struct report_options *o = c->options;
    const struct document *of[CLI_WORDS];
    const char *folders[CLI_WORDS];
    struct machine_comparison m;
    struct text t = {0};
    if (o->write || str_eq(formats[o->format], "html"))
        return err_set(err, "--machines prints text, TSV or JSON: --write and --format html are for one folder");
    for (int i = 0; i < c->nwords; i++) {
        struct document *d = ARENA_NEW(c->arena, struct document);
        of[i] = d;
        if (!open_machine(c, c->words[i], d, &folders[i], err))
            return false;
    }
    if (!machine_comparison_make(c->arena, of, folders, c->nwords, &m, err))
        return false;
    if (c->json || str_eq(formats[o->format], "json"))
        cli_print_json(machine_print_json(&m));
    else if (str_eq(formats[o->format], "tsv"))
        machine_print_sheet(&m, &t);
    else
        machine_print_text(c->arena, &m, &t);
    cli_print(&t);
    if (!m.invalid)
        return true;
    err->code = EXIT_INVALID;
    return err_set(err, "INVALID on '%s': its column is no finding", m.invalid);
}

/* ---- one ---- */

static bool run(struct cli *c, struct err *err)
{
    const struct report_options *o = c->options;
    if (o->machines)
        return run_machines(c, err);
    if (c->nwords > 1)
        return err_set(err, "unexpected argument '%s': one report is printed; --machines sets several side by side",
                       c->words[1]);
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

static const struct verb_exit exits[] = {{EXIT_INVALID, "a gate failed: what is asked for is printed and says INVALID"},
                                         {EXIT_INCONCLUSIVE, "nothing is measured yet"},
                                         {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge report EXPERIMENT", NULL),
                                         JSON_FORM("raingauge report DIR... --machines", machine_members),
                                         {0}};

const struct verb verb_report = {.name = "report",
                                 .arguments = "EXPERIMENT|DIR...",
                                 .summary = "the tables of an experiment, or of a results folder",
                                 .asks = ASKS_EXPERIMENT,
                                 .needed = 1,
                                 .words = CLI_WORDS,
                                 VERB_OPTIONS(struct report_options),
                                 .experiments = true,
                                 .exits = exits,
                                 .json = forms,
                                 .run = run};

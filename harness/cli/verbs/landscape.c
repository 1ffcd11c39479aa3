/* SPDX-License-Identifier: Apache-2.0 */
/* landscape: two results folders of one experiment, searched under codegen=tvm and under codegen=fast, set beside each
 * other: which statements hold under both. Runs nothing. */
#include "harness/report/data/landscape.h"
#include "harness/cli/open.h"
#include "harness/report/data/document_read.h"
#include "harness/report/render/text_report.h"

#include <math.h>
#include <stdio.h>

struct landscape_options {
    struct setting_strings sets;
};
static const struct setting options[] = {STRINGS_SETTING("--set", struct landscape_options, sets,
                                                         "what both runs had changed of the file: seeds=3",
                                                         .word = "KEY=VALUE", .group = GROUP_EXPERIMENT),
                                         {0}};

static bool open_folder(struct cli *c, const char *dir, struct document *out, struct err *err)
{
    const struct landscape_options *o = c->options;
    const struct open_options open = {.folder = dir, .sets = o->sets};
    struct document head;
    struct experiment *e;
    if (!document_head_read(c->arena, dir, &head, err))
        return false;
    if (!document_codegen(&head))
        return err_set(err, "'%s' was searched on target '%s': only target 'cpu' has code generators to choose from",
                       dir, head.target);
    return open_experiment(c, NULL, &open, &e, err) && document_read(c->arena, e, c->folder, out, err);
}

/* Of wide intervals the digits say nothing. */
static void number(double v, char out[16])
{
    if (v < 100)
        snprintf(out, 16, "%.2f", v);
    else
        snprintf(out, 16, "%.0e", v);
}

static void text_value(const struct landscape_value *v, struct text *t)
{
    char interval[40] = "-", low[16], high[16];
    number(v->ratio.low, low);
    number(v->ratio.high, high);
    if (isfinite(v->ratio.low) && isfinite(v->ratio.high))
        snprintf(interval, sizeof interval, "%s to %s", low, high);
    text_cell(t, 6, 2, v->ratio.ratio);
    text_printf(t, "  %-14s", interval);
}

static void print_text(const struct landscape *l)
{
    struct text t = {0};
    text_report_lines(l->found, l->validity, l->next, &t);
    text_printf(&t, "\n  %-42s %6s  %-14s %6s  %-14s holds\n", "statement", "tvm", "95 %", "fast", "95 %");
    for (int i = 0; i < l->n; i++) {
        const struct landscape_statement *s = &l->statements[i];
        text_printf(&t, "  %-42s", s->says);
        for (int m = 0; m < LANDSCAPE_MODES; m++)
            text_value(&s->of[m], &t);
        text_printf(&t, " %s\n", landscape_survives(l, s));
    }
    text_add(&t, "\n  A value is a geometric mean over networks and seeds, 95 % an interval over seeds. A\n"
                 "  statement holds where the whole interval is on its side of the limit. It is open where a\n"
                 "  kernel time differs from the limit by less than the noise floor.\n");
    cli_print(&t);
}

#define LANDSCAPE struct landscape, 0
#define STATEMENT struct landscape_statement, 0
/* side: its number in landscape_codegens. */
#define SIDE_MEMBERS(codegen, side)                                                                                    \
    FIELD(codegen ".hash", struct document, 1 + side, hash, "text",                                                    \
          "SHA-256 of what was run under codegen=" codegen "."),                                                       \
        FIELD(codegen ".complete", struct document, 1 + side, complete, "true or false",                               \
              "Whether all its cells are done."),                                                                      \
        FIELD(codegen ".valid", struct document, 1 + side, valid, "true or false", "Whether no gate failed."),         \
        FIELD(codegen ".seeds", struct document, 1 + side, seeds, "count", "Its seeds."),                              \
        MEMBER(codegen ".noise_floor", "relative", "Its noise floor; null: not measured.")
#define VALUE_MEMBERS(codegen, side)                                                                                   \
    FIELD("statements[]." codegen ".value", STATEMENT, of[side].ratio.ratio, "ratio",                                  \
          "Under codegen=" codegen ": geometric mean over networks and seeds; null: not known."),                      \
        MEMBER("statements[]." codegen ".interval", "[low, high]", "Its 95 % interval over seeds."),                   \
        FIELD("statements[]." codegen ".n", STATEMENT, of[side].ratio.n, "count",                                      \
              "Values that the interval rests on."),                                                                   \
        MEMBER("statements[]." codegen ".holds", "text", "yes, no or open, as measured.")
static const struct json_member members[] = {
    MEMBER("experiment", "text", "Name of the experiment."),
    MEMBER("tier", "text", "Size of the run."),
    FIELD("no_finding", LANDSCAPE, no_finding, "text", "Why the values say nothing; null: they do."),
    FIELD("summary.found", LANDSCAPE, found, "text", "What was found."),
    FIELD("summary.validity", LANDSCAPE, validity, "text", "Whether it counts, for each code generator."),
    FIELD("summary.next", LANDSCAPE, next, "text", "What to do next."),
    SIDE_MEMBERS("tvm", LANDSCAPE_TVM),
    SIDE_MEMBERS("fast", LANDSCAPE_FAST),
    FIELD("statements[].id", STATEMENT, id, "text", "Name of the statement."),
    FIELD("statements[].arm", STATEMENT, arm, "text", "The arm that it is about, with its k."),
    FIELD("statements[].says", STATEMENT, says, "text", "The statement."),
    FIELD("statements[].limit", STATEMENT, limit, "ratio", "What the value is held against."),
    MEMBER("statements[].side", "text", "at least or at most: where the value is to be."),
    VALUE_MEMBERS("tvm", LANDSCAPE_TVM),
    VALUE_MEMBERS("fast", LANDSCAPE_FAST),
    MEMBER("statements[].survives", "text", "both, tvm only, fast only, neither, open or no finding."),
    {0}};

static void json_statement(cJSON *one, const struct landscape *l, const struct landscape_statement *s)
{
    json_put_fields(one, members, "statements[].", (const void *[]){s});
    json_put_str(one, "side", s->at_least ? "at least" : "at most");
    json_put_str(one, "survives", landscape_survives(l, s));
    for (int m = 0; m < LANDSCAPE_MODES; m++) {
        cJSON *value = cJSON_GetObjectItemCaseSensitive(one, landscape_codegens[m]);
        json_put_range(value, "interval", s->of[m].ratio.low, s->of[m].ratio.high);
        json_put_str(value, "holds", landscape_holds_words[s->of[m].holds]);
    }
}

static void print_json(const struct landscape *l)
{
    const struct document *d = l->of[LANDSCAPE_TVM];
    cJSON *out = json_object();
    json_put_str(out, "experiment", d->experiment);
    json_put_str(out, "tier", d->tier);
    json_put_fields(out, members, "", (const void *[]){l, d, l->of[LANDSCAPE_FAST]});
    for (int m = 0; m < LANDSCAPE_MODES; m++)
        json_put_number(cJSON_GetObjectItemCaseSensitive(out, landscape_codegens[m]), "noise_floor",
                        document_number_at(l->of[m], TABLE_NOISE, 0, COL_NOISE_FLOOR));
    cJSON *list = json_put_array(out, "statements");
    for (int i = 0; i < l->n; i++)
        json_statement(json_put_object(list, NULL), l, &l->statements[i]);
    cli_print_json(out);
}

static bool run(struct cli *c, struct err *err)
{
    struct document d[LANDSCAPE_MODES];
    struct landscape l;
    if (!open_folder(c, c->words[0], &d[0], err) || !open_folder(c, c->words[1], &d[1], err) ||
        !landscape_make(c->arena, &d[0], &d[1], &l, err))
        return false;
    if (c->json)
        print_json(&l);
    else
        print_text(&l);
    if (!l.no_finding || !(l.invalid || document_judges(l.of[LANDSCAPE_TVM])))
        return true;
    err->code = l.invalid ? EXIT_INVALID : EXIT_INCONCLUSIVE;
    return err_set(err, "no finding: %s", l.no_finding);
}

static const struct json_form forms[] = {JSON_FORM("raingauge landscape DIR DIR", members), {0}};

static const struct verb_exit exits[] = {{EXIT_INVALID, "a gate failed: the table is printed, no finding is made"},
                                         {EXIT_INCONCLUSIVE, "not complete, or too few seeds"},
                                         {0}};

const struct verb verb_landscape = {
    .name = "landscape",
    .arguments = "DIR DIR",
    .summary = "which statements hold under both code generators",
    .asks = "landscape of what? two results folders of one experiment, searched under codegen=tvm and under "
            "codegen=fast",
    .needed = 2,
    .words = 2,
    VERB_OPTIONS(struct landscape_options),
    .experiments = true,
    .exits = exits,
    .json = forms,
    .run = run};

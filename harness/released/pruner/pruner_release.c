/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_release: both forms of curves are read into a table with a head line first, so that they are checked by one
 * function. */
#include "harness/released/pruner/pruner_release.h"

#include "harness/base/file.h"

#include <math.h>
#include <string.h>

const char *const pruner_platforms[] = {"a100", "orin", "titanv"}, *const pruner_methods[] = {"ansor",
                                                                                              "pruner",
                                                                                              "moa_pruner",
                                                                                              "tensetmlp_offline",
                                                                                              "tlp_offline",
                                                                                              "pruner_offline"},
                  *const pruner_networks[] = {"resnet50",     "wide_resnet50", "mobilenet_v2", "densenet121",
                                              "inception_v3", "vit",           "detr",         "deeplabv3_r50",
                                              "bert_base",    "bert_tiny"};

double pruner_printed(const struct pruner_release *r, const char *table, const char *row, const char *column)
{
    for (int i = 0; i < r->printed.n; i++) {
        const struct pruner_printed *p = &r->printed.at[i];
        if (str_eq(p->table, table) && str_eq(p->row, row) && str_eq(p->column, column))
            return p->value;
    }
    return NAN;
}

/* A file below dir as a table. before: put before its text as a head line, or "". False: it is not there, or broken. */
static bool read_file(struct pruner_release *r, const char *dir, const char *file, const char *before,
                      const char *const *needed, struct tsv_table *out)
{
    struct arena *a = r->problems->arena;
    const char *path = file_join(a, dir, file);
    struct err why = {0};
    char *text;
    size_t n;
    int problems = r->problems->all.n;
    if (!file_exists(path))
        return false;
    r->files++;
    if (!file_read(a, path, 0, &text, &n, &why)) {
        tsv_problem(r->problems, file, 0, 0, "%s", why.text);
        return false;
    }
    struct text whole = {0};
    text_add(&whole, before);
    text_add(&whole, text);
    bool fine = tsv_table_read(r->problems, file, arena_str(a, text_str(&whole)), needed, out);
    text_free(&whole);
    for (int i = 0; *before && i < out->n; i++)
        out->rows[i].line--;
    for (int i = problems; *before && i < r->problems->all.n; i++)
        r->problems->all.at[i].line--;
    return fine;
}

/* ---- tables ---- */

static void read_bars(struct pruner_release *r, const struct tsv_table *t)
{
    static const char *const whats[] = {"whole_run", "to_parity", "whole_run_2000"};
    for (int i = 0; i < t->n; i++) {
        int at[5];
        double seconds;
        if ((at[0] = tsv_word(t, i, "network", pruner_networks, PRUNER_NETWORKS)) < 0 ||
            (at[1] = tsv_word(t, i, "what", whats, 3)) < 0 ||
            (at[2] = tsv_word(t, i, "platform", pruner_platforms, PRUNER_PLATFORMS)) < 0 ||
            (at[3] = tsv_word(t, i, "baseline", pruner_methods, PRUNER_METHODS)) < 0 ||
            (at[4] = tsv_word(t, i, "method", pruner_methods, PRUNER_METHODS)) < 0 ||
            at[1] == PRUNER_PARITIES || /* what Table 7 prints comes from published.tsv */
            !tsv_number(t, i, "seconds", 1, true, &seconds))
            continue;
        r->bar_s[at[1]][at[2]][at[3]][at[4]][at[0]] = seconds;
        r->bars++;
    }
}

static void read_latencies(struct pruner_release *r, const struct tsv_table *t)
{
    static const char *const origins[] = {"digitised", "printed"};
    for (int i = 0; i < t->n; i++) {
        int at[4];
        double ms;
        if ((at[0] = tsv_word(t, i, "network", pruner_networks, PRUNER_NETWORKS)) < 0 ||
            (at[1] = tsv_word(t, i, "platform", pruner_platforms, PRUNER_PLATFORMS)) < 0 ||
            (at[2] = tsv_word(t, i, "method", pruner_methods, PRUNER_METHODS)) < 0 ||
            (at[3] = tsv_word(t, i, "origin", origins, PRUNER_ORIGINS)) < 0 ||
            !tsv_number(t, i, "latency_ms", 1e-6, true, &ms))
            continue;
        r->latency_ms[at[3]][at[1]][at[2]][at[0]] = ms;
        r->latencies++;
    }
}

/* Shapes and flags of the tables are words, and no numbers are made of them. */
static void read_printed(struct pruner_release *r, const struct tsv_table *t)
{
    for (int i = 0; i < t->n; i++) {
        struct pruner_printed p = {tsv_text(t, i, "table"), tsv_text(t, i, "row"), tsv_text(t, i, "column"), NAN};
        const char *unit = tsv_text(t, i, "unit");
        if (!str_eq(unit, "shape") && !str_eq(unit, "flag") && tsv_number(t, i, "value", 0, false, &p.value))
            vec_push(&r->printed, p);
    }
}

static void read_measured(struct pruner_release *r, const struct tsv_table *t)
{
    double ms;
    for (int i = 0; i < t->n; i++) {
        int method = tsv_word(t, i, "method", pruner_methods, PRUNER_METHODS);
        if (method >= 0 && tsv_number(t, i, "e2e_latency_ms", 1e-6, false, &ms))
            r->curves[method].measured_ms = ms;
    }
}

/* ---- curves ---- */

/* Folders of scripts/res/resnet_50-A100 of the authors' repository; tensetmlp and no-update are the offline ones. */
static const char *const folders[PRUNER_METHODS] = {
    [PRUNER_ANSOR] = "2000_ansor",
    [PRUNER_PRUNER] = "2000_pam_wopretrain_a100_40",
    [PRUNER_MOA] = "2000_pam-siamese-update_pam_k80_1500_a100_40",
    [PRUNER_TENSETMLP] = "2000_tensetmlp",
    [PRUNER_OFFLINE] = "2000_pam-no-update_fine_tune_pam_a100_a100_40",
};

/* Why a point cannot follow the one before; NULL: it can. */
static const char *breaks(const struct pruner_point *before, const struct pruner_point *p, const char **head)
{
    *head = "elapsed_s";
    if (p->seconds <= before->seconds)
        return "not after the row before";
    *head = "trials";
    if (p->trials <= before->trials)
        return "not more than in the row before";
    *head = "est_latency_ms";
    return !isnan(before->ms) && isnan(p->ms) ? "after rows that had a latency"
           : p->ms > before->ms               ? "more than the best of the row before"
                                              : NULL;
}

static bool read_point(const struct tsv_table *t, int i, struct pruner_point *p)
{
    double trials;
    p->ms = NAN;
    if (!tsv_number(t, i, "elapsed_s", 0, false, &p->seconds) || !tsv_number(t, i, "trials", 1, false, &trials) ||
        (!str_eq(tsv_text(t, i, "est_latency_ms"), "N/A") && !tsv_number(t, i, "est_latency_ms", 1e-6, false, &p->ms)))
        return false;
    p->trials = (int)fmin(trials, 1e9);
    return true;
}

/* Every row or no curve. */
static void take(struct arena *a, const struct tsv_table *t, struct pruner_curve *c)
{
    struct pruner_point *at = ARENA_ARRAY(a, struct pruner_point, t->n + 1);
    for (int i = 0; i < t->n; i++) {
        const char *head, *why = NULL;
        if (!read_point(t, i, &at[i]))
            return;
        why = i ? breaks(&at[i - 1], &at[i], &head) : NULL;
        if (why) {
            tsv_cell_problem(t, i, head, why);
            return;
        }
    }
    *c = (struct pruner_curve){at, t->n, NAN};
}

/* The labels of the authors' form, "ElapsedTime(s)\t23\tEstimatedLatency(ms)\tN/A\tTrials\t10", become a head line. */
static void read_curve(struct pruner_release *r, const char *dir, const char *file, bool authors, int method)
{
    static const char *const needed[] = {"elapsed_s", "est_latency_ms", "trials", NULL};
    struct tsv_table t;
    int before = r->problems->all.n, files = r->files;
    const char *head = authors ? "label_s\telapsed_s\tlabel_ms\test_latency_ms\tlabel_trials\ttrials\n" : "";
    bool whole = read_file(r, dir, file, head, needed, &t);
    r->authors = r->authors || (authors && r->files > files);
    if (whole && r->problems->all.n == before)
        take(r->problems->arena, &t, &r->curves[method]);
}

/* "cuda gpu network resnet_50.B1 ours default {'costs': '1.792229'} 1705651775.75": the number after the word costs. */
static void read_costs(struct arena *a, const char *dir, const char *file, struct pruner_curve *c)
{
    char *text;
    size_t n;
    struct err ignored = {0};
    if (!file_exists(file_join(a, dir, file)) || !file_read(a, file_join(a, dir, file), 0, &text, &n, &ignored))
        return;
    const char *at = strstr(text, "'costs': '");
    double ms;
    if (!at)
        return;
    at += strlen("'costs': '");
    if (str_real(arena_strn(a, at, strcspn(at, "'")), &ms) && ms > 0)
        c->measured_ms = ms;
}

static void read_curves(struct pruner_release *r, const char *dir)
{
    static const char *const needed[] = {"method", "e2e_latency_ms", NULL};
    struct arena *a = r->problems->arena;
    struct tsv_table measured;
    for (int m = 0; m < PRUNER_METHODS; m++) {
        r->curves[m].measured_ms = NAN;
        read_curve(r, dir, arena_printf(a, "resnet50_a100/%s.tsv", pruner_methods[m]), false, m);
        if (!folders[m] || r->curves[m].n)
            continue;
        const char *at = arena_printf(a, "scripts/res/resnet_50-A100/%s/1", folders[m]);
        read_curve(r, dir, arena_printf(a, "%s/total_latency.tsv", at), true, m);
        read_costs(a, dir, arena_printf(a, "%s/results.tsv", at), &r->curves[m]);
    }
    if (read_file(r, dir, "resnet50_a100/e2e.tsv", "", needed, &measured))
        read_measured(r, &measured);
}

const struct pruner_point *pruner_curve_reach(const struct pruner_curve *c, double ms)
{
    for (int i = 0; i < c->n; i++)
        if (c->at[i].ms <= ms)
            return &c->at[i];
    return NULL;
}

const struct pruner_point *pruner_curve_end(const struct pruner_curve *c)
{
    return c->n ? &c->at[c->n - 1] : NULL;
}

const struct pruner_point *pruner_curve_at(const struct pruner_curve *c, int trials)
{
    for (int i = 0; i < c->n; i++)
        if (c->at[i].trials == trials)
            return &c->at[i];
    return NULL;
}

double pruner_curve_round_s(const struct pruner_curve *c)
{
    for (int i = 0; i + 1 < c->n; i++)
        if (!isnan(c->at[i].ms))
            return (c->at[c->n - 1].seconds - c->at[i].seconds) / (c->n - 1 - i);
    return NAN;
}

/* ---- a folder ---- */

static const struct {
    const char *file, *needed[9];
    void (*read)(struct pruner_release *r, const struct tsv_table *t);
} tables[] = {
    {"search_time.tsv", {"network", "platform", "baseline", "method", "what", "seconds", NULL}, read_bars},
    {"final_latency.tsv", {"network", "platform", "method", "latency_ms", "origin", NULL}, read_latencies},
    {"published.tsv", {"table", "row", "column", "value", "unit", NULL}, read_printed},
};

bool pruner_release_open(struct arena *a, const char *dir, struct pruner_release **out, bool *none, struct err *err)
{
    struct pruner_release *r = ARENA_NEW(a, struct pruner_release);
    struct tsv_table t;
    *none = false;
    if (!file_is_dir(dir))
        return err_set(err, "cannot list the folder '%s'", dir);
    r->problems = tsv_problems_open(a);
    vec_defer(a, &r->printed);
    for (size_t i = 0; i < sizeof r->bar_s / sizeof(double); i++)
        ((double *)r->bar_s)[i] = NAN;
    for (size_t i = 0; i < sizeof r->latency_ms / sizeof(double); i++)
        ((double *)r->latency_ms)[i] = NAN;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (read_file(r, dir, tables[i].file, "", tables[i].needed, &t))
            tables[i].read(r, &t);
    read_curves(r, dir);
    *out = r;
    *none = r->files == 0;
    return !*none;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_curves: both forms are read into a table with a head line first, so that they are checked by one function. */
#include "harness/released/pruner/pruner_curves.h"

#include "harness/base/file.h"

#include <math.h>
#include <string.h>

/* Folders of scripts/res/resnet_50-A100 of the authors' repository; tensetmlp and no-update are the offline ones. */
static const char *const folders[PRUNER_METHODS] = {
    [PRUNER_ANSOR] = "2000_ansor",
    [PRUNER_PRUNER] = "2000_pam_wopretrain_a100_40",
    [PRUNER_MOA] = "2000_pam-siamese-update_pam_k80_1500_a100_40",
    [PRUNER_TENSETMLP] = "2000_tensetmlp",
    [PRUNER_OFFLINE] = "2000_pam-no-update_fine_tune_pam_a100_a100_40",
};
static const char *const needed[] = {"elapsed_s", "est_latency_ms", "trials", NULL};

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

/* "ElapsedTime(s)\t23\tEstimatedLatency(ms)\tN/A\tTrials\t10": the labels become a head line. */
static char *as_table(struct arena *a, const char *text)
{
    struct text t = {0};
    text_add(&t, "label_s\telapsed_s\tlabel_ms\test_latency_ms\tlabel_trials\ttrials\n");
    text_add(&t, text);
    char *out = arena_str(a, text_str(&t));
    text_free(&t);
    return out;
}

static void read_curve(struct arena *a, const char *dir, const char *file, bool authors, struct pruner_release *r,
                       int method)
{
    struct tsv_table t;
    struct err why = {0};
    char *text;
    size_t n;
    int before = r->problems->all.n;
    if (!file_exists(file_join(a, dir, file)))
        return;
    r->files++;
    r->authors = r->authors || authors;
    if (!file_read(a, file_join(a, dir, file), 0, &text, &n, &why)) {
        tsv_problem(r->problems, file, 0, 0, "%s", why.text);
        return;
    }
    bool whole = tsv_table_read(r->problems, file, authors ? as_table(a, text) : text, needed, &t);
    for (int i = 0; authors && i < t.n; i++)
        t.rows[i].line--; /* without the head that was put before */
    for (int i = before; authors && i < r->problems->all.n; i++)
        r->problems->all.at[i].line--;
    if (whole && r->problems->all.n == before)
        take(a, &t, &r->curves[method]);
}

static void read_measured(struct arena *a, const char *dir, struct pruner_release *r)
{
    static const char *const file = "resnet50_a100/e2e.tsv", *const heads[] = {"method", "e2e_latency_ms", NULL};
    struct tsv_table t;
    struct err why = {0};
    char *text;
    size_t n;
    double ms;
    if (!file_exists(file_join(a, dir, file)))
        return;
    r->files++;
    if (!file_read(a, file_join(a, dir, file), 0, &text, &n, &why)) {
        tsv_problem(r->problems, file, 0, 0, "%s", why.text);
        return;
    }
    if (!tsv_table_read(r->problems, file, text, heads, &t))
        return;
    for (int i = 0; i < t.n; i++) {
        int method = tsv_word(&t, i, "method", pruner_methods, PRUNER_METHODS);
        if (method >= 0 && tsv_number(&t, i, "e2e_latency_ms", 1e-6, false, &ms))
            r->curves[method].measured_ms = ms;
    }
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

void pruner_curves_read(struct arena *a, const char *dir, struct pruner_release *r)
{
    for (int m = 0; m < PRUNER_METHODS; m++) {
        r->curves[m].measured_ms = NAN;
        read_curve(a, dir, arena_printf(a, "resnet50_a100/%s.tsv", pruner_methods[m]), false, r, m);
        if (!folders[m] || r->curves[m].n)
            continue;
        const char *at = arena_printf(a, "scripts/res/resnet_50-A100/%s/1", folders[m]);
        read_curve(a, dir, arena_printf(a, "%s/total_latency.tsv", at), true, r, m);
        read_costs(a, dir, arena_printf(a, "%s/results.tsv", at), &r->curves[m]);
    }
    read_measured(a, dir, r);
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

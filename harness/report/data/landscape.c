/* SPDX-License-Identifier: Apache-2.0 */
/* landscape: a statement is a row of a table below; those about an arm with k are made for each k. */
#include "harness/report/data/landscape.h"

#include "harness/stats/design_effect.h"
#include "harness/stats/verdict.h"

#include <math.h>
#include <string.h>

const char *const landscape_codegens[LANDSCAPE_MODES] = {"tvm", "fast"};

enum { KS_MOST = 64 };
#define SAME_TRIALS 0.02 /* numbers of trials that differ by less are as many */

struct search_arms { /* of a document */
    const char *explorer, *random;
    const char *arm[KS_MOST]; /* that explore, by rising k; n of them */
    int n;
};
struct maker { /* one document */
    struct arena *a;
    const struct document *d;
    struct search_arms arms;
    const char **networks; /* nnetworks of them */
    int nnetworks, seeds;
    int64_t first_seed;
    bool retimed; /* kernel times are those of the re-timing */
    double floor; /* the noise floor; 0: not known */
};
/* Where a statement's ratio is looked up. */
struct landscape_place {
    const char *network;
    int64_t seed;
    int k; /* index in arms.arm */
};
struct landscape_rule {
    const char *id, *says; /* in says {explorer}, {random}, {arm} and {last} stand for arms */
    double limit;
    bool at_least, each_k;
    bool last_k;       /* also of the greatest k */
    bool kernel_times; /* the noise floor is about them */
    double (*ratio)(const struct maker *m, const struct landscape_place *at);
};

/* ---- numbers of the tables ---- */

static double cell(const struct maker *m, enum report_table table, const struct landscape_place *at, const char *arm,
                   enum report_column c)
{
    for (int i = 0; i < document_rows(m->d, table); i++)
        if (str_eq(document_text_at(m->d, table, i, COL_ARM), arm) &&
            str_eq(document_text_at(m->d, table, i, COL_NETWORK), at->network) &&
            document_number_at(m->d, table, i, COL_SEED) == (double)at->seed)
            return document_number_at(m->d, table, i, c);
    return NAN;
}

/* Kernel sum of an arm that searches by itself. */
static double searched_ms(const struct maker *m, const struct landscape_place *at, const char *arm)
{
    return cell(m, TABLE_EXPLORER_SEEDS, at, arm, m->retimed ? COL_RETIMED_MS : COL_KERNEL_MS);
}

static double of_arm(const struct maker *m, const struct landscape_place *at, int k, enum report_column c)
{
    return cell(m, TABLE_SEEDS, at, m->arms.arm[k], c);
}

static double speedup(const struct maker *m, const struct landscape_place *at, int k)
{
    return of_arm(m, at, k, m->retimed ? COL_KERNEL_SPEEDUP_RETIMED : COL_KERNEL_SPEEDUP);
}

/* ---- ratios ---- */

static double trials(const struct maker *m, const struct landscape_place *at, const char *arm)
{
    return cell(m, TABLE_EXPLORER_SEEDS, at, arm, COL_TRIALS);
}

/* Not known where one of the two made more trials: a spent search space ends a search early. */
static double over_random(const struct maker *m, const struct landscape_place *at)
{
    double more = trials(m, at, m->arms.random) / trials(m, at, m->arms.explorer);
    if (!(fabs(log(more)) < log(1 + SAME_TRIALS)))
        return NAN;
    return searched_ms(m, at, m->arms.random) / searched_ms(m, at, m->arms.explorer);
}

static double against_whole(const struct maker *m, const struct landscape_place *at)
{
    return speedup(m, at, at->k);
}

static double search_time(const struct maker *m, const struct landscape_place *at)
{
    return of_arm(m, at, at->k, COL_SEARCH_SPEEDUP_WALL);
}

static double descent(const struct maker *m, const struct landscape_place *at)
{
    return of_arm(m, at, at->k, COL_SEED_GAIN);
}

static double more_records(const struct maker *m, const struct landscape_place *at)
{
    return speedup(m, at, m->arms.n - 1) / speedup(m, at, at->k);
}

static double random_near_best(const struct maker *m, const struct landscape_place *at)
{
    double explorer = searched_ms(m, at, m->arms.explorer), random = searched_ms(m, at, m->arms.random);
    double best = fmin(explorer, random);
    for (int k = 0; k < m->arms.n; k++)
        best = fmin(best, explorer / speedup(m, at, k));
    return best / random;
}

static double spread(const struct maker *m, const struct landscape_place *at)
{
    return cell(m, TABLE_EXPLORER_SEEDS, at, m->arms.random, COL_TIME_SPREAD);
}

static const struct landscape_rule rules[] = {
    {"beats_random", "{explorer} beats {random} in as many trials", 1, true, false, false, true, over_random},
    {"random_near_best", "{random} comes within 10 % of the best found", 0.9, true, false, false, true,
     random_near_best},
    {"wide_spread", "times of {random}: p90 is 10 times p10", 10, true, false, false, false, spread},
    {"as_fast", "{arm} is not 5 % slower than {explorer}", 0.95, true, true, true, true, against_whole},
    {"saves_time", "{arm} needs less time than {explorer}", 1, true, true, true, false, search_time},
    {"descent_gains", "{arm} gains 5 % over its seeds", 1.05, true, true, true, true, descent},
    {"more_gain_nothing", "{last} is not 2 % faster than {arm}", 1.02, false, true, false, true, more_records},
};
enum { RULES = sizeof rules / sizeof *rules };

/* ---- one document ---- */

static void find_arms(struct maker *m)
{
    const struct document *d = m->d;
    for (int i = 0; i < document_rows(d, TABLE_EXPLORER_SEEDS); i++) {
        const char *arm = document_text_at(d, TABLE_EXPLORER_SEEDS, i, COL_ARM);
        bool random = str_eq(document_text_at(d, TABLE_EXPLORER_SEEDS, i, COL_SEARCHER), "random");
        if (random && !m->arms.random)
            m->arms.random = arm;
        if (!random && !m->arms.explorer)
            m->arms.explorer = arm;
    }
    for (int i = 0; i < document_rows(d, TABLE_MEANS) && m->arms.n < KS_MOST; i++)
        m->arms.arm[m->arms.n++] = document_text_at(d, TABLE_MEANS, i, COL_ARM);
}

static void find_networks(struct maker *m)
{
    int rows = document_rows(m->d, TABLE_EXPLORER_SEEDS);
    int64_t last = 0;
    m->networks = ARENA_ARRAY(m->a, const char *, rows + 1);
    for (int i = 0; i < rows; i++) {
        const char *name = document_text_at(m->d, TABLE_EXPLORER_SEEDS, i, COL_NETWORK);
        int64_t seed = (int64_t)document_number_at(m->d, TABLE_EXPLORER_SEEDS, i, COL_SEED);
        bool known = false;
        for (int k = 0; k < m->nnetworks; k++)
            known = known || str_eq(m->networks[k], name);
        if (!known)
            m->networks[m->nnetworks++] = name;
        m->first_seed = i == 0 || seed < m->first_seed ? seed : m->first_seed;
        last = i == 0 || seed > last ? seed : last;
    }
    m->seeds = rows ? (int)(last - m->first_seed + 1) : 0;
}

static bool make_document(struct arena *a, const struct document *d, struct maker *m, struct err *err)
{
    int headline = report_column_find(d->headline);
    double floor = document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR);
    *m = (struct maker){.a = a,
                        .d = d,
                        .retimed = headline == COL_KERNEL_SPEEDUP_RETIMED || headline == COL_KERNEL_GEOMEAN_RETIMED,
                        .floor = isfinite(floor) ? floor : 0};
    find_arms(m);
    find_networks(m);
    return (m->arms.explorer && m->arms.random && m->arms.n) ||
           err_set(
               err,
               "'%s' under codegen=%s has no results of an arm of searcher 'random', of one of another searcher, or "
               "of one that explores another: the statements are about these three",
               d->experiment, document_codegen(d));
}

/* ---- statements ---- */

static enum landscape_holds judge(const struct maker *m, const struct landscape_rule *rule, const struct estimate *e)
{
    bool within = rule->kernel_times && fabs(log(e->ratio / rule->limit)) < log(1 + m->floor);
    if (e->over != ESTIMATE_SEEDS || !isfinite(e->low) || !isfinite(e->high) || within)
        return LANDSCAPE_OPEN;
    if (rule->at_least ? e->low >= rule->limit : e->high <= rule->limit)
        return LANDSCAPE_YES;
    return (rule->at_least ? e->high < rule->limit : e->low > rule->limit) ? LANDSCAPE_NO : LANDSCAPE_OPEN;
}

static void evaluate(const struct maker *m, const struct landscape_rule *rule, int k, struct landscape_value *out)
{
    struct arena_mark mark = arena_mark(m->a);
    double *v = ARENA_ARRAY(m->a, double, m->nnetworks * m->seeds + 1);
    for (int n = 0; n < m->nnetworks; n++)
        for (int s = 0; s < m->seeds; s++)
            v[n * m->seeds + s] = rule->ratio(m, &(struct landscape_place){m->networks[n], m->first_seed + s, k});
    estimate_of(m->a, v, m->nnetworks, m->seeds, 0, &out->ratio);
    design_effect_widen(&out->ratio, m->d->design_effect);
    out->holds = judge(m, rule, &out->ratio);
    arena_release(m->a, mark);
}

static char *says(const struct maker *m, const struct landscape_rule *rule, int k)
{
    const struct {
        const char *word, *arm;
    } words[] = {{"{explorer}", m->arms.explorer},
                 {"{random}", m->arms.random},
                 {"{arm}", m->arms.arm[k]},
                 {"{last}", m->arms.arm[m->arms.n - 1]}};
    struct text t = {0};
    for (const char *s = rule->says; *s;) {
        const char *arm = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words && !arm; i++)
            if (str_starts(s, words[i].word)) {
                arm = words[i].arm;
                s += strlen(words[i].word);
            }
        if (arm)
            text_add(&t, arm);
        else
            text_char(&t, *s++);
    }
    return text_keep(&t, m->a);
}

static void state(const struct maker m[LANDSCAPE_MODES], const struct landscape_rule *rule, int k,
                  struct landscape *out)
{
    struct landscape_statement *s = &out->statements[out->n++];
    *s = (struct landscape_statement){.id = rule->id,
                                      .arm = rule->each_k ? m->arms.arm[k] : m->arms.explorer,
                                      .says = says(m, rule, k),
                                      .limit = rule->limit,
                                      .at_least = rule->at_least};
    for (int i = 0; i < LANDSCAPE_MODES; i++)
        evaluate(&m[i], rule, k, &s->of[i]);
}

static void state_all(const struct maker m[LANDSCAPE_MODES], struct landscape *out)
{
    int ks = m[0].arms.n < m[1].arms.n ? m[0].arms.n : m[1].arms.n;
    out->statements = ARENA_ARRAY(m->a, struct landscape_statement, RULES * ks + 1);
    for (int i = 0; i < RULES; i++)
        for (int k = 0; k < (rules[i].each_k ? ks - !rules[i].last_k : 1); k++)
            state(m, &rules[i], k, out);
}

const char *const landscape_holds_words[] = {"open", "yes", "no"};

const char *landscape_survives(const struct landscape *l, const struct landscape_statement *s)
{
    enum landscape_holds tvm = s->of[LANDSCAPE_TVM].holds, fast = s->of[LANDSCAPE_FAST].holds;
    return l->no_finding                                     ? "no finding"
           : tvm == LANDSCAPE_OPEN || fast == LANDSCAPE_OPEN ? "open"
           : tvm == fast                                     ? tvm == LANDSCAPE_YES ? "both" : "neither"
           : tvm == LANDSCAPE_YES                            ? "tvm only"
                                                             : "fast only";
}

/* ---- what it comes to ---- */

/* NULL: the numbers of this document count. */
static const char *no_finding(struct arena *a, const struct document *d)
{
    const char *codegen = document_codegen(d), *reason;
    if (!d->complete)
        return arena_printf(a, "the searches under codegen=%s are not complete: %s", codegen,
                            d->missing ? d->missing : "cells are missing");
    if (!document_judges(d))
        return "tier smoke shows that it runs and no more";
    if (!d->valid)
        return arena_printf(a, "INVALID under codegen=%s: %s", codegen, d->invalid ? d->invalid : "a gate failed");
    if (document_gates(d, VALIDITY_KERNELS, &reason) != VERDICT_GATES_PASSED)
        return arena_printf(a, "not judged under codegen=%s: there is no noise floor", codegen);
    if (d->seeds < LANDSCAPE_SEEDS)
        return arena_printf(a, "%d seeds under codegen=%s are too few, %d are wanted", (int)d->seeds, codegen,
                            LANDSCAPE_SEEDS);
    return NULL;
}

/* The three lines. */
static void conclude(struct arena *a, struct landscape *out)
{
    int both = 0, one = 0, neither = 0;
    for (int i = 0; i < out->n; i++) {
        enum landscape_holds tvm = out->statements[i].of[LANDSCAPE_TVM].holds,
                             fast = out->statements[i].of[LANDSCAPE_FAST].holds;
        both += tvm == LANDSCAPE_YES && fast == LANDSCAPE_YES;
        neither += tvm == LANDSCAPE_NO && fast == LANDSCAPE_NO;
        one += tvm != LANDSCAPE_OPEN && fast != LANDSCAPE_OPEN && tvm != fast;
    }
    const char *counts = arena_printf(a,
                                      "%d statements: %d hold under both code generators, %d under one only, %d under "
                                      "neither, %d are open.",
                                      out->n, both, one, neither, out->n - both - one - neither);
    const struct document *tvm = out->of[LANDSCAPE_TVM];
    out->found = out->no_finding ? arena_printf(a, "No finding: %s. As measured, %s", out->no_finding, counts) : counts;
    out->validity =
        arena_printf(a, "codegen=tvm: %s codegen=fast: %s", tvm->validity, out->of[LANDSCAPE_FAST]->validity);
    out->next = str_eq(tvm->tier, "smoke") ? "Next: make landscape TIER=short"
                : out->no_finding ? arena_printf(a, "Next: make landscape TIER=%s, on a quiet machine", tvm->tier)
                                  : "Next: read the reports of the two folders";
}

static bool refuse(const struct document *x, const struct document *y, struct err *err)
{
    if (!str_eq(x->experiment, y->experiment) || !str_eq(x->tier, y->tier))
        return err_set(
            err, "results of one experiment and tier are wanted, these are of '%s', tier '%s', and '%s', tier '%s'",
            x->experiment, x->tier, y->experiment, y->tier);
    return !str_eq(document_codegen(x), document_codegen(y)) ||
           err_set(err, "both were searched under codegen=%s: one of tvm and one of fast are wanted",
                   document_codegen(x));
}

bool landscape_make(struct arena *a, const struct document *x, const struct document *y, struct landscape *out,
                    struct err *err)
{
    struct maker m[LANDSCAPE_MODES];
    *out = (struct landscape){0};
    if (!refuse(x, y, err))
        return false;
    bool swapped = str_eq(document_codegen(x), landscape_codegens[LANDSCAPE_FAST]);
    out->of[LANDSCAPE_TVM] = swapped ? y : x;
    out->of[LANDSCAPE_FAST] = swapped ? x : y;
    for (int i = 0; i < LANDSCAPE_MODES; i++)
        if (!make_document(a, out->of[i], &m[i], err))
            return false;
    for (int i = 0; i < LANDSCAPE_MODES && !out->no_finding; i++) {
        out->no_finding = no_finding(a, out->of[i]);
        out->invalid = out->no_finding && document_judges(out->of[i]) && !out->of[i]->valid;
    }
    state_all(m, out);
    conclude(a, out);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* contest: definitions of droplet.md 3.2 for the explorer's share; an exploiter's own clocks are of its own records, as
 * the authors timed it ("exploitation only"). A network is complete when the exploiter has a valid record of its own
 * for every kernel; the authors' files hold 1e10 where it has none, here such a network is left out of own_speedup.
 *
 * The test over repeats is the authors': it says whether two timings differ, not whether two searches do. The test over
 * launches compares means of fresh processes. */
#include "harness/report/data/contest.h"

#include "harness/base/text.h"
#include "harness/record/tally.h"
#include "harness/report/data/arm_result.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>

struct maker {
    struct arena *a;
    const struct experiment *e;
    struct store *s;
    struct store_cell *cells;
    int ncells;
    struct err *err;
};

const char *contest_ratio_word(enum contest_ratio r)
{
    static const char *const words[RATIO_COUNT] = {
        [RATIO_OWN] = "own_speedup",
        [RATIO_KEPT] = "kernel_speedup",
        [RATIO_AGAIN] = "kernel_speedup_retimed",
        [RATIO_GAIN] = "seed_gain",
        [RATIO_RECORDS] = "search_speedup_records",
        [RATIO_WALL] = "search_speedup_wall",
        [RATIO_EACH] = "kernel_geomean",
        [RATIO_EACH_AGAIN] = "kernel_geomean_retimed",
    };
    return words[r];
}

bool contest_is_again(enum contest_ratio r)
{
    return r == RATIO_AGAIN || r == RATIO_EACH_AGAIN;
}

/* ---- one kernel ---- */

struct again {
    double readings[RETIMING_LAUNCHES];
    int n;
};

static double spread_of(const double *v, int n)
{
    return n > 1 ? summary_sd(v, n) / summary_mean(v, n) : NAN;
}

/* Kept against the explorer's winner, by repeats and by launches. The same record on both sides gives no verdict. */
static bool judge(struct maker *m, const struct record *kept, const struct record *explorer, struct contest_kernel *out)
{
    struct again ours, theirs;
    const struct sample *x = &kept->sample, *y = &explorer->sample;
    if (!arm_result_launches(m->s, m->a, kept->id, ours.readings, &ours.n, m->err) ||
        !arm_result_launches(m->s, m->a, explorer->id, theirs.readings, &theirs.n, m->err))
        return false;
    bool same = kept->id == explorer->id;
    out->p = same ? NAN : t_test_means(x->seconds, x->nseconds, y->seconds, y->nseconds).p;
    out->p_again = same ? NAN : t_test_means(ours.readings, ours.n, theirs.readings, theirs.n).p;
    out->spread = spread_of(x->seconds, x->nseconds);
    out->spread_again = spread_of(ours.readings, ours.n);
    out->kept_again_s = ours.n ? summary_median(ours.readings, ours.n) : NAN;
    out->explorer_again_s = theirs.n ? summary_median(theirs.readings, theirs.n) : NAN;
    return true;
}

static bool fill_kernel(struct maker *m, int cell, int task, double mean_cost, struct contest_kernel *out)
{
    const struct store_cell *c = &m->cells[cell];
    struct record own = {0}, seed = {0}, explorer = {0};
    struct tally_sums sums, all, first;
    bool has_own, has_explorer, has_seed = c->tasks[task].seed_trial != 0;
    *out = (struct contest_kernel){.name = c->tasks[task].name, .p = NAN, .p_again = NAN, .spread = NAN};
    out->spread_again = out->explorer_again_s = out->kept_again_s = NAN;
    if (!store_best(m->s, m->a, (struct store_part){cell, task, 0}, &own, &has_own, m->err) ||
        !store_best(m->s, m->a, (struct store_part){c->explore_cell, task, 0}, &explorer, &has_explorer, m->err) ||
        (has_seed && !store_record(m->s, m->a, c->tasks[task].seed_trial, &seed, m->err)) ||
        !tally_sum(m->s, cell, task, 0, &sums, m->err) || !tally_sum(m->s, c->explore_cell, task, 0, &all, m->err) ||
        !tally_sum(m->s, c->explore_cell, task, arm_result_seeds(c), &first, m->err))
        return false;
    const struct record *kept = record_best(has_own ? &own : NULL, has_seed ? &seed : NULL);
    out->explorer_s = has_explorer ? sample_mean(&explorer.sample) : INFINITY;
    out->seed_s = has_seed ? sample_mean(&seed.sample) : INFINITY;
    out->own_s = has_own ? sample_mean(&own.sample) : INFINITY;
    out->kept_s = kept ? sample_mean(&kept->sample) : INFINITY;
    out->records = sums.records;
    out->failed = sums.records - sums.valid;
    out->cost_s = sums.cost_s;
    out->wall_s = sums.wall_s;
    out->explorer_cost_s = (double)all.records * mean_cost;
    out->seed_cost_s = (double)first.records * mean_cost;
    return !has_explorer || isinf(out->kept_s) || judge(m, kept, &explorer, out);
}

static bool fill_cell(struct maker *m, int cell, struct contest_kernel **out)
{
    const struct store_cell *c = &m->cells[cell];
    struct tally_sums all;
    if (!tally_sum(m->s, c->explore_cell, -1, 0, &all, m->err))
        return false;
    double mean_cost = all.records ? all.cost_s / (double)all.records : 0;
    *out = ARENA_ARRAY(m->a, struct contest_kernel, c->ntasks + 1);
    for (int t = 0; t < c->ntasks; t++)
        if (!fill_kernel(m, cell, t, mean_cost, &(*out)[t]))
            return false;
    return true;
}

static bool fill_clock(struct maker *m, int cell, struct contest_clock *out)
{
    const struct store_cell *c = &m->cells[cell];
    struct arm_results sides = {.a = m->a, .s = m->s, .cells = m->cells, .ncells = m->ncells, .err = m->err};
    struct arm_result all = {0}, first = {0};
    if (!arm_result_explored(&sides, c->explore_cell, 0, &all) ||
        !arm_result_explored(&sides, c->explore_cell, arm_result_seeds(c), &first))
        return false;
    *out = (struct contest_clock){all.search_s[CLOCK_WALL], first.search_s[CLOCK_WALL]};
    return true;
}

/* ---- joining kernels, seeds and networks ---- */

static void count_sign(double p, double ours, double theirs, int sign[SIGN_COUNT])
{
    bool told = p <= CONTEST_P; /* false for NaN */
    sign[!told ? SIGN_OPEN : ours < theirs ? SIGN_BETTER : SIGN_WORSE]++;
}

static double ratio(double explorer, double ours)
{
    return isfinite(explorer) && isfinite(ours) && ours > 0 ? explorer / ours : NAN;
}

struct joint { /* numbers of several rows that are joined by a mean in the logs or by a median */
    double *v[RATIO_COUNT];
    int n[RATIO_COUNT];
};

static void note(struct joint *j, int which, double v)
{
    if (isfinite(v) && v > 0)
        j->v[which][j->n[which]++] = v;
}

static void note_ratios(struct joint *j, const struct contest_sums *s)
{
    for (int i = 0; i < RATIO_COUNT; i++)
        note(j, i, s->ratio[i]);
}

static double joined(const struct joint *j, int which)
{
    return j->n[which] ? summary_geomean(j->v[which], j->n[which]) : NAN;
}

static void join_ratios(const struct joint *j, struct contest_sums *s)
{
    for (int i = 0; i < RATIO_COUNT; i++)
        s->ratio[i] = joined(j, i);
}

static struct joint joint_of(struct arena *a, int64_t most)
{
    struct joint j = {0};
    for (int i = 0; i < RATIO_COUNT; i++)
        j.v[i] = ARENA_ARRAY(a, double, most + 1);
    return j;
}

static void add_sums(struct contest_sums *to, const struct contest_sums *one, double share)
{
    to->explorer_s += share * one->explorer_s;
    to->seed_s += share * one->seed_s;
    to->own_s += share * one->own_s;
    to->kept_s += share * one->kept_s;
    to->explorer_again_s += share * one->explorer_again_s;
    to->kept_again_s += share * one->kept_again_s;
    to->cost_s += share * one->cost_s;
    to->wall_s += share * one->wall_s;
    to->explorer_wall_s += share * one->explorer_wall_s;
    to->seed_wall_s += share * one->seed_wall_s;
    to->records += one->records;
    to->failed += one->failed;
    for (int i = 0; i < SIGN_COUNT; i++) {
        to->sign[i] += one->sign[i];
        to->sign_again[i] += one->sign_again[i];
    }
}

/* The kernels of one seed. */
static struct contest_sums seed_sums(struct maker *m, const struct contest_kernel *k, int n,
                                     const struct contest_clock *clock)
{
    struct contest_sums s = {.kernels = n, .explorer_wall_s = clock->explorer_s, .seed_wall_s = clock->seed_s};
    struct joint spreads = joint_of(m->a, n), each = joint_of(m->a, n);
    double explorer_cost = 0, seed_cost = 0;
    for (int i = 0; i < n; i++) {
        struct contest_sums one = {.explorer_s = k[i].explorer_s,
                                   .seed_s = k[i].seed_s,
                                   .own_s = k[i].own_s,
                                   .kept_s = k[i].kept_s,
                                   .explorer_again_s = k[i].explorer_again_s,
                                   .kept_again_s = k[i].kept_again_s,
                                   .cost_s = k[i].cost_s,
                                   .wall_s = k[i].wall_s,
                                   .records = k[i].records,
                                   .failed = k[i].failed};
        count_sign(k[i].p, k[i].kept_s, k[i].explorer_s, one.sign);
        count_sign(k[i].p_again, k[i].kept_again_s, k[i].explorer_again_s, one.sign_again);
        add_sums(&s, &one, 1);
        s.counted += isfinite(k[i].own_s);
        explorer_cost += k[i].explorer_cost_s;
        seed_cost += k[i].seed_cost_s;
        note(&spreads, 0, k[i].spread);
        note(&spreads, 1, k[i].spread_again);
        note(&each, RATIO_EACH, ratio(k[i].explorer_s, k[i].kept_s));
        note(&each, RATIO_EACH_AGAIN, ratio(k[i].explorer_again_s, k[i].kept_again_s));
    }
    s.ratio[RATIO_OWN] = ratio(s.explorer_s, s.own_s);
    s.ratio[RATIO_KEPT] = ratio(s.explorer_s, s.kept_s);
    s.ratio[RATIO_AGAIN] = ratio(s.explorer_again_s, s.kept_again_s);
    s.ratio[RATIO_GAIN] = ratio(s.seed_s, s.kept_s);
    s.ratio[RATIO_RECORDS] = ratio(explorer_cost, seed_cost + s.cost_s);
    s.ratio[RATIO_WALL] = ratio(s.explorer_wall_s, s.seed_wall_s + s.wall_s);
    s.ratio[RATIO_EACH] = joined(&each, RATIO_EACH);
    s.ratio[RATIO_EACH_AGAIN] = joined(&each, RATIO_EACH_AGAIN);
    s.spread = spreads.n[0] ? summary_median(spreads.v[0], spreads.n[0]) : NAN;
    s.spread_again = spreads.n[1] ? summary_median(spreads.v[1], spreads.n[1]) : NAN;
    return s;
}

static void join_seeds(struct maker *m, struct contest_row *row)
{
    struct joint j = joint_of(m->a, m->e->seeds), spreads = joint_of(m->a, m->e->seeds);
    struct contest_sums *out = &row->sums, **by_seed = ARENA_ARRAY(m->a, struct contest_sums *, m->e->seeds + 1);
    *out = (struct contest_sums){.kernels = row->nkernels, .counted = row->nkernels};
    for (int64_t i = 0; i < m->e->seeds; i++) {
        if (!row->kernels[i])
            continue;
        struct contest_sums one = seed_sums(m, row->kernels[i], row->nkernels, &row->clocks[i]);
        by_seed[i] = ARENA_NEW(m->a, struct contest_sums);
        *by_seed[i] = one;
        add_sums(out, &one, 1.0 / row->seeds);
        out->counted = one.counted < out->counted ? one.counted : out->counted;
        note_ratios(&j, &one);
        note(&spreads, 0, one.spread);
        note(&spreads, 1, one.spread_again);
    }
    row->by_seed = (const struct contest_sums *const *)by_seed;
    join_ratios(&j, out);
    out->spread = spreads.n[0] ? summary_median(spreads.v[0], spreads.n[0]) : NAN;
    out->spread_again = spreads.n[1] ? summary_median(spreads.v[1], spreads.n[1]) : NAN;
}

/* Sums of own_s hold the complete networks only, so that one failed kernel does not make them infinite. */
static void join_networks(struct maker *m, struct contest_entrant *e, int nnetworks)
{
    struct joint j = joint_of(m->a, nnetworks);
    e->all = (struct contest_sums){0};
    for (int i = 0; i < nnetworks; i++) {
        const struct contest_row *row = &e->rows[i];
        if (!row->seeds)
            continue;
        struct contest_sums one = row->sums;
        bool complete = one.counted == one.kernels;
        one.own_s = complete ? one.own_s : 0;
        add_sums(&e->all, &one, 1);
        e->all.kernels += one.kernels;
        e->all.counted += one.counted;
        e->all.networks++;
        e->all.complete += complete;
        note_ratios(&j, &one);
    }
    join_ratios(&j, &e->all);
    e->all.spread = e->all.spread_again = NAN;
}

/* ---- entrants ---- */

static int network_index(const struct maker *m, const char *name)
{
    for (int i = 0; i < m->e->nnetworks; i++)
        if (str_eq(m->e->networks[i]->name, name))
            return i;
    return -1;
}

static struct contest_entrant *entrant_of(struct maker *m, struct contest *c, const struct store_cell *cell)
{
    for (int i = 0; i < c->nentrants; i++)
        if (str_eq(c->entrants[i].label, cell->arm))
            return &c->entrants[i];
    struct contest_entrant *e = &c->entrants[c->nentrants++];
    *e = (struct contest_entrant){
        .label = cell->arm, .searcher = cell->searcher, .settings = cell->searcher_settings, .k = cell->k};
    e->rows = ARENA_ARRAY(m->a, struct contest_row, m->e->nnetworks + 1);
    for (int i = 0; i < m->e->nnetworks; i++)
        e->rows[i] = (struct contest_row){.network = m->e->networks[i]->name,
                                          .kernels = ARENA_ARRAY(m->a, struct contest_kernel *, m->e->seeds + 1),
                                          .nkernels = m->e->networks[i]->nkernels,
                                          .clocks = ARENA_ARRAY(m->a, struct contest_clock, m->e->seeds + 1)};
    return e;
}

static bool add_cell(struct maker *m, struct contest *c, int at)
{
    const struct store_cell *cell = &m->cells[at];
    int network = network_index(m, cell->network);
    int64_t seed = cell->seed - c->first_seed;
    if (cell->explore_cell < 0 || network < 0 || seed < 0 || seed >= m->e->seeds)
        return true;
    struct contest_row *row = &entrant_of(m, c, cell)->rows[network];
    if (!str_eq(cell->state, "done") || cell->ntasks != row->nkernels)
        return true;
    struct contest_kernel *kernels;
    if (!fill_cell(m, at, &kernels) || !fill_clock(m, at, (struct contest_clock *)&row->clocks[seed]))
        return false;
    ((struct contest_kernel **)row->kernels)[seed] = kernels;
    row->seeds++;
    return true;
}

bool contest_make(struct arena *a, const struct experiment *e, struct store *s, struct contest *out, struct err *err)
{
    struct maker m = {.a = a, .e = e, .s = s, .err = err};
    bool any = false;
    for (int i = 0; i < e->narms; i++)
        any |= e->arms[i].explore != NULL;
    if (!any)
        return err_set(err, "'%s' has no arm that explores another: there is nothing to compare", e->stem);
    if (!store_cells(s, a, &m.cells, &m.ncells, err))
        return false;
    *out = (struct contest){.nnetworks = e->nnetworks, .seeds = e->seeds, .first_seed = e->seed_base + 1};
    out->entrants = ARENA_ARRAY(a, struct contest_entrant, m.ncells + 1);
    for (int i = 0; i < m.ncells; i++)
        if (!add_cell(&m, out, i))
            return false;
    for (int i = 0; i < out->nentrants; i++) {
        for (int n = 0; n < e->nnetworks; n++)
            if (out->entrants[i].rows[n].seeds)
                join_seeds(&m, &out->entrants[i].rows[n]);
        join_networks(&m, &out->entrants[i], e->nnetworks);
    }
    return true;
}

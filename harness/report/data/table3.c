/* SPDX-License-Identifier: Apache-2.0 */
/* table3: the ratios of droplet.md 3.2, joined over seeds and networks. The sides that they are of: arm_result.c. */
#include "harness/report/data/table3.h"

#include "harness/base/text.h"
#include "harness/stats/interval.h"
#include "harness/stats/permutation.h"

#include <math.h>

struct maker {
    struct arm_results sides;
    struct arena *a;
    const struct experiment *e;
    struct err *err;
};

static void ratios(const struct arm_result *ansor, struct table3_k *k)
{
    for (int i = 0; i < CLOCK_COUNT; i++) {
        k->search_speedup[i] = ansor->search_s[i] / k->dpansor.search_s[i];
        k->ansor_k_search[i] = ansor->search_s[i] / k->ansor_k.search_s[i];
    }
    for (int i = 0; i < SUM_COUNT; i++) {
        k->kernel_speedup[i] = ansor->kernel_s[i] / k->dpansor.kernel_s[i];
        k->retimed_speedup[i] = ansor->retimed_s[i] / k->dpansor.retimed_s[i];
        k->ansor_k_kernel[i] = ansor->kernel_s[i] / k->ansor_k.kernel_s[i];
        k->seed_gain[i] = k->ansor_k.kernel_s[i] / k->dpansor.kernel_s[i];
        k->timing_gain[i] = k->ansor_k.kernel_s[i] / k->ansor_k.retimed_s[i];
        k->search_gain[i] = k->ansor_k.retimed_s[i] / k->dpansor.retimed_s[i];
    }
}

/* ---- joining seeds and networks ---- */

/* Calls visit on every number of a table3_k: those that add (times, counts) and those that are ratios. */
struct numbers {
    double *at[64];
    int n;
};

static void add_numbers(struct numbers *out, double *v, int n)
{
    for (int i = 0; i < n; i++)
        out->at[out->n++] = &v[i];
}

static void ratio_numbers(struct table3_k *k, struct numbers *out)
{
    out->n = 0;
    add_numbers(out, k->search_speedup, CLOCK_COUNT);
    add_numbers(out, k->ansor_k_search, CLOCK_COUNT);
    add_numbers(out, k->kernel_speedup, SUM_COUNT);
    add_numbers(out, k->retimed_speedup, SUM_COUNT);
    add_numbers(out, k->ansor_k_kernel, SUM_COUNT);
    add_numbers(out, k->seed_gain, SUM_COUNT);
    add_numbers(out, k->timing_gain, SUM_COUNT);
    add_numbers(out, k->search_gain, SUM_COUNT);
}

static bool usable(double ratio)
{
    return isfinite(ratio) && ratio > 0;
}

/* Geometric mean of each ratio over the rows that have it (positive and finite; a row may be NULL), and its interval.
 */
static int join_ratios(struct maker *m, struct table3_k *const *rows, int n, struct table3_k *out, struct table3_k *low,
                       struct table3_k *high)
{
    struct numbers to, from, below, above;
    double *v = ARENA_ARRAY(m->a, double, n + 1);
    int most = 0;
    ratio_numbers(out, &to);
    ratio_numbers(low, &below);
    ratio_numbers(high, &above);
    for (int i = 0; i < to.n; i++) {
        int count = 0;
        for (int r = 0; r < n; r++) {
            if (!rows[r])
                continue;
            ratio_numbers(rows[r], &from);
            if (usable(*from.at[i]))
                v[count++] = *from.at[i];
        }
        struct interval of = interval_ratios(v, count, TABLE3_CONFIDENCE);
        *to.at[i] = of.ratio;
        *below.at[i] = of.low;
        *above.at[i] = of.high;
        most = count > most ? count : most;
    }
    return most;
}

/* The sign-flip test over seeds that the kernel ratio is 1. */
bool table3_is_retimed(const struct table3_k *k)
{
    return usable(k->retimed_speedup[SUM_PLAIN]);
}

double table3_speedup(const struct table3_k *k)
{
    return table3_is_retimed(k) ? k->retimed_speedup[SUM_PLAIN] : k->kernel_speedup[SUM_PLAIN];
}

static double test_seeds(struct maker *m, const struct table3_k *k, int64_t seeds)
{
    double *logs = ARENA_ARRAY(m->a, double, seeds + 1);
    int n = 0;
    for (int64_t i = 0; i < seeds; i++)
        if (k->by_seed[i] && usable(table3_speedup(k->by_seed[i])))
            logs[n++] = log(table3_speedup(k->by_seed[i]));
    return n > 1 ? permutation_signs(logs, n, PERMUTATION_DRAWS, PERMUTATION_SEED).p : NAN;
}

/* One seed of one network at one k; NULL when its cells are not done. */
static bool seed_k(struct maker *m, const struct arm *arm, const char *network, int64_t k, int64_t seed,
                   struct table3_k **out)
{
    int from = arm_results_cell(&m->sides, network, arm->explore, seed);
    int cell = arm_results_cell(&m->sides, network, arena_printf(m->a, "%s-%lld", arm->name, (long long)k), seed);
    struct table3_k *row = ARENA_NEW(m->a, struct table3_k);
    struct arm_result ansor = {0};
    *out = NULL;
    if (from < 0 || cell < 0)
        return true;
    row->k = k;
    if (!arm_result_explored(&m->sides, from, 0, &ansor) ||
        !arm_result_explored(&m->sides, from, arm_result_seeds(&m->sides.cells[cell]), &row->ansor_k) ||
        !arm_result_exploited(&m->sides, cell, &row->ansor_k, &row->dpansor, &row->shared))
        return false;
    ratios(&ansor, row);
    *out = row;
    return true;
}

/* One network at one k, over the seeds whose cells are done. */
static bool network_k(struct maker *m, const struct arm *arm, const char *network, int64_t k, struct table3_k *out)
{
    struct table3_k **rows = ARENA_ARRAY(m->a, struct table3_k *, m->e->seeds);
    struct table3_k *low = ARENA_NEW(m->a, struct table3_k), *high = ARENA_NEW(m->a, struct table3_k);
    int n = 0;
    for (int64_t i = 0; i < m->e->seeds; i++) {
        if (!seed_k(m, arm, network, k, m->e->seed_base + i + 1, &rows[i]))
            return false;
        n += rows[i] != NULL;
    }
    *out = (struct table3_k){.k = k, .by_seed = rows, .low = low, .high = high};
    out->nseeds = join_ratios(m, rows, (int)m->e->seeds, out, low, high);
    out->p = test_seeds(m, out, m->e->seeds);
    out->holm = NAN;
    for (int64_t i = 0; i < m->e->seeds; i++) {
        if (!rows[i])
            continue;
        arm_result_add(&out->ansor_k, &rows[i]->ansor_k, n);
        arm_result_add(&out->dpansor, &rows[i]->dpansor, n);
        out->shared += rows[i]->shared;
    }
    return true;
}

static bool make_network(struct maker *m, const struct arm *arm, const struct network *net, struct table3_network *out)
{
    int done = 0;
    *out = (struct table3_network){.name = net->name, .kernels = net->nkernels};
    for (int i = 0; i < net->nkernels; i++)
        out->calls += (int)net->tasks[i].weight;
    for (int64_t seed = m->e->seed_base + 1; seed <= m->e->seed_base + m->e->seeds; seed++)
        done += arm_results_cell(&m->sides, net->name, arm->explore, seed) >= 0;
    out->seeds = done;
    for (int64_t seed = m->e->seed_base + 1; seed <= m->e->seed_base + m->e->seeds; seed++) {
        int cell = arm_results_cell(&m->sides, net->name, arm->explore, seed);
        struct arm_result one = {0};
        if (cell >= 0 && !arm_result_explored(&m->sides, cell, 0, &one))
            return false;
        if (cell >= 0)
            arm_result_add(&out->ansor, &one, done);
    }
    out->k = ARENA_ARRAY(m->a, struct table3_k, arm->nk);
    for (int i = 0; i < arm->nk; i++)
        if (!network_k(m, arm, net->name, arm->k[i], &out->k[i]))
            return false;
    return true;
}

/* Holm's correction over the networks at one k. */
static void correct(struct maker *m, struct table3 *t, int k)
{
    double *p = ARENA_ARRAY(m->a, double, t->nnetworks + 1);
    for (int i = 0; i < t->nnetworks; i++)
        p[i] = t->networks[i].k[k].p;
    permutation_holm(p, t->nnetworks, p);
    for (int i = 0; i < t->nnetworks; i++)
        t->networks[i].k[k].holm = p[i];
}

/* The mean over networks of each seed alone: of those networks only that have every seed that any network has, so that
 * seeds differ by luck and not by which networks they hold. */
static void seed_means(struct maker *m, struct table3 *t, int k)
{
    int64_t seeds = m->e->seeds;
    struct table3_k *mean = &t->mean[k], **by_seed = ARENA_ARRAY(m->a, struct table3_k *, seeds), unused[2];
    struct table3_k *low = ARENA_NEW(m->a, struct table3_k), *high = ARENA_NEW(m->a, struct table3_k), spare = {0};
    struct table3_k **rows = ARENA_ARRAY(m->a, struct table3_k *, t->nnetworks + 1);
    int most = 0;
    for (int i = 0; i < t->nnetworks; i++)
        most = t->networks[i].k[k].nseeds > most ? t->networks[i].k[k].nseeds : most;
    for (int64_t s = 0; s < seeds; s++) {
        int n = 0;
        for (int i = 0; i < t->nnetworks; i++)
            if (t->networks[i].k[k].nseeds == most && t->networks[i].k[k].by_seed[s])
                rows[n++] = t->networks[i].k[k].by_seed[s];
        if (n == 0)
            continue;
        by_seed[s] = ARENA_NEW(m->a, struct table3_k);
        join_ratios(m, rows, n, by_seed[s], &unused[0], &unused[1]);
    }
    mean->by_seed = by_seed;
    mean->low = low;
    mean->high = high;
    mean->nseeds = join_ratios(m, by_seed, (int)seeds, &spare, low, high);
    mean->p = test_seeds(m, mean, seeds);
    mean->holm = NAN;
}

const char *table3_spread(struct arena *a, const struct table3 *t)
{
    int most = 0;
    for (int k = 0; k < t->nk; k++)
        most = t->counted[k] > most ? t->counted[k] : most;
    return most < t->nnetworks ? arena_printf(a, "%d of %d", most, t->nnetworks) : arena_printf(a, "%d", t->nnetworks);
}

static void make_means(struct maker *m, struct table3 *t)
{
    t->mean = ARENA_ARRAY(m->a, struct table3_k, t->nk);
    t->wins = ARENA_ARRAY(m->a, int, t->nk);
    t->counted = ARENA_ARRAY(m->a, int, t->nk);
    struct table3_k **rows = ARENA_ARRAY(m->a, struct table3_k *, t->nnetworks + 1);
    for (int k = 0; k < t->nk; k++) {
        struct table3_k *low = ARENA_NEW(m->a, struct table3_k), *high = ARENA_NEW(m->a, struct table3_k);
        for (int i = 0; i < t->nnetworks; i++) {
            double x = table3_speedup(&t->networks[i].k[k]);
            rows[i] = &t->networks[i].k[k];
            t->counted[k] += usable(x);
            t->wins[k] += usable(x) && x >= 1;
        }
        t->mean[k] = (struct table3_k){.k = t->ks[k], .across_low = low, .across_high = high};
        join_ratios(m, rows, t->nnetworks, &t->mean[k], low, high);
        seed_means(m, t, k);
        correct(m, t, k);
    }
}

bool table3_interval(const struct table3_k *k, bool retimed, double *low, double *high)
{
    bool seeds = k->nseeds > 1 && k->low;
    const struct table3_k *from = seeds ? k->low : k->across_low, *to = seeds ? k->high : k->across_high;
    *low = !from ? (double)NAN : retimed ? from->retimed_speedup[SUM_PLAIN] : from->kernel_speedup[SUM_PLAIN];
    *high = !to ? (double)NAN : retimed ? to->retimed_speedup[SUM_PLAIN] : to->kernel_speedup[SUM_PLAIN];
    return *low > 0 && isfinite(*high);
}

/* The tolerance of search-time ratios in practice.md 3.7. */
enum table3_clocks table3_clocks_of(double wall, double records)
{
    if (!usable(wall) || !usable(records))
        return CLOCKS_AGREE;
    if ((wall > 1) != (records > 1) && fabs(log(wall / records)) > 1e-9)
        return CLOCKS_DIRECTION;
    return fabs(log(wall / records)) > log(TABLE3_CLOCKS) ? CLOCKS_SIZE : CLOCKS_AGREE;
}

enum table3_clocks table3_row_clocks(const struct table3_k *k)
{
    return table3_clocks_of(k->search_speedup[CLOCK_WALL], k->search_speedup[CLOCK_RECORDS]);
}

const char *table3_clocks_word(enum table3_clocks c)
{
    static const char *const words[] = {"agree", "size", "direction"};
    return words[c];
}

bool table3_make(struct arena *a, const struct experiment *e, struct store *s, struct table3 *out, struct err *err)
{
    struct maker m = {.a = a, .e = e, .err = err};
    const struct arm *arm = NULL;
    *out = (struct table3){.cells = e->plan.ncells};
    for (int i = 0; i < e->narms && !arm; i++)
        if (e->arms[i].explore && !arm_is_remeasure(&e->arms[i]))
            arm = &e->arms[i];
    if (!arm)
        return err_set(err, "'%s' has no arm that explores another: there is no Table 3 in it", e->stem);
    if (!arm_results_open(&m.sides, a, s, err))
        return false;
    for (int i = 0; i < m.sides.ncells; i++)
        out->cells_done += str_eq(m.sides.cells[i].state, "done");
    out->complete = out->cells_done == e->plan.ncells;
    out->ks = arm->k;
    out->nk = arm->nk;
    out->nnetworks = e->nnetworks;
    out->networks = ARENA_ARRAY(a, struct table3_network, e->nnetworks + 1);
    for (int i = 0; i < e->nnetworks; i++)
        if (!make_network(&m, arm, e->networks[i], &out->networks[i]))
            return false;
    make_means(&m, out);
    return true;
}

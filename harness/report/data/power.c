/* SPDX-License-Identifier: Apache-2.0 */
/* power: networks that share no kernels are taken to vary independently, so the mean over m of them varies by 1 / sqrt
 * m as much, and below POOLED_SEEDS seeds m times as many degrees of freedom say how much. */
#include "harness/report/data/power.h"

#include "harness/base/text.h"
#include "harness/report/data/quantity.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/df_chance.h"
#include "harness/stats/pooled.h"
#include "harness/stats/seed_count.h"
#include "harness/stats/t_test.h"
#include "harness/stats/verdict.h"

#include <math.h>

/* Pooled over networks and k of the first arm that explores another: every log ratio against the mean of its own
 * network and k. */
static double pool(const struct results *r, int *df)
{
    struct arena *a = r->records->a;
    const char *first = NULL;
    int groups = 0, n = 0;
    double *v = ARENA_ARRAY(a, double, (int64_t)r->narms * r->nnetworks * r->seeds + 1);
    int *sizes = ARENA_ARRAY(a, int, r->narms * r->nnetworks + 1);
    for (int i = 0; i < r->narms; i++) {
        const struct result_arm *arm = &r->arms[i];
        if (arm->explorer < 0 || arm->remeasures || (first && !str_eq(first, arm->name)))
            continue;
        first = arm->name;
        for (int g = 0; g < r->nnetworks; g++, groups++)
            for (int s = 0; s < r->seeds; s++) {
                const struct cell_result *cell = results_cell(r, i, g, s);
                double ratio = cell ? quantity_value(QUANTITY_KERNEL, cell, cell, -1) : NAN;
                if (isnan(ratio))
                    continue;
                v[n++] = log(ratio);
                sizes[groups]++;
            }
    }
    return seed_count_pooled(v, sizes, groups, df);
}

/* What is wrong with the records is for `report` to say: here it only means that nothing is known. */
static double recorded_spread(struct arena *a, const struct experiment *e, int *df)
{
    struct store *s;
    struct records records;
    struct results results;
    struct err ignored = {0};
    double spread = NAN;
    *df = 0;
    if (!store_exists(e->plan.results_dir) || !store_open_read(e->plan.results_dir, &s, &ignored))
        return NAN;
    const char *hash = store_campaign(s)->experiment_hash;
    if (str_eq(hash, e->plan.experiment_hash) && records_read(a, s, &records, &ignored) &&
        results_make(&records, e, false, &results, &ignored))
        spread = pool(&results, df);
    store_close(s);
    return spread;
}

/* Half width of the mean over networks that n seeds buy: pooled within networks below POOLED_SEEDS (stats/pooled.h). */
static double mean_half(const struct power *o, int n)
{
    if (n < 2)
        return INFINITY;
    double df = n < POOLED_SEEDS ? design_effect_df(o->replicated, n, o->design) : n - 1;
    double error = sqrt(o->design * pooled_expected(o->networks, o->replicated, n));
    return t_test_quantile(ESTIMATE_CONFIDENCE, df) * o->spread * error;
}

static void widths(const struct power *o, int seeds, double *network, double *mean)
{
    *network = seed_count_half(o->spread, seeds, ESTIMATE_CONFIDENCE);
    *mean = mean_half(o, seeds);
}

/* The least number of seeds whose mean is so narrow and whose degrees of freedom are likely those of a verdict; 0:
 * none.
 */
static int seeds_for(const struct power *o, double half)
{
    double rows = o->replicated / o->design;
    for (int n = 2; n < SEED_COUNT_MOST; n = n < 64 ? n + 1 : n + n / 8)
        if (mean_half(o, n) <= half &&
            (n > VERDICT_DF || df_chance_of(rows, n, DF_CHANCE_SPREAD, VERDICT_DF).share >= DF_CHANCE_ENOUGH))
            return n;
    return 0;
}

void power_of(struct arena *a, const struct experiment *e, double all_s, double budget_s, struct power *out)
{
    *out = (struct power){.seeds = (int)e->seeds,
                          .networks = e->nnetworks,
                          .replicated = e->nreplicated,
                          .design = plan_design_effect(&e->plan)};
    out->spread = recorded_spread(a, e, &out->df);
    if (!(out->spread > 0)) {
        out->spread = POWER_ASSUMED;
        out->df = 0;
    }
    widths(out, out->seeds, &out->network, &out->mean);
    out->kernel_seeds = seeds_for(out, log(1.10));
    out->search_seeds = seeds_for(out, log(1.25));
    double networks = fmax(1, e->nnetworks), seeds = fmax(1, (double)e->seeds);
    out->seed_s = all_s / (1 + (seeds - 1) * e->nreplicated / networks);
    if (budget_s > 0) {
        out->budget_seeds = (int)fmin(1e6, budget_s / out->seed_s);
        widths(out, out->budget_seeds, &out->budget_network, &out->budget_mean);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* design_effect: by hand, and by simulation: networks that have kernels in common, whose luck is drawn once a seed.
 * Intervals that know of it hold the truth in 93 of 100 runs or more; those that do not hold it less often. */
#include "harness/stats/design_effect.h"

#include "harness/stats/t_test.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_by_hand(void)
{
    static const struct design_part APART[] = {{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {1, 4, 1}};
    static const struct design_part SAME[] = {{0, 1, 1}, {0, 2, 3}, {1, 1, 2}, {1, 2, 6}, {2, 1, 5}, {2, 2, 15}};
    static const struct design_part SOME[] = {{0, 1, 1}, {0, 2, 1}, {1, 1, 1}, {1, 3, 3}};
    static const struct design_part UNKNOWN[] = {{0, 1, 1}, {0, 2, INFINITY}, {1, 1, 1}, {1, 3, NAN}};
    is_near(design_effect(arena, APART, 4), 1, 1e-12, "rows without common parts are independent");
    is_near(design_effect(arena, SAME, 6), 3, 1e-12, "three equal rows are one, whatever their scale");
    /* Shares 1/2, 1/2 and 1/4, 3/4: together (3/4)^2 + 1/4 + 9/16 = 22/16, apart 1/4 + 1/4 + 1/16 + 9/16 = 18/16. */
    is_near(design_effect(arena, SOME, 4), 22 / 18., 1e-12, "two rows with one part in common, by hand");
    is_near(design_effect(arena, UNKNOWN, 4), 2, 1e-12, "parts without a weight are left out");
    is_near(design_effect(arena, APART, 0), 1, 1e-12, "no rows have nothing in common");
    is_near(design_effect_df(16, 3, 2.5), 12.8, 1e-12, "16 networks of 3 seeds: 32 degrees of freedom over 2.5");
    is_near(design_effect_df(16, 3, 16), 2, 1e-12, "networks that are all the same have those of their seeds");
    is_near(design_effect_df(4, 3, 100), 2, 1e-12, "the degrees of freedom are never below those of the seeds");
}

static void test_widen(void)
{
    double v[] = {1.1, 1.3, 1.2, 1.1, 1.3, 1.2}, logs[] = {log(1.1), log(1.3), log(1.2)};
    struct estimate e, kept;
    estimate_of(arena, v, 2, 3, 0, &e);
    kept = e;
    design_effect_widen(&e, 1);
    ok(e.half == kept.half && e.df == kept.df && e.p == kept.p, "rows without common parts keep their interval");
    design_effect_widen(&e, 2);
    double mean = (logs[0] + logs[1] + logs[2]) / 3, squares = 0;
    for (int i = 0; i < 3; i++)
        squares += (logs[i] - mean) * (logs[i] - mean);
    double error = sqrt(squares / 2 / 3);
    is_near(e.half, t_test_quantile(0.95, 2) * error, 1e-9, "a row that stands twice has the interval of one row");
    is_near(log(e.high / e.low) / 2, e.half, 1e-9, "low and high are as far apart as the half width says");
    is_near(e.p, t_test_p(mean / error, 2), 1e-9, "the test is that of the wider error");
    ok(e.df == 2 && e.ratio == kept.ratio, "the ratio stays, and the degrees of freedom are those of three seeds");
    double one[] = {1.1, 1.3, 1.2};
    estimate_of(arena, one, 3, 1, 0, &e);
    kept = e;
    design_effect_widen(&e, 4);
    is_near(e.half, 2 * kept.half, 1e-9, "an interval over networks of one seed grows with the error");
    ok(isnan(e.p), "networks that are not independent have no test over them");
    double many[2 * 8];
    for (int i = 0; i < 16; i++)
        many[i] = exp(0.01 * (i % 8));
    estimate_of(arena, many, 2, 8, 0, &e);
    kept = e;
    design_effect_widen(&e, 2);
    ok(e.half == kept.half && e.df == 7, "means of many seeds see what networks share, and keep their interval");
}

/* ---- coverage ---- */

enum { NETWORKS = 12, KERNELS = 10, SEEDS_MOST = 3, POOL = 24 };

/* Of each network's kernels the first `common` are drawn from a pool that all networks draw from, the others are its
 * own; weights differ between networks and kernels as times do. unlike: the luck of kernels differs in size, up to
 * so many times. */
struct world {
    int seeds, common;
    double unlike, shared; /* shared: the luck of common kernels is so many times as large */
    struct design_part parts[NETWORKS * KERNELS];
    double sd[POOL + NETWORKS * KERNELS]; /* of each kernel's luck, by its number */
};

static void make_world(struct rng *rng, struct world *w)
{
    double sum[NETWORKS] = {0};
    for (int i = 0; i < POOL + NETWORKS * KERNELS; i++)
        w->sd[i] = 0.2 * exp(log(w->unlike) * rng_unit(rng)) * (i < POOL ? w->shared : 1);
    for (int n = 0; n < NETWORKS; n++) {
        int pool[POOL];
        for (int i = 0; i < POOL; i++)
            pool[i] = i;
        rng_shuffle(rng, pool, POOL);
        for (int k = 0; k < KERNELS; k++) {
            int number = k < w->common ? pool[k] : POOL + n * KERNELS + k;
            double weight = exp(0.7 * random_data_normal(rng));
            w->parts[n * KERNELS + k] = (struct design_part){n, (uint64_t)number, weight};
            sum[n] += weight;
        }
    }
    for (int i = 0; i < NETWORKS * KERNELS; i++)
        w->parts[i].weight /= sum[w->parts[i].row];
}

static void draw(struct rng *rng, const struct world *w, double *v, double *truth)
{
    double base[NETWORKS], sum = 0;
    for (int n = 0; n < NETWORKS; n++)
        sum += base[n] = log(1.1) + 0.2 * random_data_normal(rng);
    for (int s = 0; s < w->seeds; s++) {
        double luck[POOL + NETWORKS * KERNELS];
        for (int i = 0; i < POOL + NETWORKS * KERNELS; i++)
            luck[i] = w->sd[i] * random_data_normal(rng);
        for (int n = 0; n < NETWORKS; n++) {
            double at = base[n];
            for (int k = 0; k < KERNELS; k++)
                at += w->parts[n * KERNELS + k].weight * luck[w->parts[n * KERNELS + k].part];
            v[n * w->seeds + s] = exp(at);
        }
    }
    *truth = exp(sum / NETWORKS);
}

/* Shares of runs whose interval holds the truth: as it is, and widened. */
static void coverage(struct world *w, double *naive, double *widened)
{
    enum { RUNS = 3000, EACH = 20 };
    struct rng rng;
    rng_seed(&rng, 771);
    *naive = *widened = 0;
    for (int i = 0; i < RUNS; i++) {
        double v[NETWORKS * SEEDS_MOST], truth;
        struct estimate e;
        struct arena_mark mark = arena_mark(arena);
        if (i % EACH == 0)
            make_world(&rng, w);
        draw(&rng, w, v, &truth);
        estimate_of(arena, v, NETWORKS, w->seeds, 0, &e);
        *naive += (e.low <= truth && truth <= e.high) / (double)RUNS;
        design_effect_widen(&e, design_effect(arena, w->parts, NETWORKS * KERNELS));
        *widened += (e.low <= truth && truth <= e.high) / (double)RUNS;
        arena_release(arena, mark);
    }
}

static void covers(int seeds, int common, double unlike, const char *what)
{
    static struct world w;
    double naive, widened;
    w = (struct world){.seeds = seeds, .common = common, .unlike = unlike, .shared = 1};
    coverage(&w, &naive, &widened);
    ok(widened >= 0.93, "%s: at least 93 of 100 intervals hold the truth (%.1f)", what, 100 * widened);
    ok(naive < widened - 0.03, "%s: without the design effect fewer do (%.1f)", what, 100 * naive);
}

/* The weak side: the design effect takes luck to be of one size. */
static void test_luckier(void)
{
    static struct world w = {.seeds = 3, .common = 5, .unlike = 1, .shared = 2};
    double naive, widened;
    coverage(&w, &naive, &widened);
    ok(widened >= 0.90 && naive < 0.85,
       "common kernels of twice the luck cost coverage, less than without the design effect (%.1f, %.1f)",
       100 * widened, 100 * naive);
}

int main(void)
{
    test_by_hand();
    test_widen();
    covers(3, 5, 1, "half of the kernels in common, 3 seeds");
    covers(2, 5, 1, "half of the kernels in common, 2 seeds");
    covers(3, 9, 1, "nearly all kernels in common, 3 seeds");
    covers(3, 5, 4, "kernels of unlike luck, 3 seeds");
    covers(2, 9, 4, "kernels of unlike luck, nearly all in common, 2 seeds");
    test_luckier();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* pooled: by hand, against scipy's t quantiles, and by simulation: log-normal luck of the sizes that searches have
 * shows whether 95 % intervals hold the truth in 95 of 100 runs. */
#include "harness/stats/pooled.h"

#include "harness/stats/estimate.h"
#include "harness/stats/t_test.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>

static void test_by_hand(void)
{
    /* Deviations 0.1, 0.2 and 0.3: squares 0.02, 0.08 and 0.18, of which each row's half enters over 9. */
    static const double THREE[] = {0.1, 0.3, 0.5, 0.9, 1.0, 1.6};
    struct pooled p = pooled_mean(THREE, 3, 2, 0.95);
    ok(p.rows == 3 && p.values == 6, "three rows of two seeds are counted");
    is_near(p.mean, 2.2 / 3, 1e-12, "the mean is that over rows");
    is_near(p.error, sqrt(0.14) / 3, 1e-12, "the error is that of the rows' own spreads, by hand");
    double u = 0.01 + 0.04 + 0.09, w = (0.0001 + 0.0016 + 0.0081) / 3;
    is_near(p.df, fmin(3, u * u / w - 2), 1e-12, "the degrees of freedom are Welch's");
    is_near(p.half, 3.182446305284263 * sqrt(0.14) / 3, 1e-9, "the half width is t's, by scipy's quantile for 3");
    static const double SAME[] = {0.2, 0.2, 0.4, 0.4};
    p = pooled_mean(SAME, 2, 2, 0.95);
    ok(p.error == 0 && p.half == 0 && p.df == 2, "seeds that agree have no spread");
    static const double ONE[] = {0.0, 0.2, 0.4, NAN};
    p = pooled_mean(ONE, 2, 2, 0.95);
    is_near(p.error, sqrt(0.02 * (0.5 + 1)) / 2, 1e-12, "a row of one seed takes the spread of the other rows");
    static const double SINGLE[] = {0.1, 0.2};
    p = pooled_mean(SINGLE, 2, 1, 0.95);
    ok(isinf(p.half) && p.df == 0 && isnan(p.error), "one seed has no spread of its own");
    p = pooled_mean(SINGLE, 0, 1, 0.95);
    ok(isnan(p.mean) && p.rows == 0, "no rows give no mean");
    /* One row is Student's interval: R's sleep data, 10 differences. */
    static const double SLEEP[] = {-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4};
    p = pooled_mean(SLEEP, 1, 10, 0.95);
    is_near(p.mean - p.half, -2.4598858, 1e-7, "one row has the interval that R prints for the sleep data");
    ok(p.df == 9, "one row has one degree of freedom less than seeds");
}

static void test_rows(void)
{
    static const double V[] = {0.0, 0.2, 1.0, 1.4, 0.3, NAN};
    struct pooled_row rows[3];
    pooled_rows(V, 3, 2, 0.95, rows);
    is_near(rows[0].mean, 0.1, 1e-12, "each row by itself has its own mean");
    is_near(rows[0].half, 4.302652729911275 * sqrt(0.05 / 2), 1e-9, "few seeds: the spread is pooled, t for 2");
    is_near(rows[2].half, 4.302652729911275 * sqrt(0.05), 1e-9, "a row of one seed takes the spread of the others");
    static const double MANY[] = {0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0};
    pooled_rows(MANY, 2, 7, 0.95, rows);
    is_near(rows[0].half, 2.4469118487916806 * sqrt(28.0 / 6 / 7), 1e-9,
            "seven seeds: a row has its own spread, t for 6");
    ok(rows[1].half == 0 && rows[1].n == 7, "a row without spread has an interval without width");
    pooled_rows(V, 3, 1, 0.95, rows);
    ok(rows[0].n == 1 && isinf(rows[0].half), "one seed of every row tells no spread");
}

/* ---- coverage ---- */

struct luck {
    int networks, seeds;
    double least, most; /* of the networks: standard deviation of a log ratio between seeds */
    double shared;      /* of what all networks of a seed have in common */
    int once;           /* the last so many networks have one seed */
};

/* A table of ratios whose true mean is 1.1. Networks differ in earnest, by 20 %. */
static void draw(struct rng *rng, const struct luck *l, double *v, double *truth)
{
    double sum = 0;
    double *common = calloc((size_t)l->seeds, sizeof *common);
    if (!common)
        abort();
    for (int s = 0; s < l->seeds; s++)
        common[s] = l->shared * random_data_normal(rng);
    for (int n = 0; n < l->networks; n++) {
        double at = log(1.1) + 0.2 * random_data_normal(rng);
        double sd = l->least + (l->most - l->least) * (l->networks > 1 ? (double)n / (l->networks - 1) : 0);
        sum += at;
        int seeds = n < l->networks - l->once ? l->seeds : 1;
        for (int s = 0; s < l->seeds; s++)
            v[n * l->seeds + s] = s < seeds ? exp(at + common[s] + sd * random_data_normal(rng)) : NAN;
    }
    *truth = exp(sum / l->networks);
    free(common);
}

/* Share of runs whose interval holds the truth; *half: its mean half width in logs. */
static double coverage(const struct luck *l, int runs, double *half)
{
    double v[400], truth;
    int held = 0;
    struct rng rng;
    rng_seed(&rng, 77);
    *half = 0;
    for (int i = 0; i < runs; i++) {
        struct estimate e;
        struct arena_mark mark = arena_mark(arena);
        draw(&rng, l, v, &truth);
        estimate_of(arena, v, l->networks, l->seeds, 0, &e);
        held += e.low <= truth && truth <= e.high;
        *half += e.half / runs;
        arena_release(arena, mark);
    }
    return (double)held / runs;
}

static double covers(struct luck l, double narrow, const char *what)
{
    enum { RUNS = 1200 };
    double half, share = coverage(&l, RUNS, &half);
    ok(share >= 0.93 && share <= 0.97, "%s: 93 to 97 of 100 intervals hold the truth (%.1f)", what, 100 * share);
    ok(half < narrow, "%s: the half width is below %.3f (%.3f)", what, narrow, half);
    return half;
}

static void test_coverage(void)
{
    covers((struct luck){20, 2, 0.08, 0.08, 0, 0}, 0.035, "20 networks with 2 seeds");
    covers((struct luck){20, 3, 0.08, 0.08, 0, 0}, 0.025, "20 networks with 3 seeds");
    covers((struct luck){16, 2, 0.08, 0.08, 0, 0}, 0.040, "16 networks with 2 seeds");
    covers((struct luck){16, 3, 0.08, 0.08, 0, 0}, 0.030, "16 networks with 3 seeds");
    covers((struct luck){16, 3, 0.02, 0.20, 0, 0}, 0.045, "16 networks of unlike luck with 3 seeds");
    covers((struct luck){20, 2, 0.02, 0.20, 0, 0}, 0.055, "20 networks of unlike luck with 2 seeds");
    covers((struct luck){5, 10, 0.08, 0.08, 0, 0}, 0.030, "5 networks with 10 seeds");
    covers((struct luck){20, 10, 0.08, 0.08, 0, 0}, 0.015, "20 networks with 10 seeds");
    covers((struct luck){20, 10, 0.08, 0.08, 0.05, 0}, 0.045, "20 networks with 10 seeds that share luck of 5 %");
    struct luck unlike = {16, 2, 0.02, 0.20, 0, 6};
    double half = covers((struct luck){16, 2, 0.08, 0.08, 0, 6}, 0.048, "16 networks, 10 of which have 2 seeds");
    double expected = 0.08 * sqrt(pooled_expected(16, 10, 2)) * t_test_quantile(0.95, 10);
    ok(half > 0.95 * expected && half < 1.25 * expected,
       "with 10 of 16 networks replicated the half width is what a plan expects (%.4f, %.4f)", half, expected);
    double unlike_share = coverage(&unlike, 1200, &half);
    ok(unlike_share > 0.75 && unlike_share < 0.93,
       "where those of one seed spread most, intervals hold the truth less often (%.1f)", 100 * unlike_share);
    is_near(pooled_expected(20, 20, 3), 1.0 / 60, 1e-15, "20 networks of three seeds: the error of 60 values");
    is_near(pooled_expected(20, 20, 10), 1.0 / 200, 1e-15, "from seven seeds on, too");
    is_near(pooled_expected(16, 10, 8), 1.0 / 80, 1e-15, "there the mean is of the networks that have all seeds");
    double narrow, wide;
    struct luck three = {20, 3, 0.08, 0.08, 0, 0}, shared = {20, 3, 0.08, 0.08, 0.02, 0};
    double apart = coverage(&three, 1200, &narrow), together = coverage(&shared, 1200, &wide);
    ok(together < apart && together > 0.80, "luck that networks of a seed share costs coverage with 3 seeds (%.1f)",
       100 * together);
}

/* Share of intervals that hold the truth where 16 networks have 30 kernels each, two seeds, and `common` of the
 * variance of a kernel's luck is its network's. The rows are the kernels, or the networks. */
static double kernel_coverage(double common, bool by_kernel, int runs)
{
    enum { NETWORKS = 16, KERNELS = 30, SEEDS = 2 };
    double kernels[NETWORKS * KERNELS * SEEDS], networks[NETWORKS * SEEDS];
    int held = 0;
    struct rng rng;
    rng_seed(&rng, 31);
    for (int i = 0; i < runs; i++) {
        for (int n = 0; n < NETWORKS; n++)
            for (int s = 0; s < SEEDS; s++) {
                double of_network = sqrt(common) * random_data_normal(&rng), *sum = &networks[n * SEEDS + s];
                *sum = 0;
                for (int k = 0; k < KERNELS; k++) {
                    double luck = 0.15 * (of_network + sqrt(1 - common) * random_data_normal(&rng));
                    kernels[(n * KERNELS + k) * SEEDS + s] = luck;
                    *sum += luck / KERNELS;
                }
            }
        struct pooled p = by_kernel ? pooled_mean(kernels, NETWORKS * KERNELS, SEEDS, 0.95)
                                    : pooled_mean(networks, NETWORKS, SEEDS, 0.95);
        held += fabs(p.mean) <= p.half;
    }
    return (double)held / runs;
}

static void test_kernels_as_rows(void)
{
    double free = kernel_coverage(0, true, 800), tied = kernel_coverage(0.1, true, 800);
    double networks = kernel_coverage(0.1, false, 800);
    ok(free > 0.93 && free < 0.97, "kernels as rows: right where a network's kernels vary independently (%.1f)",
       100 * free);
    ok(tied < 0.75, "kernels as rows: too narrow where a tenth of their luck is the network's (%.1f)", 100 * tied);
    ok(networks > 0.93 && networks < 0.97, "networks as rows: right there too (%.1f)", 100 * networks);
}

/* ---- slow spells ---- */

/* The error of the mean of n launches of two equal programs, on a machine that is a third slower during spells which
 * take 15 of 100 launches. Paired: both programs of a launch stand in the same spell. */
static double spell_error(bool paired, int launches, int runs)
{
    double squares = 0;
    struct rng rng;
    rng_seed(&rng, 5);
    for (int i = 0; i < runs; i++) {
        double sum = 0;
        for (int l = 0; l < launches; l++) {
            double here = rng_unit(&rng) < 0.15 ? log(1.33) : 0, there = rng_unit(&rng) < 0.15 ? log(1.33) : 0;
            sum += here - (paired ? here : there) + 0.01 * (random_data_normal(&rng) - random_data_normal(&rng));
        }
        squares += sum * sum / launches / launches / runs;
    }
    return sqrt(squares);
}

static void test_spells(void)
{
    double alone = spell_error(false, 5, 4000), paired = spell_error(true, 5, 4000);
    ok(alone > 5 * paired,
       "slow spells cost unpaired launches more than five times the error of paired ones (%.4f, %.4f)", alone, paired);
}

int main(void)
{
    test_by_hand();
    test_rows();
    test_coverage();
    test_kernels_as_rows();
    test_spells();
    return done_testing();
}

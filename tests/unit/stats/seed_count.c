/* SPDX-License-Identifier: Apache-2.0 */
/* settle: the table of practice.md 3.4 (half widths in units of the spread), numbers of seeds by scipy's t quantiles,
 * and a simulation: does the budget buy the width. */
#include "harness/stats/seed_count.h"
#include "harness/stats/interval.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_table(void)
{
    static const double TABLE[][2] = {{3, 2.48},   {5, 1.24},   {7, 0.925}, {10, 0.715},
                                      {15, 0.554}, {20, 0.468}, {30, 0.373}};
    for (int i = 0; i < 7; i++)
        is_near(seed_count_half(1, (int)TABLE[i][0], 0.95), TABLE[i][1], 0.003, "half width of %g seeds", TABLE[i][0]);
    ok(isinf(seed_count_half(1, 1, 0.95)), "one seed has no width");
}

static void test_seeds(void)
{
    is_int(seed_count(0.03, 0.01, 0.95), 38, "3 %% spread, 1 %% wanted: about 40 (practice.md), 38 by scipy");
    is_int(seed_count(1, 0.5, 0.95), 18, "half the spread: 18");
    is_int(seed_count(1, 2.48, 0.95), 4, "just too wide at 3: 4");
    is_int(seed_count(0.15, 0.05, 0.95), 38, "scale does not matter");
    is_int(seed_count(0, 0.01, 0.95), 2, "no spread: two to see it");
    is_int(seed_count(1, 1e-6, 0.95), 0, "out of reach");
    is_int(seed_count(NAN, 0.01, 0.95), 0, "unknown spread");
    is_int(seed_count(1, 0, 0.95), 0, "no width at all");
    is_near(seed_count_spread(seed_count_half(0.07, 6, 0.95), 6, 0.95), 0.07, 1e-13, "the spread of an interval");
    for (int n = 2; n < 40; n++)
        if (seed_count(1, seed_count_half(1, n, 0.95) * 1.0000001, 0.95) != n)
            fail("%d seeds buy the width of %d seeds", n, n);
    pass("seeds and widths invert each other");
}

static void test_pooled(void)
{
    static const double V[] = {1, 3, 10, 14, 12, 5};
    static const int SIZES[] = {2, 3, 1};
    int df;
    is_near(seed_count_pooled(V, SIZES, 3, &df), sqrt((2 + 8) / 3.), 1e-14, "deviations from each group's own mean");
    is_int(df, 3, "degrees of freedom");
    static const int ONES[] = {1, 1};
    ok(isnan(seed_count_pooled(V, ONES, 2, &df)) && df == 0, "one seed each says nothing");
    is_near(seed_count_launches(100, 1, 0.01, 0.04), 20, 1e-14, "Kalibera and Jones: sqrt(100 x 4)");
    is_near(seed_count_launches(1, 100, 0.01, 0.01), 1, 0, "at least one launch");
    ok(isinf(seed_count_launches(1, 1, 0, 1)), "seeds that agree: launches only");
}

/* The mean half width of many runs of 10 seeds is what was predicted (E[s] = c4 s, c4(10) = 0.9727). */
static void test_prediction(void)
{
    enum { RUNS = 4000, N = 10 };
    double sum = 0;
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double v[N];
        rng_seed(&rng, 2024 + (uint64_t)run);
        random_data_ratios(&rng, 0.2, 0.15, v, N);
        struct interval i = interval_ratios(v, N, 0.95);
        sum += interval_half(&i) / RUNS;
    }
    is_near(sum, 0.9727 * seed_count_half(0.15, N, 0.95), 0.02, "10 seeds buy the predicted width");
}

int main(void)
{
    test_table();
    test_seeds();
    test_pooled();
    test_prediction();
    return done_testing();
}

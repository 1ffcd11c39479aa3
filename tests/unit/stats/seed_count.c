/* SPDX-License-Identifier: Apache-2.0 */
/* seed_count: the table of harness/doc/measurement.md, "How many seeds" (half widths in units of the spread), and
 * a simulation: does the budget buy the width. */
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
        is_near(seed_count_half(1, (int)TABLE[i][0], 0.95), TABLE[i][1], 0.003,
                "the half width that %g seeds buy is the table's", TABLE[i][0]);
    ok(isinf(seed_count_half(1, 1, 0.95)), "one seed has an infinite half width");
}

static void test_pooled(void)
{
    static const double V[] = {1, 3, 10, 14, 12, 5};
    static const int SIZES[] = {2, 3, 1};
    int df;
    is_near(seed_count_pooled(V, SIZES, 3, &df), sqrt((2 + 8) / 3.), 1e-14,
            "the pooled spread is that of the deviations from each group's own mean");
    is_int(df, 3, "the pooled spread of groups of 2, 3 and 1 has 3 degrees of freedom");
    static const int ONES[] = {1, 1};
    ok(isnan(seed_count_pooled(V, ONES, 2, &df)) && df == 0, "groups of one seed each have no pooled spread");
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
        sum += 0.5 * log(i.high / i.low) / RUNS;
    }
    is_near(sum, 0.9727 * seed_count_half(0.15, N, 0.95), 0.02,
            "the mean half width of simulated runs of 10 seeds is the predicted one");
}

int main(void)
{
    test_table();
    test_pooled();
    test_prediction();
    return done_testing();
}

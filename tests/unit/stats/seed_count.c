/* SPDX-License-Identifier: Apache-2.0 */
/* seed_count: the table of harness/doc/measurement.md, "How many seeds" (half widths in units of the spread), numbers
 * of seeds by scipy's t quantiles, and a simulation: does the budget buy the width. */
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

static void test_seeds(void)
{
    is_int(seed_count(0.03, 0.01, 0.95), 38,
           "a spread of 3 %% and a half width of 1 %% need 38 seeds (scipy; about 40 in The)");
    is_int(seed_count(1, 0.5, 0.95), 18, "a half width of half the spread needs 18 seeds");
    is_int(seed_count(1, 2.48, 0.95), 4, "a half width that 3 seeds just miss needs 4");
    is_int(seed_count(0.15, 0.05, 0.95), 38, "the number of seeds depends on the ratio of width and spread only");
    is_int(seed_count(0, 0.01, 0.95), 2, "no spread needs two seeds, to see that there is none");
    is_int(seed_count(1, 1e-6, 0.95), 0, "a width out of reach gives no number of seeds");
    is_int(seed_count(NAN, 0.01, 0.95), 0, "an unknown spread gives no number of seeds");
    is_int(seed_count(1, 0, 0.95), 0, "a half width of 0 gives no number of seeds");
    int wrong = 0;
    for (int n = 2; n < 40; n++)
        wrong += seed_count(1, seed_count_half(1, n, 0.95) * 1.0000001, 0.95) != n;
    is_int(wrong, 0, "the half width that n seeds buy asks for n seeds again, for n from 2 to 39");
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
    test_seeds();
    test_pooled();
    test_prediction();
    return done_testing();
}

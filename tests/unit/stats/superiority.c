/* SPDX-License-Identifier: Apache-2.0 */
/* superiority: Wilson by statsmodels' proportion_confint, Newcombe's method 5 by solving its equation with scipy's
 * brentq, and coverage where the truth is known: for two normals d apart the share is Phi(d / sqrt 2). */
#include "harness/stats/superiority.h"
#include "harness/stats/normal.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_paired(void)
{
    static const double RATIOS[] = {1.1, 1.2, 1.5, 1.03, 1.3, 1.09, 1.4, 1.05, 0.9, 0.8};
    struct superiority s = superiority_paired(RATIOS, 10, 0.02, 0.95);
    ok(s.wins == 8 && s.ties == 0 && s.losses == 2, "8 wins, 2 losses");
    is_near(s.low, 0.49016247153664183, 1e-12, "Wilson's interval of 8 in 10");
    is_near(s.high, 0.9433178485456247, 1e-12, "and its other end");
    s = superiority_paired(RATIOS, 10, 0.055, 0.95);
    ok(s.wins == 6 && s.ties == 2 && s.losses == 2, "inside the margin: ties");
    is_near(s.share, 0.7, 1e-15, "a tie counts a half");
    static const double ALL[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    s = superiority_paired(ALL, 10, 0.02, 0.95);
    is_near(s.low, 0.7224672001371106, 1e-12, "10 of 10 is not certain");
    is_near(s.high, 1, 1e-12, "but may be");
    static const double EDGE[] = {1 / 1.02, 1.02};
    is_int(superiority_paired(EDGE, 2, 0.02, 0.95).ties, 2, "the edge is a tie, both ways");
    ok(isnan(superiority_paired(ALL, 0, 0.02, 0.95).share), "nothing compared");
}

static void test_unpaired(void)
{
    static const double MALES[] = {19, 22, 16, 29, 24}, FEMALES[] = {20, 11, 17, 12};
    struct superiority s = superiority_unpaired(MALES, 5, FEMALES, 4, 0.95);
    is_near(s.share, 17 / 20., 1e-15, "U = 17 of 20 (scipy's manual of mannwhitneyu)");
    is_near(s.low, 0.4520529750118502, 1e-9, "Newcombe's low end");
    is_near(s.high, 0.9718176011391693, 1e-9, "Newcombe's high end");
    double a[10];
    for (int i = 0; i < 10; i++)
        a[i] = i;
    s = superiority_unpaired(a, 10, a, 10, 0.95);
    ok(s.share == 0.5 && s.ties == 10, "against itself: a half");
    is_near(s.low, 0.27351558818989397, 1e-9, "low end of a half, 10 + 10");
    is_near(s.high, 0.726484411810106, 1e-9, "high end");
    static const double HIGH[] = {20, 21, 22};
    s = superiority_unpaired(HIGH, 3, a, 10, 0.95);
    ok(s.share == 1 && s.high == 1 && s.low > 0.5 && s.low < 1, "always better: low end below 1");
    ok(isnan(superiority_unpaired(a, 0, a, 3, 0.95).share), "nothing compared");
}

static void test_coverage(void)
{
    enum { RUNS = 3000, N = 10 };
    int held = 0, paired = 0;
    double truth = normal_cdf(1 / sqrt(2)); /* 0.76 */
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double a[N], b[N], ratios[N];
        rng_seed(&rng, 4242 + (uint64_t)run);
        for (int i = 0; i < N; i++) {
            a[i] = random_data_normal(&rng) + 1;
            b[i] = random_data_normal(&rng);
            ratios[i] = exp(a[i] - b[i]);
        }
        struct superiority s = superiority_unpaired(a, N, b, N, 0.95);
        held += s.low <= truth && truth <= s.high;
        s = superiority_paired(ratios, N, 0, 0.95);
        paired += s.low <= truth && truth <= s.high;
    }
    ok(random_data_agrees(held, RUNS, 0.95, 0.02), "Newcombe covers 95 %% with 10 + 10");
    /* The wins are binomial, so the coverage moves in steps around 95 %. */
    ok(random_data_agrees(paired, RUNS, 0.95, 0.03), "Wilson covers 95 %% on 10 pairs");
}

int main(void)
{
    test_paired();
    test_unpaired();
    test_coverage();
    return done_testing();
}

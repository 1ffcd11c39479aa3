/* SPDX-License-Identifier: Apache-2.0 */
/* superiority: Wilson's interval by statsmodels' proportion_confint, and coverage where the truth is known: for two
 * normals d apart the share is Phi(d / sqrt 2). */
#include "harness/stats/superiority.h"
#include "harness/stats/normal.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_paired(void)
{
    static const double RATIOS[] = {1.1, 1.2, 1.5, 1.03, 1.3, 1.09, 1.4, 1.05, 0.9, 0.8};
    struct superiority s = superiority_paired(RATIOS, 10, 0.02, 0.95);
    ok(s.wins == 8 && s.ties == 0 && s.losses == 2, "ratios above and below 1 are counted as 8 wins and 2 losses");
    is_near(s.low, 0.49016247153664183, 1e-12, "the low end of Wilson's interval of 8 wins in 10 is right");
    is_near(s.high, 0.9433178485456247, 1e-12, "the high end of Wilson's interval of 8 wins in 10 is right");
    s = superiority_paired(RATIOS, 10, 0.055, 0.95);
    ok(s.wins == 6 && s.ties == 2 && s.losses == 2, "ratios inside the margin are ties");
    is_near(s.share, 0.7, 1e-15, "a tie counts as half a win");
    static const double ALL[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    s = superiority_paired(ALL, 10, 0.02, 0.95);
    is_near(s.low, 0.7224672001371106, 1e-12, "10 wins of 10 leave a low end below 1");
    is_near(s.high, 1, 1e-12, "10 wins of 10 leave a high end of 1");
    static const double EDGE[] = {1 / 1.02, 1.02};
    is_int(superiority_paired(EDGE, 2, 0.02, 0.95).ties, 2,
           "a ratio on the edge of the margin is a tie, on either side");
    ok(isnan(superiority_paired(ALL, 0, 0.02, 0.95).share), "no ratios give no share");
}

static void test_coverage(void)
{
    enum { RUNS = 3000, N = 10 };
    int paired = 0;
    double truth = normal_cdf(1 / sqrt(2)); /* 0.76 */
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double ratios[N];
        rng_seed(&rng, 4242 + (uint64_t)run);
        for (int i = 0; i < N; i++) {
            double a = random_data_normal(&rng) + 1;
            ratios[i] = exp(a - random_data_normal(&rng));
        }
        struct superiority s = superiority_paired(ratios, N, 0, 0.95);
        paired += s.low <= truth && truth <= s.high;
    }
    /* The wins are binomial, so the coverage moves in steps around 95 %. */
    ok(random_data_agrees(paired, RUNS, 0.95, 0.03), "Wilson's interval covers 95 %% on 10 pairs");
}

int main(void)
{
    test_paired();
    test_coverage();
    return done_testing();
}

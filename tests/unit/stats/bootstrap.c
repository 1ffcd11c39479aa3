/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap: against the spatial data of Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 14.2
 * (variance of the A values, BCa 90 % interval (115.8, 259.6) from 2,000 draws, a = 0.061), against scipy 1.x
 * stats.bootstrap(method="BCa") with a million draws, and against its own promise by simulation. */
#include "harness/stats/bootstrap.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>

/* With n in the denominator, as the book's statistic. */
static double variance(const double *v, int n)
{
    double mean = bootstrap_mean(v, n), sum = 0;
    for (int i = 0; i < n; i++)
        sum += (v[i] - mean) * (v[i] - mean);
    return sum / n;
}

static void test_spatial(void)
{
    static const double A[] = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                               0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
    struct bootstrap b = bootstrap_bca(A, 26, variance, 0.90, 100000, 1);
    is_near(b.estimate, 171.53402366863904, 1e-14, "the estimate is the variance printed in the book, 171.5");
    is_near(b.acceleration, 0.06124011981230745, 1e-12, "the acceleration is the one printed in the book, 0.061");
    is_near(b.low, 115.504, 0.005,
            "the low end of the BCa interval is 115.5 as by scipy with 400,000 draws (115.8 in the book)");
    is_near(b.high, 261.120, 0.005, "the high end of the BCa interval is 261.1 as by scipy (259.6 in the book)");
}

static const double RATIOS[22] = {1.05, 1.12, 0.98, 1.33, 1.07, 1.20, 1.01, 0.95, 1.15, 1.08, 1.42,
                                  1.03, 1.10, 0.99, 1.18, 1.06, 1.25, 1.09, 1.02, 1.13, 1.60, 0.97};

static void test_mean(void)
{
    double logs[22];
    for (int i = 0; i < 22; i++)
        logs[i] = log(RATIOS[i]);
    struct bootstrap b = bootstrap_bca(logs, 22, bootstrap_mean, 0.95, 100000, 7);
    is_near(b.acceleration, 0.04285181280991677, 1e-11, "the acceleration of a mean of logs is right");
    is_near(exp(b.low), 1.0685997852545577, 0.001,
            "the low end of the interval of a mean of logs is scipy's with a million draws");
    is_near(exp(b.high), 1.191470569753039, 0.001,
            "the high end of the interval of a mean of logs is scipy's with a million draws");
    struct bootstrap again = bootstrap_bca(logs, 22, bootstrap_mean, 0.95, 100000, 7);
    ok(again.low == b.low && again.high == b.high, "the same seed gives the same bootstrap interval");
}

static void test_edges(void)
{
    static const double SAME[] = {2, 2, 2};
    struct bootstrap b = bootstrap_bca(SAME, 3, bootstrap_mean, 0.95, 100, 1);
    ok(b.low == 2 && b.high == 2, "equal values have a bootstrap interval of width 0");
    ok(isnan(bootstrap_bca(SAME, 1, bootstrap_mean, 0.95, 100, 1).low), "one value has no bootstrap interval");
    static const double TWO[] = {1, 2};
    b = bootstrap_bca(TWO, 2, bootstrap_mean, 0.95, 1, 1);
    ok(isfinite(b.low) && isfinite(b.high), "a single draw still gives finite limits");
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether the plain percentile interval of the mean, 95 % from 999 draws, holds the truth. */
static bool percentile_holds(const double *v, int n, double truth, uint64_t seed)
{
    enum { DRAWS = 999 };
    double drawn[DRAWS];
    struct rng rng;
    rng_seed(&rng, seed);
    for (int d = 0; d < DRAWS; d++) {
        drawn[d] = 0;
        for (int i = 0; i < n; i++)
            drawn[d] += v[rng_below(&rng, (uint64_t)n)] / n;
    }
    qsort(drawn, DRAWS, sizeof *drawn, ascending);
    return drawn[24] <= truth && truth <= drawn[974];
}

/* 22 draws of a log-normal: BCa covers about 93 of 100, a percentile interval of five values 82. */
static void test_coverage(void)
{
    enum { RUNS = 2000, N = 22 };
    int held = 0, narrow = 0;
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double v[N];
        rng_seed(&rng, (uint64_t)run);
        for (int i = 0; i < N; i++)
            v[i] = 0.1 + 0.3 * random_data_normal(&rng);
        struct bootstrap b = bootstrap_bca(v, N, bootstrap_mean, 0.95, 999, (uint64_t)run + 1);
        held += b.low <= 0.1 && 0.1 <= b.high;
        narrow += percentile_holds(v, 5, 0.1, (uint64_t)run + 1);
    }
    ok(random_data_agrees(held, RUNS, 0.93, 0.005), "the BCa interval of 22 normal values covers 93 %%");
    ok(random_data_agrees(narrow, RUNS, 0.82, 0.01),
       "a percentile interval of 5 values covers only 82 %%, so t is used below 20");
}

int main(void)
{
    test_spatial();
    test_mean();
    test_edges();
    test_coverage();
    return done_testing();
}

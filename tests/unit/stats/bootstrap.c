/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap: against the spatial data of Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 14.2
 * (variance of the A values, BCa 90 % interval (115.8, 259.6) from 2,000 draws, a = 0.061), against scipy 1.x
 * stats.bootstrap(method="BCa") with a million draws, and against its own promise by simulation. */
#include "harness/stats/bootstrap.h"
#include "harness/stats/summary.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

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
    is_near(b.estimate, 171.53402366863904, 1e-14, "the variance of the book: 171.5");
    is_near(b.acceleration, 0.06124011981230745, 1e-12, "the acceleration of the book: 0.061");
    is_near(b.low, 115.504, 0.005, "low end: 115.8 in the book, 115.5 by scipy with 400,000 draws");
    is_near(b.high, 261.120, 0.005, "high end: 259.6 in the book, 261.1 by scipy");
}

static const double RATIOS[22] = {1.05, 1.12, 0.98, 1.33, 1.07, 1.20, 1.01, 0.95, 1.15, 1.08, 1.42,
                                  1.03, 1.10, 0.99, 1.18, 1.06, 1.25, 1.09, 1.02, 1.13, 1.60, 0.97};

static void test_mean(void)
{
    double logs[22];
    for (int i = 0; i < 22; i++)
        logs[i] = log(RATIOS[i]);
    struct bootstrap b = bootstrap_bca(logs, 22, bootstrap_mean, 0.95, 100000, 7);
    is_near(b.acceleration, 0.04285181280991677, 1e-11, "acceleration of a mean of logs");
    is_near(exp(b.low), 1.0685997852545577, 0.001, "low end, scipy with a million draws");
    is_near(exp(b.high), 1.191470569753039, 0.001, "high end, scipy with a million draws");
    struct bootstrap again = bootstrap_bca(logs, 22, bootstrap_mean, 0.95, 100000, 7);
    ok(again.low == b.low && again.high == b.high, "the same seed gives the same interval");
}

static void test_edges(void)
{
    static const double SAME[] = {2, 2, 2};
    struct bootstrap b = bootstrap_bca(SAME, 3, bootstrap_mean, 0.95, 100, 1);
    ok(b.low == 2 && b.high == 2, "values that agree have an interval of width 0");
    ok(isnan(bootstrap_bca(SAME, 1, bootstrap_mean, 0.95, 100, 1).low), "one value has none");
    static const double TWO[] = {1, 2};
    b = bootstrap_bca(TWO, 2, bootstrap_mean, 0.95, 1, 1);
    ok(isfinite(b.low) && isfinite(b.high), "a single draw is survived");
}

/* 22 draws of a log-normal: BCa covers about 93 of 100 (practice.md 3.3), a percentile interval of five values 82. */
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
        static const int FIVE[] = {1, 1, 1, 1, 1};
        b = bootstrap_levels(v, FIVE, 5, 0.95, 999, (uint64_t)run + 1);
        narrow += b.low <= 0.1 && 0.1 <= b.high;
    }
    ok(random_data_agrees(held, RUNS, 0.93, 0.005), "BCa of 22 normal values covers 93 %%");
    ok(random_data_agrees(narrow, RUNS, 0.82, 0.01),
       "a percentile interval of 5 covers 82 %%: the reason for t below 20");
}

/* 30 networks that differ (sd 0.2), 3 seeds each (sd 0.1): the interval is about all networks like these. */
static void test_levels(void)
{
    enum { RUNS = 800, GROUPS = 30, SEEDS = 3 };
    int held = 0, sizes[GROUPS];
    for (int g = 0; g < GROUPS; g++)
        sizes[g] = SEEDS;
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double v[GROUPS * SEEDS];
        rng_seed(&rng, 1000 + (uint64_t)run);
        for (int g = 0; g < GROUPS; g++) {
            double network = 0.5 + 0.2 * random_data_normal(&rng);
            for (int i = 0; i < SEEDS; i++)
                v[g * SEEDS + i] = network + 0.1 * random_data_normal(&rng);
        }
        struct bootstrap b = bootstrap_levels(v, sizes, GROUPS, 0.95, 499, (uint64_t)run + 1);
        held += b.low <= 0.5 && 0.5 <= b.high;
    }
    ok(random_data_agrees(held, RUNS, 0.945, 0.01), "two levels cover 95 %% with 30 networks");
    static const double V[] = {1, 3, 10};
    static const int SIZES[] = {2, 1};
    is_near(bootstrap_levels(V, SIZES, 2, 0.95, 9, 1).estimate, 6, 0, "mean of the groups' means");
    ok(isnan(bootstrap_levels(V, SIZES, 0, 0.95, 9, 1).estimate), "no group, no mean");
}

int main(void)
{
    test_spatial();
    test_mean();
    test_edges();
    test_coverage();
    test_levels();
    return done_testing();
}

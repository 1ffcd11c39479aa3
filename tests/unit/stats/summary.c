/* SPDX-License-Identifier: Apache-2.0 */
/* summary: values worked out by hand or by NIST (StRD univariate set NumAcc3), and rank, which has the same inputs. */
#include "harness/stats/summary.h"
#include "harness/stats/rank.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_summary(void)
{
    static const double V[] = {3, 1, 4, 1, 5, 9, 2, 6};
    struct summary s = summary_of(V, 8);
    is_int(s.n, 8, "the summary counts its values");
    is_near(s.mean, 31.0 / 8, 1e-15, "the mean is right");
    is_near(s.median, 3.5, 1e-15, "the median of an even count is the middle of the two in the middle");
    is_near(s.min, 1, 0, "the smallest value is found");
    is_near(s.max, 9, 0, "the largest value is found");
    is_near(s.sd, sqrt((173 - 31.0 * 31 / 8) / 7), 1e-14, "the standard deviation has n - 1 in the denominator");
    is_near(s.mad, 2, 1e-15, "the median absolute deviation is right");
    is_near(summary_quantile(V, 8, 0.1), 1, 1e-15, "quantile 0.1 is R's type 7");
    is_near(summary_quantile(V, 8, 0.9), 6.9, 1e-14, "quantile 0.9 is R's type 7");
    is_near(summary_quantile(V, 8, 1), 9, 0, "quantile 1 is the largest value");
    ok(isnan(summary_quantile(V, 8, 1.1)), "there is no quantile outside 0..1");
    ok(isnan(summary_mean(V, 0)) && isnan(summary_median(V, 0)) && isnan(summary_of(V, 0).sd), "no values give NaN");
    is_near(summary_sd(V, 1), 0, 0, "one value has a standard deviation of 0");
}

static void test_accuracy(void)
{
    static double v[1001];
    v[0] = 1000000.2;
    for (int i = 1; i < 1001; i++)
        v[i] = i % 2 ? 1000000.1 : 1000000.3;
    is_near(summary_mean(v, 1001), 1000000.2, 1e-15, "the mean of NIST's NumAcc3 is exact");
    is_near(summary_sd(v, 1001), 0.1, 1e-9, "the standard deviation of NIST's NumAcc3 is right to nine digits");
    is_near(summary_median(v, 1001), 1000000.2, 0, "the median of 1001 values is right");
}

static void test_geometric(void)
{
    static const double V[] = {1, 2, 4, 8};
    is_near(summary_geomean(V, 4), sqrt(8), 1e-15, "the geometric mean is right");
    is_near(summary_geosd(V, 4), exp(log(2) * sqrt(5.0 / 3)), 1e-14, "the geometric standard deviation is right");
    static const double BAD[] = {1, 0};
    ok(isnan(summary_geomean(BAD, 2)), "values with a zero have no geometric mean");
    static const double SAME[] = {2.5, 2.5, 2.5};
    is_near(summary_geosd(SAME, 3), 1, 1e-15, "equal ratios have a geometric standard deviation of 1");
}

static void test_rank(void)
{
    static const double V[] = {0.5, 2, NAN, 2, -1, 7, 0.5};
    static const int DOWN[] = {5, 1, 3, 0, 6, 4, 2}, UP[] = {4, 0, 6, 1, 3, 5, 2};
    int order[7];
    rank_order(V, 7, true, order);
    is_mem(order, DOWN, sizeof DOWN, "a descending order breaks ties by index and puts NaN last");
    rank_order(V, 7, false, order);
    is_mem(order, UP, sizeof UP, "an ascending order breaks ties by index and puts NaN last");
}

int main(void)
{
    test_summary();
    test_accuracy();
    test_geometric();
    test_rank();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* interval: the formula with quantiles of mpmath, the choice of the method, and coverage on log-normal ratios. */
#include "harness/stats/interval.h"
#include "harness/stats/bootstrap.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

/* Half the width on the log scale. */
static double half_of(const struct interval *i)
{
    return 0.5 * log(i->high / i->low);
}

static void test_student(void)
{
    static const double V[] = {1, 2, 4};
    struct interval i = interval_ratios(V, 3, 0.95);
    double half = 4.30265272974946385 * log(2) / sqrt(3);
    is_near(i.ratio, 2, 1e-15, "the ratio is the geometric mean");
    is_near(i.low, 2 * exp(-half), 1e-12, "the low end is the t formula's");
    is_near(i.high, 2 * exp(half), 1e-12, "the high end is the t formula's");
    is_near(half_of(&i), half, 1e-12, "half the width on the log scale is the t formula's");
    is_str(interval_words[i.method], "t", "few ratios get a t-interval");
    i = interval_ratios(V, 1, 0.95);
    ok(i.ratio == 1 && i.low == 0 && isinf(i.high), "one ratio has the interval from 0 to infinity");
    ok(isnan(interval_ratios(V, 0, 0.95).ratio), "no ratios give no estimate");
    static const double BAD[] = {1, -2};
    ok(isnan(interval_ratios(BAD, 2, 0.95).low), "a negative ratio gives no interval");
}

/* Student's sleep data as ratios of times exp(hours): R's t.test(extra ~ group, paired = TRUE) prints the interval
 * -2.4598858 to -0.7001142 and the mean -1.58. */
static void test_sleep(void)
{
    static const double ONE[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double TWO[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    double ratios[10];
    for (int i = 0; i < 10; i++)
        ratios[i] = exp(ONE[i] - TWO[i]);
    struct interval i = interval_student(ratios, 10, 0.95);
    is_near(log(i.ratio), -1.58, 1e-12, "the mean of Student's sleep data is -1.58");
    is_near(log(i.low), -2.4598858, 1e-7, "the low end for the sleep data is the one that R prints");
    is_near(log(i.high), -0.7001142, 1e-7, "the high end for the sleep data is the one that R prints");
}

static void test_choice(void)
{
    double v[20];
    struct rng rng;
    rng_seed(&rng, 3);
    random_data_ratios(&rng, 0, 0.1, v, 20);
    is_str(interval_words[interval_ratios(v, 19, 0.95).method], "t", "19 seeds get a t-interval");
    struct interval i = interval_ratios(v, 20, 0.95);
    is_str(interval_words[i.method], "bca", "20 seeds get a BCa interval");
    ok(i.low < i.ratio && i.ratio < i.high, "the BCa interval holds the mean");
    struct interval t = interval_student(v, 20, 0.95);
    is_near(half_of(&i), half_of(&t), 0.15, "the BCa interval is about as wide as the t-interval on log-normal data");
    for (int k = 0; k < 20; k++)
        v[k] = 1 / v[k];
    struct interval turned = interval_student(v, 20, 0.95);
    is_near(turned.low, 1 / t.high, 1e-12, "inverse ratios give the inverse interval");
}

static void test_coverage(int n, double sd)
{
    enum { RUNS = 4000 };
    int held = 0;
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double v[20];
        rng_seed(&rng, 77 * (uint64_t)n + 1000 * (uint64_t)run);
        random_data_ratios(&rng, log(1.2), sd, v, n);
        struct interval i = interval_ratios(v, n, 0.95);
        held += i.low <= 1.2 && 1.2 <= i.high;
    }
    ok(random_data_agrees(held, RUNS, 0.95, 0), "the t-interval of %d log-normal ratios (sd %g) covers 95 %%", n, sd);
}

int main(void)
{
    test_student();
    test_sleep();
    test_choice();
    test_coverage(3, 0.03);
    test_coverage(5, 0.3);
    test_coverage(10, 1);
    test_coverage(19, 0.1);
    return done_testing();
}

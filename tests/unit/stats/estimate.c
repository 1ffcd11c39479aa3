/* SPDX-License-Identifier: Apache-2.0 */
/* estimate: what is averaged over what, worked by hand: means by the definition, limits by Student's t from tables
 * (4.303 for 2 degrees of freedom), sign patterns counted, wins counted. */
#include "harness/stats/estimate.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

#define NEAR(got, want, name) is_near(got, want, 1e-12, name)

static void test_seeds(void)
{
    /* The second row lacks a seed: its two still tell of the luck. Pooled interval and p: scipy's t, 5 degrees. */
    static const double v[] = {1.1, 1.3, 1.2, 0.9, NAN, 1.0, 1.5, 1.4, 1.6};
    struct estimate e;
    estimate_of(arena, v, 3, 3, 0.02, &e);
    NEAR(e.ratio, 1.1937499583830795, "the ratio is the mean over rows of the means over seeds");
    ok(e.over == ESTIMATE_SEEDS && e.n == 3 && e.method == INTERVAL_POOLED && e.df == 5,
       "with three seeds the interval is over the seeds, pooled from the rows' spreads");
    NEAR(e.low, 1.1135444419547706, "the low end is that of the pooled spread, as scipy's t has it");
    NEAR(e.high, 1.2797324556153507, "the high end is that of the pooled spread, as scipy's t has it");
    NEAR(e.half, 0.06955145908303186, "the half width is told on the log scale");
    ok(e.rows.n == 3, "the estimate knows its three rows");
    NEAR(e.rows.low, 0.676963042170295, "the low end over the rows is right");
    NEAR(e.rows.high, 2.105046914482999, "the high end over the rows is right");
    ok(e.better.wins == 6 && e.better.ties == 1 && e.better.losses == 1,
       "eight pairs are counted as six wins, a tie and a loss");
    NEAR(e.better.share, 6.5 / 8, "a tie counts a half in the chance to win");
    NEAR(e.p, 0.001246478709956116, "the p of a pooled interval is that of its t");
}

static void test_seven(void)
{
    static const double v[] = {1.1, 1.3, 1.2, 1.25, 1.15, 1.05, 1.2, 1.5, 1.4, 1.6, 1.45, 1.3, 1.55, 1.5};
    struct estimate e;
    estimate_of(arena, v, 2, 7, 0.02, &e);
    ok(e.over == ESTIMATE_SEEDS && e.n == 7 && e.method == INTERVAL_T, "from seven seeds on seeds' means are taken");
    NEAR(e.low, 1.2627847613072134, "the low end is that of the means of seven seeds, by scipy");
    NEAR(e.high, 1.3673977130131694, "the high end is that of the means of seven seeds, by scipy");
    ok(e.df > 9 && e.df <= 12, "the spread within two rows of seven seeds has up to 12 degrees of freedom");
    NEAR(e.p, 2.0 / 128, "seven seeds of one sign have p 2 of 128");
}

static void test_rows(void)
{
    static const double v[] = {2, 3, 0.5};
    struct estimate e;
    estimate_of(arena, v, 3, 1, 0, &e);
    ok(e.over == ESTIMATE_ROWS && e.n == 3, "with one seed the interval is over the rows");
    NEAR(e.ratio, cbrt(3), "the ratio of one seed is the mean over rows");
    NEAR(e.low, e.rows.low, "with one seed the interval is that of the rows");
    NEAR(e.p, 0.75, "three rows have p 6 of 8, as counted by hand");
}

static void test_few(void)
{
    static const double one[] = {1.5}, none[] = {NAN, INFINITY, 0, -1}, seeds[] = {1.1, 1.3, 1.2};
    struct estimate e;
    estimate_of(arena, one, 1, 1, 0, &e);
    ok(e.over == ESTIMATE_NOTHING && e.ratio == 1.5 && isnan(e.low) && isnan(e.high) && isnan(e.p) && e.rows.n == 1,
       "one value has an estimate, and neither interval nor p");
    estimate_of(arena, none, 2, 2, 0, &e);
    ok(e.over == ESTIMATE_NOTHING && isnan(e.ratio) && isnan(e.better.share) && e.n == 0,
       "values that are not positive give no estimate");
    estimate_of(arena, seeds, 1, 3, 0, &e);
    ok(e.over == ESTIMATE_SEEDS, "one row with three seeds has its interval over the seeds");
    NEAR(e.high, 1.4733688478489073, "one row with three seeds has its t-interval");
}

static void test_many(void)
{
    double v[40];
    struct estimate e;
    for (int i = 0; i < 40; i++)
        v[i] = exp(0.1 * sin(i));
    estimate_of(arena, v, 2, 20, 0, &e);
    ok(e.over == ESTIMATE_SEEDS && e.method == INTERVAL_BCA && e.n == 20, "from 20 seeds on the interval is BCa");
    ok(e.low < e.ratio && e.ratio < e.high, "the BCa interval holds the estimate");
    estimate_of(arena, v, 40, 1, 0, &e);
    ok(e.over == ESTIMATE_ROWS && e.p > 0.01 && e.p <= 1, "beyond 20 values sign patterns are drawn and p is above 0");
}

static void test_holm(void)
{
    struct estimate a = {.p = 0.25}, b = {.p = NAN}, c = {.p = 0.75}, d = {.p = 0.01};
    struct estimate *const family[] = {&a, &b, &c, &d};
    estimate_correct(arena, family, 4);
    NEAR(d.holm, 0.03, "Holm's correction multiplies the least of three p by three");
    NEAR(a.holm, 0.5, "Holm's correction multiplies the next p by two");
    NEAR(c.holm, 0.75, "Holm's correction leaves the largest p as it is");
    ok(isnan(b.holm), "an estimate without p is not part of the Holm family");
}

int main(void)
{
    test_seeds();
    test_seven();
    test_rows();
    test_few();
    test_many();
    test_holm();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* estimate: what is averaged over what, worked by hand: means by the definition, limits by Student's t from tables
 * (4.303 for 2 degrees of freedom), sign patterns counted, wins counted. */
#include "harness/stats/estimate.h"

#include "tests/lib/tap.h"

#include <math.h>

#define NEAR(got, want, name) is_near(got, want, 1e-12, name)

static struct arena *arena;

static void test_seeds(void)
{
    /* The second row lacks a seed: it enters the mean, not the interval over seeds. */
    static const double v[] = {1.1, 1.3, 1.2, 0.9, NAN, 1.0, 1.5, 1.4, 1.6};
    struct estimate e;
    estimate_of(arena, v, 3, 3, 0.02, &e);
    NEAR(e.ratio, 1.1937499583830795, "mean over rows of means over seeds");
    ok(e.over == ESTIMATE_SEEDS && e.n == 3 && e.method == INTERVAL_T, "over the three seeds");
    NEAR(e.low, 1.2171651997550241, "low: seeds 1.285, 1.349 and 1.386 of the two rows that have all");
    NEAR(e.high, 1.4732258370134794, "high");
    ok(e.rows.n == 3, "three rows");
    NEAR(e.rows.low, 0.676963042170295, "over rows: low");
    NEAR(e.rows.high, 2.105046914482999, "over rows: high");
    ok(e.better.wins == 6 && e.better.ties == 1 && e.better.losses == 1, "eight pairs: six wins, a tie, a loss");
    NEAR(e.better.share, 6.5 / 8, "ties count a half");
    NEAR(e.p, 0.25, "three of one sign: 2 of 8 patterns");
}

static void test_rows(void)
{
    static const double v[] = {2, 3, 0.5};
    struct estimate e;
    estimate_of(arena, v, 3, 1, 0, &e);
    ok(e.over == ESTIMATE_ROWS && e.n == 3, "one seed: over rows");
    NEAR(e.ratio, cbrt(3), "mean");
    NEAR(e.low, e.rows.low, "the interval is that of the rows");
    NEAR(e.p, 0.75, "6 of 8 patterns are as far from 0 as ln 3");
}

static void test_few(void)
{
    static const double one[] = {1.5}, none[] = {NAN, INFINITY, 0, -1}, seeds[] = {1.1, 1.3, 1.2};
    struct estimate e;
    estimate_of(arena, one, 1, 1, 0, &e);
    ok(e.over == ESTIMATE_NOTHING && e.ratio == 1.5 && isnan(e.low) && isnan(e.high) && isnan(e.p) && e.rows.n == 1,
       "one value has no spread");
    estimate_of(arena, none, 2, 2, 0, &e);
    ok(e.over == ESTIMATE_NOTHING && isnan(e.ratio) && isnan(e.better.share) && e.n == 0, "nothing usable");
    estimate_of(arena, seeds, 1, 3, 0, &e);
    ok(e.over == ESTIMATE_SEEDS, "one row, three seeds");
    NEAR(e.high, 1.4733688478489073, "its t interval");
}

static void test_many(void)
{
    double v[40];
    struct estimate e;
    for (int i = 0; i < 40; i++)
        v[i] = exp(0.1 * sin(i));
    estimate_of(arena, v, 2, 20, 0, &e);
    ok(e.over == ESTIMATE_SEEDS && e.method == INTERVAL_BCA && e.n == 20, "from 20 seeds: BCa");
    ok(e.low < e.ratio && e.ratio < e.high, "around the mean");
    estimate_of(arena, v, 40, 1, 0, &e);
    ok(e.over == ESTIMATE_ROWS && e.p > 0.01 && e.p <= 1, "beyond 20 values patterns are drawn");
}

static void test_holm(void)
{
    struct estimate a = {.p = 0.25}, b = {.p = NAN}, c = {.p = 0.75}, d = {.p = 0.01};
    struct estimate *const family[] = {&a, &b, &c, &d};
    estimate_correct(arena, family, 4);
    NEAR(d.holm, 0.03, "the least of three times three");
    NEAR(a.holm, 0.5, "the next times two");
    NEAR(c.holm, 0.75, "the last as it is");
    ok(isnan(b.holm), "what has no p is not of the family");
}

int main(void)
{
    arena = arena_open("test");
    test_seeds();
    test_rows();
    test_few();
    test_many();
    test_holm();
    arena_close(arena);
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* chi_square: against mpmath 1.3.0 at 40 digits (gammainc, regularised), closed forms, the worked example of a die in
 * Wikipedia's article on Pearson's test (5 8 9 8 10 20: 13.4 with 5 degrees of freedom, p below 0.05) and the examples
 * of scipy.stats.chisquare's manual page (p 0.84914503608460956 and 0.62338762774958223). Then against itself: p values
 * of a right distribution are uniform, a wrong one is found. */
#include "harness/stats/chi_square.h"

#include "harness/base/rng.h"
#include "tests/lib/chi_square_test.h"
#include "tests/lib/tap.h"

#include <math.h>

static void gammas(void)
{
    static const struct {
        double a, x, q;
    } CASES[] = {
        {0.5, 0.25, 0.479500122186953462},  {0.5, 1.920729410347062, 0.0500000000000000574},
        {1, 3, 0.049787068367863943},       {2.5, 6.7, 0.0199052203347743782},
        {5, 9.1535, 0.0500005890913981203}, {50, 62.1710, 0.050000715769971768},
        {50, 40, 0.929664933340605046},     {500, 531, 0.084792810096510297},
        {0.5, 40, 3.74409738420289876e-19}, {3, 100, 1.89761075536822842e-40},
        {1000, 1000, 0.495794755819784491}, {7.5, 0.01, 1.0},
    };
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++)
        is_near(chi_square_gamma(CASES[i].a, CASES[i].x), CASES[i].q, 1e-11,
                "the incomplete gamma function Q(%g, %g) is mpmath's", CASES[i].a, CASES[i].x);
    for (int i = 0; i < 12; i++) {
        double x = 0.125 * pow(1.7, i);
        is_near(chi_square_p(x, 2), exp(-x / 2), 1e-13, "with 2 degrees of freedom p is exp(-x/2), at %g", x);
        is_near(chi_square_p(x, 1), erfc(sqrt(x / 2)), 1e-13, "with 1 degree of freedom p is erfc(sqrt(x/2)), at %g",
                x);
    }
    is_near(chi_square_p(0, 3), 1, 0, "a statistic of 0 has p 1");
    is_near(chi_square_p(INFINITY, 3), 0, 0, "an infinite statistic has p 0");
    ok(isnan(chi_square_p(1, 0)) && isnan(chi_square_p(-1, 2)) && isnan(chi_square_p(NAN, 2)),
       "p is NaN for arguments outside of its domain");
}

static void examples(void)
{
    static const double even[] = {1, 1, 1, 1, 1, 1}, uneven[] = {16, 16, 16, 16, 16, 8};
    struct chi_square_test g = chi_square_test((const int64_t[]){5, 8, 9, 8, 10, 20}, even, 6);
    is_near(g.statistic, 13.4, 1e-14, "the worked example of a die has statistic 13.4");
    is_near(g.df, 5, 0, "a die has 5 degrees of freedom");
    is_near(g.p, 0.0199052203347743782, 1e-12, "the worked example of a die has its p");
    is_int(g.total, 60, "the counts of the die add up to 60 throws");
    g = chi_square_test((const int64_t[]){16, 18, 16, 14, 12, 12}, even, 6);
    is_near(g.p, 0.84914503608460956, 1e-13, "the first example of scipy's manual gives scipy's p");
    g = chi_square_test((const int64_t[]){16, 18, 16, 14, 12, 12}, uneven, 6);
    is_near(g.p, 0.62338762774958223, 1e-13,
            "the second example of scipy's manual gives scipy's p, with shares that are not scaled");
}

static void cells(void)
{
    static const double rare[] = {0.9, 0.06, 0.02, 0.02}, never[] = {0.5, 0.5, 0};
    struct chi_square_test g = chi_square_test((const int64_t[]){90, 6, 2, 2}, rare, 4);
    ok(g.df == 1 && g.statistic < 1e-12, "cells that expect fewer than 5 counts join the smallest other cell");
    g = chi_square_test((const int64_t[]){180, 12, 4, 4}, rare, 4);
    ok(g.df == 2, "small cells stay a cell of their own when together they expect 5 counts");
    g = chi_square_test((const int64_t[]){50, 50, 1}, never, 3);
    ok(g.p == 0, "a count in a cell of share 0 has p 0");
    g = chi_square_test((const int64_t[]){50, 50, 0}, never, 3);
    ok(g.p == 1 && g.df == 1, "an empty cell of share 0 does not count");
    g = chi_square_test((const int64_t[]){0, 0, 0}, never, 3);
    ok(isnan(g.p), "no counts give no p");
    g = chi_square_test((const int64_t[]){3, 4}, never, 2);
    ok(isnan(g.p), "a single cell that is left gives no p");
}

/* 1000 tests of a fair eight-sided die, and of one whose first side comes half as often again. */
static void itself(void)
{
    enum { TESTS = 1000, THROWS = 4000, SIDES = 8 };
    double even[SIDES], tenths[10];
    int64_t got[10] = {0}, found = 0;
    struct rng r;
    rng_seed(&r, 4);
    for (int i = 0; i < SIDES; i++)
        even[i] = 1;
    for (int i = 0; i < 10; i++)
        tenths[i] = 1;
    for (int i = 0; i < TESTS; i++) {
        int64_t fair[SIDES] = {0}, loaded[SIDES] = {0};
        for (int k = 0; k < THROWS; k++) {
            fair[rng_below(&r, SIDES)]++;
            uint64_t side = rng_below(&r, SIDES * 10 + 5);
            loaded[side < SIDES * 10 ? side % SIDES : 0]++;
        }
        double p = chi_square_test(fair, even, SIDES).p;
        got[(int)fmin(p * 10, 9)]++;
        found += chi_square_test(loaded, even, SIDES).p < 1e-4;
    }
    struct chi_square_test g = chi_square_test(got, tenths, 10);
    ok(g.p > 1e-4, "the p values of a fair die are uniform (p %.3f)", g.p);
    ok(found > 990, "a loaded die is found in %d of %d tests", (int)found, TESTS);
}

int main(void)
{
    gammas();
    examples();
    cells();
    itself();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* t_test: against mpmath 1.3.0 at 40 digits (betainc, regularised; quantiles by findroot on it) and against the output
 * printed in R's manual page of t.test for the sleep data (t = -1.8608, df = 18, p-value = 0.07919). */
#include "harness/stats/t_test.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_student(void)
{
    static const struct {
        double t, df, p;
    } CASES[] = {
        {0.5, 1, 0.704832764699133452},    {1, 2, 0.422649730810374235},
        {2.5, 4, 0.066766544811988145},    {1e-6, 4, 0.99999925},
        {10, 10, 1.58955317559641195e-6},  {40, 4, 2.3340163226012686e-6},
        {3, 1000, 0.00276670904423819246}, {1.5, 1e6, 0.133614718236792769},
        {0.01, 200, 0.992031255153281119}, {2.776445105197793, 4, 0.05},
    };
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++) {
        is_near(t_test_p(CASES[i].t, CASES[i].df), CASES[i].p, 1e-13,
                "the p of t = %g with %g degrees of freedom is mpmath's", CASES[i].t, CASES[i].df);
        is_near(t_test_p(-CASES[i].t, CASES[i].df), CASES[i].p, 1e-13,
                "the p of a negative t is that of the positive one");
    }
    is_near(t_test_p(0, 7), 1, 0, "the p of t = 0 is 1");
    is_near(t_test_p(INFINITY, 7), 0, 0, "the p of an infinite t is 0");
    ok(isnan(t_test_p(NAN, 7)) && isnan(t_test_p(1, 0)), "there is no p without t or degrees of freedom");
}

static void test_beta(void)
{
    static const struct {
        double a, b, x, value;
    } CASES[] = {
        {0.5, 0.5, 0.3, 0.369010119565545375},  {2, 3, 0.4, 0.5248},
        {10, 0.5, 0.99, 0.657928175156784327},  {50, 60, 0.45, 0.464235291430603629},
        {300, 0.5, 0.995, 0.08300690586767095}, {150, 200, 0.4, 0.139809339519847435},
    };
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++)
        is_near(t_test_beta(CASES[i].a, CASES[i].b, CASES[i].x, 1 - CASES[i].x), CASES[i].value, 1e-12,
                "the incomplete beta function I_%g(%g, %g) is mpmath's", CASES[i].x, CASES[i].a, CASES[i].b);
    /* Worse conditioned: x itself is only known to one part in 1e16 and the function moves 1e5 times as fast. */
    is_near(t_test_beta(1e5, 0.5, 0.99999, 1 - 0.99999), 0.157298688162425779, 1e-10,
            "the incomplete beta function I_0.99999(1e5, 0.5) is right to ten digits");
    ok(isnan(t_test_beta(0, 1, 0.5, 0.5)) && isnan(t_test_beta(1, 1, 2, -1)),
       "the incomplete beta function is NaN outside its domain");
}

static void test_quantile(void)
{
    static const struct {
        double confidence, df, t;
    } CASES[] = {
        {0.95, 1, 12.7062047361747046},  {0.95, 2, 4.30265272974946385},  {0.95, 4, 2.77644510519779436},
        {0.95, 9, 2.26215716279820554},  {0.99, 29, 2.75638590367060549}, {0.5, 3, 0.764892328404345281},
        {0.999, 2, 31.5990545764436207},
    };
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++)
        is_near(t_test_quantile(CASES[i].confidence, CASES[i].df), CASES[i].t, 1e-12,
                "the t of confidence %g with %g degrees of freedom is mpmath's", CASES[i].confidence, CASES[i].df);
    is_near(t_test_quantile(0, 5), 0, 0, "the t of confidence 0 is 0");
    ok(isnan(t_test_quantile(1, 5)), "there is no t of confidence 1");
}

static void test_means(void)
{
    static const double A[] = {1.23, 1.25, 1.21}, B[] = {1.30, 1.33, 1.29};
    struct t_test c = t_test_means(A, 3, B, 3);
    is_near(c.t, -4.6, 1e-12, "the t of three against three values is right");
    is_near(c.p, 0.010030893170196241, 1e-11, "the p of three against three values is right");
    is_near(c.df, 4, 0, "three against three values have 4 degrees of freedom");
    static const double ONE[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double TWO[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    c = t_test_means(ONE, 10, TWO, 10);
    is_near(c.t, -1.8608134674868531, 1e-13, "the t of Student's sleep data is R's");
    is_near(c.p, 0.0791867142159381107, 1e-12, "the p of Student's sleep data is R's");
    static const double SAME[] = {0.1, 0.1, 0.1}, OTHER[] = {0.2, 0.2, 0.2};
    ok(isnan(t_test_means(SAME, 3, SAME, 3).p), "a constant against itself has no p");
    is_near(t_test_means(SAME, 3, OTHER, 3).p, 0, 0, "two different constants have p 0");
    ok(isnan(t_test_means(A, 1, B, 1).p) && isnan(t_test_means(A, 0, B, 3).p),
       "one repeat of each, or none of one, has no p");
    ok(!isnan(t_test_means(A, 1, B, 2).p), "one repeat against two has a p");
}

int main(void)
{
    test_student();
    test_beta();
    test_quantile();
    test_means();
    return done_testing();
}

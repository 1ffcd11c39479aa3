/* SPDX-License-Identifier: Apache-2.0 */
/* moments: the t-test from means and spreads equals the one from the repeats, and p-values that the authors of Droplet
 * Search printed come out of the means and spreads beside them (perf_stats/x86/run_getvar_x86_droplet_pvalue.log of
 * lac-dcc/bennu: alexnet kernels 0, 2, 6 and 7; eight digits). */
#include "harness/stats/moments.h"
#include "harness/stats/t_test.h"
#include "tests/lib/tap.h"

#include <math.h>

static double sd_of(const double *v, int n)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < n; i++)
        mean += v[i] / n;
    for (int i = 0; i < n; i++)
        sum += (v[i] - mean) * (v[i] - mean) / n;
    return sqrt(sum);
}

static void test_repeats(void)
{
    /* By hand: t = -7/3 / sqrt(14/9) = -1.870829; with 4 degrees of freedom the distribution function has the closed
     * form 1/2 + 3/8 u (1 - u^2/12), u = t / sqrt(1 + t^2/4), here p = 0.134702. */
    const double a[] = {1, 2, 4}, b[] = {3, 5, 6};
    struct t_test want = t_test_means(a, 3, b, 3);
    struct moments_range got = moments_p_range(7.0 / 3, sd_of(a, 3), 14.0 / 3, sd_of(b, 3), 3, 0);
    is_near(want.t, -sqrt(3.5), 1e-12, "t of the repeats is the one worked out by hand");
    is_near(got.low, want.p, 1e-12, "p from means and spreads is p from the repeats");
    is_near(got.low, 0.13470193531896713, 1e-12, "p from means and spreads is the one worked out by hand");
    is_near(got.high, got.low, 1e-12, "exact means and spreads leave a single p");
}

/* With 3 repeats, from numbers taken as exact. */
static double exact_p(double mean_a, double sd_a, double mean_b, double sd_b)
{
    return moments_p_range(mean_a, sd_a, mean_b, sd_b, 3, 0).low;
}

static void test_printed(void)
{
    static const struct {
        double droplet, droplet_sd, ansor, ansor_sd, p;
    } rows[] = {{0.00061582, 0.00000207, 0.00067412, 0.00020197, 0.70401812},
                {0.00184977, 0.00018524, 0.00180615, 0.00022914, 0.84438528},
                {0.00000498, 0.00000002, 0.00000594, 0.00000007, 0.00004307},
                {0.00420463, 0.00000202, 0.00418911, 0.00000755, 0.04849403}};
    for (int i = 0; i < 4; i++) {
        struct moments_range r =
            moments_p_range(rows[i].droplet, rows[i].droplet_sd, rows[i].ansor, rows[i].ansor_sd, 3, 0.5e-8);
        ok(r.low <= rows[i].p && rows[i].p <= r.high, "the authors' printed p %.8f lies between %.8f and %.8f",
           rows[i].p, r.low, r.high);
        double p = exact_p(rows[i].droplet, rows[i].droplet_sd, rows[i].ansor, rows[i].ansor_sd);
        ok(r.low <= p && p <= r.high, "p of the printed digits taken as exact lies in the same range");
    }
    ok(exact_p(rows[0].droplet, rows[0].droplet_sd, rows[0].ansor, rows[0].ansor_sd) > 0.70,
       "a standard deviation has n in the denominator, not n - 1: else p would be 0.64");
}

static void test_edges(void)
{
    struct moments_range r = moments_p_range(1, 0, 2, 0, 3, 0.1);
    ok(r.low == 0, "two constants that differ by more than their digits may have p 0");
    r = moments_p_range(1, 1, 2, 1, 1, 0);
    ok(r.low == 0 && r.high == 1, "one repeat leaves every p possible");
    r = moments_p_range(1, NAN, 2, 1, 3, 0);
    ok(r.low == 0 && r.high == 1, "a standard deviation that is absent leaves every p possible");
    r = moments_p_range(1, 0, 1, 0, 3, 0.5);
    ok(r.low == 0 && r.high == 1, "digits coarser than the difference leave every p possible");
    r = moments_p_range(1, NAN, 1, 0, 3, 0.5);
    ok(r.low == 0 && r.high == 1, "an absent spread beside coarse digits leaves every p possible");
    r = moments_p_range(1, 0.25, 2, 0.5, 3, 0);
    is_near(r.low, r.high, 1e-12, "numbers without rounding leave one p");
}

int main(void)
{
    test_repeats();
    test_printed();
    test_edges();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* moments: tests where only means and standard deviations were published, not the repeats themselves. */
#pragma once
#include "harness/stats/t_test.h"

/* Student's t-test with equal variances from what a table prints, two-sided, n repeats a side. sd has n in the
 * denominator (numpy's default, which the authors of Droplet Search print), not n - 1. The ratio, t, df and p are those
 * of t_test_means on the repeats; p is NaN when n < 2 or when both sd are 0 and the means agree, 0 when they differ.
 */
struct t_test moments_compare(double mean_a, double sd_a, double mean_b, double sd_b, int n);

/* The p values that agree with numbers printed to half_unit (the table's last digit, halved): every mean and sd may be
 * off by that much. low = 0 and high = 1 when the digits say nothing. half_unit >= 0. */
struct moments_range {
    double low, high;
};
struct moments_range moments_p_range(double mean_a, double sd_a, double mean_b, double sd_b, int n, double half_unit);

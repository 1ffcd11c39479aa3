/* SPDX-License-Identifier: Apache-2.0 */
/* moments: tests where only means and standard deviations were published, not the repeats themselves. */
#pragma once

/* p of Student's t-test with equal variances from what a table prints, two-sided, n repeats of each. sd has n in the
 * denominator (numpy's default, which the authors of Droplet Search print), not n - 1. The numbers are printed to
 * half_unit >= 0 (the table's last digit, halved): every mean and sd may be off by that much, and low and high bound
 * the p that agree with them. low = 0 and high = 1 if the digits say nothing. */
struct moments_range {
    double low, high;
};
struct moments_range moments_p_range(double mean_a, double sd_a, double mean_b, double sd_b, int n, double half_unit);

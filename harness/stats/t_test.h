/* SPDX-License-Identifier: Apache-2.0 */
/* t_test: are two lists of repeats different, and by how much. Student's t-test with equal variances, the test of
 * Droplet Search and of both papers' scripts. Intervals of ratios: interval.h. */
#pragma once

/* I_x(a, b), the regularised incomplete beta function, for a > 0, b > 0, x and y = 1 - x in 0..1; NaN elsewhere. The
 * caller gives both x and y, since one computed from the other may have lost its digits. */
double t_test_beta(double a, double b, double x, double y);

/* Two-sided p of a t statistic, and the t that leaves (1 - confidence) in both tails together. df > 0. */
double t_test_p(double t, double df);
double t_test_quantile(double confidence, double df);

struct t_test {
    double t, df, p; /* as scipy.stats.ttest_ind(a, b): t > 0 when a is larger */
    double ratio;    /* mean of a / mean of b */
};

/* Two-sided, unpaired, equal variances. df = na + nb - 2. p is NaN (no verdict) when a list is empty, df < 1, or both
 * lists are one constant; 0 when two different constants meet. */
struct t_test t_test_means(const double *a, int na, const double *b, int nb);

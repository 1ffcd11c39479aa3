/* SPDX-License-Identifier: Apache-2.0 */
/* chi_square: do counts follow a given distribution. Pearson's chi-square test. Used by the tests that check sampling
 * and mutation against the probabilities of the papers. */
#pragma once
#include <stdint.h>

/* Q(a, x), the regularised upper incomplete gamma function, a > 0, x >= 0; NaN outside. */
double chi_square_gamma(double a, double x);

/* The chance that a chi-square variable of df > 0 degrees of freedom is larger than the statistic; NaN outside. */
double chi_square_p(double statistic, double df);

struct chi_square {
    int64_t total;
    double statistic, df, p;
};

/* n counts against shares >= 0 (their sum is scaled to 1). Cells that expect fewer than 5 are taken together, so that
 * the distribution holds. A count in a cell of share 0 is impossible: p is 0. p is NaN (no verdict) when nothing was
 * counted or when fewer than two cells are left. */
struct chi_square chi_square_counts(const int64_t *counts, const double *shares, int n);

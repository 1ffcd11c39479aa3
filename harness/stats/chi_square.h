/* SPDX-License-Identifier: Apache-2.0 */
/* chi_square: the chi-square distribution. */
#pragma once

/* Q(a, x), the regularised upper incomplete gamma function, a > 0, x >= 0; NaN outside. */
double chi_square_gamma(double a, double x);

/* The chance that a chi-square variable of df > 0 degrees of freedom is larger than the statistic; NaN outside. */
double chi_square_p(double statistic, double df);

/* SPDX-License-Identifier: Apache-2.0 */
/* summary: what a list of repeats says in a few numbers. Pure functions of an array; n = 0 gives NaN everywhere. NaN
 * among the values is the caller's bug. */
#pragma once

struct summary {
    int n;
    double mean, median, min, max;
    double sd;  /* n-1 in the denominator; 0 for n = 1 */
    double mad; /* median absolute deviation from the median, unscaled */
};

struct summary summary_of(const double *v, int n);
double summary_mean(const double *v, int n);
double summary_sd(const double *v, int n);
double summary_median(const double *v, int n);
double summary_quantile(const double *v, int n, double q); /* q in 0..1, linear between order statistics (R's type 7) */
/* The place-th smallest, from 0, linear between two of them; place in 0..n-1. v is left in another order. */
double summary_place(double *v, int n, double place);
/* Geometric mean and geometric standard deviation, exp of the sd of the logs (1 when all agree). NaN unless all v > 0.
 */
double summary_geomean(const double *v, int n);
double summary_geosd(const double *v, int n);
/* Orders doubles, for qsort. */
int summary_ascending(const void *a, const void *b);

/* SPDX-License-Identifier: Apache-2.0 */
/* pooled: the mean over rows (networks or kernels) of log ratios, each measured with a few seeds, and how well it is
 * known. Rows differ for good, so only the spread of a row's seeds about the row's own mean counts as luck. It is
 * pooled over rows, each with its own size: 20 rows of 2 seeds know their luck by 20 degrees of freedom, where the
 * means of 2 seeds know it by one. Luck that all rows of a seed share is not seen; with many seeds use their means. */
#pragma once

enum { POOLED_SEEDS = 7 }; /* from so many seeds on the means of seeds are known well enough (estimate.h) */

struct pooled {
    int rows, values;   /* rows with a value; values in all */
    double mean, error; /* of logs; error: standard error of the mean, NaN when no row has two values */
    double df;          /* effective degrees of freedom of the error; 0 when it is not known */
    double half;        /* t(confidence, df) x error: half the interval on the log scale; INFINITY when not known */
};

struct pooled_row {
    int n;             /* its values */
    double mean, half; /* of logs; half: half its interval, INFINITY when not known */
};
/* Each row by itself. A row of POOLED_SEEDS values or more has its own spread, the others that of all rows with two
 * values or more, pooled as of equal size. */
void pooled_rows(const double *logs, int rows, int seeds, double confidence, struct pooled_row *out);
/* logs[row * seeds + seed]; NaN: absent. Every row counts alike. A row's variance v with n values enters the squared
 * error as v / n; a row of one value takes the pooled variance of the others. Degrees of freedom: Welch's series to
 * its second term, (sum u)^2 / sum(u^2 / (f + 2)) - 2 with u a row's part of the squared error and f = n - 1, at least
 * the least f and at most the sum of them. Satterthwaite's formula, which divides by f, is biased to a third of the
 * truth for rows of two values (B. L. Welch, Biometrika 34, 1947). */
struct pooled pooled_mean(const double *logs, int rows, int seeds, double confidence);
/* Its degrees of freedom alone, without the cost of a quantile. */
double pooled_df(const double *logs, int rows, int seeds);
/* Squared error that estimate.h's mean will have, of a spread of 1 between seeds, where of so many rows the replicated
 * have so many seeds, and the others one. From POOLED_SEEDS seeds on the mean is that of the replicated rows. */
double pooled_expected(double rows, double replicated, double seeds);

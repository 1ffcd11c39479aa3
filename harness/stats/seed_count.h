/* SPDX-License-Identifier: Apache-2.0 */
/* seed_count: what interval so many seeds buy, and the spread between them. Spread: the standard deviation
 * between seeds of a log ratio. Half: half the width of the t-interval, on the log scale (harness/doc/measurement.md,
 * "How many seeds"). Everything is expectation at the spread given; a spread from few seeds is itself a guess. */
#pragma once

enum { SEED_COUNT_MOST = 100000 }; /* seeds; no answer beyond */

/* Half width that n seeds buy; INFINITY for n < 2. 0.72 spread at n = 10 and 0.95. */
double seed_count_half(double spread, int n, double confidence);
/* Pooled spread of ngroups networks: sizes[g] log ratios each, one after the other in v; deviations from the group's
 * own mean. *df: degrees of freedom, 0 (and NaN) when no group has two. */
double seed_count_pooled(const double *v, const int *sizes, int ngroups, int *df);

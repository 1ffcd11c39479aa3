/* SPDX-License-Identifier: Apache-2.0 */
/* rank: orders of arrays. Ties go to the lower index, so a result never depends on the sort. NaN ranks last. */
#pragma once
#include <stdbool.h>

/* order[0..n-1] becomes the indices of v sorted, the largest value first if descending. */
void rank_order(const double *v, int n, bool descending, int *order);

/* Twice the midrank of each of n values (doubled to be whole), the smallest value first, into twice; returns the sum of
 * t^3 - t over groups of t equal values. */
double rank_middle(const double *v, int n, int *twice);

/* Spearman's rank correlation of n pairs, ties by midranks (scipy.stats.spearmanr); NaN for n < 2 or where all values of
 * one list are equal. Infinities are values, NaN is the caller's bug. */
double rank_correlation(const double *x, const double *y, int n);

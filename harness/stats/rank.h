/* SPDX-License-Identifier: Apache-2.0 */
/* rank: orders of arrays, and how well a model's scores rank the truth. Scores: higher is better. Ties go to the lower
 * index everywhere, so a result never depends on the sort. NaN ranks last. */
#pragma once
#include <stdbool.h>

/* order[0..n-1] becomes the indices of v sorted, the largest value first if descending. */
void rank_order(const double *v, int n, bool descending, int *order);

/* Twice the midrank of each of n values (doubled to be whole), the smallest value first, into twice; returns the sum of
 * t^3 - t over groups of t equal values. */
double rank_middle(const double *v, int n, int *twice);

/* Indices of the k largest of v, the largest first, into top; returns how many, min(k, n). O(n log k), no memory. */
int rank_top(const double *v, int n, int k, int *top);

/* Share of the pairs with different truth that score orders the same way; a tie in score counts a half. NaN when there
 * is no such pair. O(n^2). */
double rank_pairs(const double *score, const double *truth, int n);

/* Share of the true top k found among the k best scores. NaN when n = 0 or k < 1. */
double rank_recall(const double *score, const double *truth, int n, int k);

/* TenSet's top-k of one task: least seconds over all / least seconds among the k best scores, 1 is perfect. */
double rank_peak(const double *score, const double *seconds, int n, int k);

/* SPDX-License-Identifier: Apache-2.0 */
/* ranking/top_k: how good an order by scores is. Top-k of a kernel is the least time of all its programs over the least
 * time of the k that are ranked first: 1 when a best one is among them. Of several kernels it is the ratio of the sums,
 * each weighted by its calls (Pruner, arXiv 2402.02361, equation 2; TenSet's eval_model_on_dataset.py). */
#pragma once

/* seconds: INFINITY where the program failed. scores: higher is better; of equals the first is ranked first. k > 0.
 * *best: the least time of all; *chosen: of the first k by score, INFINITY if they all failed. */
void ranking_chosen(const double *seconds, const double *scores, int n, int k, double *best, double *chosen);
/* What a random order of them gives on average: the mean of best over chosen, a failed choice counting 0. NaN for n < 1
 * or if all failed. */
double ranking_chance(const double *seconds, int n, int k);
/* Spearman's correlation of the scores with the speed of the programs: 1 when the order is right. Those that failed
 * share the last place. */
double ranking_spearman(const double *seconds, const double *scores, int n);

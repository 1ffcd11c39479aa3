/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/report/ranking/top_k.h"

#include "harness/base/err.h"
#include "harness/stats/rank.h"

#include <math.h>
#include <stdlib.h>

static int *order_of(const double *v, int n, bool descending)
{
    int *order = calloc((size_t)n + 1, sizeof *order);
    if (!order)
        bug("out of memory for %d ranks", n);
    rank_order(v, n, descending, order);
    return order;
}

void ranking_chosen(const double *seconds, const double *scores, int n, int k, double *best, double *chosen)
{
    int *order = order_of(scores, n, true);
    *best = *chosen = INFINITY;
    for (int i = 0; i < n; i++) {
        *best = fmin(*best, seconds[i]);
        *chosen = i < k ? fmin(*chosen, seconds[order[i]]) : *chosen;
    }
    free(order);
}

/* The i-th fastest is the least of k drawn ones with chance C(n-1-i, k-1) / C(n, k), from one i to the next. */
double ranking_chance(const double *seconds, int n, int k)
{
    int *order = order_of(seconds, n, false);
    k = k < n ? k : n;
    double chance = n > 0 ? (double)k / n : 0, sum = 0, best = n > 0 ? seconds[order[0]] : INFINITY;
    for (int i = 0; i <= n - k && chance > 0; i++) {
        sum += chance * best / seconds[order[i]];
        chance *= n - 1 - i > 0 ? (double)(n - k - i) / (n - 1 - i) : 0;
    }
    free(order);
    return isfinite(best) ? sum : NAN;
}

double ranking_spearman(const double *seconds, const double *scores, int n)
{
    double *slow = calloc((size_t)n + 1, sizeof *slow);
    if (!slow)
        bug("out of memory for %d scores", n);
    for (int i = 0; i < n; i++)
        slow[i] = isnan(scores[i]) ? INFINITY : -scores[i];
    double r = rank_correlation(slow, seconds, n);
    free(slow);
    return r;
}

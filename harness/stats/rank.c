/* SPDX-License-Identifier: Apache-2.0 */
/* rank: the k best by a heap of size k, since a search round takes a few hundred of ten thousand. */
#include "harness/stats/rank.h"

#include "harness/base/err.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

/* Does v[a] come before v[b] when the largest is first? */
static bool before(const double *v, int a, int b)
{
    bool last_a = isnan(v[a]), last_b = isnan(v[b]);
    if (last_a != last_b)
        return last_b;
    if (!last_a && v[a] != v[b])
        return v[a] > v[b];
    return a < b;
}

static int descend(const void *a, const void *b, void *v)
{
    int i = *(const int *)a, j = *(const int *)b;
    return i == j ? 0 : before(v, i, j) ? -1 : 1;
}

static int ascend(const void *a, const void *b, void *of)
{
    const double *v = of;
    int i = *(const int *)a, j = *(const int *)b;
    if (isnan(v[i]) || isnan(v[j]) || v[i] == v[j])
        return descend(a, b, of);
    return v[i] < v[j] ? -1 : 1;
}

void rank_order(const double *v, int n, bool descending, int *order)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    if (n > 1)
        qsort_r(order, (size_t)n, sizeof *order, descending ? descend : ascend, (void *)(size_t)v);
}

double rank_middle(const double *v, int n, int *twice)
{
    int *order = calloc((size_t)n + 1, sizeof *order);
    double ties = 0;
    if (!order)
        bug("out of memory for %d ranks", n);
    rank_order(v, n, false, order);
    for (int i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && v[order[j]] == v[order[i]];)
            j++;
        for (int k = i; k < j; k++)
            twice[order[k]] = i + 1 + j;
        double t = j - i;
        ties += t * t * t - t;
    }
    free(order);
    return ties;
}

/* Restore the heap whose root is the worst of those kept. */
static void sink(const double *v, int *heap, int n, int at)
{
    for (int child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(v, heap[child], heap[child + 1]))
            child++;
        if (before(v, heap[child], heap[at]))
            return;
        int kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

int rank_top(const double *v, int n, int k, int *top)
{
    if (k > n)
        k = n;
    if (k < 1)
        return 0;
    for (int i = 0; i < k; i++)
        top[i] = i;
    for (int i = k / 2 - 1; i >= 0; i--)
        sink(v, top, k, i);
    for (int i = k; i < n; i++) {
        if (!before(v, i, top[0]))
            continue;
        top[0] = i;
        sink(v, top, k, 0);
    }
    for (int left = k - 1; left > 0; left--) {
        int worst = top[0];
        top[0] = top[left];
        top[left] = worst;
        sink(v, top, left, 0);
    }
    return k;
}

double rank_pairs(const double *score, const double *truth, int n)
{
    double right = 0, pairs = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (truth[i] == truth[j])
                continue;
            pairs++;
            if (score[i] == score[j])
                right += 0.5;
            else
                right += (score[i] > score[j]) == (truth[i] > truth[j]);
        }
    }
    return pairs > 0 ? right / pairs : NAN;
}

static int *indices(int n)
{
    int *p = malloc((size_t)n * sizeof *p);
    if (!p)
        bug("out of memory to rank %d numbers", n);
    return p;
}

double rank_recall(const double *score, const double *truth, int n, int k)
{
    if (n < 1 || k < 1)
        return NAN;
    if (k > n)
        k = n;
    int *guess = indices(2 * k), *best = guess + k, found = 0;
    rank_top(score, n, k, guess);
    rank_top(truth, n, k, best);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            found += guess[i] == best[j];
    free(guess);
    return (double)found / k;
}

double rank_peak(const double *score, const double *seconds, int n, int k)
{
    if (n < 1 || k < 1)
        return NAN;
    if (k > n)
        k = n;
    int *guess = indices(k);
    rank_top(score, n, k, guess);
    double reached = INFINITY;
    for (int i = 0; i < k; i++)
        reached = fmin(reached, seconds[guess[i]]);
    free(guess);
    return summary_min(seconds, n) / reached;
}

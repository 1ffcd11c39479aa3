/* SPDX-License-Identifier: Apache-2.0 */
/* rank: sorts of indices. */
#include "harness/stats/rank.h"

#include "harness/base/err.h"

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

double rank_correlation(const double *x, const double *y, int n)
{
    int *a = calloc(2 * (size_t)n + 1, sizeof *a), *b = a + n;
    double xx = 0, yy = 0, xy = 0;
    if (!a)
        bug("out of memory for %d ranks", n);
    rank_middle(x, n, a);
    rank_middle(y, n, b);
    for (int i = 0; i < n; i++) {
        double dx = a[i] - (n + 1), dy = b[i] - (n + 1); /* twice the mean rank is n + 1 */
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    free(a);
    return n > 1 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

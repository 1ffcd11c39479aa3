/* SPDX-License-Identifier: Apache-2.0 */
/* chi_square_test: Pearson's test (Pearson 1900). Cells of small expectation are pooled by Cochran's rule of five. */
#include "tests/lib/chi_square_test.h"

#include "harness/stats/chi_square.h"

#include <math.h>
#include <stdbool.h>

#define LEAST 5. /* counts that a cell must expect */

/* The share below which cells are pooled, such that the pool expects at least LEAST, too. */
static double pooled_below(const double *shares, int n, double scale)
{
    double least = LEAST / scale, pool = 0, next = INFINITY;
    for (int i = 0; i < n; i++)
        if (shares[i] < least)
            pool += shares[i];
        else
            next = fmin(next, shares[i]);
    return pool > 0 && pool < least ? nextafter(next, INFINITY) : least;
}

static void cell(struct chi_square_test *g, double got, double want)
{
    g->statistic += (got - want) * (got - want) / want;
    g->df++;
}

struct chi_square_test chi_square_test(const int64_t *counts, const double *shares, int n)
{
    struct chi_square_test g = {.p = NAN, .df = -1};
    double sum = 0, pool = 0, pool_share = 0;
    bool impossible = false;
    for (int i = 0; i < n; i++) {
        g.total += counts[i];
        sum += shares[i];
    }
    double scale = (double)g.total / sum, below = pooled_below(shares, n, scale);
    for (int i = 0; i < n; i++) {
        impossible = impossible || (shares[i] == 0 && counts[i] > 0);
        if (shares[i] < below)
            pool += (double)counts[i], pool_share += shares[i];
        else
            cell(&g, (double)counts[i], shares[i] * scale);
    }
    if (pool_share > 0)
        cell(&g, pool, pool_share * scale);
    if (g.total > 0)
        g.p = impossible ? 0 : g.df > 0 ? chi_square_p(g.statistic, g.df) : NAN;
    return g;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* chi_square: Pearson's test (Pearson 1900) with the incomplete gamma function: the power series DLMF 8.11.4 below the
 * mean, the continued fraction DLMF 8.9.2 by the modified Lentz method above it. Cells of small expectation are pooled
 * by Cochran's rule of five. */
#include "harness/stats/chi_square.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define LEAST 5. /* counts that a cell must expect */
enum { TERMS = 1000000 };

/* x^a e^-x / Gamma(a); lgamma_r, because lgamma writes a global. */
static double front(double a, double x)
{
    int sign;
    return exp(a * log(x) - x - lgamma_r(a, &sign));
}

/* P(a, x) = front * (1/a + x/(a(a+1)) + x^2/(a(a+1)(a+2)) + ...) */
static double lower(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int k = 1; k < TERMS && term > sum * DBL_EPSILON / 4; k++)
        sum += term *= x / (a + k);
    return sum * front(a, x);
}

/* Q(a, x) = front * 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))) */
static double upper(double a, double x)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, f = d;
    for (int k = 1; k < TERMS; k++) {
        double step = -k * (k - a);
        b += 2;
        d = 1 / (b + step * d);
        c = b + step / c;
        f *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON)
            break;
    }
    return f * front(a, x);
}

double chi_square_gamma(double a, double x)
{
    if (!(a > 0) || !(x >= 0))
        return NAN;
    if (x == 0 || isinf(x))
        return x == 0 ? 1 : 0;
    return x < a + 1 ? 1 - lower(a, x) : upper(a, x);
}

double chi_square_p(double statistic, double df)
{
    return chi_square_gamma(df / 2, statistic / 2);
}

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

static void cell(struct chi_square *g, double got, double want)
{
    g->statistic += (got - want) * (got - want) / want;
    g->df++;
}

struct chi_square chi_square_counts(const int64_t *counts, const double *shares, int n)
{
    struct chi_square g = {.p = NAN, .df = -1};
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

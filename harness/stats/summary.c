/* SPDX-License-Identifier: Apache-2.0 */
/* summary: sums run with compensation (Neumaier), so that a mean of a million repeats is as good as one of three.
 * Quantiles sort a copy, on the stack for the usual few repeats. */
#include "harness/stats/summary.h"

#include "harness/base/err.h"

#include <math.h>
#include <stdlib.h>

enum { ON_STACK = 128 };

static double neumaier(const double *v, int n, double (*of)(double, double), double with)
{
    double sum = 0, lost = 0;
    for (int i = 0; i < n; i++) {
        double x = of(v[i], with), next = sum + x;
        lost += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    return isfinite(sum) ? sum + lost : sum;
}

static double same(double x, double with)
{
    (void)with;
    return x;
}

static double square_off(double x, double mean)
{
    return (x - mean) * (x - mean);
}

static double log_of(double x, double with)
{
    (void)with;
    return log(x);
}

static double log_square_off(double x, double mean)
{
    return square_off(log(x), mean);
}

double summary_mean(const double *v, int n)
{
    return n > 0 ? neumaier(v, n, same, 0) / n : NAN;
}

static double root_of_variance(double squares, int n)
{
    return n < 1 ? NAN : n == 1 ? 0 : sqrt(squares / (n - 1));
}

double summary_sd(const double *v, int n)
{
    return root_of_variance(neumaier(v, n, square_off, summary_mean(v, n)), n);
}

static double summary_min(const double *v, int n)
{
    double least = n > 0 ? v[0] : NAN;
    for (int i = 1; i < n; i++)
        least = v[i] < least ? v[i] : least;
    return least;
}

static double summary_max(const double *v, int n)
{
    double most = n > 0 ? v[0] : NAN;
    for (int i = 1; i < n; i++)
        most = v[i] > most ? v[i] : most;
    return most;
}

int summary_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Puts the place-th smallest, from 0, at its place, none greater before it, none smaller behind it (Hoare: FIND). */
static double select_place(double *v, int n, int place)
{
    for (int low = 0, high = n - 1; low < high;) {
        double pivot = v[place];
        int i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (pivot < v[j])
                j--;
            if (i <= j) {
                double other = v[i];
                v[i++] = v[j];
                v[j--] = other;
            }
        }
        low = j < place ? i : low;
        high = place < i ? j : high;
    }
    return v[place];
}

double summary_place(double *v, int n, double place)
{
    int below = (int)place;
    double part = place - below, value = select_place(v, n, below);
    return part > 0 ? value + part * (summary_min(v + below + 1, n - below - 1) - value) : value;
}

/* Quantile of |v - centre| if off, of v otherwise. */
static double quantile(const double *v, int n, double q, bool off, double centre)
{
    if (n < 1 || !(q >= 0 && q <= 1))
        return NAN;
    double few[ON_STACK], *copy = n <= ON_STACK ? few : malloc((size_t)n * sizeof *copy);
    if (!copy)
        bug("out of memory to sort %d numbers", n);
    for (int i = 0; i < n; i++)
        copy[i] = off ? fabs(v[i] - centre) : v[i];
    double value = summary_place(copy, n, q * (n - 1));
    if (copy != few)
        free(copy);
    return value;
}

double summary_quantile(const double *v, int n, double q)
{
    return quantile(v, n, q, false, 0);
}

double summary_median(const double *v, int n)
{
    return quantile(v, n, 0.5, false, 0);
}

static double summary_mad(const double *v, int n)
{
    return quantile(v, n, 0.5, true, summary_median(v, n));
}

static bool all_positive(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!(v[i] > 0))
            return false;
    return n > 0;
}

double summary_geomean(const double *v, int n)
{
    return all_positive(v, n) ? exp(neumaier(v, n, log_of, 0) / n) : NAN;
}

double summary_geosd(const double *v, int n)
{
    if (!all_positive(v, n))
        return NAN;
    double mean = neumaier(v, n, log_of, 0) / n;
    return exp(root_of_variance(neumaier(v, n, log_square_off, mean), n));
}

struct summary summary_of(const double *v, int n)
{
    return (struct summary){
        .n = n,
        .mean = summary_mean(v, n),
        .median = summary_median(v, n),
        .min = summary_min(v, n),
        .max = summary_max(v, n),
        .sd = summary_sd(v, n),
        .mad = summary_mad(v, n),
    };
}

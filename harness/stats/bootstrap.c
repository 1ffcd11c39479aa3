/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap: BCa by equations 14.9 to 14.15 of Efron and Tibshirani. Draws equal to the estimate count a half in z0, as
 * for a discrete statistic ties would otherwise pass for bias. */
#include "harness/stats/bootstrap.h"

#include "harness/base/err.h"
#include "harness/base/rng.h"
#include "harness/stats/normal.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double bootstrap_mean(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum / n;
}

static double *numbers(int n)
{
    double *v = malloc((size_t)n * sizeof *v);
    if (!v)
        bug("out of memory for %d numbers of a bootstrap", n);
    return v;
}

/* Equation 14.15: sum of cubes over 6 (sum of squares)^1.5 of the mean's distance to each leave-one-out value. */
static double accelerate(const double *v, int n, double (*statistic)(const double *, int), double *scratch)
{
    double *left_out = numbers(n), cubes = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        memcpy(scratch, v, (size_t)i * sizeof *v);
        memcpy(scratch + i, v + i + 1, (size_t)(n - 1 - i) * sizeof *v);
        left_out[i] = statistic(scratch, n - 1);
    }
    double mean = summary_mean(left_out, n);
    for (int i = 0; i < n; i++) {
        double off = mean - left_out[i];
        squares += off * off;
        cubes += off * off * off;
    }
    free(left_out);
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

/* Equation 14.10: where in the draws the limit lies whose nominal tail is p. */
static double corrected(double bias, double acceleration, double p)
{
    double z = bias + normal_quantile(p);
    return normal_cdf(bias + z / (1 - acceleration * z));
}

/* Type 6, q (B + 1), as E and T take the order statistic; the ends beyond. */
static double order_statistic(double *draws, int n, double q)
{
    return summary_place(draws, n, fmin(fmax(q * (n + 1) - 1, 0), n - 1));
}

static bool constant(const double *v, int n)
{
    for (int i = 1; i < n; i++)
        if (v[i] != v[0])
            return false;
    return true;
}

struct bootstrap bootstrap_bca(const double *v, int n, double (*statistic)(const double *, int), double confidence,
                               int draws, uint64_t seed)
{
    struct bootstrap b = {.estimate = n > 0 ? statistic(v, n) : NAN, .low = NAN, .high = NAN, .bias = NAN};
    b.acceleration = NAN;
    if (n < 2 || draws < 1)
        return b;
    if (constant(v, n)) {
        b.low = b.high = b.estimate;
        b.bias = b.acceleration = 0;
        return b;
    }
    double *sample = numbers(n), *drawn = numbers(draws), below = 0;
    struct rng rng;
    rng_seed(&rng, seed);
    for (int d = 0; d < draws; d++) {
        for (int i = 0; i < n; i++)
            sample[i] = v[rng_below(&rng, (uint64_t)n)];
        drawn[d] = statistic(sample, n);
        below += drawn[d] < b.estimate ? 1 : drawn[d] == b.estimate ? 0.5 : 0;
    }
    /* No draw on one side (it happens with few draws only): half a draw, so that z0 stays finite. */
    b.bias = normal_quantile(fmin(fmax(below, 0.5), draws - 0.5) / draws);
    b.acceleration = accelerate(v, n, statistic, sample);
    b.low = order_statistic(drawn, draws, corrected(b.bias, b.acceleration, (1 - confidence) / 2));
    b.high = order_statistic(drawn, draws, corrected(b.bias, b.acceleration, (1 + confidence) / 2));
    free(sample);
    free(drawn);
    return b;
}

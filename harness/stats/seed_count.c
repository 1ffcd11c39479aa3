/* SPDX-License-Identifier: Apache-2.0 */
/* seed_count: the t quantile depends on n, so n is searched for: doubled until it suffices, then halved down. */
#include "harness/stats/seed_count.h"

#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>

double seed_count_half(double spread, int n, double confidence)
{
    if (n < 2)
        return INFINITY;
    return t_test_quantile(confidence, n - 1) * spread / sqrt(n);
}

int seed_count(double spread, double half, double confidence)
{
    int low = 1, high = 2; /* low does not suffice, high is tried */
    if (!(spread >= 0) || !(half > 0))
        return 0;
    while (!(seed_count_half(spread, high, confidence) <= half)) {
        low = high;
        high *= 2;
        if (high > SEED_COUNT_MOST)
            return 0;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (seed_count_half(spread, middle, confidence) <= half)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double seed_count_pooled(const double *v, const int *sizes, int ngroups, int *df)
{
    double squares = 0;
    *df = 0;
    for (int g = 0; g < ngroups; v += sizes[g++]) {
        double mean = summary_mean(v, sizes[g]);
        for (int i = 0; i < sizes[g]; i++)
            squares += (v[i] - mean) * (v[i] - mean);
        *df += sizes[g] > 1 ? sizes[g] - 1 : 0;
    }
    return *df ? sqrt(squares / *df) : NAN;
}

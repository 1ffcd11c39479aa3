/* SPDX-License-Identifier: Apache-2.0 */
/* settle: the t quantile depends on n, so n is searched for: doubled until it suffices, then halved down. */
#include "harness/stats/settle.h"

#include "harness/stats/compare.h"
#include "harness/stats/summary.h"

#include <math.h>

double settle_half(double spread, int n, double confidence)
{
    if (n < 2)
        return INFINITY;
    return compare_student_t(confidence, n - 1) * spread / sqrt(n);
}

int settle_seeds(double spread, double half, double confidence)
{
    int low = 1, high = 2; /* low does not suffice, high is tried */
    if (!(spread >= 0) || !(half > 0))
        return 0;
    while (!(settle_half(spread, high, confidence) <= half)) {
        low = high;
        high *= 2;
        if (high > SETTLE_MOST)
            return 0;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (settle_half(spread, middle, confidence) <= half)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double settle_spread(double half, int n, double confidence)
{
    if (n < 2)
        return NAN;
    return half * sqrt(n) / compare_student_t(confidence, n - 1);
}

double settle_pooled(const double *v, const int *sizes, int ngroups, int *df)
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

double settle_launches(double cost_seed, double cost_launch, double variance_seed, double variance_launch)
{
    if (!(variance_seed > 0))
        return INFINITY;
    return fmax(1, sqrt(cost_seed / cost_launch * variance_launch / variance_seed));
}

/* SPDX-License-Identifier: Apache-2.0 */
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

/* SPDX-License-Identifier: Apache-2.0 */
/* noise_floor: a quantile rather than a mean, since the question is how far a single comparison can be off. The
 * equation is ours. */
#include "harness/stats/noise_floor.h"

#include "harness/base/err.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

double noise_floor_of(const double *ratios, int n)
{
    enum { ENOUGH = 20 };
    double *off = calloc((size_t)n + 1, sizeof *off);
    if (!off)
        bug("out of memory for %d ratios", n);
    for (int i = 0; i < n; i++)
        off[i] = fabs(log(ratios[i]));
    double level = summary_quantile(off, n, n < ENOUGH ? 1 : 0.95);
    for (int i = 0; i < n; i++)
        if (!(ratios[i] > 0))
            level = NAN;
    free(off);
    return expm1(level);
}

static double at_least(double least, double times, double level)
{
    return isnan(level) ? least : fmax(least, times * level);
}

double noise_floor_tie(double level)
{
    return at_least(0.02, 2, level);
}

double noise_floor_alarm(double level)
{
    return at_least(0.03, 3, level);
}

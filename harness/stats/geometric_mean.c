/* SPDX-License-Identifier: Apache-2.0 */
/* geometric_mean: sums of logarithms, in the order of the calls. */
#include "harness/stats/geometric_mean.h"

#include <math.h>

bool ratio_usable(double ratio)
{
    return isfinite(ratio) && ratio > 0;
}

void geometric_mean_add(struct geometric_mean *m, double ratio)
{
    m->logs += log(ratio);
    m->n++;
}

void geometric_mean_take(struct geometric_mean *m, double ratio)
{
    if (ratio_usable(ratio))
        geometric_mean_add(m, ratio);
}

double geometric_mean_of(const struct geometric_mean *m)
{
    return m->n ? exp(m->logs / m->n) : (double)NAN;
}

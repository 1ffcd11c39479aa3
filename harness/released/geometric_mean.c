/* SPDX-License-Identifier: Apache-2.0 */
/* geometric_mean: sums of logarithms, in the order of the calls. */
#include "harness/released/geometric_mean.h"

#include <math.h>

void geometric_mean_add(struct geometric_mean *m, double ratio)
{
    m->logs += log(ratio);
    m->n++;
}

double geometric_mean_of(const struct geometric_mean *m)
{
    return m->n ? exp(m->logs / m->n) : (double)NAN;
}

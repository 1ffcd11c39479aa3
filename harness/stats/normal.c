/* SPDX-License-Identifier: Apache-2.0 */
/* normal: the quantile starts at the rational formula 26.2.23 of Abramowitz and Stegun (error below 4.5e-4) and is
 * made exact by Halley steps on erfc, each of which triples the digits. */
#include "harness/stats/normal.h"

#include <math.h>

double normal_cdf(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* For p <= 1/2, where both erfc and p keep all their digits. */
static double lower(double p)
{
    double t = sqrt(-2 * log(p));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for (int i = 0; i < 3; i++) {
        double slope = exp(-0.5 * z * z) * 0.5 * M_2_SQRTPI * M_SQRT1_2;
        if (!(slope > 0))
            break;
        double step = (normal_cdf(z) - p) / slope;
        z -= step / (1 + 0.5 * z * step);
    }
    return z;
}

double normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p <= 0 || p >= 1)
        return p <= 0 ? -INFINITY : INFINITY;
    return p <= 0.5 ? lower(p) : -lower(1 - p);
}

double normal_two_sided(double confidence)
{
    if (!(confidence >= 0 && confidence < 1))
        return NAN;
    return -normal_quantile((1 - confidence) / 2);
}

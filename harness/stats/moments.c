/* SPDX-License-Identifier: Apache-2.0 */
/* moments: the pooled t statistic from means and standard deviations. With n in the denominator of the sd the pooled
 * variance is n (sa^2 + sb^2) / (2n - 2), so t = (ma - mb) / sqrt((sa^2 + sb^2) / (n - 1)). */
#include "harness/stats/moments.h"

#include "harness/stats/t_test.h"

#include <math.h>

static double p_of(double difference, double variance, int n)
{
    if (variance <= 0)
        return difference == 0 ? (double)NAN : 0;
    return t_test_p(difference / sqrt(variance / (n - 1)), 2.0 * n - 2);
}

struct moments_range moments_p_range(double mean_a, double sd_a, double mean_b, double sd_b, int n, double half_unit)
{
    struct moments_range r = {0, 1};
    double difference = fabs(mean_a - mean_b), h = half_unit;
    double near = fmax(difference - 2 * h, 0), far = difference + 2 * h;
    double small_a = fmax(sd_a - h, 0), small_b = fmax(sd_b - h, 0);
    double small = small_a * small_a + small_b * small_b, large = pow(sd_a + h, 2) + pow(sd_b + h, 2);
    if (n < 2 || isnan(difference + large))
        return r;
    if (small > 0 && far > 0)
        r.low = p_of(far, small, n);
    if (near > 0 && large > 0)
        r.high = p_of(near, large, n);
    return r;
}

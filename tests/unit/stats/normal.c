/* SPDX-License-Identifier: Apache-2.0 */
/* normal: against mpmath 1.3.0 at 40 digits (ncdf, and findroot on it). */
#include "harness/stats/normal.h"
#include "tests/lib/tap.h"

#include <math.h>

int main(void)
{
    static const double CDF[][2] = {
        {-1.96, 0.024997895148220436213}, {-10, 7.619853024160526066e-24}, {-37, 5.7255712225245768227e-300},
        {1, 0.84134474606854294859},      {5, 0.99999971334842812081},
    };
    static const double QUANTILE[][2] = {
        {0.975, 1.9599639845400542355},
        {0.3, -0.52440051270804078404},
        {1e-10, -6.3613409024040562047},
        {1e-300, -37.047096299361199237},
    };
    for (int i = 0; i < 5; i++)
        is_near(normal_cdf(CDF[i][0]), CDF[i][1], 1e-12, "Phi(%g) is mpmath's", CDF[i][0]);
    for (int i = 0; i < 4; i++)
        is_near(normal_quantile(QUANTILE[i][0]), QUANTILE[i][1], 1e-13, "the normal quantile of %g is mpmath's",
                QUANTILE[i][0]);
    /* 1 - p has but ten digits left here. */
    is_near(normal_quantile(0.999999), 4.7534243088228989482, 1e-11, "the normal quantile of 0.999999 is mpmath's");
    ok(fabs(normal_quantile(0.5)) < 1e-15, "the normal quantile of a half is 0");
    ok(normal_quantile(0) == -INFINITY && normal_quantile(1) == INFINITY && isnan(normal_quantile(1.1)),
       "the quantiles of 0 and 1 are infinite, and outside there are none");
    is_near(normal_two_sided(0.95), 1.9599639845400542355, 1e-13, "the two-sided quantile of 95 %% is 1.96");
    bool same = true;
    for (int i = 1; i < 730; i++)
        same = same && fabs(normal_cdf(normal_quantile(i / 730.)) - i / 730.) < 1e-14;
    ok(same, "the quantile function inverts the distribution function");
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* deviate: normal draws by inverting the distribution function, one uniform each. */
#include "tests/deviate.h"

#include "harness/stats/normal.h"
#include "tests/tap.h"

#include <math.h>

double deviate_normal(struct rng *rng)
{
    return normal_quantile(rng_unit(rng) + 0x1p-54);
}

void deviate_ratios(struct rng *rng, double mean, double sd, double *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = exp(mean + sd * deviate_normal(rng));
}

bool deviate_agrees(int hits, int runs, double expected, double slack)
{
    double share = (double)hits / runs, error = sqrt(expected * (1 - expected) / runs);
    diag("%d of %d: %.4f, expected %.4f, Monte-Carlo error %.4f", hits, runs, share, expected, error);
    return fabs(share - expected) <= 4 * error + slack;
}

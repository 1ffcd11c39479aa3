/* SPDX-License-Identifier: Apache-2.0 */
/* random_data: normal draws by inverting the distribution function, one uniform each. */
#include "tests/lib/random_data.h"

#include "harness/stats/normal.h"
#include "tests/lib/tap.h"

#include <math.h>

double random_data_normal(struct rng *rng)
{
    return normal_quantile(rng_unit(rng) + 0x1p-54);
}

void random_data_ratios(struct rng *rng, double mean, double sd, double *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = exp(mean + sd * random_data_normal(rng));
}

bool random_data_agrees(int hits, int runs, double expected, double slack)
{
    double share = (double)hits / runs, error = sqrt(expected * (1 - expected) / runs);
    diag("%d of %d: %.4f, expected %.4f, Monte-Carlo error %.4f", hits, runs, share, expected, error);
    return fabs(share - expected) <= 4 * error + slack;
}

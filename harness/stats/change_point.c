/* SPDX-License-Identifier: Apache-2.0 */
/* change_point: ranks are shuffled. One pass over a shuffle gives the rank sums of all its splits. */
#include "harness/stats/change_point.h"

#include "harness/base/err.h"
#include "harness/base/rng.h"
#include "harness/stats/permutation.h"
#include "harness/stats/rank.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

/* How far the doubled ranks before the best split are from their mean, in standard deviations without ties. */
static double farthest(const int *twice, int n, int least, int *at)
{
    double best = -1;
    long sum = 0;
    for (int k = 1; k <= n - least; k++) {
        sum += twice[k - 1];
        double z = fabs((double)sum - (double)k * (n + 1)) / sqrt((double)k * (n - k) * (n + 1) / 3);
        if (k >= least && z > best) {
            best = z;
            *at = k;
        }
    }
    return best;
}

struct change_point change_point_of(const double *levels, int n, int least)
{
    struct change_point s = {0, NAN, NAN};
    if (n < 2 * least)
        return s;
    int *twice = calloc((size_t)n, sizeof *twice), hits = 0, ignored;
    if (!twice)
        bug("out of memory for %d levels", n);
    struct rng rng;
    rank_middle(levels, n, twice);
    double seen = farthest(twice, n, least, &s.at);
    rng_seed(&rng, PERMUTATION_SEED);
    for (int d = 0; d < CHANGE_POINT_DRAWS; d++) {
        rng_shuffle(&rng, twice, n);
        hits += farthest(twice, n, least, &ignored) >= seen - 1e-9;
    }
    free(twice);
    s.p = (1.0 + hits) / (1.0 + CHANGE_POINT_DRAWS);
    s.ratio = summary_geomean(levels + s.at, n - s.at) / summary_geomean(levels, s.at);
    return s;
}

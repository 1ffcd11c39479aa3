/* SPDX-License-Identifier: Apache-2.0 */
/* df_chance: by simulation, as there is no formula for the distribution of Welch's degrees of freedom. */
#include "harness/stats/df_chance.h"

#include "harness/base/err.h"
#include "harness/base/rng.h"
#include "harness/stats/normal.h"
#include "harness/stats/pooled.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t SEED = 20261123;

static double normal(struct rng *rng)
{
    return normal_quantile(fmax(rng_unit(rng), 0x1p-53));
}

/* Degrees of freedom of DF_CHANCE_DRAWS runs; the caller frees. NULL: there are none. */
static double *draws_of(double independent, int seeds, double spread)
{
    int rows = (int)fmax(1, floor(independent));
    if (seeds < 2)
        return NULL;
    double *out = malloc(sizeof *out * DF_CHANCE_DRAWS), *logs = malloc(sizeof *logs * (size_t)rows * (size_t)seeds);
    struct rng rng;
    if (!out || !logs)
        bug("out of memory for %d rows of %d seeds", rows, seeds);
    rng_seed(&rng, SEED);
    for (int i = 0; i < DF_CHANCE_DRAWS; i++) {
        for (int r = 0; r < rows; r++) {
            double sd = exp(spread * normal(&rng));
            for (int s = 0; s < seeds; s++)
                logs[r * seeds + s] = sd * normal(&rng);
        }
        out[i] = pooled_df(logs, rows, seeds);
    }
    free(logs);
    return out;
}

struct df_chance df_chance_of(double rows, int seeds, double spread, double df)
{
    double *all = draws_of(rows, seeds, spread);
    int n = 0;
    for (int i = 0; all && i < DF_CHANCE_DRAWS; i++)
        n += all[i] >= df;
    struct df_chance out = {.share = (double)n / DF_CHANCE_DRAWS,
                            .likely = all ? summary_quantile(all, DF_CHANCE_DRAWS, 1 - DF_CHANCE_ENOUGH) : 0};
    free(all);
    return out;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* watch: see watch.h. XGBoost hands the error to its callback as text with six decimals; without that rounding,
 * improvements in the ninth would keep training alive for thousands of rounds. */
#include "models/watch.h"

#include <math.h>

void watch_start(struct watch *w, int64_t patience)
{
    *w = (struct watch){.patience = patience, .best = INFINITY};
}

bool watch_stops(struct watch *w, int round, double error)
{
    if (round % 2 == 1)
        return false;
    error = rint(error * 1e6) / 1e6;
    if (error < w->best) {
        w->best = error;
        w->best_round = round;
        return false;
    }
    return round - w->best_round >= w->patience;
}

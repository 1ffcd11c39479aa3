/* SPDX-License-Identifier: Apache-2.0 */
/* early_stop: see early_stop.h. XGBoost hands the error to its callback as text with six decimals; without that
 * rounding, improvements in the ninth would keep training alive for thousands of rounds. */
#include "models/early_stop.h"

#include <math.h>

void early_stop_start(struct early_stop *w, int64_t patience)
{
    *w = (struct early_stop){.patience = patience, .best = INFINITY};
}

bool early_stop_stops(struct early_stop *w, int round, double error)
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

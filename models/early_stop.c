/* SPDX-License-Identifier: Apache-2.0 */
/* early_stop: XGBoost hands the error to its callback as text with six decimals; without that
 * rounding, improvements in the ninth would keep training alive for thousands of rounds. */
#include "models/early_stop.h"

#include <math.h>

void early_stop_start(struct early_stop *e, int64_t patience)
{
    *e = (struct early_stop){.patience = patience, .best = INFINITY};
}

bool early_stop_stops(struct early_stop *e, int round, double error)
{
    if (round % 2 == 1)
        return false;
    error = rint(error * 1e6) / 1e6;
    if (error < e->best) {
        e->best = error;
        e->best_round = round;
        return false;
    }
    return round - e->best_round >= e->patience;
}

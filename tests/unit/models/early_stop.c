/* SPDX-License-Identifier: Apache-2.0 */
/* early_stop: the rule of ansor.md, "Cost model", on made-up errors: even rounds only, 50 rounds without a fall, no
 * less than that; six decimals count. */
#include "models/early_stop.h"
#include "tests/lib/tap.h"

#include <math.h>

/* The round at which training stops when the error after round i is error(i); -1: not within 10000. */
static int stop_of(int64_t patience, double (*error)(int), int *best)
{
    struct early_stop w;
    early_stop_start(&w, patience);
    for (int i = 0; i < 10000; i++)
        if (early_stop_stops(&w, i, error(i))) {
            *best = w.best_round;
            return i;
        }
    *best = w.best_round;
    return -1;
}

static double flat(int round)
{
    (void)round;
    return 0.25;
}

static double falling(int round)
{
    return 1 / (1.0 + round); /* falls by 1e-6 in 50 rounds until about round 7071 */
}

static double until_30(int round)
{
    return round <= 30 ? 1 - 0.01 * round : 0.9;
}

/* Only odd rounds are good after 10: nobody looks. */
static double odd(int round)
{
    return round <= 10 ? 1 - 0.01 * round : round % 2 ? 0.1 : 0.95;
}

/* A better round comes just when patience is about to end, and once too late. */
static double in_time(int round)
{
    return round == 48 ? 0.2 : 0.25;
}

static double too_late(int round)
{
    return round == 50 ? 0.25 : round == 52 ? 0.2 : 0.25;
}

/* Half of the sixth decimal in 50 rounds, and twice. */
static double slowly(int round)
{
    return 0.25 - 1e-8 * round;
}

static double less_slowly(int round)
{
    return 0.25 - 4e-8 * round;
}

static double nans(int round)
{
    return round < 4 ? 0.5 - 0.1 * round : NAN;
}

int main(void)
{
    int best;
    is_int(stop_of(50, flat, &best), 50, "an error that never falls stops after 51 rounds");
    is_int(best, 0, "the first round is the best of an error that never falls");
    is_int(stop_of(50, until_30, &best), 80, "a best error at round 30 stops at round 80");
    is_int(best, 30, "the round of the least error is 30");
    is_int(stop_of(50, odd, &best), 60, "an error that only odd rounds reach does not count");
    is_int(best, 10, "the round of the least error is 10");
    is_int(stop_of(50, in_time, &best), 98, "an error that falls after 48 rounds goes on to round 98");
    is_int(stop_of(50, too_late, &best), 50, "an error that falls after 52 rounds has stopped at round 50");
    is_int(stop_of(51, flat, &best), 52, "an odd patience ends at the next even round");
    is_int(stop_of(2, until_30, &best), 32, "a patience of 2 stops after two rounds");
    int end = stop_of(50, falling, &best);
    ok(end > 7071 && end < 7300, "an error that falls ever less ends when six decimals stand still, here at %d", end);
    ok(stop_of(50, slowly, &best) <= 150, "falls behind the sixth decimal do not improve an error");
    is_int(stop_of(50, less_slowly, &best), -1, "falls behind the sixth decimal count once they move it");
    is_int(stop_of(50, nans, &best), 52, "an error that is no number does not improve");
    return done_testing();
}

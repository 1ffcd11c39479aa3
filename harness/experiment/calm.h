/* SPDX-License-Identifier: Apache-2.0 */
/* calm: how quiet was the machine while the winners were timed. In the shoot-out every winner is launched several
 * times, in rounds over all winners, each in a fresh process: so each arm's network sum of one round against that of
 * the next is the same program against itself under the very protocol of the headline numbers (A/A; practice.md 3.5
 * to 3.7). */
#pragma once
#include "harness/record/store.h"
#include "harness/stats/verdict.h"

#define CALM_DRIFT 0.02 /* practice.md 3.5: a sentinel may drift by less than 2 % */

struct calm {
    double floor; /* relative difference, 0.02 for 2 % (harness/stats/noise.h); NaN: fewer than two rounds */
    int pairs;    /* ratios of neighbouring rounds that it rests on */
    double drift; /* last round over the first, geometric mean over sums; NaN likewise */
    enum verdict_gates gates; /* of the shoot-out: drift below CALM_DRIFT; nothing here watches the search itself */
    const char *reason;       /* why not passed; NULL when passed */
};
/* sums[c * rounds + r]: sum c in round r, seconds; a sum that is not positive and finite in some round is left out. */
struct calm calm_of(struct arena *a, const double *sums, int nsums, int rounds);
/* Every cell that is done and whose winners all have at least two launches; rounds that all of them have. */
MUST_CHECK bool calm_read(struct arena *a, struct store *s, struct calm *out, struct err *err);

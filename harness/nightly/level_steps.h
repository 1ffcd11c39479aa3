/* SPDX-License-Identifier: Apache-2.0 */
/* level_steps: the levels of each series in all whole nights of a machine, and the nights from which on they are
 * others. Only nights of one hardware and experiment have levels that can be compared: a stretch. */
#pragma once
#include "harness/nightly/history.h"

struct level_step {
    int at;          /* of levels: the first after the step */
    double p, ratio; /* of the split; of the levels from it to the next over those back to the one before */
};
struct level_history {
    const char *series;
    const struct night **nights; /* that have the series, the earliest first */
    double *levels;              /* geometric means of theirs, seconds */
    int n;
    struct level_step *steps; /* in the order of time */
    int nsteps;
};
/* Do the two nights belong to one stretch? */
bool level_comparable(const struct night *a, const struct night *b);
/* nights: of one machine file, in order; they must outlive *out, which is in a, a series each. The step fit of drift.h
 * splits every stretch where p < 0.002 and the ratio is outside max(3 %, 3 x drift_floor), and its two parts again. */
MUST_CHECK bool level_steps_read(struct arena *a, struct history *h, const struct night *nights, int n,
                                 struct level_history **out, int *count, struct err *err);

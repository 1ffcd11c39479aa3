/* SPDX-License-Identifier: Apache-2.0 */
/* measured_batch: candidates of one task that are measured together. */
#pragma once
#include "harness/plug/candidate.h"
#include "harness/plug/phase.h"
#include "harness/plug/sample.h"

struct measured_batch {
    const struct candidate *candidates; /* n of one task */
    struct sample *samples;             /* room for n */
    int n;
    /* Called after each candidate, in order; NULL: not called. When it returns false, the rest is not measured. */
    bool (*done)(void *ctx, int i, const struct sample *s);
    void *ctx;
    struct phases *phases; /* where the time is booked; NULL: nowhere */
    double fastest_s;      /* mean of the task's fastest program so far, 0: none yet; updated (regime.patience) */
    int measured;          /* out: samples filled */
    double cached_s;     /* out, when done is called: what the batch would have taken more by then, since the last call
                            that said so, had every object been built that was found among those that are kept */
    const char *overlap; /* out, the measurer's: what building beside runs did in this batch, where it was tried, and
                            whether it goes on; else NULL */
};

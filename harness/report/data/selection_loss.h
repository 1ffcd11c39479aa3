/* SPDX-License-Identifier: Apache-2.0 */
/* selection_loss: what an arm lost on each kernel, by the shoot-out, split in two (issue 4; practice.md 3.2 C7, 3.6:
 * "regret against an oracle", "compare speed of winner, not identity"): selection    shoot-out time of the program the
 * arm chose, by its own readings, over that of the best of its own programs that were timed again: lost by believing
 * one's own readings exploration  best of the arm's own programs that were timed again, over the best of all arms,
 * seeds and networks of the same kernel: lost by not having looked in the right place Both are at least 1; their
 * product is the whole loss against the best program known. What a descent may choose from: its own records and its
 * seed, as in the authors' tables. A shoot-out time is the median of the launches' means. A minimum over noisy readings
 * lies low (winner's curse), so with n programs timed again both are too large by about the noise of a reading:
 * differences below the A/A floor mean nothing. With one finalist (plan.h) an arm that explores has nothing to choose
 * from and its selection is 1 by construction. */
#pragma once
#include "harness/record/store.h"

struct selection_loss_row {    /* of one arm (with its k) on one network: geometric means over kernels and seeds */
    const char *network, *arm; /* network NULL: over networks */
    int kernels;               /* kernels x seeds that enter */
    double programs;           /* of the arm's own that were timed again, mean per kernel */
    double selection, exploration, whole;
};
struct selection_loss {
    const struct selection_loss_row *rows; /* network by network, arms as planned; then the means over networks */
    int n;
};
/* n 0 without a shoot-out. Cells that are not done are left out. */
MUST_CHECK bool selection_loss_make(struct arena *a, struct store *s, struct selection_loss *out, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* selection_loss: what an arm lost on each kernel, by the re-timed times, split in two:
 *   selection    time of the program the arm chose, by its own readings, over that of the best of its own programs that
 *                were re-timed: lost by believing one's own readings
 *   exploration  that best over the best of all arms, seeds and networks of the same kernel: lost by not having found
 *                better
 * Both are at least 1; their product is the whole loss against the best program known. What a descent may choose from:
 * its own records and its seed, as in the authors' tables. A re-timed time is the median over launches of the median of
 * a launch's repeats. A minimum over noisy readings lies low (winner's curse), so with n programs re-timed both are too
 * large by about the noise of a reading: differences below the noise floor mean nothing. With one program re-timed an
 * arm that explores has nothing to choose from, and its selection is 1 by construction. */
#pragma once
#include "harness/report/data/records.h"

struct selection_loss_row {    /* of one arm (with its k) on one network: geometric means over kernels and seeds */
    const char *network, *arm; /* network NULL: over networks */
    int kernels;               /* kernels x seeds that enter */
    double programs;           /* of the arm's own that were re-timed, mean per kernel */
    double selection, exploration, whole;
};
struct selection_loss {
    const struct selection_loss_row *rows; /* network by network, arms as planned; then the means over networks */
    int n;
};
/* n 0 without a re-timing. Cells that are not done are left out. */
void selection_loss_make(const struct records *r, struct selection_loss *out);

/* SPDX-License-Identifier: Apache-2.0 */
/* arrivals: in a race, how many runs of an arm come to be as good as the first arm is in the end (the median of its
 * last kernel sums), against how many runs of the first arm's own searcher would. The latter is the A/A share: of each
 * of its seeds, does it come to the median of the others? By symmetry that is a half of them. */
#pragma once
#include "harness/report/data/document.h"

struct arrivals {
    int runs, reached;           /* of the arm, over the networks that are asked */
    int null_runs, null_reached; /* of the first arm against its own other seeds */
    double low, high;            /* 95 % of the arm's share less the A/A share: over networks (t), of one network over
                                    runs (Wilson); -1 and 1: not known */
};
/* network "": over networks. A document that is no race has no runs. */
struct arrivals arrivals_of(struct arena *a, const struct document *d, const char *arm, const char *network);

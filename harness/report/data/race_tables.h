/* SPDX-License-Identifier: Apache-2.0 */
/* race_tables: the tables that only a race has: sooner than the first arm, GFLOP/s by kernel. */
#pragma once
#include "harness/report/data/document.h"

struct race_input {
    const struct comparisons *comparisons; /* of results that results_race was called for */
    const struct validity *validity;       /* has the machine's peak */
    double margin;                         /* of ties */
};
void race_tables_fill(const struct race_input *in, struct document *d);

/* How many runs of an arm come to be as good as the first arm is in the end (the median of its last kernel sums),
 * against how many runs of the first arm's own searcher would. The latter is the A/A share: of each of its seeds, does
 * it come to the median of the others? By symmetry that is a half of them. */
struct arrivals {
    int runs, reached;           /* of the arm, over the networks that are asked */
    int null_runs, null_reached; /* of the first arm against its own other seeds */
    double low, high;            /* 95 % of the arm's share less the A/A share: over networks (t), of one network over
                                    runs (Wilson); -1 and 1: not known */
};
/* network "": over networks. A document that is no race has no runs. */
struct arrivals arrivals_of(struct arena *a, const struct document *d, const char *arm, const char *network);

/* SPDX-License-Identifier: Apache-2.0 */
/* control_arms: arms that may stand beside the one pair of a report like Table 3:
 *   separate  an arm that searches and has k: a run of its own for each k, with k trials for each kernel. The authors
 *             cut the first k records out of the one long log instead; the two are set side by side, and so are the
 *             descents from either where an arm explores the separate runs
 *   again     an arm that measures its seeds once more under the campaign's regime. So the gain of a descent over its
 *             seed as recorded splits into what measuring again changes and what searching finds */
#pragma once
#include "harness/report/data/comparison.h"

enum control_arms_ratio { /* above 1 favours the run of its own; the measuring; the searching */
                          CONTROL_ARMS_KERNEL,
                          CONTROL_ARMS_SEARCH, /* wall clock */
                          CONTROL_ARMS_DESCENT,
                          CONTROL_ARMS_REMEASURED,
                          CONTROL_ARMS_FOUND,
                          CONTROL_ARMS_RATIOS
};
struct control_arms_row {
    int network; /* -1: over networks, ratios only */
    int64_t k;
    const char *unlike_separate, *unlike_again; /* in what conditions differ; NULL: in nothing */
    /* Kernel sums and wall clock, means over seeds; NAN: no such arm. */
    double cut_s, separate_s, cut_search_s, separate_search_s, seed_s, again_s, kept_s;
    struct estimate ratio[CONTROL_ARMS_RATIOS];
};
struct control_arms {
    struct control_arms_row *rows; /* networks x k, then over networks; n of them */
    int n;
    bool separate, again; /* which arms there are */
};
void control_arms_make(const struct comparisons *c, struct control_arms *out);

/* SPDX-License-Identifier: Apache-2.0 */
/* control_arms: the control arms that may stand beside Table 3's two:
 *   separate   an arm that searches and has k: a run of its own for each k, with k trials for each kernel. The authors
 *              cut "k records" out of the one long log instead; the two are set side by side, and so are the descents
 *              from either where an arm explores the separate runs.
 *   again      an arm with searcher retime: the seeds measured once more under the campaign's regime. So the gain of a
 *              descent over its seed as recorded splits into what measuring again changes and what searching finds. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/data/table3.h"
#include "harness/stats/estimate.h"

enum { CONTROL_ARMS_CUT, CONTROL_ARMS_OWN, CONTROL_ARMS_WAYS };
enum control_arms_ratio {
    /* separate: Ansor-k from the cut over Ansor-k from its own run: kernel time (above 1: the own run found faster
     * kernels), wall clock (above 1: it was cheaper), and kernel time of the descents from either */
    CONTROL_ARMS_OWN_KERNEL,
    CONTROL_ARMS_OWN_SEARCH,
    CONTROL_ARMS_OWN_DESCENT,
    /* again: seed as recorded over seed measured again; that over the winner of the descent */
    CONTROL_ARMS_AGAIN,
    CONTROL_ARMS_SEARCH,
    CONTROL_ARMS_RATIOS
};
struct control_arms_row { /* of one network, all its seeds by mean. Of a mean row only the ratios */
    const char *network;  /* NULL: over networks */
    int64_t k;
    double kernel_s[CONTROL_ARMS_WAYS],
        search_s[CONTROL_ARMS_WAYS];  /* what cut and own run gave and cost, NAN: no such arm */
    double seed_s, again_s, winner_s; /* seed as recorded, measured again, winner of the descent; NAN: no such arm */
    struct estimate ratio[CONTROL_ARMS_RATIOS]; /* over seeds; of a mean row with one seed over networks */
};
struct control_arms {
    const struct control_arms_row *rows; /* networks x k, then the means */
    int n;
    bool separate, again; /* which arms there are */
};
MUST_CHECK bool control_arms_make(struct arena *a, const struct experiment *e, struct store *s,
                                  struct control_arms *out, struct err *err);
void control_arms_text(const struct control_arms *c, struct text *t); /* nothing when there is no such arm */
/* A line for each k: what a run of its own gave against the cut, what measuring again and searching gained, and whether
 * that can be told from 1. */
void control_arms_compare(const struct control_arms *c, struct text *t);
void control_arms_json(const struct control_arms *c, struct text *t); /* {"separate": [...], "again": [...]} */

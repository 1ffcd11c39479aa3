/* SPDX-License-Identifier: Apache-2.0 */
/* control: the control arms that may stand beside Table 3's two:
 *   separate   an arm that searches and has k: a run of its own for each k, with k trials for each kernel. The authors
 *              cut "k records" out of the one long log instead; the two are set side by side, and so are the descents
 *              from either where an arm explores the separate runs.
 *   again      an arm with searcher retime: the seeds measured once more under the campaign's regime. So the gain of a
 *              descent over its seed as recorded splits into what measuring again changes and what searching finds. */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/table3.h"
#include "harness/stats/estimate.h"

enum { CONTROL_CUT, CONTROL_OWN, CONTROL_WAYS };
enum control_ratio {
    /* separate: Ansor-k from the cut over Ansor-k from its own run: kernel time (above 1: the own run found faster
     * kernels), wall clock (above 1: it was cheaper), and kernel time of the descents from either */
    CONTROL_OWN_KERNEL,
    CONTROL_OWN_SEARCH,
    CONTROL_OWN_DESCENT,
    /* again: seed as recorded over seed measured again; that over the winner of the descent */
    CONTROL_AGAIN,
    CONTROL_SEARCH,
    CONTROL_RATIOS
};
struct control_row {     /* of one network, all its seeds by mean. Of a mean row only the ratios */
    const char *network; /* NULL: over networks */
    int64_t k;
    double kernel_s[CONTROL_WAYS], search_s[CONTROL_WAYS]; /* what cut and own run gave and cost, NAN: no such arm */
    double seed_s, again_s, winner_s; /* seed as recorded, measured again, winner of the descent; NAN: no such arm */
    struct estimate ratio[CONTROL_RATIOS]; /* over seeds; of a mean row with one seed over networks */
};
struct control {
    const struct control_row *rows; /* networks x k, then the means */
    int n;
    bool separate, again; /* which arms there are */
};
MUST_CHECK bool control_make(struct arena *a, const struct experiment *e, struct store *s, struct control *out,
                             struct err *err);
void control_text(const struct control *c, struct text *t); /* nothing when there is no such arm */
/* A line for each k: what a run of its own gave against the cut, what measuring again and searching gained, and whether
 * that can be told from 1. */
void control_compare(const struct control *c, struct text *t);
void control_json(const struct control *c, struct text *t); /* {"separate": [...], "again": [...]} */

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

enum { CONTROL_CUT, CONTROL_OWN, CONTROL_WAYS };
struct control_row { /* of one network, all its seeds by mean; ratios by geometric mean. Of a mean row only the ratios
                      */
    const char *network; /* NULL: the geometric mean over networks */
    int64_t k;
    /* separate: what cut and own run gave, and Ansor-k from the cut over Ansor-k from its own run: kernel time (above
     * 1: the own run found faster kernels) and wall clock (above 1: the own run was cheaper). NAN: no such arm. */
    double kernel_s[CONTROL_WAYS], search_s[CONTROL_WAYS];
    double own_kernel, own_search;
    double own_descent; /* kernel time of the descent from the cut over that from the own run; NAN: not run */
    /* again: seed as recorded, seed measured again, winner of the descent; and the gains. NAN: no such arm. */
    double seed_s, again_s, winner_s;
    double again_gain, search_gain;
};
struct control {
    const struct control_row *rows; /* networks x k, then the means */
    int n;
    bool separate, again; /* which arms there are */
};
MUST_CHECK bool control_make(struct arena *a, const struct experiment *e, struct store *s, struct control *out,
                             struct err *err);
void control_text(const struct control *c, struct text *t); /* nothing when there is no such arm */
void control_json(const struct control *c, struct text *t); /* {"separate": [...], "again": [...]} */

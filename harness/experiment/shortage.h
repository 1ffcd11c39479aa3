/* SPDX-License-Identifier: Apache-2.0 */
/* shortage: arms that were to start from the best of the first k records of a kernel, where the explorer has fewer: its
 * space was spent, or its trials went elsewhere. Such a kernel starts from all there are, as it would at a lower k. */
#pragma once
#include "harness/base/text.h"
#include "harness/record/store.h"

struct shortage_arm { /* over networks and seeds */
    const char *arm;  /* "dpansor-300" */
    int64_t k;
    int kernels, lacking; /* of the arm; of these with fewer than k records */
    int64_t least;        /* records of the kernel that has fewest */
    const char *kernel, *network;
};
struct shortage {
    struct shortage_arm *arms; /* those with lacking > 0, in the order of the cells */
    int n;
};
/* Of the cells that are done. */
MUST_CHECK bool shortage_make(struct arena *a, struct store *s, struct shortage *out, struct err *err);
void shortage_text(const struct shortage *x, struct text *t); /* nothing when n = 0 */
void shortage_html(const struct shortage *x, struct text *t);
void shortage_json(const struct shortage *x, struct text *t); /* an array */

/* SPDX-License-Identifier: Apache-2.0 */
/* few_records: arms that were to start from the best of the first k records of a kernel, where the explorer has fewer:
 * its space was spent, or its trials went elsewhere. Such a kernel starts from all there are, as it would at a lower k.
 */
#pragma once
#include "harness/base/text.h"
#include "harness/record/store.h"

struct few_records_arm { /* over networks and seeds */
    const char *arm;     /* "dpansor-300" */
    int64_t k;
    int kernels, lacking; /* of the arm; of these with fewer than k records */
    int64_t least;        /* records of the kernel that has fewest */
    const char *kernel, *network;
};
struct few_records {
    struct few_records_arm *arms; /* those with lacking > 0, in the order of the cells */
    int n;
};
/* Of the cells that are done. */
MUST_CHECK bool few_records_make(struct arena *a, struct store *s, struct few_records *out, struct err *err);
void few_records_text(const struct few_records *x, struct text *t); /* nothing when n = 0 */
void few_records_html(const struct few_records *x, struct text *t);
void few_records_json(const struct few_records *x, struct text *t); /* an array */

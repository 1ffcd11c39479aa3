/* SPDX-License-Identifier: Apache-2.0 */
/* few_records: arms that were to start from the best of the first k records of a kernel, where the explorer has fewer:
 * its space was spent, or its trials went elsewhere. Such a kernel starts from all there are, as it would at a lower k.
 */
#pragma once
#include "harness/report/data/records.h"

struct few_records_arm { /* over networks and seeds, of the cells that are done */
    const char *arm;     /* "dpansor-300" */
    int64_t k;
    int kernels, few; /* of the arm; of these with fewer than k records */
    int64_t fewest;   /* records of the kernel that has fewest */
    const char *kernel, *network;
};
/* n of them, those with few > 0, in the order of the cells. */
struct few_records_arm *few_records_make(const struct records *r, int *n);

/* SPDX-License-Identifier: Apache-2.0 */
/* few_records: counts the explorer's records, kernel by kernel, of every cell that starts from the first k of them. */
#include "harness/report/data/few_records.h"

#include "harness/base/text.h"

static struct few_records_arm *arm_of(struct few_records_arm *arms, int *n, const struct store_cell *c)
{
    for (int i = 0; i < *n; i++)
        if (str_eq(arms[i].arm, c->arm))
            return &arms[i];
    arms[*n] = (struct few_records_arm){.arm = c->arm, .k = record_scan_k(c)};
    return &arms[(*n)++];
}

static void count_cell(const struct record_scan *s, const struct store_cell *c, struct few_records_arm *arm)
{
    for (int t = 0; t < c->ntasks; t++) {
        int64_t records = record_scan_first(s, c->explore_cell, t, arm->k)->records;
        arm->kernels++;
        if (records >= arm->k)
            continue;
        if (arm->few++ == 0 || records < arm->fewest) {
            arm->fewest = records;
            arm->kernel = c->tasks[t].name;
            arm->network = c->network;
        }
    }
}

struct few_records_arm *few_records_make(const struct records *r, int *n)
{
    const struct record_scan *s = &r->scan;
    struct few_records_arm *arms = ARENA_ARRAY(r->a, struct few_records_arm, s->ncells + 1);
    int all = 0;
    *n = 0;
    for (int i = 0; i < s->ncells; i++) {
        const struct store_cell *c = &s->cells[i];
        if (c->explore_cell >= 0 && c->k && str_eq(c->state, "done"))
            count_cell(s, c, arm_of(arms, &all, c));
    }
    for (int i = 0; i < all; i++)
        if (arms[i].few)
            arms[(*n)++] = arms[i];
    return arms;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* podium: the fastest few programs that a cell found for one kernel, as its own readings say. */
#pragma once
#include "harness/record/store.h"

struct podium_final { /* a trial that was timed again in fresh processes, and the cell and task that found it */
    int64_t trial;
    int cell, task;
};
MUST_CHECK bool podium_finals(struct store *s, struct arena *a, const struct podium_final **out, int *n,
                              struct err *err);
/* Ids of the records of at most `most` different programs (equal state hash: one), the fastest first; the first is
 * store_best's. Follows shared descents. ids: room for `most`. */
MUST_CHECK bool podium_of(struct store *s, int cell, int task, int most, int64_t *ids, int *n, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* cell: runs one cell of a plan to its end, from wherever its records say it is. */
#pragma once
#include "harness/plug/kit.h"
#include "harness/tune/plan.h"
#include "harness/tune/tune.h"

struct cell_run {
    const struct kit *kit;
    const struct plan *plan;
    struct store *store;
    struct measurer *measurer;
    struct limits limits;
    struct pool *pool;
    bool is_virtual;
    int64_t trials_before; /* of the cells before this one, for the progress display */
};

MUST_CHECK bool cell_run(const struct cell_run *run, int ordinal, struct err *err);
/* The stored form of a planned cell; tasks and strings in a. */
void cell_stored(struct arena *a, const struct plan *p, int ordinal, struct store_cell *out);

/* SPDX-License-Identifier: Apache-2.0 */
/* cell: runs one cell of a plan to its end, from wherever its records say it is. */
#pragma once
#include "harness/plug/registry.h"
#include "harness/tune/measurers.h"
#include "harness/tune/scheduler.h"
#include "harness/tune/tune.h"

struct cell_env { /* what all cells of a campaign share */
    const struct registry *registry;
    const struct plan *plan;
    struct store *store;
    struct measurers *measurers;
    struct measurer *measurer;        /* the plan's */
    struct limits limits;             /* that it found */
    struct machine_analyzer analyzer; /* of the machine's file, or of this machine */
    struct pool *pool;
    bool is_virtual;
    int64_t trials_before; /* recorded by cells that are done, for the progress display */
};

/* Errors as campaign_run's. A cell that is done already costs a look-up. */
MUST_CHECK bool cell_run(const struct cell_env *env, int ordinal, struct err *err);
/* What hands out the rounds of a planned cell, before the first one. Everything in a. */
MUST_CHECK bool cell_scheduler(struct arena *a, const struct cell_plan *p, struct scheduler *out, struct err *err);
/* The stored form of a planned cell; its task array is in a, strings are the plan's. */
void cell_stored(struct arena *a, const struct plan *p, int ordinal, struct store_cell *out);

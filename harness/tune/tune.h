/* SPDX-License-Identifier: Apache-2.0 */
/* tune: the loop ask -> measure -> tell -> record for one task. The scheduler decides which task has the next round.
 *
 * Time: the rounds of a cell tile its clock without gaps, and the phases of a round tile the round. On a virtual target
 * the clock is the sum of the records' costs. */
#pragma once
#include "harness/measure/measure.h"
#include "harness/plug/kit.h"
#include "harness/record/store.h"

struct cell_clock {
    bool is_virtual;
    double base_s; /* cell time when this process began counting */
    double since;  /* clock_now() then */
    double last_s; /* cell time at the last trial recorded: wall_s of the next one counts from here */
    double virtual_s;
    double cpu_base_s, cpu_since;
};
double cell_clock_now(const struct cell_clock *k);
double cell_clock_cpu(const struct cell_clock *k);
void cell_clock_restart(struct cell_clock *k, double at_s, double cpu_s); /* goes on counting from there, now */

struct tune_counts { /* of the cell; the loop keeps them up to date */
    int64_t trials;  /* records of the cell */
    int rounds;
};
/* What the tasks of a cell share. */
struct tune_shared {
    struct store *store;
    struct measurer *measurer;
    struct limits limits;
    struct pool *pool;
    struct phases phases;
    struct model_use model; /* plug NULL: none */
    struct model_env *model_env;
    struct cell_clock clock;
    struct tune_counts counts;
    struct arena *round; /* reset after every round */
    int cell;
    uint64_t seed;                                                 /* of the cell */
    void (*progress)(void *ctx, int task, const struct record *r); /* after each recorded trial; may be NULL */
    void *ctx;
};

struct tune { /* one task */
    struct tune_shared *shared;
    int task_ordinal;
    const struct task *task;
    const struct searcher *plug;
    void *self;
    struct searcher_env env;
    int rounds;     /* complete rounds of this task */
    int64_t trials; /* its records */
    double best_s;  /* INFINITY until one is valid */
};

/* settings: text of the searcher's table. seed may be NULL. All in a, which outlives t. */
MUST_CHECK bool tune_open(struct tune *t, struct tune_shared *shared, struct arena *a, const struct searcher *plug,
                          const char *settings, int task_ordinal, const struct task *task, int trials,
                          const struct candidate *seed, const struct sample *seed_sample, struct err *err);
/* One round of at most max trials. *n = trials of the round, 0: the search has ended. *best: fastest valid mean of the
 * round. partial: the stored round to finish, with its n records, or NULL. Interrupted by stop_asked(): false,
 * err->code EXIT_INTERRUPTED, everything measured is recorded. */
struct tune_partial {
    const struct store_round *round;
    const struct record *records;
    int n;
};
MUST_CHECK bool tune_round(struct tune *t, int64_t max, const struct tune_partial *partial, int *n, double *best,
                           struct err *err);
/* Resume: tells the searcher and the model the records of one complete round again. */
MUST_CHECK bool tune_retell(struct tune *t, const struct record *records, int n, struct err *err);
void tune_close(struct tune *t);

/* SPDX-License-Identifier: Apache-2.0 */
/* tune: the loop ask -> measure -> tell -> record for one task. The scheduler decides which task has the next round.
 *
 * Time: the rounds of a cell tile its clock without gaps, and the phases of a round tile the round. On a virtual target
 * the clock is the sum of the records' costs. */
#pragma once
#include "harness/measure/measure.h"
#include "harness/plug/registry.h"
#include "harness/record/store.h"
#include "harness/tune/cell_clock.h"

/* What the tasks of a cell share. */
struct tune_shared {
    struct store *store;
    struct measurer *measurer;
    struct limits limits;
    struct pool *pool;
    struct phases phases;
    struct model_use model; /* plug NULL: none */
    struct model_env model_env;
    struct model_use draft; /* of searchers that draft; plug NULL: none */
    struct model_env draft_env;
    struct evaluations evaluations; /* of the last ask */
    const struct searcher *searcher;
    const char *searcher_settings; /* text of its table */
    struct cell_clock timer;
    struct cpu_contention others; /* of the cell's complete rounds in this process */
    int64_t trials;               /* records of the cell so far */
    int rounds;                   /* complete rounds of the cell so far */
    struct arena *round;          /* reset before every round */
    int cell;
    uint64_t seed;                                       /* of the cell */
    void (*progress)(void *ctx, const struct record *r); /* after each recorded trial; may be NULL */
    void *ctx;
};

/* A round begins now: its phases, and what others take of the machine. */
void tune_start_clocks(struct tune_shared *shared);

struct tune { /* one task */
    struct tune_shared *shared;
    int ordinal; /* of the task in the cell */
    const struct task *task;
    const struct searcher *plug;
    void *self;
    struct searcher_env env;
    int rounds;       /* complete rounds of this task */
    int64_t trials;   /* its records */
    double fastest_s; /* mean of its fastest program so far, with the seed; 0: none yet */
};

struct tune_start { /* what one task's search begins from */
    const struct task *task;
    int ordinal, trials;          /* of the task in the cell; its budget */
    const struct candidate *seed; /* NULL: none */
    const struct sample *seed_sample;
    const struct candidate *seeds; /* nseeds of them, as searcher_env */
    int nseeds;
};
/* All in a, which outlives t. */
MUST_CHECK bool tune_open(struct tune *t, struct tune_shared *shared, struct arena *a, const struct tune_start *start,
                          struct err *err);
/* A round that was begun before this process, with its n records. */
struct tune_partial {
    const struct store_round *round;
    const struct record *records;
    int n;
};
/* One round of at most max trials, or the rest of the partial one (NULL: none). *n = trials of the round, 0: the search
 * has ended. *best: fastest valid mean among them, INFINITY when none is valid. Interrupted by interrupt_asked(): false
 * with EXIT_INTERRUPTED; everything measured is recorded. */
MUST_CHECK bool tune_round(struct tune *t, int64_t max, const struct tune_partial *partial, int *n, double *best,
                           struct err *err);
/* Resume: tells the searcher and the model the n records of a complete round again; n may be 0. */
MUST_CHECK bool tune_retell(struct tune *t, const struct record *records, int n, struct err *err);
void tune_close(struct tune *t);

/* The model's part of a resume, when the searcher is not needed any more, and the one training after all tells. */
MUST_CHECK bool tune_tell_model(struct tune_shared *shared, const struct task *task, const struct record *records,
                                int n, struct err *err);
MUST_CHECK bool tune_fit_model(struct tune_shared *shared, int round, struct err *err);
uint64_t tune_seed(uint64_t cell_seed, int task, int round, const char *purpose); /* of one random stream */

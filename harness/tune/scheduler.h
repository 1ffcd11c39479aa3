/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler: how a budget of trials is shared among the tasks of a network: TVM's task scheduler (harness/doc/ansor.md,
 * "Task scheduler"), as a pure function of the history of rounds, so that it is recomputed on resume and tested on
 * made-up histories. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/rng.h"
#include "harness/tune/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULER_ALPHA 0.2
#define SCHEDULER_BETA 2.0
#define SCHEDULER_WINDOW 3
#define SCHEDULER_NO_COST 1e10 /* latency of a task without a valid record */

struct scheduler_task {
    double weight, flops;
    int group;       /* similarity group, -1 none (TVM v0.16 never makes any) */
    int rounds;      /* t */
    double best;     /* g, seconds; SCHEDULER_NO_COST at first */
    double *history; /* h[r]: best after round r */
    int cap;
    int64_t trials;
    bool dead;
};
struct scheduler {
    struct arena *arena;
    enum scheduler_kind kind;
    struct scheduler_task *tasks;
    int ntasks;
    int64_t total;    /* trials in all */
    int64_t per_task; /* SCHEDULER_SEQUENTIAL: budget of each task */
    int64_t batch;    /* min(asked, total / ntasks) */
    int64_t done;     /* trials so far */
    int last;         /* SCHEDULER_ROUND_ROBIN: task of the last round */
    struct rng rng;   /* for ties */
};

struct scheduler_budget { /* what is to be shared, and among whom */
    enum scheduler_kind kind;
    const double *weights, *flops; /* of each task; NULL: 1 and 0 */
    int ntasks;
    int64_t total, per_task; /* trials in all; SCHEDULER_SEQUENTIAL: of each task */
    int64_t batch;           /* trials of a round, at most */
};
/* Everything in a. Error when the batch would be 0: fewer trials than tasks. */
MUST_CHECK bool scheduler_open(struct scheduler *s, struct arena *a, const struct scheduler_budget *budget,
                               uint64_t seed, struct err *err);
/* The task of the next round and the most trials it may use; -1 when the budget is spent or every task is dead. Changes
 * only rng. */
int scheduler_next(struct scheduler *s, int64_t *max);
/* A round of a task gave n trials; best: the fastest valid mean among them, seconds, INFINITY when none. n = 0: the
 * task is dead. */
void scheduler_tell(struct scheduler *s, int task, int n, double best);
void scheduler_kill(struct scheduler *s, int task);             /* no more rounds for this task (no seed) */
double scheduler_gradient(const struct scheduler *s, int task); /* <= 0; 0 for dead tasks */

/* SPDX-License-Identifier: Apache-2.0 */
/* plan: a campaign before it runs: cells (network x arm x seed), each over the tasks of a network. The experiment room
 * makes it from YAML; campaign.h runs it. All pointers live in the maker's arena. */
#pragma once
#include "harness/measure/regime.h"
#include "harness/program/lower/lower.h"
#include "harness/program/ops/task.h"

#include <stdbool.h>
#include <stdint.h>

enum plan_scheduler { PLAN_GRADIENT, PLAN_ROUND_ROBIN, PLAN_SEQUENTIAL };
const char *plan_scheduler_word(enum plan_scheduler s); /* "gradient", "round_robin", "sequential" */
bool plan_scheduler_parse(const char *word, enum plan_scheduler *out);

struct plan_task {
    const struct task *task;
    const char *name; /* for people; NULL: task->name */
    double weight;    /* call count */
};

struct cell_plan {
    const char *network, *arm;
    int64_t seed; /* of this repetition; every task's random stream is derived from (network, arm, seed, task) */
    const struct plan_task *tasks;
    int ntasks;
    const char *searcher, *searcher_settings; /* settings as text, "" none */
    const char *model, *model_settings;       /* model "" none */
    int64_t trials;                           /* for the whole cell; 0: trials_per_task * ntasks */
    int64_t trials_per_task; /* PLAN_SEQUENTIAL: budget of each task (droplet: 100); 0: trials / ntasks */
    int64_t batch;           /* measurements a round, 64 */
    enum plan_scheduler scheduler;
    int explore_cell; /* index of an earlier cell with the same tasks whose records seed this one, or -1 */
    int64_t k;        /* the seed of a kernel is its best among the first k records; 0: all of them */
    bool k_plus_one;  /* the authors' off-by-one: k + 1 records are considered */
    bool share; /* a kernel whose seed equals that of a cell that ran before (same arm settings) reuses its descent */
};

struct plan {
    const char *stem, *tier;
    const char *results_dir;     /* results/<stem> */
    const char *experiment_hash; /* sha256 hex of the experiment's canonical text */
    const char *target, *target_settings;
    const char *machine; /* name of the machine file */
    struct regime regime;
    int threads; /* kernel threads, 0 = all */
    enum layout_mode layout;
    int build_workers; /* 0 = one per online core */
    uint64_t input_seed;
    int final_launches; /* winner shoot-out: fresh-process timings of every winner; 0 none */
    int finalists;      /* of each kernel of each cell, the so many fastest as tuned enter it; 0 is 1: the winner */
    struct regime final_regime;
    const struct cell_plan *cells;
    int ncells;
};

/* In what order cells run: order[0 .. ncells - 1], indices of cells. The cells of one network and seed that stand side
 * by side are a block; inside it arms come in a random order (from input_seed, the block's own), except that none comes
 * before the cell that seeds it (practice.md 3.3: pair by seed, interleave at random inside). */
void plan_order(const struct plan *p, int *order);
/* Errors name the cell: unknown plug-ins are not looked up here. */
MUST_CHECK bool plan_check(const struct plan *p, struct err *err);
int64_t cell_plan_trials(const struct cell_plan *c); /* most trials of the cell */
int plan_finalists(const struct plan *p);            /* at least 1 */
int64_t plan_trials(const struct plan *p);           /* most trials of all cells (shared descents counted as run) */
bool cell_plan_same_descent(const struct cell_plan *a,
                            const struct cell_plan *b); /* all that decides a descent but k and the arm's name */

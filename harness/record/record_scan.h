/* SPDX-License-Identifier: Apache-2.0 */
/* record_scan: all that a report needs of the table of trials, in one pass over it: sums, best programs and
 * improvements of each kernel of each cell, and failures by reason. Its memory grows with kernels and rounds, not with
 * records. */
#pragma once
#include "harness/record/tally.h"

struct scan_sums { /* of some records of one kernel */
    int64_t records, valid;
    double cost_s, wall_s, run_s, verify_s; /* run_s with what a computed clock adds */
    int64_t best;  /* trial of the fastest valid record, of equals the first measured; 0: none is valid */
    double best_s; /* its mean; INFINITY: none */
};
struct scan_step {                    /* a record that was faster than all of its kernel before it */
    int64_t ordinal;                  /* in the cell */
    double elapsed_s, wall_s, mean_s; /* cell clock; summed wall_s of the kernel's records up to this one; its time */
};
struct scan_kernel {
    struct scan_sums all, *first; /* first[i]: of the first k[i] records, k as in scan_cell */
    struct scan_step *steps;      /* nsteps of them, as measured */
    int nsteps;
};
struct scan_round {
    int task, measured;    /* measured: records that it has */
    double begin_s, end_s; /* cell clock; end_s NAN: not complete */
};
/* A task that has the records of another cell has none here (store_task.shared_cell), unless taken_kernels_join has
 * given it those of a kernel that it takes from another network. */
struct scan_cell {
    const int64_t *k; /* how many of a kernel's records the cells may see that explore this one; nk of them */
    int nk;
    struct scan_kernel *kernels; /* by task */
    struct scan_round *rounds;
    int nrounds;
    double clock_s, cpu_s; /* as store_cell's elapsed_s and cpu_s, with what its taken kernels took */
};
struct scan_place {
    int cell, task;
};
struct scan_trial { /* a record that a descent started from, or that was asked for */
    int64_t id;
    int cell, task;        /* where it was measured; cell -1: there is no such record */
    double mean_s, cost_s; /* mean_s INFINITY: not valid */
};
/* What the clocks of all cells have beyond what passed: of trials that were called less because they are slow, and of
 * builds that were found among those that are kept (sample.h). */
struct scan_spared {
    int64_t slow, trials;
    double spared_s;                  /* of slow trials */
    int64_t cached;                   /* trials whose builds were found */
    double cached_s, cached_clock_s;  /* of these builds; of the clocks, where several are built at once */
    int64_t checked;                  /* timed in full, too */
    double error_median, error_worst; /* of the computed timing, |computed / full - 1|; NAN: none is checked */
    double bias;                      /* summed computed over summed full, less 1: what the clock is off by */
};
struct record_scan {
    struct store_cell *cells;
    struct scan_cell *of; /* of each cell; ncells of them */
    int ncells;
    struct scan_trial *trials; /* by id, rising */
    int ntrials;
    struct tally_failure *failures; /* the most frequent first, then by outcome and message */
    int nfailures;
    struct scan_spared spared;
    double *alone; /* of programs that were also timed alone: their time beside builds over that (sample.alone_s) */
    int nalone;
};
/* asked: ids of trials to look up besides those that descents started from. */
MUST_CHECK bool record_scan_read(struct arena *a, struct store *s, const int64_t *asked, int nasked,
                                 struct record_scan *out, struct err *err);
/* NULL when it was not asked for. */
const struct scan_trial *record_scan_trial(const struct record_scan *s, int64_t id);
/* The cell in whose part of the scan a task's records stand, under the same number: cell itself, or where its descent
 * was shared from. */
int record_scan_home(const struct record_scan *s, int cell, int task);
/* Where a task's records were measured: as record_scan_home, or in the network that it takes the kernel from. */
struct scan_place record_scan_measured(const struct record_scan *s, int cell, int task);
/* How many of a kernel's records a cell may see of the cell that it explores; 0: all. */
int64_t record_scan_k(const struct store_cell *c);
/* Sums of the first k records of a task of that cell (0: all). k must be 0 or one of the cell's. */
const struct scan_sums *record_scan_first(const struct record_scan *s, int cell, int task, int64_t k);
/* Wall seconds of the first k > 0 records of a task: each round's time is shared evenly among its records, as search,
 * training and parallel builds serve all of them. */
double record_scan_wall(const struct record_scan *s, int cell, int task, int64_t k);
/* Times of the valid records of a task, seconds, the fastest first, in a; *n of them. */
MUST_CHECK bool record_scan_times(struct arena *a, struct store *s, int cell, int task, double **out, int *n,
                                  struct err *err);
/* The repeats of a record, seconds: at most SAMPLE_REPEATS; none unless it is valid. */
MUST_CHECK bool record_scan_repeats(struct store *s, int64_t trial, double *seconds, int *n, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* made_store: records as an experiment's searches on target fake would leave them, made and not searched: the programs
 * are drawn at random and their times are made up. For what is measured over many records. */
#pragma once
#include "harness/base/rng.h"
#include "harness/cli/bench/gauge.h"
#include "harness/experiment/experiment.h"
#include "harness/record/store.h"

struct made_store {
    struct bench_env *b;
    const struct experiment *e;
    struct store *s;
    struct rng rng;
};
struct made_clock { /* where a cell is */
    int64_t ordinal;
    double elapsed_s;
    int round;
};
struct made_round { /* n trials of a task, after first others of it */
    int cell, task;
    int64_t first;
    int n;
    const struct candidate *programs; /* each trial is of one of these, by chance, or, where in_order, of its own */
    int nprograms;
    bool in_order;
};

/* The experiment as `raingauge` would load it with these --set, its cells in a new store in the folder. */
MUST_CHECK bool made_store_open(struct made_store *m, struct bench_env *b, const struct experiment_options *o,
                                struct err *err);
void made_store_close(struct made_store *m);
/* One round in one transaction. *best: the fastest valid mean, seconds; INFINITY none; may be NULL. */
MUST_CHECK bool made_store_round(struct made_store *m, const struct made_round *r, struct made_clock *at, double *best,
                                 struct err *err);

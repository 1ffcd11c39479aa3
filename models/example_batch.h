/* SPDX-License-Identifier: Apache-2.0 */
/* example_batch: what a cost model is shown of many states or candidates at once, over the pool's threads: rows for
 * each of its inputs. The result does not depend on the number of threads. Phases: the caller's wall time is booked as
 * lower and features by the threads' own shares. */
#pragma once
#include "harness/plug/model.h"
#include "models/dataflow.h"
#include "models/nn/examples.h"

struct example_source {      /* one program */
    const struct nest *nest; /* NULL: the form does not ask for it */
    const struct step *steps;
    int nsteps;
    const float *flags; /* dag_flags.h */
    bool gpu;
    struct dataflow *dataflow; /* memory of this thread */
};
struct example_form { /* how a model sees a program */
    bool lowers;      /* it asks for the nest */
    int inputs, width[NET_INPUTS];
    int none[NET_INPUTS]; /* rows of zeros that stand for a program that cannot be shown */
    /* Rows in a. False: it cannot be shown. */
    bool (*show)(struct arena *a, const struct example_source *s, struct example_inputs *out);
};

struct example_batch;   /* arenas per thread and the matrices, kept between calls */
struct example_matrix { /* valid until the next call */
    int n;
    struct example_inputs *shown; /* per program and input */
    const bool *none;             /* per program: could not be shown */
};

struct example_batch *example_batch_open(const struct example_form *form, struct model_env *env);
void example_batch_close(struct example_batch *b);
struct example_matrix example_batch_states(struct example_batch *b, struct state *const *states, int n);
struct example_matrix example_batch_candidates(struct example_batch *b, const struct candidate *c, int n);
/* The rows of the first input side by side: those of program i are first[i] .. first[i+1]-1. Valid as long. */
const float *example_batch_rows(struct example_batch *b, const struct example_matrix *m, const int **first);

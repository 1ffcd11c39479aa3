/* SPDX-License-Identifier: Apache-2.0 */
/* examples: what a cost model is trained on: rows for each of its inputs, a cost, and a task within which costs are
 * compared. The rows are in a temporary file that is mapped. Memory: 28 bytes an example, by malloc, and the rows that
 * were looked at since examples_unload. Freed by examples_free. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/vec.h"
#include "models/nn/net_batch.h"

#define EXAMPLE_FAILED 1e10 /* the cost of a failed program, seconds (TVM) */

struct example_rows { /* of one input */
    int n;
    const float *at;
};
struct example_inputs { /* of one program */
    struct example_rows in[NET_INPUTS];
};
struct example_task {
    uint64_t hash;
    double best; /* lowest cost, seconds, filled by examples_label */
};
struct example_input {
    VEC(float) rows; /* in the file */
    int file;        /* valid once rows.cap > 0 */
    VEC(int) first;  /* per example: its first row; one more at the end */
};
struct examples {
    int ninputs, width[NET_INPUTS];
    struct example_input in[NET_INPUTS];
    VEC(struct example_task) tasks;
    VEC(int) task;    /* per example: index in tasks */
    VEC(double) cost; /* per example: seconds, at most EXAMPLE_FAILED */
    VEC(float) label; /* per example, filled by examples_label */
};

void examples_open(struct examples *e, int ninputs, const int *width);
/* False: the temporary file cannot be made or has no room. */
MUST_CHECK bool examples_add(struct examples *e, uint64_t task_hash, const struct example_inputs *shown, double cost,
                             struct err *err);
/* Leaves the rows to their file: they take no memory until they are looked at again. */
void examples_unload(struct examples *e);
/* All labels anew, as a new best program lowers those of its task: least cost of the task over cost, 0 where every
 * program of the task failed. */
void examples_label(struct examples *e);
/* What each column must be multiplied by so that its largest value is 1; 1 where that is not positive. Into the scales
 * of a network. */
void examples_scales(const struct examples *e, struct net *n);
/* Only the first n of those ever added are seen from now on; a larger n brings the others back. */
void examples_limit(struct examples *e, int n);
void examples_free(struct examples *e);

/* Some examples side by side, scaled; memory is kept between calls, zeroed at first. */
struct example_picker {
    struct net_batch batch;
    VEC(float) rows[NET_INPUTS];
    VEC(int) first[NET_INPUTS];
};
/* The rows of `count` programs as a batch for n; valid until the next call. */
const struct net_batch *example_gather(const struct net *n, const struct example_inputs *shown, int count,
                                       struct example_picker *p);
/* The examples that order names. */
const struct net_batch *examples_pick(const struct examples *e, const struct net *n, const int *order, int count,
                                      struct example_picker *p);
void example_picker_free(struct example_picker *p);

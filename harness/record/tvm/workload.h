/* SPDX-License-Identifier: Apache-2.0 */
/* workload: how TVM's auto_scheduler names a kernel: ["hash", shapes...], the shapes those of the graph's placeholders
 * in the graph's order and of its output, the hash the MD5 of the graph's text in which placeholders have no shapes and
 * calls no arguments (TVM's ComputeDAG.workload_key and PrintDAG, simple mode). */
#pragma once
#include "harness/program/ops/task.h"

/* TVM's hash of a graph, 32 hex digits, in a. TVM has named the axes of dense i0 and i1 since 0.15 or so, and i and j
 * before: the authors' hashes are older ones. */
const char *workload_hash(struct arena *a, const struct dag *d, bool older);

/* The shapes behind a key's name. "[64, 64]" or, in old logs, all numbers in one row: then nshapes is 0 and numbers has
 * them. */
enum { WORKLOAD_SHAPES = 24, WORKLOAD_DIMS = 8, WORKLOAD_NUMBERS = 192 };
struct workload_shape {
    int n;
    int64_t at[WORKLOAD_DIMS];
};
struct workload {
    const char *name;  /* hash or function */
    const char *words; /* words behind it that are no types, one space between: "avg VALID" */
    int nshapes, nnumbers;
    struct workload_shape shapes[WORKLOAD_SHAPES]; /* the output last, when name is a hash */
    int64_t numbers[WORKLOAD_NUMBERS];             /* every number in order, those of shapes too */
};
MUST_CHECK bool workload_parse(struct arena *a, const char *key, struct workload *out, struct err *err);
/* The graph's own shapes; of a task without arguments past the limits there are none (n 0). */
void workload_of(const struct task *t, struct workload *out);
/* The same numbers of elements in the same order; dimensions of 1 in the output do not count, as one of the authors'
 * operators ('mean') drops them. */
bool workload_fits(const struct workload *key, const struct workload *kernel);

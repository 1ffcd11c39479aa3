/* SPDX-License-Identifier: Apache-2.0 */
/* task: one kernel to tune: a dag with its arguments, made from a spec line such as
 *   "conv2d n=1 ci=64 hi=56 wi=56 co=64 kh=3 kw=3 sh=1 sw=1 ph=1 pw=1 cib=64 cob=32 bias=1 add=1 relu=1"
 * The key names are those of the field 'desc' in the authors' released kernel sets. The table of operators is ops.h. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/program/ir/dag.h"

struct task {
    const char
        *spec; /* canonical: operator, then every key in table order with its value; parses back; the key of records */
    const char *name; /* short, for people: "conv2d 64x56x56 -> 64 3x3/1 +add +relu" */
    uint64_t hash;    /* of spec */
    const struct dag *dag;
    int nargs;
    const int
        *args; /* op ids: placeholders in TVM's argument order (p0, p1, ... as fused function), then the output last */
    const bool *
        is_weight; /* per argument: constant data (filters, biases): its layout may be rewritten when the dag says so */
    double flops;  /* = dag->flops */
    double params; /* number of trained parameters (filter and bias elements; batch-norm folded) */
    int reduction_length; /* longest chain of additions or the like, for tolerances */
};

/* The task owns nothing: all is in a, which must outlive it. Errors name the key and give hints. */
MUST_CHECK bool task_parse(struct arena *a, const char *spec, struct task **out, struct err *err);
int64_t task_arg_elements(const struct task *t, int arg);
const struct op *task_arg_op(const struct task *t, int arg);

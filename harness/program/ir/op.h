/* SPDX-License-Identifier: Apache-2.0 */
/* op: one operation of a task: a placeholder (an input or weight), or a loop nest over axes that computes one tensor
 * (TVM: PlaceholderOp and ComputeOp of te). Immutable. */
#pragma once
#include "harness/program/ir/expr.h"

enum { DIMS_MAX = 64 }; /* of a tensor, and axes of an operation */
struct axis {
    const char *name;
    int64_t extent; /* min is always 0 */
};
enum op_kind { OP_PLACEHOLDER, OP_COMPUTE };
enum reducer { REDUCE_NONE, REDUCE_SUM, REDUCE_MAX, REDUCE_MIN };

struct op {
    int id;
    enum op_kind kind;
    const char *name; /* as TVM names it: "conv2d_NCHWc", "data_pad", "p0"; need not be unique */
    const char *tag;  /* TVM's tag or "" ("injective", "broadcast", "elemwise", "conv2d_NCHWc") */
    enum dtype dtype;
    int nspatial, nreduce;
    const struct axis *axes; /* spatial (= the shape), then reduce; a placeholder has its shape as spatial axes */
    enum reducer reducer;    /* REDUCE_NONE iff nreduce == 0 */
    const struct expr *body; /* COMPUTE: the source of the reduction, or the value */
    const char *scope;       /* "" global, "shared", "local"; fragments: "wmma.matrix_a", "wmma.accumulator" ... */
    const int *rewritten;    /* ids of placeholders that layout rewrite may re-lay-out for this op (attribute
                                layout_free_placeholders) */
    int nrewritten;
    const char *const *const_axes; /* names under attribute auto_scheduler_simplify_const_tensor_indices */
    int nconst_axes;
    double flop_override; /* attribute FLOP, or < 0 */
};

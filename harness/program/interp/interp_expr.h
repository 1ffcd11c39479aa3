/* SPDX-License-Identifier: Apache-2.0 */
/* interp_expr: the body of one op, compiled so that a block of up to INTERP_LANES values along one axis (the lane axis)
 * is computed at a time. What does not depend on the lane axis is computed once a block. Index arithmetic that depends
 * on nothing else is computed once for all blocks at the same coordinates of that axis. All arithmetic is double or
 * int64_t. Not thread-safe. */
#pragma once
#include "harness/base/arena.h"
#include "harness/program/ir/dag.h"

enum { INTERP_LANES = 1024 };

/* Operators by kind, with the result from real x and y. */
#define INTERP_REALS(X)                                                                                                \
    X(ADD, x + y)                                                                                                      \
    X(SUB, x - y)                                                                                                      \
    X(MUL, x *y)                                                                                                       \
    X(DIV, x / y)                                                                                                      \
    X(EXP, exp(x))                                                                                                     \
    X(LOG, log(x))                                                                                                     \
    X(SQRT, sqrt(x))                                                                                                   \
    X(TANH, tanh(x))                                                                                                   \
    X(ERF, erf(x))                                                                                                     \
    X(SIGMOID, 1 / (1 + exp(-x)))                                                                                      \
    X(RSQRT, 1 / sqrt(x))
#define INTERP_COMPARISONS(X)                                                                                          \
    X(LT, x < y)                                                                                                       \
    X(LE, x <= y)                                                                                                      \
    X(GT, x > y)                                                                                                       \
    X(GE, x >= y)                                                                                                      \
    X(EQ, x == y)                                                                                                      \
    X(NE, x != y)

struct interp_expr_tensor { /* a tensor that bodies read, by position in the dag */
    const void *data;       /* elements, row-major; NULL: ask get */
    enum dtype type;        /* of data */
    int64_t elements;
    double (*get)(void *with, int position, int64_t element);
    void *with;
};

struct interp_expr;
/* lane: an axis of the op, or -1 for one value at a time. tensors must outlive it. */
struct interp_expr *interp_expr_make(struct arena *a, const struct dag *d, int position, int lane,
                                     const struct interp_expr_tensor *tensors);
/* lane is -1 or a reduce axis: the element at the given spatial coordinates. */
double interp_expr_point(struct interp_expr *s, const int64_t *spatial);
/* lane is a spatial axis (its coordinate is ignored): all elements along it, out[i * step]. */
void interp_expr_row(struct interp_expr *s, const int64_t *spatial, double *out, int64_t step);

/* SPDX-License-Identifier: Apache-2.0 */
/* expr: scalar expressions of a stage body, as immutable trees in an arena.
 *
 * AXIS refers to an axis of the owning op by position (spatial first, then reduce); LOAD refers to another op of the
 * dag by its stable id. So a body never changes when stages are inserted around it. Integer expressions are used for
 * indices and conditions. IF guards its branches (an out-of-range load in the branch not taken is not made); SELECT may
 * evaluate both. */
#pragma once
#include "harness/base/arena.h"
#include "harness/program/ir/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* id, printed word or operator, number of arguments (-1: any) */
#define EXPR_KINDS(X)                                                                                                  \
    X(INT, "", 0)                                                                                                      \
    X(FLOAT, "", 0)                                                                                                    \
    X(AXIS, "", 0)                                                                                                     \
    X(LOAD, "", -1)                                                                                                    \
    X(ADD, "+", 2)                                                                                                     \
    X(SUB, "-", 2)                                                                                                     \
    X(MUL, "*", 2)                                                                                                     \
    X(DIV, "/", 2)                                                                                                     \
    X(FLOORDIV, "floordiv", 2)                                                                                         \
    X(FLOORMOD, "floormod", 2)                                                                                         \
    X(MIN, "min", 2)                                                                                                   \
    X(MAX, "max", 2)                                                                                                   \
    X(LT, "<", 2)                                                                                                      \
    X(LE, "<=", 2)                                                                                                     \
    X(GT, ">", 2)                                                                                                      \
    X(GE, ">=", 2)                                                                                                     \
    X(EQ, "==", 2)                                                                                                     \
    X(NE, "!=", 2)                                                                                                     \
    X(AND, "&&", 2)                                                                                                    \
    X(OR, "||", 2)                                                                                                     \
    X(NOT, "!", 1)                                                                                                     \
    X(SELECT, "select", 3)                                                                                             \
    X(IF, "tir.if_then_else", 3)                                                                                       \
    X(EXP, "tir.exp", 1)                                                                                               \
    X(LOG, "tir.log", 1)                                                                                               \
    X(SQRT, "tir.sqrt", 1)                                                                                             \
    X(TANH, "tir.tanh", 1)                                                                                             \
    X(ERF, "tir.erf", 1)                                                                                               \
    X(SIGMOID, "tir.sigmoid", 1)                                                                                       \
    X(RSQRT, "tir.rsqrt", 1)                                                                                           \
    X(CAST, "cast", 1)                                                                                                 \
    X(INDEX, "", 0) /* only in nests: an affine form, see nest.h */

enum expr_kind {
#define X(id, word, nargs) EXPR_##id,
    EXPR_KINDS(X)
#undef X
        EXPR_COUNT
};

struct expr {
    enum expr_kind kind;
    enum dtype dtype;
    int nargs;
    union {
        int64_t i; /* INT: value. AXIS: axis position. LOAD: op id */
        double f;  /* FLOAT: value */
    };
    const struct expr *const *args; /* LOAD: one index per dimension of the tensor */
};

const char *expr_word(enum expr_kind kind);
const struct expr *expr_int(struct arena *a, int64_t v); /* I32 */
const struct expr *expr_float(struct arena *a, enum dtype t, double v);
const struct expr *expr_axis(struct arena *a, int axis); /* I32 */
const struct expr *expr_load(struct arena *a, int op_id, enum dtype t, int n, const struct expr *const *index);
/* dtype: comparison and logic give BOOL, SELECT/IF that of the branches, the rest that of the first argument. */
const struct expr *expr_make1(struct arena *a, enum expr_kind k, const struct expr *x);
const struct expr *expr_make2(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y);
const struct expr *expr_make3(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y,
                              const struct expr *z);
const struct expr *expr_cast(struct arena *a, enum dtype t, const struct expr *x);
/* A copy in which AXIS i becomes axes[i] (NULL entries stay) and loads of op from_id go to to_id when from_id >= 0. */
const struct expr *expr_replace(struct arena *a, const struct expr *e, const struct expr *const *axes, int naxes,
                                int from_id, int to_id);
bool expr_uses_axis(const struct expr *e, int axis); /* anywhere in it, indices of loads included */

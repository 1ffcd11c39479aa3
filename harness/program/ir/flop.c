/* SPDX-License-Identifier: Apache-2.0 */
/* flop: TVM's FlopEstimator. One operation per arithmetic, comparison or logic node unless neither operand is of the
 * output's class (so index arithmetic is free); calls cost their arguments only; select costs its condition and the
 * dearer branch.
 *
 * One deviation: TVM gives -1 for global pools, because its reduce extents there are expressions; ours are numbers. */
#include "harness/program/ir/flop.h"

static int type_class(enum dtype t)
{
    return dtype_is_float(t) ? 2 : t == DTYPE_BOOL ? 1 : 0;
}

static double cost(const struct expr *e, int class)
{
    double sum = 0;
    switch (e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_AXIS:
    case EXPR_LOAD:
    case EXPR_INDEX:
        return 0;
    case EXPR_SELECT: {
        double yes = cost(e->args[1], class), no = cost(e->args[2], class);
        return cost(e->args[0], class) + (yes > no ? yes : no);
    }
    case EXPR_CAST:
    case EXPR_IF: /* a call in TVM: condition and both branches */
    case EXPR_EXP:
    case EXPR_LOG:
    case EXPR_SQRT:
    case EXPR_TANH:
    case EXPR_ERF:
    case EXPR_SIGMOID:
    case EXPR_RSQRT:
        break;
    default:
        for (int i = 0; i < e->nargs && sum == 0; i++)
            sum = type_class(e->args[i]->dtype) == class;
    }
    for (int i = 0; i < e->nargs; i++)
        sum += cost(e->args[i], class);
    return sum;
}

double flop_op(const struct op *op)
{
    if (op->kind != OP_COMPUTE)
        return 0;
    if (op->flop_override >= 0)
        return op->flop_override;
    double n = 1, each = cost(op->body, type_class(op->dtype));
    for (int i = 0; i < op->nspatial; i++)
        n *= (double)op->axes[i].extent;
    if (op->reducer != REDUCE_NONE)
        each += 1; /* the combiner */
    for (int i = 0; i < op->nreduce; i++)
        n *= (double)op->axes[op->nspatial + i].extent;
    return n * each;
}

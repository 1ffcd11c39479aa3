/* SPDX-License-Identifier: Apache-2.0 */
/* op_layer_norm: layer normalisation of the rows of a matrix, (x - mean) / sqrt(variance + 1e-5) * gamma + beta (Ba,
 * Kiros, Hinton 2016, equations 3 and 4), as one kernel of three stages: the sum, the sum of squared differences, the
 * quotient.
 *
 * Deviation: topi's layer_norm takes both sums in one stage with two outputs, which our graphs do not have, and
 * Relay's inference form spreads it over kernels of their own. So no released schedule is of this graph. */
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct layer_norm_options {
    int64_t n, c;
};

static const struct setting KEYS[] = {
    KEY_ONE(struct layer_norm_options, n, "rows"),
    KEY_NEEDED(struct layer_norm_options, c, "elements of a row, over which is normalised"),
    {0},
};

/* Difference of data[row, column] and the mean of its row. */
static const struct expr *centred(struct graph *g, const struct op *data, const struct op *sum, int64_t n)
{
    const struct expr *row = expr_axis(g->arena, 0), *column = expr_axis(g->arena, 1);
    const struct expr *mean =
        expr_make2(g->arena, EXPR_DIV, graph_read(g, sum, row), expr_float(g->arena, DTYPE_F32, (double)n));
    return expr_make2(g->arena, EXPR_SUB, graph_read(g, data, row, column), mean);
}

static const struct op *reduction(struct graph *g, const struct layer_norm_options *c, const char *name,
                                  const struct expr *body)
{
    const struct axis axes[] = {{"i0", c->n}, {"k", c->c}};
    return graph_stage(g, (struct op){.name = name,
                                      .tag = "norm",
                                      .axes = axes,
                                      .nspatial = 1,
                                      .nreduce = 1,
                                      .reducer = REDUCE_SUM,
                                      .body = body});
}

static bool build(struct graph *g, void *options, struct err *err)
{
    (void)err;
    const struct layer_norm_options *c = options;
    struct arena *a = g->arena;
    const struct expr *row = expr_axis(a, 0), *column = expr_axis(a, 1);
    const struct op *data = graph_input(g, NULL, 2, (int64_t[]){c->n, c->c});
    const struct op *gamma = graph_weight(g, NULL, 1, &c->c), *beta = graph_weight(g, NULL, 1, &c->c);
    const struct op *sum = reduction(g, c, "T_norm_sum", graph_read(g, data, row, column));
    const struct expr *x = centred(g, data, sum, c->c);
    const struct op *squares = reduction(g, c, "T_norm_squares", expr_make2(a, EXPR_MUL, x, x));
    const struct expr *variance =
        expr_make2(a, EXPR_DIV, graph_read(g, squares, row), expr_float(a, DTYPE_F32, (double)c->c));
    variance = expr_make2(a, EXPR_ADD, variance, expr_float(a, DTYPE_F32, 1e-5));
    const struct expr *body = expr_make2(a, EXPR_DIV, x, expr_make1(a, EXPR_SQRT, variance));
    body = expr_make2(a, EXPR_MUL, body, graph_read(g, gamma, column));
    body = expr_make2(a, EXPR_ADD, body, graph_read(g, beta, column));
    const struct axis axes[] = {{"i0", c->n}, {"i1", c->c}};
    graph_map(g, "T_norm", "norm", axes, 2, body);
    g->name = arena_printf(a, "layer_norm %lldx%lld", (long long)c->n, (long long)c->c);
    return true;
}

OPERATOR(layer_norm, "layer normalisation of rows", struct layer_norm_options, build);

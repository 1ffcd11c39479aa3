/* SPDX-License-Identifier: Apache-2.0 */
/* op_rms_norm: root mean square normalisation of rows with a trained scale, topi's rms_norm (nn/rms_norm.h) of float32:
 * x / sqrt(mean(x^2) + 1e-5) * weight. topi casts to float32 and back; those stages are there, as copies. */
#include "harness/program/ops/graph.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"

struct rms_norm_options {
    int64_t n, c;
};

static const struct setting KEYS[] = {
    KEY_ONE(struct rms_norm_options, n, "rows"),
    KEY_NEEDED(struct rms_norm_options, c, "elements of a row, over which is normalised"),
    {0},
};

/* name(ax0, ax1) = body over the data's shape, or name(ax0) over the first nspatial extents from `axes` on. */
static const struct op *stage(struct graph *g, const char *name, const struct axis *axes, int nspatial,
                              const struct expr *body)
{
    return graph_map(g, name, "elemwise", axes, nspatial, body);
}

static bool build(struct graph *g, void *options, struct err *err)
{
    (void)err;
    const struct rms_norm_options *c = options;
    struct arena *a = g->arena;
    const struct expr *i = expr_axis(a, 0), *j = expr_axis(a, 1);
    const struct axis axes[] = {{"ax0", c->n}, {"ax1", c->c}}, row[] = {{"ax0", c->n}, {"k1", c->c}},
                      column[] = {{"ax0", c->c}};
    const struct op *data = graph_input(g, NULL, 2, (int64_t[]){c->n, c->c}), *weight = graph_weight(g, NULL, 1, &c->c);
    const struct op *x = stage(g, "T_cast", axes, 2, graph_read(g, data, i, j));
    const struct expr *v = graph_read(g, x, i, j);
    const struct op *square = stage(g, "T_multiply", axes, 2, expr_make2(a, EXPR_MUL, v, v));
    const struct op *sum = graph_stage(g, (struct op){.name = "T_multiply_red",
                                                      .tag = "comm_reduce",
                                                      .axes = row,
                                                      .nspatial = 1,
                                                      .nreduce = 1,
                                                      .reducer = REDUCE_SUM,
                                                      .body = graph_read(g, square, i, j)});
    const struct expr *mean = expr_make2(a, EXPR_DIV, graph_read(g, sum, i), expr_float(a, DTYPE_F32, (double)c->c));
    mean = expr_make2(a, EXPR_ADD, mean, expr_float(a, DTYPE_F32, 1e-5));
    const struct op *scale = stage(g, "rsqrt", axes, 1, expr_make1(a, EXPR_RSQRT, mean));
    const struct op *w = stage(g, "T_cast", column, 1, graph_read(g, weight, i));
    const struct expr *body = expr_make2(a, EXPR_MUL, graph_read(g, scale, i), graph_read(g, x, i, j));
    body = expr_make2(a, EXPR_MUL, body, graph_read(g, w, j));
    const struct op *norm = graph_map(g, "T_rms_norm", "injective", axes, 2, body);
    stage(g, "T_cast", axes, 2, graph_read(g, norm, i, j));
    g->name = arena_printf(a, "rms_norm %lldx%lld", (long long)c->n, (long long)c->c);
    return true;
}

OPERATOR(rms_norm, "root mean square normalisation of rows", struct rms_norm_options, build);

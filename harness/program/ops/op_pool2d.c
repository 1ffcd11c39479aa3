/* SPDX-License-Identifier: Apache-2.0 */
/* op_pool2d: max and average pooling as topi's pool2d: stages pad_temp (only where something is padded), pool_max, or
 * pool_sum and pool_avg. Averages leave padded elements out unless include_pad=1. */
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

#include <float.h>

struct pool2d_options {
    int64_t n, c, hi, wi, ho, wo, cb, kh, kw, sh, sw, dh, dw, include_pad;
    const char *ph, *pw;
    int layout, pool;
    struct window side[2]; /* derived */
};

static const char *const POOLS[] = {"max", "avg", NULL};

static const struct setting KEYS[] = {
    KEY_ONE(struct pool2d_options, n, "batch"),
    KEY_NEEDED(struct pool2d_options, c, "channels"),
    KEY_NEEDED(struct pool2d_options, hi, "input height"),
    KEY_NEEDED(struct pool2d_options, wi, "input width"),
    KEY_ZERO(struct pool2d_options, ho, "output height; follows from the others"),
    KEY_ZERO(struct pool2d_options, wo, "output width; follows from the others"),
    KEY_ZERO(struct pool2d_options, cb, "channels in a block (layout nchwc)"),
    KEY_NEEDED(struct pool2d_options, kh, "window height"),
    KEY_NEEDED(struct pool2d_options, kw, "window width"),
    WINDOW_KEYS(struct pool2d_options),
    KEY_CHOICE(struct pool2d_options, pool, "what is taken of a window", "max", POOLS),
    KEY_FLAG(struct pool2d_options, include_pad, "averages count padded elements"),
    KEY_CHOICE(struct pool2d_options, layout, "layout of the data", "auto", LAYOUT_NAMES),
    {0},
};

static bool solve(struct graph *g, struct pool2d_options *c, struct err *err)
{
    if (!window_layout(&c->layout, c->cb > 0, err))
        return false;
    if (c->layout == LAYOUT_NCHWC && !window_block("cb", c->cb, "c", c->c, err))
        return false;
    if (c->include_pad && c->pool == 0)
        return err_set(err, "key 'include_pad' is for pool=avg");
    c->side[0] = (struct window){.in = c->hi, .kernel = c->kh, .stride = c->sh, .dilation = c->dh};
    c->side[1] = (struct window){.in = c->wi, .kernel = c->kw, .stride = c->sw, .dilation = c->dw};
    return window_solve(g->arena, &c->side[0], 'h', &c->ph, &c->ho, err) &&
           window_solve(g->arena, &c->side[1], 'w', &c->pw, &c->wo, err);
}

/* The reduction over the windows of data. */
static const struct op *windows(struct graph *g, const struct pool2d_options *c, const struct op *data, int h_dim)
{
    struct axis axes[GRAPH_DIMS + 2];
    const struct expr *index[GRAPH_DIMS];
    int n = data->nspatial;
    graph_axes(g, data, "ax", axes);
    axes[h_dim].extent = c->ho;
    axes[h_dim + 1].extent = c->wo;
    axes[n] = (struct axis){"rv0", c->kh};
    axes[n + 1] = (struct axis){"rv1", c->kw};
    graph_index(g, index, n);
    index[h_dim] = window_index(g, &c->side[0], h_dim, n);
    index[h_dim + 1] = window_index(g, &c->side[1], h_dim + 1, n + 1);
    bool max = c->pool == 0;
    return graph_stage(g, (struct op){.name = max ? "pool_max" : "pool_sum",
                                      .tag = max ? "pool_max" : "elemwise",
                                      .axes = axes,
                                      .nspatial = n,
                                      .nreduce = 2,
                                      .reducer = max ? REDUCE_MAX : REDUCE_SUM,
                                      .body = graph_load(g, data, index)});
}

/* How many elements of one dimension of a window lie inside the input: topi's expression, folded as TVM folds it. */
static const struct expr *inside(struct graph *g, const struct window *w, int axis)
{
    struct arena *a = g->arena;
    const struct expr *x = expr_fold_int(a, EXPR_MUL, expr_axis(a, axis), w->stride);
    const struct expr *start = expr_fold_int(a, EXPR_SUB, x, w->before);
    const struct expr *end = expr_fold_int(a, EXPR_ADD, start, (w->kernel - 1) * w->dilation);
    const struct expr *jumps = expr_fold(a, EXPR_SUB, expr_int(a, w->dilation - 1), start);
    jumps = expr_fold_int(a, EXPR_MAX, expr_fold_int(a, EXPR_FLOORDIV, jumps, w->dilation), 0);
    end = expr_fold_int(a, EXPR_MIN, end, w->in - 1);
    const struct expr *skipped = expr_fold(a, EXPR_MUL, expr_int(a, w->dilation), jumps);
    const struct expr *span = expr_fold(a, EXPR_SUB, end, expr_fold(a, EXPR_ADD, start, skipped));
    return expr_fold_int(a, EXPR_ADD, expr_fold_int(a, EXPR_FLOORDIV, span, w->dilation), 1);
}

static void average(struct graph *g, const struct pool2d_options *c, const struct op *sum, int h_dim)
{
    struct arena *a = g->arena;
    struct axis axes[GRAPH_DIMS];
    const struct expr *index[GRAPH_DIMS], *count;
    graph_axes(g, sum, "ax", axes);
    graph_index(g, index, sum->nspatial);
    if (c->include_pad) {
        count = expr_float(a, DTYPE_F32, (double)(c->kh * c->kw));
    } else {
        count = expr_fold(a, EXPR_MUL, inside(g, &c->side[0], h_dim), inside(g, &c->side[1], h_dim + 1));
        count = expr_cast(a, DTYPE_F32, expr_fold_int(a, EXPR_MAX, count, 1));
    }
    graph_map(g, "pool_avg", "elemwise", axes, sum->nspatial,
              expr_make2(a, EXPR_DIV, graph_load(g, sum, index), count));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct pool2d_options *c = options;
    int64_t shape[GRAPH_DIMS];
    if (!solve(g, c, err))
        return false;
    int h_dim = window_h_dim((enum tensor_layout)c->layout);
    int ndim = window_shape((enum tensor_layout)c->layout, c->n, c->c, c->hi, c->wi, c->cb, shape);
    const struct op *data = graph_input(g, NULL, ndim, shape);
    if (window_padded(c->side))
        data = window_pad(
            g, data, &(struct padding){"pad_temp", PAD_POOL, h_dim, 2, c->side, c->pool == 0 ? -(double)FLT_MAX : 0});
    const struct op *out = windows(g, c, data, h_dim);
    if (c->pool)
        average(g, c, out, h_dim);
    g->name = arena_printf(g->arena, "%s pool %lldx%lldx%lld %lldx%lld/%lld", POOLS[c->pool], (long long)c->c,
                           (long long)c->hi, (long long)c->wi, (long long)c->kh, (long long)c->kw, (long long)c->sh);
    return true;
}

OPERATOR(pool2d, "max or average pooling", struct pool2d_options, build);

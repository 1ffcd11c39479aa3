/* SPDX-License-Identifier: Apache-2.0 */
/* op_adaptive_pool2d: pooling to a given output size, and the global pooling that is its case 1x1, as topi's
 * adaptive_pool: stages adaptive_pool_max, or adaptive_pool_sum and adaptive_pool_avg.
 *
 * topi's window of output o goes from floor(o*in/out) to ceil((o+1)*in/out). Our reduce extents are numbers, so where
 * in is not a multiple of out the longest window is taken and the rest of a shorter one is left out by a condition. */
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

#include <float.h>

struct adaptive_pool2d_options {
    int64_t n, c, hi, wi, ho, wo, cb;
    int layout, pool;
};

static const char *const POOLS[] = {"max", "avg", NULL};

static const struct setting KEYS[] = {
    KEY_ONE(struct adaptive_pool2d_options, n, "batch"),
    KEY_NEEDED(struct adaptive_pool2d_options, c, "channels"),
    KEY_NEEDED(struct adaptive_pool2d_options, hi, "input height"),
    KEY_NEEDED(struct adaptive_pool2d_options, wi, "input width"),
    KEY_ONE(struct adaptive_pool2d_options, ho, "output height"),
    KEY_ONE(struct adaptive_pool2d_options, wo, "output width"),
    KEY_ZERO(struct adaptive_pool2d_options, cb, "channels in a block (layout nchwc)"),
    KEY_CHOICE(struct adaptive_pool2d_options, pool, "what is taken of a window", "avg", POOLS),
    KEY_CHOICE(struct adaptive_pool2d_options, layout, "layout of the data", "auto", LAYOUT_NAMES),
    {0},
};

static int64_t longest_window(int64_t in, int64_t out)
{
    int64_t longest = 0;
    for (int64_t o = 0; o < out; o++) {
        int64_t n = ((o + 1) * in + out - 1) / out - o * in / out;
        longest = n > longest ? n : longest;
    }
    return longest;
}

static const struct expr *window_start(struct graph *g, int axis, int64_t in, int64_t out)
{
    struct arena *a = g->arena;
    return expr_fold_int(a, EXPR_FLOORDIV, expr_fold_int(a, EXPR_MUL, expr_axis(a, axis), in), out);
}

static const struct expr *window_length(struct graph *g, int axis, int64_t in, int64_t out)
{
    struct arena *a = g->arena;
    const struct expr *next = expr_fold_int(a, EXPR_ADD, expr_axis(a, axis), 1);
    const struct expr *scaled = expr_fold_int(a, EXPR_MUL, next, in);
    const struct expr *whole = expr_fold_int(a, EXPR_EQ, expr_fold_int(a, EXPR_FLOORMOD, scaled, out), 0);
    const struct expr *end = expr_fold_int(a, EXPR_FLOORDIV, scaled, out);
    end = expr_make3(a, EXPR_SELECT, whole, end, expr_fold_int(a, EXPR_ADD, end, 1));
    return expr_fold(a, EXPR_SUB, end, window_start(g, axis, in, out));
}

static const struct op *windows(struct graph *g, const struct adaptive_pool2d_options *c, const struct op *data,
                                int h_dim)
{
    struct arena *a = g->arena;
    struct axis axes[GRAPH_DIMS + 2];
    const struct expr *index[GRAPH_DIMS], *cond = NULL;
    const int64_t in[] = {c->hi, c->wi}, out[] = {c->ho, c->wo};
    int n = data->nspatial;
    graph_axes(g, data, "ax", axes);
    graph_index(g, index, n);
    for (int i = 0; i < 2; i++) {
        int dim = h_dim + i;
        axes[dim].extent = out[i];
        axes[n + i] = (struct axis){i ? "rv1" : "rv0", longest_window(in[i], out[i])};
        index[dim] = expr_fold(a, EXPR_ADD, window_start(g, dim, in[i], out[i]), expr_axis(a, n + i));
        if (in[i] % out[i]) {
            const struct expr *test = expr_make2(a, EXPR_LT, expr_axis(a, n + i), window_length(g, dim, in[i], out[i]));
            cond = cond ? expr_fold(a, EXPR_AND, cond, test) : test;
        }
    }
    bool max = c->pool == 0;
    const struct expr *body = graph_load(g, data, index);
    if (cond)
        body = expr_make3(a, EXPR_IF, cond, body, expr_float(a, DTYPE_F32, max ? -(double)FLT_MAX : 0));
    const char *name = max ? "adaptive_pool_max" : "adaptive_pool_sum";
    return graph_stage(g, (struct op){.name = name,
                                      .tag = name,
                                      .axes = axes,
                                      .nspatial = n,
                                      .nreduce = 2,
                                      .reducer = max ? REDUCE_MAX : REDUCE_SUM,
                                      .body = body});
}

static void average(struct graph *g, const struct adaptive_pool2d_options *c, const struct op *sum, int h_dim)
{
    struct arena *a = g->arena;
    struct axis axes[GRAPH_DIMS];
    const struct expr *index[GRAPH_DIMS];
    graph_axes(g, sum, "ax", axes);
    graph_index(g, index, sum->nspatial);
    const struct expr *high = expr_cast(a, DTYPE_F32, window_length(g, h_dim, c->hi, c->ho));
    const struct expr *wide = expr_cast(a, DTYPE_F32, window_length(g, h_dim + 1, c->wi, c->wo));
    graph_map(g, "adaptive_pool_avg", "elemwise", axes, sum->nspatial,
              expr_make2(a, EXPR_DIV, graph_load(g, sum, index), expr_make2(a, EXPR_MUL, high, wide)));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct adaptive_pool2d_options *c = options;
    int64_t shape[GRAPH_DIMS];
    if (!window_layout(&c->layout, c->cb > 0, err))
        return false;
    if (c->layout == LAYOUT_NCHWC && !window_block("cb", c->cb, "c", c->c, err))
        return false;
    if (c->ho > c->hi || c->wo > c->wi)
        return err_set(err, "the output, %lldx%lld, is larger than the input, %lldx%lld", (long long)c->ho,
                       (long long)c->wo, (long long)c->hi, (long long)c->wi);
    int h_dim = window_h_dim((enum tensor_layout)c->layout);
    int ndim = window_shape((enum tensor_layout)c->layout, c->n, c->c, c->hi, c->wi, c->cb, shape);
    const struct op *out = windows(g, c, graph_input(g, NULL, ndim, shape), h_dim);
    if (c->pool)
        average(g, c, out, h_dim);
    g->name = arena_printf(g->arena, "%s pool %lldx%lldx%lld to %lldx%lld", POOLS[c->pool], (long long)c->c,
                           (long long)c->hi, (long long)c->wi, (long long)c->ho, (long long)c->wo);
    return true;
}

static bool build_global(struct graph *g, void *options, struct err *err)
{
    const struct adaptive_pool2d_options *c = options;
    if (c->ho != 1 || c->wo != 1)
        return err_set(err, "keys 'ho' and 'wo' of a global pooling are 1; adaptive_pool2d has others");
    return build(g, options, err);
}

OPERATOR(adaptive_pool2d, "pooling to a given output size", struct adaptive_pool2d_options, build);
OPERATOR(global_pool2d, "pooling to one value per channel", struct adaptive_pool2d_options, build_global);

/* SPDX-License-Identifier: Apache-2.0 */
/* op_mean: the mean of each channel's image, as Relay's 'mean' over height and width makes it: stages p0_red and
 * T_divide, without the two axes (densenet and shufflenet end so). The MD5 of this text is the hash that the authors'
 * record of it carries. The same numbers as global_pool2d, another graph. */
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct mean_options {
    int64_t n, c, hi, wi, cb;
    int layout;
};

static const struct setting KEYS[] = {
    KEY_ONE(struct mean_options, n, "batch"),
    KEY_NEEDED(struct mean_options, c, "channels"),
    KEY_NEEDED(struct mean_options, hi, "height"),
    KEY_NEEDED(struct mean_options, wi, "width"),
    KEY_ZERO(struct mean_options, cb, "channels in a block (layout nchwc)"),
    KEY_CHOICE(struct mean_options, layout, "layout of the data", "auto", LAYOUT_NAMES),
    {0},
};

/* Reduce axes are named by the dimension they run over. */
static const struct op *sum(struct graph *g, const struct op *data, int h_dim)
{
    struct axis axes[GRAPH_DIMS];
    const struct expr *index[GRAPH_DIMS];
    int n = data->nspatial, kept = 0;
    for (int i = 0; i < n; i++) {
        bool reduced = i == h_dim || i == h_dim + 1;
        int at = reduced ? n - 2 + i - h_dim : kept++;
        axes[at].name = arena_printf(g->arena, reduced ? "k%d" : "ax%d", reduced ? i : at);
        axes[at].extent = data->axes[i].extent;
        index[i] = expr_axis(g->arena, at);
    }
    return graph_stage(g, (struct op){.name = "p0_red",
                                      .tag = "comm_reduce",
                                      .axes = axes,
                                      .nspatial = n - 2,
                                      .nreduce = 2,
                                      .reducer = REDUCE_SUM,
                                      .body = graph_load(g, data, index)});
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct mean_options *c = options;
    int64_t shape[GRAPH_DIMS];
    struct axis axes[GRAPH_DIMS];
    const struct expr *index[GRAPH_DIMS];
    if (!window_layout(&c->layout, c->cb > 0, err))
        return false;
    if (c->layout == LAYOUT_NCHWC && !window_block("cb", c->cb, "c", c->c, err))
        return false;
    int ndim = window_shape((enum tensor_layout)c->layout, c->n, c->c, c->hi, c->wi, c->cb, shape);
    const struct op *total = sum(g, graph_input(g, NULL, ndim, shape), window_h_dim((enum tensor_layout)c->layout));
    graph_axes(g, total, "ax", axes);
    graph_index(g, index, total->nspatial);
    graph_map(g, "T_divide", "broadcast", axes, total->nspatial,
              expr_make2(g->arena, EXPR_DIV, graph_load(g, total, index),
                         expr_float(g->arena, DTYPE_F32, (double)(c->hi * c->wi))));
    g->name = arena_printf(g->arena, "mean of %lldx%lldx%lld", (long long)c->c, (long long)c->hi, (long long)c->wi);
    return true;
}

OPERATOR(mean, "mean over height and width", struct mean_options, build);

/* SPDX-License-Identifier: Apache-2.0 */
/* op_depthwise_conv2d: depthwise convolution with its epilogue, as topi defines it: stages PaddedInput and
 * DepthwiseConv2d. In the blocked layout the padding stage is there only where something is padded. Each input channel
 * gives co/ci output channels. topi marks no filter of a depthwise convolution as free to be re-laid-out, and neither
 * do we. */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct depthwise_conv2d_options {
    int64_t n, ci, hi, wi, co, kh, kw, ho, wo, sh, sw, dh, dw, cib, cob;
    const char *ph, *pw;
    int layout;
    struct epilogue tail;
    struct window side[2]; /* derived */
};

static const struct setting KEYS[] = {
    KEY_ONE(struct depthwise_conv2d_options, n, "batch"),
    KEY_NEEDED(struct depthwise_conv2d_options, ci, "input channels"),
    KEY_NEEDED(struct depthwise_conv2d_options, hi, "input height"),
    KEY_NEEDED(struct depthwise_conv2d_options, wi, "input width"),
    KEY_ZERO(struct depthwise_conv2d_options, co, "output channels, a multiple of ci; ci unless given"),
    KEY_NEEDED(struct depthwise_conv2d_options, kh, "filter height"),
    KEY_NEEDED(struct depthwise_conv2d_options, kw, "filter width"),
    KEY_ZERO(struct depthwise_conv2d_options, ho, "output height; follows from the others"),
    KEY_ZERO(struct depthwise_conv2d_options, wo, "output width; follows from the others"),
    WINDOW_KEYS(struct depthwise_conv2d_options),
    KEY_ZERO(struct depthwise_conv2d_options, cib, "input channels in a block (layout nchwc)"),
    KEY_ZERO(struct depthwise_conv2d_options, cob, "output channels in a block (layout nchwc)"),
    KEY_CHOICE(struct depthwise_conv2d_options, layout, "layout of the data", "auto", LAYOUT_NAMES),
    EPILOGUE_KEYS(struct depthwise_conv2d_options, tail),
    {0},
};

static bool solve(struct graph *g, struct depthwise_conv2d_options *c, struct err *err)
{
    if (!window_layout(&c->layout, c->cib || c->cob, err) || !epilogue_check(&c->tail, err))
        return false;
    if (c->co == 0)
        c->co = c->ci;
    if (c->co % c->ci)
        return err_set(err, "co=%lld is not a multiple of ci=%lld", (long long)c->co, (long long)c->ci);
    if (c->layout == LAYOUT_NCHWC &&
        (!window_block("cib", c->cib, "ci", c->ci, err) || !window_block("cob", c->cob, "co", c->co, err)))
        return false;
    c->side[0] = (struct window){.in = c->hi, .kernel = c->kh, .stride = c->sh, .dilation = c->dh};
    c->side[1] = (struct window){.in = c->wi, .kernel = c->kw, .stride = c->sw, .dilation = c->dw};
    return window_solve(g->arena, &c->side[0], 'h', &c->ph, &c->ho, err) &&
           window_solve(g->arena, &c->side[1], 'w', &c->pw, &c->wo, err);
}

/* Blocked: axes b, oco, oh, ow, oci; kh, kw. */
static const struct op *blocked(struct graph *g, const struct depthwise_conv2d_options *c)
{
    struct arena *a = g->arena;
    int64_t shape[GRAPH_DIMS];
    int ndim = window_shape(LAYOUT_NCHWC, c->n, c->ci, c->hi, c->wi, c->cib, shape);
    const struct op *data = graph_input(g, NULL, ndim, shape);
    const struct op *filter = graph_weight(g, NULL, 6, (int64_t[]){c->co / c->cob, 1, c->kh, c->kw, 1, c->cob});
    if (window_padded(c->side))
        data = window_pad(g, data, &(struct padding){"PaddedInput", PAD_CONV, 2, 2, c->side, 0});
    const struct axis axes[] = {{"b", c->n},     {"oco", c->co / c->cob}, {"oh", c->ho}, {"ow", c->wo},
                                {"oci", c->cob}, {"kh", c->kh},           {"kw", c->kw}};
    const struct expr *x[7], *zero = expr_int(a, 0);
    graph_index(g, x, 7);
    const struct expr *out = expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, x[1], c->cob), x[4]);
    const struct expr *in = expr_fold_int(a, EXPR_FLOORDIV, out, c->co / c->ci);
    return graph_product(
        g,
        (struct op){
            .name = "DepthwiseConv2d", .tag = "depthwise_conv2d_NCHWc", .axes = axes, .nspatial = 5, .nreduce = 2},
        graph_read(g, data, x[0], expr_fold_int(a, EXPR_FLOORDIV, in, c->cib), window_index(g, &c->side[0], 2, 5),
                   window_index(g, &c->side[1], 3, 6), expr_fold_int(a, EXPR_FLOORMOD, in, c->cib)),
        graph_read(g, filter, x[1], zero, x[5], x[6], zero, x[4]));
}

/* Input channel of output channel c, and which of its outputs that is. */
static void split_channel(struct graph *g, const struct depthwise_conv2d_options *c, const struct expr *x,
                          const struct expr **in, const struct expr **which)
{
    *in = expr_fold_int(g->arena, EXPR_FLOORDIV, x, c->co / c->ci);
    *which = expr_fold_int(g->arena, EXPR_FLOORMOD, x, c->co / c->ci);
}

/* NCHW: axes b, c, i, j; di, dj. */
static const struct op *plain_nchw(struct graph *g, const struct depthwise_conv2d_options *c)
{
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){c->n, c->ci, c->hi, c->wi});
    const struct op *filter = graph_weight(g, NULL, 4, (int64_t[]){c->ci, c->co / c->ci, c->kh, c->kw});
    data = window_pad(g, data, &(struct padding){"PaddedInput", PAD_CONV, 2, 2, c->side, 0});
    const struct axis axes[] = {{"b", c->n}, {"c", c->co}, {"i", c->ho}, {"j", c->wo}, {"di", c->kh}, {"dj", c->kw}};
    const struct expr *x[6], *in, *which;
    graph_index(g, x, 6);
    split_channel(g, c, x[1], &in, &which);
    return graph_product(
        g, (struct op){.name = "DepthwiseConv2d", .tag = "depthwise_conv2d", .axes = axes, .nspatial = 4, .nreduce = 2},
        graph_read(g, data, x[0], in, window_index(g, &c->side[0], 2, 4), window_index(g, &c->side[1], 3, 5)),
        graph_read(g, filter, in, which, x[4], x[5]));
}

/* NHWC: axes b, i, j, c; di, dj. */
static const struct op *plain_nhwc(struct graph *g, const struct depthwise_conv2d_options *c)
{
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){c->n, c->hi, c->wi, c->ci});
    const struct op *filter = graph_weight(g, NULL, 4, (int64_t[]){c->kh, c->kw, c->ci, c->co / c->ci});
    data = window_pad(g, data, &(struct padding){"PaddedInput", PAD_CONV, 1, 2, c->side, 0});
    const struct axis axes[] = {{"b", c->n}, {"i", c->ho}, {"j", c->wo}, {"c", c->co}, {"di", c->kh}, {"dj", c->kw}};
    const struct expr *x[6], *in, *which;
    graph_index(g, x, 6);
    split_channel(g, c, x[3], &in, &which);
    return graph_product(
        g, (struct op){.name = "DepthwiseConv2d", .tag = "depthwise_conv2d", .axes = axes, .nspatial = 4, .nreduce = 2},
        graph_read(g, data, x[0], window_index(g, &c->side[0], 1, 4), window_index(g, &c->side[1], 2, 5), in),
        graph_read(g, filter, x[4], x[5], in, which));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct depthwise_conv2d_options *c = options;
    int64_t channels[GRAPH_DIMS];
    if (!solve(g, c, err))
        return false;
    window_shape((enum tensor_layout)c->layout, 1, c->co, 1, 1, c->cob, channels);
    const struct op *out = c->layout == LAYOUT_NCHWC  ? blocked(g, c)
                           : c->layout == LAYOUT_NCHW ? plain_nchw(g, c)
                                                      : plain_nhwc(g, c);
    epilogue_add(g, &c->tail, out, channels);
    g->name = arena_printf(g->arena, "depthwise %lldx%lldx%lld %lldx%lld/%lld%s", (long long)c->ci, (long long)c->hi,
                           (long long)c->wi, (long long)c->kh, (long long)c->kw, (long long)c->sh,
                           epilogue_name(g->arena, &c->tail));
    return true;
}

OPERATOR(depthwise_conv2d, "depthwise convolution with its epilogue", struct depthwise_conv2d_options, build);

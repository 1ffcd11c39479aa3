/* SPDX-License-Identifier: Apache-2.0 */
/* op_conv2d: two-dimensional convolution with its epilogue, in the blocked layout NCHWc of the paper's x86 runs, in
 * NCHW and in NHWC, as TVM's topi defines them: data_pad only where something is padded, but pad_temp always.
 *
 * Groups in the blocked layout are ours (the input block must divide the channels of a group); in the other layouts
 * they are topi's. The filter may be re-laid-out for the loop nest (harness/program/lower/layout_rewrite.h). */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct conv2d_options {
    int64_t n, ci, hi, wi, co, kh, kw, ho, wo, sh, sw, dh, dw, groups, cib, cob;
    const char *ph, *pw;
    int layout, dtype;
    struct epilogue tail;
    struct window side[2]; /* derived */
};

static const struct setting KEYS[] = {
    CONV2D_KEYS(struct conv2d_options),
    WINDOW_KEYS(struct conv2d_options),
    KEY_ONE(struct conv2d_options, groups, "groups"),
    KEY_ZERO(struct conv2d_options, cib, "input channels in a block (layout nchwc)"),
    KEY_ZERO(struct conv2d_options, cob, "output channels in a block (layout nchwc)"),
    KEY_CHOICE(struct conv2d_options, layout, "layout of the data", "auto", LAYOUT_NAMES),
    EPILOGUE_KEYS(struct conv2d_options, tail),
    KEY_INPUTS(struct conv2d_options, dtype),
    {0},
};

static bool check_channels(const struct conv2d_options *c, struct err *err)
{
    if (c->ci % c->groups || c->co % c->groups)
        return err_set(err, "groups=%lld does not divide ci=%lld and co=%lld", (long long)c->groups, (long long)c->ci,
                       (long long)c->co);
    if (c->layout != LAYOUT_NCHWC)
        return true;
    return window_block("cib", c->cib, c->groups > 1 ? "ci/groups" : "ci", c->ci / c->groups, err) &&
           window_block("cob", c->cob, "co", c->co, err);
}

static bool solve(struct graph *g, struct conv2d_options *c, struct err *err)
{
    if (!window_layout(&c->layout, c->cib || c->cob, err) || !check_channels(c, err) || !epilogue_check(&c->tail, err))
        return false;
    c->side[0] = (struct window){.in = c->hi, .kernel = c->kh, .stride = c->sh, .dilation = c->dh};
    c->side[1] = (struct window){.in = c->wi, .kernel = c->kw, .stride = c->sw, .dilation = c->dw};
    return window_solve(g->arena, &c->side[0], 'h', &c->ph, &c->ho, err) &&
           window_solve(g->arena, &c->side[1], 'w', &c->pw, &c->wo, err);
}

/* Blocked: axes n, oc_chunk, oh, ow, oc_block; ic, kh, kw. */
static const struct op *blocked(struct graph *g, const struct conv2d_options *c)
{
    struct arena *a = g->arena;
    int64_t shape[GRAPH_DIMS], in_group = c->ci / c->groups;
    int ndim = window_shape(LAYOUT_NCHWC, c->n, c->ci, c->hi, c->wi, c->cib, shape);
    const struct op *data = graph_input(g, NULL, ndim, shape);
    const struct op *filter =
        graph_weight(g, NULL, 6, (int64_t[]){c->co / c->cob, in_group / c->cib, c->kh, c->kw, c->cib, c->cob});
    if (window_padded(c->side))
        data = window_pad(g, data, &(struct padding){"data_pad", PAD_CONV, 2, 2, c->side, 0});
    const struct axis axes[] = {{"n", c->n},          {"oc_chunk", c->co / c->cob},
                                {"oh", c->ho},        {"ow", c->wo},
                                {"oc_block", c->cob}, {"ic", in_group},
                                {"kh", c->kh},        {"kw", c->kw}};
    const struct expr *x[8];
    graph_index(g, x, 8);
    const struct expr *chunk = expr_fold_int(a, EXPR_FLOORDIV, x[5], c->cib);
    const struct expr *block = expr_fold_int(a, EXPR_FLOORMOD, x[5], c->cib), *from = chunk;
    if (c->groups > 1) {
        const struct expr *out = expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, x[1], c->cob), x[4]);
        const struct expr *group = expr_fold_int(a, EXPR_FLOORDIV, out, c->co / c->groups);
        from = expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, group, in_group / c->cib), chunk);
    }
    return graph_product(
        g,
        (struct op){
            .name = "conv2d_NCHWc", .tag = "conv2d_NCHWc", .axes = axes, .nspatial = 5, .nreduce = 3, .nrewritten = 1},
        graph_read(g, data, x[0], from, window_index(g, &c->side[0], 2, 6), window_index(g, &c->side[1], 3, 7), block),
        graph_read(g, filter, x[1], chunk, x[6], x[7], block, x[4]));
}

/* Input channel that output channel ff and reduce axis rc of a plain layout read. */
static const struct expr *plain_channel(struct graph *g, const struct conv2d_options *c, const struct expr *ff,
                                        const struct expr *rc)
{
    if (c->groups == 1)
        return rc;
    const struct expr *group = expr_fold_int(g->arena, EXPR_FLOORDIV, ff, c->co / c->groups);
    return expr_fold(g->arena, EXPR_ADD, expr_fold_int(g->arena, EXPR_MUL, group, c->ci / c->groups), rc);
}

/* NCHW: axes nn, ff, yy, xx; rc, ry, rx. */
static const struct op *plain_nchw(struct graph *g, const struct conv2d_options *c)
{
    const char *name = c->groups > 1 ? "group_conv2d_nchw" : "conv2d_nchw";
    int64_t in_group = c->ci / c->groups;
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){c->n, c->ci, c->hi, c->wi});
    const struct op *filter = graph_weight(g, NULL, 4, (int64_t[]){c->co, in_group, c->kh, c->kw});
    data = window_pad(g, data, &(struct padding){"pad_temp", PAD_CONV, 2, 2, c->side, 0});
    const struct axis axes[] = {{"nn", c->n},     {"ff", c->co}, {"yy", c->ho}, {"xx", c->wo},
                                {"rc", in_group}, {"ry", c->kh}, {"rx", c->kw}};
    const struct expr *x[7];
    graph_index(g, x, 7);
    return graph_product(
        g, (struct op){.name = name, .tag = name, .axes = axes, .nspatial = 4, .nreduce = 3, .nrewritten = 1},
        graph_read(g, data, x[0], plain_channel(g, c, x[1], x[4]), window_index(g, &c->side[0], 2, 5),
                   window_index(g, &c->side[1], 3, 6)),
        graph_read(g, filter, x[1], x[4], x[5], x[6]));
}

/* NHWC with filters as HWIO: axes nn, yy, xx, ff; ry, rx, rc. */
static const struct op *plain_nhwc(struct graph *g, const struct conv2d_options *c)
{
    const char *name = c->groups > 1 ? "group_conv2d_nhwc" : "conv2d_nhwc";
    int64_t in_group = c->ci / c->groups;
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){c->n, c->hi, c->wi, c->ci});
    const struct op *filter = graph_weight(g, NULL, 4, (int64_t[]){c->kh, c->kw, in_group, c->co});
    data = window_pad(g, data, &(struct padding){"pad_temp", PAD_CONV, 1, 2, c->side, 0});
    const struct axis axes[] = {{"nn", c->n},  {"yy", c->ho}, {"xx", c->wo},   {"ff", c->co},
                                {"ry", c->kh}, {"rx", c->kw}, {"rc", in_group}};
    const struct expr *x[7];
    graph_index(g, x, 7);
    return graph_product(
        g, (struct op){.name = name, .tag = name, .axes = axes, .nspatial = 4, .nreduce = 3, .nrewritten = 1},
        graph_read(g, data, x[0], window_index(g, &c->side[0], 1, 4), window_index(g, &c->side[1], 2, 5),
                   plain_channel(g, c, x[3], x[6])),
        graph_read(g, filter, x[4], x[5], x[6], x[3]));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct conv2d_options *c = options;
    int64_t channels[GRAPH_DIMS];
    if (!solve(g, c, err))
        return false;
    window_shape((enum tensor_layout)c->layout, 1, c->co, 1, 1, c->cob, channels);
    g->inputs = graph_input_type(c->dtype);
    const struct op *out = c->layout == LAYOUT_NCHWC  ? blocked(g, c)
                           : c->layout == LAYOUT_NCHW ? plain_nchw(g, c)
                                                      : plain_nhwc(g, c);
    g->inputs = DTYPE_F32;
    epilogue_add(g, &c->tail, out, channels);
    g->name = arena_printf(g->arena, "conv2d %lldx%lldx%lld -> %lld %lldx%lld/%lld%s%s%s%s", (long long)c->ci,
                           (long long)c->hi, (long long)c->wi, (long long)c->co, (long long)c->kh, (long long)c->kw,
                           (long long)c->sh, c->dh > 1 ? arena_printf(g->arena, " d%lld", (long long)c->dh) : "",
                           c->groups > 1 ? arena_printf(g->arena, " g%lld", (long long)c->groups) : "",
                           epilogue_name(g->arena, &c->tail), c->dtype ? " float16" : "");
    return true;
}

OPERATOR(conv2d, "two-dimensional convolution with its epilogue", struct conv2d_options, build);

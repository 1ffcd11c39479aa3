/* SPDX-License-Identifier: Apache-2.0 */
/* op_conv2d_transpose: transposed two-dimensional convolution in NCHW with its epilogue, filters as IOHW. As topi makes
 * it for any target (nn/conv2d_transpose.py: the input spread out by the stride, padded, and convolved with the
 * turned filter), or as it makes it for CUDA (cuda/conv2d_transpose_nchw.py: one padding stage, the filter turned where
 * it is read), or as for x86 (x86/conv2d_transpose.py: the generic stages, blocked, a convolution in NCHWc, and
 * unblocked). ho = (hi - 1) * sh + kh - padding + oh. */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct transpose_options {
    int64_t n, ci, hi, wi, co, kh, kw, ho, wo, sh, sw, oh, ow, cib, cob;
    const char *ph, *pw;
    int form;
    struct epilogue tail;
    struct window side[2]; /* derived: what the stride-1 convolution does on the spread input */
};

enum form { FORM_GENERIC, FORM_CUDA, FORM_X86 };
static const char *const FORMS[] = {"generic", "cuda", "x86", NULL};

static const struct setting KEYS[] = {
    CONV2D_KEYS(struct transpose_options),
    KEY_ONE(struct transpose_options, sh, "stride in height"),
    KEY_ONE(struct transpose_options, sw, "stride in width"),
    KEY_PAD(struct transpose_options, ph, "padding in height, 'top,bottom' when they differ"),
    KEY_PAD(struct transpose_options, pw, "padding in width, 'left,right' when they differ"),
    KEY_ZERO(struct transpose_options, oh, "rows added to the output's height"),
    KEY_ZERO(struct transpose_options, ow, "columns added to the output's width"),
    KEY_ZERO(struct transpose_options, cib, "input channels in a block (form x86)"),
    KEY_ZERO(struct transpose_options, cob, "output channels in a block (form x86)"),
    KEY_CHOICE(struct transpose_options, form, "for which target topi's stages are", "generic", FORMS),
    EPILOGUE_KEYS(struct transpose_options, tail),
    {0},
};

/* The padding of the convolution on the spread input, kernel - 1 - padding on each side, and the size of the output. */
static bool solve_side(struct arena *a, struct window *w, char suffix, int64_t extra, const char **pad,
                       int64_t *out_key, struct err *err)
{
    const char pad_key[] = {'p', suffix, 0};
    struct window given = {.in = KEY_MOST, .kernel = 1, .stride = 1, .dilation = 1};
    int64_t ignored = 0, stride = w->stride;
    if (!window_solve(a, &given, suffix, pad, &ignored, err))
        return false;
    if (given.before >= w->kernel || given.after >= w->kernel)
        return err_set(err, "key '%s' is %s, a transposed convolution pads less than its window of %lld", pad_key, *pad,
                       (long long)w->kernel);
    if (extra >= stride)
        return err_set(err, "key 'o%c' is %lld, which must be less than the stride of %lld", suffix, (long long)extra,
                       (long long)stride);
    const char *inner = arena_printf(a, "%lld,%lld", (long long)(w->kernel - 1 - given.before),
                                     (long long)(w->kernel - 1 - given.after + extra));
    w->in = (w->in - 1) * stride + 1;
    w->stride = 1;
    bool fits = window_solve(a, w, suffix, &inner, out_key, err);
    w->stride = stride;
    return fits;
}

static bool solve(struct graph *g, struct transpose_options *c, struct err *err)
{
    if (!epilogue_check(&c->tail, err))
        return false;
    if (c->form != FORM_X86 && (c->cib || c->cob))
        return err_set(err, "a channel block is given, but the form is '%s'", FORMS[c->form]);
    if (c->form == FORM_X86 &&
        (!window_block("cib", c->cib, "ci", c->ci, err) || !window_block("cob", c->cob, "co", c->co, err)))
        return false;
    c->side[0] = (struct window){.in = c->hi, .kernel = c->kh, .stride = c->sh, .dilation = 1};
    c->side[1] = (struct window){.in = c->wi, .kernel = c->kw, .stride = c->sw, .dilation = 1};
    return solve_side(g->arena, &c->side[0], 'h', c->oh, &c->ph, &c->ho, err) &&
           solve_side(g->arena, &c->side[1], 'w', c->ow, &c->pw, &c->wo, err);
}

static const struct expr *both(struct arena *a, const struct expr *x, const struct expr *y)
{
    return !x ? y : !y ? x : expr_fold(a, EXPR_AND, x, y);
}

/* Is the axis, less `from`, a multiple of the stride? NULL: always. */
static const struct expr *on_stride(struct arena *a, const struct expr *x, int64_t stride)
{
    return stride == 1 ? NULL : expr_fold_int(a, EXPR_EQ, expr_fold_int(a, EXPR_FLOORMOD, x, stride), 0);
}

/* data_dilate(i0, ..., i3): zeros between the elements. */
static const struct op *dilate(struct graph *g, const struct transpose_options *c, const struct op *data)
{
    struct arena *a = g->arena;
    struct axis axes[GRAPH_DIMS];
    const struct expr *x[4];
    if (c->sh == 1 && c->sw == 1)
        return data;
    graph_axes(g, data, "i", axes);
    axes[2].extent = c->side[0].in;
    axes[3].extent = c->side[1].in;
    graph_index(g, x, 4);
    const struct expr *cond = both(a, on_stride(a, x[2], c->sh), on_stride(a, x[3], c->sw));
    const struct expr *v = graph_read(g, data, x[0], x[1], expr_fold_int(a, EXPR_FLOORDIV, x[2], c->sh),
                                      expr_fold_int(a, EXPR_FLOORDIV, x[3], c->sw));
    v = expr_make3(a, EXPR_IF, cond, v, expr_float(a, DTYPE_F32, 0));
    return graph_map(g, "data_dilate", "injective,dilate", axes, 4, v);
}

/* kernel_transform(o, i, h, w): the filter turned, output channels first. */
static const struct op *turned(struct graph *g, const struct transpose_options *c, const struct op *filter)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {{"o", c->co}, {"i", c->ci}, {"h", c->kh}, {"w", c->kw}};
    const struct expr *h = expr_fold(a, EXPR_SUB, expr_int(a, c->kh - 1), expr_axis(a, 2)),
                      *w = expr_fold(a, EXPR_SUB, expr_int(a, c->kw - 1), expr_axis(a, 3));
    return graph_map(g, "kernel_transform", NULL, axes, 4,
                     graph_read(g, filter, expr_axis(a, 1), expr_axis(a, 0), h, w));
}

/* Adds the tests that padded position x of a side comes from an element, as CUDA's one stage has them. */
static const struct expr *inside(struct arena *a, const struct window *w, const struct expr *x, const struct expr *cond)
{
    cond = both(a, cond, expr_fold_int(a, EXPR_GE, x, w->before));
    cond = both(a, cond, expr_fold_int(a, EXPR_LT, x, w->in + w->before));
    return both(a, cond, on_stride(a, expr_fold_int(a, EXPR_SUB, x, w->before), w->stride));
}

/* data_pad(n, c, y, x): spread and padded at once; x is tested first. */
static const struct op *spread(struct graph *g, const struct transpose_options *c, const struct op *data)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {{"n", c->n},
                                {"c", c->ci},
                                {"y", c->side[0].in + c->side[0].before + c->side[0].after},
                                {"x", c->side[1].in + c->side[1].before + c->side[1].after}};
    const struct expr *y = expr_axis(a, 2), *x = expr_axis(a, 3);
    const struct expr *cond = inside(a, &c->side[0], y, inside(a, &c->side[1], x, NULL));
    const struct expr *row = expr_fold_int(a, EXPR_FLOORDIV, expr_fold_int(a, EXPR_SUB, y, c->side[0].before), c->sh),
                      *column =
                          expr_fold_int(a, EXPR_FLOORDIV, expr_fold_int(a, EXPR_SUB, x, c->side[1].before), c->sw);
    const struct expr *v = graph_read(g, data, expr_axis(a, 0), expr_axis(a, 1), row, column);
    v = expr_make3(a, EXPR_IF, cond, v, expr_float(a, DTYPE_F32, 0));
    return graph_map(g, "data_pad", "injective", axes, 4, v);
}

/* compute(b, c, h, w) += padded[b, dc, h + dh, w + dw] * filter[...] */
static const struct op *convolve(struct graph *g, const struct transpose_options *c, const struct op *data,
                                 const struct op *filter)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {{"b", c->n},   {"c", c->co},  {"h", c->ho}, {"w", c->wo},
                                {"dc", c->ci}, {"dh", c->kh}, {"dw", c->kw}};
    const struct expr *x[7];
    graph_index(g, x, 7);
    const struct expr *from = x[4], *to = x[1];
    if (c->form == FORM_CUDA) { /* indices of groups, of which there is one */
        from = expr_fold_int(a, EXPR_MUL, expr_fold_int(a, EXPR_FLOORDIV, x[1], c->co), c->ci);
        from = expr_fold(a, EXPR_ADD, from, x[4]);
        to = expr_fold_int(a, EXPR_FLOORMOD, x[1], c->co);
    }
    const struct expr *v =
        graph_read(g, data, x[0], from, expr_fold(a, EXPR_ADD, x[2], x[5]), expr_fold(a, EXPR_ADD, x[3], x[6]));
    const struct expr *f = c->form == FORM_GENERIC
                               ? graph_read(g, filter, x[1], x[4], x[5], x[6])
                               : graph_read(g, filter, from, to, expr_fold(a, EXPR_SUB, expr_int(a, c->kh - 1), x[5]),
                                            expr_fold(a, EXPR_SUB, expr_int(a, c->kw - 1), x[6]));
    return graph_product(
        g, (struct op){.name = "compute", .tag = "conv2d_transpose_nchw", .axes = axes, .nspatial = 4, .nreduce = 3}, v,
        f);
}

/* data_vec(bs, c, h, w, vc): channels in blocks. */
static const struct op *blocked_data(struct graph *g, const struct transpose_options *c, const struct op *data)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {
        {"bs", c->n}, {"c", c->ci / c->cib}, {"h", data->axes[2].extent}, {"w", data->axes[3].extent}, {"vc", c->cib}};
    const struct expr *channel =
        expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, expr_axis(a, 1), c->cib), expr_axis(a, 4));
    return graph_map(g, "data_vec", NULL, axes, 5,
                     graph_read(g, data, expr_axis(a, 0), channel, expr_axis(a, 2), expr_axis(a, 3)));
}

/* kernel_vec(occ, icc, k_h, k_w, icb, ocb): both channels in blocks. */
static const struct op *blocked_filter(struct graph *g, const struct transpose_options *c, const struct op *filter)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {{"occ", c->co / c->cob}, {"icc", c->ci / c->cib}, {"k_h", c->kh},
                                {"k_w", c->kw},          {"icb", c->cib},         {"ocb", c->cob}};
    const struct expr *x[6];
    graph_index(g, x, 6);
    const struct expr *out = expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, x[0], c->cob), x[5]),
                      *in = expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, x[1], c->cib), x[4]);
    return graph_map(g, "kernel_vec", NULL, axes, 6, graph_read(g, filter, out, in, x[2], x[3]));
}

/* conv2d_NCHWc over blocks, then output_unpack. */
static const struct op *convolve_blocks(struct graph *g, const struct transpose_options *c, const struct op *data,
                                        const struct op *filter)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {{"n", c->n},          {"oc_chunk", c->co / c->cob},
                                {"oh", c->ho},        {"ow", c->wo},
                                {"oc_block", c->cob}, {"ic", c->ci},
                                {"kh", c->kh},        {"kw", c->kw}},
                      plain[] = {{"n", c->n}, {"c", c->co}, {"h", c->ho}, {"w", c->wo}};
    const struct expr *x[8];
    graph_index(g, x, 8);
    const struct expr *chunk = expr_fold_int(a, EXPR_FLOORDIV, x[5], c->cib),
                      *block = expr_fold_int(a, EXPR_FLOORMOD, x[5], c->cib);
    const struct expr *v =
        graph_read(g, data, x[0], chunk, expr_fold(a, EXPR_ADD, x[2], x[6]), expr_fold(a, EXPR_ADD, x[3], x[7]), block);
    const struct expr *f = graph_read(g, filter, x[1], chunk, x[6], x[7], block, x[4]);
    const struct op *out = graph_product(
        g, (struct op){.name = "conv2d_NCHWc", .tag = "conv2d_NCHWc", .axes = axes, .nspatial = 5, .nreduce = 3}, v, f);
    return graph_map(g, "output_unpack", "conv2d_transpose_nchw", plain, 4,
                     graph_read(g, out, x[0], expr_fold_int(a, EXPR_FLOORDIV, x[1], c->cob), x[2], x[3],
                                expr_fold_int(a, EXPR_FLOORMOD, x[1], c->cob)));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct transpose_options *c = options;
    if (!solve(g, c, err))
        return false;
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){c->n, c->ci, c->hi, c->wi});
    const struct op *filter = graph_weight(g, NULL, 4, (int64_t[]){c->ci, c->co, c->kh, c->kw});
    if (c->form != FORM_CUDA) {
        data = window_pad(g, dilate(g, c, data), &(struct padding){"data_pad", PAD_CONV, 2, 2, c->side, 0});
        if (c->form == FORM_X86)
            data = blocked_data(g, c, data);
        filter = turned(g, c, filter);
        if (c->form == FORM_X86)
            filter = blocked_filter(g, c, filter);
    } else {
        data = spread(g, c, data);
    }
    const struct op *out = c->form == FORM_X86 ? convolve_blocks(g, c, data, filter) : convolve(g, c, data, filter);
    epilogue_add(g, &c->tail, out, (int64_t[]){1, c->co, 1, 1});
    g->name = arena_printf(g->arena, "conv2d_transpose %lldx%lldx%lld -> %lld %lldx%lld/%lld%s", (long long)c->ci,
                           (long long)c->hi, (long long)c->wi, (long long)c->co, (long long)c->kh, (long long)c->kw,
                           (long long)c->sh, epilogue_name(g->arena, &c->tail));
    return true;
}

OPERATOR(conv2d_transpose, "transposed two-dimensional convolution with its epilogue", struct transpose_options, build);

/* SPDX-License-Identifier: Apache-2.0 */
/* window: sizes and padding of sliding windows, as TVM's operator library (topi) defines them. */
#include "harness/program/ops/window.h"

#include "harness/base/text.h"

#include <string.h>

const char *const LAYOUT_NAMES[] = {"auto", "nchwc", "nchw", "nhwc", NULL};

enum { MOST_PAD = 1 << 20 };

static bool parse_pad(struct arena *a, struct window *w, const char *key, const char **pad, struct err *err)
{
    const char *comma = strchr(*pad, ',');
    int64_t before, after;
    const char *first = comma ? arena_strn(a, *pad, (size_t)(comma - *pad)) : *pad;
    if (!str_int(first, &before) || !str_int(comma ? comma + 1 : first, &after) || before < 0 || after < 0 ||
        before > MOST_PAD || after > MOST_PAD)
        return err_set(err, "key '%s' is '%s', must be a padding such as '1', or '0,1' where the sides differ", key,
                       *pad);
    w->before = before;
    w->after = after;
    *pad = before == after ? arena_printf(a, "%lld", (long long)before)
                           : arena_printf(a, "%lld,%lld", (long long)before, (long long)after);
    return true;
}

bool window_solve(struct arena *a, struct window *w, char suffix, const char **pad, int64_t *out_key, struct err *err)
{
    const char pad_key[] = {'p', suffix, 0}, out_name[] = {suffix, 'o', 0};
    if (!parse_pad(a, w, pad_key, pad, err))
        return false;
    int64_t padded = w->in + w->before + w->after, reach = (w->kernel - 1) * w->dilation + 1;
    if (padded < reach)
        return err_set(err, "the output size '%s' would be less than 1: a window of %lld on an input of %lld", out_name,
                       (long long)reach, (long long)padded);
    w->out = (padded - reach) / w->stride + 1;
    if (*out_key && *out_key != w->out)
        return err_set(err, "key '%s' is %lld, but the other keys give %lld", out_name, (long long)*out_key,
                       (long long)w->out);
    *out_key = w->out;
    return true;
}

bool window_layout(int *layout, bool blocked, struct err *err)
{
    if (*layout == LAYOUT_AUTO)
        *layout = blocked ? LAYOUT_NCHWC : LAYOUT_NCHW;
    if (blocked != (*layout == LAYOUT_NCHWC))
        return err_set(err,
                       blocked ? "a channel block is given, but the layout is '%s'"
                               : "layout '%s' needs channel blocks (cib and cob, or cb)",
                       LAYOUT_NAMES[*layout]);
    return true;
}

bool window_block(const char *key, int64_t block, const char *of, int64_t channels, struct err *err)
{
    if (block < 1)
        return err_set(err, "key '%s' is missing: the blocked layout needs it", key);
    if (channels % block)
        return err_set(err, "key '%s' is %lld, which does not divide %s=%lld", key, (long long)block, of,
                       (long long)channels);
    return true;
}

int window_shape(enum tensor_layout l, int64_t n, int64_t c, int64_t h, int64_t w, int64_t block,
                 int64_t shape[GRAPH_DIMS])
{
    const int64_t nchwc[] = {n, block ? c / block : 0, h, w, block}, nchw[] = {n, c, h, w}, nhwc[] = {n, h, w, c};
    int ndim = l == LAYOUT_NCHWC ? 5 : 4;
    memcpy(shape, l == LAYOUT_NCHWC ? nchwc : l == LAYOUT_NCHW ? nchw : nhwc, (size_t)ndim * sizeof shape[0]);
    return ndim;
}

bool window_padded(const struct window side[2])
{
    return side[0].before || side[0].after || side[1].before || side[1].after;
}

/* Adds the tests of one dimension to cond and returns the index into the unpadded tensor. */
static const struct expr *pad_dim(struct graph *g, enum pad_style style, const struct window *w, int axis,
                                  const struct expr **cond)
{
    struct arena *a = g->arena;
    const struct expr *x = expr_axis(a, axis);
    bool both = style == PAD_CONV && (w->before || w->after);
    const struct expr *tests[2] = {NULL, NULL};
    if (both || w->before)
        tests[0] = expr_fold_int(a, EXPR_GE, x, w->before);
    if (both || w->after)
        tests[1] = expr_fold_int(a, EXPR_LT, x, w->in + w->before);
    for (int i = 0; i < 2; i++)
        if (tests[i])
            *cond = *cond ? expr_fold(a, EXPR_AND, *cond, tests[i]) : tests[i];
    return expr_fold_int(a, EXPR_SUB, x, w->before);
}

const struct op *window_pad(struct graph *g, const struct op *data, const struct padding *p)
{
    struct axis axes[GRAPH_DIMS];
    const struct expr *index[GRAPH_DIMS], *cond = NULL;
    graph_axes(g, data, p->style == PAD_CONV ? "i" : "ax", axes);
    for (int i = 0; i < data->nspatial; i++) {
        const struct window *here = i >= p->first && i < p->first + p->n ? &p->side[i - p->first] : NULL;
        index[i] = here ? pad_dim(g, p->style, here, i, &cond) : expr_axis(g->arena, i);
        if (here)
            axes[i].extent += here->before + here->after;
    }
    const struct expr *body = graph_load(g, data, index);
    if (cond)
        body = expr_make3(g->arena, EXPR_IF, cond, body, expr_float(g->arena, data->dtype, p->value));
    return graph_map(g, p->name, "injective,pad", axes, data->nspatial, body);
}

const struct expr *window_index(struct graph *g, const struct window *w, int out_axis, int kernel_axis)
{
    struct arena *a = g->arena;
    return expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, expr_axis(a, out_axis), w->stride),
                     expr_fold_int(a, EXPR_MUL, expr_axis(a, kernel_axis), w->dilation));
}

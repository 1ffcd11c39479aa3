/* SPDX-License-Identifier: Apache-2.0 */
/* op_im2col: convolution in NCHW as one product of matrices, as the Pruner paper's authors write it (qiaolian9/Pruner
 * at 0760c3f, scripts/test_config/conv_expr.py, fused_conv_expr_*): data_pad has a column for each output position,
 * with the inputs that it needs, kernel_pad a row for each filter; conv multiplies them and conv_unpad copies. The
 * output is co x (n * ho * wo). Nothing is padded. Their conditions, which always hold, are here, too: without them a
 * CPU's sketch would inline both matrices. Deviation: there the stages between are outputs as well, which changes no
 * sketch. */
#include "harness/program/ops/graph.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct im2col_options {
    int64_t n, ci, hi, wi, co, kh, kw, ho, wo, sh, sw;
    struct window side[2]; /* derived */
};

static const struct setting KEYS[] = {
    CONV2D_KEYS(struct im2col_options),
    KEY_ONE(struct im2col_options, sh, "stride in height"),
    KEY_ONE(struct im2col_options, sw, "stride in width"),
    {0},
};

enum { MOST_ENTRIES = 1 << 30 }; /* of data_pad */

static bool solve(struct graph *g, struct im2col_options *c, struct err *err)
{
    const char *none[2] = {"0", "0"};
    c->side[0] = (struct window){.in = c->hi, .kernel = c->kh, .stride = c->sh, .dilation = 1};
    c->side[1] = (struct window){.in = c->wi, .kernel = c->kw, .stride = c->sw, .dilation = 1};
    if (!window_solve(g->arena, &c->side[0], 'h', &none[0], &c->ho, err) ||
        !window_solve(g->arena, &c->side[1], 'w', &none[1], &c->wo, err))
        return false;
    double columns = (double)c->n * (double)c->ho * (double)c->wo, rows = (double)c->ci * (double)c->kh * (double)c->kw;
    return columns * rows <= MOST_ENTRIES ||
           err_set(err, "a matrix of more than %d elements: %.0f x %.0f", MOST_ENTRIES, rows, columns);
}

/* x: the row of data_pad, a channel and a place in the filter; its parts as numbers 0 to 2. */
static const struct expr *filter_part(struct arena *a, const struct im2col_options *c, const struct expr *x, int part)
{
    if (part == 0)
        return expr_fold_int(a, EXPR_FLOORDIV, x, c->kh * c->kw);
    return expr_fold_int(a, part == 1 ? EXPR_FLOORDIV : EXPR_FLOORMOD,
                         expr_fold_int(a, EXPR_FLOORMOD, x, c->kh * c->kw), c->kw);
}

static const struct expr *within(struct arena *a, const struct expr *x, int64_t most)
{
    return expr_fold_int(a, EXPR_LT, x, most);
}

static const struct op *guarded(struct graph *g, const char *name, const struct axis axes[2], const struct expr *cond,
                                const struct expr *value)
{
    const struct expr *body = expr_make3(g->arena, EXPR_IF, cond, value, expr_float(g->arena, DTYPE_F32, 0));
    return graph_map(g, name, name, axes, 2, body);
}

static const struct op *patches(struct graph *g, const struct im2col_options *c, int64_t rows, int64_t columns)
{
    struct arena *a = g->arena;
    const struct op *data = graph_input(g, "data", 4, (int64_t[]){c->n, c->ci, c->hi, c->wi});
    const struct axis axes[] = {{"ra_fused0", rows}, {"sa_fused0", columns}};
    const struct expr *x = expr_axis(a, 0), *y = expr_axis(a, 1);
    const struct expr *place = expr_fold_int(a, EXPR_FLOORMOD, y, c->ho * c->wo);
    const struct expr *h = expr_fold_int(a, EXPR_MUL, expr_fold_int(a, EXPR_FLOORDIV, place, c->wo), c->sh),
                      *w = expr_fold_int(a, EXPR_MUL, expr_fold_int(a, EXPR_FLOORMOD, place, c->wo), c->sw);
    const struct expr *cond = expr_fold(a, EXPR_AND, within(a, y, columns), within(a, x, rows));
    return guarded(g, "data_pad", axes, cond,
                   graph_read(g, data, expr_fold_int(a, EXPR_FLOORDIV, y, c->ho * c->wo), filter_part(a, c, x, 0),
                              expr_fold(a, EXPR_ADD, h, filter_part(a, c, x, 1)),
                              expr_fold(a, EXPR_ADD, w, filter_part(a, c, x, 2))));
}

static const struct op *filters(struct graph *g, const struct im2col_options *c, int64_t rows)
{
    struct arena *a = g->arena;
    const struct op *kernel = graph_weight(g, "kernel", 4, (int64_t[]){c->co, c->ci, c->kh, c->kw});
    const struct axis axes[] = {{"f", c->co}, {"ra_fused0", rows}};
    const struct expr *f = expr_axis(a, 0), *x = expr_axis(a, 1);
    return guarded(g, "kernel_pad", axes, expr_fold(a, EXPR_AND, within(a, f, c->co), within(a, x, rows)),
                   graph_read(g, kernel, f, filter_part(a, c, x, 0), filter_part(a, c, x, 1), filter_part(a, c, x, 2)));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct im2col_options *c = options;
    if (!solve(g, c, err))
        return false;
    int64_t rows = c->ci * c->kh * c->kw, columns = c->n * c->ho * c->wo;
    const struct op *data = patches(g, c, rows, columns), *kernel = filters(g, c, rows);
    const struct axis axes[] = {{"f", c->co}, {"sa_fused0", columns}, {"ra_fused0", rows}};
    const struct expr *f = expr_axis(g->arena, 0), *y = expr_axis(g->arena, 1), *x = expr_axis(g->arena, 2);
    const struct op *conv = graph_product(g, (struct op){.name = "conv", .axes = axes, .nspatial = 2, .nreduce = 1},
                                          graph_read(g, data, x, y), graph_read(g, kernel, f, x));
    graph_map(g, "conv_unpad", "conv_unpad", axes, 2, graph_read(g, conv, f, y));
    g->name = arena_printf(g->arena, "im2col %lldx%lldx%lldx%lld -> %lld %lldx%lld/%lld", (long long)c->n,
                           (long long)c->ci, (long long)c->hi, (long long)c->wi, (long long)c->co, (long long)c->kh,
                           (long long)c->kw, (long long)c->sh);
    return true;
}

OPERATOR(im2col, "convolution in NCHW as one product of matrices", struct im2col_options, build);

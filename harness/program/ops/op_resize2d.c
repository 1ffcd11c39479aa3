/* SPDX-License-Identifier: Apache-2.0 */
/* op_resize2d: bilinear resize, topi's image.resize2d with method linear: a weighted mean of the four nearest elements,
 * the outermost ones standing for those outside. One stage, "resize". Deviation: topi computes positions in float32,
 * also in indices; here they are whole numbers, exact, so that indices are affine. With t = floor(position) + 1, which
 * lies in 0 to `in`, the lower neighbour is t - 1 + [t = 0] and the upper one t - [t = in]. TVM tunes no such task, as
 * nothing is reduced. */
#include "harness/program/ops/graph.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"

struct resize_options {
    int64_t n, c, hi, wi, ho, wo;
    int layout, coords;
};

enum { RESIZE_NCHW, RESIZE_NHWC };
enum coords { HALF_PIXEL, ALIGN_CORNERS, ASYMMETRIC };
static const char *const LAYOUTS[] = {"nchw", "nhwc", NULL}, *const COORDS[] = {"half_pixel", "align_corners",
                                                                                "asymmetric", NULL};

static const struct setting KEYS[] = {
    KEY_ONE(struct resize_options, n, "batch"),
    KEY_NEEDED(struct resize_options, c, "channels"),
    KEY_NEEDED(struct resize_options, hi, "input height"),
    KEY_NEEDED(struct resize_options, wi, "input width"),
    KEY_NEEDED(struct resize_options, ho, "output height"),
    KEY_NEEDED(struct resize_options, wo, "output width"),
    KEY_CHOICE(struct resize_options, layout, "layout of the data", "nchw", LAYOUTS),
    KEY_CHOICE(struct resize_options, coords,
               "where an element lies: (i + 0.5) * in / out - 0.5, i * (in - 1) / (out - "
               "1), or i * in / out",
               "half_pixel", COORDS),
    {0},
};

struct neighbours {                        /* of an output position, in one dimension */
    const struct expr *low, *high, *share; /* share: of the upper one, a real number */
};

/* t = (factor * i + offset) / by, rounded down. */
static struct neighbours neighbours_of(struct arena *a, enum coords coords, int64_t in, int64_t out, int axis)
{
    int64_t by = coords == HALF_PIXEL ? 2 * out : coords == ASYMMETRIC ? out : out > 1 ? out - 1 : 1;
    int64_t factor = coords == HALF_PIXEL ? 2 * in : coords == ASYMMETRIC ? in : in - 1;
    int64_t offset = coords == HALF_PIXEL ? in + out : by;
    const struct expr *at = expr_fold_int(a, EXPR_MUL, expr_axis(a, axis), factor);
    at = expr_fold_int(a, EXPR_ADD, at, offset);
    const struct expr *t = expr_fold_int(a, EXPR_FLOORDIV, at, by);
    const struct expr *first = expr_fold_int(a, EXPR_FLOORDIV, expr_fold(a, EXPR_SUB, expr_int(a, in), t), in);
    const struct expr *part = expr_cast(a, DTYPE_F32, expr_fold_int(a, EXPR_FLOORMOD, at, by));
    return (struct neighbours){
        .low = expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_SUB, t, 1), first),
        .high = expr_fold(a, EXPR_SUB, t, expr_fold_int(a, EXPR_FLOORDIV, t, in)),
        .share = expr_make2(a, EXPR_MUL, part, expr_float(a, DTYPE_F32, 1 / (double)by)),
    };
}

/* x * (1 - share) + y * share */
static const struct expr *between(struct arena *a, const struct expr *x, const struct expr *y, const struct expr *share)
{
    const struct expr *rest = expr_make2(a, EXPR_SUB, expr_float(a, DTYPE_F32, 1), share);
    return expr_make2(a, EXPR_ADD, expr_make2(a, EXPR_MUL, x, rest), expr_make2(a, EXPR_MUL, y, share));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    (void)err;
    const struct resize_options *c = options;
    struct arena *a = g->arena;
    bool last = c->layout == RESIZE_NHWC;
    const struct op *data =
        graph_input(g, NULL, 4, last ? (int64_t[]){c->n, c->hi, c->wi, c->c} : (int64_t[]){c->n, c->c, c->hi, c->wi});
    struct axis axes[GRAPH_DIMS];
    const struct expr *index[4], *row[2];
    int h = last ? 1 : 2;
    graph_axes(g, data, "i", axes);
    axes[h].extent = c->ho;
    axes[h + 1].extent = c->wo;
    struct neighbours y = neighbours_of(a, (enum coords)c->coords, c->hi, c->ho, h),
                      x = neighbours_of(a, (enum coords)c->coords, c->wi, c->wo, h + 1);
    graph_index(g, index, 4);
    for (int i = 0; i < 2; i++) {
        index[h] = i ? y.high : y.low;
        index[h + 1] = x.low;
        const struct expr *left = graph_load(g, data, index);
        index[h + 1] = x.high;
        row[i] = between(a, left, graph_load(g, data, index), x.share);
    }
    graph_map(g, "resize", "injective", axes, 4, between(a, row[0], row[1], y.share));
    g->name = arena_printf(a, "resize2d %lldx%lldx%lld -> %lldx%lld", (long long)c->c, (long long)c->hi,
                           (long long)c->wi, (long long)c->ho, (long long)c->wo);
    return true;
}

OPERATOR(resize2d, "bilinear resize", struct resize_options, build);

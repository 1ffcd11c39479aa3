/* SPDX-License-Identifier: Apache-2.0 */
/* op_winograd: 3x3 convolution with stride 1 in NHWC by Winograd's algorithm with a filter that was transformed
 * beforehand, as topi's conv2d_winograd_nhwc: tiles of the input, their transform B, a batch of matrix products, the
 * inverse transform A.
 *
 * The constant matrices are stages of nested selects, as in topi. They are made by Cook and Toom's construction for the
 * points 0, -1, 1, 1/2, -2, -1/2 that topi takes from Barabasz et al., "Error Analysis and Improving the Accuracy of
 * Winograd Convolution for Deep Neural Networks", table 2. Parameters are counted as those of the 3x3 filter. */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

enum { KERNEL = 3, MOST_POINTS = 8, MOST_TILES = 1 << 30 };

struct winograd_options {
    int64_t n, ci, hi, wi, co, ho, wo, tile;
    const char *ph, *pw;
    struct epilogue tail;
    struct window side[2];        /* derived */
    int64_t alpha, rows, columns; /* transform size; tiles of the output */
};

static const struct setting KEYS[] = {
    KEY_ONE(struct winograd_options, n, "batch"),
    KEY_NEEDED(struct winograd_options, ci, "input channels"),
    KEY_NEEDED(struct winograd_options, hi, "input height"),
    KEY_NEEDED(struct winograd_options, wi, "input width"),
    KEY_NEEDED(struct winograd_options, co, "output channels"),
    KEY_ZERO(struct winograd_options, ho, "output height; follows from the others"),
    KEY_ZERO(struct winograd_options, wo, "output width; follows from the others"),
    KEY_PAD(struct winograd_options, ph, "padding in height, 'top,bottom' when they differ"),
    KEY_PAD(struct winograd_options, pw, "padding in width, 'left,right' when they differ"),
    INT_SETTING("tile", struct winograd_options, tile, "4", 2, 4, "output tile, 2 or 4"),
    EPILOGUE_KEYS(struct winograd_options, tail),
    {0},
};

static const double POINTS[] = {0, -1, 1, 0.5, -2, -0.5};

static double power(double x, int64_t n)
{
    double p = 1;
    while (n-- > 0)
        p *= x;
    return p;
}

/* A, alpha x tile: powers of the points; the last row stands for infinity. */
static double inverse_at(const struct winograd_options *c, int64_t i, int64_t j)
{
    return i == c->alpha - 1 ? j == c->tile - 1 : power(POINTS[i], j);
}

/* B, alpha x alpha: column j holds the coefficients of the product of (x - p) over the points p but number j; of all
 * points in the last column. The scale 1/product(p_j - p) is in the transformed filter. */
static double forward_at(const struct winograd_options *c, int64_t i, int64_t j)
{
    double poly[MOST_POINTS + 1] = {1}, sign = 1;
    int degree = 0;
    for (int k = 0; k < c->alpha - 1; k++) {
        if (k == j)
            continue;
        if (j == 0)
            sign *= -POINTS[k]; /* topi makes the first scale positive */
        for (int d = ++degree; d >= 0; d--)
            poly[d] = (d ? poly[d - 1] : 0) - POINTS[k] * poly[d];
    }
    return (sign < 0 ? -1 : 1) * (i <= degree ? poly[i] : 0);
}

static const struct op *constant(struct graph *g, const struct winograd_options *c, const char *name, int64_t columns,
                                 double (*at)(const struct winograd_options *c, int64_t i, int64_t j))
{
    struct arena *a = g->arena;
    const struct expr *row = expr_fold_int(a, EXPR_FLOORMOD, expr_axis(a, 0), c->alpha);
    const struct expr *column = expr_fold_int(a, EXPR_FLOORMOD, expr_axis(a, 1), columns);
    const struct expr *value = expr_float(a, DTYPE_F32, 0);
    for (int64_t i = 0; i < c->alpha; i++)
        for (int64_t j = 0; j < columns; j++) {
            const struct expr *here =
                expr_fold(a, EXPR_AND, expr_fold_int(a, EXPR_EQ, row, i), expr_fold_int(a, EXPR_EQ, column, j));
            value = expr_make3(a, EXPR_SELECT, here, expr_float(a, DTYPE_F32, at(c, i, j)), value);
        }
    const struct axis axes[] = {{"i", c->alpha}, {"j", columns}};
    return graph_map(g, name, NULL, axes, 2, value);
}

static const struct op *input_tile(struct graph *g, const struct winograd_options *c, const struct op *data)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {{"eps", c->alpha}, {"nu", c->alpha}, {"p", c->n * c->rows * c->columns}, {"ci", c->ci}};
    const struct expr *p = expr_axis(a, 2);
    const struct expr *row = expr_fold_int(a, EXPR_FLOORMOD, expr_fold_int(a, EXPR_FLOORDIV, p, c->columns), c->rows);
    const struct expr *column = expr_fold_int(a, EXPR_FLOORMOD, p, c->columns);
    const struct expr *body = graph_read(
        g, data, expr_fold_int(a, EXPR_FLOORDIV, p, c->rows * c->columns),
        expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, row, c->tile), expr_axis(a, 0)),
        expr_fold(a, EXPR_ADD, expr_fold_int(a, EXPR_MUL, column, c->tile), expr_axis(a, 1)), expr_axis(a, 3));
    return graph_map(g, "input_tile", "injective", axes, 4, body);
}

/* name(x, y, p, channel) += from[r_a, r_b, p, channel] * matrix[r_a, x] * matrix[r_b, y] */
static const struct op *transform(struct graph *g, const struct winograd_options *c, const char *name,
                                  const char *const names[4], int64_t size, const struct op *from,
                                  const struct op *matrix)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {
        {names[0], size},  {names[1], size}, {"p", from->axes[2].extent}, {names[2], from->axes[3].extent},
        {"r_a", c->alpha}, {"r_b", c->alpha}};
    const struct expr *x[6];
    graph_index(g, x, 6);
    const struct expr *body =
        expr_make2(a, EXPR_MUL, graph_read(g, from, x[4], x[5], x[2], x[3]), graph_read(g, matrix, x[4], x[0]));
    body = expr_make2(a, EXPR_MUL, body, graph_read(g, matrix, x[5], x[1]));
    const char *const unrolled[] = {names[0], names[1], "r_a", "r_b"};
    return graph_stage(g, (struct op){.name = name,
                                      .axes = axes,
                                      .nspatial = 4,
                                      .nreduce = 2,
                                      .reducer = REDUCE_SUM,
                                      .body = body,
                                      .const_axes = ARENA_DUP(a, unrolled, const char *, 4),
                                      .nconst_axes = 4});
}

static const struct op *products(struct graph *g, const struct winograd_options *c, const struct op *data,
                                 const struct op *filter)
{
    const struct axis axes[] = {
        {"eps", c->alpha}, {"nu", c->alpha}, {"p", data->axes[2].extent}, {"co", c->co}, {"ci", c->ci}};
    const struct expr *x[5];
    graph_index(g, x, 5);
    return graph_product(g, (struct op){.name = "bgemm", .axes = axes, .nspatial = 4, .nreduce = 1, .nrewritten = 1},
                         graph_read(g, data, x[0], x[1], x[2], x[4]), graph_read(g, filter, x[0], x[1], x[3], x[4]));
}

static const struct op *output(struct graph *g, const struct winograd_options *c, const struct op *inverse)
{
    struct arena *a = g->arena;
    const struct axis axes[] = {{"n", c->n}, {"h", c->ho}, {"w", c->wo}, {"co", c->co}};
    const struct expr *n = expr_axis(a, 0), *h = expr_axis(a, 1), *w = expr_axis(a, 2);
    const struct expr *p = expr_fold_int(a, EXPR_MUL, expr_fold_int(a, EXPR_MUL, n, c->rows), c->columns);
    const struct expr *row = expr_fold_int(a, EXPR_MUL, expr_fold_int(a, EXPR_FLOORDIV, h, c->tile), c->columns);
    p = expr_fold(a, EXPR_ADD, expr_fold(a, EXPR_ADD, p, row), expr_fold_int(a, EXPR_FLOORDIV, w, c->tile));
    const struct expr *body = graph_read(g, inverse, expr_fold_int(a, EXPR_FLOORMOD, h, c->tile),
                                         expr_fold_int(a, EXPR_FLOORMOD, w, c->tile), p, expr_axis(a, 3));
    return graph_map(g, "conv2d_winograd", "conv2d_winograd_nhwc", axes, 4, body);
}

static bool solve(struct graph *g, struct winograd_options *c, struct err *err)
{
    if (!epilogue_check(&c->tail, err))
        return false;
    if (c->tile == 3)
        return err_set(err, "key 'tile' is 3, must be 2 or 4");
    c->side[0] = (struct window){.in = c->hi, .kernel = KERNEL, .stride = 1, .dilation = 1};
    c->side[1] = (struct window){.in = c->wi, .kernel = KERNEL, .stride = 1, .dilation = 1};
    if (!window_solve(g->arena, &c->side[0], 'h', &c->ph, &c->ho, err) ||
        !window_solve(g->arena, &c->side[1], 'w', &c->pw, &c->wo, err))
        return false;
    c->alpha = c->tile + KERNEL - 1;
    c->rows = (c->ho + c->tile - 1) / c->tile;
    c->columns = (c->wo + c->tile - 1) / c->tile;
    if ((double)c->n * (double)c->rows * (double)c->columns > MOST_TILES)
        return err_set(err, "an output of more than %d tiles", MOST_TILES);
    /* The input of the last tiles may reach further than the padding. */
    c->side[0].after += (c->rows - 1) * c->tile + c->alpha - (c->hi + c->side[0].before + c->side[0].after);
    c->side[1].after += (c->columns - 1) * c->tile + c->alpha - (c->wi + c->side[1].before + c->side[1].after);
    return true;
}

static bool build(struct graph *g, void *options, struct err *err)
{
    static const char *const FORWARD[4] = {"eps", "nu", "ci"}, *const INVERSE[4] = {"vh", "vw", "co"};
    struct winograd_options *c = options;
    if (!solve(g, c, err))
        return false;
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){c->n, c->hi, c->wi, c->ci});
    const struct op *filter = graph_weight(g, NULL, 4, (int64_t[]){c->alpha, c->alpha, c->co, c->ci});
    g->params = (double)(KERNEL * KERNEL * c->ci * c->co);
    const struct op *tiles =
        input_tile(g, c, window_pad(g, data, &(struct padding){"data_pad", PAD_CONV, 1, 2, c->side, 0}));
    const struct op *forward = constant(g, c, "B", c->alpha, forward_at);
    const struct op *pack = transform(g, c, "data_pack", FORWARD, c->alpha, tiles, forward);
    const struct op *gemm = products(g, c, pack, filter);
    const struct op *back = constant(g, c, "A", c->tile, inverse_at);
    const struct op *out = output(g, c, transform(g, c, "inverse", INVERSE, c->tile, gemm, back));
    epilogue_add(g, &c->tail, out, (int64_t[]){1, 1, 1, c->co});
    g->name = arena_printf(g->arena, "winograd %lldx%lldx%lld -> %lld tile %lld%s", (long long)c->ci, (long long)c->hi,
                           (long long)c->wi, (long long)c->co, (long long)c->tile, epilogue_name(g->arena, &c->tail));
    return true;
}

OPERATOR(winograd, "3x3 convolution in NHWC by Winograd's algorithm", struct winograd_options, build);

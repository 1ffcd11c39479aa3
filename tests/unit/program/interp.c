/* SPDX-License-Identifier: Apache-2.0 */
/* interp of the unscheduled graph against loops written by hand from the definitions of the operators, in every layout,
 * and against OpenBLAS where it is there. Inputs are small integers over 8, so that sums are exact and order does not
 * matter. */
#include "harness/program/interp/interp.h"
#include "harness/base/rng.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

struct bound_task {
    struct arena *a;
    struct task *t;
    float *args[8];
    double *out;
    int64_t nout;
};

static struct bound_task bind(const char *spec)
{
    struct bound_task b = {.a = arena_open("test")};
    struct err err = {0};
    struct rng rng;
    rng_seed(&rng, 7);
    if (!task_parse(b.a, spec, &b.t, &err)) {
        diag("%s: %s", spec, err.text);
        exit(1);
    }
    for (int i = 0; i < b.t->nargs - 1; i++) {
        int64_t n = task_arg_elements(b.t, i);
        b.args[i] = ARENA_ARRAY(b.a, float, n);
        for (int64_t k = 0; k < n; k++)
            b.args[i][k] = (float)((int)rng_below(&rng, 33) - 16) / 8;
    }
    b.nout = task_arg_elements(b.t, b.t->nargs - 1);
    b.out = ARENA_ARRAY(b.a, double, b.nout);
    struct interp *in = interp_open(b.t, (const void *const *)b.args);
    interp_dag(in, b.out);
    interp_close(in);
    return b;
}

/* All of the output equals want, and so do single points asked of a fresh interpreter. */
static void compare(struct bound_task *b, const double *want, double tolerance, const char *what)
{
    int64_t wrong = 0, points = 0;
    for (int64_t i = 0; i < b->nout; i++)
        wrong += !(fabs(b->out[i] - want[i]) <= tolerance * (1 + fabs(want[i])));
    is_int(wrong, 0, "%s: %s, and all %d elements are right", what, b->t->name, (int)b->nout);
    struct interp *in = interp_open(b->t, (const void *const *)b->args);
    for (int64_t i = b->nout - 1; i >= 0; i -= 1 + b->nout / 37)
        points += fabs(interp_point(in, i) - b->out[i]) > 1e-12 * (1 + fabs(b->out[i]));
    interp_close(in);
    is_int(points, 0, "%s: single elements equal those of the whole tensor", what);
    arena_close(b->a);
}

/* Places of element (n, c, y, x) in the three layouts; block 0: not blocked. */
enum { NCHW, NHWC, NCHWC };

struct tensor {
    int layout;
    int64_t c, h, w, block;
};

static int64_t place(struct tensor t, int64_t n, int64_t c, int64_t y, int64_t x)
{
    if (t.layout == NHWC)
        return ((n * t.h + y) * t.w + x) * t.c + c;
    if (t.layout == NCHW)
        return ((n * t.c + c) * t.h + y) * t.w + x;
    return (((n * (t.c / t.block) + c / t.block) * t.h + y) * t.w + x) * t.block + c % t.block;
}

struct conv {
    int64_t n, ci, hi, wi, co, k, stride, top, left, bottom, right, dilation, groups, cib, cob;
    bool depthwise;
};

static int64_t filter_place(const struct conv *c, int layout, int64_t f, int64_t i, int64_t y, int64_t x)
{
    int64_t in = c->ci / c->groups, k = c->k, times = c->co / c->ci;
    if (c->depthwise) {
        if (layout == NCHWC)
            return ((f / c->cob * k + y) * k + x) * c->cob + f % c->cob;
        return layout == NCHW ? (f * k + y) * k + x : ((y * k + x) * c->ci + f / times) * times + f % times;
    }
    if (layout == NHWC)
        return ((y * k + x) * in + i) * c->co + f;
    if (layout == NCHW)
        return ((f * in + i) * k + y) * k + x;
    return ((((f / c->cob * (in / c->cib) + i / c->cib) * k + y) * k + x) * c->cib + i % c->cib) * c->cob + f % c->cob;
}

/* at: image, output channel, row, column. */
static double conv_point(const struct conv *c, int layout, const float *data, const float *filter, const int64_t at[4])
{
    int64_t n = at[0], f = at[1], y = at[2], x = at[3];
    struct tensor in = {layout, c->ci, c->hi, c->wi, c->cib};
    int64_t per_group = c->depthwise ? 1 : c->ci / c->groups;
    double sum = 0;
    for (int64_t i = 0; i < per_group; i++)
        for (int64_t ky = 0; ky < c->k; ky++)
            for (int64_t kx = 0; kx < c->k; kx++) {
                int64_t yy = y * c->stride + ky * c->dilation - c->top, xx = x * c->stride + kx * c->dilation - c->left;
                int64_t channel = c->depthwise ? f / (c->co / c->ci) : f / (c->co / c->groups) * per_group + i;
                if (yy >= 0 && yy < c->hi && xx >= 0 && xx < c->wi)
                    sum += (double)data[place(in, n, channel, yy, xx)] *
                           (double)filter[filter_place(c, layout, f, i, ky, kx)];
            }
    return sum;
}

static void check_conv(const char *spec, int layout, struct conv c, const char *what)
{
    struct bound_task b = bind(spec);
    int64_t reach = (c.k - 1) * c.dilation + 1;
    int64_t ho = (c.hi + c.top + c.bottom - reach) / c.stride + 1,
            wo = (c.wi + c.left + c.right - reach) / c.stride + 1;
    struct tensor out = {layout, c.co, ho, wo, c.cob};
    double *want = ARENA_ARRAY(b.a, double, b.nout);
    for (int64_t n = 0; n < c.n; n++)
        for (int64_t f = 0; f < c.co; f++)
            for (int64_t y = 0; y < ho; y++)
                for (int64_t x = 0; x < wo; x++)
                    want[place(out, n, f, y, x)] =
                        conv_point(&c, layout, b.args[0], b.args[1], (const int64_t[]){n, f, y, x});
    is_int(b.nout, c.n * c.co * ho * wo, "%s: the output has the size of the reference", what);
    compare(&b, want, 0, what);
}

static void check_convs(void)
{
    const struct conv plain = {2, 6, 9, 8, 4, 3, 2, 1, 1, 1, 1, 1, 1, 3, 2, false};
    const struct conv uneven = {1, 4, 7, 7, 4, 3, 1, 0, 2, 1, 1, 2, 1, 2, 4, false};
    const struct conv grouped = {1, 8, 6, 6, 12, 3, 1, 1, 1, 1, 1, 1, 2, 2, 3, false};
    const struct conv depth = {1, 6, 9, 9, 6, 3, 2, 1, 1, 1, 1, 1, 1, 2, 2, true};
    const struct conv twice = {1, 6, 5, 5, 12, 3, 1, 1, 1, 1, 1, 1, 1, 3, 4, true};
    check_conv("conv2d n=2 ci=6 hi=9 wi=8 co=4 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1", NCHW, plain, "conv nchw");
    check_conv("conv2d n=2 ci=6 hi=9 wi=8 co=4 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nhwc", NHWC, plain, "conv nhwc");
    check_conv("conv2d n=2 ci=6 hi=9 wi=8 co=4 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 cib=3 cob=2", NCHWC, plain, "conv nchwc");
    check_conv("conv2d ci=4 hi=7 wi=7 co=4 kh=3 kw=3 ph=0,1 pw=2,1 dh=2 dw=2", NCHW, uneven, "uneven, dilated nchw");
    check_conv("conv2d ci=4 hi=7 wi=7 co=4 kh=3 kw=3 ph=0,1 pw=2,1 dh=2 dw=2 layout=nhwc", NHWC, uneven, "uneven nhwc");
    check_conv("conv2d ci=4 hi=7 wi=7 co=4 kh=3 kw=3 ph=0,1 pw=2,1 dh=2 dw=2 cib=2 cob=4", NCHWC, uneven,
               "uneven nchwc");
    check_conv("conv2d ci=8 hi=6 wi=6 co=12 kh=3 kw=3 ph=1 pw=1 groups=2", NCHW, grouped, "grouped nchw");
    check_conv("conv2d ci=8 hi=6 wi=6 co=12 kh=3 kw=3 ph=1 pw=1 groups=2 layout=nhwc", NHWC, grouped, "grouped nhwc");
    check_conv("conv2d ci=8 hi=6 wi=6 co=12 kh=3 kw=3 ph=1 pw=1 groups=2 cib=2 cob=3", NCHWC, grouped, "grouped nchwc");
    check_conv("depthwise_conv2d ci=6 hi=9 wi=9 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1", NCHW, depth, "depthwise nchw");
    check_conv("depthwise_conv2d ci=6 hi=9 wi=9 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nhwc", NHWC, depth,
               "depthwise nhwc");
    check_conv("depthwise_conv2d ci=6 hi=9 wi=9 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 cib=2 cob=2", NCHWC, depth,
               "depthwise nchwc");
    check_conv("depthwise_conv2d ci=6 co=12 hi=5 wi=5 kh=3 kw=3 ph=1 pw=1", NCHW, twice, "depthwise, two each");
    check_conv("depthwise_conv2d ci=6 co=12 hi=5 wi=5 kh=3 kw=3 ph=1 pw=1 layout=nhwc", NHWC, twice, "two each nhwc");
    check_conv("depthwise_conv2d ci=6 co=12 hi=5 wi=5 kh=3 kw=3 ph=1 pw=1 cib=3 cob=4", NCHWC, twice, "two each nchwc");
}

/* Everything behind a convolution, on a 1x1 one: arguments are data, filter, bias, scale, shift, residual. */
static void check_epilogue(void)
{
    struct bound_task b = bind("conv2d ci=2 hi=3 wi=3 co=4 kh=1 kw=1 bias=1 scale=1 add=1 order=residual clip=1");
    double *want = ARENA_ARRAY(b.a, double, b.nout);
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < 9; i++) {
            double v = (double)b.args[0][i] * (double)b.args[1][f * 2] +
                       (double)b.args[0][9 + i] * (double)b.args[1][f * 2 + 1];
            v = (v + (double)b.args[2][f]) * (double)b.args[3][f] + (double)b.args[4][f] + (double)b.args[5][f * 9 + i];
            want[f * 9 + i] = fmax(fmin(v, 6), 0);
        }
    is_int(b.t->nargs, 7, "a convolution with every epilogue has seven arguments");
    compare(&b, want, 1e-15, "bias, scale, residual, relu6");
}

/* ---- pooling: c channels of h x w, NCHW ---- */

enum { SIDE = 7 }; /* of the images that are pooled */

static double pool_point(const float *in, int y0, int y1, int x0, int x1, bool max, double count)
{
    double sum = 0, most = -INFINITY;
    int inside = 0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            if (y >= 0 && y < SIDE && x >= 0 && x < SIDE) {
                sum += (double)in[y * SIDE + x];
                most = fmax(most, (double)in[y * SIDE + x]);
                inside++;
            }
    return max ? most : sum / (count > 0 ? count : inside);
}

static void check_pools(void)
{
    static const struct {
        const char *spec;
        bool max;
        double count;
    } CASES[] = {
        {"pool2d c=3 hi=7 wi=7 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max", true, 0},
        {"pool2d c=3 hi=7 wi=7 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=avg", false, 0},
        {"pool2d c=3 hi=7 wi=7 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=avg include_pad=1", false, 9},
    };
    for (int k = 0; k < 3; k++) {
        struct bound_task b = bind(CASES[k].spec);
        double *want = ARENA_ARRAY(b.a, double, b.nout);
        for (int i = 0; i < 3 * 16; i++) {
            int y = i / 4 % 4 * 2 - 1, x = i % 4 * 2 - 1;
            want[i] = pool_point(b.args[0] + i / 16 * 49, y, y + 3, x, x + 3, CASES[k].max, CASES[k].count);
        }
        compare(&b, want, 1e-15, "pool");
    }
    struct bound_task b = bind("adaptive_pool2d c=2 hi=7 wi=7 ho=3 wo=3 pool=avg");
    double *want = ARENA_ARRAY(b.a, double, b.nout);
    for (int i = 0; i < 2 * 9; i++) { /* windows floor(o*7/3) to ceil((o+1)*7/3) */
        static const int FROM[] = {0, 2, 4}, TO[] = {3, 5, 7};
        int y = i / 3 % 3, x = i % 3;
        want[i] = pool_point(b.args[0] + i / 9 * 49, FROM[y], TO[y], FROM[x], TO[x], false, 0);
    }
    compare(&b, want, 1e-15, "adaptive");
    b = bind("global_pool2d c=8 hi=5 wi=5 cb=4 pool=max");
    want = ARENA_ARRAY(b.a, double, b.nout);
    for (int i = 0; i < 8; i++) {
        want[i] = -INFINITY;
        for (int k = 0; k < 25; k++)
            want[i] = fmax(want[i], (double)b.args[0][(i / 4 * 25 + k) * 4 + i % 4]);
    }
    compare(&b, want, 0, "global");
}

/* ---- rows and matrices ---- */

static void check_norm(void)
{
    struct bound_task b = bind("layer_norm n=4 c=7");
    double *want = ARENA_ARRAY(b.a, double, b.nout);
    for (int r = 0; r < 4; r++) {
        const float *x = b.args[0] + r * 7;
        double mean = 0, variance = 0;
        for (int i = 0; i < 7; i++)
            mean += (double)x[i] / 7;
        for (int i = 0; i < 7; i++)
            variance += ((double)x[i] - mean) * ((double)x[i] - mean) / 7;
        for (int i = 0; i < 7; i++)
            want[r * 7 + i] =
                ((double)x[i] - mean) / sqrt(variance + 1e-5) * (double)b.args[1][i] + (double)b.args[2][i];
    }
    compare(&b, want, 1e-12, "layer normalisation");
}

static void check_rows(void)
{
    struct bound_task b = bind("softmax n=5 c=13");
    double *want = ARENA_ARRAY(b.a, double, b.nout);
    for (int r = 0; r < 5; r++) {
        double sum = 0, most = -INFINITY;
        for (int i = 0; i < 13; i++)
            most = fmax(most, (double)b.args[0][r * 13 + i]);
        for (int i = 0; i < 13; i++)
            sum += want[r * 13 + i] = exp((double)b.args[0][r * 13 + i] - most);
        for (int i = 0; i < 13; i++)
            want[r * 13 + i] /= sum;
    }
    compare(&b, want, 1e-14, "softmax");
    b = bind("reduce n=0 m=2500 by=min");
    want = ARENA_ARRAY(b.a, double, 1);
    want[0] = INFINITY;
    for (int i = 0; i < 2500; i++)
        want[0] = fmin(want[0], (double)b.args[0][i]);
    compare(&b, want, 0, "reduction to a scalar");
    b = bind("reduce n=3 h=4 m=9 by=sum");
    want = ARENA_ARRAY(b.a, double, b.nout);
    for (int i = 0; i < 108; i++)
        want[i / 9] += (double)b.args[0][i];
    compare(&b, want, 0, "reduction of three axes");
    check_norm();
    b = bind("map n=3 c=5 by=gelu");
    want = ARENA_ARRAY(b.a, double, b.nout);
    for (int i = 0; i < 15; i++) {
        double x = (double)b.args[0][i];
        want[i] = x * 0.5 * (1 + erf(x / sqrt(2)));
    }
    compare(&b, want, 1e-12, "gelu");
}

static void check_products(void)
{
    struct bound_task b = bind("matmul n=5 m=6 k=7 chain=1 relu=1");
    double *want = ARENA_ARRAY(b.a, double, b.nout), d[5][6] = {0};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 7; k++)
                d[i][j] += (double)b.args[0][i * 7 + k] * (double)b.args[1][k * 6 + j];
    for (int i = 0; i < 30; i++) {
        for (int k = 0; k < 6; k++)
            want[i] += d[i / 6][k] * (double)b.args[2][k * 6 + i % 6];
        want[i] = fmax(want[i], 0);
    }
    compare(&b, want, 0, "chain");
    b = bind("batch_matmul b=3 n=4 m=5 k=6");
    want = ARENA_ARRAY(b.a, double, b.nout);
    for (int i = 0; i < 60; i++)
        for (int k = 0; k < 6; k++)
            want[i] += (double)b.args[0][i / 5 * 6 + k] * (double)b.args[1][(i / 20 * 5 + i % 5) * 6 + k];
    compare(&b, want, 0, "batch");
#ifdef HAVE_OPENBLAS
    b = bind("dense n=9 ci=300 co=70 bias=1");
    want = ARENA_ARRAY(b.a, double, b.nout);
    double *x = ARENA_ARRAY(b.a, double, 2700), *w = ARENA_ARRAY(b.a, double, 21000);
    for (int i = 0; i < 2700; i++)
        x[i] = (double)b.args[0][i];
    for (int i = 0; i < 21000; i++)
        w[i] = (double)b.args[1][i];
    for (int i = 0; i < 630; i++)
        want[i] = (double)b.args[2][i % 70];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 9, 70, 300, 1, x, 300, w, 300, 1, want, 70);
    compare(&b, want, 0, "dense, OpenBLAS");
#else
    skip("built without OpenBLAS", "dense agrees with OpenBLAS");
#endif
}

/* Winograd with a filter transformed here, G g G^T, is the direct convolution. G follows from the points 0, -1, 1, 1/2,
 * -2. */
static void check_winograd(void)
{
    static const double G[6][3] = {{1, 0, 0},
                                   {-1.0 / 3, 1.0 / 3, -1.0 / 3},
                                   {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                   {-16.0 / 15, -8.0 / 15, -4.0 / 15},
                                   {1.0 / 15, -2.0 / 15, 4.0 / 15},
                                   {0, 0, 1}};
    struct conv c = {1, 2, 7, 6, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false};
    struct bound_task b = bind("winograd ci=2 hi=7 wi=6 co=3 ph=1 pw=1 tile=4");
    float filter[3 * 3 * 2 * 3]; /* HWIO */
    for (int i = 0; i < 54; i++)
        filter[i] = (float)(i * 7 % 11 - 5) / 4;
    for (int i = 0; i < 36 * 6; i++) {
        int e = i / 36, n = i / 6 % 6, f = i / 2 % 3, ci = i % 2;
        double sum = 0;
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
                sum += G[e][y] * G[n][x] * (double)filter[((y * 3 + x) * 2 + ci) * 3 + f];
        b.args[1][i] = (float)sum;
    }
    struct interp *in = interp_open(b.t, (const void *const *)b.args);
    interp_dag(in, b.out);
    interp_close(in);
    double *want = ARENA_ARRAY(b.a, double, b.nout);
    for (int64_t i = 0; i < b.nout; i++)
        want[i] = conv_point(&c, NHWC, b.args[0], filter, (const int64_t[]){0, i % 3, i / 18, i / 3 % 6});
    compare(&b, want, 1e-4, "winograd"); /* the transformed filter is rounded to float */
}

int main(void)
{
    check_convs();
    check_epilogue();
    check_pools();
    check_rows();
    check_products();
    check_winograd();
    return done_testing();
}

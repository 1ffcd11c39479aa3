/* SPDX-License-Identifier: Apache-2.0 */
/* interp of the unscheduled graph against loops written by hand from the definitions of the operators, and against
 * OpenBLAS where it is there. Convolutions, poolings, products of batches and softmax, with random keys in every
 * layout, are in operator_family.c. Inputs are small integers over 8, so that sums are exact and order does not matter.
 */
#include "harness/program/interp/interp.h"
#include "harness/base/rng.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

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
    struct rng rng;
    rng_seed(&rng, 7);
    b.t = fixture_task(b.a, spec);
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

static void check_global(void)
{
    struct bound_task b = bind("global_pool2d c=8 hi=5 wi=5 cb=4 pool=max");
    double *want = ARENA_ARRAY(b.a, double, b.nout);
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
    struct bound_task b = bind("reduce n=0 m=2500 by=min");
    double *want = ARENA_ARRAY(b.a, double, 1);
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
    for (int i = 0; i < 7 * 6 * 3 * 18; i++) { /* output pixel and channel, then input channel, window */
        int at = i / 18, y = at / 18 + i / 6 % 3 - 1, x = at / 3 % 6 + i / 2 % 3 - 1, ci = i % 2;
        if (y >= 0 && y < 7 && x >= 0 && x < 6)
            want[at] += (double)b.args[0][(y * 6 + x) * 2 + ci] * (double)filter[i % 18 * 3 + at % 3];
    }
    compare(&b, want, 1e-4, "winograd"); /* the transformed filter is rounded to float */
}

int main(void)
{
    check_global();
    check_rows();
    check_products();
    check_winograd();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* blas: kernels of target cpu agree with OpenBLAS: matmul, dense, batch matmul, and convolution as im2col and sgemm. An
 * oracle that shares no code with us, at sizes the interpreter is too slow for. Every task runs unscheduled (the
 * target's reference) and under a schedule typed in here. */
#include "targets/targets.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(HAVE_OPENBLAS) && defined(HAVE_LLVM)
#include <cblas.h>

struct rig {
    const struct target *t;
    struct target_env env;
    void *self;
    struct arena *a;
};

static float *numbers(struct arena *a, int64_t n, int64_t step)
{
    float *p = ARENA_ARRAY(a, float, n);
    for (int64_t i = 0; i < n; i++)
        p[i] = (float)((i * step + i / 7) % 17 - 8) / 8;
    return p;
}

/* Runs the object and compares the output with what is wanted, relative to the length of the sums. */
static bool agrees(struct rig *r, const struct task *t, const struct candidate *c, const struct blob *object,
                   void *const *args, const float *want, char *message)
{
    void *kernel = NULL;
    double seconds, worst = 0;
    int64_t n = task_arg_elements(t, t->nargs - 1);
    if (r->t->load(r->self, c, object, &kernel, message) != OUTCOME_OK)
        return false;
    float *out = args[t->nargs - 1];
    memset(out, 0xff, (size_t)n * sizeof *out);
    bool fine = r->t->run(r->self, kernel, args, 1, &seconds, message) == OUTCOME_OK;
    r->t->drop(r->self, kernel);
    for (int64_t i = 0; i < n && fine; i++) {
        double d = fabs((double)out[i] - (double)want[i]);
        worst = d > worst || isnan(d) ? d : worst;
    }
    fine = fine && worst <= 2e-6 * t->reduction_length;
    if (!fine)
        diag("worst difference %g", worst);
    return fine;
}

static void check(struct rig *r, const char *spec, const char *steps_text, void *const *args, const float *want,
                  const struct task *t)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    struct candidate c = {.task = t};
    bool fine =
        r->t->reference(r->self, t, &object, message) == OUTCOME_OK && agrees(r, t, &c, &object, args, want, message);
    ok(fine, "the unscheduled '%s' computes what BLAS computes %s", spec, message);
    free(object.bytes);
    object = (struct blob){0};
    c.steps = fixture_steps(r->a, steps_text, &c.nsteps);
    fine = r->t->build(r->self, &c, &object, message) == OUTCOME_OK && agrees(r, t, &c, &object, args, want, message);
    ok(fine, "the scheduled '%s' computes what BLAS computes %s", spec, message);
    free(object.bytes);
}

/* The tiling of multi-level sketches: SSRSRS with a cached result. */
static const char MATMUL_STEPS[] =
    "[[\"CHW\",2,\"local\"],[\"SP\",2,0,0,[1,3,6],1],[\"SP\",2,4,0,[1,2,16],1],[\"SP\",2,8,0,[8],1],"
    "[\"RE\",2,[0,4,1,5,8,2,6,9,3,7]],[\"FSP\",3,0,1,1],[\"FSP\",3,2,2,1],[\"RE\",3,[0,2,1,3]],[\"CA\",2,3,1],"
    "[\"FU\",3,[0,1]],[\"AN\",3,0,3],[\"PR\",2,0,\"auto_unroll_max_step$512\"],[\"AN\",2,9,2],[\"AN\",3,2,2]]";

static void test_matmul(struct rig *r)
{
    const char *spec = "matmul n=180 m=224 k=96";
    struct task *t = fixture_task(r->a, spec);
    float *a = numbers(r->a, 180 * 96, 5), *b = numbers(r->a, 96 * 224, 3), *out = numbers(r->a, 180 * 224, 1);
    float *want = numbers(r->a, 180 * 224, 1);
    void *args[] = {a, b, out};
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 180, 224, 96, 1, a, 96, b, 224, 0, want, 224);
    check(r, spec, MATMUL_STEPS, args, want, t);
}

static void test_dense(struct rig *r)
{
    const char *spec = "dense n=4 ci=300 co=120";
    struct task *t = fixture_task(r->a, spec);
    float *a = numbers(r->a, 4 * 300, 5), *w = numbers(r->a, 120 * 300, 3), *out = numbers(r->a, 4 * 120, 1);
    float *want = numbers(r->a, 4 * 120, 1);
    void *args[] = {a, w, out};
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 4, 120, 300, 1, a, 300, w, 300, 0, want, 120);
    check(r, spec,
          "[[\"SP\",2,0,0,[1,1,2],1],[\"SP\",2,4,0,[1,2,10],1],[\"SP\",2,8,0,[6],1],[\"RE\",2,[0,4,1,5,8,2,6,9,3,7]],"
          "[\"FU\",2,[0,1]],[\"AN\",2,0,3],[\"PR\",2,0,\"auto_unroll_max_step$64\"]]",
          args, want, t);
}

static void test_batch(struct rig *r)
{
    const char *spec = "batch_matmul b=3 n=20 m=36 k=40";
    struct task *t = fixture_task(r->a, spec);
    float *a = numbers(r->a, 3 * 20 * 40, 5), *b = numbers(r->a, 3 * 36 * 40, 3);
    float *out = numbers(r->a, 3 * 20 * 36, 1), *want = numbers(r->a, 3 * 20 * 36, 1);
    void *args[] = {a, b, out};
    for (int i = 0; i < 3; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 20, 36, 40, 1, a + i * 800, 40, b + i * 1440, 40, 0,
                    want + i * 720, 36);
    check(r, spec,
          "[[\"SP\",2,1,0,[4],1],[\"SP\",2,3,0,[9],1],[\"RE\",2,[0,1,3,5,2,4]],[\"FU\",2,[0,1]],[\"AN\",2,0,3]]", args,
          want, t);
}

struct square_conv { /* one NCHW image, height and width alike */
    int ci, h, co, k, stride, pad;
};

static int output_size(const struct square_conv *c)
{
    return (c->h + 2 * c->pad - c->k) / c->stride + 1;
}

/* im2col: rows are (channel, kh, kw), columns output pixels. */
static void unfold(const struct square_conv *v, const float *x, float *out)
{
    int k = v->k, side = output_size(v), pixels = side * side;
    for (int row = 0; row < v->ci * k * k; row++)
        for (int p = 0; p < pixels; p++) {
            int c = row / (k * k), y = p / side * v->stride + row / k % k - v->pad;
            int z = p % side * v->stride + row % k - v->pad;
            bool inside = y >= 0 && y < v->h && z >= 0 && z < v->h;
            out[row * pixels + p] = inside ? x[(c * v->h + y) * v->h + z] : 0;
        }
}

static void test_conv(struct rig *r, const char *spec, const struct square_conv *v, const char *steps)
{
    struct task *t = fixture_task(r->a, spec);
    int side = output_size(v), pixels = side * side, rows = v->ci * v->k * v->k;
    float *x = numbers(r->a, (int64_t)v->ci * v->h * v->h, 5), *w = numbers(r->a, (int64_t)v->co * rows, 3);
    float *columns = ARENA_ARRAY(r->a, float, rows *pixels), *want = ARENA_ARRAY(r->a, float, v->co *pixels);
    void *args[] = {x, w, ARENA_ARRAY(r->a, float, v->co *pixels)};
    unfold(v, x, columns);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, v->co, pixels, rows, 1, w, rows, columns, pixels, 0, want,
                pixels);
    check(r, spec, steps, args, want, t);
}

int main(void)
{
    struct rig r = {.t = targets_table()[0], .a = arena_open("test")};
    struct limits limits;
    struct err err = {0};
    void *options;
    r.self = arena_alloc(r.a, r.t->state_size);
    if (!setting_options(r.a, r.t->settings, r.t->options_size, "codegen=fast", &options,
                         &err)) /* args are unaligned */
        bug("%s", err.text);
    r.env = (struct target_env){.options = options, .threads = 2, .layout = LAYOUT_NONE};
    if (!ok(str_eq(r.t->name, "cpu") && r.t->open(r.self, &r.env, &limits, &err),
            "target cpu opens for BLAS kernels %s", err.text))
        return done_testing();
    openblas_set_num_threads(1);
    test_matmul(&r);
    test_dense(&r);
    test_batch(&r);
    test_conv(&r, "conv2d ci=12 hi=17 wi=17 co=24 kh=3 kw=3 ph=1 pw=1 layout=nchw",
              &(struct square_conv){12, 17, 24, 3, 1, 1}, "[[\"FU\",3,[0,1]],[\"AN\",3,0,3]]");
    test_conv(&r, "conv2d ci=8 hi=30 wi=30 co=16 kh=5 kw=5 sh=2 sw=2 ph=2 pw=2 layout=nchw",
              &(struct square_conv){8, 30, 16, 5, 2, 2},
              "[[\"SP\",3,1,0,[4],1],[\"RE\",3,[0,1,3,5,6,7,2,4]],[\"AN\",3,1,3]]");
    ok(r.t->peak_flops(r.self) > 1e8 && r.t->peak_bandwidth(r.self) > 1e8, "the peaks of the machine are measured");
    r.t->close(r.self);
    arena_close(r.a);
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without OpenBLAS or LLVM");
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN and OpenBLAS, written by others, must agree with our compiled kernels: convolutions with strides, padding,
 * dilation and groups, depthwise convolution, dense and batch matmul. Layout NCHW, where the two share the meaning of
 * memory. */
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include "harness/base/rng.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(HAVE_ONEDNN) && defined(HAVE_LLVM) && !defined(__SANITIZE_THREAD__) /* its threads are not instrumented */
#include <dnnl.h>
#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

struct call { /* a task with filled arguments and our result */
    struct arena *a;
    struct task *task;
    float *args[8];
    int64_t n; /* elements of the output */
};

/* Compiles the unscheduled program and runs it once. */
static bool run_ours(struct call *c, const char *spec, struct err *err)
{
    const struct target *t = fixture_target("cpu");
    c->a = arena_open("call");
    void *options = arena_alloc(c->a, t->options_size + 1), *self = arena_alloc(c->a, t->state_size + 1), *kernel;
    struct target_env env = {.options = options, .threads = 1, .layout = LAYOUT_NONE};
    struct limits limits;
    struct blob object = {0};
    struct rng r;
    char message[SAMPLE_MESSAGE] = "";
    double seconds;
    setting_defaults(t->settings, options);
    rng_seed(&r, 7);
    if (!task_parse(c->a, spec, &c->task, err) || !t->open(self, &env, &limits, err))
        return false;
    for (int i = 0; i < c->task->nargs; i++) {
        c->n = task_arg_elements(c->task, i);
        c->args[i] = aligned_alloc(64, ((size_t)c->n * sizeof(float) + 63) / 64 * 64);
        for (int64_t k = 0; k < c->n; k++)
            c->args[i][k] = i + 1 < c->task->nargs ? (float)(2 * rng_unit(&r) - 1) : NAN;
    }
    struct candidate candidate = {.task = c->task};
    bool done = t->build(self, &candidate, &object, message) == OUTCOME_OK &&
                t->load(self, &candidate, &object, &kernel, message) == OUTCOME_OK;
    if (done) {
        done = t->run(self, kernel, (void *const *)c->args, 1, &seconds, message) == OUTCOME_OK;
        t->drop(self, kernel);
    }
    free(object.bytes);
    t->close(self);
    return done || err_set(err, "%s", message);
}

static void end_call(struct call *c)
{
    for (int i = 0; c->task && i < c->task->nargs; i++)
        free(c->args[i]);
    arena_close(c->a);
}

static void compare(const struct call *c, const float *theirs, const char *what)
{
    const float *ours = c->args[c->task->nargs - 1];
    double worst = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double d = fabs((double)ours[i] - (double)theirs[i]);
        worst = d > worst || isnan(d) ? d : worst;
    }
    double tolerance = 1e-6 * (4 + sqrt(c->task->reduction_length)) * 4;
    ok(worst <= tolerance, "our kernel agrees with %s on '%s' (largest difference %.2g)", what, c->task->name, worst);
}

/* ---- oneDNN's side ---- */

struct shape {
    int n;
    dnnl_dims_t d;
};

static dnnl_memory_t memory_of(dnnl_engine_t engine, const struct shape *s, float *data, dnnl_memory_desc_t *desc)
{
    static const dnnl_format_tag_t tags[] = {dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};
    dnnl_memory_t m = NULL;
    dnnl_memory_desc_init_by_tag(desc, s->n, s->d, dnnl_f32, tags[s->n - 1]);
    dnnl_memory_create(&m, desc, engine, data);
    return m;
}

static bool execute(dnnl_engine_t engine, const void *op, dnnl_memory_t from, dnnl_memory_t weights, dnnl_memory_t to)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t p = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, to}};
    bool done = dnnl_primitive_desc_create(&pd, op, NULL, engine, NULL) == dnnl_success &&
                dnnl_primitive_create(&p, pd) == dnnl_success &&
                dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success &&
                dnnl_primitive_execute(p, stream, 3, args) == dnnl_success && dnnl_stream_wait(stream) == dnnl_success;
    if (stream)
        dnnl_stream_destroy(stream);
    if (p)
        dnnl_primitive_destroy(p);
    if (pd)
        dnnl_primitive_desc_destroy(pd);
    return done;
}

struct conv {
    int ci, hi, co, k, stride, pad, dilation, groups;
};

static bool conv_theirs(const struct conv *v, float *from, float *weights, float *to, int ho)
{
    dnnl_engine_t engine = NULL;
    dnnl_memory_desc_t from_desc, weights_desc, to_desc;
    dnnl_convolution_desc_t op;
    struct shape x = {4, {1, v->ci, v->hi, v->hi}}, y = {4, {1, v->co, ho, ho}}, w = {4, {v->co, v->ci, v->k, v->k}};
    if (v->groups > 1)
        w = (struct shape){5, {v->groups, v->co / v->groups, v->ci / v->groups, v->k, v->k}};
    dnnl_dims_t stride = {v->stride, v->stride}, dilate = {v->dilation - 1, v->dilation - 1}, pad = {v->pad, v->pad};
    int right = (ho - 1) * v->stride + (v->k - 1) * v->dilation + 1 - v->hi - v->pad;
    dnnl_dims_t end = {right, right};
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success)
        return false;
    dnnl_memory_t a = memory_of(engine, &x, from, &from_desc), b = memory_of(engine, &w, weights, &weights_desc),
                  c = memory_of(engine, &y, to, &to_desc);
    bool done = dnnl_dilated_convolution_forward_desc_init(&op, dnnl_forward_inference, dnnl_convolution_direct,
                                                           &from_desc, &weights_desc, NULL, &to_desc, stride, dilate,
                                                           pad, end) == dnnl_success &&
                execute(engine, &op, a, b, c);
    dnnl_memory_destroy(a);
    dnnl_memory_destroy(b);
    dnnl_memory_destroy(c);
    dnnl_engine_destroy(engine);
    return done;
}

static void test_conv(const struct conv *v)
{
    struct call c = {0};
    struct err err = {0};
    char spec[256];
    bool depthwise = v->groups == v->ci && v->groups > 1;
    snprintf(spec, sizeof spec,
             "%s ci=%d hi=%d wi=%d co=%d kh=%d kw=%d sh=%d sw=%d ph=%d pw=%d dh=%d dw=%d layout=nchw",
             depthwise ? "depthwise_conv2d" : "conv2d", v->ci, v->hi, v->hi, v->co, v->k, v->k, v->stride, v->stride,
             v->pad, v->pad, v->dilation, v->dilation);
    if (v->groups > 1 && !depthwise)
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), " groups=%d", v->groups);
    if (!run_ours(&c, spec, &err)) {
        fail("%s: %s", spec, err.text);
        end_call(&c);
        return;
    }
    int ho = (int)task_arg_op(c.task, c.task->nargs - 1)->axes[2].extent;
    float *theirs = calloc((size_t)c.n, sizeof *theirs);
    if (ok(conv_theirs(v, c.args[0], c.args[1], theirs, ho), "oneDNN runs %s", c.task->name))
        compare(&c, theirs, "oneDNN");
    free(theirs);
    end_call(&c);
}

/* C[b] = A[b] * B[b]^T; b = 1 is dense. */
static void test_product(const char *spec, int batch, int n, int m, int k)
{
    struct call c = {0};
    struct err err = {0};
    if (!run_ours(&c, spec, &err)) {
        fail("%s: %s", spec, err.text);
        end_call(&c);
        return;
    }
    float *theirs = calloc((size_t)c.n, sizeof *theirs);
    dnnl_status_t status = dnnl_success;
    for (int b = 0; b < batch; b++)
        if (status == dnnl_success)
            status = dnnl_sgemm('N', 'T', n, m, k, 1, c.args[0] + b * n * k, k, c.args[1] + b * m * k, k, 0,
                                theirs + b * n * m, m);
    if (ok(status == dnnl_success, "oneDNN runs %s", c.task->name))
        compare(&c, theirs, "oneDNN");
#ifdef HAVE_OPENBLAS
    for (int b = 0; b < batch; b++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, m, k, 1, c.args[0] + b * n * k, k,
                    c.args[1] + b * m * k, k, 0, theirs + b * n * m, m);
    compare(&c, theirs, "OpenBLAS");
#endif
    free(theirs);
    end_call(&c);
}

int main(void)
{
    static const struct conv convs[] = {
        {16, 14, 32, 3, 1, 1, 1, 1}, {3, 23, 8, 5, 2, 2, 1, 1},    {8, 15, 12, 3, 1, 2, 2, 1},
        {16, 9, 24, 1, 2, 0, 1, 1},  {16, 14, 32, 3, 1, 1, 1, 4},  {24, 13, 24, 3, 2, 1, 1, 24},
        {3, 57, 16, 11, 4, 2, 1, 1}, {12, 10, 12, 5, 1, 2, 1, 12},
    };
    for (size_t i = 0; i < sizeof convs / sizeof *convs; i++)
        test_conv(&convs[i]);
    test_product("dense n=5 ci=67 co=33", 1, 5, 33, 67);
    test_product("dense n=1 ci=512 co=1000", 1, 1, 1000, 512);
    test_product("batch_matmul b=3 n=17 m=19 k=41", 3, 17, 19, 41);
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without oneDNN or LLVM, or with ThreadSanitizer, which cannot follow oneDNN's threads");
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* onednn: oneDNN's own convolutions as a target, so that the same code loads, verifies and times them as ours
 * (`raingauge bench --only onednn`). Steps are ignored: the library has one program for a task.
 *
 * oneDNN may choose the layout of everything (format any); input, weights and residual are brought there before the
 * clock starts and the output back after it stops. Bias is the primitive's own, the residual add is a sum and relu an
 * eltwise post-operation: what its own inference engines do. A sum adds to the output, so repeated calls
 * accumulate. Their time does not depend on the values. One more call after the clock stops, on a fresh residual, gives
 * the output that is verified.
 *
 * The reference is the library itself, whose elements the runner checks against the interpreter. Its threads are those
 * of OpenMP, pinned here as those of target cpu are. API version 2 (Debian 12) or 3. */
#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/base/text.h"
#include "targets/library_conv.h"
#include "targets/outcome_because.h"

#include <dnnl.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if DNNL_VERSION_MAJOR >= 3
#define REF(desc) (desc)
#define DESC_MAKE dnnl_memory_desc_create_with_tag
#define DESC_DROP(desc) dnnl_memory_desc_destroy(desc)
#define APPEND_SUM(ops) dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef)
#define APPEND_CLIP(ops, most) dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_clip, 0, most)
#define APPEND_RELU(ops) dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0)
typedef const_dnnl_memory_desc_t desc_ref;
#else
#define REF(desc) (&(desc))
#define DESC_MAKE dnnl_memory_desc_init_by_tag
#define DESC_DROP(desc) (void)(desc)
#define APPEND_SUM(ops) dnnl_post_ops_append_sum(ops, 1)
#define APPEND_CLIP(ops, most) dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_clip, 0, most)
#define APPEND_RELU(ops) dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0)
typedef const dnnl_memory_desc_t *desc_ref;
#endif

struct onednn {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    int threads;
    bool pinned;
};

struct conv {
    struct library_conv at;
    bool bias, add, relu, clip;
};

enum { SRC, WEIGHTS, BIAS, DST, TENSORS };
struct primitive {
    struct conv conv;
    dnnl_primitive_t convolution;
    struct tensor {
        dnnl_memory_t own, plain; /* as the primitive wants it; in NCHW or OIHW */
        dnnl_primitive_t in, out; /* plain to own and back */
        float *data;              /* of plain */
    } tensors[TENSORS];
};

/* ---- tasks ---- */

static const char *conv_read(const struct task *t, struct conv *c)
{
    if (!str_starts(t->spec, "conv2d "))
        return "target onednn runs conv2d only";
    *c = (struct conv){.at = library_conv(t),
                       .bias = library_number(t, "bias"),
                       .add = library_number(t, "add"),
                       .relu = library_number(t, "relu"),
                       .clip = library_number(t, "clip")};
    if (c->at.groups != 1 || library_number(t, "scale") || str_starts(library_text(t, "order"), "residual"))
        return "target onednn runs no groups, scales or residuals that come first";
    return NULL;
}

/* ---- primitives ---- */

static bool execute(const struct onednn *d, dnnl_primitive_t p, const dnnl_exec_arg_t *args, int n)
{
    return dnnl_primitive_execute(p, d->stream, n, args) == dnnl_success && dnnl_stream_wait(d->stream) == dnnl_success;
}

static bool reorder(const struct onednn *d, dnnl_primitive_t p, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    return execute(d, p, args, 2);
}

static bool reorder_make(const struct onednn *d, desc_ref from, desc_ref to, dnnl_primitive_t *out)
{
    dnnl_primitive_desc_t pd;
    if (dnnl_reorder_primitive_desc_create(&pd, from, d->engine, to, d->engine, NULL) != dnnl_success)
        return false;
    bool fine = dnnl_primitive_create(out, pd) == dnnl_success;
    dnnl_primitive_desc_destroy(pd);
    return fine;
}

static bool tensor_make(const struct onednn *d, struct tensor *t, const dnnl_dims_t dims, int ndims, desc_ref own)
{
    static const dnnl_format_tag_t tags[] = {dnnl_format_tag_undef, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd};
    dnnl_memory_desc_t plain;
    void *data = NULL;
    if (DESC_MAKE(&plain, ndims, dims, dnnl_f32, tags[ndims]) != dnnl_success)
        return false;
    bool fine = dnnl_memory_create(&t->own, own, d->engine, DNNL_MEMORY_ALLOCATE) == dnnl_success &&
                dnnl_memory_create(&t->plain, REF(plain), d->engine, DNNL_MEMORY_ALLOCATE) == dnnl_success &&
                dnnl_memory_get_data_handle(t->plain, &data) == dnnl_success &&
                reorder_make(d, REF(plain), own, &t->in) && reorder_make(d, own, REF(plain), &t->out);
    t->data = data;
    DESC_DROP(plain);
    return fine;
}

static bool attributes_make(const struct conv *c, dnnl_primitive_attr_t *out)
{
    dnnl_post_ops_t ops;
    if (dnnl_primitive_attr_create(out) != dnnl_success)
        return false;
    bool fine = dnnl_post_ops_create(&ops) == dnnl_success;
    fine = fine && (!c->add || APPEND_SUM(ops) == dnnl_success) && (!c->relu || APPEND_RELU(ops) == dnnl_success) &&
           (!c->clip || APPEND_CLIP(ops, 6) == dnnl_success) &&
           dnnl_primitive_attr_set_post_ops(*out, ops) == dnnl_success;
    dnnl_post_ops_destroy(ops);
    return fine;
}

static bool conv_make(const struct onednn *d, const struct conv *c, const dnnl_memory_desc_t desc[TENSORS],
                      dnnl_primitive_desc_t *out)
{
    const struct library_conv *v = &c->at;
    const dnnl_dims_t strides = {v->stride[0], v->stride[1]}, dilates = {v->dilation[0] - 1, v->dilation[1] - 1},
                      before = {v->before[0], v->before[1]}, after = {v->after[0], v->after[1]};
    dnnl_primitive_attr_t attributes = NULL;
    desc_ref bias = c->bias ? REF(desc[BIAS]) : NULL;
    bool fine = attributes_make(c, &attributes);
#if DNNL_VERSION_MAJOR >= 3
    fine = fine && dnnl_convolution_forward_primitive_desc_create(
                       out, d->engine, dnnl_forward_inference, dnnl_convolution_direct, desc[SRC], desc[WEIGHTS], bias,
                       desc[DST], strides, dilates, before, after, attributes) == dnnl_success;
#else
    dnnl_convolution_desc_t op;
    fine = fine &&
           dnnl_dilated_convolution_forward_desc_init(&op, dnnl_forward_inference, dnnl_convolution_direct, &desc[SRC],
                                                      &desc[WEIGHTS], bias, &desc[DST], strides, dilates, before,
                                                      after) == dnnl_success &&
           dnnl_primitive_desc_create(out, &op, attributes, d->engine, NULL) == dnnl_success;
#endif
    dnnl_primitive_attr_destroy(attributes);
    return fine;
}

static bool primitive_make(const struct onednn *d, struct primitive *p)
{
    const struct conv *conv = &p->conv;
    const struct library_conv *c = &conv->at;
    static const int ndims[TENSORS] = {4, 4, 1, 4};
    static const dnnl_query_t wanted[TENSORS] = {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_weights_md,
                                                 dnnl_query_dst_md};
    const dnnl_dims_t dims[TENSORS] = {
        {c->n, c->ci, c->hi, c->wi}, {c->co, c->ci, c->kh, c->kw}, {c->co}, {c->n, c->co, c->ho, c->wo}};
    dnnl_memory_desc_t desc[TENSORS];
    dnnl_primitive_desc_t pd;
    for (int i = 0; i < TENSORS; i++)
        if (DESC_MAKE(&desc[i], ndims[i], dims[i], dnnl_f32, i == BIAS ? dnnl_a : dnnl_format_tag_any) != dnnl_success)
            return false;
    bool fine = conv_make(d, conv, desc, &pd);
    if (fine) {
        fine = dnnl_primitive_create(&p->convolution, pd) == dnnl_success;
        for (int i = 0; fine && i < TENSORS; i++)
            if (i != BIAS || conv->bias)
                fine = tensor_make(d, &p->tensors[i], dims[i], ndims[i],
                                   dnnl_primitive_desc_query_md(pd, wanted[i], i == BIAS));
        dnnl_primitive_desc_destroy(pd);
    }
    for (int i = 0; i < TENSORS; i++)
        DESC_DROP(desc[i]);
    return fine;
}

/* ---- the interface of a target ---- */

/* The OpenMP threads of this process, one to a CPU: two that spin on the same one would wait for each other. In the
 * runner only, since a build worker needs none. */
static void pin_threads(struct onednn *d)
{
    cpu_set_t all;
    if (d->pinned || sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < d->threads)
        return;
    d->pinned = true;
#pragma omp parallel num_threads(d->threads)
    {
        int left = omp_get_thread_num();
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int c = 0; c < CPU_SETSIZE; c++)
            if (CPU_ISSET(c, &all) && left-- == 0)
                CPU_SET(c, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one); /* not allowed: run unpinned */
    }
}

static bool onednn_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct onednn *d = self;
    *d = (struct onednn){.threads = env->threads > 0 ? env->threads : cpus_usable()};
    omp_set_num_threads(d->threads);
    *limits = limits_cpu(d->threads);
    if (dnnl_engine_create(&d->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&d->stream, d->engine, dnnl_stream_default_flags) == dnnl_success)
        return true;
    return err_set(err, "oneDNN has no engine for this processor");
}

static void onednn_close(void *self)
{
    struct onednn *d = self;
    dnnl_stream_destroy(d->stream);
    dnnl_engine_destroy(d->engine);
}

static enum outcome onednn_build(void *self, const struct candidate *c, struct blob *object,
                                 char message[SAMPLE_MESSAGE])
{
    struct conv conv;
    (void)self;
    return library_build(conv_read(c->task, &conv), object, message);
}

static enum outcome onednn_reference(void *self, const struct task *task, struct blob *object,
                                     char message[SAMPLE_MESSAGE])
{
    struct candidate c = {.task = task};
    return onednn_build(self, &c, object, message);
}

static void onednn_drop(void *self, void *kernel)
{
    struct primitive *p = kernel;
    (void)self;
    for (int i = 0; i < TENSORS; i++) {
        struct tensor *t = &p->tensors[i];
        dnnl_memory_destroy(t->own);
        dnnl_memory_destroy(t->plain);
        dnnl_primitive_destroy(t->in);
        dnnl_primitive_destroy(t->out);
    }
    dnnl_primitive_destroy(p->convolution);
    free(p);
}

static enum outcome onednn_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                                char message[SAMPLE_MESSAGE])
{
    struct primitive *p = calloc(1, sizeof *p);
    (void)object;
    if (!p)
        return outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory");
    pin_threads(self);
    const char *why = conv_read(c->task, &p->conv);
    if (!why && !primitive_make(self, p))
        why = "oneDNN has no primitive for this convolution";
    if (!why) {
        *kernel = p;
        return OUTCOME_OK;
    }
    onednn_drop(self, p);
    return outcome_because(message, OUTCOME_LOAD_FAILED, why);
}

static struct library_data output_of(const struct conv *c)
{
    return (struct library_data){c->at.n, c->at.co, c->at.ho * c->at.wo, c->at.cob};
}

/* Arguments are data, filter, bias, residual, output, as far as there are. */
static bool arguments_read(const struct onednn *d, struct primitive *p, void *const *args)
{
    const struct conv *c = &p->conv;
    struct tensor *t = p->tensors;
    const struct library_data out = output_of(c);
    library_move(t[SRC].data, args[0], &(struct library_data){c->at.n, c->at.ci, c->at.hi * c->at.wi, c->at.cib}, true);
    library_filter(t[WEIGHTS].data, args[1], &c->at);
    if (c->bias)
        memcpy(t[BIAS].data, args[2], (size_t)c->at.co * sizeof(float));
    if (c->add)
        library_move(t[DST].data, args[2 + c->bias], &out, true);
    for (int i = 0; i < TENSORS; i++)
        if (t[i].in && !reorder(d, t[i].in, t[i].plain, t[i].own))
            return false;
    return true;
}

static enum outcome onednn_run(void *self, void *kernel, void *const *args, int times, double *seconds,
                               char message[SAMPLE_MESSAGE])
{
    const struct onednn *d = self;
    struct primitive *p = kernel;
    const struct conv *c = &p->conv;
    struct tensor *t = p->tensors;
    const dnnl_exec_arg_t call[] = {{DNNL_ARG_SRC, t[SRC].own},
                                    {DNNL_ARG_WEIGHTS, t[WEIGHTS].own},
                                    {DNNL_ARG_DST, t[DST].own},
                                    {DNNL_ARG_BIAS, t[BIAS].own}};
    const struct library_data out = output_of(c);
    bool fine = arguments_read(d, p, args);
    double start = clock_now();
    for (int i = 0; i < times; i++)
        fine &= dnnl_primitive_execute(p->convolution, d->stream, c->bias ? 4 : 3, call) == dnnl_success;
    fine &= dnnl_stream_wait(d->stream) == dnnl_success;
    *seconds = clock_now() - start;
    if (c->add && times > 1)
        fine = fine && reorder(d, t[DST].in, t[DST].plain, t[DST].own) &&
               execute(d, p->convolution, call, c->bias ? 4 : 3);
    if (!fine || !reorder(d, t[DST].out, t[DST].own, t[DST].plain))
        return outcome_because(message, OUTCOME_CRASHED, "oneDNN reports an error");
    library_move(t[DST].data, args[2 + c->bias + c->add], &out, false);
    return OUTCOME_OK;
}

static void onednn_describe(void *self, cJSON *object)
{
    const struct onednn *d = self;
    const dnnl_version_t *v = dnnl_version();
    char version[48];
    snprintf(version, sizeof version, "%d.%d.%d", v->major, v->minor, v->patch);
    json_put_str(object, "onednn", version);
    json_put_int(object, "threads", d->threads);
}

extern const struct target target_onednn;
const struct target target_onednn = {
    .name = "onednn",
    .summary = "oneDNN's convolutions, for comparison: schedules are ignored",
    .run_prepares = true,
    .state_size = sizeof(struct onednn),
    .open = onednn_open,
    .build = onednn_build,
    .load = onednn_load,
    .run = onednn_run,
    .drop = onednn_drop,
    .reference = onednn_reference,
    .describe = onednn_describe,
    .close = onednn_close,
};

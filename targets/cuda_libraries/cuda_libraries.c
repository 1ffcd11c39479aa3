/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_libraries: cuBLAS and cuDNN as a target, so that the same code loads, verifies and times them as ours. Steps are
 * ignored. Tensors are brought into the library's layout and onto the device before the clock starts. The time is that
 * of two events around all calls. The reference is the library itself, whose elements the runner checks against the
 * interpreter. The driver is started in runners only: who asks whether the target works may fork afterwards. */
#include "harness/base/text.h"
#include "targets/cuda/cuda_device.h"
#include "targets/cuda_libraries/library_api.h"
#include "targets/library_conv.h"
#include "targets/outcome_because.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALGORITHMS = 16, A = 0, B, C, TENSORS }; /* data, weights, output; in a matrix product its factors */

struct libraries {
    struct cuda_device device; /* in a runner */
    const struct cublas_api *cublas;
    const struct cudnn_api *cudnn; /* NULL: there is none, no_cudnn says why */
    char no_cudnn[120];
    void *blas, *dnn; /* NULL: not started */
    char why[160];    /* the first call that failed */
};

/* A task as the libraries want it: a matrix product of n x k by k x m, or a convolution. */
struct call {
    bool is_product;
    int n, m, k;
    struct library_conv conv;
};

struct library_kernel {
    struct call call;
    size_t floats[TENSORS];
    uint64_t at[TENSORS], workspace;
    float *host; /* of the largest tensor */
    void *x, *w, *y, *conv;
    int algorithm;
    size_t workspace_bytes;
};

/* ---- tasks ---- */

static const char *read_product(const struct task *t, struct call *c)
{
    if (library_number(t, "chain") || library_number(t, "relu"))
        return "target cuda-libraries runs plain matrix products only";
    *c = (struct call){.is_product = true,
                       .n = (int)library_number(t, "n"),
                       .m = (int)library_number(t, "m"),
                       .k = (int)library_number(t, "k")};
    return NULL;
}

static const char *read_conv(const struct task *t, struct call *c, bool depthwise)
{
    static const char *const EPILOGUE[] = {"bias", "add", "relu", "clip", "scale"};
    for (size_t i = 0; i < sizeof EPILOGUE / sizeof *EPILOGUE; i++)
        if (library_number(t, EPILOGUE[i]))
            return "target cuda-libraries runs convolutions without an epilogue only";
    struct library_conv *v = &c->conv;
    *c = (struct call){.conv = library_conv(t)};
    if (depthwise)
        v->groups = v->ci;
    const char *layout = library_text(t, "layout");
    if (!str_starts(layout, "nhwc") && (!str_starts(layout, "nchw") || str_starts(layout, "nchwc")))
        return "target cuda-libraries runs the layouts nchw and nhwc only";
    if (str_starts(layout, "nhwc") && v->groups != 1)
        return "target cuda-libraries runs groups in layout nchw only";
    bool even = v->before[0] == v->after[0] && v->before[1] == v->after[1];
    return even ? NULL : "cuDNN has no padding that differs before and after";
}

static const char *call_read(const struct task *t, struct call *c)
{
    if (str_starts(t->spec, "matmul "))
        return read_product(t, c);
    if (str_starts(t->spec, "conv2d "))
        return read_conv(t, c, false);
    if (str_starts(t->spec, "depthwise_conv2d "))
        return read_conv(t, c, true);
    return "target cuda-libraries runs matmul, conv2d and depthwise_conv2d only";
}

/* ---- our layouts ---- */

static struct library_data output_of(const struct library_conv *v)
{
    return (struct library_data){v->n, v->co, v->ho * v->wo, v->cob};
}

static bool is_moved(const struct call *c)
{
    return !c->is_product && (c->conv.cib > 1 || c->conv.cob > 1);
}

/* A tensor as the library wants it; in k->host if it had to be moved. */
static const float *data_of(struct library_kernel *k, int which, float *ours)
{
    const struct library_conv *v = &k->call.conv;
    if (!is_moved(&k->call))
        return ours;
    if (which == A)
        library_move(k->host, ours, &(struct library_data){v->n, v->ci, v->hi * v->wi, v->cib}, true);
    else
        library_filter(k->host, ours, v);
    return k->host;
}

/* ---- kernels ---- */

/* Is a status bad? The first bad one is kept, with the call. */
static bool bad(struct libraries *d, const char *call, int status)
{
    if (status && !d->why[0])
        snprintf(d->why, sizeof d->why, "%s answers status %d", call, status);
    return status != 0;
}

static bool start_device(struct libraries *d)
{
    struct err err = {0};
    d->why[0] = 0;
    if (!d->device.api && !cuda_device_open(&d->device, 0, &err))
        snprintf(d->why, sizeof d->why, "%.159s", err.text);
    return d->blas || (!d->why[0] && !bad(d, "cublasCreate", d->cublas->create(&d->blas)));
}

/* Row-major C = A B is column-major C' = B' A'. */
static int run_once(const struct libraries *d, const struct library_kernel *k)
{
    static const float one = 1, zero = 0;
    const struct call *c = &k->call;
    if (c->is_product)
        return d->cublas->sgemm(d->blas, CUBLAS_PLAIN, CUBLAS_PLAIN, c->m, c->n, c->k, &one, k->at[B], c->m, k->at[A],
                                c->k, &zero, k->at[C], c->m);
    return d->cudnn->forward(d->dnn, &one, k->x, k->at[A], k->w, k->at[B], k->conv, k->algorithm, k->workspace,
                             k->workspace_bytes, &zero, k->y, k->at[C]);
}

static bool conv_describe(struct libraries *d, struct library_kernel *k)
{
    const struct library_conv *c = &k->call.conv;
    const int images = (int)c->n, ci = (int)c->ci, co = (int)c->co;
    const struct cudnn_api *n = d->cudnn; /* else it was not built */
    return !(bad(d, "cudnnCreate", d->dnn ? 0 : n->create(&d->dnn)) ||
             bad(d, "cudnnCreateTensorDescriptor", n->tensor_make(&k->x)) ||
             bad(d, "cudnnCreateTensorDescriptor", n->tensor_make(&k->y)) ||
             bad(d, "cudnnCreateFilterDescriptor", n->filter_make(&k->w)) ||
             bad(d, "cudnnCreateConvolutionDescriptor", n->conv_make(&k->conv)) ||
             bad(d, "cudnnSetTensor4dDescriptor",
                 n->tensor_set(k->x, CUDNN_NCHW, CUDNN_FLOAT, images, ci, (int)c->hi, (int)c->wi)) ||
             bad(d, "cudnnSetTensor4dDescriptor",
                 n->tensor_set(k->y, CUDNN_NCHW, CUDNN_FLOAT, images, co, (int)c->ho, (int)c->wo)) ||
             bad(d, "cudnnSetFilter4dDescriptor",
                 n->filter_set(k->w, CUDNN_FLOAT, CUDNN_NCHW, co, ci / (int)c->groups, (int)c->kh, (int)c->kw)) ||
             bad(d, "cudnnSetConvolution2dDescriptor",
                 n->conv_set(k->conv, (int)c->before[0], (int)c->before[1], (int)c->stride[0], (int)c->stride[1],
                             (int)c->dilation[0], (int)c->dilation[1], CUDNN_CORRELATION, CUDNN_FLOAT)) ||
             bad(d, "cudnnSetConvolutionGroupCount", n->conv_groups(k->conv, (int)c->groups)) ||
             bad(d, "cudnnSetConvolutionMathType", n->conv_math(k->conv, CUDNN_FMA)));
}

/* Does the algorithm run without tensor cores, as the convolution says? Its workspace is then made. */
static bool algorithm_runs(struct libraries *d, struct library_kernel *k, int algorithm)
{
    k->algorithm = algorithm;
    k->workspace_bytes = 0;
    if (bad(d, "cudnnGetConvolutionForwardWorkspaceSize",
            d->cudnn->workspace(d->dnn, k->x, k->w, k->conv, k->y, algorithm, &k->workspace_bytes)) ||
        (k->workspace_bytes && bad(d, "cuMemAlloc", d->device.api->allocate(&k->workspace, k->workspace_bytes))))
        return false;
    if (!bad(d, "cudnnConvolutionForward", run_once(d, k)) && !bad(d, "cuCtxSynchronize", d->device.api->synchronize()))
        return true;
    if (k->workspace)
        (void)d->device.api->release(k->workspace);
    k->workspace = 0;
    return false;
}

/* The algorithms come by time. First those that cuDNN timed without tensor cores, then those that it says no more of
 * than that their arithmetic is the default: some are timed so, whatever the convolution says. */
static bool conv_make(struct libraries *d, struct library_kernel *k)
{
    struct cudnn_timed timed[ALGORITHMS];
    int found = 0;
    if (!conv_describe(d, k) || bad(d, "cudnnFindConvolutionForwardAlgorithm",
                                    d->cudnn->find(d->dnn, k->x, k->w, k->conv, k->y, ALGORITHMS, &found, timed)))
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < found && i < ALGORITHMS; i++)
            if (!timed[i].status && timed[i].math == (pass ? CUDNN_DEFAULT : CUDNN_FMA) &&
                algorithm_runs(d, k, timed[i].algorithm))
                return true;
    if (!d->why[0])
        snprintf(d->why, sizeof d->why, "cuDNN has no algorithm without tensor cores for this convolution");
    return false;
}

static const char *kernel_make(struct libraries *d, const struct task *t, struct library_kernel *k)
{
    const char *why = call_read(t, &k->call);
    size_t most = 0;
    if (why)
        return why;
    if (t->nargs != TENSORS)
        return "the task has other arguments than data, weights and output";
    if (!start_device(d))
        return d->why;
    for (int i = 0; i < TENSORS; i++) {
        k->floats[i] = (size_t)task_arg_elements(t, i);
        most = k->floats[i] > most ? k->floats[i] : most;
        if (d->device.api->allocate(&k->at[i], k->floats[i] * sizeof(float)))
            return "no memory on the device for a tensor";
    }
    k->host = malloc((most ? most : 1) * sizeof(float));
    if (!k->host)
        return "no memory for a tensor";
    return k->call.is_product || conv_make(d, k) ? NULL : d->why;
}

/* ---- the interface of a target ---- */

static bool libraries_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct libraries *d = self;
    struct err why = {0};
    env->layout = LAYOUT_NONE;
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1); /* what both libraries do is float32, whatever else is set */
    *d = (struct libraries){0};
    *limits = limits_cuda();
    if (!cuda_api(err))
        return false;
    if (env->use != TARGET_BUILDS && !(d->cublas = library_cublas(err))) /* half a GiB that no build needs */
        return false;
    d->cudnn = library_cudnn(&why);
    if (!d->cudnn)
        snprintf(d->no_cudnn, sizeof d->no_cudnn, "%.119s", why.text);
    return env->use != TARGET_RUNS || start_device(d) || err_set(err, "the GPU cannot be used: %s", d->why);
}

static void libraries_close(void *self)
{
    struct libraries *d = self;
    if (d->dnn)
        d->cudnn->destroy(d->dnn);
    if (d->blas)
        d->cublas->destroy(d->blas);
    cuda_device_close(&d->device);
}

static enum outcome libraries_build(void *self, const struct candidate *c, struct blob *object,
                                    char message[SAMPLE_MESSAGE])
{
    struct call call;
    const struct libraries *d = self;
    const char *why = call_read(c->task, &call);
    if (!why && !call.is_product && !d->cudnn)
        why = d->no_cudnn;
    return library_build(why, object, message);
}

static enum outcome libraries_reference(void *self, const struct task *task, struct blob *object,
                                        char message[SAMPLE_MESSAGE])
{
    struct candidate c = {.task = task};
    return libraries_build(self, &c, object, message);
}

static void libraries_drop(void *self, void *kernel)
{
    struct libraries *d = self;
    struct library_kernel *k = kernel;
    for (int i = 0; i < TENSORS; i++)
        if (k->at[i])
            (void)d->device.api->release(k->at[i]);
    if (k->workspace)
        (void)d->device.api->release(k->workspace);
    if (k->x)
        d->cudnn->tensor_drop(k->x);
    if (k->y)
        d->cudnn->tensor_drop(k->y);
    if (k->w)
        d->cudnn->filter_drop(k->w);
    if (k->conv)
        d->cudnn->conv_drop(k->conv);
    free(k->host);
    free(k);
}

static enum outcome libraries_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                                   char message[SAMPLE_MESSAGE])
{
    struct library_kernel *k = calloc(1, sizeof *k);
    (void)object;
    if (!k)
        return outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory");
    const char *why = kernel_make(self, c->task, k);
    if (!why) {
        *kernel = k;
        return OUTCOME_OK;
    }
    libraries_drop(self, k);
    return outcome_because(message, OUTCOME_LOAD_FAILED, why);
}

static bool copy_in(struct libraries *d, struct library_kernel *k, void *const *args)
{
    for (int i = A; i <= B; i++)
        if (bad(d, "cuMemcpyHtoD",
                d->device.api->copy_in(k->at[i], data_of(k, i, args[i]), k->floats[i] * sizeof(float))))
            return false;
    return true;
}

static bool copy_out(struct libraries *d, struct library_kernel *k, float *output)
{
    const struct library_data out = output_of(&k->call.conv);
    bool moved = is_moved(&k->call);
    if (bad(d, "cuMemcpyDtoH",
            d->device.api->copy_out(moved ? k->host : output, k->at[C], k->floats[C] * sizeof(float))))
        return false;
    if (moved)
        library_move(k->host, output, &out, false);
    return true;
}

struct calls {
    struct libraries *d;
    const struct library_kernel *k;
    int times;
};

static int call_all(void *ctx)
{
    const struct calls *c = ctx;
    const char *name = c->k->call.is_product ? "cublasSgemm" : "cudnnConvolutionForward";
    for (int i = 0; i < c->times; i++)
        if (bad(c->d, name, run_once(c->d, c->k)))
            return CUDA_LAUNCH_FAILED;
    return CUDA_FINE;
}

static enum outcome libraries_run(void *self, void *kernel, void *const *args, int times, double *seconds,
                                  char message[SAMPLE_MESSAGE])
{
    struct libraries *d = self;
    struct library_kernel *k = kernel;
    const struct cuda_work work = {.enqueue = call_all, .ctx = &(struct calls){d, k, times}};
    d->why[0] = 0;
    bool fine = copy_in(d, k, args) && !bad(d, "the CUDA driver", cuda_device_time(&d->device, &work, seconds)) &&
                copy_out(d, k, args[C]);
    return fine ? OUTCOME_OK : outcome_because(message, OUTCOME_CRASHED, d->why);
}

static void libraries_describe(void *self, cJSON *object)
{
    struct libraries *d = self;
    int version = 0;
    if (!start_device(d))
        return;
    json_put_str(object, "gpu", d->device.traits.name);
    if (!d->cublas->version(d->blas, &version))
        json_put_int(object, "cublas", version);
}

extern const struct target target_cuda_libraries;
const struct target target_cuda_libraries = {
    .name = "cuda-libraries",
    .summary = "cuBLAS and cuDNN, for comparison: schedules are ignored",
    .loads_freely = true,
    .run_prepares = true,
    .copies_arguments = true,
    .state_size = sizeof(struct libraries),
    .open = libraries_open,
    .build = libraries_build,
    .load = libraries_load,
    .run = libraries_run,
    .drop = libraries_drop,
    .reference = libraries_reference,
    .describe = libraries_describe,
    .close = libraries_close,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_libraries: cuBLAS and cuDNN as a target, so that the same code loads, verifies and times them as ours. Steps are
 * ignored. Tensors are brought into the library's layout and onto the device before the clock starts. The time is that
 * of two events around all calls. The reference is the library itself, whose elements the runner checks against the
 * interpreter. The driver is started in runners only: who asks whether the target works may fork afterwards. */
#include "harness/base/text.h"
#include "harness/plug/target.h"
#include "targets/cuda_libraries/library_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALGORITHMS = 16, A = 0, B, C, TENSORS }; /* data, weights, output; in a matrix product its factors */

struct libraries {
    const struct driver_api *driver;
    const struct cublas_api *cublas;
    const struct cudnn_api *cudnn; /* NULL: there is none, no_cudnn says why */
    char no_cudnn[120];
    void *context, *blas, *dnn; /* NULL: not started */
    char device[64];
    char why[160]; /* the first call that failed */
};

/* A task as the libraries want it: a matrix product of n x k by k x m, or a convolution. */
struct call {
    bool is_product;
    int n, m, k;
    int ci, hi, wi, co, kh, kw, ho, wo, groups, pad[2], stride[2], dilation[2];
    bool channels_last;
};

struct library_kernel {
    struct call call;
    size_t floats[TENSORS];
    uint64_t at[TENSORS], workspace;
    float *host; /* of the largest tensor */
    void *x, *w, *y, *conv, *start, *end;
    int algorithm;
    size_t workspace_bytes;
};

static enum outcome failed(char message[SAMPLE_MESSAGE], enum outcome o, const char *text)
{
    snprintf(message, SAMPLE_MESSAGE, "%.199s", text);
    return o;
}

/* ---- tasks ---- */

/* The text of a key in a canonical spec, which has all of them. */
static const char *key(const struct task *t, const char *name)
{
    char pattern[16];
    snprintf(pattern, sizeof pattern, " %s=", name);
    const char *at = strstr(t->spec, pattern);
    return at ? at + strlen(pattern) : "";
}

static int number(const struct task *t, const char *name)
{
    return (int)strtol(key(t, name), NULL, 10);
}

/* The same before and after? */
static bool read_pad(const struct task *t, const char *name, int *pad)
{
    char *end;
    *pad = (int)strtol(key(t, name), &end, 10);
    return *end != ',' || strtol(end + 1, NULL, 10) == *pad;
}

static const char *read_product(const struct task *t, struct call *c)
{
    if (number(t, "chain") || number(t, "relu"))
        return "target cuda-libraries runs plain matrix products only";
    *c = (struct call){.is_product = true, .n = number(t, "n"), .m = number(t, "m"), .k = number(t, "k")};
    return NULL;
}

static const char *read_conv(const struct task *t, struct call *c, bool depthwise)
{
    static const char *const EPILOGUE[] = {"bias", "add", "relu", "clip", "scale"};
    for (size_t i = 0; i < sizeof EPILOGUE / sizeof *EPILOGUE; i++)
        if (number(t, EPILOGUE[i]))
            return "target cuda-libraries runs convolutions without an epilogue only";
    *c = (struct call){.n = number(t, "n"),
                       .ci = number(t, "ci"),
                       .hi = number(t, "hi"),
                       .wi = number(t, "wi"),
                       .co = number(t, "co"),
                       .kh = number(t, "kh"),
                       .kw = number(t, "kw"),
                       .ho = number(t, "ho"),
                       .wo = number(t, "wo"),
                       .groups = depthwise ? number(t, "ci") : number(t, "groups"),
                       .stride = {number(t, "sh"), number(t, "sw")},
                       .dilation = {number(t, "dh"), number(t, "dw")},
                       .channels_last = str_starts(key(t, "layout"), "nhwc")};
    if (!c->channels_last && (!str_starts(key(t, "layout"), "nchw") || str_starts(key(t, "layout"), "nchwc")))
        return "target cuda-libraries runs the layouts nchw and nhwc only";
    if (c->channels_last && c->groups != 1)
        return "target cuda-libraries runs groups in layout nchw only";
    return read_pad(t, "ph", &c->pad[0]) && read_pad(t, "pw", &c->pad[1])
               ? NULL
               : "cuDNN has no padding that differs before and after";
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

/* planes[n][c][i] from pixels[n][i][c], or the other way round */
static void move_channels(float *planes, float *pixels, int n, int channels, int area, bool to_planes)
{
    for (int image = 0; image < n; image++)
        for (int c = 0; c < channels; c++)
            for (int i = 0; i < area; i++) {
                float *plane = &planes[((size_t)image * channels + c) * area + i];
                float *pixel = &pixels[((size_t)image * area + i) * channels + c];
                *(to_planes ? plane : pixel) = *(to_planes ? pixel : plane);
            }
}

/* host[o][i][a] from filter[a][i][o] */
static void move_filter(float *host, const float *filter, const struct call *c)
{
    int area = c->kh * c->kw;
    for (int o = 0; o < c->co; o++)
        for (int i = 0; i < c->ci; i++)
            for (int a = 0; a < area; a++)
                host[((size_t)o * c->ci + i) * area + a] = filter[((size_t)a * c->ci + i) * c->co + o];
}

/* A tensor as the library wants it; in k->host if it had to be moved. */
static const float *library_data(struct library_kernel *k, int which, float *ours)
{
    const struct call *c = &k->call;
    if (c->is_product || !c->channels_last)
        return ours;
    if (which == A)
        move_channels(k->host, ours, c->n, c->ci, c->hi * c->wi, true);
    else
        move_filter(k->host, ours, c);
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
    const struct driver_api *r = d->driver;
    int device = 0;
    d->why[0] = 0;
    return d->blas ||
           !(bad(d, "cuInit", r->init(0)) || bad(d, "cuDeviceGet", r->device_get(&device, 0)) ||
             bad(d, "cuDeviceGetName", r->device_name(d->device, sizeof d->device, device)) ||
             bad(d, "cuDevicePrimaryCtxRetain", r->retain(&d->context, device)) ||
             bad(d, "cuCtxSetCurrent", r->use(d->context)) || bad(d, "cublasCreate", d->cublas->create(&d->blas)));
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
    const struct call *c = &k->call;
    const struct cudnn_api *n = d->cudnn; /* else it was not built */
    return !(
        bad(d, "cudnnCreate", d->dnn ? 0 : n->create(&d->dnn)) ||
        bad(d, "cudnnCreateTensorDescriptor", n->tensor_make(&k->x)) ||
        bad(d, "cudnnCreateTensorDescriptor", n->tensor_make(&k->y)) ||
        bad(d, "cudnnCreateFilterDescriptor", n->filter_make(&k->w)) ||
        bad(d, "cudnnCreateConvolutionDescriptor", n->conv_make(&k->conv)) ||
        bad(d, "cudnnSetTensor4dDescriptor", n->tensor_set(k->x, CUDNN_NCHW, CUDNN_FLOAT, c->n, c->ci, c->hi, c->wi)) ||
        bad(d, "cudnnSetTensor4dDescriptor", n->tensor_set(k->y, CUDNN_NCHW, CUDNN_FLOAT, c->n, c->co, c->ho, c->wo)) ||
        bad(d, "cudnnSetFilter4dDescriptor",
            n->filter_set(k->w, CUDNN_FLOAT, CUDNN_NCHW, c->co, c->ci / c->groups, c->kh, c->kw)) ||
        bad(d, "cudnnSetConvolution2dDescriptor",
            n->conv_set(k->conv, c->pad[0], c->pad[1], c->stride[0], c->stride[1], c->dilation[0], c->dilation[1],
                        CUDNN_CORRELATION, CUDNN_FLOAT)) ||
        bad(d, "cudnnSetConvolutionGroupCount", n->conv_groups(k->conv, c->groups)) ||
        bad(d, "cudnnSetConvolutionMathType", n->conv_math(k->conv, CUDNN_FMA)));
}

/* Does the algorithm run without tensor cores, as the convolution says? Its workspace is then made. */
static bool algorithm_runs(struct libraries *d, struct library_kernel *k, int algorithm)
{
    k->algorithm = algorithm;
    k->workspace_bytes = 0;
    if (bad(d, "cudnnGetConvolutionForwardWorkspaceSize",
            d->cudnn->workspace(d->dnn, k->x, k->w, k->conv, k->y, algorithm, &k->workspace_bytes)) ||
        (k->workspace_bytes && bad(d, "cuMemAlloc", d->driver->allocate(&k->workspace, k->workspace_bytes))))
        return false;
    if (!bad(d, "cudnnConvolutionForward", run_once(d, k)) && !bad(d, "cuCtxSynchronize", d->driver->synchronize()))
        return true;
    if (k->workspace)
        (void)d->driver->release(k->workspace);
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
    const struct driver_api *r = d->driver;
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
        if (r->allocate(&k->at[i], k->floats[i] * sizeof(float)))
            return "no memory on the device for a tensor";
    }
    k->host = malloc((most ? most : 1) * sizeof(float));
    if (!k->host || r->event_make(&k->start, 0) || r->event_make(&k->end, 0))
        return "no memory for a tensor or an event";
    return k->call.is_product || conv_make(d, k) ? NULL : d->why;
}

/* ---- the interface of a target ---- */

static bool libraries_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct libraries *d = self;
    struct err why = {0};
    env->layout = LAYOUT_NONE;
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1); /* what both libraries do is float32, whatever else is set */
    *d = (struct libraries){.driver = library_driver(err)};
    *limits = limits_cuda();
    if (!d->driver)
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
}

static enum outcome libraries_build(void *self, const struct candidate *c, struct blob *object,
                                    char message[SAMPLE_MESSAGE])
{
    struct call call;
    const struct libraries *d = self;
    const char *why = call_read(c->task, &call);
    if (!why && !call.is_product && !d->cudnn)
        why = d->no_cudnn;
    if (why)
        return failed(message, OUTCOME_INVALID, why);
    *object = (struct blob){.bytes = strdup("library"), .n = sizeof "library"};
    return object->bytes ? OUTCOME_OK : failed(message, OUTCOME_OUT_OF_MEMORY, "no memory");
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
    const struct driver_api *r = d->driver;
    for (int i = 0; i < TENSORS; i++)
        if (k->at[i])
            r->release(k->at[i]);
    if (k->workspace)
        r->release(k->workspace);
    if (k->start)
        r->event_drop(k->start);
    if (k->end)
        r->event_drop(k->end);
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
        return failed(message, OUTCOME_OUT_OF_MEMORY, "no memory");
    const char *why = kernel_make(self, c->task, k);
    if (!why) {
        *kernel = k;
        return OUTCOME_OK;
    }
    libraries_drop(self, k);
    return failed(message, OUTCOME_LOAD_FAILED, why);
}

static bool copy_in(struct libraries *d, struct library_kernel *k, void *const *args)
{
    for (int i = A; i <= B; i++)
        if (bad(d, "cuMemcpyHtoD",
                d->driver->copy_in(k->at[i], library_data(k, i, args[i]), k->floats[i] * sizeof(float))))
            return false;
    return true;
}

static bool copy_out(struct libraries *d, struct library_kernel *k, float *output)
{
    const struct call *c = &k->call;
    bool moved = !c->is_product && c->channels_last;
    if (bad(d, "cuMemcpyDtoH", d->driver->copy_out(moved ? k->host : output, k->at[C], k->floats[C] * sizeof(float))))
        return false;
    if (moved)
        move_channels(k->host, output, c->n, c->co, c->ho * c->wo, false);
    return true;
}

static enum outcome libraries_run(void *self, void *kernel, void *const *args, int times, double *seconds,
                                  char message[SAMPLE_MESSAGE])
{
    struct libraries *d = self;
    struct library_kernel *k = kernel;
    const struct driver_api *r = d->driver;
    float ms = 0;
    d->why[0] = 0;
    bool fine = copy_in(d, k, args) && !bad(d, "cuEventRecord", r->event_record(k->start, NULL));
    for (int i = 0; i < times && fine; i++)
        fine = !bad(d, k->call.is_product ? "cublasSgemm" : "cudnnConvolutionForward", run_once(d, k));
    fine = fine && !bad(d, "cuEventRecord", r->event_record(k->end, NULL)) &&
           !bad(d, "cuEventSynchronize", r->event_wait(k->end)) &&
           !bad(d, "cuEventElapsedTime", r->event_elapsed(&ms, k->start, k->end)) && copy_out(d, k, args[C]);
    *seconds = 1e-3 * (double)ms;
    return fine ? OUTCOME_OK : failed(message, OUTCOME_CRASHED, d->why);
}

static void libraries_describe(void *self, cJSON *object)
{
    struct libraries *d = self;
    int version = 0;
    if (!start_device(d))
        return;
    json_put_str(object, "gpu", d->device);
    if (!d->cublas->version(d->blas, &version))
        json_put_int(object, "cublas", version);
}

extern const struct target target_cuda_libraries;
const struct target target_cuda_libraries = {
    .name = "cuda-libraries",
    .summary = "cuBLAS and cuDNN, for comparison: schedules are ignored",
    .loads_freely = true,
    .run_prepares = true,
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

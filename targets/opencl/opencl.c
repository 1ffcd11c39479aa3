/* SPDX-License-Identifier: Apache-2.0 */
/* opencl: a target for any device of OpenCL 1.2. A build worker emits and compiles; what the driver made of it goes to
 * the runner. A call is every kernel of the program once, in order. Seconds are those between the start of the first
 * and the end of the last kernel of all calls, by the device's own clock (profiling of events), so they hold the gaps
 * between kernels. Arguments are copied to the device before and the result back after that.
 *
 * On PoCL, which runs kernels on the CPU, every GPU schedule can be tested; its times say nothing of a GPU. */
#include "harness/plug/target.h"
#include "targets/gpu/gpu_emit.h"
#include "targets/gpu/gpu_source.h"
#include "targets/opencl/cl_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opencl_options {
    int64_t device, max_threads, shared_bytes, warp;
};
static const struct setting SETTINGS[] = {
    INT_SETTING("device", struct opencl_options, device, "0", 0, 1023,
                "which device, counted from 0 over all platforms as the OpenCL loader lists them"),
    INT_SETTING("max_threads", struct opencl_options, max_threads, "0", 0, 1 << 20,
                "most threads of a block; 0: what the device allows, at most 1024"),
    INT_SETTING("shared_bytes", struct opencl_options, shared_bytes, "0", 0, 1 << 30,
                "bytes of shared memory a block may have; 0: what the device allows, at most 49152"),
    INT_SETTING("warp", struct opencl_options, warp, "32", 1, 1024,
                "threads that run in step, which the sketches count in"),
    {0},
};

struct opencl {
    const struct opencl_options *options;
    const struct cl_api *api;
    struct arena *scratch;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    struct limits limits;
};
struct opencl_kernel {
    struct gpu_program program;
    cl_program code;
    cl_kernel kernels[GPU_KERNELS];
    cl_mem memory[GPU_TENSORS];
    struct gpu_copied copied;
};

static enum outcome fail_status(char message[SAMPLE_MESSAGE], enum outcome o, const char *what, cl_int status)
{
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY)
        o = OUTCOME_OUT_OF_MEMORY;
    snprintf(message, SAMPLE_MESSAGE, "%s: %s (%d)", what, cl_api_status(status), status);
    return o;
}

/* ---- the device ---- */

enum { PLATFORMS = 32, DEVICES = 64 };

static bool find_device(struct opencl *o, struct err *err)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint nplatforms = 0, seen = 0;
    cl_int status = o->api->GetPlatformIDs(PLATFORMS, platforms, &nplatforms);
    if (status != CL_SUCCESS)
        return err_set(err, "OpenCL: %s (%d)", cl_api_status(status), status);
    for (cl_uint i = 0; i < nplatforms && i < PLATFORMS; i++) {
        cl_device_id devices[DEVICES];
        cl_uint n = 0;
        if (o->api->GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, DEVICES, devices, &n) != CL_SUCCESS)
            continue;
        n = n > DEVICES ? DEVICES : n;
        if (o->options->device < seen + n) {
            o->device = devices[o->options->device - seen];
            return true;
        }
        seen += n;
    }
    return err_set(err, seen ? "OpenCL has no device %lld, only %u" : "OpenCL has no device %lld and no other one",
                   (long long)o->options->device, seen);
}

static bool check_device(const struct opencl *o, struct err *err)
{
    cl_bool available = CL_FALSE, compiles = CL_FALSE;
    o->api->GetDeviceInfo(o->device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    o->api->GetDeviceInfo(o->device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles, NULL);
    if (!available || !compiles)
        return err_set(err, "OpenCL's device %lld %s", (long long)o->options->device,
                       available ? "has no compiler" : "is not available");
    return true;
}

static void read_limits(struct opencl *o)
{
    size_t threads = 0;
    cl_ulong shared = 0;
    const struct opencl_options *asked = o->options;
    const struct gpu_narrowed narrowed = {asked->max_threads, asked->shared_bytes, asked->warp};
    o->api->GetDeviceInfo(o->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof threads, &threads, NULL);
    o->api->GetDeviceInfo(o->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof shared, &shared, NULL);
    o->limits = gpu_limits(&narrowed, (int64_t)threads, (int64_t)shared);
}

static void opencl_close(void *self)
{
    struct opencl *o = self;
    if (o->queue)
        o->api->ReleaseCommandQueue(o->queue);
    if (o->context)
        o->api->ReleaseContext(o->context);
    arena_close(o->scratch);
}

/* Weights are never packed: TVM does not do so on GPUs. */
static bool opencl_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct opencl *o = self;
    cl_int status;
    *o = (struct opencl){.options = env->options, .api = cl_api(err)};
    env->layout = LAYOUT_NONE;
    if (!o->api || !find_device(o, err) || !check_device(o, err))
        return false;
    read_limits(o);
    *limits = o->limits;
    o->context = o->api->CreateContext(NULL, 1, &o->device, NULL, NULL, &status);
    if (status == CL_SUCCESS)
        o->queue = o->api->CreateCommandQueue(o->context, o->device, CL_QUEUE_PROFILING_ENABLE, &status);
    if (status == CL_SUCCESS) {
        o->scratch = arena_open("target");
        return true;
    }
    opencl_close(o);
    return err_set(err, "OpenCL's device %lld: %s (%d)", (long long)o->options->device, cl_api_status(status), status);
}

/* ---- build ---- */

static enum outcome compile(const struct opencl *o, cl_program code, char message[SAMPLE_MESSAGE])
{
    cl_int status = o->api->BuildProgram(code, 1, &o->device, "-w", NULL, NULL);
    char log[4096] = "";
    if (status == CL_SUCCESS)
        return OUTCOME_OK;
    if (o->api->GetProgramBuildInfo(code, o->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL) == CL_SUCCESS &&
        log[0])
        return outcome_because(message, OUTCOME_BUILD_FAILED, log);
    return fail_status(message, OUTCOME_BUILD_FAILED, "compile", status);
}

static enum outcome take_binary(const struct opencl *o, cl_program code, const struct gpu_program *p,
                                struct blob *object, char message[SAMPLE_MESSAGE])
{
    size_t n = 0;
    cl_int status = o->api->GetProgramInfo(code, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
    unsigned char *binary = n && status == CL_SUCCESS ? malloc(n) : NULL;
    if (!binary)
        return fail_status(message, OUTCOME_BUILD_FAILED, "code of the program", status);
    status = o->api->GetProgramInfo(code, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    if (status == CL_SUCCESS)
        object->bytes = gpu_program_pack(p, binary, n, &object->n);
    free(binary);
    if (status != CL_SUCCESS)
        return fail_status(message, OUTCOME_BUILD_FAILED, "code of the program", status);
    return object->bytes ? OUTCOME_OK : outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory for a program");
}

static enum outcome build_source(struct opencl *o, struct gpu_source *from, struct blob *object,
                                 char message[SAMPLE_MESSAGE])
{
    cl_int status;
    const char *text = text_str(&from->text);
    cl_program code = o->api->CreateProgramWithSource(o->context, 1, &text, &from->text.len, &status);
    enum outcome done = status == CL_SUCCESS ? compile(o, code, message)
                                             : fail_status(message, OUTCOME_BUILD_FAILED, "program", status);
    if (done == OUTCOME_OK)
        done = take_binary(o, code, from->program, object, message);
    if (status == CL_SUCCESS)
        o->api->ReleaseProgram(code);
    text_free(&from->text);
    return done;
}

static enum outcome build(struct opencl *o, const struct task *task, const struct candidate *candidate,
                          struct blob *object, char message[SAMPLE_MESSAGE])
{
    struct gpu_source source;
    enum outcome done = gpu_source_make(o->scratch, &dialect_opencl, &o->limits, task, candidate, &source, message);
    return done == OUTCOME_OK ? build_source(o, &source, object, message) : done;
}

static enum outcome opencl_build(void *self, const struct candidate *c, struct blob *object,
                                 char message[SAMPLE_MESSAGE])
{
    return build(self, c->task, c, object, message);
}

static enum outcome opencl_reference(void *self, const struct task *task, struct blob *object,
                                     char message[SAMPLE_MESSAGE])
{
    return build(self, task, NULL, object, message);
}

/* ---- load ---- */

static void opencl_drop(void *self, void *kernel)
{
    const struct opencl *o = self;
    struct opencl_kernel *k = kernel;
    if (!k)
        return;
    for (int i = 0; i < GPU_KERNELS; i++)
        if (k->kernels[i])
            o->api->ReleaseKernel(k->kernels[i]);
    for (int i = 0; i < GPU_TENSORS; i++)
        if (k->memory[i])
            o->api->ReleaseMemObject(k->memory[i]);
    if (k->code)
        o->api->ReleaseProgram(k->code);
    free(k);
}

static cl_int make_kernel(const struct opencl *o, struct opencl_kernel *k, int number)
{
    const struct gpu_kernel *of = &k->program.kernels[number];
    char name[32];
    cl_int status;
    snprintf(name, sizeof name, "kernel_%d", number);
    k->kernels[number] = o->api->CreateKernel(k->code, name, &status);
    for (int i = 0; i < of->ntensors && status == CL_SUCCESS; i++)
        status = o->api->SetKernelArg(k->kernels[number], (cl_uint)i, sizeof(cl_mem), &k->memory[of->tensors[i]]);
    return status;
}

static enum outcome make_parts(const struct opencl *o, struct opencl_kernel *k, char message[SAMPLE_MESSAGE])
{
    cl_int status = CL_SUCCESS;
    for (int i = 0; i < k->program.ntensors && status == CL_SUCCESS; i++)
        k->memory[i] =
            o->api->CreateBuffer(o->context, CL_MEM_READ_WRITE, (size_t)k->program.tensors[i].bytes, NULL, &status);
    if (status != CL_SUCCESS)
        return fail_status(message, OUTCOME_LOAD_FAILED, "memory", status);
    for (int i = 0; i < k->program.nkernels && status == CL_SUCCESS; i++)
        status = make_kernel(o, k, i);
    return status == CL_SUCCESS ? OUTCOME_OK : fail_status(message, OUTCOME_LOAD_FAILED, "kernel", status);
}

static enum outcome opencl_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                                char message[SAMPLE_MESSAGE])
{
    const struct opencl *o = self;
    struct opencl_kernel *k = calloc(1, sizeof *k);
    struct err err = {0};
    const void *code;
    const unsigned char *bytes;
    size_t n;
    cl_int status;
    (void)c;
    if (!k)
        return outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory for a program");
    if (!gpu_program_unpack(object->bytes, object->n, &k->program, &code, &n, &err)) {
        free(k);
        return outcome_because(message, OUTCOME_LOAD_FAILED, err.text);
    }
    bytes = code;
    k->code = o->api->CreateProgramWithBinary(o->context, 1, &o->device, &n, &bytes, NULL, &status);
    enum outcome done = status == CL_SUCCESS ? compile(o, k->code, message)
                                             : fail_status(message, OUTCOME_LOAD_FAILED, "program", status);
    if (done == OUTCOME_OK)
        done = make_parts(o, k, message);
    if (done == OUTCOME_OK)
        *kernel = k;
    else
        opencl_drop(self, k);
    return done == OUTCOME_BUILD_FAILED ? OUTCOME_LOAD_FAILED : done;
}

/* ---- run ---- */

static cl_int copy_in(const struct opencl *o, struct opencl_kernel *k, void *const *args)
{
    cl_int status = CL_SUCCESS;
    for (int i = 0; i < k->program.ntensors && status == CL_SUCCESS; i++) {
        const struct gpu_tensor *t = &k->program.tensors[i];
        if (gpu_copied_differs(&k->copied, &k->program, i, args))
            status = o->api->EnqueueWriteBuffer(o->queue, k->memory[i], CL_TRUE, 0, (size_t)t->bytes, args[t->arg], 0,
                                                NULL, NULL);
    }
    return status;
}

/* One kernel of one call; an event only for the first and for the last one. */
static cl_int start_kernel(const struct opencl *o, const struct opencl_kernel *k, int number, cl_event *event)
{
    const struct gpu_kernel *of = &k->program.kernels[number];
    size_t all[3], block[3];
    for (int i = 0; i < 3; i++) {
        block[i] = (size_t)of->threads[i];
        all[i] = block[i] * (size_t)of->blocks[i];
    }
    return o->api->EnqueueNDRangeKernel(o->queue, k->kernels[number], 3, NULL, all, block, 0, NULL, event);
}

static cl_int call(const struct opencl *o, const struct opencl_kernel *k, int number, cl_event events[2])
{
    cl_int status = CL_SUCCESS;
    for (int i = 0; i < number; i++)
        for (int j = 0; j < k->program.nkernels && status == CL_SUCCESS; j++) {
            bool first = i == 0 && j == 0, last = i == number - 1 && j == k->program.nkernels - 1;
            cl_event *event = last ? &events[1] : first ? &events[0] : NULL;
            status = start_kernel(o, k, j, event);
        }
    return status == CL_SUCCESS ? o->api->Finish(o->queue) : status;
}

static cl_int seconds_between(const struct opencl *o, const cl_event events[2], double *seconds)
{
    cl_ulong start = 0, end = 0;
    cl_int status = o->api->GetEventProfilingInfo(events[0] ? events[0] : events[1], CL_PROFILING_COMMAND_START,
                                                  sizeof start, &start, NULL);
    if (status == CL_SUCCESS)
        status = o->api->GetEventProfilingInfo(events[1], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    *seconds = (double)(end - start) * 1e-9;
    return status;
}

static enum outcome opencl_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                               char message[SAMPLE_MESSAGE])
{
    const struct opencl *o = self;
    struct opencl_kernel *k = kernel;
    cl_event events[2] = {NULL, NULL};
    int out = gpu_program_output(&k->program);
    cl_int status = copy_in(o, k, args);
    if (status == CL_SUCCESS)
        status = call(o, k, number, events);
    if (status == CL_SUCCESS)
        status = seconds_between(o, events, seconds);
    for (int i = 0; i < 2; i++)
        if (events[i])
            o->api->ReleaseEvent(events[i]);
    if (status == CL_SUCCESS)
        status = o->api->EnqueueReadBuffer(o->queue, k->memory[out], CL_TRUE, 0, (size_t)k->program.tensors[out].bytes,
                                           args[k->program.tensors[out].arg], 0, NULL, NULL);
    return status == CL_SUCCESS ? OUTCOME_OK : fail_status(message, OUTCOME_CRASHED, "run", status);
}

/* A device that is no GPU may be the host's processor (PoCL), whose cores build, too. */
static bool opencl_runs_apart(const void *self)
{
    const struct opencl *o = self;
    cl_device_type type = 0;
    return o->api->GetDeviceInfo(o->device, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
           (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU)) == CL_DEVICE_TYPE_GPU;
}

/* ---- description ---- */

static const char *const FORMS[] = {"source", NULL};

static bool opencl_print(void *self, const struct nest *n, const char *form, struct text *out, struct err *err)
{
    struct opencl *o = self;
    struct gpu_program *p = ARENA_NEW(o->scratch, struct gpu_program);
    (void)form;
    return gpu_emit(o->scratch, n, &dialect_opencl, p, out, err);
}

static void put_info(const struct opencl *o, cJSON *object, const char *name, cl_device_info what)
{
    char text[512] = "";
    if (o->api->GetDeviceInfo(o->device, what, sizeof text - 1, text, NULL) == CL_SUCCESS)
        json_put_str(object, name, text);
}

static void opencl_describe(void *self, cJSON *object)
{
    const struct opencl *o = self;
    cl_uint units = 0;
    put_info(o, object, "device", CL_DEVICE_NAME);
    put_info(o, object, "driver", CL_DRIVER_VERSION);
    put_info(o, object, "version", CL_DEVICE_VERSION);
    o->api->GetDeviceInfo(o->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    json_put_int(object, "compute_units", units);
    json_put_int(object, "max_threads", o->limits.threads_per_block);
    json_put_int(object, "shared_bytes", o->limits.shared_bytes);
}

extern const struct target target_opencl;
const struct target target_opencl = {
    .name = "opencl",
    .summary = "any device of OpenCL 1.2: GPU schedules, timed by events",
    .settings = SETTINGS,
    .options_size = sizeof(struct opencl_options),
    .state_size = sizeof(struct opencl),
    .loads_freely = true, /* PoCL links what it loads and keeps it in files */
    .run_prepares = true,
    .copies_arguments = true,
    .open = opencl_open,
    .build = opencl_build,
    .load = opencl_load,
    .run = opencl_run,
    .drop = opencl_drop,
    .reference = opencl_reference,
    .runs_apart = opencl_runs_apart,
    .forms = FORMS,
    .print = opencl_print,
    .describe = opencl_describe,
    .close = opencl_close,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* cuda: a target for NVIDIA's GPUs. A build worker emits CUDA C and compiles it with NVRTC: no GPU and no driver are
 * needed there. The runner loads and runs what came out through the CUDA driver. A call is every kernel of the program
 * once, in order, on one stream. Seconds are those between two events around all calls, by the device's clock, as in
 * TVM's timer for CUDA: they hold the gaps between kernels. Arguments are copied to the device before and the result
 * back after that. An error that stays in the context (an illegal address, say) is OUTCOME_CRASHED, and the trunk
 * starts another runner. */
#include "harness/plug/target.h"
#include "targets/cuda/cuda_program.h"
#include "targets/cuda/nvml.h"
#include "targets/cuda/nvrtc.h"
#include "targets/gpu/gpu_emit.h"
#include "targets/gpu/gpu_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB ((double)(1 << 30))
enum { MOST_THREADS = 1024, MOST_SHARED = 48 << 10 }; /* of every device of CUDA since sm_30 */

struct cuda_options {
    int64_t device, max_threads, shared_bytes, warp;
    const char *arch, *nvrtc;
};
static const struct setting SETTINGS[] = {
    INT_SETTING("device", struct cuda_options, device, "0", 0, 1023,
                "which GPU, counted from 0 as the CUDA driver does (CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER)"),
    INT_SETTING("max_threads", struct cuda_options, max_threads, "0", 0, MOST_THREADS,
                "most threads of a block; 0: what the device allows, at most 1024"),
    INT_SETTING("shared_bytes", struct cuda_options, shared_bytes, "0", 0, MOST_SHARED,
                "bytes of shared memory a block may have; 0: what the device allows, at most 49152"),
    INT_SETTING("warp", struct cuda_options, warp, "32", 1, 1024,
                "threads that run in step, which the sketches count in"),
    STRING_SETTING("arch", struct cuda_options, arch, "",
                   "architecture to compile for, as sm_80; empty: the device's. With it, kernels can be built where "
                   "there is no GPU"),
    STRING_SETTING("nvrtc", struct cuda_options, nvrtc, "",
                   "path of libnvrtc; empty: the newest found whose code the driver can load"),
    {0},
};

struct cuda {
    const struct cuda_options *options;
    enum target_use use;
    struct arena *scratch;
    struct cuda_device device; /* in a runner */
    struct cuda_traits traits; /* name "": no device was asked */
    struct nvrtc nvrtc;
    struct nvrtc_goal goal;
    struct limits limits;
    struct file_cache *objects; /* what NVRTC made of equal sources is taken from it; NULL: nowhere */
    bool flush_next;
};

/* ---- the device ---- */

/* 0: none is given. */
static bool arch_number(const char *arch, int *out, struct err *err)
{
    int64_t n = 0;
    *out = 0;
    if (!*arch)
        return true;
    if (!str_starts(arch, "sm_") || !str_int(arch + 3, &n) || n < 10 || n > 999)
        return err_set(err, "arch '%s' must be like sm_80", arch);
    *out = (int)n;
    return true;
}

/* Code of its own kind runs on devices of the same major version and no older a minor one; PTX on all later ones. */
static bool runs_on(const struct nvrtc_goal *goal, const struct cuda_traits *t, struct err *err)
{
    int device = 10 * t->capability[0] + t->capability[1], code = goal->architecture;
    bool fits = code <= device && (goal->ptx || code / 10 == device / 10);
    return fits || err_set(err, "code for sm_%d does not run on this GPU (%s, sm_%d)", code, t->name, device);
}

/* Asks the device what it is, as far as the use needs it. Leaves the name empty where a given architecture will do. */
static bool find_device(struct cuda *c, int arch, struct err *err)
{
    int number = (int)c->options->device;
    if (c->use == TARGET_RUNS) {
        if (!cuda_device_open(&c->device, number, err))
            return false;
        c->traits = c->device.traits;
        return true;
    }
    if (c->use == TARGET_BUILDS && arch)
        return true;
    return cuda_device_probe(number, &c->traits, err) ||
           (c->use == TARGET_BUILDS &&
            err_context(err, "what to build for is not known (arch=sm_80 says it without a GPU)"));
}

/* The driver's version, without starting it. 0: no driver. */
static int driver_version(const struct cuda *c)
{
    struct err ignored = {0};
    int version = c->traits.driver;
    const struct cuda_api *api = version ? NULL : cuda_api(&ignored);
    if (api && api->version(&version) != CUDA_FINE)
        version = 0;
    return version;
}

static void read_limits(struct cuda *c)
{
    const struct cuda_options *asked = c->options;
    const struct gpu_narrowed narrowed = {asked->max_threads, asked->shared_bytes, asked->warp};
    bool known = c->traits.name[0];
    c->limits = gpu_limits(&narrowed, known ? c->traits.max_threads : MOST_THREADS,
                           known ? c->traits.shared_bytes : MOST_SHARED);
}

static void cuda_close(void *self)
{
    struct cuda *c = self;
    cuda_device_close(&c->device);
    arena_close(c->scratch);
}

/* Asked once for all build workers: sixteen that start the driver at once wait for each other. */
static bool cuda_preload(const void *options, struct err *err)
{
    const struct cuda_options *o = options;
    return *o->arch || cuda_device_keep((int)o->device, err);
}

/* Weights are never packed: TVM does not do so on GPUs. */
static bool cuda_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct cuda *c = self;
    int arch;
    *c = (struct cuda){.options = env->options, .use = env->use, .objects = env->objects};
    env->layout = LAYOUT_NONE;
    if (!arch_number(c->options->arch, &arch, err) || !find_device(c, arch, err))
        return false;
    if (!arch)
        arch = 10 * c->traits.capability[0] + c->traits.capability[1];
    if (!nvrtc_open(&c->nvrtc, c->options->nvrtc, driver_version(c), err) ||
        !nvrtc_choose(&c->nvrtc, arch, &c->goal, err) || (c->traits.name[0] && !runs_on(&c->goal, &c->traits, err))) {
        cuda_device_close(&c->device);
        return false;
    }
    read_limits(c);
    *limits = c->limits;
    c->scratch = arena_open("target");
    return true;
}

/* ---- build ---- */

struct nvrtc_job {
    const struct cuda *c;
    const struct text *source; /* its first line says what compiles it */
};

static bool make_code(void *ctx, struct text *out, struct err *err)
{
    const struct nvrtc_job *job = ctx;
    size_t n = 0;
    void *code = nvrtc_compile(&job->c->nvrtc, &job->c->goal, text_str(job->source), &n, err);
    if (code)
        text_addn(out, code, n);
    free(code);
    return code != NULL;
}

static enum outcome compile(const struct cuda *c, struct gpu_source *from, struct blob *object,
                            char message[SAMPLE_MESSAGE])
{
    struct text source = {0}, code = {0};
    struct nvrtc_job job = {c, &source};
    struct err err = {0};
    char goal[48];
    text_printf(&source, "// NVRTC %d.%d, %s\n", c->nvrtc.major, c->nvrtc.minor,
                nvrtc_goal_words(&c->goal, goal, sizeof goal));
    text_addn(&source, from->text.s, from->text.len);
    text_free(&from->text);
    bool fine = file_cache_find_or_make(c->objects, &source, make_code, &job, &code, &object->cached_s, &err);
    text_free(&source);
    if (fine)
        object->bytes = gpu_program_pack(from->program, code.s, code.len, &object->n);
    text_free(&code);
    if (!fine)
        return outcome_because(message, OUTCOME_BUILD_FAILED, err.text);
    return object->bytes ? OUTCOME_OK : outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory for a program");
}

static enum outcome build(struct cuda *c, const struct task *task, const struct candidate *candidate,
                          struct blob *object, char message[SAMPLE_MESSAGE])
{
    struct gpu_source source;
    enum outcome done = gpu_source_make(c->scratch, &dialect_cuda, &c->limits, task, candidate, &source, message);
    return done == OUTCOME_OK ? compile(c, &source, object, message) : done;
}

static enum outcome cuda_build(void *self, const struct candidate *c, struct blob *object, char message[SAMPLE_MESSAGE])
{
    return build(self, c->task, c, object, message);
}

static enum outcome cuda_reference(void *self, const struct task *task, struct blob *object,
                                   char message[SAMPLE_MESSAGE])
{
    return build(self, task, NULL, object, message);
}

/* ---- run ---- */

static void cuda_drop(void *self, void *kernel)
{
    struct cuda *c = self;
    if (kernel)
        cuda_program_unload(&c->device, kernel);
    free(kernel);
}

static enum outcome cuda_load(void *self, const struct candidate *candidate, const struct blob *object, void **kernel,
                              char message[SAMPLE_MESSAGE])
{
    struct cuda *c = self;
    struct cuda_program *p = calloc(1, sizeof *p);
    struct err err = {0};
    const void *code;
    size_t n;
    (void)candidate;
    if (!p)
        return outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory for a program");
    if (!gpu_program_unpack(object->bytes, object->n, &p->plan, &code, &n, &err)) {
        free(p);
        return outcome_because(message, OUTCOME_LOAD_FAILED, err.text);
    }
    enum outcome o = cuda_program_load(&c->device, p, code, message);
    if (o == OUTCOME_OK)
        *kernel = p;
    else
        cuda_drop(c, p);
    return o;
}

static enum outcome cuda_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                             char message[SAMPLE_MESSAGE])
{
    struct cuda *c = self;
    const struct cuda_run run = {.args = args, .number = number, .flush = c->flush_next};
    c->flush_next = false;
    return cuda_program_run(&c->device, kernel, &run, seconds, message);
}

static void cuda_flush(void *self)
{
    struct cuda *c = self;
    c->flush_next = true;
}

static bool cuda_runs_apart(const void *self)
{
    (void)self;
    return true;
}

/* ---- description ---- */

static const char *const FORMS[] = {"source", "ptx", NULL};

static bool cuda_print(void *self, const struct nest *n, const char *form, struct text *out, struct err *err)
{
    struct cuda *c = self;
    struct gpu_program *p = ARENA_NEW(c->scratch, struct gpu_program);
    struct nvrtc_goal ptx = {.architecture = c->goal.architecture, .ptx = true};
    struct text source = {0};
    size_t bytes = 0;
    if (str_eq(form, "source"))
        return gpu_emit(c->scratch, n, &dialect_cuda, p, out, err);
    char *code = gpu_emit(c->scratch, n, &dialect_cuda, p, &source, err)
                     ? nvrtc_compile(&c->nvrtc, &ptx, text_str(&source), &bytes, err)
                     : NULL;
    text_free(&source);
    if (!code)
        return false;
    text_addn(out, code, strnlen(code, bytes));
    free(code);
    return true;
}

static void put_version(cJSON *object, const char *name, int major, int minor)
{
    char room[24];
    snprintf(room, sizeof room, "%d.%d", major, minor);
    json_put_str(object, name, room);
}

static void put_device(const struct cuda *c, cJSON *object)
{
    const struct cuda_traits *t = &c->traits;
    struct nvml_gpu nvml;
    struct nvml_state state;
    struct err why = {0};
    char room[96];
    json_put_str(object, "gpu", t->name);
    json_put_number(object, "gpu_memory_gib", (double)t->memory_bytes / GIB);
    put_version(object, "cuda_driver", t->driver / 1000, t->driver % 1000 / 10);
    put_version(object, "capability", t->capability[0], t->capability[1]);
    json_put_int(object, "multiprocessors", t->multiprocessors);
    json_put_int(object, "l2_bytes", t->l2_bytes);
    if (!nvml_open(&nvml, t->bus, &why)) {
        json_put_str(object, "no_nvml", why.text);
        return;
    }
    nvml_driver(&nvml, room, sizeof room);
    json_put_str(object, "gpu_driver", room);
    nvml_read(&nvml, &state);
    nvml_describe(&state, object);
    nvml_close(&nvml);
}

static void cuda_describe(void *self, cJSON *object)
{
    const struct cuda *c = self;
    char room[48];
    if (c->traits.name[0])
        put_device(c, object);
    put_version(object, "nvrtc", c->nvrtc.major, c->nvrtc.minor);
    json_put_str(object, "code", nvrtc_goal_words(&c->goal, room, sizeof room));
    if (c->goal.ptx)
        json_put_str(object, "code_remark", "this NVRTC does not know the GPU: the driver compiles further");
    json_put_int(object, "max_threads", c->limits.threads_per_block);
    json_put_int(object, "shared_bytes", c->limits.shared_bytes);
}

extern const struct target target_cuda;
const struct target target_cuda = {
    .name = "cuda",
    .summary = "NVIDIA's GPUs: NVRTC, the CUDA driver, timed by events",
    .settings = SETTINGS,
    .options_size = sizeof(struct cuda_options),
    .state_size = sizeof(struct cuda),
    .loads_freely = true, /* the driver may compile PTX and keep it in files */
    .run_prepares = true,
    .copies_arguments = true,
    .preload = cuda_preload,
    .open = cuda_open,
    .build = cuda_build,
    .load = cuda_load,
    .run = cuda_run,
    .drop = cuda_drop,
    .flush = cuda_flush,
    .reference = cuda_reference,
    .runs_apart = cuda_runs_apart,
    .forms = FORMS,
    .print = cuda_print,
    .describe = cuda_describe,
    .close = cuda_close,
};

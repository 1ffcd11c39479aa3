/* SPDX-License-Identifier: Apache-2.0 */
/* cpu: the target that runs kernels on this machine's cores: codegen builds in a build worker, jit loads in the runner,
 * parallel loops run on OpenMP threads. */
#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/plug/target.h"
#include "harness/program/lower/bound.h"
#include "targets/cpu/codegen.h"
#include "targets/cpu/jit.h"
#include "targets/cpu/llvm.h"
#include "targets/cpu/parallel.h"
#include "targets/cpu/peak.h"
#include "targets/cpu/tvm/tvm_llvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cpu_options {
    int codegen; /* enum codegen_mode */
    int llvm;    /* index of LLVM_VERSIONS */
    const char *mcpu;
    int64_t opt;
    bool contract, reassociate;
};
static const char *const CODEGEN_NAMES[] = {[CODEGEN_TVM] = "tvm", [CODEGEN_FAST] = "fast", NULL};
/* What may make the code of codegen=tvm, as its LLVM's version; 0: the first of them that is installed. */
static const char *const LLVM_VERSIONS[] = {"nearest", "17", "16", "19", NULL};
static const int LLVM_NUMBERS[] = {0, 17, 16, LLVM_VERSION_MAJOR};
static const struct setting SETTINGS[] = {
    ENUM_SETTING(
        "codegen", struct cpu_options, codegen, "fast", CODEGEN_NAMES,
        "tvm: the code that TVM makes of a schedule; fast: register tiles and vectors that it does not ask for",
        .later = true),
    ENUM_SETTING("llvm", struct cpu_options, llvm, "nearest", LLVM_VERSIONS,
                 "which LLVM makes the code of codegen=tvm; nearest: the first of 17 (TVM's), 16, 19 that is installed",
                 .later = true),
    STRING_SETTING("mcpu", struct cpu_options, mcpu, "native",
                   "native, generic (plain x86-64, as the papers had it) or a CPU name of LLVM"),
    INT_SETTING("opt", struct cpu_options, opt, "2", 0, 3, "LLVM's code generation level"),
    BOOL_SETTING("contract", struct cpu_options, contract, "true", "a*b+c may be one fused multiply-add"),
    BOOL_SETTING("reassociate", struct cpu_options, reassociate, "false", "sums may be added up in another order"),
    {0},
};

struct cpu {
    const struct target_env *env;
    const struct cpu_options *options;
    /* Opened by the first build: the runner needs none. A reference is never timed, so it is always CODEGEN_FAST. */
    struct codegen *codegen[CODEGEN_MODES];
    struct arena *scratch;
    int threads;
};

/* What travels from build to load: this, then the object file. */
struct object_header {
    char magic[8];
    struct kernel_scratch scratch;
};
static const char MAGIC[8] = "rgcpu01";

struct loaded_kernel {
    struct jit *jit;
    kernel_code *code;
    char *shared, *threads_scratch;
};

static enum outcome fail(char message[SAMPLE_MESSAGE], enum outcome o, const char *text)
{
    snprintf(message, SAMPLE_MESSAGE, "%.*s", SAMPLE_MESSAGE - 1, text);
    return o;
}

static enum codegen_mode asked_mode(const struct cpu *c)
{
    return (enum codegen_mode)c->options->codegen;
}

static bool codegen_ready(struct cpu *c, enum codegen_mode mode, struct err *err)
{
    struct codegen_options o = {.mode = mode,
                                .mcpu = c->options->mcpu,
                                .level = (int)c->options->opt,
                                .contract = c->options->contract,
                                .reassociate = c->options->reassociate,
                                .llvm = LLVM_NUMBERS[c->options->llvm]};
    return c->codegen[mode] || codegen_open(&o, &c->codegen[mode], err);
}

/* In the process that forks the workers: each would take some 25 ms to load both libraries. */
static bool cpu_preload(struct err *err)
{
    tvm_llvm_load();
    return llvm_load(err);
}

static bool cpu_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct cpu *c = self;
    *c = (struct cpu){.env = env, .options = env->options};
    c->threads = env->threads > 0 ? env->threads : cpus_usable();
    c->scratch = arena_open("target");
    parallel_threads(c->threads);
    *limits = limits_cpu(c->threads);
    if (codegen_ready(c, asked_mode(c), err))
        return true;
    arena_close(c->scratch);
    return false;
}

static void cpu_close(void *self)
{
    struct cpu *c = self;
    parallel_stop();
    for (int i = 0; i < CODEGEN_MODES; i++)
        codegen_close(c->codegen[i]);
    arena_close(c->scratch);
}

/* ---- build ---- */

static enum outcome build_nest(struct cpu *c, enum codegen_mode mode, const struct nest *n, struct blob *object,
                               char message[SAMPLE_MESSAGE])
{
    struct object_header p = {.scratch = {0}};
    struct err err = {0};
    void *bytes;
    size_t size;
    if (!codegen_ready(c, mode, &err) || !codegen_object(c->codegen[mode], n, &bytes, &size, &p.scratch, &err))
        return fail(message, OUTCOME_BUILD_FAILED, err.text);
    memcpy(p.magic, MAGIC, sizeof p.magic);
    object->n = sizeof p + size;
    object->bytes = malloc(object->n);
    if (object->bytes) {
        memcpy(object->bytes, &p, sizeof p);
        memcpy((char *)object->bytes + sizeof p, bytes, size);
    }
    free(bytes);
    return object->bytes ? OUTCOME_OK : fail(message, OUTCOME_OUT_OF_MEMORY, "no memory for object code");
}

static enum outcome cpu_build(void *self, const struct candidate *cand, struct blob *object,
                              char message[SAMPLE_MESSAGE])
{
    struct cpu *c = self;
    struct err err = {0};
    struct nest *n;
    arena_reset(c->scratch);
    if (!lower_steps(c->scratch, cand->task, cand->steps, cand->nsteps, c->env->layout, &n, &err))
        return fail(message, OUTCOME_INVALID, err.text);
    return build_nest(c, asked_mode(c), n, object, message);
}

/* One stage made less slow: outer spatial loops fused and parallel, the last one innermost as lanes. */
static bool speed_up_stage(struct state *s, int stage, struct err *err)
{
    const struct op *op = s->stages[stage].op;
    int order[64], n = s->stages[stage].nleaf, ns = op->nspatial;
    if (op->kind != OP_COMPUTE || ns == 0 || n > 64)
        return true;
    if (n > ns) {
        for (int i = 0; i < n; i++)
            order[i] = i < ns - 1 ? i : i < n - 1 ? i + 1 : ns - 1;
        if (!state_reorder(s, stage, order, n, err))
            return false;
    }
    if (op->axes[ns - 1].extent > 1 && !state_annotate(s, stage, n - 1, ANN_VECTORIZE, err))
        return false;
    if (ns < 2)
        return true;
    if (ns > 2 && !state_fuse(s, stage, 0, ns - 1, err))
        return false;
    return state_annotate(s, stage, 0, ANN_PARALLEL, err);
}

static enum outcome cpu_reference(void *self, const struct task *task, struct blob *object,
                                  char message[SAMPLE_MESSAGE])
{
    struct cpu *c = self;
    struct err err = {0};
    struct nest *n;
    arena_reset(c->scratch);
    struct state *s = state_new(c->scratch, task);
    for (int i = 0; i < s->nstages; i++)
        if (!speed_up_stage(s, i, &err))
            return fail(message, OUTCOME_BUILD_FAILED, err.text);
    if (!bound_infer(s, &err) || !lower(c->scratch, s, LAYOUT_NONE, &n, &err))
        return fail(message, OUTCOME_BUILD_FAILED, err.text);
    return build_nest(c, CODEGEN_FAST, n, object, message);
}

/* ---- run ---- */

static void cpu_drop(void *self, void *kernel)
{
    struct loaded_kernel *k = kernel;
    (void)self;
    if (!k)
        return;
    jit_close(k->jit);
    free(k->shared);
    free(k->threads_scratch);
    free(k);
}

static char *scratch_memory(int64_t bytes)
{
    return aligned_alloc(64, (size_t)(bytes + 4096 + 63) / 64 * 64);
}

static enum outcome cpu_load(void *self, const struct candidate *cand, const struct blob *object, void **kernel,
                             char message[SAMPLE_MESSAGE])
{
    struct cpu *c = self;
    struct object_header p;
    struct err err = {0};
    (void)cand;
    if (object->n < sizeof p || memcmp(object->bytes, MAGIC, sizeof MAGIC) != 0)
        return fail(message, OUTCOME_LOAD_FAILED, "not an object of target cpu");
    memcpy(&p, object->bytes, sizeof p);
    struct loaded_kernel *k = calloc(1, sizeof *k);
    k->shared = scratch_memory(p.scratch.shared_bytes);
    k->threads_scratch = scratch_memory(p.scratch.thread_bytes * c->threads);
    if (!k->shared || !k->threads_scratch) {
        cpu_drop(c, k);
        return fail(message, OUTCOME_OUT_OF_MEMORY, "no memory for the kernel's intermediate tensors");
    }
    if (!jit_open((const char *)object->bytes + sizeof p, object->n - sizeof p, &k->jit, &k->code, &err)) {
        cpu_drop(c, k);
        return fail(message, OUTCOME_LOAD_FAILED, err.text);
    }
    *kernel = k;
    return OUTCOME_OK;
}

static enum outcome cpu_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                            char message[SAMPLE_MESSAGE])
{
    const struct loaded_kernel *k = kernel;
    (void)self, (void)message;
    double start = clock_now();
    for (int i = 0; i < number; i++)
        k->code(args, k->shared, k->threads_scratch);
    *seconds = clock_now() - start;
    return OUTCOME_OK;
}

/* ---- peaks and description ---- */

static const char *const FORMS[] = {[CODEGEN_TILED] = "tiled",
                                    [CODEGEN_EMITTED] = "emitted",
                                    [CODEGEN_OPTIMISED] = "llvm",
                                    [CODEGEN_ASSEMBLY] = "asm",
                                    [CODEGEN_STAGES] = NULL};

static bool cpu_print(void *self, const struct nest *n, const char *form, struct text *out, struct err *err)
{
    struct cpu *c = self;
    int stage = 0;
    while (FORMS[stage] && !str_eq(FORMS[stage], form))
        stage++;
    return codegen_ready(c, asked_mode(c), err) &&
           codegen_text(c->codegen[asked_mode(c)], n, (enum codegen_stage)stage, out, err);
}

static double cpu_peak_flops(void *self)
{
    const struct cpu *c = self;
    return peak_measure_flops(c->threads, 0);
}

static double cpu_peak_bandwidth(void *self)
{
    const struct cpu *c = self;
    return peak_measure_bandwidth(c->threads);
}

static void cpu_describe(void *self, cJSON *object)
{
    const struct cpu *c = self;
    json_put_str(object, "cpu", codegen_cpu(c->codegen[asked_mode(c)]));
    json_put_str(object, "codegen", CODEGEN_NAMES[asked_mode(c)]);
    json_put_int(object, "llvm", codegen_llvm(c->codegen[asked_mode(c)]));
    json_put_str(object, "mcpu", c->options->mcpu);
    json_put_int(object, "threads", c->threads);
    json_put_int(object, "vector_bits", 8 * codegen_vector_bytes(c->codegen[asked_mode(c)]));
    json_put_str(object, "features", codegen_features(c->codegen[asked_mode(c)]));
}

extern const struct target target_cpu;
const struct target target_cpu = {
    .name = "cpu",
    .summary = "this machine's cores: LLVM code, OpenMP threads",
    .settings = SETTINGS,
    .options_size = sizeof(struct cpu_options),
    .state_size = sizeof(struct cpu),
    .preload = cpu_preload,
    .open = cpu_open,
    .build = cpu_build,
    .load = cpu_load,
    .run = cpu_run,
    .drop = cpu_drop,
    .reference = cpu_reference,
    .peak_flops = cpu_peak_flops,
    .peak_bandwidth = cpu_peak_bandwidth,
    .forms = FORMS,
    .print = cpu_print,
    .describe = cpu_describe,
    .close = cpu_close,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* cpu: the target that runs kernels on this machine's cores: cpu_build builds in a build worker, jit loads in the
 * runner, parallel loops run on OpenMP threads. */
#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/plug/target.h"
#include "targets/cpu/cpu_build.h"
#include "targets/cpu/export/export.h"
#include "targets/cpu/jit.h"
#include "targets/cpu/parallel.h"
#include "targets/cpu/peak.h"
#include "targets/outcome_because.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cpu_options {
    int codegen; /* enum codegen_mode */
    int llvm;    /* index of cpu_llvm_versions */
    const char *mcpu;
    int64_t opt;
    bool contract, reassociate, overlap;
};
static const struct setting SETTINGS[] = {
    ENUM_SETTING(
        "codegen", struct cpu_options, codegen, "tvm", cpu_codegen_names,
        "tvm: the code that TVM makes of a schedule; fast: register tiles and vectors that it does not ask for"),
    ENUM_SETTING(
        "llvm", struct cpu_options, llvm, "nearest", cpu_llvm_versions,
        "which LLVM makes the code of codegen=tvm; nearest: the first of 17 (TVM's), 16, 19 that is installed"),
    STRING_SETTING("mcpu", struct cpu_options, mcpu, "native",
                   "native, generic (plain x86-64, as the papers had it) or a CPU name of LLVM"),
    INT_SETTING("opt", struct cpu_options, opt, "2", 0, 3, "LLVM's code generation level"),
    BOOL_SETTING("contract", struct cpu_options, contract, "true", "a*b+c may be one fused multiply-add"),
    BOOL_SETTING("reassociate", struct cpu_options, reassociate, "false", "sums may be added up in another order"),
    BOOL_SETTING(
        "overlap", struct cpu_options, overlap, "false",
        "builds may go on beside runs, which keep to cores of their own, if that is quicker and disturbs no time"),
    {0},
};

static bool cpu_keeps_cores(const void *options)
{
    return ((const struct cpu_options *)options)->overlap;
}

struct loaded_kernel {
    struct jit *jit;
    kernel_code *code;
    char *shared, *threads_scratch;
};

static bool cpu_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    const struct cpu_options *asked = env->options;
    struct codegen_options o = {.mode = (enum codegen_mode)asked->codegen,
                                .mcpu = asked->mcpu,
                                .level = (int)asked->opt,
                                .contract = asked->contract,
                                .reassociate = asked->reassociate,
                                .llvm = cpu_llvm_numbers[asked->llvm],
                                .objects = env->objects};
    int threads = env->threads > 0 ? env->threads : cpus_usable();
    parallel_threads(threads);
    *limits = limits_cpu(threads);
    return cpu_build_open(self, &o, env, threads, err);
}

static void cpu_close(void *self)
{
    parallel_stop();
    cpu_build_close(self);
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
    struct cpu_build *c = self;
    struct object_header p;
    struct err err = {0};
    const void *file;
    size_t n;
    (void)cand;
    if (!cpu_build_read(object, &p, &file, &n))
        return outcome_because(message, OUTCOME_LOAD_FAILED, "not an object of target cpu");
    struct loaded_kernel *k = calloc(1, sizeof *k);
    k->shared = scratch_memory(p.scratch.shared_bytes);
    k->threads_scratch = scratch_memory(p.scratch.thread_bytes * c->threads);
    if (!k->shared || !k->threads_scratch) {
        cpu_drop(c, k);
        return outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory for the kernel's intermediate tensors");
    }
    if (!jit_open(file, n, &k->jit, &k->code, &err)) {
        cpu_drop(c, k);
        return outcome_because(message, OUTCOME_LOAD_FAILED, err.text);
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

static double cpu_peak_flops(void *self)
{
    const struct cpu_build *c = self;
    return peak_measure_flops(c->threads, 0);
}

static double cpu_peak_bandwidth(void *self)
{
    const struct cpu_build *c = self;
    return peak_measure_bandwidth(c->threads);
}

extern const struct target target_cpu;
const struct target target_cpu = {
    .name = "cpu",
    .summary = "this machine's cores: LLVM code, OpenMP threads",
    .settings = SETTINGS,
    .options_size = sizeof(struct cpu_options),
    .state_size = sizeof(struct cpu_build),
    .preload = cpu_build_preload,
    .open = cpu_open,
    .build = cpu_build_candidate,
    .load = cpu_load,
    .run = cpu_run,
    .drop = cpu_drop,
    .reference = cpu_build_reference,
    .peak_flops = cpu_peak_flops,
    .peak_bandwidth = cpu_peak_bandwidth,
    .keeps_cores = cpu_keeps_cores,
    .forms = cpu_build_forms,
    .print = cpu_build_print,
    .exports = export_forms,
    .export = cpu_build_export,
    .describe = cpu_build_describe,
    .close = cpu_close,
};

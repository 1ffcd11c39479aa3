/* SPDX-License-Identifier: Apache-2.0 */
/* a64fx: the target that checks kernels for the A64FX on a machine that is none: code is made as target cpu makes it
 * there, and runs in an emulator. It answers 0 s: nothing is timed. */
#include "harness/plug/target.h"
#include "targets/a64fx/emulator.h"
#include "targets/cpu/cpu_build.h"
#include "targets/cpu/export/export.h"
#include "targets/outcome_because.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 }; /* when none are asked for; the emulated ones run one after the other */

struct a64fx_options {
    int codegen; /* enum codegen_mode */
    int llvm;    /* index of cpu_llvm_versions */
    int sve;     /* enum codegen_sve */
    int64_t opt;
    bool contract, reassociate;
};
static const char *const SVE_NAMES[] = {[CODEGEN_SVE_USUAL] = "usual", [CODEGEN_SVE_512] = "512", NULL};
static const struct setting SETTINGS[] = {
    ENUM_SETTING("codegen", struct a64fx_options, codegen, "fast", cpu_codegen_names, "as of target cpu"),
    ENUM_SETTING("llvm", struct a64fx_options, llvm, "nearest", cpu_llvm_versions, "as of target cpu"),
    ENUM_SETTING("sve", struct a64fx_options, sve, "usual", SVE_NAMES,
                 "512: LLVM is told that scalable vectors have 512 bits; usual: only with codegen=fast, as TVM does "
                 "not tell it"),
    INT_SETTING("opt", struct a64fx_options, opt, "2", 0, 3, "LLVM's code generation level"),
    BOOL_SETTING("contract", struct a64fx_options, contract, "true", "a*b+c may be one fused multiply-add"),
    BOOL_SETTING("reassociate", struct a64fx_options, reassociate, "false", "sums may be added up in another order"),
    {0},
};

struct a64fx {
    struct cpu_build build;
    struct emulator *emulator;
};

struct loaded_kernel {
    int nargs;
    int64_t arg_bytes[OBJECT_ARGS];
    struct kernel_scratch scratch;
    size_t bytes;
    char object[];
};

static bool a64fx_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct a64fx *t = self;
    const struct a64fx_options *asked = env->options;
    struct codegen_options o = {.mode = (enum codegen_mode)asked->codegen,
                                .mcpu = "a64fx",
                                .level = (int)asked->opt,
                                .contract = asked->contract,
                                .reassociate = asked->reassociate,
                                .llvm = cpu_llvm_numbers[asked->llvm],
                                .arch = CODEGEN_AARCH64,
                                .sve = (enum codegen_sve)asked->sve};
    int threads = env->threads > 0 ? env->threads : THREADS;
    *limits = limits_cpu(threads);
    if (!emulator_open(&t->emulator, err)) /* now: a runner may start no process later */
        return false;
    if (cpu_build_open(&t->build, &o, env, threads, err))
        return true;
    emulator_close(t->emulator);
    return false;
}

static void a64fx_close(void *self)
{
    struct a64fx *t = self;
    emulator_close(t->emulator);
    cpu_build_close(&t->build);
}

/* ---- run ---- */

/* A process whose kernel ended it takes this one along, by the same signal, as the kernel would have done here. */
static enum outcome failed(struct a64fx *t, enum outcome o, const struct err *err, char message[SAMPLE_MESSAGE])
{
    if (emulator_runs(t->emulator))
        return outcome_because(message, o, err->text);
    int number = emulator_signal(t->emulator);
    signal(number ? number : SIGABRT, SIG_DFL);
    raise(number ? number : SIGABRT);
    return outcome_because(message, OUTCOME_CRASHED, err->text);
}

static enum outcome load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                         char message[SAMPLE_MESSAGE])
{
    struct object_header head;
    const void *file;
    size_t n;
    (void)self, (void)c;
    if (!cpu_build_read(object, &head, &file, &n))
        return outcome_because(message, OUTCOME_LOAD_FAILED, "not an object of target a64fx");
    struct loaded_kernel *k = malloc(sizeof *k + n);
    if (!k)
        return outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory for object code");
    k->nargs = (int)head.nargs;
    memcpy(k->arg_bytes, head.arg_bytes, sizeof k->arg_bytes);
    k->scratch = head.scratch;
    k->bytes = n;
    memcpy(k->object, file, n);
    *kernel = k;
    return OUTCOME_OK;
}

/* The emulator holds one kernel, and a reference is run between calls of another: each run links its object again,
 * which takes a millisecond. */
static enum outcome run(void *self, void *kernel, void *const *args, int number, double *seconds,
                        char message[SAMPLE_MESSAGE])
{
    struct a64fx *t = self;
    const struct loaded_kernel *k = kernel;
    struct emulated_call call = {.args = args, .arg_bytes = k->arg_bytes, .nargs = k->nargs, .number = number};
    struct err err = {0};
    *seconds = 0;
    if (!emulator_load(t->emulator, k->object, k->bytes, &k->scratch, t->build.threads, &err))
        return failed(t, OUTCOME_LOAD_FAILED, &err, message);
    if (!emulator_run(t->emulator, &call, &err))
        return failed(t, OUTCOME_WRONG_ANSWER, &err, message);
    return OUTCOME_OK;
}

static void drop(void *self, void *kernel)
{
    (void)self;
    free(kernel);
}

extern const struct target target_a64fx;
const struct target target_a64fx = {
    .name = "a64fx",
    .summary = "the A64FX, emulated by qemu: kernels are checked and never timed",
    .settings = SETTINGS,
    .options_size = sizeof(struct a64fx_options),
    .state_size = sizeof(struct a64fx),
    .is_emulated = true,
    .run_prepares = true,
    .preload = cpu_build_preload,
    .open = a64fx_open,
    .build = cpu_build_candidate,
    .load = load,
    .run = run,
    .drop = drop,
    .reference = cpu_build_reference,
    .forms = cpu_build_forms,
    .print = cpu_build_print,
    .exports = export_forms,
    .export = cpu_build_export,
    .describe = cpu_build_describe,
    .close = a64fx_close,
};

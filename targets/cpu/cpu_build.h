/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_build: from candidate to object, for every target whose code this folder makes. */
#pragma once
#include "harness/plug/target.h"
#include "targets/cpu/codegen.h"

/* Values of the settings `codegen` and `llvm`; what llvm's stand for: codegen_options.llvm. */
extern const char *const cpu_codegen_names[], *const cpu_llvm_versions[];
extern const int cpu_llvm_numbers[];

/* The state of a target begins with it: what is given as self below. */
struct cpu_build {
    struct codegen_options options; /* as asked for */
    enum layout_mode layout;
    int threads; /* that kernels use */
    /* Opened when they are first needed. A reference is never timed, so it is always CODEGEN_FAST. */
    struct codegen *codegen[CODEGEN_MODES];
    struct arena *scratch;
};

enum { OBJECT_ARGS = 32 };
/* What travels from build to load: this, then the object file. */
struct object_header {
    char magic[8];
    struct kernel_scratch scratch;
    int64_t nargs, arg_bytes[OBJECT_ARGS]; /* of the arguments as the code takes them: weights packed */
};

/* Opens the code generator that is asked for, but in a runner, whose first use of it does. Nothing is left behind on
 * error. */
MUST_CHECK bool cpu_build_open(struct cpu_build *b, const struct codegen_options *o, const struct target_env *env,
                               int threads, struct err *err);
void cpu_build_close(struct cpu_build *b);
/* As build and reference of struct target. */
enum outcome cpu_build_candidate(void *self, const struct candidate *c, struct blob *object,
                                 char message[SAMPLE_MESSAGE]);
enum outcome cpu_build_reference(void *self, const struct task *task, struct blob *object,
                                 char message[SAMPLE_MESSAGE]);
/* False: the blob is no object of ours. *file: within it, *n bytes. */
bool cpu_build_read(const struct blob *object, struct object_header *head, const void **file, size_t *n);

/* As forms, print, export and describe of struct target. */
extern const char *const cpu_build_forms[];
MUST_CHECK bool cpu_build_print(void *self, const struct nest *n, const char *form, struct text *out, struct err *err);
MUST_CHECK bool cpu_build_export(void *self, const struct nest *n, const char *form, const char *symbol,
                                 struct exported *out, struct err *err);
void cpu_build_describe(void *self, cJSON *object);
/* Loads both LLVMs. In the process that forks the workers: each would take some 25 ms for it. */
MUST_CHECK bool cpu_build_preload(const void *options, struct err *err);

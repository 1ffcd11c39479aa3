/* SPDX-License-Identifier: Apache-2.0 */
/* codegen: loop nest to LLVM IR to object code, in process. One LLVM context per call, so nothing grows with the number
 * of kernels.
 *
 * The object holds one function
 *     void raingauge_kernel(void *const *args, char *shared, char *threads_scratch)
 * args: one pointer per argument of the task, output last, 64-byte alignment not required. shared: shared_bytes of
 * scratch for the code outside of parallel loops. threads_scratch: thread_bytes for each thread, the part of thread t
 * at threads_scratch + t * thread_bytes. Parallel loops call raingauge_parallel (parallel.h). */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/program/ir/nest.h"
#include "targets/cpu/codegen_options.h"

struct codegen; /* an LLVM target machine with what the emitter must know; one per process and thread */

struct kernel_scratch { /* memory that the loader must give to the code */
    int64_t shared_bytes, thread_bytes;
};

/* Loads LLVM (llvm.h), as codegen_open and jit_open do, and puts its version, as "19.1.7". */
MUST_CHECK bool codegen_version(struct text *out, struct err *err);
MUST_CHECK bool codegen_open(const struct codegen_options *o, struct codegen **out, struct err *err);
void codegen_close(struct codegen *c);
struct codegen_made { /* object file of a nest */
    void *bytes;      /* malloc'd */
    size_t n;
    struct kernel_scratch scratch;
    double cached_s; /* taken from options.objects: what making it took, less what finding it took; else 0 */
};
MUST_CHECK bool codegen_object(struct codegen *c, const struct nest *n, struct codegen_made *out, struct err *err);
/* The nest as it is emitted (tile_rewrite.h), the IR before and after LLVM's passes, or the assembly. *scratch (may be
 * NULL): the memory that this code needs, but for the nest's. */
enum codegen_stage { CODEGEN_TILED, CODEGEN_EMITTED, CODEGEN_OPTIMISED, CODEGEN_ASSEMBLY, CODEGEN_STAGES };
MUST_CHECK bool codegen_text(struct codegen *c, const struct nest *n, enum codegen_stage stage, struct text *out,
                             struct kernel_scratch *scratch, struct err *err);
/* Adds to out the object of a module that is given as text and has gone through LLVM's passes. */
MUST_CHECK bool codegen_assemble(struct codegen *c, const char *ir, struct text *out, struct err *err);
const char *codegen_cpu(const struct codegen *c);      /* the CPU name in use */
const char *codegen_features(const struct codegen *c); /* LLVM's feature string */
int codegen_llvm(const struct codegen *c);             /* the LLVM that makes the code, such as 16 */
int codegen_vector_bytes(const struct codegen *c);     /* widest vector register used */

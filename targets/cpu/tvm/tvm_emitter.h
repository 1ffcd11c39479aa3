/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_emitter: what the modules share that emit a loop nest as TVM v0.16 does (codegen=tvm).
 *
 * The loops of the schedule come out in the schedule's order, and every tensor stays in memory. What may be kept in
 * registers is left to LLVM. So LLVM must know what TVM tells it: index arithmetic is signed 32-bit without overflow,
 * addresses are inbounds and aligned, and accesses to different tensors do not alias. */
#pragma once
#include "harness/program/ir/nest.h"
#include "targets/cpu/llvm.h"

#include <stdbool.h>
#include <stdint.h>

enum { TVM_ALIGNMENT = 64 }; /* bytes, of arguments and of tensors in scratch memory */

/* What a loop variable is at the point of emission. */
enum tvm_binding_kind {
    TVM_UNBOUND,
    TVM_CONSTANT, /* of an unrolled loop, or of a lane */
    TVM_VARIABLE, /* a 32-bit SSA value */
    TVM_LANES     /* the vector loop: 0, 1, 2 ... by lane */
};
struct tvm_binding {
    enum tvm_binding_kind kind;
    int64_t constant;
    LLVMValueRef variable;
};

struct tvm_frame { /* one LLVM function while it is emitted */
    LLVMValueRef function;
    LLVMBasicBlockRef entry;      /* for what is made once a call: stack slots, addresses of scratch */
    LLVMValueRef *bases;          /* per buffer: its address, NULL: not in scope */
    struct tvm_binding *bindings; /* per atom */
    LLVMValueRef scratch;         /* memory for tensors that are too large for the stack */
    int64_t *scratch_bytes;       /* what of it is taken */
};

struct tvm_operations;
struct tvm_region;
struct tvm_emitter {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder, entries; /* entries: writes into frame->entry */
    LLVMTypeRef pointer, i64, i32, i8, i1, f32, f64;
    const struct nest *nest;
    int natoms; /* of the nest before emission: later atoms are made of these */
    struct arena *arena;
    struct tvm_frame *frame;
    int lanes;                         /* of the code being emitted; 1: scalar */
    int vector;                        /* with lanes: the atom of their loop */
    LLVMMetadataRef *aliases;          /* per buffer: its tag for type-based alias analysis */
    int64_t *alignments;               /* per buffer: bytes, of one on a stack; 0: TVM_ALIGNMENT */
    LLVMMetadataRef likely;            /* branch weights of a loop's condition */
    struct tvm_operations *operations; /* tvm_common.c */
    struct tvm_region *region;         /* of the code being emitted, or NULL */
    int nfunctions;
    int llvm;                /* the version that makes the code */
    const struct stmt *loop; /* the innermost one that runs, or NULL */
    int64_t shared_bytes, thread_bytes;
    bool failed;
    char message[200];
};

void tvm_fail(struct tvm_emitter *em, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tvm_emitter_open(struct tvm_emitter *em, LLVMModuleRef module, const struct nest *n, struct arena *a);
void tvm_emitter_close(struct tvm_emitter *em);
LLVMTypeRef tvm_type(const struct tvm_emitter *em, enum dtype t); /* in memory: bool is i8 */
LLVMTypeRef tvm_vector(LLVMTypeRef t, int lanes);                 /* t itself for one lane */
LLVMValueRef tvm_i32(const struct tvm_emitter *em, int64_t v);
LLVMBasicBlockRef tvm_block(struct tvm_emitter *em, const char *name); /* appended to the current function */
LLVMValueRef tvm_intrinsic(struct tvm_emitter *em, const char *name, LLVMTypeRef type, LLVMValueRef *args, int nargs);
LLVMValueRef tvm_splat(struct tvm_emitter *em, LLVMValueRef v, int lanes); /* v itself for one lane */
void tvm_metadata(const struct tvm_emitter *em, LLVMValueRef instruction, const char *kind, LLVMMetadataRef m);
struct tvm_frame *tvm_frame_open(struct tvm_emitter *em, LLVMValueRef function, int64_t *scratch_bytes);

/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_emitter: types, constants and the metadata that TVM gives to LLVM (src/target/llvm/codegen_llvm.cc). */
#include "targets/cpu/tvm/tvm_emitter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tvm_fail(struct tvm_emitter *em, const char *fmt, ...)
{
    if (em->failed)
        return;
    em->failed = true;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(em->message, sizeof em->message, fmt, ap);
    va_end(ap);
}

static LLVMMetadataRef string_node(const struct tvm_emitter *em, const char *s)
{
    return LLVMMDStringInContext2(em->context, s, strlen(s));
}

static LLVMMetadataRef number_node(LLVMTypeRef t, uint64_t v)
{
    return LLVMValueAsMetadata(LLVMConstInt(t, v, false));
}

/* TVM's AddAliasInfo: one type per tensor below a common root. TVM also tells accesses of one tensor apart by their
 * constant offsets; a variable offset counts as 0 there, which would let LLVM reorder accesses that do meet. */
static LLVMMetadataRef alias_tag(const struct tvm_emitter *em, LLVMMetadataRef root, int buffer)
{
    char name[32];
    snprintf(name, sizeof name, "buffer%d", buffer);
    LLVMMetadataRef zero = number_node(em->i64, 0), of_type[] = {string_node(em, name), root, zero};
    LLVMMetadataRef type = LLVMMDNodeInContext2(em->context, of_type, 3), of_tag[] = {type, type, zero};
    return LLVMMDNodeInContext2(em->context, of_tag, 3);
}

void tvm_emitter_open(struct tvm_emitter *em, LLVMModuleRef module, const struct nest *n, struct arena *a)
{
    LLVMContextRef cx = LLVMGetModuleContext(module);
    *em =
        (struct tvm_emitter){.context = cx, .module = module, .nest = n, .natoms = n->atoms->n, .arena = a, .lanes = 1};
    em->builder = LLVMCreateBuilderInContext(cx);
    em->entries = LLVMCreateBuilderInContext(cx);
    em->pointer = LLVMPointerTypeInContext(cx, 0);
    em->i64 = LLVMInt64TypeInContext(cx);
    em->i32 = LLVMInt32TypeInContext(cx);
    em->i8 = LLVMInt8TypeInContext(cx);
    em->i1 = LLVMInt1TypeInContext(cx);
    em->f32 = LLVMFloatTypeInContext(cx);
    em->f64 = LLVMDoubleTypeInContext(cx);
    LLVMMetadataRef name = string_node(em, "tvm-tbaa"), root = LLVMMDNodeInContext2(cx, &name, 1);
    em->aliases = ARENA_ARRAY(a, LLVMMetadataRef, n->nbuffers + 1);
    em->alignments = ARENA_ARRAY(a, int64_t, n->nbuffers + 1);
    for (int i = 0; i < n->nbuffers; i++)
        em->aliases[i] = alias_tag(em, root, i);
    LLVMMetadataRef weights[] = {string_node(em, "branch_weights"), number_node(em->i32, 1048576),
                                 number_node(em->i32, 1)};
    em->likely = LLVMMDNodeInContext2(cx, weights, 3);
}

void tvm_emitter_close(struct tvm_emitter *em)
{
    LLVMDisposeBuilder(em->builder);
    LLVMDisposeBuilder(em->entries);
}

LLVMTypeRef tvm_type(const struct tvm_emitter *em, enum dtype t)
{
    LLVMTypeRef types[DTYPE_COUNT] = {[DTYPE_F32] = em->f32,
                                      [DTYPE_F64] = em->f64,
                                      [DTYPE_I32] = em->i32,
                                      [DTYPE_I64] = em->i64,
                                      [DTYPE_BOOL] = em->i8};
    return types[t];
}

LLVMTypeRef tvm_vector(LLVMTypeRef t, int lanes)
{
    return lanes == 1 ? t : LLVMVectorType(t, (unsigned)lanes);
}

LLVMValueRef tvm_i32(const struct tvm_emitter *em, int64_t v)
{
    return LLVMConstInt(em->i32, (unsigned long long)v, true);
}

LLVMBasicBlockRef tvm_block(struct tvm_emitter *em, const char *name)
{
    return LLVMAppendBasicBlockInContext(em->context, em->frame->function, name);
}

LLVMValueRef tvm_intrinsic(struct tvm_emitter *em, const char *name, LLVMTypeRef type, LLVMValueRef *args, int nargs)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, &type, 1);
    return LLVMBuildCall2(em->builder, LLVMIntrinsicGetType(em->context, id, &type, 1), f, args, (unsigned)nargs, "");
}

LLVMValueRef tvm_splat(struct tvm_emitter *em, LLVMValueRef v, int lanes)
{
    if (lanes == 1)
        return v;
    LLVMTypeRef type = tvm_vector(LLVMTypeOf(v), lanes), order = tvm_vector(em->i32, lanes);
    LLVMValueRef one = LLVMBuildInsertElement(em->builder, LLVMGetUndef(type), v, tvm_i32(em, 0), "");
    return LLVMBuildShuffleVector(em->builder, one, LLVMGetUndef(type), LLVMConstNull(order), "");
}

void tvm_metadata(const struct tvm_emitter *em, LLVMValueRef instruction, const char *kind, LLVMMetadataRef m)
{
    unsigned id = LLVMGetMDKindIDInContext(em->context, kind, (unsigned)strlen(kind));
    LLVMSetMetadata(instruction, id, LLVMMetadataAsValue(em->context, m));
}

struct tvm_frame *tvm_frame_open(struct tvm_emitter *em, LLVMValueRef function, int64_t *scratch_bytes)
{
    struct tvm_frame *f = ARENA_NEW(em->arena, struct tvm_frame);
    f->function = function;
    f->entry = LLVMAppendBasicBlockInContext(em->context, function, "entry");
    f->bases = ARENA_ARRAY(em->arena, LLVMValueRef, em->nest->nbuffers + 1);
    f->bindings = ARENA_ARRAY(em->arena, struct tvm_binding, em->natoms + 1);
    f->scratch_bytes = scratch_bytes;
    return f;
}

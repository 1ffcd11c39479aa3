/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_stmt: as TVM's CodeGenLLVM and CodeGenCPU emit statements. A loop tests its condition at the top. The body of a
 * parallel loop is a function that finds its tensors in a closure. Tensors inside of less than 1,024 bytes are on the
 * stack. Others come out of a call that LLVM cannot look into, on pages of their own, as TVM's pool of the thread gives
 * them (TVMBackendAllocWorkspace). The kernel's own function takes its tensors as noalias pointers. */
#include "targets/cpu/tvm/tvm_stmt.h"

#include "harness/base/int_math.h"
#include "harness/program/ir/dtype.h"
#include "targets/cpu/tvm/tvm_common.h"
#include "targets/cpu/tvm/tvm_expr.h"
#include "targets/cpu/tvm/tvm_fold.h"
#include "targets/cpu/tvm/tvm_index.h"

#include <stdio.h>
#include <string.h>

enum { PAGE = 4096, STACK_BYTES = 1024, STACK_ALIGNMENT = 16, MOST_CAPTURES = 256 };

static void emit(struct tvm_emitter *em, const struct tvm_node *n);

static void emit_kids(struct tvm_emitter *em, const struct tvm_node *n)
{
    for (int i = 0; i < n->nkids; i++)
        emit(em, n->kids[i]);
}

/* ---- regions ---- */

static void use_value(struct tvm_emitter *em, const struct value *v)
{
    struct tvm_index ix;
    if (v->kind == EXPR_LOAD) {
        ix = tvm_index_offset(em, v->buffer, v->index);
        tvm_index_use(em, &ix);
    } else if (v->kind == EXPR_INDEX) {
        ix = tvm_index_make(em, *v->index);
        tvm_index_use(em, &ix);
    }
    for (int i = 0; i < v->nargs; i++)
        use_value(em, v->args[i]);
}

static void use_statement(struct tvm_emitter *em, const struct tvm_node *n);

static void use_kids(struct tvm_emitter *em, const struct tvm_node *n)
{
    for (int i = 0; i < n->nkids; i++)
        use_statement(em, n->kids[i]);
}

static void use_iterations(struct tvm_emitter *em, const struct tvm_node *n)
{
    struct tvm_binding *b = &em->frame->bindings[n->atom], saved = *b;
    int lanes = em->lanes;
    if (n->loop == TVM_VECTOR) {
        *b = (struct tvm_binding){.kind = TVM_LANES};
        em->lanes = (int)n->extent;
        em->vector = n->atom;
        use_kids(em, n);
    }
    for (int64_t i = 0; n->loop == TVM_UNROLLED && i < n->extent; i++) {
        *b = (struct tvm_binding){.kind = TVM_CONSTANT, .constant = i};
        em->lanes = n->s->kind == STMT_LOOP ? lanes : 1;
        use_kids(em, n);
    }
    em->lanes = lanes;
    *b = saved;
}

/* Loops that run and conditions have regions of their own. */
static void use_statement(struct tvm_emitter *em, const struct tvm_node *n)
{
    if (n->loop != TVM_NO_LOOP) {
        use_iterations(em, n);
    } else if (n->s->kind == STMT_STORE) {
        struct tvm_index ix = tvm_index_offset(em, n->s->buffer, n->s->index);
        const struct value *value = tvm_fold(em, n->s->value);
        if (!tvm_stores_nothing(em, n->s, value)) {
            use_value(em, value);
            tvm_index_use(em, &ix);
        }
    } else if (n->s->kind != STMT_GUARD) {
        use_kids(em, n);
    }
}

static void emit_region(struct tvm_emitter *em, const struct tvm_node *n)
{
    struct tvm_region *before = tvm_region_open(em);
    use_kids(em, n);
    tvm_region_ready(em);
    emit_kids(em, n);
    tvm_region_close(em, before);
}

/* ---- tensors inside ---- */

static int64_t bytes_of(const struct buffer *b)
{
    int64_t bytes = dtype_bytes(b->dtype);
    for (int d = 0; d < b->ndim; d++)
        bytes = sat_mul(bytes, b->extent[d]);
    return bytes;
}

static LLVMValueRef call_named(struct tvm_emitter *em, const char *name, LLVMTypeRef result, LLVMValueRef *args, int n)
{
    LLVMTypeRef params[4];
    for (int i = 0; i < n; i++)
        params[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, params, (unsigned)n, false);
    LLVMValueRef f = LLVMGetNamedFunction(em->module, name);
    if (!f)
        f = LLVMAddFunction(em->module, name, type);
    return LLVMBuildCall2(em->builder, type, f, args, (unsigned)n, "");
}

static void assume_aligned(struct tvm_emitter *em, LLVMValueRef p)
{
    LLVMValueRef of[] = {p, LLVMConstInt(em->i64, TVM_ALIGNMENT, false)}, yes = LLVMConstInt(em->i1, 1, false);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("align", 5, of, 2);
    unsigned id = LLVMLookupIntrinsicID("llvm.assume", 11);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, NULL, 0);
    LLVMTypeRef type = LLVMIntrinsicGetType(em->context, id, NULL, 0);
    LLVMBuildCallWithOperandBundles(em->builder, type, f, &yes, 1, &bundle, 1, "");
    LLVMDisposeOperandBundle(bundle);
}

/* TVM: LowerTVMBuiltin; kMaxStackAlloca. A tensor of CHW has the scope local and is never on the stack. */
static bool is_on_stack(const struct buffer *b)
{
    return bytes_of(b) < STACK_BYTES && *b->scope == 0;
}

static LLVMValueRef stack_slot(struct tvm_emitter *em, const struct buffer *b)
{
    int64_t bytes = dtype_bytes(b->dtype), n = bytes_of(b) / bytes, most = STACK_ALIGNMENT / bytes;
    LLVMValueRef slot = LLVMBuildArrayAlloca(em->entries, tvm_type(em, b->dtype), tvm_i32(em, n), b->name);
    em->alignments[b->id] = bytes * ((n & -n) < most ? (n & -n) : most);
    LLVMSetAlignment(slot, (unsigned)em->alignments[b->id]);
    return slot;
}

static LLVMValueRef scratch_slot(struct tvm_emitter *em, const struct buffer *b)
{
    int64_t *taken = em->frame->scratch_bytes;
    LLVMValueRef at = LLVMConstInt(em->i64, (unsigned long long)*taken, false);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(em->builder, em->i8, em->frame->scratch, &at, 1, "");
    *taken += (bytes_of(b) + PAGE - 1) / PAGE * PAGE;
    LLVMValueRef slot = call_named(em, "raingauge_workspace", em->pointer, &p, 1);
    assume_aligned(em, slot);
    return slot;
}

/* Every tensor that is allocated below n, up to the next parallel loop, begins to exist here (TVM: StorageRewrite).
 * LLVM must not know where a larger one comes from, as it does not under TVM. */
static void open_tensors(struct tvm_emitter *em, const struct tvm_node *n)
{
    if (n->s->kind == STMT_ALLOC && n->loop == TVM_NO_LOOP) {
        const struct buffer *b = n->s->buffer;
        LLVMPositionBuilderBefore(em->entries, LLVMGetBasicBlockTerminator(em->frame->entry));
        em->frame->bases[b->id] = is_on_stack(b) ? stack_slot(em, b) : scratch_slot(em, b);
    }
    for (int i = 0; i < n->nkids; i++)
        if (n->kids[i]->loop != TVM_PARALLEL)
            open_tensors(em, n->kids[i]);
}

static void close_tensors(struct tvm_emitter *em, const struct tvm_node *n)
{
    for (int i = 0; i < n->nkids; i++)
        if (n->kids[i]->loop != TVM_PARALLEL)
            close_tensors(em, n->kids[i]);
    if (n->s->kind == STMT_ALLOC && n->loop == TVM_NO_LOOP && !is_on_stack(n->s->buffer))
        call_named(em, "raingauge_workspace_end", LLVMVoidTypeInContext(em->context),
                   &em->frame->bases[n->s->buffer->id], 1);
}

/* ---- loops ---- */

static void emit_unrolled(struct tvm_emitter *em, const struct tvm_node *n)
{
    struct tvm_binding *b = &em->frame->bindings[n->atom], saved = *b;
    for (int64_t i = 0; i < n->extent; i++) {
        *b = (struct tvm_binding){.kind = TVM_CONSTANT, .constant = i};
        emit_kids(em, n);
    }
    *b = saved;
}

static void emit_range(struct tvm_emitter *em, const struct tvm_node *n, LLVMValueRef from, LLVMValueRef to)
{
    LLVMBuilderRef b = em->builder;
    struct tvm_binding *binding = &em->frame->bindings[n->atom], saved = *binding;
    const struct stmt *around = em->loop;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), begin = tvm_block(em, "for_begin"),
                      body = tvm_block(em, "for_body"), end = tvm_block(em, "for_end");
    LLVMBuildBr(b, begin);
    LLVMPositionBuilderAtEnd(b, begin);
    LLVMValueRef i = LLVMBuildPhi(b, em->i32, em->nest->atoms->at[n->atom].name);
    /* TVM's condition is <. Of it LLVM 19 would learn bounds that LLVM 17 does not use. */
    LLVMIntPredicate goes_on = em->llvm > 17 && LLVMIsConstant(to) ? LLVMIntNE : LLVMIntSLT;
    LLVMValueRef branch = LLVMBuildCondBr(b, LLVMBuildICmp(b, goes_on, i, to, ""), body, end);
    tvm_metadata(em, branch, "prof", em->likely);
    LLVMPositionBuilderAtEnd(b, body);
    *binding = (struct tvm_binding){.kind = TVM_VARIABLE, .variable = i};
    em->loop = n->s;
    if (n->loop == TVM_PARALLEL)
        open_tensors(em, n);
    emit_region(em, n);
    if (n->loop == TVM_PARALLEL)
        close_tensors(em, n);
    em->loop = around;
    *binding = saved;
    LLVMValueRef next = LLVMBuildNSWAdd(b, i, tvm_i32(em, 1), ""), values[] = {from, next};
    LLVMBasicBlockRef blocks[] = {before, LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, begin);
    LLVMAddIncoming(i, values, blocks, 2);
    LLVMPositionBuilderAtEnd(b, end);
}

static void emit_vector(struct tvm_emitter *em, const struct tvm_node *n)
{
    struct tvm_binding *b = &em->frame->bindings[n->atom], saved = *b;
    *b = (struct tvm_binding){.kind = TVM_LANES};
    em->lanes = (int)n->extent;
    em->vector = n->atom;
    emit_kids(em, n);
    em->lanes = 1;
    *b = saved;
}

/* The loop over the lanes of one statement: code inside is scalar. */
static void emit_by_lane(struct tvm_emitter *em, const struct tvm_node *n)
{
    int lanes = em->lanes;
    em->lanes = 1;
    if (n->loop == TVM_UNROLLED)
        emit_unrolled(em, n);
    else
        emit_range(em, n, tvm_i32(em, 0), tvm_i32(em, n->extent));
    em->lanes = lanes;
}

/* ---- guards ---- */

static void emit_guard(struct tvm_emitter *em, const struct tvm_node *n)
{
    LLVMValueRef holds = tvm_guards(em, n->s->guards, n->s->nguards);
    if (!holds) {
        emit_kids(em, n);
        return;
    }
    LLVMBasicBlockRef then = tvm_block(em, "if_then"), end = tvm_block(em, "if_end");
    LLVMBuildCondBr(em->builder, holds, then, end);
    LLVMPositionBuilderAtEnd(em->builder, then);
    emit_region(em, n);
    LLVMBuildBr(em->builder, end);
    LLVMPositionBuilderAtEnd(em->builder, end);
}

/* ---- functions ---- */

static LLVMValueRef new_function(struct tvm_emitter *em, const char *name, LLVMTypeRef *params, int n, bool local)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(em->context), params, (unsigned)n, false);
    LLVMValueRef f = LLVMAddFunction(em->module, name, type);
    if (local)
        LLVMSetLinkage(f, LLVMInternalLinkage);
    return f;
}

static void set_attribute(struct tvm_emitter *em, LLVMValueRef f, unsigned at, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(em->context, kind, value));
}

/* Begins to emit f; what comes next is its code. The entry block is a block of its own. */
static struct tvm_frame *open_function(struct tvm_emitter *em, LLVMValueRef f, int64_t *scratch_bytes)
{
    struct tvm_frame *outer = em->frame;
    em->frame = tvm_frame_open(em, f, scratch_bytes);
    LLVMBasicBlockRef code = tvm_block(em, "code");
    LLVMPositionBuilderAtEnd(em->builder, em->frame->entry);
    LLVMBuildBr(em->builder, code);
    LLVMPositionBuilderAtEnd(em->builder, code);
    return outer;
}

static LLVMValueRef word_at(struct tvm_emitter *em, LLVMValueRef words, int i)
{
    LLVMValueRef at = LLVMConstInt(em->i64, (unsigned long long)i, false);
    return LLVMBuildInBoundsGEP2(em->builder, em->i64, words, &at, 1, "");
}

struct captures { /* what the body of a parallel loop uses from outside: the tensors, then the loop variables */
    LLVMValueRef values[MOST_CAPTURES];
    int buffer[MOST_CAPTURES], atom[MOST_CAPTURES]; /* -1: it is not one */
    int n;
};

static void capture(struct tvm_emitter *em, struct captures *c, LLVMValueRef v, int buffer, int atom)
{
    if (c->n == MOST_CAPTURES) {
        tvm_fail(em, "more than %d tensors and loops around a parallel loop", MOST_CAPTURES);
        return;
    }
    c->values[c->n] = v;
    c->buffer[c->n] = buffer;
    c->atom[c->n++] = atom;
}

static void capture_all(struct tvm_emitter *em, struct captures *c)
{
    const struct tvm_frame *f = em->frame;
    for (int i = 0; i < em->nest->nbuffers; i++)
        if (f->bases[i])
            capture(em, c, f->bases[i], i, -1);
    for (int i = 0; i < em->natoms; i++)
        if (f->bindings[i].kind == TVM_VARIABLE)
            capture(em, c, f->bindings[i].variable, -1, i);
}

/* Scratch of this task: env[0] + task * bytes of one task. */
static void open_scratch(struct tvm_emitter *em, LLVMValueRef env, LLVMValueRef task)
{
    LLVMBuilderRef b = em->builder;
    LLVMValueRef all = LLVMBuildLoad2(b, em->pointer, word_at(em, env, 0), "");
    LLVMValueRef each = LLVMBuildLoad2(b, em->i64, LLVMGetNamedGlobal(em->module, "own_bytes"), "");
    LLVMValueRef offset = LLVMBuildMul(b, LLVMBuildSExt(b, task, em->i64, ""), each, "");
    em->frame->scratch = LLVMBuildInBoundsGEP2(b, em->i8, all, &offset, 1, "");
}

/* min(task * ((n + tasks - 1) / tasks), n) */
static LLVMValueRef first_iteration(struct tvm_emitter *em, LLVMValueRef task, LLVMValueRef tasks, LLVMValueRef n)
{
    LLVMBuilderRef b = em->builder;
    LLVMValueRef sum = LLVMBuildNSWSub(b, LLVMBuildNSWAdd(b, n, tasks, ""), tvm_i32(em, 1), "");
    LLVMValueRef first = LLVMBuildNSWMul(b, task, LLVMBuildSDiv(b, sum, tasks, ""), "");
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, first, n, ""), first, n, "");
}

static void open_captures(struct tvm_emitter *em, const struct tvm_frame *outer, const struct captures *c,
                          LLVMValueRef env)
{
    struct tvm_frame *f = em->frame;
    for (int i = 0; i < em->natoms; i++)
        if (outer->bindings[i].kind == TVM_CONSTANT)
            f->bindings[i] = outer->bindings[i];
    for (int i = 0; i < c->n; i++) {
        LLVMTypeRef type = c->buffer[i] >= 0 ? em->pointer : em->i32;
        LLVMValueRef v = LLVMBuildLoad2(em->builder, type, word_at(em, env, i + 1), "");
        if (c->buffer[i] >= 0)
            f->bases[c->buffer[i]] = v;
        else
            f->bindings[c->atom[i]] = (struct tvm_binding){.kind = TVM_VARIABLE, .variable = v};
    }
}

/* void parallelN(i32 task, i32 tasks, ptr env): this task's share of the iterations. */
static LLVMValueRef emit_body(struct tvm_emitter *em, const struct tvm_node *n, const struct captures *c)
{
    LLVMTypeRef params[] = {em->i32, em->i32, em->pointer};
    char name[32];
    snprintf(name, sizeof name, "parallel%d", em->nfunctions++);
    LLVMValueRef f = new_function(em, name, params, 3, true);
    LLVMValueRef task = LLVMGetParam(f, 0), tasks = LLVMGetParam(f, 1), env = LLVMGetParam(f, 2);
    LLVMBuilderRef b = em->builder;
    LLVMBasicBlockRef back = LLVMGetInsertBlock(b);
    struct tvm_frame *outer = open_function(em, f, &em->thread_bytes);
    LLVMBasicBlockRef code = LLVMGetInsertBlock(b);
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(em->frame->entry));
    open_scratch(em, env, task);
    open_captures(em, outer, c, env);
    LLVMValueRef extent = tvm_i32(em, n->extent), after = LLVMBuildNSWAdd(b, task, tvm_i32(em, 1), "");
    LLVMValueRef to = first_iteration(em, after, tasks, extent), from = first_iteration(em, task, tasks, extent);
    LLVMPositionBuilderAtEnd(b, code);
    emit_range(em, n, from, to);
    LLVMBuildRetVoid(b);
    em->frame = outer;
    LLVMPositionBuilderAtEnd(b, back);
    return f;
}

static void emit_parallel(struct tvm_emitter *em, const struct tvm_node *n)
{
    struct captures c = {.n = 0};
    LLVMBuilderRef b = em->builder;
    capture_all(em, &c);
    LLVMPositionBuilderBefore(em->entries, LLVMGetBasicBlockTerminator(em->frame->entry));
    LLVMValueRef env = LLVMBuildAlloca(em->entries, LLVMArrayType2(em->i64, (uint64_t)c.n + 1), "env");
    LLVMBuildStore(b, LLVMGetParam(em->frame->function, 1), word_at(em, env, 0)); /* threads_scratch: tvm_kernel */
    for (int i = 0; i < c.n; i++)
        LLVMBuildStore(b, c.values[i], word_at(em, env, i + 1));
    LLVMValueRef args[] = {emit_body(em, n, &c), env};
    call_named(em, "raingauge_launch", LLVMVoidTypeInContext(em->context), args, 2);
}

static void emit_loop(struct tvm_emitter *em, const struct tvm_node *n)
{
    switch (n->loop) {
    case TVM_UNROLLED:
        emit_unrolled(em, n);
        return;
    case TVM_VECTOR:
        emit_vector(em, n);
        return;
    case TVM_PARALLEL:
        emit_parallel(em, n);
        return;
    default:
        emit_range(em, n, tvm_i32(em, 0), tvm_i32(em, n->extent));
    }
}

static void emit(struct tvm_emitter *em, const struct tvm_node *n)
{
    if (em->failed)
        return;
    if (n->s->kind != STMT_LOOP && n->loop != TVM_NO_LOOP)
        emit_by_lane(em, n);
    else if (n->s->kind == STMT_LOOP)
        emit_loop(em, n);
    else if (n->s->kind == STMT_STORE)
        tvm_store(em, n->s);
    else if (n->s->kind == STMT_GUARD)
        emit_guard(em, n);
    else
        emit_kids(em, n);
}

/* compute(ptr shared, ptr threads_scratch, ptr noalias align 64 argument...), and in front of it raingauge_kernel(ptr
 * args, ptr shared, ptr threads_scratch). */
void tvm_kernel(struct tvm_emitter *em)
{
    int n = em->nest->nargs;
    LLVMTypeRef *params = ARENA_ARRAY(em->arena, LLVMTypeRef, n + 3);
    LLVMValueRef *args = ARENA_ARRAY(em->arena, LLVMValueRef, n + 3);
    for (int i = 0; i < n + 3; i++)
        params[i] = em->pointer;
    LLVMValueRef compute = new_function(em, "compute", params, n + 2, true);
    set_attribute(em, compute, (unsigned)LLVMAttributeFunctionIndex, "noinline", 0);
    open_function(em, compute, &em->shared_bytes);
    em->frame->scratch = LLVMGetParam(compute, 0);
    for (int i = 0; i < n; i++) {
        em->frame->bases[em->nest->buffers[i]->id] = LLVMGetParam(compute, (unsigned)i + 2);
        set_attribute(em, compute, (unsigned)i + 3, "noalias", 0);
        set_attribute(em, compute, (unsigned)i + 3, "align", TVM_ALIGNMENT);
    }
    struct tvm_node *root = tvm_plan(em);
    const struct tvm_node all = {.s = &(const struct stmt){.kind = STMT_SEQ}, .kids = &root, .nkids = 1};
    open_tensors(em, &all);
    emit(em, root);
    close_tensors(em, &all);
    LLVMBuildRetVoid(em->builder);
    LLVMValueRef kernel = new_function(em, "raingauge_kernel", params, 3, false);
    open_function(em, kernel, &em->shared_bytes);
    args[0] = LLVMGetParam(kernel, 1);
    args[1] = LLVMGetParam(kernel, 2);
    for (int i = 0; i < n; i++)
        args[i + 2] = LLVMBuildLoad2(em->builder, em->pointer, word_at(em, LLVMGetParam(kernel, 0), i), "");
    LLVMBuildCall2(em->builder, LLVMGlobalGetValueType(compute), compute, args, (unsigned)n + 2, "");
    LLVMBuildRetVoid(em->builder);
}

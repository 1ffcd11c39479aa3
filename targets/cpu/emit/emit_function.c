/* SPDX-License-Identifier: Apache-2.0 */
/* emit_function: every function that does work takes its tensors as separate noalias pointers. Tensors never overlap,
 * and this is the cheapest way to tell LLVM. In front of each stands a small entry function of fixed signature, which
 * unpacks the pointers: raingauge_kernel from the argument array, the entry of a parallel loop from an array of 64-bit
 * words that the caller fills on its stack. */
#include "targets/cpu/emit/emit_function.h"

#include "targets/cpu/emit/emit_loop.h"

#include <stdio.h>
#include <string.h>

#define MOST_WORDS 256

struct captures { /* what the body of a parallel loop uses from outside: tensors, then outer loop variables */
    LLVMValueRef values[MOST_WORDS];
    int buffer[MOST_WORDS], atom[MOST_WORDS]; /* -1: it is not one */
    int n;
};

static void capture(struct emitter *em, struct captures *p, LLVMValueRef v, int buffer, int atom)
{
    if (p->n == MOST_WORDS) {
        emitter_fail(em, "more than %d tensors and loops around a parallel loop", MOST_WORDS);
        return;
    }
    p->values[p->n] = v;
    p->buffer[p->n] = buffer;
    p->atom[p->n++] = atom;
}

static void set_attribute(struct emitter *em, LLVMValueRef f, unsigned at, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(em->context, kind, 0));
}

static LLVMValueRef new_function(struct emitter *em, const char *name, LLVMTypeRef *params, int n, bool local)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(em->context), params, (unsigned)n, false);
    LLVMValueRef f = LLVMAddFunction(em->module, name, type);
    set_attribute(em, f, (unsigned)LLVMAttributeFunctionIndex, "nounwind");
    if (local) {
        LLVMSetLinkage(f, LLVMInternalLinkage);
        set_attribute(em, f, (unsigned)LLVMAttributeFunctionIndex, "noinline");
    }
    return f;
}

/* Begins to emit f, with blocks for entry and code. Returns the frame to go back to with close_function. */
static struct function_frame *open_function(struct emitter *em, LLVMValueRef f)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(em->context, f, "entry");
    LLVMBasicBlockRef code = LLVMAppendBasicBlockInContext(em->context, f, "code");
    struct function_frame *old = em->frame;
    struct function_frame *fr = function_frame_open(em, f, entry);
    LLVMPositionBuilderAtEnd(em->builder, entry);
    LLVMBuildBr(em->builder, code);
    LLVMPositionBuilderAtEnd(em->builder, code);
    em->frame = fr;
    return old;
}

static void close_function(struct emitter *em, struct function_frame *old, LLVMBasicBlockRef back)
{
    LLVMBuildRetVoid(em->builder);
    em->frame = old;
    if (back)
        LLVMPositionBuilderAtEnd(em->builder, back);
}

/* ---- parallel loops ---- */

static void capture_all(struct emitter *em, struct captures *p)
{
    struct function_frame *f = em->frame;
    for (int i = 0; i < em->nest->nbuffers; i++)
        if (f->bases[i])
            capture(em, p, f->bases[i], i, -1);
    for (int i = 0; i < em->nest->atoms->n; i++)
        if (f->bindings[i].kind == BIND_SYMBOL)
            capture(em, p, f->symbols[f->bindings[i].symbol].value, -1, i);
}

static void emit_first_kid(struct emitter *em, const void *ctx)
{
    const struct loop_node *n = ctx;
    em->emit_stmt(em, n->kids[0]);
}

/* The iterations of the parallel loop that this thread gets: for i in lo..hi-1. */
static void emit_thread_range(struct emitter *em, const struct loop_node *n)
{
    LLVMValueRef function = em->frame->function;
    const struct emitted_loop l = {.atom = n->s->atom,
                                   .extent = n->s->extent,
                                   .from = LLVMGetParam(function, 0),
                                   .to = LLVMGetParam(function, 1),
                                   .name = "parallel"};
    emit_loop_range(em, &l, emit_first_kid, n);
}

static LLVMValueRef emit_body(struct emitter *em, const struct loop_node *n, const struct captures *p, const char *name)
{
    LLVMTypeRef params[MOST_WORDS + 3] = {em->i64, em->i64, em->pointer};
    for (int i = 0; i < p->n; i++)
        params[i + 3] = p->buffer[i] >= 0 ? em->pointer : em->i64;
    LLVMValueRef f = new_function(em, name, params, p->n + 3, true);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(em->builder);
    struct function_frame *outer = open_function(em, f), *fr = em->frame;
    fr->parallel = true;
    fr->scratch = LLVMGetParam(f, 2);
    set_attribute(em, f, 3, "noalias");
    for (int i = 0; i < em->nest->atoms->n; i++)
        if (outer->bindings[i].kind == BIND_CONST)
            fr->bindings[i] = outer->bindings[i];
    for (int i = 0; i < p->n; i++) {
        LLVMValueRef v = LLVMGetParam(f, (unsigned)i + 3);
        if (p->buffer[i] >= 0) {
            fr->bases[p->buffer[i]] = v;
            set_attribute(em, f, (unsigned)i + 4, "noalias");
            continue;
        }
        const struct binding *b = &outer->bindings[p->atom[i]];
        struct symbol s = outer->symbols[b->symbol];
        s.value = v;
        s.scope = 0;
        fr->bindings[p->atom[i]] = *b;
        fr->bindings[p->atom[i]].symbol = symbol_add(em, s);
    }
    emit_thread_range(em, n);
    close_function(em, outer, back);
    return f;
}

static LLVMValueRef word_at(struct emitter *em, LLVMValueRef env, int i)
{
    LLVMValueRef at = emitter_i64(em, i);
    return LLVMBuildInBoundsGEP2(em->builder, em->i64, env, &at, 1, "");
}

/* void entry(i64 lo, i64 hi, ptr env, i64 thread): env[0] is the scratch of all threads, then what the body takes. */
static LLVMValueRef emit_entry(struct emitter *em, LLVMValueRef body, const struct captures *p, const char *name)
{
    LLVMTypeRef params[] = {em->i64, em->i64, em->pointer, em->i64};
    LLVMValueRef f = new_function(em, name, params, 4, false), args[MOST_WORDS + 3];
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(em->builder);
    struct function_frame *outer = open_function(em, f);
    LLVMValueRef env = LLVMGetParam(f, 2);
    args[0] = LLVMGetParam(f, 0);
    args[1] = LLVMGetParam(f, 1);
    LLVMValueRef scratch = LLVMBuildLoad2(em->builder, em->pointer, word_at(em, env, 0), "");
    LLVMValueRef each = LLVMBuildLoad2(em->builder, em->i64, LLVMGetNamedGlobal(em->module, "own_bytes"), "");
    LLVMValueRef offset = LLVMBuildMul(em->builder, LLVMGetParam(f, 3), each, "");
    args[2] = LLVMBuildInBoundsGEP2(em->builder, LLVMInt8TypeInContext(em->context), scratch, &offset, 1, "");
    for (int i = 0; i < p->n; i++)
        args[i + 3] =
            LLVMBuildLoad2(em->builder, p->buffer[i] >= 0 ? em->pointer : em->i64, word_at(em, env, i + 1), "");
    LLVMBuildCall2(em->builder, LLVMGlobalGetValueType(body), body, args, (unsigned)p->n + 3, "");
    close_function(em, outer, back);
    return f;
}

static void call_parallel(struct emitter *em, LLVMValueRef entry, LLVMValueRef env, int64_t extent)
{
    LLVMTypeRef params[] = {em->pointer, em->pointer, em->i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(em->context), params, 3, false);
    LLVMValueRef f = LLVMGetNamedFunction(em->module, "raingauge_parallel");
    if (!f)
        f = LLVMAddFunction(em->module, "raingauge_parallel", type);
    LLVMValueRef args[] = {entry, env, emitter_i64(em, extent)};
    LLVMBuildCall2(em->builder, type, f, args, 3, "");
}

static void mark_written(struct emitter *em, const struct loop_node *n)
{
    if (n->s->kind == STMT_STORE)
        em->versions[n->s->buffer->id]++;
    for (int i = 0; i < n->nkids; i++)
        mark_written(em, n->kids[i]);
}

void emit_parallel(struct emitter *em, const struct loop_node *n)
{
    struct captures p = {.n = 0};
    char body_name[32], entry_name[32];
    int id = em->nfunctions++;
    snprintf(body_name, sizeof body_name, "body%d", id);
    snprintf(entry_name, sizeof entry_name, "entry%d", id);
    capture_all(em, &p);
    LLVMValueRef threads_scratch = LLVMGetParam(em->frame->function, 1); /* of the function `work`, see emit_kernel */
    LLVMValueRef env = emitter_alloca(em, LLVMArrayType2(em->i64, (uint64_t)p.n + 1), 8, "env");
    LLVMBuildStore(em->builder, threads_scratch, word_at(em, env, 0));
    for (int i = 0; i < p.n; i++)
        LLVMBuildStore(em->builder, p.values[i], word_at(em, env, i + 1));
    LLVMValueRef body = emit_body(em, n, &p, body_name);
    LLVMValueRef entry = emit_entry(em, body, &p, entry_name);
    call_parallel(em, entry, env, n->s->extent);
    mark_written(em, n);
}

/* ---- the kernel ---- */

/* work(ptr shared, ptr threads_scratch, ptr noalias argument...), and in front of it raingauge_kernel(ptr args, ptr
 * shared, ptr threads_scratch). */
void emit_kernel(struct emitter *em, const struct loop_node *root)
{
    int n = em->nest->nargs;
    LLVMTypeRef *params = ARENA_ARRAY(em->arena, LLVMTypeRef, n + 3);
    LLVMValueRef *args = ARENA_ARRAY(em->arena, LLVMValueRef, n + 3);
    for (int i = 0; i < n + 3; i++)
        params[i] = em->pointer;
    LLVMValueRef work = new_function(em, "work", params, n + 2, true);
    open_function(em, work);
    em->frame->scratch = LLVMGetParam(work, 0);
    for (int i = 0; i < n; i++) {
        em->frame->bases[em->nest->buffers[i]->id] = LLVMGetParam(work, (unsigned)i + 2);
        set_attribute(em, work, (unsigned)i + 3, "noalias");
    }
    em->emit_stmt(em, root);
    close_function(em, NULL, NULL);
    LLVMValueRef kernel = new_function(em, "raingauge_kernel", params, 3, false);
    open_function(em, kernel);
    args[0] = LLVMGetParam(kernel, 1);
    args[1] = LLVMGetParam(kernel, 2);
    for (int i = 0; i < n; i++)
        args[i + 2] = LLVMBuildLoad2(em->builder, em->pointer, word_at(em, LLVMGetParam(kernel, 0), i), "");
    LLVMBuildCall2(em->builder, LLVMGlobalGetValueType(work), work, args, (unsigned)n + 2, "");
    close_function(em, NULL, NULL);
}

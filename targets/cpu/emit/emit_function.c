/* SPDX-License-Identifier: Apache-2.0 */
/* emit_function: the kernel and the bodies of parallel loops.
 *
 * Every function that does work takes its tensors as separate noalias pointers: tensors never overlap, and this is the
 * cheapest way to tell LLVM. In front of each stands a small entry of fixed signature, which unpacks them:
 * raingauge_kernel from the argument array, an entry per parallel loop from an array of 64-bit words that the caller
 * fills on its stack. */
#include "targets/cpu/emit/emit_function.h"

#include "targets/cpu/emit/emit_stmt.h"

#include <stdio.h>
#include <string.h>

#define MOST_WORDS 256

struct pass { /* what a body gets besides lo and hi: its scratch, tensors, then outer loop variables */
    LLVMValueRef values[MOST_WORDS];
    int buffer[MOST_WORDS], atom[MOST_WORDS]; /* -1 when it is not one */
    int n;
};

static void pass_add(struct emitter *em, struct pass *p, LLVMValueRef v, int buffer, int atom)
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

/* A function with entry and code blocks, entered; the caller leaves it with close_function. */
static struct frame *open_function(struct emitter *em, LLVMValueRef f)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(em->context, f, "entry");
    LLVMBasicBlockRef code = LLVMAppendBasicBlockInContext(em->context, f, "code");
    struct frame *old = em->frame;
    struct frame *fr = frame_open(em, f, entry);
    LLVMPositionBuilderAtEnd(em->builder, entry);
    LLVMBuildBr(em->builder, code);
    LLVMPositionBuilderAtEnd(em->builder, code);
    em->frame = fr;
    return old;
}

static void close_function(struct emitter *em, struct frame *old, LLVMBasicBlockRef back)
{
    LLVMBuildRetVoid(em->builder);
    em->frame = old;
    if (back)
        LLVMPositionBuilderAtEnd(em->builder, back);
}

/* ---- parallel loops ---- */

static void collect(struct emitter *em, struct pass *p)
{
    struct frame *f = em->frame;
    for (int i = 0; i < em->nest->nbuffers; i++)
        if (f->bases[i])
            pass_add(em, p, f->bases[i], i, -1);
    for (int i = 0; i < em->nest->atoms->n; i++)
        if (f->bindings[i].kind == BIND_SYMBOL)
            pass_add(em, p, f->symbols[f->bindings[i].symbol].value, -1, i);
}

/* The work: for i in lo..hi-1. */
static void emit_range(struct emitter *em, const struct loop_node *n)
{
    struct frame *f = em->frame;
    int atom = n->s->atom;
    LLVMValueRef lo = LLVMGetParam(f->function, 0), hi = LLVMGetParam(f->function, 1);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(em->builder), header = emitter_block(em, "parallel");
    LLVMBasicBlockRef inside = emitter_block(em, "body");
    LLVMBuildBr(em->builder, header);
    LLVMPositionBuilderAtEnd(em->builder, header);
    LLVMValueRef i = LLVMBuildPhi(em->builder, em->i64, em->nest->atoms->at[atom].name);
    LLVMBuildBr(em->builder, inside);
    LLVMPositionBuilderAtEnd(em->builder, inside);
    scope_push(em, header);
    struct symbol s = {.value = i, .scope = f->nscopes - 1, .lo = 0, .hi = n->s->extent - 1, .kind = ATOM_LOOP};
    f->bindings[atom] = (struct binding){.kind = BIND_SYMBOL, .symbol = symbol_add(em, s), .stride = 1};
    emit_stmt(em, n->kids[0]);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(em->builder), after = emitter_block(em, "done");
    LLVMValueRef next = LLVMBuildNUWAdd(em->builder, i, emitter_i64(em, 1), "");
    LLVMSetNSW(next, true);
    LLVMBuildCondBr(em->builder, LLVMBuildICmp(em->builder, LLVMIntNE, next, hi, ""), header, after);
    LLVMValueRef values[] = {lo, next};
    LLVMBasicBlockRef blocks[] = {before, latch};
    LLVMAddIncoming(i, values, blocks, 2);
    scope_pop(em);
    LLVMPositionBuilderAtEnd(em->builder, after);
}

static LLVMValueRef emit_body(struct emitter *em, const struct loop_node *n, const struct pass *p, const char *name)
{
    LLVMTypeRef params[MOST_WORDS + 3] = {em->i64, em->i64, em->pointer};
    for (int i = 0; i < p->n; i++)
        params[i + 3] = p->buffer[i] >= 0 ? em->pointer : em->i64;
    LLVMValueRef f = new_function(em, name, params, p->n + 3, true);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(em->builder);
    struct frame *outer = open_function(em, f), *fr = em->frame;
    fr->parallel = true;
    fr->own = LLVMGetParam(f, 2);
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
    emit_range(em, n);
    close_function(em, outer, back);
    return f;
}

static LLVMValueRef word_at(struct emitter *em, LLVMValueRef env, int i)
{
    LLVMValueRef at = emitter_i64(em, i);
    return LLVMBuildInBoundsGEP2(em->builder, em->i64, env, &at, 1, "");
}

/* void entry(i64 lo, i64 hi, ptr env, i64 thread): env[0] is the scratch of all threads, then what the body takes. */
static LLVMValueRef emit_entry(struct emitter *em, LLVMValueRef body, const struct pass *p, const char *name)
{
    LLVMTypeRef params[] = {em->i64, em->i64, em->pointer, em->i64};
    LLVMValueRef f = new_function(em, name, params, 4, false), args[MOST_WORDS + 3];
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(em->builder);
    struct frame *outer = open_function(em, f);
    LLVMValueRef env = LLVMGetParam(f, 2);
    args[0] = LLVMGetParam(f, 0);
    args[1] = LLVMGetParam(f, 1);
    LLVMValueRef own = LLVMBuildLoad2(em->builder, em->pointer, word_at(em, env, 0), "");
    LLVMValueRef each = LLVMBuildLoad2(em->builder, em->i64, LLVMGetNamedGlobal(em->module, "own_bytes"), "");
    LLVMValueRef offset = LLVMBuildMul(em->builder, LLVMGetParam(f, 3), each, "");
    args[2] = LLVMBuildInBoundsGEP2(em->builder, LLVMInt8TypeInContext(em->context), own, &offset, 1, "");
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
    struct pass p = {.n = 0};
    char body_name[32], entry_name[32];
    int id = em->nfunctions++;
    snprintf(body_name, sizeof body_name, "body%d", id);
    snprintf(entry_name, sizeof entry_name, "entry%d", id);
    collect(em, &p);
    LLVMValueRef shared = LLVMGetParam(em->frame->function, 1); /* emit_kernel: the threads' scratch */
    LLVMValueRef env = emitter_alloca(em, LLVMArrayType2(em->i64, (uint64_t)p.n + 1), 8, "env");
    LLVMBuildStore(em->builder, shared, word_at(em, env, 0));
    for (int i = 0; i < p.n; i++)
        LLVMBuildStore(em->builder, p.values[i], word_at(em, env, i + 1));
    LLVMValueRef body = emit_body(em, n, &p, body_name);
    LLVMValueRef entry = emit_entry(em, body, &p, entry_name);
    call_parallel(em, entry, env, n->s->extent);
    mark_written(em, n);
}

/* ---- the kernel ---- */

/* work(ptr shared, ptr own, ptr noalias argument...) and raingauge_kernel(ptr args, ptr shared, ptr own) in front. */
void emit_kernel(struct emitter *em, const struct loop_node *root)
{
    int n = em->nest->nargs;
    LLVMTypeRef *params = ARENA_ARRAY(em->arena, LLVMTypeRef, n + 3);
    LLVMValueRef *args = ARENA_ARRAY(em->arena, LLVMValueRef, n + 3);
    for (int i = 0; i < n + 3; i++)
        params[i] = em->pointer;
    LLVMValueRef work = new_function(em, "work", params, n + 2, true);
    open_function(em, work);
    em->frame->own = LLVMGetParam(work, 0);
    for (int i = 0; i < n; i++) {
        em->frame->bases[em->nest->buffers[i]->id] = LLVMGetParam(work, (unsigned)i + 2);
        set_attribute(em, work, (unsigned)i + 3, "noalias");
    }
    emit_stmt(em, root);
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

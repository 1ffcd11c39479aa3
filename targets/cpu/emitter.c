/* SPDX-License-Identifier: Apache-2.0 */
/* emitter: the shared helpers: types, scopes, and the memo of values already made. Scopes replace LLVM's dominator
 * tree: what was made in a scope still open dominates the place where code is being emitted. */
#include "targets/cpu/emitter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void emitter_fail(struct emitter *em, const char *fmt, ...)
{
    if (em->failed)
        return;
    em->failed = true;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(em->message, sizeof em->message, fmt, ap);
    va_end(ap);
}

LLVMTypeRef emitter_type(const struct emitter *em, enum dtype t)
{
    switch (t) {
    case DTYPE_F32:
        return em->f32;
    case DTYPE_F64:
        return em->f64;
    case DTYPE_I32:
        return em->i32;
    case DTYPE_BOOL:
        return LLVMInt8TypeInContext(em->context);
    default:
        return em->i64;
    }
}

LLVMTypeRef emitter_wide(const struct emitter *em, LLVMTypeRef t)
{
    return em->lanes.width == 1 ? t : LLVMVectorType(t, (unsigned)em->lanes.width);
}

LLVMValueRef emitter_i64(const struct emitter *em, int64_t v)
{
    return LLVMConstInt(em->i64, (unsigned long long)v, true);
}

LLVMValueRef emitter_i32(const struct emitter *em, int v)
{
    return LLVMConstInt(em->i32, (unsigned long long)(long long)v, true);
}

LLVMBasicBlockRef emitter_block(struct emitter *em, const char *name)
{
    return LLVMAppendBasicBlockInContext(em->context, em->frame->function, name);
}

LLVMValueRef emitter_intrinsic(struct emitter *em, const char *name, LLVMTypeRef *types, int ntypes, LLVMValueRef *args,
                               int nargs)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, types, (size_t)ntypes);
    LLVMTypeRef type = LLVMIntrinsicGetType(em->context, id, types, (size_t)ntypes);
    return LLVMBuildCall2(em->builder, type, f, args, (unsigned)nargs, "");
}

LLVMValueRef emitter_alloca(struct emitter *em, LLVMTypeRef type, unsigned align, const char *name)
{
    LLVMPositionBuilderBefore(em->addresses, LLVMGetBasicBlockTerminator(em->frame->allocas));
    LLVMValueRef v = LLVMBuildAlloca(em->addresses, type, name);
    LLVMSetAlignment(v, align);
    return v;
}

LLVMValueRef emitter_splat(struct emitter *em, LLVMValueRef v)
{
    int w = em->lanes.width;
    if (w == 1)
        return v;
    uint64_t key[MEMO_WORDS] = {'s', (uint64_t)(uintptr_t)v, (uint64_t)w};
    LLVMValueRef known = memo_find(em, key);
    if (known)
        return known;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(v), (unsigned)w);
    LLVMValueRef one = LLVMBuildInsertElement(em->builder, LLVMGetPoison(type), v, emitter_i32(em, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(em->i32, (unsigned)w));
    LLVMValueRef out = LLVMBuildShuffleVector(em->builder, one, LLVMGetPoison(type), zeros, "");
    memo_keep(em, key, out, em->frame->nscopes - 1);
    return out;
}

LLVMValueRef emitter_widen(struct emitter *em, struct lane_value c)
{
    return c.wide ? c.v : emitter_splat(em, c.v);
}

LLVMValueRef emitter_tail(struct emitter *em)
{
    LLVMValueRef bits[LANES_MAX];
    if (em->lanes.count == em->lanes.width)
        return NULL;
    for (int i = 0; i < em->lanes.width; i++)
        bits[i] = LLVMConstInt(em->i1, i < em->lanes.count, false);
    return LLVMConstVector(bits, (unsigned)em->lanes.width);
}

LLVMValueRef emitter_and(struct emitter *em, LLVMValueRef a, LLVMValueRef b)
{
    return !a ? b : !b ? a : LLVMBuildAnd(em->builder, a, b, "");
}

/* ---- scopes ---- */

void scope_push(struct emitter *em, LLVMBasicBlockRef header)
{
    struct function_frame *f = em->frame;
    if (f->nscopes == SCOPES) {
        emitter_fail(em, "more than %d loops and conditions within each other", SCOPES);
        f->missing++;
        return;
    }
    int loop = header ? f->nscopes : f->scopes[f->nscopes - 1].loop;
    f->scopes[f->nscopes++] = (struct scope){.serial = ++em->serial, .header = header, .loop = loop};
}

void scope_pop(struct emitter *em)
{
    if (em->frame->missing)
        em->frame->missing--;
    else
        em->frame->nscopes--;
}

bool scope_alive(const struct emitter *em, int scope, uint64_t serial)
{
    return scope < em->frame->nscopes && em->frame->scopes[scope].serial == serial;
}

/* ---- memos: open addressing, dead entries are overwritten when found in the way ---- */

static uint32_t memo_slot(const struct function_frame *f, const uint64_t key[MEMO_WORDS])
{
    uint64_t h = 0;
    for (int i = 0; i < MEMO_WORDS; i++)
        h = (h ^ key[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return (uint32_t)h & (uint32_t)(f->capmemos - 1);
}

LLVMValueRef memo_find(struct emitter *em, const uint64_t key[MEMO_WORDS])
{
    struct function_frame *f = em->frame;
    for (uint32_t i = memo_slot(f, key); f->memos[i].value; i = (i + 1) & (uint32_t)(f->capmemos - 1)) {
        struct memo *m = &f->memos[i];
        if (!memcmp(m->key, key, sizeof m->key))
            return scope_alive(em, m->scope, m->serial) ? m->value : NULL;
    }
    return NULL;
}

static void memos_grow(struct emitter *em)
{
    struct function_frame *f = em->frame;
    struct memo *old = f->memos;
    int n = f->capmemos;
    f->capmemos = 2 * n;
    f->memos = ARENA_ARRAY(em->arena, struct memo, f->capmemos);
    f->nmemos = 0;
    for (int i = 0; i < n; i++)
        if (old[i].value && scope_alive(em, old[i].scope, old[i].serial))
            memo_keep(em, old[i].key, old[i].value, old[i].scope);
}

void memo_keep(struct emitter *em, const uint64_t key[MEMO_WORDS], LLVMValueRef v, int scope)
{
    struct function_frame *f = em->frame;
    if (2 * f->nmemos >= f->capmemos)
        memos_grow(em);
    uint32_t i = memo_slot(f, key);
    while (f->memos[i].value && memcmp(f->memos[i].key, key, sizeof f->memos[i].key) != 0)
        i = (i + 1) & (uint32_t)(f->capmemos - 1);
    f->nmemos += !f->memos[i].value;
    f->memos[i] = (struct memo){.value = v, .scope = scope, .serial = f->scopes[scope].serial};
    memcpy(f->memos[i].key, key, sizeof f->memos[i].key);
}

int symbol_add(struct emitter *em, struct symbol s)
{
    struct function_frame *f = em->frame;
    if (f->nsymbols == f->capsymbols) {
        int cap = f->capsymbols ? 2 * f->capsymbols : 64;
        struct symbol *to = ARENA_ARRAY(em->arena, struct symbol, cap);
        if (f->nsymbols)
            memcpy(to, f->symbols, sizeof *to * (size_t)f->nsymbols);
        f->symbols = to;
        f->capsymbols = cap;
    }
    s.serial = f->scopes[s.scope].serial;
    f->symbols[f->nsymbols] = s;
    return f->nsymbols++;
}

struct function_frame *function_frame_open(struct emitter *em, LLVMValueRef function, LLVMBasicBlockRef allocas)
{
    struct function_frame *f = ARENA_NEW(em->arena, struct function_frame);
    f->function = function;
    f->allocas = allocas;
    f->bases = ARENA_ARRAY(em->arena, LLVMValueRef, em->nest->nbuffers + 1);
    f->copies = ARENA_ARRAY(em->arena, int, em->nest->nbuffers + 1);
    for (int i = 0; i < em->nest->nbuffers; i++)
        f->copies[i] = 1;
    f->bindings = ARENA_ARRAY(em->arena, struct binding, em->nest->atoms->n + 1);
    f->capmemos = 256;
    f->memos = ARENA_ARRAY(em->arena, struct memo, f->capmemos);
    f->scopes[0] = (struct scope){.serial = ++em->serial, .header = allocas};
    f->nscopes = 1;
    return f;
}

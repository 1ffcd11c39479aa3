/* SPDX-License-Identifier: Apache-2.0 */
/* emit_stmt: see emit_stmt.h. A loop is a header (variable, addresses), a body and a latch; a guard that depends on the
 * lane is a mask, any other one a branch. A tensor inside a parallel loop belongs to the thread: on the stack when
 * small, else in the thread's scratch. */
#include "targets/cpu/emit/emit_stmt.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/emit/emit_expr.h"
#include "targets/cpu/emit/emit_function.h"
#include "targets/cpu/emit/emit_memory.h"
#include "targets/cpu/emit/index_value.h"
#include "targets/cpu/tile/register_tile.h"

#define STACK_TENSOR (16 << 10) /* a tensor up to this many bytes lives on the stack */
#define STACK_FRAME (128 << 10) /* and all of one function's up to this many */
#define MOST_PIECES 8           /* registers of a vector loop emitted one after the other outside of tiles */

/* ---- loops ---- */

void emit_loop(struct emitter *em, int atom, int64_t extent, void (*body)(struct emitter *em, void *ctx), void *ctx)
{
    struct frame *f = em->frame;
    struct binding old = f->bindings[atom];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(em->builder), header = emitter_block(em, "loop");
    LLVMBasicBlockRef inside = emitter_block(em, "body");
    LLVMBuildBr(em->builder, header);
    LLVMPositionBuilderAtEnd(em->builder, header);
    LLVMValueRef i = LLVMBuildPhi(em->builder, em->i64, em->nest->atoms->at[atom].name);
    LLVMBuildBr(em->builder, inside);
    LLVMPositionBuilderAtEnd(em->builder, inside);
    scope_push(em, header);
    struct symbol s = {.value = i, .scope = f->nscopes - 1, .lo = 0, .hi = extent - 1, .kind = ATOM_LOOP};
    f->bindings[atom] = (struct binding){.kind = BIND_SYMBOL, .symbol = symbol_add(em, s), .stride = 1};
    body(em, ctx);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(em->builder), after = emitter_block(em, "done");
    LLVMValueRef next = LLVMBuildNUWAdd(em->builder, i, emitter_i64(em, 1), "");
    LLVMSetNSW(next, true);
    LLVMValueRef more = LLVMBuildICmp(em->builder, LLVMIntNE, next, emitter_i64(em, extent), "");
    LLVMBuildCondBr(em->builder, more, header, after);
    LLVMValueRef values[] = {emitter_i64(em, 0), next};
    LLVMBasicBlockRef blocks[] = {before, latch};
    LLVMAddIncoming(i, values, blocks, 2);
    scope_pop(em);
    f->bindings[atom] = old;
    LLVMPositionBuilderAtEnd(em->builder, after);
}

struct lanes_job {
    int atom;
    int64_t start;
    int count, width;
    bool rolled;
    void (*body)(struct emitter *em, void *ctx);
    void *ctx;
};

/* One register's worth; under a running loop over registers the atom is start + width * symbol + lane. */
static void emit_piece(struct emitter *em, void *ctx)
{
    struct lanes_job *j = ctx;
    struct binding *bind = &em->frame->bindings[j->atom], old = *bind;
    struct lanes lanes = em->lanes;
    *bind = (struct binding){.kind = j->width == 1 ? BIND_CONST : BIND_LANES, .symbol = -1, .start = j->start};
    if (j->rolled) {
        bind->kind = BIND_LANES;
        bind->symbol = old.symbol;
        bind->stride = j->width;
    }
    if (j->width > 1)
        em->lanes = (struct lanes){.count = j->count, .width = j->width, .atom = j->atom};
    j->body(em, j->ctx);
    em->lanes = lanes;
    *bind = old;
}

static int piece_width(const struct emitter *em, int64_t rest, int *count)
{
    int w = em->machine->vector_bytes / 4;
    if (rest >= w) {
        *count = w;
        return w;
    }
    if (em->machine->masks) {
        *count = (int)rest;
        for (w = 1; w < rest; w *= 2)
            ;
        return w;
    }
    while (w > rest)
        w /= 2;
    *count = w;
    return w;
}

void emit_lanes(struct emitter *em, int atom, int64_t extent, void (*body)(struct emitter *em, void *ctx), void *ctx)
{
    int w = em->machine->vector_bytes / 4;
    struct lanes_job j = {.atom = atom, .body = body, .ctx = ctx};
    if (!em->tile && extent / w > MOST_PIECES) {
        j.count = j.width = w;
        j.rolled = true;
        emit_loop(em, atom, extent / w, emit_piece, &j);
        j.rolled = false;
        j.start = extent - extent % w;
    }
    for (; j.start < extent; j.start += j.count) {
        j.width = piece_width(em, extent - j.start, &j.count);
        emit_piece(em, &j);
    }
}

static void emit_kid(struct emitter *em, void *ctx)
{
    const struct loop_node *n = ctx;
    emit_stmt(em, n->kids[0]);
}

static void emit_unrolled(struct emitter *em, const struct loop_node *n)
{
    struct binding *bind = &em->frame->bindings[n->s->atom], old = *bind;
    for (int64_t i = 0; i < n->s->extent && !em->failed; i++) {
        *bind = (struct binding){.kind = BIND_CONST, .start = i};
        emit_stmt(em, n->kids[0]);
    }
    *bind = old;
}

/* ---- two loops as one vector loop ---- */

struct merge_job {
    const struct loop_node *n; /* the outer loop */
    int turns;                 /* of it, in this register */
    bool rolled;
};

static void emit_merged(struct emitter *em, void *ctx)
{
    const struct merge_job *m = ctx;
    const struct stmt *lanes = m->n->kids[0]->s;
    struct binding *outer = &em->frame->bindings[m->n->s->atom], *inner = &em->frame->bindings[lanes->atom];
    struct binding old_outer = *outer, old_inner = *inner;
    int count = (int)lanes->extent * m->turns, width = 2;
    while (width < count)
        width *= 2;
    outer->kind = BIND_OUTER;
    outer->symbol = m->rolled ? outer->symbol : -1;
    outer->stride = m->turns;
    *inner = (struct binding){.kind = BIND_LANES, .symbol = -1};
    em->lanes = (struct lanes){
        .count = count, .width = width, .atom = lanes->atom, .outer = m->n->s->atom, .inner = (int)lanes->extent};
    emit_store_stmt(em, lanes->body[0]);
    em->lanes = (struct lanes){.count = 1, .width = 1, .atom = -1};
    *outer = old_outer;
    *inner = old_inner;
}

static void emit_merge(struct emitter *em, const struct loop_node *n)
{
    int64_t extent = n->s->extent, turns = em->machine->vector_bytes / 4 / n->kids[0]->s->extent, start = 0;
    struct merge_job m = {.n = n, .turns = (int)turns};
    struct binding *bind = &em->frame->bindings[n->s->atom], old = *bind;
    bool masks = em->machine->masks && n->kids[0]->s->body[0]->buffer->role != BUFFER_LOCAL;
    if (extent / turns > MOST_PIECES) {
        m.rolled = true;
        emit_loop(em, n->s->atom, extent / turns, emit_merged, &m);
        m.rolled = false;
        start = extent - extent % turns;
    }
    for (; start < extent && !em->failed; start += m.turns) {
        while (m.turns >
               extent - start) /* powers of two where a mask costs: what it stored is not forwarded to loads */
            m.turns = masks ? (int)(extent - start) : m.turns / 2;
        *bind = (struct binding){.kind = BIND_CONST, .start = start};
        emit_merged(em, &m);
    }
    *bind = old;
}

static void emit_plain_loop(struct emitter *em, const struct loop_node *n)
{
    enum how how = n->how;
    if (how == HOW_PARALLEL && (em->frame->parallel || em->lanes.width > 1))
        how = HOW_LOOP;
    if (how == HOW_LANES && (em->lanes.width > 1 || (register_tile_scalar(em) && register_tile_holds(em, n))))
        how = n->s->extent <= 16 ? HOW_UNROLL : HOW_LOOP;
    if (how == HOW_LOOP && register_tile_holds(em, n))
        how = HOW_UNROLL;
    if (n->s->extent == 1 && how == HOW_LOOP)
        how = HOW_UNROLL;
    if (how != HOW_PARALLEL && em->lanes.width == 1 && !em->mask && loop_plan_merges(em, n) &&
        !register_tile_owns(em, n->kids[0]->s->body[0]->buffer))
        emit_merge(em, n);
    else if (how == HOW_PARALLEL)
        emit_parallel(em, n);
    else if (how == HOW_LANES)
        emit_lanes(em, n->s->atom, n->s->extent, emit_kid, (void *)n);
    else if (how == HOW_UNROLL)
        emit_unrolled(em, n);
    else
        emit_loop(em, n->s->atom, n->s->extent, emit_kid, (void *)n);
}

/* ---- guards, tensors, stores ---- */

void emit_guard(struct emitter *em, const struct stmt *s, void (*body)(struct emitter *em, void *ctx), void *ctx)
{
    LLVMValueRef when = NULL, mask = em->mask;
    int held = em->holding.n;
    for (int i = 0; i < s->nguards; i++) {
        int known;
        if (register_tile_proven(em, &s->guards[i]))
            continue;
        struct cell c = emit_guard_mask(em, s->guards[i].form, s->guards[i].lo, s->guards[i].hi, &known);
        if (known == 0 || em->failed) {
            em->mask = mask;
            return;
        }
        if (known == 1)
            continue;
        if (c.wide)
            em->mask = emitter_and(em, em->mask, c.v);
        else
            when = emitter_and(em, when, c.v);
    }
    LLVMBasicBlockRef next = NULL;
    if (when) {
        LLVMBasicBlockRef yes = emitter_block(em, "then");
        next = emitter_block(em, "next");
        LLVMBuildCondBr(em->builder, when, yes, next);
        LLVMPositionBuilderAtEnd(em->builder, yes);
        scope_push(em, NULL);
    }
    for (int i = 0; i < s->nguards && em->holding.n < 64; i++)
        em->holding.at[em->holding.n++] = &s->guards[i];
    body(em, ctx);
    em->holding.n = held;
    if (when) {
        scope_pop(em);
        LLVMBuildBr(em->builder, next);
        LLVMPositionBuilderAtEnd(em->builder, next);
    }
    em->mask = mask;
}

static void emit_alloc(struct emitter *em, const struct buffer *b)
{
    struct frame *f = em->frame;
    int64_t bytes = dtype_bytes(b->dtype);
    f->privates[b->id] = em->lanes.width;
    if (f->bases[b->id])
        return; /* an unrolled copy of the same allocation, of the same or a narrower register */
    if (em->lanes.width > 1)
        bytes *= em->machine->vector_bytes / 4;
    for (int d = 0; d < b->ndim; d++)
        if (__builtin_mul_overflow(bytes, b->extent[d], &bytes) || bytes > (int64_t)1 << 40) {
            emitter_fail(em, "the tensor '%s' would take more than a terabyte", b->name);
            return;
        }
    int64_t room = (bytes + 63) / 64 * 64;
    if (bytes <= STACK_TENSOR && f->stack_bytes + room <= STACK_FRAME) {
        LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(em->context), (uint64_t)room);
        f->bases[b->id] = emitter_alloca(em, type, 64, b->name);
        f->stack_bytes += room;
        return;
    }
    int64_t *total = f->parallel ? &em->own_bytes : &em->shared_bytes;
    LLVMValueRef offset = emitter_i64(em, *total);
    LLVMPositionBuilderBefore(em->addresses, LLVMGetBasicBlockTerminator(f->allocas));
    f->bases[b->id] =
        LLVMBuildInBoundsGEP2(em->addresses, LLVMInt8TypeInContext(em->context), f->own, &offset, 1, b->name);
    *total += room + 64;
}

void emit_store_stmt(struct emitter *em, const struct stmt *s)
{
    emit_store(em, s->buffer, s->index, emit_expr(em, s->value));
}

void emit_stmt(struct emitter *em, const struct loop_node *n)
{
    const struct stmt *s = n->s;
    if (em->failed || ((s->kind == STMT_LOOP || s->kind == STMT_SEQ) && register_tile_emit(em, n)))
        return;
    switch (s->kind) {
    case STMT_LOOP:
        emit_plain_loop(em, n);
        break;
    case STMT_SEQ:
        for (int i = 0; i < n->nkids; i++)
            emit_stmt(em, n->kids[i]);
        break;
    case STMT_GUARD:
        emit_guard(em, s, emit_kid, (void *)n);
        break;
    case STMT_ALLOC:
        emit_alloc(em, s->buffer);
        emit_stmt(em, n->kids[0]);
        break;
    case STMT_STORE:
        emit_store_stmt(em, s);
        break;
    }
}

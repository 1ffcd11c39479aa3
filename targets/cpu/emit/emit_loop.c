/* SPDX-License-Identifier: Apache-2.0 */
/* emit_loop: a loop is a header (variable, addresses), a body and a latch. A guard that differs between lanes is a
 * mask, any other guard is a branch. */
#include "targets/cpu/emit/emit_loop.h"

#include "targets/cpu/emit/emit_expr.h"
#include "targets/cpu/emit/tile_registers.h"

void emit_loop_range(struct emitter *em, const struct emitted_loop *l, emit_body_fn *body, const void *ctx)
{
    struct function_frame *f = em->frame;
    struct binding old = f->bindings[l->atom];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(em->builder), header = emitter_block(em, l->name);
    LLVMBasicBlockRef inside = emitter_block(em, "body");
    LLVMBuildBr(em->builder, header);
    LLVMPositionBuilderAtEnd(em->builder, header);
    LLVMValueRef i = LLVMBuildPhi(em->builder, em->i64, em->nest->atoms->at[l->atom].name);
    LLVMBuildBr(em->builder, inside);
    LLVMPositionBuilderAtEnd(em->builder, inside);
    scope_push(em, header);
    struct symbol s = {.value = i, .scope = f->nscopes - 1, .lo = 0, .hi = l->extent - 1, .kind = ATOM_LOOP};
    f->bindings[l->atom] = (struct binding){.kind = BIND_SYMBOL, .symbol = symbol_add(em, s), .stride = 1};
    body(em, ctx);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(em->builder), after = emitter_block(em, "done");
    LLVMValueRef next = LLVMBuildNUWAdd(em->builder, i, emitter_i64(em, 1), "");
    LLVMSetNSW(next, true);
    LLVMValueRef more = LLVMBuildICmp(em->builder, LLVMIntNE, next, l->to, "");
    LLVMBuildCondBr(em->builder, more, header, after);
    LLVMValueRef values[] = {l->from, next};
    LLVMBasicBlockRef blocks[] = {before, latch};
    LLVMAddIncoming(i, values, blocks, 2);
    scope_pop(em);
    f->bindings[l->atom] = old;
    LLVMPositionBuilderAtEnd(em->builder, after);
}

void emit_loop(struct emitter *em, int atom, int64_t extent, emit_body_fn *body, const void *ctx)
{
    const struct emitted_loop l = {
        .atom = atom, .extent = extent, .from = emitter_i64(em, 0), .to = emitter_i64(em, extent), .name = "loop"};
    emit_loop_range(em, &l, body, ctx);
}

/* ---- vector loops ---- */

struct vector_register { /* one register of a vector loop */
    int atom;
    int64_t start; /* its first element */
    int count, width;
    bool in_loop; /* a loop over registers runs around it: the first element is start + width * symbol */
    emit_body_fn *body;
    const void *ctx;
};

static void emit_register(struct emitter *em, const void *ctx)
{
    const struct vector_register *r = ctx;
    struct binding *bind = &em->frame->bindings[r->atom], old = *bind;
    struct lanes lanes = em->lanes;
    *bind = (struct binding){.kind = r->width == 1 ? BIND_CONST : BIND_LANES, .symbol = -1, .start = r->start};
    if (r->in_loop) {
        bind->kind = BIND_LANES;
        bind->symbol = old.symbol;
        bind->stride = r->width;
    }
    if (r->width > 1)
        em->lanes = (struct lanes){.count = r->count, .width = r->width, .atom = r->atom};
    r->body(em, r->ctx);
    em->lanes = lanes;
    *bind = old;
}

int register_width(int count)
{
    int width = 1;
    while (width < count)
        width *= 2;
    return width;
}

/* Width and lanes of the next register, with `rest` elements left. */
static int next_register(const struct emitter *em, int64_t rest, int *count)
{
    int w = em->machine->vector_bytes / 4;
    if (rest >= w) {
        *count = w;
        return w;
    }
    if (em->machine->masks) {
        *count = (int)rest;
        return register_width(*count);
    }
    while (w > rest)
        w /= 2;
    *count = w;
    return w;
}

void emit_vector_loop(struct emitter *em, int atom, int64_t extent, emit_body_fn *body, const void *ctx)
{
    int w = em->machine->vector_bytes / 4;
    struct vector_register r = {.atom = atom, .body = body, .ctx = ctx};
    if (!em->tile && extent / w > MOST_STRAIGHT_REGISTERS) {
        r.count = r.width = w;
        r.in_loop = true;
        emit_loop(em, atom, extent / w, emit_register, &r);
        r.in_loop = false;
        r.start = extent - extent % w;
    }
    for (; r.start < extent; r.start += r.count) {
        r.width = next_register(em, extent - r.start, &r.count);
        emit_register(em, &r);
    }
}

/* ---- guards ---- */

/* The guards of s as a scalar condition (NULL: true) and, in em->mask, per lane. False: they never hold. */
static bool guards_condition(struct emitter *em, const struct stmt *s, LLVMValueRef *condition)
{
    *condition = NULL;
    for (int i = 0; i < s->nguards; i++) {
        int known;
        if (tile_registers_proven(em, &s->guards[i]))
            continue;
        struct lane_value c = emit_guard_mask(em, s->guards[i].form, s->guards[i].lo, s->guards[i].hi, &known);
        if (known == 0 || em->failed)
            return false;
        if (known == 1)
            continue;
        if (c.wide)
            em->mask = emitter_and(em, em->mask, c.v);
        else
            *condition = emitter_and(em, *condition, c.v);
    }
    return true;
}

void emit_guard(struct emitter *em, const struct stmt *s, emit_body_fn *body, const void *ctx)
{
    LLVMValueRef condition, mask = em->mask;
    LLVMBasicBlockRef next = NULL;
    if (!guards_condition(em, s, &condition)) {
        em->mask = mask;
        return;
    }
    if (condition) {
        LLVMBasicBlockRef yes = emitter_block(em, "then");
        next = emitter_block(em, "next");
        LLVMBuildCondBr(em->builder, condition, yes, next);
        LLVMPositionBuilderAtEnd(em->builder, yes);
        scope_push(em, NULL);
    }
    int held = em->held.n;
    for (int i = 0; i < s->nguards && em->held.n < HELD_MAX; i++)
        em->held.at[em->held.n++] = &s->guards[i];
    body(em, ctx);
    em->held.n = held;
    if (condition) {
        scope_pop(em);
        LLVMBuildBr(em->builder, next);
        LLVMPositionBuilderAtEnd(em->builder, next);
    }
    em->mask = mask;
}

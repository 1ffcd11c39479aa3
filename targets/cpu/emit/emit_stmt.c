/* SPDX-License-Identifier: Apache-2.0 */
/* emit_stmt: a tensor inside a parallel loop belongs to the thread: it is on the stack if it is small, else in the
 * thread's scratch. */
#include "targets/cpu/emit/emit_stmt.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/emit/emit_expr.h"
#include "targets/cpu/emit/emit_function.h"
#include "targets/cpu/emit/emit_loop.h"
#include "targets/cpu/emit/emit_tile.h"
#include "targets/cpu/emit/tile_registers.h"

#define STACK_TENSOR (16 << 10) /* a tensor up to this many bytes lives on the stack */
#define STACK_FRAME (128 << 10) /* and all of one function's up to this many */

/* ---- loops ---- */

static void emit_first_kid(struct emitter *em, const void *ctx)
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

struct merged_register {       /* one register of them */
    const struct loop_node *n; /* the outer loop */
    int iterations;            /* of it, in this register */
    bool in_loop;              /* a loop over registers runs around it */
};

static void emit_merged(struct emitter *em, const void *ctx)
{
    const struct merged_register *m = ctx;
    const struct stmt *lanes = m->n->kids[0]->s;
    struct binding *outer = &em->frame->bindings[m->n->s->atom], *inner = &em->frame->bindings[lanes->atom];
    struct binding old_outer = *outer, old_inner = *inner;
    int count = (int)lanes->extent * m->iterations;
    outer->kind = BIND_OUTER;
    outer->symbol = m->in_loop ? outer->symbol : -1;
    outer->stride = m->iterations;
    *inner = (struct binding){.kind = BIND_LANES, .symbol = -1};
    em->lanes = (struct lanes){.count = count,
                               .width = register_width(count),
                               .atom = lanes->atom,
                               .outer = m->n->s->atom,
                               .inner = (int)lanes->extent};
    emit_store_stmt(em, lanes->body[0]);
    em->lanes = (struct lanes){.count = 1, .width = 1, .atom = -1};
    *outer = old_outer;
    *inner = old_inner;
}

/* The last registers hold fewer iterations. They are halved where a mask costs: loads of what a masked store wrote
 * would wait for it. */
static void emit_merge(struct emitter *em, const struct loop_node *n)
{
    int64_t extent = n->s->extent, most = em->machine->vector_bytes / 4 / n->kids[0]->s->extent, start = 0;
    struct merged_register m = {.n = n, .iterations = (int)most};
    struct binding *bind = &em->frame->bindings[n->s->atom], old = *bind;
    bool masks = em->machine->masks && n->kids[0]->s->body[0]->buffer->role != BUFFER_LOCAL;
    if (extent / most > MOST_STRAIGHT_REGISTERS) {
        m.in_loop = true;
        emit_loop(em, n->s->atom, extent / most, emit_merged, &m);
        m.in_loop = false;
        start = extent - extent % most;
    }
    for (; start < extent && !em->failed; start += m.iterations) {
        while (m.iterations > extent - start)
            m.iterations = masks ? (int)(extent - start) : m.iterations / 2;
        *bind = (struct binding){.kind = BIND_CONST, .start = start};
        emit_merged(em, &m);
    }
    *bind = old;
}

/* How the loop runs here: its plan, but for what does not fit into the code around it. */
static enum loop_mode mode_here(const struct emitter *em, const struct loop_node *n)
{
    enum loop_mode mode = n->mode;
    if (mode == LOOP_PARALLEL && (em->frame->parallel || em->lanes.width > 1))
        mode = LOOP_SERIAL;
    if (mode == LOOP_VECTOR &&
        (em->lanes.width > 1 || (tile_registers_scalar(em) && tile_registers_selected_by(em, n))))
        mode = n->s->extent <= 16 ? LOOP_UNROLLED : LOOP_SERIAL;
    if (mode == LOOP_SERIAL && (tile_registers_selected_by(em, n) || n->s->extent == 1))
        mode = LOOP_UNROLLED;
    return mode;
}

static void emit_loop_stmt(struct emitter *em, const struct loop_node *n)
{
    enum loop_mode mode = mode_here(em, n);
    if (mode != LOOP_PARALLEL && em->lanes.width == 1 && !em->mask && loop_plan_merges(em, n) &&
        !tile_registers_own(em, n->kids[0]->s->body[0]->buffer))
        emit_merge(em, n);
    else if (mode == LOOP_PARALLEL)
        emit_parallel(em, n);
    else if (mode == LOOP_VECTOR)
        emit_vector_loop(em, n->s->atom, n->s->extent, emit_first_kid, n);
    else if (mode == LOOP_UNROLLED)
        emit_unrolled(em, n);
    else
        emit_loop(em, n->s->atom, n->s->extent, emit_first_kid, n);
}

/* ---- tensors, stores ---- */

static void emit_alloc(struct emitter *em, const struct buffer *b)
{
    struct function_frame *f = em->frame;
    int64_t bytes = dtype_bytes(b->dtype);
    f->copies[b->id] = em->lanes.width;
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
    int64_t *total = f->parallel ? &em->thread_bytes : &em->shared_bytes;
    LLVMValueRef offset = emitter_i64(em, *total);
    LLVMPositionBuilderBefore(em->addresses, LLVMGetBasicBlockTerminator(f->allocas));
    f->bases[b->id] =
        LLVMBuildInBoundsGEP2(em->addresses, LLVMInt8TypeInContext(em->context), f->scratch, &offset, 1, b->name);
    *total += room + 64;
}

void emit_stmt(struct emitter *em, const struct loop_node *n)
{
    const struct stmt *s = n->s;
    if (em->failed || ((s->kind == STMT_LOOP || s->kind == STMT_SEQ) && emit_tile(em, n)))
        return;
    switch (s->kind) {
    case STMT_LOOP:
        emit_loop_stmt(em, n);
        break;
    case STMT_SEQ:
        for (int i = 0; i < n->nkids; i++)
            emit_stmt(em, n->kids[i]);
        break;
    case STMT_GUARD:
        emit_guard(em, s, emit_first_kid, n);
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

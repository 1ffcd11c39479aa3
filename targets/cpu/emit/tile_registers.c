/* SPDX-License-Identifier: Apache-2.0 */
/* tile_registers: a register is made when its element is first read or written. A register holds the element of every
 * lane of one vector, and no two registers may hold the same element. */
#include "targets/cpu/emit/tile_registers.h"

#include "targets/cpu/emit/vector_access.h"

static struct tile_register *find_register(struct emitter *em, const struct index_value *ix)
{
    struct tile_registers *t = em->tile;
    for (int i = t->nregisters - 1; i >= 0; i--) {
        struct tile_register *r = &t->registers[i];
        if (index_value_equal(&r->index, ix) && r->lanes.width == em->lanes.width && r->lanes.inner == em->lanes.inner)
            return r;
    }
    return NULL;
}

/* No element of the register r is among those of ix under the lanes that are set now. */
static bool are_apart(const struct emitter *em, const struct tile_register *r, const struct index_value *ix)
{
    bool copies = em->frame->copies[em->tile->buffer->id] > 1;
    int one = copies ? 1 : r->lanes.inner ? r->lanes.inner : r->lanes.count;
    int two = copies ? 1 : em->lanes.inner ? em->lanes.inner : em->lanes.count;
    struct index_value same_lanes = r->index;
    same_lanes.lane = ix->lane;
    same_lanes.outer = ix->outer;
    if (!index_value_same_symbols(&same_lanes, ix))
        return false;
    for (int i = 0; i < r->lanes.count; i += one)
        for (int k = 0; k < em->lanes.count; k += two) {
            int64_t d = ix->base + ix->outer * (k / two) - r->index.base - r->index.outer * (i / one);
            if (d < one && -d < two)
                return false;
        }
    return true;
}

static struct tile_register *new_register(struct emitter *em, const struct index_value *ix, bool load)
{
    struct tile_registers *t = em->tile;
    LLVMTypeRef element = emitter_type(em, t->buffer->dtype), type = emitter_wide(em, element);
    bool apart = true;
    for (int i = 0; i < t->nregisters; i++)
        apart &= are_apart(em, &t->registers[i], ix);
    if (t->nregisters == MOST_TILE_REGISTERS || index_value_scope(em, ix) > t->scope || !apart) {
        emitter_fail(em, "the register tile of '%s' was planned wrongly", t->buffer->name);
        return NULL;
    }
    struct tile_register *r = &t->registers[t->nregisters++];
    *r = (struct tile_register){.index = *ix, .lanes = em->lanes};
    r->at = emitter_alloca(em, type, 64, "acc");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(em->builder);
    LLVMPositionBuilderBefore(em->builder, LLVMGetBasicBlockTerminator(t->before));
    if (load)
        LLVMBuildStore(em->builder, access_load(em, t->buffer, ix), r->at);
    LLVMPositionBuilderAtEnd(em->builder, here);
    return r;
}

bool tile_registers_own(const struct emitter *em, const struct buffer *b)
{
    return em->tile && em->tile->buffer == b;
}

bool tile_registers_get(struct emitter *em, const struct buffer *b, const struct index_value *ix,
                        struct lane_value *out)
{
    if (!tile_registers_own(em, b))
        return false;
    struct tile_register *r = find_register(em, ix);
    if (!r)
        r = new_register(em, ix, true);
    LLVMTypeRef type = emitter_wide(em, emitter_type(em, b->dtype));
    *out = (struct lane_value){.v = r ? LLVMBuildLoad2(em->builder, type, r->at, "") : LLVMGetPoison(type),
                               .wide = em->lanes.width > 1};
    return true;
}

bool tile_registers_set(struct emitter *em, const struct buffer *b, const struct index_value *ix,
                        struct lane_value value)
{
    if (!tile_registers_own(em, b))
        return false;
    struct tile_register *r = find_register(em, ix);
    if (!r) /* written for the first time, in code that always runs: nothing to load */
        r = new_register(em, ix, em->frame->nscopes - 1 != em->tile->scope || em->mask);
    if (!r)
        return true;
    LLVMValueRef v = emitter_widen(em, value);
    if (em->mask) {
        LLVMValueRef old = LLVMBuildLoad2(em->builder, LLVMTypeOf(v), r->at, "");
        v = LLVMBuildSelect(em->builder, em->mask, v, old, "");
    }
    LLVMBuildStore(em->builder, v, r->at);
    r->dirty = true;
    return true;
}

bool tile_registers_scalar(const struct emitter *em)
{
    return em->tile && em->tile->analysis->lanes == 0;
}

bool tile_registers_selected_by(const struct emitter *em, const struct loop_node *loop)
{
    return em->tile && em->tile->selects[loop->s->atom];
}

bool tile_registers_proven(const struct emitter *em, const struct guard *g)
{
    for (int i = 0; em->tile && i < em->tile->analysis->nguards; i++)
        if (em->tile->analysis->guards[i] == g)
            return true;
    return false;
}

void tile_registers_open(struct emitter *em, struct tile_registers *t, const struct tile_analysis *analysis)
{
    *t = (struct tile_registers){
        .buffer = analysis->update->buffer, .scope = em->frame->nscopes - 1, .analysis = analysis};
    t->before = LLVMGetInsertBlock(em->builder);
    LLVMBasicBlockRef inside = emitter_block(em, "tile");
    LLVMBuildBr(em->builder, inside);
    LLVMPositionBuilderAtEnd(em->builder, inside);
    t->selects = ARENA_ARRAY(em->arena, bool, em->nest->atoms->n + 1);
    em->tile = t;
}

void tile_registers_close(struct emitter *em)
{
    struct tile_registers *t = em->tile;
    struct lanes lanes = em->lanes;
    LLVMTypeRef element = emitter_type(em, t->buffer->dtype);
    em->tile = NULL;
    for (int i = 0; i < t->nregisters && !em->failed; i++) {
        const struct tile_register *r = &t->registers[i];
        if (!r->dirty)
            continue;
        em->lanes = r->lanes;
        LLVMValueRef v = LLVMBuildLoad2(em->builder, emitter_wide(em, element), r->at, "");
        access_store(em, t->buffer, &r->index, v);
    }
    em->lanes = lanes;
    em->versions[t->buffer->id]++;
}

/* loops: those from the tile's root down to n. */
static void mark_loops(struct emitter *em, const struct loop_node *n, const struct loop_node **loops, int depth)
{
    if (n->s->kind == STMT_LOOP && depth < MOST_CHAIN)
        loops[depth++] = n;
    if (n->s->kind == STMT_STORE && n->s->buffer == em->tile->buffer)
        for (int i = 0; i < depth; i++)
            em->tile->selects[loops[i]->s->atom] |= loop_plan_uses(em, n->s, loops[i]->s->atom);
    for (int i = 0; i < n->nkids; i++)
        mark_loops(em, n->kids[i], loops, depth);
}

void tile_registers_mark_loops(struct emitter *em, const struct loop_node *n)
{
    const struct loop_node *loops[MOST_CHAIN];
    mark_loops(em, n, loops, 0);
}

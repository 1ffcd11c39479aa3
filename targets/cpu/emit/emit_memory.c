/* SPDX-License-Identifier: Apache-2.0 */
/* emit_memory: what was loaded is remembered: for inputs until the scope closes, for tensors that the nest writes until
 * the next store to them. An element that is in a register of the open tile is taken from there. */
#include "targets/cpu/emit/emit_memory.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/emit/tile_registers.h"
#include "targets/cpu/emit/vector_access.h"

static void load_key(struct emitter *em, const struct buffer *b, const struct index_value *ix, uint64_t key[MEMO_WORDS])
{
    struct index_value symbols = *ix; /* without the constant, so that it is one address */
    symbols.base = 0;
    const struct function_frame *fr = em->frame;
    uint64_t loop = fr->scopes[fr->scopes[fr->nscopes - 1].loop].serial;
    key[0] = 'l' | (uint64_t)em->lanes.width << 8 | (uint64_t)em->lanes.count << 16 | (uint64_t)ix->lane << 24;
    key[6] = (uint64_t)ix->outer << 8 | (uint64_t)em->lanes.inner;
    key[1] = (uint64_t)(uintptr_t)index_value_pointer(em, b, &symbols);
    key[2] = (uint64_t)ix->base;
    key[3] = (uint64_t)(uintptr_t)em->condition;
    key[4] = (uint64_t)(uintptr_t)em->mask;
    key[5] = em->written[b->id] ? em->versions[b->id] << 32 | loop : 0;
}

/* True if the mask is set in some lane. */
static LLVMValueRef any_lane(struct emitter *em, LLVMValueRef mask)
{
    LLVMTypeRef bits = LLVMIntTypeInContext(em->context, (unsigned)em->lanes.width);
    LLVMValueRef v = LLVMBuildBitCast(em->builder, mask, bits, "");
    return LLVMBuildICmp(em->builder, LLVMIntNE, v, LLVMConstNull(bits), "");
}

/* ix NULL: b[index] has no index value. */
static struct lane_value load_value(struct emitter *em, const struct buffer *b, const struct affine *index,
                                    const struct index_value *ix)
{
    struct lane_value c = {.wide = em->lanes.width > 1 && (!ix || index_value_is_wide(ix))};
    if (access_is_private(em, b)) {
        c.wide = true;
        c.v = LLVMBuildLoad2(em->builder, emitter_wide(em, emitter_type(em, b->dtype)), index_value_pointer(em, b, ix),
                             "");
        LLVMSetAlignment(c.v, (unsigned)dtype_bytes(b->dtype));
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(c.v)); /* the result of a load that must not be made */
        c.v = em->condition ? LLVMBuildSelect(em->builder, em->condition, c.v, zero, "") : c.v;
        c.v = em->mask ? LLVMBuildSelect(em->builder, em->mask, c.v, zero, "") : c.v;
    } else if (c.wide) {
        c.v = access_load_lanes(em, b, index, ix);
    } else {
        LLVMValueRef when = em->condition;
        if (em->mask)
            when = emitter_and(em, when, any_lane(em, em->mask));
        c.v = access_load_one(em, b, ix, when);
    }
    return c;
}

struct lane_value emit_load(struct emitter *em, const struct buffer *b, const struct affine *index)
{
    struct index_value ix;
    struct lane_value c;
    uint64_t key[MEMO_WORDS];
    bool resolved = index_value_offset(em, b, index, &ix);
    if (em->failed || (!resolved && em->lanes.width == 1)) {
        emitter_fail(em, "an index of '%s' cannot be computed", b->name);
        return (struct lane_value){.v = LLVMGetPoison(emitter_type(em, b->dtype))};
    }
    if (access_is_private(em, b) && (!resolved || index_value_is_wide(&ix)))
        emitter_fail(em, "the lanes of '%s' depend on each other", b->name);
    if (resolved && tile_registers_get(em, b, &ix, &c))
        return c;
    if (resolved) {
        load_key(em, b, &ix, key);
        c = (struct lane_value){.v = memo_find(em, key),
                                .wide = em->lanes.width > 1 && (index_value_is_wide(&ix) || access_is_private(em, b))};
        if (c.v)
            return c;
    }
    c = load_value(em, b, index, resolved ? &ix : NULL);
    if (b->dtype == DTYPE_BOOL)
        c.v = LLVMBuildICmp(em->builder, LLVMIntNE, c.v, LLVMConstNull(LLVMTypeOf(c.v)), "");
    if (resolved)
        memo_keep(em, key, c.v, em->frame->nscopes - 1);
    return c;
}

void emit_store(struct emitter *em, const struct buffer *b, const struct affine *index, struct lane_value value)
{
    struct index_value ix;
    LLVMTypeRef element = emitter_type(em, b->dtype);
    bool resolved = index_value_offset(em, b, index, &ix);
    if (em->failed)
        return;
    if (resolved && tile_registers_set(em, b, &ix, value))
        return;
    em->versions[b->id]++;
    LLVMValueRef v = emitter_widen(em, value);
    if (b->dtype == DTYPE_BOOL)
        v = LLVMBuildZExt(em->builder, v, emitter_wide(em, element), "");
    if (em->lanes.width == 1) {
        LLVMSetAlignment(LLVMBuildStore(em->builder, v, index_value_pointer(em, b, &ix)),
                         (unsigned)dtype_bytes(b->dtype));
        return;
    }
    if (access_is_private(em, b) && (!resolved || index_value_is_wide(&ix)))
        emitter_fail(em, "the lanes of '%s' depend on each other", b->name);
    else if (access_is_private(em, b))
        vector_store(em, element, index_value_pointer(em, b, &ix), v, em->mask);
    else
        access_store_lanes(em, b, index, resolved ? &ix : NULL, v);
}

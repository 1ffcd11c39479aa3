/* SPDX-License-Identifier: Apache-2.0 */
/* emit_memory: neighbours in memory become one vector load, one element for all lanes a scalar load, short strides two
 * loads and a shuffle, the rest runs of neighbours put together lane by lane.
 *
 * A load that must not be made (under em->when or em->mask false) reads zeros from a constant instead of branching.
 * What was loaded is remembered: for inputs until its scope closes, for tensors the nest writes until the next store to
 * them. */
#include "targets/cpu/emit/emit_memory.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/emit/index_value.h"
#include "targets/cpu/tile/register_tile.h"

#include <string.h>

static unsigned element_bytes(const struct emitter *em, LLVMTypeRef t)
{
    return t == em->f32 || t == em->i32 ? 4 : t == em->f64 || t == em->i64 ? 8 : 1;
}

static LLVMValueRef mask_or_all(struct emitter *em, LLVMValueRef mask)
{
    return mask ? mask : LLVMConstAllOnes(LLVMVectorType(em->i1, (unsigned)em->lanes.width));
}

LLVMValueRef emit_read(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef mask)
{
    LLVMTypeRef type = emitter_wide(em, element);
    mask = emitter_and(em, mask, emitter_tail(em));
    if (!mask) {
        LLVMValueRef v = LLVMBuildLoad2(em->builder, type, p, "");
        LLVMSetAlignment(v, element_bytes(em, element));
        return v;
    }
    LLVMTypeRef types[] = {type, em->pointer};
    LLVMValueRef args[] = {p, emitter_i32(em, (int)element_bytes(em, element)), mask_or_all(em, mask),
                           LLVMConstNull(type)};
    return emitter_intrinsic(em, "llvm.masked.load", types, 2, args, 4);
}

void emit_write(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef v, LLVMValueRef mask)
{
    mask = emitter_and(em, mask, emitter_tail(em));
    if (!mask) {
        LLVMSetAlignment(LLVMBuildStore(em->builder, v, p), element_bytes(em, element));
        return;
    }
    LLVMTypeRef types[] = {LLVMTypeOf(v), em->pointer};
    LLVMValueRef args[] = {v, p, emitter_i32(em, (int)element_bytes(em, element)), mask_or_all(em, mask)};
    emitter_intrinsic(em, "llvm.masked.store", types, 2, args, 4);
}

/* p, or the zeros when the condition does not hold. */
static LLVMValueRef safe_pointer(struct emitter *em, LLVMValueRef p, LLVMValueRef when)
{
    return when ? LLVMBuildSelect(em->builder, when, p, em->zeros, "") : p;
}

static LLVMValueRef any_lane(struct emitter *em, LLVMValueRef mask)
{
    LLVMTypeRef bits = LLVMIntTypeInContext(em->context, (unsigned)em->lanes.width);
    LLVMValueRef v = LLVMBuildBitCast(em->builder, mask, bits, "");
    return LLVMBuildICmp(em->builder, LLVMIntNE, v, LLVMConstNull(bits), "");
}

static LLVMValueRef load_one(struct emitter *em, const struct buffer *b, const struct form *f, LLVMValueRef when)
{
    LLVMTypeRef t = emitter_type(em, b->dtype);
    LLVMValueRef v = LLVMBuildLoad2(em->builder, t, safe_pointer(em, index_value_pointer(em, b, f), when), "");
    LLVMSetAlignment(v, (unsigned)dtype_bytes(b->dtype));
    return v;
}

/* ---- lanes that are not neighbours ---- */

/* The form of every lane by itself; f: what they have in common, or NULL when that is not a form. */
static bool lane_forms(struct emitter *em, const struct buffer *b, const struct affine *index, const struct form *f,
                       struct form *out)
{
    bool fine = true;
    for (int i = 0, n = em->lanes.count; i < n && fine; i++) {
        if (f) {
            out[i] = *f;
            out[i].base += index_value_lane(em, f, i);
            out[i].lane = out[i].outer = 0;
            continue;
        }
        struct index_value_saved saved = index_value_begin_lane(em, i);
        fine = index_value_offset(em, b, index, &out[i]);
        index_value_end_lane(em, &saved);
    }
    return fine;
}

static LLVMValueRef lane_bit(struct emitter *em, LLVMValueRef mask, int lane)
{
    return mask ? LLVMBuildExtractElement(em->builder, mask, emitter_i32(em, lane), "") : NULL;
}

/* Elements first.. of out from the vector v (n elements from `from` on). */
static LLVMValueRef paste(struct emitter *em, LLVMValueRef out, int first, LLVMValueRef v, int from, int n, int width)
{
    LLVMValueRef pick[64];
    LLVMTypeRef type = LLVMTypeOf(v);
    for (int i = 0; i < width; i++)
        pick[i] = i >= first && i < first + n ? emitter_i32(em, from + i - first) : LLVMGetPoison(em->i32);
    LLVMValueRef wide =
        LLVMBuildShuffleVector(em->builder, v, LLVMGetPoison(type), LLVMConstVector(pick, (unsigned)width), "");
    for (int i = 0; i < width; i++)
        pick[i] = emitter_i32(em, i >= first && i < first + n ? width + i : i);
    return LLVMBuildShuffleVector(em->builder, out, wide, LLVMConstVector(pick, (unsigned)width), "");
}

/* Lanes from first on that are neighbours in memory. */
static int run_length(const struct emitter *em, const struct form *forms, int first)
{
    int n = 1;
    while (first + n < em->lanes.count && index_value_same_symbols(&forms[first], &forms[first + n]) &&
           forms[first + n].base == forms[first].base + n)
        n++;
    return n;
}

static LLVMValueRef load_runs(struct emitter *em, const struct buffer *b, const struct form *forms)
{
    LLVMTypeRef element = emitter_type(em, b->dtype);
    int width = em->lanes.width;
    LLVMValueRef out = LLVMGetPoison(LLVMVectorType(element, (unsigned)width));
    for (int i = 0, n; i < em->lanes.count; i += n) {
        n = run_length(em, forms, i);
        if (n < 2 || em->mask) {
            LLVMValueRef when = emitter_and(em, em->when, lane_bit(em, em->mask, i));
            out = LLVMBuildInsertElement(em->builder, out, load_one(em, b, &forms[i], when), emitter_i32(em, i), "");
            n = 1;
            continue;
        }
        LLVMValueRef p = safe_pointer(em, index_value_pointer(em, b, &forms[i]), em->when);
        LLVMValueRef v = LLVMBuildLoad2(em->builder, LLVMVectorType(element, (unsigned)n), p, "");
        LLVMSetAlignment(v, (unsigned)dtype_bytes(b->dtype));
        out = paste(em, out, i, v, 0, n, width);
    }
    return out;
}

/* Lanes 2 or 3 elements apart, no mask: whole registers, the last one ending with the last lane, and shuffles. */
static LLVMValueRef load_strided(struct emitter *em, const struct buffer *b, const struct form *f)
{
    int w = em->lanes.width, count = em->lanes.count, stride = (int)f->lane, span = stride * (count - 1) + 1;
    LLVMTypeRef element = emitter_type(em, b->dtype), type = LLVMVectorType(element, (unsigned)w);
    LLVMValueRef out = LLVMGetPoison(type), pick[64];
    for (int start = 0; start < span; start += w) {
        int at = start + w <= span ? start : span - w; /* what lies before start was taken already */
        struct form g = *f;
        g.base += at;
        LLVMValueRef v =
            LLVMBuildLoad2(em->builder, type, safe_pointer(em, index_value_pointer(em, b, &g), em->when), "");
        LLVMSetAlignment(v, (unsigned)dtype_bytes(b->dtype));
        for (int i = 0; i < w; i++) {
            int e = i * stride;
            pick[i] = emitter_i32(em, i < count && e >= start && e < start + w ? w + e - at : i);
        }
        out = LLVMBuildShuffleVector(em->builder, out, v, LLVMConstVector(pick, (unsigned)w), "");
    }
    return out;
}

/* One turn of the inner loop, the same for every turn of the outer one. */
static LLVMValueRef load_repeated(struct emitter *em, const struct buffer *b, const struct form *f)
{
    LLVMTypeRef element = emitter_type(em, b->dtype);
    int inner = em->lanes.inner, width = em->lanes.width;
    LLVMValueRef p = safe_pointer(em, index_value_pointer(em, b, f), em->when), pick[64];
    LLVMValueRef v = LLVMBuildLoad2(em->builder, LLVMVectorType(element, (unsigned)inner), p, "");
    LLVMSetAlignment(v, (unsigned)dtype_bytes(b->dtype));
    for (int i = 0; i < width; i++)
        pick[i] = emitter_i32(em, i % inner);
    LLVMValueRef which = LLVMConstVector(pick, (unsigned)width);
    return LLVMBuildShuffleVector(em->builder, v, LLVMGetPoison(LLVMTypeOf(v)), which, "");
}

static LLVMValueRef load_wide(struct emitter *em, const struct buffer *b, const struct affine *index,
                              const struct form *f)
{
    struct form forms[64];
    int w = em->lanes.width;
    if (f && index_value_is_contiguous(em, f)) {
        LLVMValueRef p = safe_pointer(em, index_value_pointer(em, b, f), em->when);
        return emit_read(em, emitter_type(em, b->dtype), p, em->mask);
    }
    if (f && !em->mask && f->lane == 1 && f->outer == 0)
        return load_repeated(em, b, f);
    bool near = f && !em->lanes.inner && (f->lane == 2 || f->lane == 3);
    if (near && !em->mask && w >= 8 && f->lane * (em->lanes.count - 1) + 1 >= w)
        return load_strided(em, b, f);
    if (!lane_forms(em, b, index, f, forms)) {
        emitter_fail(em, "the lanes of '%s' cannot be told apart", b->name);
        return LLVMGetPoison(emitter_wide(em, emitter_type(em, b->dtype)));
    }
    return load_runs(em, b, forms);
}

LLVMValueRef emit_load_at(struct emitter *em, const struct buffer *b, const struct form *f)
{
    if (em->lanes.width == 1)
        return load_one(em, b, f, NULL);
    if (em->frame->privates[b->id] > 1)
        return emit_read(em, emitter_type(em, b->dtype), index_value_pointer(em, b, f), NULL);
    return load_wide(em, b, NULL, f);
}

/* ---- loads ---- */

static void load_key(struct emitter *em, const struct buffer *b, const struct form *f, uint64_t key[MEMO_WORDS])
{
    struct form symbols = *f;
    symbols.base = 0;
    const struct frame *fr = em->frame;
    uint64_t loop = fr->scopes[fr->scopes[fr->nscopes - 1].loop].serial;
    key[0] = 'l' | (uint64_t)em->lanes.width << 8 | (uint64_t)em->lanes.count << 16 | (uint64_t)f->lane << 24;
    key[6] = (uint64_t)f->outer << 8 | (uint64_t)em->lanes.inner;
    key[1] = (uint64_t)(uintptr_t)index_value_pointer(em, b, &symbols);
    key[2] = (uint64_t)f->base;
    key[3] = (uint64_t)(uintptr_t)em->when;
    key[4] = (uint64_t)(uintptr_t)em->mask;
    key[5] = em->written[b->id] ? em->versions[b->id] << 32 | loop : 0;
}

/* Every lane has its own copy of the elements, side by side. */
static bool is_private(const struct emitter *em, const struct buffer *b)
{
    return em->lanes.width > 1 && em->frame->privates[b->id] > 1;
}

static struct cell load_cell(struct emitter *em, const struct buffer *b, const struct affine *index,
                             const struct form *f)
{
    struct cell c = {.wide = em->lanes.width > 1 && (!f || index_value_is_wide(f))};
    if (is_private(em, b)) {
        c.wide = true;
        c.v = LLVMBuildLoad2(em->builder, emitter_wide(em, emitter_type(em, b->dtype)), index_value_pointer(em, b, f),
                             "");
        LLVMSetAlignment(c.v, (unsigned)dtype_bytes(b->dtype));
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(c.v)); /* what a load that is not to be made gives */
        c.v = em->when ? LLVMBuildSelect(em->builder, em->when, c.v, zero, "") : c.v;
        c.v = em->mask ? LLVMBuildSelect(em->builder, em->mask, c.v, zero, "") : c.v;
    } else if (c.wide) {
        c.v = load_wide(em, b, index, f);
    } else {
        LLVMValueRef when = em->when;
        if (em->mask)
            when = emitter_and(em, when, any_lane(em, em->mask));
        c.v = load_one(em, b, f, when);
    }
    return c;
}

struct cell emit_load(struct emitter *em, const struct buffer *b, const struct affine *index)
{
    struct form f;
    struct cell c;
    uint64_t key[MEMO_WORDS];
    bool even = index_value_offset(em, b, index, &f);
    if (em->failed || (!even && em->lanes.width == 1)) {
        emitter_fail(em, "an index of '%s' cannot be computed", b->name);
        return (struct cell){.v = LLVMGetPoison(emitter_type(em, b->dtype))};
    }
    if (is_private(em, b) && (!even || index_value_is_wide(&f)))
        emitter_fail(em, "the lanes of '%s' do not keep to themselves", b->name);
    if (even && register_tile_get(em, b, &f, &c))
        return c;
    if (even) {
        load_key(em, b, &f, key);
        c = (struct cell){.v = memo_find(em, key),
                          .wide = em->lanes.width > 1 && (index_value_is_wide(&f) || is_private(em, b))};
        if (c.v)
            return c;
    }
    c = load_cell(em, b, index, even ? &f : NULL);
    if (b->dtype == DTYPE_BOOL)
        c.v = LLVMBuildICmp(em->builder, LLVMIntNE, c.v, LLVMConstNull(LLVMTypeOf(c.v)), "");
    if (even)
        memo_keep(em, key, c.v, em->frame->nscopes - 1);
    return c;
}

/* ---- stores ---- */

static void store_one(struct emitter *em, const struct buffer *b, const struct form *f, LLVMValueRef v,
                      LLVMValueRef bit)
{
    LLVMValueRef p = index_value_pointer(em, b, f);
    LLVMBasicBlockRef next = NULL;
    if (bit) {
        LLVMBasicBlockRef yes = emitter_block(em, "lane");
        next = emitter_block(em, "next");
        LLVMBuildCondBr(em->builder, bit, yes, next);
        LLVMPositionBuilderAtEnd(em->builder, yes);
    }
    LLVMSetAlignment(LLVMBuildStore(em->builder, v, p), (unsigned)dtype_bytes(b->dtype));
    if (next) {
        LLVMBuildBr(em->builder, next);
        LLVMPositionBuilderAtEnd(em->builder, next);
    }
}

static void store_runs(struct emitter *em, const struct buffer *b, const struct form *forms, LLVMValueRef v)
{
    LLVMValueRef pick[64];
    for (int i = 0, n; i < em->lanes.count; i += n) {
        n = run_length(em, forms, i);
        if (n < 2 || em->mask) {
            n = 1;
            LLVMValueRef one = LLVMBuildExtractElement(em->builder, v, emitter_i32(em, i), "");
            store_one(em, b, &forms[i], one, lane_bit(em, em->mask, i));
            continue;
        }
        for (int k = 0; k < n; k++)
            pick[k] = emitter_i32(em, i + k);
        LLVMValueRef which = LLVMConstVector(pick, (unsigned)n);
        store_one(em, b, &forms[i], LLVMBuildShuffleVector(em->builder, v, LLVMGetPoison(LLVMTypeOf(v)), which, ""),
                  NULL);
    }
}

/* index: only used when there is no form. */
static void store_wide(struct emitter *em, const struct buffer *b, const struct affine *index, const struct form *f,
                       LLVMValueRef v)
{
    struct form forms[64];
    if (f && index_value_is_contiguous(em, f))
        emit_write(em, emitter_type(em, b->dtype), index_value_pointer(em, b, f), v, em->mask);
    else if (lane_forms(em, b, index, f, forms))
        store_runs(em, b, forms, v);
    else
        emitter_fail(em, "the lanes of '%s' cannot be told apart", b->name);
}

void emit_store_at(struct emitter *em, const struct buffer *b, const struct form *f, LLVMValueRef v)
{
    if (em->lanes.width == 1)
        store_one(em, b, f, v, NULL);
    else if (em->frame->privates[b->id] > 1)
        emit_write(em, emitter_type(em, b->dtype), index_value_pointer(em, b, f), v, NULL);
    else
        store_wide(em, b, NULL, f, v);
}

void emit_store(struct emitter *em, const struct buffer *b, const struct affine *index, struct cell value)
{
    struct form f;
    LLVMTypeRef element = emitter_type(em, b->dtype);
    bool even = index_value_offset(em, b, index, &f);
    if (em->failed)
        return;
    if (even && register_tile_set(em, b, &f, value))
        return;
    em->versions[b->id]++;
    LLVMValueRef v = emitter_widen(em, value);
    if (b->dtype == DTYPE_BOOL)
        v = LLVMBuildZExt(em->builder, v, emitter_wide(em, element), "");
    if (em->lanes.width == 1) {
        LLVMSetAlignment(LLVMBuildStore(em->builder, v, index_value_pointer(em, b, &f)),
                         (unsigned)dtype_bytes(b->dtype));
        return;
    }
    if (is_private(em, b) && (!even || index_value_is_wide(&f)))
        emitter_fail(em, "the lanes of '%s' do not keep to themselves", b->name);
    else if (is_private(em, b))
        emit_write(em, element, index_value_pointer(em, b, &f), v, em->mask);
    else
        store_wide(em, b, index, even ? &f : NULL, v);
}

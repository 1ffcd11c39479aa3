/* SPDX-License-Identifier: Apache-2.0 */
/* vector_access: consecutive elements are one vector load, one element for all lanes is a scalar load, elements 2 or 3
 * apart are whole registers and shuffles. The rest is cut into runs of consecutive elements, which are put together
 * lane by lane.
 *
 * A load that must not be made reads zeros from a constant: a select of the address, no branch. */
#include "targets/cpu/emit/vector_access.h"

#include "harness/program/ir/dtype.h"

static unsigned element_bytes(const struct emitter *em, LLVMTypeRef t)
{
    return t == em->f32 || t == em->i32 ? 4 : t == em->f64 || t == em->i64 ? 8 : 1;
}

static LLVMValueRef mask_or_all(struct emitter *em, LLVMValueRef mask)
{
    return mask ? mask : LLVMConstAllOnes(LLVMVectorType(em->i1, (unsigned)em->lanes.width));
}

static LLVMValueRef vector_load(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef mask)
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

void vector_store(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef v, LLVMValueRef mask)
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

/* p, or the address of the zeros if the condition does not hold. */
static LLVMValueRef safe_pointer(struct emitter *em, LLVMValueRef p, LLVMValueRef when)
{
    return when ? LLVMBuildSelect(em->builder, when, p, em->zeros, "") : p;
}

LLVMValueRef access_load_one(struct emitter *em, const struct buffer *b, const struct index_value *ix,
                             LLVMValueRef when)
{
    LLVMTypeRef t = emitter_type(em, b->dtype);
    LLVMValueRef v = LLVMBuildLoad2(em->builder, t, safe_pointer(em, index_value_pointer(em, b, ix), when), "");
    LLVMSetAlignment(v, (unsigned)dtype_bytes(b->dtype));
    return v;
}

/* n consecutive elements from ix on, read under em->condition. */
static LLVMValueRef load_run(struct emitter *em, const struct buffer *b, const struct index_value *ix, int n)
{
    LLVMTypeRef type = LLVMVectorType(emitter_type(em, b->dtype), (unsigned)n);
    LLVMValueRef p = safe_pointer(em, index_value_pointer(em, b, ix), em->condition);
    LLVMValueRef v = LLVMBuildLoad2(em->builder, type, p, "");
    LLVMSetAlignment(v, (unsigned)dtype_bytes(b->dtype));
    return v;
}

/* ---- lanes whose elements are not consecutive ---- */

/* The index of every lane by itself. ix: what they have in common, or NULL if that is no index value. */
static bool indices_of_lanes(struct emitter *em, const struct buffer *b, const struct affine *index,
                             const struct index_value *ix, struct index_value *out)
{
    bool fine = true;
    for (int i = 0, n = em->lanes.count; i < n && fine; i++) {
        if (ix) {
            out[i] = *ix;
            out[i].base += index_value_lane(em, ix, i);
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

/* out with its n elements from `first` on taken from the vector v. */
static LLVMValueRef insert_run(struct emitter *em, LLVMValueRef out, int first, LLVMValueRef v, int n)
{
    LLVMValueRef pick[LANES_MAX];
    LLVMTypeRef type = LLVMTypeOf(v);
    int width = em->lanes.width;
    for (int i = 0; i < width; i++)
        pick[i] = i >= first && i < first + n ? emitter_i32(em, i - first) : LLVMGetPoison(em->i32);
    LLVMValueRef wide =
        LLVMBuildShuffleVector(em->builder, v, LLVMGetPoison(type), LLVMConstVector(pick, (unsigned)width), "");
    for (int i = 0; i < width; i++)
        pick[i] = emitter_i32(em, i >= first && i < first + n ? width + i : i);
    return LLVMBuildShuffleVector(em->builder, out, wide, LLVMConstVector(pick, (unsigned)width), "");
}

/* How many lanes from `first` on have consecutive elements. */
static int run_length(const struct emitter *em, const struct index_value *lanes, int first)
{
    int n = 1;
    while (first + n < em->lanes.count && index_value_same_symbols(&lanes[first], &lanes[first + n]) &&
           lanes[first + n].base == lanes[first].base + n)
        n++;
    return n;
}

static LLVMValueRef load_runs(struct emitter *em, const struct buffer *b, const struct index_value *lanes)
{
    LLVMTypeRef element = emitter_type(em, b->dtype);
    LLVMValueRef out = LLVMGetPoison(LLVMVectorType(element, (unsigned)em->lanes.width));
    for (int i = 0, n; i < em->lanes.count; i += n) {
        n = run_length(em, lanes, i);
        if (n < 2 || em->mask) {
            LLVMValueRef when = emitter_and(em, em->condition, lane_bit(em, em->mask, i));
            LLVMValueRef one = access_load_one(em, b, &lanes[i], when);
            out = LLVMBuildInsertElement(em->builder, out, one, emitter_i32(em, i), "");
            n = 1;
        } else {
            out = insert_run(em, out, i, load_run(em, b, &lanes[i], n), n);
        }
    }
    return out;
}

/* Lanes 2 or 3 elements apart, no mask: whole registers, the last one ending with the last lane, and shuffles. */
static LLVMValueRef load_strided(struct emitter *em, const struct buffer *b, const struct index_value *ix)
{
    int w = em->lanes.width, count = em->lanes.count, stride = (int)ix->lane, span = stride * (count - 1) + 1;
    LLVMTypeRef type = LLVMVectorType(emitter_type(em, b->dtype), (unsigned)w);
    LLVMValueRef out = LLVMGetPoison(type), pick[LANES_MAX];
    for (int start = 0; start < span; start += w) {
        int at = start + w <= span ? start : span - w; /* what lies before start was taken already */
        struct index_value from = *ix;
        from.base += at;
        LLVMValueRef v = load_run(em, b, &from, w);
        for (int i = 0; i < w; i++) {
            int e = i * stride;
            pick[i] = emitter_i32(em, i < count && e >= start && e < start + w ? w + e - at : i);
        }
        out = LLVMBuildShuffleVector(em->builder, out, v, LLVMConstVector(pick, (unsigned)w), "");
    }
    return out;
}

/* Two loops as one vector loop: what one iteration of the outer loop reads, repeated for every iteration of it. */
static LLVMValueRef load_repeated(struct emitter *em, const struct buffer *b, const struct index_value *ix)
{
    int inner = em->lanes.inner, width = em->lanes.width;
    LLVMValueRef v = load_run(em, b, ix, inner), pick[LANES_MAX];
    for (int i = 0; i < width; i++)
        pick[i] = emitter_i32(em, i % inner);
    LLVMValueRef which = LLVMConstVector(pick, (unsigned)width);
    return LLVMBuildShuffleVector(em->builder, v, LLVMGetPoison(LLVMTypeOf(v)), which, "");
}

LLVMValueRef access_load_lanes(struct emitter *em, const struct buffer *b, const struct affine *index,
                               const struct index_value *ix)
{
    struct index_value lanes[LANES_MAX];
    int w = em->lanes.width;
    if (ix && index_value_is_contiguous(em, ix)) {
        LLVMValueRef p = safe_pointer(em, index_value_pointer(em, b, ix), em->condition);
        return vector_load(em, emitter_type(em, b->dtype), p, em->mask);
    }
    if (ix && !em->mask && ix->lane == 1 && ix->outer == 0)
        return load_repeated(em, b, ix);
    bool near = ix && !em->lanes.inner && (ix->lane == 2 || ix->lane == 3);
    if (near && !em->mask && w >= 8 && ix->lane * (em->lanes.count - 1) + 1 >= w)
        return load_strided(em, b, ix);
    if (!indices_of_lanes(em, b, index, ix, lanes)) {
        emitter_fail(em, "the lanes of '%s' cannot be distinguished", b->name);
        return LLVMGetPoison(emitter_wide(em, emitter_type(em, b->dtype)));
    }
    return load_runs(em, b, lanes);
}

/* ---- stores ---- */

/* One value at ix; bit (NULL: true): whether it is stored at all, a branch. */
static void store_under(struct emitter *em, const struct buffer *b, const struct index_value *ix, LLVMValueRef v,
                        LLVMValueRef bit)
{
    LLVMValueRef p = index_value_pointer(em, b, ix);
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

static void store_runs(struct emitter *em, const struct buffer *b, const struct index_value *lanes, LLVMValueRef v)
{
    LLVMValueRef pick[LANES_MAX];
    for (int i = 0, n; i < em->lanes.count; i += n) {
        n = run_length(em, lanes, i);
        if (n < 2 || em->mask) {
            n = 1;
            LLVMValueRef one = LLVMBuildExtractElement(em->builder, v, emitter_i32(em, i), "");
            store_under(em, b, &lanes[i], one, lane_bit(em, em->mask, i));
            continue;
        }
        for (int k = 0; k < n; k++)
            pick[k] = emitter_i32(em, i + k);
        LLVMValueRef which = LLVMConstVector(pick, (unsigned)n);
        LLVMValueRef run = LLVMBuildShuffleVector(em->builder, v, LLVMGetPoison(LLVMTypeOf(v)), which, "");
        store_under(em, b, &lanes[i], run, NULL);
    }
}

void access_store_lanes(struct emitter *em, const struct buffer *b, const struct affine *index,
                        const struct index_value *ix, LLVMValueRef v)
{
    struct index_value lanes[LANES_MAX];
    if (ix && index_value_is_contiguous(em, ix))
        vector_store(em, emitter_type(em, b->dtype), index_value_pointer(em, b, ix), v, em->mask);
    else if (indices_of_lanes(em, b, index, ix, lanes))
        store_runs(em, b, lanes, v);
    else
        emitter_fail(em, "the lanes of '%s' cannot be distinguished", b->name);
}

/* ---- without condition and mask ---- */

bool access_is_private(const struct emitter *em, const struct buffer *b)
{
    return em->lanes.width > 1 && em->frame->copies[b->id] > 1;
}

LLVMValueRef access_load(struct emitter *em, const struct buffer *b, const struct index_value *ix)
{
    if (em->lanes.width == 1)
        return access_load_one(em, b, ix, NULL);
    if (access_is_private(em, b))
        return vector_load(em, emitter_type(em, b->dtype), index_value_pointer(em, b, ix), NULL);
    return access_load_lanes(em, b, NULL, ix);
}

void access_store(struct emitter *em, const struct buffer *b, const struct index_value *ix, LLVMValueRef v)
{
    if (em->lanes.width == 1)
        store_under(em, b, ix, v, NULL);
    else if (access_is_private(em, b))
        vector_store(em, emitter_type(em, b->dtype), index_value_pointer(em, b, ix), v, NULL);
    else
        access_store_lanes(em, b, NULL, ix, v);
}

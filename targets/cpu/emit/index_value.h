/* SPDX-License-Identifier: Apache-2.0 */
/* index_value: an affine index of the nest at the point of emission (struct index_value of emitter.h). Loops that were
 * unrolled are numbers in it, loops that run are symbols, the vector loop is the lane. Divisions and remainders
 * simplify by what is known there, or become symbols. */
#pragma once
#include "targets/cpu/emitter.h"

/* True if the lanes have different values. */
static inline bool index_value_is_wide(const struct index_value *ix)
{
    return ix->lane || ix->outer;
}
/* What ix adds for one lane. */
static inline int64_t index_value_lane(const struct emitter *em, const struct index_value *ix, int lane)
{
    int inner = em->lanes.inner ? em->lanes.inner : LANES_MAX;
    return ix->lane * (lane % inner) + ix->outer * (lane / inner);
}
/* True if consecutive vector lanes address consecutive elements, so one vector load suffices. */
static inline bool index_value_is_contiguous(const struct emitter *em, const struct index_value *ix)
{
    return ix->lane == 1 && ix->outer == em->lanes.inner;
}

/* Between begin and end, code is scalar and for one of the lanes. */
struct index_value_saved {
    struct lanes lanes;
    struct binding lane, outer;
};
struct index_value_saved index_value_begin_lane(struct emitter *em, int lane);
void index_value_end_lane(struct emitter *em, const struct index_value_saved *saved);

/* False: a is not start + stride * lane over the lanes, or has too many terms (then em->failed). */
bool index_value_resolve(struct emitter *em, struct affine a, struct index_value *out);
/* Offset, in elements, of buffer[index] from the start of its storage. False as index_value_resolve. */
bool index_value_offset(struct emitter *em, const struct buffer *b, const struct affine *index,
                        struct index_value *out);
/* Bounds over all lanes and symbols, inclusive. */
void index_value_range(const struct emitter *em, const struct index_value *ix, int64_t *lo, int64_t *hi);
bool index_value_equal(const struct index_value *a, const struct index_value *b);
/* True if a and b differ by a constant only. */
bool index_value_same_symbols(const struct index_value *a, const struct index_value *b);
/* ix += times * other */
void index_value_add(struct emitter *em, struct index_value *ix, const struct index_value *other, int64_t times);
/* The innermost scope that its symbols need. */
int index_value_scope(const struct emitter *em, const struct index_value *ix);
/* All but what differs between lanes, as an i64, computed in the header of the loop that it varies with. */
LLVMValueRef index_value_scalar(struct emitter *em, const struct index_value *ix);
/* The address of element ix (lane 0) of a buffer. */
LLVMValueRef index_value_pointer(struct emitter *em, const struct buffer *b, const struct index_value *ix);

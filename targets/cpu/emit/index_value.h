/* SPDX-License-Identifier: Apache-2.0 */
/* index_value: what an affine index of the nest is at the point of emission: loops that were unrolled are numbers,
 * loops that run are symbols, the vector loop is the lane. Divs and mods simplify with what is now known, or become
 * symbols. */
#pragma once
#include "targets/cpu/emit/emitter.h"

static inline bool index_value_is_wide(const struct form *f)
{
    return f->lane || f->outer;
}
/* What the form adds for one lane. */
static inline int64_t index_value_lane(const struct emitter *em, const struct form *f, int lane)
{
    int inner = em->lanes.inner ? em->lanes.inner : 64;
    return f->lane * (lane % inner) + f->outer * (lane / inner);
}
/* From lane to lane one more. */
static inline bool index_value_is_contiguous(const struct emitter *em, const struct form *f)
{
    return f->lane == 1 && f->outer == em->lanes.inner;
}

/* Scalar code for one of the lanes in force, between begin and end. */
struct index_value_saved {
    struct lanes lanes;
    struct binding lane, outer;
};
struct index_value_saved index_value_begin_lane(struct emitter *em, int lane);
void index_value_end_lane(struct emitter *em, const struct index_value_saved *saved);

/* False: the value is not start + stride * lane over the lanes in force (or has too many terms, see em->failed). */
bool index_value_resolve(struct emitter *em, struct affine a, struct form *out);
/* Offset, in elements, of buffer[index] from the start of its storage. */
bool index_value_offset(struct emitter *em, const struct buffer *b, const struct affine *index, struct form *out);
void index_value_range(const struct emitter *em, const struct form *f, int64_t *lo,
                       int64_t *hi); /* inclusive, all lanes */
bool index_value_equal(const struct form *a, const struct form *b);
bool index_value_same_symbols(const struct form *a, const struct form *b); /* they differ by a constant, lanes alike */
void index_value_add(struct emitter *em, struct form *f, const struct form *g, int64_t times);
int index_value_scope(const struct emitter *em, const struct form *f); /* the innermost scope its symbols need */
/* The scalar part (all but the lane) as an i64, computed in the header of the loop that it varies with. */
LLVMValueRef index_value_value(struct emitter *em, const struct form *f);
/* base + 4-byte or whatever elements: the address of element f (lane 0) of a buffer. */
LLVMValueRef index_value_pointer(struct emitter *em, const struct buffer *b, const struct form *f);

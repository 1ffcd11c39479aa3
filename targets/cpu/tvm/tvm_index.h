/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_index: index forms of the nest as 32-bit arithmetic. The numbers of unrolled loops are put in first, and the form
 * simplifies by them. */
#pragma once
#include "targets/cpu/tvm/tvm_emitter.h"

/* How an index changes over the lanes of a vector loop. */
enum tvm_lane_pattern {
    TVM_SAME,   /* not at all */
    TVM_RAMP,   /* by the same number from lane to lane */
    TVM_SCATTER /* in any other way: one index a lane */
};
struct tvm_index {
    struct affine form; /* without what a ramp adds */
    enum tvm_lane_pattern pattern;
    int64_t stride; /* RAMP: elements from lane to lane, not 0 */
};

/* The form with all constants put in. */
struct affine tvm_index_known(struct tvm_emitter *em, struct affine f);
struct tvm_index tvm_index_make(struct tvm_emitter *em, struct affine f);
/* Offset, in elements, of buffer[index] from the start of its storage. */
struct tvm_index tvm_index_offset(struct tvm_emitter *em, const struct buffer *b, const struct affine *index);
/* The form of one lane. */
struct affine tvm_index_lane(struct tvm_emitter *em, const struct tvm_index *ix, int lane);
/* A form without lanes, as an i32; i64 when it may be larger. */
LLVMValueRef tvm_index_value(struct tvm_emitter *em, struct affine f);
/* The index of every lane as a vector of i32, or one i32 where it is TVM_SAME. */
LLVMValueRef tvm_index_vector(struct tvm_emitter *em, const struct tvm_index *ix);
/* Counts the arithmetic of an access at this index, for what is common in the region (tvm_common.h). */
void tvm_index_use(struct tvm_emitter *em, const struct tvm_index *ix);

/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_index: index forms as C, and what is known of them. */
#pragma once
#include "targets/gpu/gpu_emitter.h"

/* Element number of an access within the buffer's storage, before virtual threads and unrolled loops are numbers. */
struct affine gpu_index_relative(struct gpu_emitter *em, const struct buffer *b, const struct affine *index);
/* The same now: unrolled loops and virtual threads are numbers, and the copy of the virtual thread is found. */
struct affine gpu_index_now(struct gpu_emitter *em, const struct buffer *b, const struct affine *index);
struct affine gpu_index_known(struct gpu_emitter *em, struct affine f);
/* As C, in 32 bits where its values and those it is made of fit, else in 64. */
void gpu_index_text(struct gpu_emitter *em, struct affine f, struct text *out);

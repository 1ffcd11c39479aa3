/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_sketch: the design space in which a product of float16 matrices is computed by tensor cores, after
 * MetaSchedule's MultiLevelTilingTensorCore (TVM v0.16, DefaultCUDATensorCore): blocks of 16x16x16, which a warp
 * computes together, tiled SSSRRSRS with the outer levels bound to blockIdx.y, blockIdx.x and threadIdx.y. */
#pragma once
#include "search/sketch/space.h"

enum { TENSOR_INNERMOST = 4 }; /* tiles of TENSOR_TILE: max_innermost_factor */

/* A sum of products of float16 factors in float32 that is a product of matrices when its axes are fused
 * (harness/program/schedule/reindex.h; a convolution is), of at most two batch axes, with stages that can be inlined in
 * front (padding), element-wise stages behind, or none. Extents that are no multiples of 16 are padded with zeros.
 * False: the task is nothing like this, or has more. */
bool tensor_sketch_make(struct arena *a, struct factors *f, const struct task *task, struct sketch *out);
/* Whether it is one of these. */
bool tensor_sketch_is(const struct sketch *k);
/* Whether the stage is copied by all threads of a block; *first: its first loop that is not bound. */
bool tensor_sketch_copies(const struct sketch *k, int stage, int *first);
/* Gives the loops of the copies to threads; lanes: of the vector of each stage's copy, where they divide it. */
MUST_CHECK bool tensor_sketch_bind(const struct sketch *k, int64_t warp, const int64_t *lanes, struct state *s,
                                   struct err *err);

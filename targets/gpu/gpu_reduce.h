/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_reduce: how the threads along threadIdx.x combine their values to one, in the three forms of TVM v0.16's
 * LowerThreadAllreduce (tir/transforms/lower_thread_allreduce.cc). A group is the threads of one threadIdx.y and z. */
#pragma once
#include "targets/gpu/gpu_emitter.h"

enum gpu_reduction {
    GPU_LANES,  /* from lane to lane of one warp, without memory: X divides 32, or one group of less */
    GPU_WARPS,  /* X is a multiple of 32: each warp from lane to lane, then the first one over what the warps have */
    GPU_HALVES, /* in shared memory; always so where the dialect has no shuffles, or for values of less than 4 bytes */
};
enum gpu_reduction gpu_reduction_form(const struct gpu_emitter *em, enum dtype t);
/* Lines after which `value`, a private element of each thread as text, is combined over its group by the reducer of s,
 * the store that takes it. again: these lines may run more than once. All threads of the block must come here. */
void gpu_reduce(struct gpu_emitter *em, const struct stmt *s, const char *value, bool again);

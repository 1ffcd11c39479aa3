/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_verify: what a GPU kernel may take of a block: threads, shared and local memory, virtual threads, bytes of a
 * vector (TVM: VerifyGPUCode). */
#pragma once
#include "harness/program/ir/nest.h"
#include "harness/program/schedule/limits.h"

/* TVM's numbers for CUDA, sm_70 and later (harness/doc/ansor.md, "Hardware limits"). */
static inline struct limits limits_cuda(void)
{
    return (struct limits){.cores = -1,
                           .vector_bytes = 16,
                           .cache_line = 64,
                           .shared_bytes = 48 << 10,
                           .local_bytes = INT32_MAX,
                           .threads_per_block = 1024,
                           .vthread_extent = 8,
                           .warp_size = 32,
                           .is_gpu = true};
}
/* Every kernel of the nest, which is a loop over blocks or threads that no other one holds. False: one takes too much,
 * with what and how much. */
MUST_CHECK bool gpu_verify(const struct nest *n, const struct limits *limits, struct err *err);

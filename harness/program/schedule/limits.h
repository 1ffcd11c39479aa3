/* SPDX-License-Identifier: Apache-2.0 */
/* limits: what the schedule space must know of the hardware (harness/doc/ansor.md, "Hardware limits"). Field order is
 * that of TVM's records.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct limits {
    int64_t cores;        /* CPU threads that kernels may use; -1 on GPUs */
    int64_t vector_bytes; /* 64 on CPU, 16 on GPU */
    int64_t cache_line;   /* 64 */
    int64_t shared_bytes, local_bytes, threads_per_block, vthread_extent, warp_size; /* GPU; 0 on CPU */
    bool is_gpu; /* a target says so in open; the searchers then use the sketch rules of GPUs */
};

/* TVM's numbers for CPUs, with the given thread count. */
static inline struct limits limits_cpu(int64_t cores)
{
    return (struct limits){.cores = cores, .vector_bytes = 64, .cache_line = 64};
}

/* TVM's numbers for CUDA, sm_70 and later (harness/doc/ansor.md, "Hardware limits"): 48 KiB of shared memory and 1,024
 * threads a block, warps of 32, a quarter of a warp as virtual threads. */
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

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
    bool is_gpu;
};

/* TVM's numbers for CPUs, with the given thread count. */
static inline struct limits limits_cpu(int64_t cores)
{
    return (struct limits){.cores = cores, .vector_bytes = 64, .cache_line = 64};
}

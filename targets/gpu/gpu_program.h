/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_program: what a loop nest becomes on a GPU: source text, its kernels in the order in which they run, the tensors
 * that they take. It travels from the build worker to the runner as one piece of memory, with the source or what a
 * vendor's compiler made of it. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { GPU_KERNEL_TENSORS = 32, GPU_KERNELS = 64, GPU_TENSORS = 128 };

struct gpu_tensor { /* in global memory */
    int64_t bytes;
    int64_t arg; /* number of the task's argument, or -1: room for what one kernel hands to another */
};
struct gpu_kernel { /* its name is kernel_N, N its position */
    int64_t blocks[3], threads[3];
    int64_t shared_bytes;
    int32_t ntensors, tensors[GPU_KERNEL_TENSORS]; /* the kernel's parameters */
};
struct gpu_program {
    int32_t nkernels, ntensors;
    struct gpu_kernel kernels[GPU_KERNELS];
    struct gpu_tensor tensors[GPU_TENSORS];
};

/* The program and n bytes of code as one piece, malloc'd, *size bytes; NULL: out of memory. */
void *gpu_program_pack(const struct gpu_program *p, const void *code, size_t n, size_t *size);
/* The reverse; code points into bytes. False: not such a piece. */
MUST_CHECK bool gpu_program_unpack(const void *bytes, size_t size, struct gpu_program *p, const void **code, size_t *n,
                                   struct err *err);
/* The tensor that is the task's last argument: its result. */
int gpu_program_output(const struct gpu_program *p);

/* What of the host's a loaded program's tensors hold copies of. At first all zero. */
struct gpu_copied {
    const void *of[GPU_TENSORS];
};
/* Must the tensor be copied from its argument before the next call? An input must once, as long as the argument is the
 * same (target.h, copies_arguments), the result always, and a tensor that is no argument never. Taken as done. */
bool gpu_copied_differs(struct gpu_copied *c, const struct gpu_program *p, int tensor, void *const *args);

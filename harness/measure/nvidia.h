/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia: the GPUs that NVIDIA's driver knows here, for doctor. Asked through NVML (libnvidia-ml.so.1), or through the
 * CUDA driver (libcuda.so.1) where that is missing, as on older Jetsons. Both come with the driver and are opened when
 * asked for: nothing is linked. */
#pragma once
#include "harness/base/err.h"

#include <stdbool.h>

enum { NVIDIA_GPUS = 16 };
struct nvidia_gpu {
    char name[112];    /* as the driver says it; " MIG" is added where a GPU is in slices */
    double memory_gib; /* 0: not known, as of a GPU that shares the main memory */
    int capability[2]; /* compute capability, {8, 0}; {0, 0}: not known */
};
struct nvidia {
    char driver[80]; /* "" not known */
    struct nvidia_gpu gpus[NVIDIA_GPUS];
    int n; /* more are left out */
};
/* false: no driver, or one that does not answer, and why. */
MUST_CHECK bool nvidia_probe(struct nvidia *out, struct err *err);

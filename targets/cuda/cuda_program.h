/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_program: a GPU program loaded on a device, with memory for its tensors. Functions answer an outcome; message
 * says what failed, in the driver's words. An error that stays in the context is OUTCOME_CRASHED, whatever was asked.
 */
#pragma once
#include "harness/plug/sample.h"
#include "targets/cuda/cuda_device.h"
#include "targets/gpu/gpu_program.h"

struct cuda_program {
    struct gpu_program plan;
    void *module, *functions[GPU_KERNELS];
    uint64_t memory[GPU_TENSORS]; /* 0: none yet */
    struct gpu_copied copied;
};

/* code: what NVRTC made. OUTCOME_OVER_LIMITS: a block that the compiled kernel's registers do not allow. p may hold
 * parts after a failure; cuda_program_unload frees them. */
enum outcome cuda_program_load(struct cuda_device *d, struct cuda_program *p, const void *code,
                               char message[SAMPLE_MESSAGE]);
void cuda_program_unload(struct cuda_device *d, struct cuda_program *p);

/* Arguments to the device, number calls (each all kernels in order) between two events, the result back. */
struct cuda_run {
    void *const *args; /* the task's, result last */
    int number;
    bool flush; /* the caches, before the first call */
};
enum outcome cuda_program_run(struct cuda_device *d, struct cuda_program *p, const struct cuda_run *run,
                              double *seconds, char message[SAMPLE_MESSAGE]);

/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_parts: what target cuda and its collectors need, part by part, for doctor: the driver, its first GPU, NVRTC,
 * CUPTI, NVML. The driver is not started in this process, and the first GPU not asked again by it. */
#pragma once
#include <stdbool.h>

enum { CUDA_PARTS = 5 };
struct cuda_part {
    const char *name;
    bool works;
    char about[320]; /* its version and kind, or why it is absent */
};
void cuda_parts(struct cuda_part out[CUDA_PARTS]);

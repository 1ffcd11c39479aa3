/* SPDX-License-Identifier: Apache-2.0 */
/* nvml: clocks, temperature, power and throttle reasons of a GPU, as NVIDIA's management library tells them. Opened
 * when it is first asked for; typed in as the NVML API reference gives it, so no header is needed to build. Unlike the
 * CUDA driver it may be used before a fork. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/json.h"

#include <stdint.h>

struct nvml_api;
struct nvml_gpu {
    const struct nvml_api *api;
    void *device;
};
/* NAN: not known, as by slices of a GPU (MIG) and by some Jetsons. */
struct nvml_state {
    double sm_mhz, memory_mhz, sm_most_mhz, memory_most_mhz; /* now, and at most */
    double temperature_c, power_w, power_limit_w;
    double throttle; /* bits of nvmlClocksThrottleReason; 0: none */
};

/* bus: the GPU's PCI address as the CUDA driver tells it; "": the first GPU. False: no NVML, or it does not know the
 * GPU; and why. */
MUST_CHECK bool nvml_open(struct nvml_gpu *n, const char *bus, struct err *err);
void nvml_read(const struct nvml_gpu *n, struct nvml_state *out);
void nvml_close(struct nvml_gpu *n);
/* "power limit, heat"; "none" of what slows a kernel down. Being idle is no reason. In room. */
const char *nvml_throttle_words(double throttle, char *room, size_t n);
/* Version of the driver, "550.54.14"; "" not known. */
void nvml_driver(const struct nvml_gpu *n, char *room, size_t size);
/* Puts what is known under gpu_clock_mhz and so on. */
void nvml_describe(const struct nvml_state *s, cJSON *object);

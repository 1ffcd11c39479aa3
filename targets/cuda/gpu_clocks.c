/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_clocks: the collector of what NVML tells of the GPU right after the calls: clocks, temperature, power, and what
 * holds the clocks back. */
#include "harness/plug/collector.h"
#include "targets/cuda/cuda_device.h"
#include "targets/cuda/nvml.h"

#include <math.h>
#include <stdio.h>

struct gpu_clocks {
    struct nvml_gpu nvml;
};

static bool clocks_open(void *self, struct err *err)
{
    struct gpu_clocks *g = self;
    const struct cuda_device *d = cuda_device_current();
    g->nvml.api = NULL; /* not for other targets: their runners may not start a driver */
    return d ? nvml_open(&g->nvml, d->traits.bus, err) : err_set(err, "it counts in runs of target cuda only");
}

static void put(struct counter *c, const char *name, double value)
{
    *c = counter_of(name, value);
    c->level = true;
    c->present = !isnan(value);
    if (!c->present)
        snprintf(c->reason, sizeof c->reason, "NVML does not tell it of this GPU");
}

/* gpu_throttle_reasons: bits of nvmlClocksThrottleReasons, 1 being idle. */
static bool clocks_stop(void *self, struct counter *out, int *n, struct err *err)
{
    const struct gpu_clocks *g = self;
    struct nvml_state s;
    (void)err;
    nvml_read(&g->nvml, &s);
    put(&out[0], "gpu_clock_mhz", s.sm_mhz);
    put(&out[1], "gpu_memory_clock_mhz", s.memory_mhz);
    put(&out[2], "gpu_temperature_c", s.temperature_c);
    put(&out[3], "gpu_power_w", s.power_w);
    put(&out[4], "gpu_power_limit_w", s.power_limit_w);
    put(&out[5], "gpu_throttle_reasons", s.throttle);
    *n = 6;
    return true;
}

static void clocks_close(void *self)
{
    struct gpu_clocks *g = self;
    nvml_close(&g->nvml);
}

extern const struct collector collector_gpu_clocks;
const struct collector collector_gpu_clocks = {
    .name = "gpu_clocks",
    .summary = "clocks, temperature, power and throttle reasons of the GPU, by NVML",
    .state_size = sizeof(struct gpu_clocks),
    .open = clocks_open,
    .stop = clocks_stop,
    .close = clocks_close,
};

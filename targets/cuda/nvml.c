/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 }; /* nvmlClockType_t, nvmlTemperatureSensors_t */

/* member, function, parameters */
#define NVML_FUNCTIONS(X)                                                                                              \
    X(init, "nvmlInit_v2", (void))                                                                                     \
    X(shutdown, "nvmlShutdown", (void))                                                                                \
    X(driver, "nvmlSystemGetDriverVersion", (char *version, unsigned n))                                               \
    X(by_number, "nvmlDeviceGetHandleByIndex_v2", (unsigned number, void **device))                                    \
    X(by_bus, "nvmlDeviceGetHandleByPciBusId_v2", (const char *bus, void **device))                                    \
    X(clock, "nvmlDeviceGetClockInfo", (void *device, int clock, unsigned *mhz))                                       \
    X(most_clock, "nvmlDeviceGetMaxClockInfo", (void *device, int clock, unsigned *mhz))                               \
    X(temperature, "nvmlDeviceGetTemperature", (void *device, int sensor, unsigned *celsius))                          \
    X(power, "nvmlDeviceGetPowerUsage", (void *device, unsigned *milliwatts))                                          \
    X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (void *device, unsigned *milliwatts))                            \
    X(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons", (void *device, unsigned long long *reasons))
struct nvml_api {
#define X(member, name, parameters) int(*member) parameters;
    NVML_FUNCTIONS(X)
#undef X
    const char *(*words)(int status);
};
static const char *const NAMES[] = {
#define X(member, name, parameters) name,
    NVML_FUNCTIONS(X)
#undef X
        "nvmlErrorString"};
enum { FUNCTIONS = sizeof NAMES / sizeof *NAMES };
_Static_assert(sizeof(struct nvml_api) == FUNCTIONS * sizeof(void *), "one pointer a function");

static const struct nvml_api *load(struct err *err)
{
    static union {
        struct nvml_api api;
        void *at[FUNCTIONS];
    } loaded;
    static bool done;
    void *library = done ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!done && !library) {
        err_set(err, "no NVML: %s cannot be opened (it comes with NVIDIA's driver)", LIBRARY);
        return NULL;
    }
    for (int i = 0; i < FUNCTIONS && !done; i++)
        if (!(loaded.at[i] = dlsym(library, NAMES[i]))) {
            err_set(err, "%s has no %s: the driver is too old", LIBRARY, NAMES[i]);
            return NULL;
        }
    done = true;
    return &loaded.api;
}

bool nvml_open(struct nvml_gpu *n, const char *bus, struct err *err)
{
    *n = (struct nvml_gpu){.api = load(err)};
    if (!n->api)
        return false;
    int status = n->api->init();
    if (status != 0) {
        err_set(err, "NVML does not start: %s", n->api->words(status));
        n->api = NULL;
        return false;
    }
    status = *bus ? n->api->by_bus(bus, &n->device) : n->api->by_number(0, &n->device);
    if (status == 0)
        return true;
    err_set(err, "NVML does not give the GPU: %s", n->api->words(status));
    nvml_close(n);
    return false;
}

void nvml_close(struct nvml_gpu *n)
{
    if (n->api)
        (void)n->api->shutdown();
    n->api = NULL;
}

static double told(int status, unsigned value)
{
    return status == 0 ? (double)value : NAN;
}

void nvml_read(const struct nvml_gpu *n, struct nvml_state *out)
{
    const struct nvml_api *f = n->api;
    unsigned v = 0;
    unsigned long long reasons = 0;
    int status = f->clock(n->device, CLOCK_SM, &v);
    out->sm_mhz = told(status, v);
    status = f->clock(n->device, CLOCK_MEMORY, &v);
    out->memory_mhz = told(status, v);
    status = f->most_clock(n->device, CLOCK_SM, &v);
    out->sm_most_mhz = told(status, v);
    status = f->most_clock(n->device, CLOCK_MEMORY, &v);
    out->memory_most_mhz = told(status, v);
    status = f->temperature(n->device, SENSOR_GPU, &v);
    out->temperature_c = told(status, v);
    status = f->power(n->device, &v);
    out->power_w = told(status, v) / 1e3;
    status = f->power_limit(n->device, &v);
    out->power_limit_w = told(status, v) / 1e3;
    status = f->throttle(n->device, &reasons);
    out->throttle = told(status, (unsigned)reasons);
}

void nvml_driver(const struct nvml_gpu *n, char *room, size_t size)
{
    if (n->api->driver(room, (unsigned)size) != 0)
        room[0] = 0;
}

const char *nvml_throttle_words(double throttle, char *room, size_t n)
{
    static const struct {
        unsigned bit;
        const char *words;
    } REASONS[] = {/* nvmlClocksThrottleReasons of the NVML API reference */
                   {0x2, "clocks set by a user"},  {0x4, "power limit"},     {0x8, "hardware slowdown"},
                   {0x10, "another GPU's clocks"}, {0x20, "heat"},           {0x40, "heat (hardware)"},
                   {0x80, "power brake"},          {0x100, "display clocks"}};
    size_t at = 0;
    room[0] = 0;
    if (isnan(throttle))
        snprintf(room, n, "not told");
    for (size_t i = 0; !isnan(throttle) && i < sizeof REASONS / sizeof *REASONS; i++)
        if ((uint64_t)throttle & REASONS[i].bit && at < n)
            at += (size_t)snprintf(room + at, n - at, "%s%s", at ? ", " : "", REASONS[i].words);
    if (!room[0])
        snprintf(room, n, "none");
    return room;
}

void nvml_describe(const struct nvml_state *s, cJSON *object)
{
    const struct {
        const char *name;
        double value;
    } ROWS[] = {{"gpu_clock_mhz", s->sm_mhz},
                {"gpu_clock_most_mhz", s->sm_most_mhz},
                {"gpu_memory_clock_mhz", s->memory_mhz},
                {"gpu_memory_clock_most_mhz", s->memory_most_mhz},
                {"gpu_temperature_c", s->temperature_c},
                {"gpu_power_w", s->power_w},
                {"gpu_power_limit_w", s->power_limit_w}};
    char room[160];
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (!isnan(ROWS[i].value))
            json_put_number(object, ROWS[i].name, ROWS[i].value);
    json_put_str(object, "gpu_throttle", nvml_throttle_words(s->throttle, room, sizeof room));
}

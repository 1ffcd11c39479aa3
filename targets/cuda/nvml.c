/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/nvml.h"

#include "harness/base/library.h"
#include "harness/base/text.h"
#include "targets/cuda/library_search.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 }; /* nvmlClockType_t, nvmlTemperatureSensors_t */

/* member, function, parameters; without the first NEEDED there is no NVML, a later driver may lack others */
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
    NVML_FUNCTIONS(LIBRARY_MEMBER)
    const char *(*words)(int status);
};
static const char *const NAMES[] = {NVML_FUNCTIONS(LIBRARY_NAME) "nvmlErrorString"};
enum { FUNCTIONS = sizeof NAMES / sizeof *NAMES };
_Static_assert(sizeof(struct nvml_api) == FUNCTIONS * sizeof(void *), "one pointer a function");

enum { NEEDED = 5 };

static bool find(void *library, int i, void **at, struct err *err)
{
    *at = dlsym(library, NAMES[i]);
    if (!*at && str_eq(NAMES[i], "nvmlDeviceGetCurrentClocksThrottleReasons")) /* its name since driver 535 */
        *at = dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons");
    return *at || (i >= NEEDED && i + 1 < FUNCTIONS) || err_set(err, "%s has no %s", LIBRARY, NAMES[i]);
}

static const struct nvml_api *load(struct err *err)
{
    static union {
        struct nvml_api api;
        void *at[FUNCTIONS];
    } loaded;
    static bool done;
    void *library = done ? NULL : library_search(LIBRARY);
    if (!done && !library) {
        err_set(err, "no NVML: %s cannot be opened (it comes with NVIDIA's driver)%s", LIBRARY, library_problem());
        return NULL;
    }
    for (int i = 0; i < FUNCTIONS && !done; i++)
        if (!find(library, i, &loaded.at[i], err))
            return NULL;
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

/* NAN: not known, or there is no such function. */
static double reading(int (*ask)(void *, unsigned *), void *device)
{
    unsigned value = 0;
    return ask && ask(device, &value) == 0 ? (double)value : NAN;
}

static double reading_of(int (*ask)(void *, int, unsigned *), void *device, int which)
{
    unsigned value = 0;
    return ask && ask(device, which, &value) == 0 ? (double)value : NAN;
}

void nvml_read(const struct nvml_gpu *n, struct nvml_state *out)
{
    const struct nvml_api *f = n->api;
    unsigned long long reasons = 0;
    out->sm_mhz = reading_of(f->clock, n->device, CLOCK_SM);
    out->memory_mhz = reading_of(f->clock, n->device, CLOCK_MEMORY);
    out->sm_most_mhz = reading_of(f->most_clock, n->device, CLOCK_SM);
    out->memory_most_mhz = reading_of(f->most_clock, n->device, CLOCK_MEMORY);
    out->temperature_c = reading_of(f->temperature, n->device, SENSOR_GPU);
    out->power_w = reading(f->power, n->device) / 1e3;
    out->power_limit_w = reading(f->power_limit, n->device) / 1e3;
    out->throttle = f->throttle && f->throttle(n->device, &reasons) == 0 ? (double)reasons : NAN;
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
        snprintf(room, n, "not known");
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

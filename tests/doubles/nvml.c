/* SPDX-License-Identifier: Apache-2.0 */
/* nvml: a double of NVIDIA's management library (libnvidia-ml.so.1) for tests: one GPU at the bus of
 * tests/doubles/cuda.c's, at 1410 of 1755 MHz, held back by its power limit. NVML_DOUBLE: "init" it does not start,
 * "clocks" it tells no clocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { NOT_SUPPORTED = 3, NOT_PERMITTED = 4, NOT_FOUND = 6 };
static int gpu;

static int is_told(const char *word)
{
    const char *all = getenv("NVML_DOUBLE");
    return all && strstr(all, word);
}

API int nvmlInit_v2(void)
{
    return is_told("init") ? NOT_PERMITTED : 0;
}

API int nvmlShutdown(void)
{
    return 0;
}

API const char *nvmlErrorString(int status)
{
    return status == NOT_PERMITTED ? "Insufficient Permissions" : status == NOT_FOUND ? "Not Found" : "Not Supported";
}

API int nvmlSystemGetDriverVersion(char *version, unsigned n)
{
    snprintf(version, n, "580.00.01");
    return 0;
}

API int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = 1;
    return 0;
}

API int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **device)
{
    *device = &gpu;
    return number ? NOT_FOUND : 0;
}

API int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    *device = &gpu;
    return strcmp(bus, "0000:01:00.0") == 0 ? 0 : NOT_FOUND;
}

API int nvmlDeviceGetName(void *device, char *name, unsigned n)
{
    (void)device;
    snprintf(name, n, "Double of a GPU 0");
    return 0;
}

API int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3])
{
    (void)device;
    memory[0] = memory[1] = 8ULL << 30;
    memory[2] = 0;
    return 0;
}

API int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor)
{
    (void)device;
    *major = 8;
    *minor = 0;
    return 0;
}

API int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    *mhz = clock == 1 ? 1410 : 1215;
    return is_told("clocks") ? NOT_SUPPORTED : 0;
}

API int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    *mhz = clock == 1 ? 1755 : 1215;
    return is_told("clocks") ? NOT_SUPPORTED : 0;
}

API int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    (void)device, (void)sensor;
    *celsius = 61;
    return 0;
}

API int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = 248500;
    return 0;
}

API int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = 250000;
    return 0;
}

/* The older name of the function is gone. */
API int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *reasons)
{
    (void)device;
    *reasons = 0x4 | 0x1;
    return 0;
}

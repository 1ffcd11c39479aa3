/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia: the two interfaces are typed in as NVIDIA documents them (NVML API reference, CUDA driver API): no header of
 * theirs is needed to build. Version 2 of a function is the one that drivers since 2013 have. */
#include "harness/measure/nvidia.h"

#include "harness/base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define GIB ((double)(1 << 30))

#define HINT ": the driver is too old"

/* NVML ------------------------------------------------------------------------------------------------------------ */

#define NVML "libnvidia-ml.so.1"
struct nvml_memory {
    unsigned long long total, free, used;
};
struct nvml {
    int (*init)(void), (*shutdown)(void);
    const char *(*error)(int);
    int (*driver)(char *, unsigned), (*count)(unsigned *), (*handle)(unsigned, void **);
    int (*name)(void *, char *, unsigned), (*memory)(void *, struct nvml_memory *), (*capability)(void *, int *, int *);
};
static const char *const NVML_NAMES[] = {"nvmlInit_v2",
                                         "nvmlShutdown",
                                         "nvmlErrorString",
                                         "nvmlSystemGetDriverVersion",
                                         "nvmlDeviceGetCount_v2",
                                         "nvmlDeviceGetHandleByIndex_v2",
                                         "nvmlDeviceGetName",
                                         "nvmlDeviceGetMemoryInfo",
                                         "nvmlDeviceGetCudaComputeCapability",
                                         NULL};

static void nvml_gpu(const struct nvml *f, void *library, void *device, struct nvidia_gpu *gpu)
{
    struct nvml_memory memory = {0};
    int (*slices)(void *, unsigned *, unsigned *); /* younger than the rest */
    void *found = dlsym(library, "nvmlDeviceGetMigMode");
    unsigned now = 0, next = 0;
    if (f->name(device, gpu->name, sizeof gpu->name - sizeof " MIG") != 0)
        gpu->name[0] = 0;
    if (f->memory(device, &memory) == 0)
        gpu->memory_gib = (double)memory.total / GIB;
    if (f->capability(device, &gpu->capability[0], &gpu->capability[1]) != 0)
        gpu->capability[0] = gpu->capability[1] = 0;
    if (!found)
        return;
    memcpy(&slices, &found, sizeof slices);
    if (slices(device, &now, &next) == 0 && now == 1)
        strcat(gpu->name, " MIG");
}

static bool nvml_gpus(const struct nvml *f, void *library, struct nvidia *out, struct err *err)
{
    unsigned n = 0;
    int code = f->count(&n);
    if (code != 0)
        return err_set(err, "the NVIDIA driver does not tell its GPUs: %s", f->error(code));
    if (f->driver(out->driver, sizeof out->driver) != 0)
        out->driver[0] = 0;
    for (unsigned i = 0; i < n && out->n < NVIDIA_GPUS; i++) {
        void *device;
        if (f->handle(i, &device) == 0) /* one that is lost is left out */
            nvml_gpu(f, library, device, &out->gpus[out->n++]);
    }
    return true;
}

static bool nvml_probe(void *library, struct nvidia *out, struct err *err)
{
    struct nvml f;
    if (!library_functions(library, NVML_NAMES, &f, sizeof f, NVML, HINT, err))
        return false;
    int code = f.init();
    if (code != 0)
        return err_set(err, "the NVIDIA driver does not start: %s", f.error(code));
    bool ok = nvml_gpus(&f, library, out, err);
    (void)f.shutdown();
    return ok;
}

/* The CUDA driver ------------------------------------------------------------------------------------------------- */

#define CUDA "libcuda.so.1"
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 }; /* CUdevice_attribute */
struct cuda {
    int (*init)(unsigned), (*version)(int *), (*count)(int *), (*get)(int *, int), (*name)(char *, int, int);
    int (*memory)(size_t *, int), (*attribute)(int *, int, int);
};
static const char *const CUDA_NAMES[] = {
    "cuInit",          "cuDriverGetVersion",  "cuDeviceGetCount",     "cuDeviceGet",
    "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute", NULL};

static void cuda_gpu(const struct cuda *f, int device, struct nvidia_gpu *gpu)
{
    size_t bytes = 0;
    if (f->name(gpu->name, sizeof gpu->name, device) != 0)
        gpu->name[0] = 0;
    if (f->memory(&bytes, device) == 0)
        gpu->memory_gib = (double)bytes / GIB;
    if (f->attribute(&gpu->capability[0], CAPABILITY_MAJOR, device) != 0 ||
        f->attribute(&gpu->capability[1], CAPABILITY_MINOR, device) != 0)
        gpu->capability[0] = gpu->capability[1] = 0;
}

static bool cuda_probe(void *library, struct nvidia *out, struct err *err)
{
    struct cuda f;
    int n = 0, version = 0;
    if (!library_functions(library, CUDA_NAMES, &f, sizeof f, CUDA, HINT, err))
        return false;
    int code = f.init(0);
    if (code == 0)
        code = f.count(&n);
    if (code != 0)
        return err_set(err, "the CUDA driver does not start: error %d", code);
    if (f.version(&version) == 0)
        snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    for (int i = 0; i < n && out->n < NVIDIA_GPUS; i++) {
        int device;
        if (f.get(&device, i) == 0)
            cuda_gpu(&f, device, &out->gpus[out->n++]);
    }
    return true;
}

/* Containers mount the driver in a folder that the loader may not know. */
static void *open_driver(const char *soname)
{
    char path[64];
    void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
    snprintf(path, sizeof path, "/usr/local/nvidia/lib64/%s", soname);
    return library ? library : dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

bool nvidia_probe(struct nvidia *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    void *nvml = open_driver(NVML);
    if (nvml)
        return nvml_probe(nvml, out, err);
    void *cuda = open_driver(CUDA);
    if (cuda)
        return cuda_probe(cuda, out, err);
    return err_set(err, "no NVIDIA driver: neither %s nor %s is installed", NVML, CUDA);
}

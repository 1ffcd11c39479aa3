/* SPDX-License-Identifier: Apache-2.0 */
/* cuda: a double of the CUDA driver (libcuda.so.1) for tests. Memory is the host's; code that tests/doubles/nvrtc.c
 * made runs on the host, other code only loads. What it is and how it fails is said by the environment, CUDA_DOUBLE, as
 * "name=value,...":
 *
 *   version=12040   what cuDriverGetVersion answers       init=N, retain=N   cuInit and the context fail with status N
 *   devices=1       how many there are                    sm=80              their compute capability
 *   memory=N        bytes of device memory                threads=N          most threads of a block of any kernel
 *   mode=2          compute mode                          clock=simulated    events: 100 us a launch, 1 s a fill
 *   slow=N          each launch takes N more us
 *
 * CUDA_DOUBLE_LOG names a file that gets a line for each call that matters. CUDA_DOUBLE_FAULT names a file: while it is
 * there, its number is the status with which the next launch ends; the file is then removed. As on a real device that
 * is seen at the next synchronisation, and errors from 700 on, 214, 46 and 999 stay. While there is a file of that name
 * and
 * "-lost" there is no device. */
#include "harness/base/clock.h" /* its functions are those of the program that opens this */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
enum { BAD_VALUE = 1, NO_MEMORY = 2, NOT_STARTED = 3, NO_DEVICE = 100, BAD_IMAGE = 200, NOT_FOUND = 500 };
enum { OVER_RESOURCES = 701, MODULE_KERNELS = 64 };

static int started, stays, pending;
static struct {
    uint64_t start, end; /* ns */
} launches[4096];
static int nlaunches;
static double simulated_us = 1e3, delay_us; /* records of CUPTI know no time 0 */
static size_t used;

static long long number(const char *name, long long fallback)
{
    const char *all = getenv("CUDA_DOUBLE"), *at = all ? strstr(all, name) : NULL;
    size_t n = strlen(name);
    while (at && ((at > all && at[-1] != ',') || at[n] != '='))
        at = strstr(at + 1, name);
    return at ? strtoll(at + n + 1, NULL, 10) : fallback;
}

static int is_simulated(void)
{
    const char *all = getenv("CUDA_DOUBLE");
    return all && strstr(all, "clock=simulated") != NULL;
}

static void __attribute__((format(printf, 1, 2))) tell(const char *fmt, ...)
{
    const char *path = getenv("CUDA_DOUBLE_LOG");
    FILE *f = path ? fopen(path, "ae") : NULL;
    va_list ap;
    if (!f)
        return;
    va_start(ap, fmt);
    vfprintf(f, fmt, ap);
    va_end(ap);
    fputc('\n', f);
    fclose(f);
}

static int is_lost(void)
{
    const char *path = getenv("CUDA_DOUBLE_FAULT");
    char lost[1024];
    snprintf(lost, sizeof lost, "%s-lost", path ? path : "");
    return path && access(lost, F_OK) == 0;
}

/* The status that the file of faults asks for, once. */
static int planted(void)
{
    const char *path = getenv("CUDA_DOUBLE_FAULT");
    FILE *f = path ? fopen(path, "re") : NULL;
    int status = 0;
    if (f && fscanf(f, "%d", &status) != 1)
        status = 0;
    if (f) {
        fclose(f);
        unlink(path);
    }
    return status;
}

static int is_sticky(int status)
{
    return (status >= 700 && status != OVER_RESOURCES && status < 800) || status == 214 || status == 46 ||
           status == 999;
}

/* What every call answers first; a synchronising one also learns of what failed since the last. */
static int state(int synchronises)
{
    if (!started)
        return NOT_STARTED;
    if (is_lost())
        stays = 999;
    if (stays)
        return stays;
    int now = synchronises ? pending : 0;
    if (synchronises)
        pending = 0;
    if (is_sticky(now))
        stays = now;
    return now;
}

/* For the double of CUPTI: when the launches were, in pairs of ns. */
API int cuda_double_launches(const uint64_t **pairs)
{
    *pairs = &launches[0].start;
    return nlaunches;
}

/* For the same: the next launch begins so much later. */
API void cuda_double_delay(double us)
{
    delay_us = us;
}

API void cuda_double_reset(void)
{
    stays = pending = 0;
}

/* ---- devices ---- */

API int cuInit(unsigned flags)
{
    int status = is_lost() ? NO_DEVICE : (int)number("init", 0);
    (void)flags;
    started = status == 0;
    tell("init %d in process %d", status, (int)getpid());
    return status;
}

API int cuDriverGetVersion(int *version)
{
    *version = (int)number("version", 13000);
    return 0;
}

API int cuGetErrorName(int status, const char **name)
{
    *name = status == 700   ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : status == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : status == 100 ? "CUDA_ERROR_NO_DEVICE"
            : status == 999 ? "CUDA_ERROR_UNKNOWN"
                            : NULL;
    return *name ? 0 : BAD_VALUE;
}

API int cuDeviceGetCount(int *n)
{
    *n = (int)number("devices", 1);
    return started ? 0 : NOT_STARTED;
}

API int cuDeviceGet(int *device, int which)
{
    *device = which;
    return which < number("devices", 1) ? 0 : 101;
}

API int cuDeviceGetName(char *name, int n, int device)
{
    snprintf(name, (size_t)n, "Double of a GPU %d", device);
    return 0;
}

API int cuDeviceGetPCIBusId(char *id, int n, int device)
{
    snprintf(id, (size_t)n, "0000:%02x:00.0", device + 1);
    return 0;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)number("memory", 8LL << 30);
    return 0;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    int sm = (int)number("sm", 80);
    (void)device;
    *value = attribute == 1    ? 1024
             : attribute == 8  ? 48 << 10
             : attribute == 10 ? 32
             : attribute == 16 ? 108
             : attribute == 20 ? (int)number("mode", 0)
             : attribute == 38 ? 1 << 20
             : attribute == 75 ? sm / 10
             : attribute == 76 ? sm % 10
                               : 0;
    return 0;
}

API int cuDevicePrimaryCtxRetain(void **context, int device)
{
    int status = (int)number("retain", 0);
    (void)device;
    *context = &started;
    tell("context %d in process %d", status, (int)getpid());
    return started ? status : NOT_STARTED;
}

API int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}

API int cuCtxSetCurrent(void *context)
{
    (void)context;
    return state(0);
}

API int cuCtxSynchronize(void)
{
    return state(1);
}

/* ---- code ---- */

struct kernel {
    void (*code)(void); /* NULL: it is not for the host */
    int parameters;
    char name[32];
    struct module *of;
};
struct module {
    void *library;
    void (*launch)(void (*)(void), int, void **, const unsigned[3], const unsigned[3]);
    struct kernel kernels[MODULE_KERNELS];
    int n;
};

/* Code for the host begins as its nvrtc's does: an ELF file of this machine, after its size. */
static void *open_library(const void *image)
{
    uint64_t bytes;
    char path[64];
    if (memcmp(image, "HOSTCODE", 8) != 0)
        return NULL;
    memcpy(&bytes, (const char *)image + 8, sizeof bytes);
    int fd = memfd_create("kernels", MFD_CLOEXEC);
    if (fd < 0 || write(fd, (const char *)image + 16, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        tell("dlopen: %s", dlerror());
    close(fd);
    return library;
}

API int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
    int status = state(0), is_host = memcmp(image, "HOSTCODE", 8) == 0;
    int is_ptx = memcmp(image, "//", 2) == 0 || memcmp(image, ".version", 8) == 0;
    (void)options, (void)values;
    if (status)
        return status;
    struct module *m = calloc(1, sizeof *m);
    m->library = open_library(image);
    if (m->library)
        *(void **)&m->launch = dlsym(m->library, "shim_launch");
    if ((is_host && !m->launch) || (!is_host && !is_ptx &&
                                    memcmp(image,
                                           "\x7f"
                                           "ELF",
                                           4) != 0)) {
        free(m);
        return BAD_IMAGE;
    }
    tell("load %s, %u options", is_host ? "host" : is_ptx ? "ptx" : "cubin", n);
    *module = m;
    return 0;
}

API int cuModuleUnload(void *module)
{
    struct module *m = module;
    if (m->library)
        dlclose(m->library);
    free(m);
    return state(0);
}

API int cuModuleGetFunction(void **function, void *module, const char *name)
{
    struct module *m = module;
    struct kernel *k = &m->kernels[m->n];
    char parameters[64];
    if (m->n == MODULE_KERNELS)
        return NOT_FOUND;
    snprintf(k->name, sizeof k->name, "%.31s", name);
    k->of = m;
    if (m->library) {
        snprintf(parameters, sizeof parameters, "%s_parameters", name);
        const int *count = dlsym(m->library, parameters);
        *(void **)&k->code = dlsym(m->library, name);
        if (!k->code || !count)
            return NOT_FOUND;
        k->parameters = *count;
    }
    m->n++;
    *function = k;
    return state(0);
}

API int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 0 ? (int)number("threads", 1024) : attribute == 4 ? 168 : 0;
    return state(0);
}

static double now_us(void)
{
    return is_simulated() ? simulated_us : clock_now() * 1e6;
}

API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **arguments, void **extra)
{
    struct kernel *k = function;
    const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    int status = state(0);
    (void)shared, (void)stream, (void)extra;
    if (status)
        return status;
    if (!gx || !gy || !gz || !bx || !by || !bz || gy > 65535 || gz > 65535 || bz > 64)
        return BAD_VALUE;
    if (bx * by * bz > 1024)
        return OVER_RESOURCES;
    tell("launch %s grid %u %u %u block %u %u %u", k->name, gx, gy, gz, bx, by, bz);
    status = planted();
    if (status && !is_sticky(status))
        return status; /* such a launch never begins */
    pending = status ? status : pending;
    simulated_us += delay_us;
    delay_us = 0;
    double began = now_us();
    simulated_us += 100;
    if (number("slow", 0))
        clock_sleep((double)number("slow", 0) * 1e-6);
    if (k->code && !status)
        k->of->launch(k->code, k->parameters, arguments, grid, block);
    if (nlaunches < 4096) {
        launches[nlaunches].start = (uint64_t)(began * 1e3);
        launches[nlaunches++].end = (uint64_t)(now_us() * 1e3);
    }
    return 0;
}

/* ---- memory ---- */

/* Sizes stand before what was handed out. */
enum { HEAD = 64 };

API int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    int status = state(0);
    if (status)
        return status;
    if (!bytes)
        return BAD_VALUE;
    if (used + bytes > (size_t)number("memory", 8LL << 30))
        return NO_MEMORY;
    char *p = aligned_alloc(HEAD, (HEAD + bytes + HEAD - 1) / HEAD * HEAD);
    memcpy(p, &bytes, sizeof bytes);
    memset(p + HEAD, 0xa5, bytes);
    used += bytes;
    *at = (uint64_t)(uintptr_t)(p + HEAD);
    return 0;
}

API int cuMemFree_v2(uint64_t at)
{
    size_t bytes;
    char *p = (char *)(uintptr_t)at - HEAD;
    memcpy(&bytes, p, sizeof bytes);
    used -= bytes;
    free(p);
    return state(1);
}

API int cuMemGetInfo_v2(size_t *left, size_t *all)
{
    *all = (size_t)number("memory", 8LL << 30);
    *left = *all - used;
    return state(0);
}

API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    int status = state(1);
    tell("copy in %zu", bytes);
    if (!status)
        memcpy((void *)(uintptr_t)to, from, bytes);
    return status;
}

API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    int status = state(1);
    tell("copy out %zu", bytes);
    if (!status)
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    return status;
}

API int cuMemsetD8Async(uint64_t at, unsigned char value, size_t bytes, void *stream)
{
    int status = state(0);
    (void)stream;
    tell("fill %zu", bytes);
    simulated_us += 1e6;
    if (!status)
        memset((void *)(uintptr_t)at, value, bytes);
    return status;
}

/* ---- events ---- */

API int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof(double));
    return state(0);
}

API int cuEventDestroy_v2(void *event)
{
    free(event);
    return state(0);
}

API int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    *(double *)event = now_us();
    tell("event");
    return state(0);
}

API int cuEventSynchronize(void *event)
{
    (void)event;
    return state(1);
}

API int cuEventElapsedTime(float *ms, void *start, void *end)
{
    *ms = (float)((*(double *)end - *(double *)start) * 1e-3);
    return state(0);
}

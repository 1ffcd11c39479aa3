/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_api: the CUDA driver's functions, loaded from libcuda.so.1, which comes with the driver: the program starts
 * where there is none, and no header of NVIDIA's is needed to build. Typed in as the CUDA driver API reference gives
 * them (11.0 to 13.0, 64 bits): a handle is a pointer, an address on the device (CUdeviceptr) 64 bits, a status an int.
 * A process that has called init must not fork. */
#pragma once
#include "harness/base/library.h"

#include <stdint.h>

/* member, function, parameters */
#define CUDA_FUNCTIONS(X)                                                                                              \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(version, "cuDriverGetVersion", (int *version))                                                                   \
    X(status_name, "cuGetErrorName", (int status, const char **name))                                                  \
    X(count, "cuDeviceGetCount", (int *n))                                                                             \
    X(device, "cuDeviceGet", (int *device, int number))                                                                \
    X(device_name, "cuDeviceGetName", (char *name, int n, int device))                                                 \
    X(device_bus, "cuDeviceGetPCIBusId", (char *id, int n, int device))                                                \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, int device))                                               \
    X(attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                                      \
    X(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                                \
    X(unretain, "cuDevicePrimaryCtxRelease_v2", (int device))                                                          \
    X(use, "cuCtxSetCurrent", (void *context))                                                                         \
    X(synchronize, "cuCtxSynchronize", (void))                                                                         \
    X(load, "cuModuleLoadDataEx", (void **module, const void *image, unsigned noptions, int *options, void **values))  \
    X(unload, "cuModuleUnload", (void *module))                                                                        \
    X(function, "cuModuleGetFunction", (void **function, void *module, const char *name))                              \
    X(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, void *function))                           \
    X(memory, "cuMemGetInfo_v2", (size_t *free, size_t *total))                                                        \
    X(allocate, "cuMemAlloc_v2", (uint64_t *at, size_t bytes))                                                         \
    X(release, "cuMemFree_v2", (uint64_t at))                                                                          \
    X(copy_in, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes))                                       \
    X(copy_out, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))                                            \
    X(fill, "cuMemsetD8Async", (uint64_t at, unsigned char value, size_t bytes, void *stream))                         \
    X(launch, "cuLaunchKernel",                                                                                        \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,          \
       unsigned block_z, unsigned shared_bytes, void *stream, void **arguments, void **extra))                         \
    X(event_make, "cuEventCreate", (void **event, unsigned flags))                                                     \
    X(event_drop, "cuEventDestroy_v2", (void *event))                                                                  \
    X(event_record, "cuEventRecord", (void *event, void *stream))                                                      \
    X(event_wait, "cuEventSynchronize", (void *event))                                                                 \
    X(event_elapsed, "cuEventElapsedTime", (float *ms, void *start, void *end))

struct cuda_api {
    CUDA_FUNCTIONS(LIBRARY_MEMBER)
};

/* CUresult */
enum cuda_status {
    CUDA_FINE = 0,
    CUDA_BAD_VALUE = 1,
    CUDA_NO_MEMORY = 2,
    CUDA_NOT_STARTED = 3,
    CUDA_ENDED = 4,
    CUDA_STUB = 34,
    CUDA_UNAVAILABLE = 46,
    CUDA_NO_DEVICE = 100,
    CUDA_BAD_DEVICE = 101,
    CUDA_BAD_IMAGE = 200,
    CUDA_OTHER_ARCHITECTURE = 209,
    CUDA_ECC = 214,
    CUDA_NVLINK = 220,
    CUDA_NO_JIT = 221,
    CUDA_NEWER_PTX = 222,
    CUDA_CONTAINED = 226,
    CUDA_SYSTEM_CALL = 304,
    CUDA_NOT_FOUND = 500,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_OVER_RESOURCES = 701,
    CUDA_LAUNCH_TIMEOUT = 702,
    CUDA_CONTEXT_GONE = 709,
    CUDA_ASSERT = 710,
    CUDA_STACK = 714,
    CUDA_ILLEGAL_INSTRUCTION = 715,
    CUDA_MISALIGNED = 716,
    CUDA_BAD_SPACE = 717,
    CUDA_BAD_PC = 718,
    CUDA_LAUNCH_FAILED = 719,
    CUDA_NOT_PERMITTED = 800,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_NOT_READY = 802,
    CUDA_DRIVER_MISMATCH = 803,
    CUDA_TOO_OLD = 804,
    CUDA_UNKNOWN = 999,
};
/* CUdevice_attribute, CUfunction_attribute, CUjit_option */
enum {
    CUDA_MAX_THREADS = 1,
    CUDA_MAX_SHARED = 8,
    CUDA_WARP = 10,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_COMPUTE_MODE = 20,
    CUDA_L2_BYTES = 38,
    CUDA_MAJOR = 75,
    CUDA_MINOR = 76,
    CUDA_FUNCTION_THREADS = 0,
    CUDA_FUNCTION_REGISTERS = 4,
    CUDA_JIT_LOG = 5,
    CUDA_JIT_LOG_BYTES = 6,
    CUDA_PROHIBITED = 2, /* CUcomputemode */
};

/* NULL: no driver, or one older than CUDA 11, and err says why. The functions are found, none that starts the driver is
 * called. Loaded once a process. */
const struct cuda_api *cuda_api(struct err *err);
/* "an illegal address was used (CUDA_ERROR_ILLEGAL_ADDRESS)"; the text is static or in room, of at least 160 bytes. */
const char *cuda_api_words(const struct cuda_api *api, int status, char *room, size_t n);
/* After such an error no call works any more in this process. */
bool cuda_api_is_sticky(int status);

/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_headers: the numbers and records that were typed in of the CUDA driver and CUPTI are those of their headers,
 * where these are installed. */
#include "tests/lib/tap.h"

#if __has_include(<cuda.h>) && __has_include(<cupti.h>)
#include "targets/cuda/cuda_api.h"
#include "targets/cuda/cupti_api.h"

#include <cuda.h>
#include <cupti.h>

static void test_statuses(void)
{
    static const struct {
        enum cuda_status ours;
        CUresult theirs;
        const char *name;
    } ROWS[] = {
#define ROW(ours, theirs) {ours, theirs, #theirs}
        ROW(CUDA_FINE, CUDA_SUCCESS),
        ROW(CUDA_BAD_VALUE, CUDA_ERROR_INVALID_VALUE),
        ROW(CUDA_NO_MEMORY, CUDA_ERROR_OUT_OF_MEMORY),
        ROW(CUDA_NOT_STARTED, CUDA_ERROR_NOT_INITIALIZED),
        ROW(CUDA_ENDED, CUDA_ERROR_DEINITIALIZED),
        ROW(CUDA_STUB, CUDA_ERROR_STUB_LIBRARY),
        ROW(CUDA_UNAVAILABLE, CUDA_ERROR_DEVICE_UNAVAILABLE),
        ROW(CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE),
        ROW(CUDA_BAD_DEVICE, CUDA_ERROR_INVALID_DEVICE),
        ROW(CUDA_BAD_IMAGE, CUDA_ERROR_INVALID_IMAGE),
        ROW(CUDA_OTHER_ARCHITECTURE, CUDA_ERROR_NO_BINARY_FOR_GPU),
        ROW(CUDA_ECC, CUDA_ERROR_ECC_UNCORRECTABLE),
        ROW(CUDA_NVLINK, CUDA_ERROR_NVLINK_UNCORRECTABLE),
        ROW(CUDA_NO_JIT, CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
        ROW(CUDA_NEWER_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
#if CUDA_VERSION >= 13000
        ROW(CUDA_CONTAINED, CUDA_ERROR_CONTAINED),
#endif
        ROW(CUDA_SYSTEM_CALL, CUDA_ERROR_OPERATING_SYSTEM),
        ROW(CUDA_NOT_FOUND, CUDA_ERROR_NOT_FOUND),
        ROW(CUDA_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS),
        ROW(CUDA_OVER_RESOURCES, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
        ROW(CUDA_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT),
        ROW(CUDA_CONTEXT_GONE, CUDA_ERROR_CONTEXT_IS_DESTROYED),
        ROW(CUDA_ASSERT, CUDA_ERROR_ASSERT),
        ROW(CUDA_STACK, CUDA_ERROR_HARDWARE_STACK_ERROR),
        ROW(CUDA_ILLEGAL_INSTRUCTION, CUDA_ERROR_ILLEGAL_INSTRUCTION),
        ROW(CUDA_MISALIGNED, CUDA_ERROR_MISALIGNED_ADDRESS),
        ROW(CUDA_BAD_SPACE, CUDA_ERROR_INVALID_ADDRESS_SPACE),
        ROW(CUDA_BAD_PC, CUDA_ERROR_INVALID_PC),
        ROW(CUDA_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED),
        ROW(CUDA_NOT_PERMITTED, CUDA_ERROR_NOT_PERMITTED),
        ROW(CUDA_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED),
        ROW(CUDA_NOT_READY, CUDA_ERROR_SYSTEM_NOT_READY),
        ROW(CUDA_DRIVER_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH),
        ROW(CUDA_TOO_OLD, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE),
        ROW(CUDA_UNKNOWN, CUDA_ERROR_UNKNOWN),
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        is_int((int)ROWS[i].ours, (int)ROWS[i].theirs, "the number of %s is that of cuda.h", ROWS[i].name);
}

static void test_attributes(void)
{
    static const struct {
        int ours, theirs;
        const char *name;
    } ROWS[] = {ROW(CUDA_MAX_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                ROW(CUDA_MAX_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                ROW(CUDA_WARP, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
                ROW(CUDA_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                ROW(CUDA_COMPUTE_MODE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE),
                ROW(CUDA_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
                ROW(CUDA_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                ROW(CUDA_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                ROW(CUDA_FUNCTION_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                ROW(CUDA_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS),
                ROW(CUDA_JIT_LOG, CU_JIT_ERROR_LOG_BUFFER),
                ROW(CUDA_JIT_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES),
                ROW(CUDA_PROHIBITED, CU_COMPUTEMODE_PROHIBITED),
                ROW(CUPTI_KERNELS, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
                ROW(CUPTI_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        is_int(ROWS[i].ours, ROWS[i].theirs, "the number of %s is that of the headers", ROWS[i].name);
}

int main(void)
{
    test_statuses();
    test_attributes();
    ok(sizeof(CUdeviceptr) == sizeof(uint64_t) && sizeof(CUdevice) == sizeof(int) && sizeof(CUresult) == sizeof(int),
       "addresses, devices and statuses of the driver have the sizes of ours");
    ok(offsetof(CUpti_ActivityKernel4, start) == offsetof(struct cupti_kernel, start) &&
           offsetof(CUpti_ActivityKernel4, end) == offsetof(struct cupti_kernel, end),
       "kernels of CUDA 11 lie in CUPTI's records as we read them");
    ok(offsetof(CUpti_ActivityKernel9, start) == offsetof(struct cupti_kernel, start) &&
           offsetof(CUpti_ActivityKernel9, end) == offsetof(struct cupti_kernel, end),
       "kernels of CUDA 12 lie in CUPTI's records as we read them");
    return done_testing();
}
#else
int main(void)
{
    skip_all("the headers of CUDA and CUPTI are not installed");
}
#endif

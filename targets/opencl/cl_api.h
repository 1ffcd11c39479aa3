/* SPDX-License-Identifier: Apache-2.0 */
/* cl_api: OpenCL's functions, loaded from libOpenCL.so.1 when a device is first asked for, so that the program starts
 * where there is none. */
#pragma once
#include "harness/base/err.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define CL_FUNCTIONS(X)                                                                                                \
    X(GetPlatformIDs)                                                                                                  \
    X(GetPlatformInfo)                                                                                                 \
    X(GetDeviceIDs)                                                                                                    \
    X(GetDeviceInfo)                                                                                                   \
    X(CreateContext)                                                                                                   \
    X(ReleaseContext)                                                                                                  \
    X(CreateCommandQueue)                                                                                              \
    X(ReleaseCommandQueue)                                                                                             \
    X(CreateProgramWithSource)                                                                                         \
    X(CreateProgramWithBinary)                                                                                         \
    X(BuildProgram)                                                                                                    \
    X(GetProgramInfo)                                                                                                  \
    X(GetProgramBuildInfo)                                                                                             \
    X(ReleaseProgram)                                                                                                  \
    X(CreateKernel)                                                                                                    \
    X(SetKernelArg)                                                                                                    \
    X(ReleaseKernel)                                                                                                   \
    X(CreateBuffer)                                                                                                    \
    X(ReleaseMemObject)                                                                                                \
    X(EnqueueReadBuffer)                                                                                               \
    X(EnqueueWriteBuffer)                                                                                              \
    X(EnqueueNDRangeKernel)                                                                                            \
    X(GetEventProfilingInfo)                                                                                           \
    X(ReleaseEvent)                                                                                                    \
    X(Finish)

struct cl_api {
#define X(name) __typeof__(cl##name) *name;
    CL_FUNCTIONS(X)
#undef X
};
/* NULL: there is no OpenCL here, and err says why. Loaded once a process. */
const struct cl_api *cl_api(struct err *err);
/* "no device found": what a status of OpenCL means. */
const char *cl_api_status(cl_int status);

/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/opencl/cl_api.h"

#include "harness/base/library.h"

#include <dlfcn.h>
#include <stddef.h>

static const char *const NAMES[] = {
#define X(name) "cl" #name,
    CL_FUNCTIONS(X)
#undef X
        NULL};

const struct cl_api *cl_api(struct err *err)
{
    static struct cl_api api;
    static bool done;
    void *library = done ? NULL : dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!done && !library)
        done = err_set(err, "no OpenCL loader: libOpenCL.so.1 cannot be opened (Debian: ocl-icd-libopencl1)") ||
               err_environment(err);
    else if (!done)
        done = library_functions(library, NAMES, &api, sizeof api, "libOpenCL.so.1", "; OpenCL 1.2 is needed", err);
    return done ? &api : NULL;
}

const char *cl_api_status(cl_int status)
{
    static const struct {
        cl_int status;
        const char *words;
    } WORDS[] = {
        {CL_DEVICE_NOT_FOUND, "no device"},
        {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
        {CL_COMPILER_NOT_AVAILABLE, "no compiler"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory on the device for a tensor"},
        {CL_OUT_OF_RESOURCES, "the device is out of resources"},
        {CL_OUT_OF_HOST_MEMORY, "no memory on the host"},
        {CL_BUILD_PROGRAM_FAILURE, "the program does not compile"},
        {CL_INVALID_BINARY, "code of another device"},
        {CL_INVALID_WORK_GROUP_SIZE, "a block of too many threads"},
        {CL_INVALID_WORK_ITEM_SIZE, "a block with too many threads along one axis"},
        {CL_INVALID_BUFFER_SIZE, "a tensor larger than the device allows"},
        {-1001, "no platform: no driver is installed (Debian: pocl-opencl-icd runs on any CPU)"},
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (WORDS[i].status == status)
            return WORDS[i].words;
    return "OpenCL failed";
}

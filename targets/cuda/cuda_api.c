/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/cuda_api.h"

#include "targets/cuda/library_search.h"

#include <dlfcn.h>
#include <stdio.h>

#define LIBRARY "libcuda.so.1"
enum { OLDEST = 11000 }; /* CUDA 11.0: the first whose NVRTC makes code for a device and not only PTX */

static const char *const NAMES[] = {CUDA_FUNCTIONS(LIBRARY_NAME) NULL};

/* Older drivers lack functions that later ones have, so the version comes first. */
static bool is_new_enough(void *library, struct err *err)
{
    union {
        void *at;
        int (*call)(int *);
    } version = {.at = dlsym(library, "cuDriverGetVersion")};
    int v = 0;
    if (!version.at || version.call(&v) != CUDA_FINE)
        return err_set(err, "the CUDA driver does not tell its version: %s is none of NVIDIA's, or a stub", LIBRARY);
    return v >= OLDEST || err_set(err, "the driver speaks CUDA %d.%d; %d.0 is needed: install a newer driver", v / 1000,
                                  v % 1000 / 10, OLDEST / 1000);
}

const struct cuda_api *cuda_api(struct err *err)
{
    static struct cuda_api api;
    static bool done;
    void *library = done ? NULL : library_search(LIBRARY);
    if (!done && !library)
        done = err_set(err, "no CUDA driver: %s cannot be opened (it comes with NVIDIA's driver)%s", LIBRARY,
                       library_problem()) ||
               err_environment(err);
    else if (!done)
        done = is_new_enough(library, err) &&
               library_functions(library, NAMES, &api, sizeof api, LIBRARY, ": install a newer driver", err);
    return done ? &api : NULL;
}

static const struct {
    enum cuda_status status;
    bool sticky;
    const char *words;
} WORDS[] = {
    {CUDA_BAD_VALUE, false, "a number that the driver does not take"},
    {CUDA_NO_MEMORY, false, "no memory on the device"},
    {CUDA_NOT_STARTED, false, "the driver was not started, or this process was forked from one where it was"},
    {CUDA_ENDED, true, "the driver has ended"},
    {CUDA_STUB, false, "the library is a stub to link with, not the driver"},
    {CUDA_UNAVAILABLE, true, "the device is lost or taken by another process"},
    {CUDA_NO_DEVICE, false, "the driver finds no device"},
    {CUDA_BAD_DEVICE, false, "there is no such device"},
    {CUDA_BAD_IMAGE, false, "code that this driver does not understand"},
    {CUDA_OTHER_ARCHITECTURE, false, "code of another architecture"},
    {CUDA_ECC, true, "an error in the device's memory that ECC cannot correct"},
    {CUDA_NVLINK, true, "an error of NVLink that cannot be corrected"},
    {CUDA_NO_JIT, false, "the driver's compiler of PTX is missing"},
    {CUDA_NEWER_PTX, false, "PTX newer than this driver"},
    {CUDA_CONTAINED, true, "an error in the device's memory that took only this process"},
    {CUDA_SYSTEM_CALL, false, "the operating system refused a call (device files, limits of memory or of files?)"},
    {CUDA_NOT_FOUND, false, "a name that the code lacks"},
    {CUDA_ILLEGAL_ADDRESS, true, "an illegal address was used"},
    {CUDA_OVER_RESOURCES, false, "a block that needs more registers or shared memory than there are"},
    {CUDA_LAUNCH_TIMEOUT, true, "the system ended a kernel that ran too long"},
    {CUDA_CONTEXT_GONE, true, "the context is gone"},
    {CUDA_ASSERT, true, "an assertion failed on the device"},
    {CUDA_STACK, true, "the stack on the device is damaged"},
    {CUDA_ILLEGAL_INSTRUCTION, true, "an illegal instruction"},
    {CUDA_MISALIGNED, true, "a misaligned address was used"},
    {CUDA_BAD_SPACE, true, "an address of the wrong memory was used"},
    {CUDA_BAD_PC, true, "the program counter left the code"},
    {CUDA_LAUNCH_FAILED, true, "a kernel failed"},
    {CUDA_NOT_PERMITTED, false, "it is not permitted"},
    {CUDA_NOT_SUPPORTED, false, "it is not supported here"},
    {CUDA_NOT_READY, false, "the system is not ready: NVIDIA's fabric manager does not run, or not yet"},
    {CUDA_DRIVER_MISMATCH, false, "the driver's library and its kernel module are of two versions"},
    {CUDA_TOO_OLD, false, "the GPU does not work with this forward-compatible library of the driver (cuda-compat)"},
    {CUDA_UNKNOWN, true, "an unknown error: the device may be lost"},
};
enum { NWORDS = sizeof WORDS / sizeof *WORDS };

const char *cuda_api_words(const struct cuda_api *api, int status, char *room, size_t n)
{
    const char *name = NULL, *words = "CUDA failed";
    for (int i = 0; i < NWORDS; i++)
        if ((int)WORDS[i].status == status)
            words = WORDS[i].words;
    if (api->status_name(status, &name) != CUDA_FINE || !name)
        snprintf(room, n, "%s (error %d)", words, status);
    else
        snprintf(room, n, "%s (%s)", words, name);
    return room;
}

bool cuda_api_is_sticky(int status)
{
    for (int i = 0; i < NWORDS; i++)
        if ((int)WORDS[i].status == status)
            return WORDS[i].sticky;
    return false;
}

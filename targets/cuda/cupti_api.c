/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/cupti_api.h"

#include "targets/cuda/library_search.h"

static const char *const NAMES[] = {CUPTI_FUNCTIONS(LIBRARY_NAME) NULL};

/* The name holds the version of CUDA. */
static const char *const LIBRARIES[] = {
    "libcupti.so.13",
    "libcupti.so.12",
    "libcupti.so",
    "libcupti.so.11.8",
    "libcupti.so.11.7",
    "libcupti.so.11.6",
    "libcupti.so.11.5",
    "libcupti.so.11.4",
    "libcupti.so.11.3",
    "libcupti.so.11.2",
    NULL,
};

static void *library;

void *cupti_api_library(void)
{
    return library;
}

const struct cupti_api *cupti_api(struct err *err)
{
    static struct cupti_api api;
    void *found = library ? NULL : library_search_any(LIBRARIES);
    if (library)
        return &api;
    if (!found) {
        err_set(err,
                "no CUPTI: libcupti.so cannot be opened (it comes with CUDA, and as nvidia-cuda-cupti of Python)%s",
                library_problem());
        return NULL;
    }
    if (!library_functions(found, NAMES, &api, sizeof api, "libcupti", "", err))
        return NULL;
    library_beside(found, "libnvperf_host.so"); /* the range profiler's */
    library_beside(found, "libnvperf_target.so");
    library = found;
    return &api;
}

const char *cupti_api_words(const struct cupti_api *api, int status)
{
    static const struct {
        int status;
        const char *words;
    } WORDS[] = {
        /* CUptiResult */
        {15, "it does not start: it may be of a later CUDA than the driver"},
        {26, "another program counts on this GPU"},
        {27, "not supported on this device"},
        {33, "not supported on a virtual GPU"},
        {35, "no permission: the driver keeps counters for administrators (NVreg_RestrictProfilingToAdminUsers)"},
        {38, "an interface that this CUPTI no longer has"},
        {39, "another profiler is attached"},
        {40, "no permission on a virtual GPU"},
        {41, "not supported in confidential computing"},
        {42, "not supported on a mining GPU"},
        {43, "not supported on a slice of a GPU (MIG)"},
        {45, "not supported under WSL"}};
    const char *words = NULL;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (WORDS[i].status == status)
            return WORDS[i].words;
    return api->words(status, &words) == 0 && words ? words : "CUPTI failed";
}

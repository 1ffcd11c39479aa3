/* SPDX-License-Identifier: Apache-2.0 */
/* cupti_api: the part of NVIDIA's profiling library (CUPTI) that tells when kernels ran: the Activity API, which CUDA
 * 13 still has, unlike the Event and Metric APIs, which are not used. Opened when it is first asked for; typed in as
 * the CUPTI manual gives it (11.2 to 13.0), so no header is needed to build. */
#pragma once
#include "harness/base/library.h"

#include <stdint.h>

/* member, function, parameters */
#define CUPTI_FUNCTIONS(X)                                                                                             \
    X(version, "cuptiGetVersion", (uint32_t *version))                                                                 \
    X(words, "cuptiGetResultString", (int status, const char **words))                                                 \
    X(register_buffers, "cuptiActivityRegisterCallbacks",                                                              \
      (void (*wanted)(uint8_t **buffer, size_t *size, size_t *most),                                                   \
       void (*filled)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)))                    \
    X(enable, "cuptiActivityEnable", (int kind))                                                                       \
    X(disable, "cuptiActivityDisable", (int kind))                                                                     \
    X(flush, "cuptiActivityFlushAll", (uint32_t flags))                                                                \
    X(next, "cuptiActivityGetNextRecord", (uint8_t *buffer, size_t valid, void **record))                              \
    X(dropped, "cuptiActivityGetNumDroppedRecords", (void *context, uint32_t stream, size_t *n))

struct cupti_api {
    CUPTI_FUNCTIONS(LIBRARY_MEMBER)
};
/* CUpti_ActivityKind, CUpti_ActivityFlag */
enum { CUPTI_KERNELS = 10, CUPTI_FORCED = 1 };
/* The beginning of a record of kind CUPTI_KERNELS, the same in CUpti_ActivityKernel3 to 10. Times in ns, 0: unknown. */
struct cupti_kernel {
    uint32_t kind, unused[3];
    uint64_t start, end;
};

/* NULL: it is not here, and err says why. Loaded once a process. */
const struct cupti_api *cupti_api(struct err *err);
/* The library itself, once cupti_api has found it, for what else is looked for in it. */
void *cupti_api_library(void);
/* What a status means, in our words where it is a question of rights or of the kind of device; CUPTI's own else. */
const char *cupti_api_words(const struct cupti_api *api, int status);

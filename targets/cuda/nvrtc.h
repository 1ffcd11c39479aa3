/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc: CUDA C -> code for a device, by NVIDIA's run-time compiler, opened when it is first asked for. No GPU and no
 * driver are needed. Typed in as the NVRTC manual gives it (11.2 to 13.0), so no header is needed to build. */
#pragma once
#include "harness/base/library.h"

/* member, function, parameters */
#define NVRTC_FUNCTIONS(X)                                                                                             \
    X(version, "nvrtcVersion", (int *major, int *minor))                                                               \
    X(narchitectures, "nvrtcGetNumSupportedArchs", (int *n))                                                           \
    X(architectures, "nvrtcGetSupportedArchs", (int *list))                                                            \
    X(create, "nvrtcCreateProgram",                                                                                    \
      (void **program, const char *source, const char *name, int nheaders, const char *const *headers,                 \
       const char *const *names))                                                                                      \
    X(destroy, "nvrtcDestroyProgram", (void **program))                                                                \
    X(compile, "nvrtcCompileProgram", (void *program, int noptions, const char *const *options))                       \
    X(log_bytes, "nvrtcGetProgramLogSize", (void *program, size_t *n))                                                 \
    X(log, "nvrtcGetProgramLog", (void *program, char *log))                                                           \
    X(cubin_bytes, "nvrtcGetCUBINSize", (void *program, size_t *n))                                                    \
    X(cubin, "nvrtcGetCUBIN", (void *program, char *code))                                                             \
    X(ptx_bytes, "nvrtcGetPTXSize", (void *program, size_t *n))                                                        \
    X(ptx, "nvrtcGetPTX", (void *program, char *code))

struct nvrtc_api {
    NVRTC_FUNCTIONS(LIBRARY_MEMBER)
};
enum { NVRTC_ARCHITECTURES = 64 };
struct nvrtc {
    struct nvrtc_api api;
    const char *library; /* the file it was opened from */
    int major, minor;
    int known[NVRTC_ARCHITECTURES], nknown; /* 75, 80, ..., ascending */
};
struct nvrtc_goal {
    int architecture; /* 90 for sm_90 or compute_90 */
    bool ptx;         /* for the driver to compile further: the device is newer than this NVRTC */
};

/* library: its path; "": the newest found whose code the driver can load, which is the newest of no later major
 * version. driver: CUDA version that the driver speaks (12040), 0: there is none. False: none is found, or only newer
 * ones, or it lacks a function. */
MUST_CHECK bool nvrtc_open(struct nvrtc *v, const char *library, int driver, struct err *err);
/* What to compile for a device: its own code, or PTX of the newest architecture below it that this NVRTC knows. False:
 * all that it knows are newer. */
MUST_CHECK bool nvrtc_choose(const struct nvrtc *v, int architecture, struct nvrtc_goal *out, struct err *err);
/* The code, malloc'd, *n bytes (PTX with its 0 byte); NULL: it does not compile, and err begins with the log's first
 * error. Options: the architecture, and no warnings; the rest is NVRTC's own (C++17, fused multiply-adds). */
void *nvrtc_compile(const struct nvrtc *v, const struct nvrtc_goal *goal, const char *source, size_t *n,
                    struct err *err);
/* "sm_90", or "PTX for compute_90". */
const char *nvrtc_goal_words(const struct nvrtc_goal *goal, char *room, size_t n);

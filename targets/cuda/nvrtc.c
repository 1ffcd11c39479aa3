/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/nvrtc.h"

#include "harness/base/text.h"
#include "targets/cuda/library_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[] = {NVRTC_FUNCTIONS(LIBRARY_NAME) NULL};

/* Newest first; all of CUDA 11.2 to 11.8 have the name of 11.2. */
static const char *const LIBRARIES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
enum { NLIBRARIES = sizeof LIBRARIES / sizeof *LIBRARIES };

static void sort_known(struct nvrtc *v)
{
    for (int i = 1; i < v->nknown; i++)
        for (int j = i; j > 0 && v->known[j - 1] > v->known[j]; j--) {
            int t = v->known[j];
            v->known[j] = v->known[j - 1];
            v->known[j - 1] = t;
        }
}

static bool read_library(struct nvrtc *v, void *library, const char *name, struct err *err)
{
    if (!library_functions(library, NAMES, &v->api, sizeof v->api, name, "; CUDA 11.2 is the first that has it", err))
        return false;
    v->library = *library_path(library) ? library_path(library) : name;
    if (v->api.version(&v->major, &v->minor) != 0 || v->api.narchitectures(&v->nknown) != 0 || v->nknown < 1 ||
        v->nknown > NVRTC_ARCHITECTURES || v->api.architectures(v->known) != 0)
        return err_set(err, "%s does not tell what it compiles for", name);
    sort_known(v);
    return true;
}

/* NVRTC opens it when it first compiles. */
static void open_builtins(const struct nvrtc *v, void *library)
{
    char name[64];
    snprintf(name, sizeof name, "libnvrtc-builtins.so.%d.%d", v->major, v->minor);
    library_beside(library, name);
}

/* True: this one serves. It stays open otherwise too: these libraries do not like to be closed. */
static bool try_library(struct nvrtc *v, const char *name, int driver, struct err *err)
{
    void *library = library_search(name);
    if (!library)
        return err_set(err, "%s cannot be opened%s", name, library_problem()) || err_environment(err);
    if (!read_library(v, library, name, err))
        return false;
    open_builtins(v, library);
    return !driver || v->major <= driver / 1000 ||
           err_set(err, "NVRTC %d.%d (%s) makes code that the driver, of CUDA %d.%d, cannot load", v->major, v->minor,
                   name, driver / 1000, driver % 1000 / 10);
}

bool nvrtc_open(struct nvrtc *v, const char *library, int driver, struct err *err)
{
    struct err first = {0};
    memset(v, 0, sizeof *v);
    if (*library)
        return try_library(v, library, driver, err);
    for (int i = 0; i < NLIBRARIES; i++) {
        struct err why = {0};
        if (try_library(v, LIBRARIES[i], driver, &why))
            return true;
        /* it was there, and of no use: that says more than that others are not */
        if ((v->library || *library_problem()) && !first.text[0])
            first = why;
    }
    return err_set(err, "%s",
                   first.text[0] ? first.text
                                 : "no NVRTC: none of libnvrtc.so.13, .12 and .11.2 can be opened (it comes with CUDA, "
                                   "and as the Python package nvidia-cuda-nvrtc)");
}

bool nvrtc_choose(const struct nvrtc *v, int architecture, struct nvrtc_goal *out, struct err *err)
{
    *out = (struct nvrtc_goal){0};
    for (int i = 0; i < v->nknown; i++)
        if (v->known[i] <= architecture)
            *out = (struct nvrtc_goal){v->known[i], v->known[i] != architecture};
    return out->architecture ||
           err_set(err,
                   "NVRTC %d.%d no longer compiles for sm_%d: its oldest is sm_%d; an older CUDA has one that does",
                   v->major, v->minor, architecture, v->known[0]);
}

const char *nvrtc_goal_words(const struct nvrtc_goal *goal, char *room, size_t n)
{
    snprintf(room, n, goal->ptx ? "PTX for compute_%d" : "sm_%d", goal->architecture);
    return room;
}

/* ---- compiling ---- */

static void *take_code(const struct nvrtc *v, const struct nvrtc_goal *goal, void *program, size_t *n)
{
    int status = goal->ptx ? v->api.ptx_bytes(program, n) : v->api.cubin_bytes(program, n);
    char *code = status == 0 && *n ? malloc(*n) : NULL;
    if (!code || (goal->ptx ? v->api.ptx(program, code) : v->api.cubin(program, code)) == 0)
        return code;
    free(code);
    return NULL;
}

/* The log from its first error on. */
static void tell_log(const struct nvrtc *v, void *program, int status, struct err *err)
{
    size_t n = 0;
    char *log = v->api.log_bytes(program, &n) == 0 && n > 1 ? calloc(n + 1, 1) : NULL;
    if (log && v->api.log(program, log) == 0 && log[0]) {
        const char *at = strstr(log, "error");
        while (at && at > log && at[-1] != '\n')
            at--;
        err_set(err, "%.900s", at ? at : log);
    } else {
        err_set(err, "NVRTC %d.%d failed with status %d and without a word", v->major, v->minor, status);
    }
    free(log);
}

void *nvrtc_compile(const struct nvrtc *v, const struct nvrtc_goal *goal, const char *source, size_t *n,
                    struct err *err)
{
    char architecture[48];
    const char *options[] = {architecture, "--disable-warnings"};
    void *program = NULL, *code = NULL;
    snprintf(architecture, sizeof architecture, "--gpu-architecture=%s_%d", goal->ptx ? "compute" : "sm",
             goal->architecture);
    int status = v->api.create(&program, source, "kernels.cu", 0, NULL, NULL);
    if (status != 0) {
        err_set(err, "NVRTC %d.%d makes no program: status %d", v->major, v->minor, status);
        return NULL;
    }
    status = v->api.compile(program, 2, options);
    if (status == 0)
        code = take_code(v, goal, program, n);
    if (!code)
        tell_log(v, program, status, err);
    v->api.destroy(&program);
    return code;
}

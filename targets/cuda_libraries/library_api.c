/* SPDX-License-Identifier: Apache-2.0 */
/* library_api: the newest version that is found, wherever NVIDIA's libraries may lie. */
#include "targets/cuda_libraries/library_api.h"

#include "targets/cuda/library_search.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

enum { FUNCTIONS_MOST = 24 };

struct library {
    const char *title, *files[4]; /* by falling version, ended by NULL */
    const char *functions[FUNCTIONS_MOST];
};
#define FUNCTION_NAME(member, name, parameters) name,
static const struct library CUBLAS = {
    "cuBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}, {CUBLAS_FUNCTIONS(FUNCTION_NAME)}};
static const struct library CUDNN = {"cuDNN", {"libcudnn.so.9", "libcudnn.so.8"}, {CUDNN_FUNCTIONS(FUNCTION_NAME)}};

/* Fills at[], one pointer a function. */
static bool load(const struct library *l, void **at, struct err *err)
{
    void *found = NULL;
    char why[256] = "";
    for (int i = 0; l->files[i] && !found; i++) {
        found = library_search(l->files[i]);
        if (!why[0])
            snprintf(why, sizeof why, "%s", library_problem());
    }
    if (!found)
        return err_set(err, "%s is not installed: %s cannot be opened%s", l->title, l->files[0], why);
    for (int i = 0; i < FUNCTIONS_MOST && l->functions[i]; i++) {
        at[i] = dlsym(found, l->functions[i]);
        if (!at[i])
            return err_set(err, "%s has no function %s", l->title, l->functions[i]);
    }
    return true;
}

const struct cublas_api *library_cublas(struct err *err)
{
    static union {
        struct cublas_api api;
        void *at[sizeof(struct cublas_api) / sizeof(void *)];
    } loaded;
    static bool done;
    done = done || load(&CUBLAS, loaded.at, err);
    return done ? &loaded.api : NULL;
}

const struct cudnn_api *library_cudnn(struct err *err)
{
    static union {
        struct cudnn_api api;
        void *at[sizeof(struct cudnn_api) / sizeof(void *)];
    } loaded;
    static bool done;
    done = done || load(&CUDNN, loaded.at, err);
    return done ? &loaded.api : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* library_api: the newest version that is found, wherever NVIDIA's libraries may lie. */
#include "targets/cuda_libraries/library_api.h"

#include "targets/cuda/library_search.h"

/* files: by falling version. */
static bool load(const char *title, const char *const *files, const char *const *names, void *out, size_t bytes,
                 struct err *err)
{
    void *found = library_search_any(files);
    if (!found)
        return err_set(err, "%s is not installed: %s cannot be opened%s", title, files[0], library_problem()) ||
               err_environment(err);
    return library_functions(found, names, out, bytes, title, "", err);
}

const struct cublas_api *library_cublas(struct err *err)
{
    static const char *const FILES[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL};
    static const char *const NAMES[] = {CUBLAS_FUNCTIONS(LIBRARY_NAME) NULL};
    static struct cublas_api api;
    static bool done;
    done = done || load("cuBLAS", FILES, NAMES, &api, sizeof api, err);
    return done ? &api : NULL;
}

const struct cudnn_api *library_cudnn(struct err *err)
{
    static const char *const FILES[] = {"libcudnn.so.9", "libcudnn.so.8", NULL};
    static const char *const NAMES[] = {CUDNN_FUNCTIONS(LIBRARY_NAME) NULL};
    static struct cudnn_api api;
    static bool done;
    done = done || load("cuDNN", FILES, NAMES, &api, sizeof api, err);
    return done ? &api : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/library_search.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MOST = 8 }; /* a python3 may be a link to that of a virtual environment */

/* Below a prefix, as patterns of glob(7); ended by NULL. */
static const char *const TOOLKIT[] = {"lib64", "lib", "extras/CUPTI/lib64", "targets/*/lib", NULL};
static const char *const PYTHON[] = {"lib/python3*/site-packages/nvidia/*/lib",
                                     "lib/python3*/dist-packages/nvidia/*/lib", NULL};
static const char *const PLAIN[] = {"lib", NULL};
static const char *const TOOLKITS[] = {"/usr/local/cuda", "/usr/local/cuda-*", "/usr/local/nvidia", "/usr/lib/wsl",
                                       NULL};
static const char *const PYTHONS[] = {"/opt/*/.venv", "/opt/*", NULL};

static char problem[256];

const char *library_problem(void)
{
    return problem;
}

/* Of a library that is not there the loader says no more than that. */
static void *open_one(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *why = library ? NULL : dlerror();
    if (why && (strncmp(why, path, strlen(path)) != 0 || access(path, F_OK) == 0))
        snprintf(problem, sizeof problem, ": %.250s", why);
    return library;
}

/* The last one that can be opened: of several versions the newest. */
static void *open_matching(const char *pattern)
{
    glob_t found;
    void *library = NULL;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = found.gl_pathc; i > 0 && !library; i--)
            library = open_one(found.gl_pathv[i - 1]);
        globfree(&found);
    }
    return library;
}

static void *below(const char *prefix, const char *const *folders, const char *name)
{
    char pattern[PATH_MAX];
    void *library = NULL;
    for (int i = 0; prefix && *prefix && folders[i] && !library; i++)
        if (snprintf(pattern, sizeof pattern, "%s/%s/%s", prefix, folders[i], name) < (int)sizeof pattern)
            library = open_matching(pattern);
    return library;
}

/* Cuts the last part of a path off. */
static void leave(char *path)
{
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = 0;
}

/* What the link at path points to, in its place; false: it is no link. */
static bool follow(char path[PATH_MAX])
{
    char to[PATH_MAX], folder[PATH_MAX];
    ssize_t n = readlink(path, to, sizeof to - 1);
    if (n <= 0)
        return false;
    to[n] = 0;
    snprintf(folder, sizeof folder, "%s", path);
    leave(folder);
    int length = *to == '/' ? snprintf(path, PATH_MAX, "%s", to) : snprintf(path, PATH_MAX, "%s/%s", folder, to);
    return length < PATH_MAX;
}

/* Of the environment that a python3 belongs to, and of those that it is a link to. */
static void *of_python(char path[PATH_MAX], const char *name)
{
    void *library = NULL;
    for (int i = 0; i < LINKS_MOST && !library; i++) {
        char prefix[PATH_MAX];
        snprintf(prefix, sizeof prefix, "%s", path);
        leave(prefix);
        leave(prefix);
        library = below(prefix, PYTHON, name);
        if (!follow(path))
            break;
    }
    return library;
}

static void *of_path(const char *name)
{
    void *library = NULL;
    for (const char *at = getenv("PATH"); at && *at && !library;) {
        size_t n = strcspn(at, ":");
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%.*s/python3", (int)n, at) < (int)sizeof path && access(path, X_OK) == 0)
            library = of_python(path, name);
        at += n + (at[n] == ':');
    }
    return library;
}

static void *of_user(const char *name)
{
    char prefix[PATH_MAX];
    const char *home = getenv("HOME");
    return home && snprintf(prefix, sizeof prefix, "%s/.local", home) < (int)sizeof prefix ? below(prefix, PYTHON, name)
                                                                                           : NULL;
}

static void *first_of(const char *const *prefixes, const char *const *folders, const char *name)
{
    void *library = NULL;
    for (int i = 0; prefixes[i] && !library; i++)
        library = below(prefixes[i], folders, name);
    return library;
}

void *library_search(const char *name)
{
    static const char *const ENVIRONMENTS[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    problem[0] = 0;
    void *library = open_one(name);
    if (library || strchr(name, '/'))
        return library;
    if (!(library = below(getenv("CUDA_HOME"), TOOLKIT, name)) &&
        !(library = below(getenv("CUDA_PATH"), TOOLKIT, name)))
        library = first_of(TOOLKITS, TOOLKIT, name);
    for (int i = 0; i < 2 && !library; i++) {
        const char *prefix = getenv(ENVIRONMENTS[i]);
        if (!(library = below(prefix, PYTHON, name)))
            library = below(prefix, PLAIN, name);
    }
    if (!library && !(library = of_path(name)) && !(library = of_user(name)))
        library = first_of(PYTHONS, PYTHON, name);
    return library;
}

void *library_search_any(const char *const *names)
{
    char first[sizeof problem] = "";
    void *library = NULL;
    for (int i = 0; names[i] && !library; i++) {
        library = library_search(names[i]);
        if (!first[0])
            memcpy(first, problem, sizeof problem);
    }
    memcpy(problem, first, sizeof problem);
    return library;
}

void library_beside(void *handle, const char *name)
{
    char path[PATH_MAX];
    const char *own = library_path(handle), *slash = strrchr(own, '/');
    if (slash && snprintf(path, sizeof path, "%.*s/%s", (int)(slash - own), own, name) < (int)sizeof path)
        (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

const char *library_path(void *handle)
{
    struct link_map *map = NULL;
    return handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name ? map->l_name : "";
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/cuda_double.h"

#include "harness/base/err.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* build/MODE/doubles, from build/MODE/tests/unit/room/test. */
static void doubles_folder(char *out, size_t n)
{
    char self[PATH_MAX];
    ssize_t got = readlink("/proc/self/exe", self, sizeof self - 1);
    self[got < 0 ? 0 : got] = 0;
    char *at = strstr(self, "/tests/unit/");
    if (!at)
        bug("%s is no unit test", self);
    *at = 0;
    snprintf(out, n, "%s/doubles", self);
}

void cuda_double_enter(char **argv)
{
    char folder[PATH_MAX + 16];
    const char *now = getenv("LD_LIBRARY_PATH");
    doubles_folder(folder, sizeof folder);
    if (now && strcmp(now, folder) == 0)
        return;
    setenv("LD_LIBRARY_PATH", folder, 1);
    execv("/proc/self/exe", argv);
    bug("cannot start the test again");
}

const char *cuda_double_nvrtc(void)
{
    static char path[PATH_MAX + 64];
    char folder[PATH_MAX + 16];
    doubles_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/nvrtc/libnvrtc.so.13", folder);
    return path;
}

void cuda_double_forget(void)
{
    union {
        void *at;
        void (*call)(void);
    } forget = {.at = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuda_double_reset")};
    if (!forget.at)
        bug("the double of the driver is not loaded");
    forget.call();
}

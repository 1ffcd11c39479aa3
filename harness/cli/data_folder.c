/* SPDX-License-Identifier: Apache-2.0 */
/* data_folder: the current folder, the environment, the executable's place. */
#include "harness/cli/data_folder.h"

#include "harness/base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 3 };

/* ".../bin/raingauge" to ".../share/raingauge"; NULL: this system does not tell. */
static const char *beside_executable(struct arena *a)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return NULL;
    path[n] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = 0;
    }
    return arena_printf(a, "%s/share/raingauge", path);
}

static const char *place(struct arena *a, int i, const char *name)
{
    const char *named = getenv("RAINGAUGE_DATADIR");
    const char *folder = i == 0 ? "." : i == 1 ? (named && *named ? named : NULL) : beside_executable(a);
    if (!folder)
        return NULL;
    return i == 0 ? arena_str(a, name) : file_join(a, folder, name);
}

const char *data_folder_find(struct arena *a, const char *name)
{
    for (int i = 0; i < PLACES; i++) {
        const char *path = place(a, i, name);
        if (path && file_is_dir(path))
            return path;
    }
    return NULL;
}

void data_folder_tried(struct arena *a, const char *name, struct text *out)
{
    for (int i = 0; i < PLACES; i++) {
        const char *path = place(a, i, name);
        if (path)
            text_printf(out, "%s'%s'", out->len ? ", " : "", path);
    }
}

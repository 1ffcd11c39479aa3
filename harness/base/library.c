/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_functions(void *library, const char *const *names, void *out, size_t bytes, const char *file,
                       const char *hint, struct err *err)
{
    size_t at = 0;
    for (int i = 0; names[i]; i++, at += sizeof(void *)) {
        void *found = dlsym(library, names[i]);
        if (!found)
            return err_set(err, "%s has no %s%s", file, names[i], hint);
        if (at < bytes)
            memcpy((char *)out + at, &found, sizeof found);
    }
    if (at != bytes)
        bug("%s: %zu bytes of names for a struct of %zu", file, at, bytes);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* registry: look-up of plug-ins by name. The three tables differ in type only; each row starts with its name, so one
 * search over names serves all. */
#include "harness/plug/registry.h"

#include <string.h>

enum { NAMES_MAX = 64 };

/* Index of name, or -1 with an error that has the nearest name or all of them. */
static int registry_find(const char *what, const char *const *names, int n, const char *name, struct err *err)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    const char *near = str_nearest(name, names, n);
    if (near) {
        err_set(err, "unknown %s '%s', did you mean '%s'?", what, name, near);
        return -1;
    }
    struct text all = {0};
    text_names(&all, names, n);
    err_set(err, "unknown %s '%s', this binary has: %s", what, name, n ? text_str(&all) : "none");
    text_free(&all);
    return -1;
}

#define REGISTRY_LOOKUP(kind)                                                                                          \
    const struct kind *registry_##kind(const struct registry *k, const char *name, struct err *err)                    \
    {                                                                                                                  \
        const char *names[NAMES_MAX] = {0};                                                                            \
        int n = 0;                                                                                                     \
        for (; k->kind##s && k->kind##s[n] && n < NAMES_MAX; n++)                                                      \
            names[n] = k->kind##s[n]->name;                                                                            \
        int at = registry_find(#kind, names, n, name, err);                                                            \
        return at < 0 ? NULL : k->kind##s[at];                                                                         \
    }

REGISTRY_LOOKUP(searcher)
REGISTRY_LOOKUP(model)
REGISTRY_LOOKUP(target)

const char *registry_digest(const struct registry *k, const void *plug)
{
    for (int i = 0; i < k->nplugins; i++) {
        const struct registry_plugin *p = &k->plugins[i];
        for (int n = 0; p->searchers && p->searchers[n]; n++)
            if (p->searchers[n] == plug)
                return p->digest;
        for (int n = 0; p->models && p->models[n]; n++)
            if (p->models[n] == plug)
                return p->digest;
    }
    return NULL;
}

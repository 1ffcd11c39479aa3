/* SPDX-License-Identifier: Apache-2.0 */
/* plugins: the objects stay open until the program ends. */
#include "harness/cli/plugins.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/plug/plugin.h"

#include <dlfcn.h>
#include <string.h>

static bool same_abi(const struct plugin *p, const char *file, struct err *err)
{
    static const size_t ours[PLUGIN_NUMBERS] = PLUGIN_ABI;
    static const char *const what[PLUGIN_NUMBERS] = {"the version of the interface",
#define X(type) "the size of " #type,
                                                     PLUGIN_LAYOUT(X)
#undef X
    };
    for (int i = 0; i < PLUGIN_NUMBERS && what[i]; i++)
        if (p->abi[i] != ours[i])
            return err_set(err,
                           "'%s' is of another version: %s is %zu there and %zu here: compile it again with this "
                           "program's headers",
                           file, what[i], p->abi[i], ours[i]);
    return true;
}

static bool open_file(struct arena *a, const char *file, struct registry_plugin *out, struct err *err)
{
    char *bytes, digest[65];
    size_t n;
    const char *path =
        strchr(file, '/') ? file : arena_printf(a, "./%s", file); /* else folders of the system are searched */
    if (!file_read(a, path, 0, &bytes, &n, err))
        return err_context(err, "--plugin");
    digest_sha256(bytes, n, digest);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_set(err, "--plugin: %s", dlerror());
    const struct plugin *p = dlsym(library, "raingauge_plugin");
    if (!p)
        return err_set(err, "--plugin: '%s' exports no raingauge_plugin (harness/plug/plugin.h)", file);
    *out = (struct registry_plugin){arena_str(a, digest), p->searchers, p->models};
    return same_abi(p, file, err) || err_context(err, "--plugin");
}

/* Copies the rows of a table and those of the plug-in to one table. */
#define ADD_ROWS(kind)                                                                                                 \
    static bool add_##kind##s(struct arena *a, const struct kind *const *more, const char *file, struct registry *k,   \
                              struct err *err)                                                                         \
    {                                                                                                                  \
        int n = 0, m = 0;                                                                                              \
        while (k->kind##s[n])                                                                                          \
            n++;                                                                                                       \
        for (; more && more[m]; m++)                                                                                   \
            if (registry_##kind(k, more[m]->name, NULL))                                                               \
                return err_set(err, "--plugin: '%s' brings " #kind " '%s', which is there: name it otherwise", file,   \
                               more[m]->name);                                                                         \
        const struct kind **all = ARENA_ARRAY(a, const struct kind *, n + m + 1);                                      \
        for (int i = 0; i < n + m; i++)                                                                                \
            all[i] = i < n ? k->kind##s[i] : more[i - n];                                                              \
        k->kind##s = all;                                                                                              \
        return true;                                                                                                   \
    }
ADD_ROWS(searcher)
ADD_ROWS(model)

bool plugins_load(struct arena *a, const struct setting_strings *files, struct registry *k, struct err *err)
{
    struct registry_plugin *all = ARENA_ARRAY(a, struct registry_plugin, files->n + 1);
    for (int i = 0; i < files->n; i++)
        if (!open_file(a, files->at[i], &all[i], err) || !add_searchers(a, all[i].searchers, files->at[i], k, err) ||
            !add_models(a, all[i].models, files->at[i], k, err))
            return false;
    k->plugins = all;
    k->nplugins = files->n;
    return true;
}

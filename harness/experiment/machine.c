/* SPDX-License-Identifier: Apache-2.0 */
/* machine: reads a machine file. */
#include "harness/experiment/machine.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/yaml.h"

/* Other facts are for people. */
static bool read_limits(const struct yaml *facts, struct machine *out, struct err *err)
{
    if (facts && facts->kind != YAML_MAP)
        return true;
    return yaml_real(facts, "peak_gflops", false, 0, 1e9, &out->peak_gflops, err) &&
           yaml_real(facts, "memory_gb_s", false, 0, 1e9, &out->memory_gb_s, err) &&
           yaml_real(facts, "cache_mib", false, 0, 1e6, &out->cache_mib, err);
}

static bool read_nightly(const struct yaml *node, struct machine *out, struct err *err)
{
    static const char *const keys[] = {"experiment", "tier", "budget_s", "launches", NULL};
    int64_t launches = out->nightly.launches;
    if (!node)
        return true;
    if (!yaml_keys(node, keys, err) || !yaml_string(node, "experiment", false, &out->nightly.experiment, err) ||
        !yaml_string(node, "tier", false, &out->nightly.tier, err) ||
        !yaml_real(node, "budget_s", false, 1, 86400, &out->nightly.budget_s, err) ||
        !yaml_int(node, "launches", false, 7, 100, &launches, err))
        return false;
    out->nightly.launches = (int)launches;
    return true;
}

bool machine_load(struct arena *a, const char *dir, const char *name, struct machine *out, struct err *err)
{
    static const char *const keys[] = {"name",     "title", "target", "settings", "threads", "compare",
                                       "detected", "facts", "notes",  "nightly",  NULL};
    char *folder = file_join(a, dir, "machines"), *path = file_join(a, folder, arena_printf(a, "%s.yaml", name));
    struct yaml *doc;
    int64_t threads = 0;
    *out = (struct machine){.title = "",
                            .compare = "",
                            .notes = "",
                            .nightly = {.experiment = "nightly", .budget_s = 1800, .launches = 10}};
    if (!file_exists(path)) {
        char **names;
        int n = 0;
        struct err why = {0};
        const char *near =
            file_list(a, folder, ".yaml", &names, &n, &why) ? str_nearest(name, (const char *const *)names, n) : NULL;
        return near ? err_set(err, "unknown machine '%s': did you mean '%s'?", name, near)
                    : err_set(err, "unknown machine '%s': there is no '%s'", name, path);
    }
    if (!yaml_load(a, path, &doc, err) || !yaml_keys(doc, keys, err) ||
        !yaml_string(doc, "name", true, &out->name, err) || !yaml_string(doc, "title", false, &out->title, err) ||
        !yaml_string(doc, "target", true, &out->target, err) ||
        !yaml_settings(a, doc, "settings", &out->settings, err) ||
        !yaml_int(doc, "threads", false, 0, 4096, &threads, err) ||
        !yaml_string(doc, "compare", false, &out->compare, err) ||
        !yaml_bool(doc, "detected", false, &out->detected, err) || !yaml_string(doc, "notes", false, &out->notes, err))
        return false;
    out->threads = (int)threads;
    return read_limits(yaml_get(doc, "facts"), out, err) && read_nightly(yaml_get(doc, "nightly"), out, err);
}

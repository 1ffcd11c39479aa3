/* SPDX-License-Identifier: Apache-2.0 */
/* machine: the keys of a machine file, and the maps in it. */
#include "harness/experiment/machine.h"

#include "harness/base/file.h"
#include "harness/experiment/layers.h"

const struct setting machine_facts_keys[] = {
    REAL_SETTING("peak_gflops", struct machine, peak_gflops, "0", 0, 1e9,
                 "Most float32 operations, 10^9 a second. 0: not given."),
    REAL_SETTING("memory_gb_s", struct machine, memory_gb_s, "0", 0, 1e9,
                 "Most bytes from memory, 10^9 a second. 0: not given."),
    REAL_SETTING("cache_mib", struct machine, cache_mib, "0", 0, 1e6, "Last-level cache. 0: not given."),
    {0},
};
const struct setting machine_nightly_keys[] = {
    STRING_SETTING("experiment", struct machine_nightly, experiment, "nightly", "Stem of the experiment."),
    STRING_SETTING("tier", struct machine_nightly, tier, NULL, "Its tier. Without it, smoke if there is one."),
    REAL_SETTING("budget_s", struct machine_nightly, budget_s, "1800", 1, 86400,
                 "Seconds of a night, its rerun included."),
    INT_SETTING("launches", struct machine_nightly, launches, "10", 7, 100,
                "Fresh processes that time each pinned program."),
    {0},
};
const struct setting machine_keys[] = {
    STRING_SETTING("name", struct machine, name, NULL, "Name of the machine: that of the file without .yaml.",
                   .needed = true),
    STRING_SETTING("title", struct machine, title, "", "One line for people."),
    STRING_SETTING("target", struct machine, target, NULL, "What compiles and runs (`raingauge list targets`).",
                   .needed = true),
    PAIRS_SETTING("settings", struct machine, settings, "Settings of the target."),
    INT_SETTING("threads", struct machine, threads, "0", 0, 4096, "Threads of a kernel. 0: one for each online core."),
    STRING_SETTING("compare", struct machine, compare, "",
                   "The machine of a paper whose published numbers are shown beside ours."),
    BOOL_SETTING("detected", struct machine, detected, "false", "It is the machine that raingauge runs on."),
    MAP_SETTING("facts", machine_facts_keys,
                "Upper limits of the hardware. Any other fact may stand here, for people."),
    MAP_SETTING("notes", NULL, "Anything, for people."),
    MAP_SETTING("nightly", machine_nightly_keys, "What `raingauge nightly` runs on it."),
    {0},
};

static bool read_nightly(struct arena *a, const struct yaml *node, struct machine_nightly *out, struct err *err)
{
    static const struct setting *const KNOWN[] = {machine_nightly_keys, NULL};
    struct layers l = layers_of(a, node);
    if (!node) {
        setting_defaults(machine_nightly_keys, out);
        return true;
    }
    return layers_known(node, KNOWN, err) && layers_read(&l, machine_nightly_keys, out, err);
}

/* Other facts are for people. */
static bool read_facts(struct arena *a, const struct yaml *node, struct machine *out, struct err *err)
{
    struct layers l = layers_of(a, node);
    return !node || node->kind != YAML_MAP || layers_read(&l, machine_facts_keys, out, err);
}

bool machine_load(struct arena *a, const char *dir, const char *name, struct machine *out, struct err *err)
{
    static const struct setting *const KNOWN[] = {machine_keys, NULL};
    const char *path;
    struct yaml *doc;
    if (!yaml_find(a, file_join(a, dir, "machines"), "machine", name, &path, err) || !yaml_load(a, path, &doc, err) ||
        !layers_known(doc, KNOWN, err))
        return false;
    struct layers l = layers_of(a, doc);
    *out = (struct machine){0};
    return layers_read(&l, machine_keys, out, err) && read_facts(a, yaml_get(doc, "facts"), out, err) &&
           read_nightly(a, yaml_get(doc, "nightly"), &out->nightly, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* machine: the keys of a machine file, and the maps in it. */
#include "harness/experiment/machine.h"

#include "harness/base/file.h"
#include "harness/experiment/layers.h"
#include "harness/measure/regime.h"

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
    INT_SETTING("keep", struct machine_nightly, keep, "14", 1, 100000,
                "Nights whose results folders and binaries are kept, beside those at a change point or accepted."),
    {0},
};
const struct setting machine_limits_keys[] = {
    INT_SETTING("vector_bytes", struct machine, limits.vector_bytes, "0", 0, 4096, "Longest vector of a load."),
    INT_SETTING("cache_line", struct machine, limits.cache_line, "0", 0, 4096, "Bytes of a cache line."),
    INT_SETTING("shared_bytes", struct machine, limits.shared_bytes, "0", 0, 1 << 30, "Shared memory of a block."),
    INT_SETTING("local_bytes", struct machine, limits.local_bytes, "0", 0, INT32_MAX, "Local memory of a block."),
    INT_SETTING("threads_per_block", struct machine, limits.threads_per_block, "0", 0, 65536,
                "Most threads of a block."),
    INT_SETTING("vthread_extent", struct machine, limits.vthread_extent, "0", 0, 1024, "Most virtual threads."),
    INT_SETTING("warp_size", struct machine, limits.warp_size, "0", 0, 1024, "Threads of a warp."),
    {0},
};
const struct setting machine_analyzer_keys[] = {
    REAL_SETTING("peak_gflops", struct machine_analyzer, peak_gflops, "0", 0, 1e9,
                 "Float32 operations, 10^9 a second."),
    REAL_SETTING("memory_gb_s", struct machine_analyzer, memory_gb_s, "0", 0, 1e9, "Bytes from memory, 10^9 a second."),
    INT_SETTING("multiprocessors", struct machine_analyzer, multiprocessors, "0", 0, 65536, "How many it has."),
    INT_SETTING("blocks_per_multiprocessor", struct machine_analyzer, blocks_per_multiprocessor, "1", 1, 1024,
                "Blocks that one runs at a time."),
    INT_SETTING("multiprocessor_partitions", struct machine_analyzer, multiprocessor_partitions, "4", 1, 1024,
                "Warp schedulers of one."),
    INT_SETTING("warp_size", struct machine_analyzer, warp_size, "32", 1, 1024, "Threads of a warp."),
    INT_SETTING("thread_registers", struct machine_analyzer, thread_registers, "128", 1, 65536,
                "Registers of a thread from which on it counts as slower."),
    INT_SETTING("vector_lanes", struct machine_analyzer, vector_lanes, "0", 0, 1024,
                "Of a CPU: float32 numbers of a vector, as code for it is compiled."),
    INT_SETTING("vector_registers", struct machine_analyzer, vector_registers, "0", 0, 1024,
                "Of a CPU: vector registers."),
    REAL_SETTING("l1_kib", struct machine_analyzer, l1_kib, "0", 0, 1e9, "Of a CPU: first-level data cache of a core."),
    REAL_SETTING("l2_kib", struct machine_analyzer, l2_kib, "0", 0, 1e9, "Of a CPU: second-level cache of a core."),
    REAL_SETTING("l3_kib", struct machine_analyzer, l3_kib, "0", 0, 1e9,
                 "Of a CPU: third-level cache that its cores share."),
    {0},
};
const struct setting machine_keys[] = {
    STRING_SETTING("name", struct machine, name, NULL, "Name of the machine: that of the file without .yaml.",
                   .needed = true),
    STRINGS_SETTING("aliases", struct machine, aliases, "Its other names: in old files and in papers."),
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
    STRINGS_SETTING("regimes", struct machine, regimes,
                    "Presets of the timing protocols that papers used on it, the explorer's first."),
    MAP_SETTING("limits", machine_limits_keys, "Limits of schedules, as TVM's records hold them."),
    MAP_SETTING("symbol_analyzer", machine_analyzer_keys,
                "What model `sa` (Pruner's Symbol-based Analyzer) takes it for."),
    MAP_SETTING("match", machine_match_keys, "How to tell that a computer is this machine."),
    MAP_SETTING("notes", NULL, "Anything, for people."),
    MAP_SETTING("nightly", machine_nightly_keys, "What `raingauge nightly` runs on it."),
    {0},
};

/* Other facts are for people. */
static bool read_facts(struct arena *a, const struct yaml *node, struct machine *out, struct err *err)
{
    struct layers l = layers_of(a, node);
    return !node || node->kind != YAML_MAP || layers_read(&l, machine_facts_keys, out, err);
}

/* A map with a table of its own; without it, out stays as it is. */
static bool read_map(struct arena *a, const struct yaml *doc, const char *key, const struct setting *table, void *out,
                     struct err *err)
{
    const struct setting *const known[] = {table, NULL};
    const struct yaml *node = yaml_get(doc, key);
    struct layers l = layers_of(a, node);
    return !node || (layers_known(node, known, err) && layers_read(&l, table, out, err));
}

static bool check_range(const struct yaml *match, const char *key, const struct setting_ints *range, struct err *err)
{
    if (range->n == 0 || (range->n == 2 && range->at[0] <= range->at[1]))
        return true;
    return yaml_err(yaml_get(match, key), err, "%s takes two numbers, the least and the most", key);
}

static bool read_match(struct arena *a, const struct yaml *doc, struct machine_match *out, struct err *err)
{
    const struct yaml *node = yaml_get(doc, "match");
    return read_map(a, doc, "match", machine_match_keys, out, err) && check_range(node, "cores", &out->cores, err) &&
           check_range(node, "memory_gib", &out->memory_gib, err) &&
           check_range(node, "gpu_memory_gib", &out->gpu_memory_gib, err);
}

static bool check_regimes(const struct yaml *doc, const struct machine *m, struct err *err)
{
    for (int i = 0; i < m->regimes.n; i++) {
        struct regime ignored;
        struct err why = {0};
        if (!regime_named(m->regimes.at[i], &ignored, &why))
            return yaml_err(yaml_get(doc, "regimes"), err, "%s", why.text);
    }
    return true;
}

/* The file that has the name among its aliases; NULL: none. A file that cannot be read has none. */
static const char *file_with_alias(struct arena *a, const char *folder, const char *name)
{
    char **names;
    int n = 0;
    struct err ignored = {0};
    if (!file_list(a, folder, ".yaml", &names, &n, &ignored))
        return NULL;
    for (int i = 0; i < n; i++) {
        const char *path = file_join(a, folder, arena_printf(a, "%s.yaml", names[i]));
        struct setting_strings aliases = {0};
        struct yaml *doc;
        if (!yaml_load(a, path, &doc, &ignored) || doc->kind != YAML_MAP ||
            !yaml_strings(a, doc, "aliases", false, &aliases.at, &aliases.n, &ignored))
            continue;
        for (int k = 0; k < aliases.n; k++)
            if (str_eq(aliases.at[k], name))
                return path;
    }
    return NULL;
}

static bool find(struct arena *a, const char *dir, const char *name, const char **path, struct err *err)
{
    const char *folder = file_join(a, dir, "machines");
    struct err why = {0};
    if (yaml_find(a, folder, "machine", name, path, &why) || (*path = file_with_alias(a, folder, name)))
        return true;
    return err_set(err, "%s", why.text);
}

bool machine_load(struct arena *a, const char *dir, const char *name, struct machine *out, struct err *err)
{
    static const struct setting *const KNOWN[] = {machine_keys, NULL};
    const char *path;
    struct yaml *doc;
    if (!find(a, dir, name, &path, err) || !yaml_load(a, path, &doc, err) || !layers_known(doc, KNOWN, err))
        return false;
    struct layers l = layers_of(a, doc);
    *out = (struct machine){0};
    setting_defaults(machine_nightly_keys, &out->nightly);
    return layers_read(&l, machine_keys, out, err) && read_facts(a, yaml_get(doc, "facts"), out, err) &&
           read_map(a, doc, "nightly", machine_nightly_keys, &out->nightly, err) && check_regimes(doc, out, err) &&
           read_map(a, doc, "limits", machine_limits_keys, out, err) &&
           read_map(a, doc, "symbol_analyzer", machine_analyzer_keys, &out->analyzer, err) &&
           read_match(a, doc, &out->match, err);
}

bool machine_takes(struct arena *a, const char *dir, const char *name, const struct machine_traits *t)
{
    const char *path;
    struct machine m;
    struct err ignored = {0};
    if (!find(a, dir, name, &path, &ignored))
        return true;
    return machine_load(a, dir, name, &m, &ignored) &&
           (!machine_match_given(&m.match) || !machine_mismatch(a, &m.match, t));
}

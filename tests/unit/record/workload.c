/* SPDX-License-Identifier: Apache-2.0 */
/* workload: the hash that TVM v0.16 gives to the kernels of the authors' records (data/tvm_oracle/definitions.txt says
 * for which it is the records' own), keys and their shapes. */
#include "harness/record/tvm/workload.h"

#include "harness/base/file.h"
#include "harness/record/tvm/tvm_log.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

/* The kernel of the first released record with this hash. */
static const struct tvm_log_entry *record_with(const struct tvm_log *logs, int n, const char *hash)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < logs[i].n; k++)
            if (str_eq(logs[i].entries[k].hash, hash))
                return &logs[i].entries[k];
    return NULL;
}

static int read_logs(const char *dir, struct tvm_log *logs, int most)
{
    char **names;
    int n = 0, found = 0;
    struct err err = {0};
    if (!file_list(arena, dir, ".steps.jsonl", &names, &n, &err))
        return 0;
    for (int i = 0; i < n && found < most; i++)
        if (tvm_log_read(arena, file_join(arena, dir, arena_printf(arena, "%s.steps.jsonl", names[i])), &logs[found],
                         &err))
            found++;
    return found;
}

static void check_hash(const char *hash, const struct tvm_log_entry *e)
{
    struct task *task;
    struct err err = {0};
    struct workload key, ours;
    if (!e || !task_parse(arena, e->spec, &task, &err)) {
        fail("a released record has the hash %s: %s", hash, err.text);
        return;
    }
    is_str(workload_hash(arena, task->dag, false), hash, "the hash of %s is TVM's", task->name);
    workload_of(task, &ours);
    ok(workload_parse(arena, e->workload_key, &key, &err) && workload_fits(&key, &ours) && str_eq(key.name, hash),
       "the record's key fits the shapes of %s", task->name);
}

static void test_hashes(void)
{
    static struct tvm_log logs[64];
    char *text;
    size_t size;
    struct err err = {0};
    const char *path = shared_path("data/tvm_oracle/definitions.txt");
    if (!path) {
        skip("the published data is not here", "the workload hashes are TVM's");
        return;
    }
    if (!ok(file_read(arena, path, 0, &text, &size, &err), "TVM's definitions are read: %s", err.text))
        return;
    int n = read_logs(shared_path("data/kernels"), logs, 64), reproduced = 0;
    for (char *at = strstr(text, "## "); at; at = strstr(at + 3, "## ")) {
        const char *end = strchr(at, '\n'), *yes = strstr(at, "hash_reproduced=True");
        if (!yes || yes > end)
            continue;
        const char *hash = arena_strn(arena, at + 3, 32);
        check_hash(hash, record_with(logs, n, hash));
        reproduced++;
    }
    ok(reproduced > 50, "more than 50 hashes are compared: %d", reproduced);
}

static void test_keys(void)
{
    static const char *const BROKEN[] = {"",
                                         "{}",
                                         "[]",
                                         "[3]",
                                         "[\"h\", [1, 0]]",
                                         "[\"h\", [1.5]]",
                                         "[\"h\", {}]",
                                         "[\"h\", [[1]]]",
                                         "[\"h\", [1, 2, 3, 4, 5, 6, 7, 8, 9]]"};
    struct workload w, task;
    struct err err = {0};
    for (size_t i = 0; i < sizeof BROKEN / sizeof *BROKEN; i++)
        ok(!workload_parse(arena, BROKEN[i], &w, &err), "a workload key is refused: %s (%s)", BROKEN[i], err.text);
    ok(workload_parse(arena, "[\"matmul\", 4, 8, 2, \"float32\"]", &w, &err) && w.nshapes == 0 && w.nnumbers == 3,
       "a workload key of numbers and a data type is read: %s", err.text);
    workload_of(fixture_task(arena, "dense n=4 ci=64 co=32"), &task);
    ok(workload_parse(arena, "[\"h\", [4, 64], [32, 64], [4, 32]]", &w, &err) && workload_fits(&w, &task),
       "a key with the shapes of a task fits it");
    ok(workload_parse(arena, "[\"h\", [4, 64], [64, 32], [4, 32]]", &w, &err) && !workload_fits(&w, &task),
       "a key with other shapes does not fit a task");
    ok(workload_parse(arena, "[\"h\", [4, 64], [32, 64]]", &w, &err) && !workload_fits(&w, &task),
       "a key with a part of the shapes does not fit a task");
    ok(workload_parse(arena, "[\"h\", 4, 64, 32, 64, 4, 32]", &w, &err) && workload_fits(&w, &task),
       "an old log's row of numbers fits a task");
    ok(workload_parse(arena, "[\"h\", [4, 64], [32, 64], [4, 1, 32, 1]]", &w, &err) && workload_fits(&w, &task),
       "dimensions of 1 in the output do not count for a fit");
}

/* The other three workloads of the records, whose graph is another in TVM v0.16; hashes: data/kernels. */
static void test_older(void)
{
    static const char *const OLDER[][2] = {{"dense ci=4096 co=1000 bias=1", "00a059b856ac30ac172b6252254479a6"},
                                           {"dense ci=9216 co=4096 bias=1 relu=1", "8879a6f07161b9cfdcdaa15096d38651"},
                                           {"mean c=1024 hi=7 wi=7 cb=4", "7e7415be111b9d7a48ca6e86453599d1"}};
    for (size_t i = 0; i < sizeof OLDER / sizeof *OLDER; i++) {
        const struct task *t = fixture_task(arena, OLDER[i][0]);
        is_str(workload_hash(arena, t->dag, true), OLDER[i][1], "the older hash of %s is the authors'", t->name);
    }
}

int main(void)
{
    test_keys();
    test_hashes();
    test_older();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* identity: every kernel of the authors' sets is one of our operators; a record in TVM's form, which has only a hash
 * and shapes, is found to be of the very kernel that the same record describes in words; functions by their names; what
 * cannot be told is refused. */
#include "harness/record/tvm/record_task.h"

#include "harness/base/file.h"
#include "harness/program/ops/task.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

/* ---- keys ---- */

static bool same_task(const char *x, const char *y)
{
    return str_eq(fixture_task(arena, x)->spec, fixture_task(arena, y)->spec);
}

/* The kernel in words, among those found by the key. The hash hides padding and the windows of poolings, so the list
 * may have more. */
static void check_record(struct record_task *id, struct tvm_log_entry e, int *found, int *certain)
{
    struct found_task k;
    struct err err = {0};
    const char *spec = e.spec;
    bool in = false;
    e.spec = NULL;
    if (!record_task_find(id, &e, &k, &err)) {
        diag("%s: %s", spec, err.text);
        return;
    }
    for (int i = 0; i < k.n; i++)
        in = in || same_task(k.specs[i], spec) || str_starts(k.specs[i], "mean ");
    if (!in)
        diag("%s: not among %d, first %s", spec, k.n, k.specs[0]);
    *found += in;
    *certain += k.certain;
}

static void test_keys(const char *dir)
{
    char **names;
    int n = 0, records = 0, found = 0, certain = 0;
    struct err err = {0};
    struct record_task *id = record_task_open(NULL, 0, NULL);
    if (!file_list(arena, dir, ".steps.jsonl", &names, &n, &err))
        n = 0;
    for (int i = 0; i < n; i++) {
        struct tvm_log log;
        const char *path = file_join(arena, dir, arena_printf(arena, "%s.steps.jsonl", names[i]));
        if (!ok(tvm_log_read(arena, path, &log, &err), "the records of %s are read", names[i]))
            continue;
        for (int k = 0; k < log.n; k++)
            check_record(id, log.entries[k], &found, &certain);
        records += log.n;
    }
    ok(records > 400, "more than 400 records are compared: %d", records);
    is_int(found, records, "the described kernel of every record is among those of its hash and shapes");
    is_int(certain, records, "the hash of every record tells its kernel for certain");
    record_task_close(id);
}

/* ---- names ---- */

static void is_kernel(struct record_task *id, struct tvm_log_entry e, const char *want, const char *what)
{
    struct found_task k = {0};
    struct err err = {0};
    bool told = record_task_find(id, &e, &k, &err);
    ok(told && k.certain && k.n == 1 && same_task(k.specs[0], want), "%s is recognised: %s", what,
       told ? k.specs[0] : err.text);
}

static void test_names(void)
{
    struct record_task *id = record_task_open(NULL, 0, NULL);
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"matmul_layer\", 1, 1024, 512]"}, "matmul n=1 k=1024 m=512",
              "bennu's matmul");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"conv2d_ansor\", [1, 3, 224, 224], [64, 3, 3, 3]]"},
              "conv2d ci=3 hi=224 wi=224 co=64 kh=3 kw=3 ph=1 pw=1 layout=nchw", "bennu's convolution");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"conv2d_layer\", 1, 7, 7, 512, 256, 3, 3, [1, 1], [1, 1]]"},
              "conv2d hi=7 wi=7 co=512 ci=256 kh=3 kw=3 ph=1 pw=1 layout=nchw bias=1 relu=1", "TVM's tutorial");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"conv2d_layer\", 8, 4, 9, 9, 6, 3, 4, 1, \"SAME\"]"},
              "conv2d n=8 ci=4 hi=9 wi=9 co=6 kh=3 kw=4 ph=1 pw=2,1 layout=nchw", "bennu's convolution for GPUs");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"depthwise_conv2d_layer\", 8, 4, 9, 9, 5, 5, 2, \"SAME\"]"},
              "depthwise_conv2d n=8 ci=4 hi=9 wi=9 kh=5 kw=5 sh=2 sw=2 ph=2 pw=2 layout=nchw", "its depthwise one");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"pool_layer\", \"avg\", 8, 4, 9, 9, 1, 1, 2, \"VALID\"]"},
              "pool2d n=8 c=4 hi=9 wi=9 kh=1 kw=1 sh=2 sw=2 pool=avg layout=nchw", "bennu's pooling");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"reduction_layer\", [8, 4, 9], 2, false]"},
              "reduce n=8 h=4 m=9", "bennu's reduction");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "[\"relu_layer\", 8, 4]"}, "map n=8 c=4 by=relu",
              "bennu's relu");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "", .label = "gap_7_512"},
              "global_pool2d c=512 hi=7 wi=7 layout=nchw", "a case of the oracle");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "", .spec = "softmax c=7"}, "softmax c=7", "in words");
    record_task_close(id);
    id = record_task_open(NULL, 0, "softmax c=9");
    is_kernel(id, (struct tvm_log_entry){.workload_key = "", .spec = "softmax c=7"}, "softmax c=9", "as was asked");
    record_task_close(id);
}

static void test_refused(void)
{
    static const char *const KEYS[] = {"[\"0123\", [3, 5], [7, 9]]",
                                       "[\"0123\", [3, 5]]",
                                       "[\"0123\"]",
                                       "[\"a_function\", 3, 5]",
                                       "[\"matmul_layer\", 3]",
                                       "[\"reduction_layer\", [8, 4, 9], 1, false]",
                                       "[\"reduction_layer\", [8, 4, 9], 2, true]",
                                       "[\"pool_layer\", \"avg\", 8, 4, 9, 9, 1, 1, 2, \"SAME\"]",
                                       "[\"0123\", [1, 99999999, 4], [1, 9999999999, 4]]",
                                       "{}"};
    struct record_task *id = record_task_open(NULL, 0, NULL);
    struct found_task k;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        struct err err = {0};
        struct tvm_log_entry e = {.workload_key = KEYS[i]};
        ok(!record_task_find(id, &e, &k, &err) && err.text[0], "a workload key without a kernel is refused: %s: %s",
           KEYS[i], err.text);
    }
    record_task_close(id);
}

/* A kernel that people know comes before a guess, and more keys than are kept do not mix up. */
static void test_known(void)
{
    static const char *const KNOWN[] = {"conv2d ci=4 hi=8 wi=8 co=4 kh=3 kw=3 sh=2 sw=2 ph=0,1 pw=0,1 cib=4 cob=4"};
    struct record_task *id = record_task_open(KNOWN, 1, NULL);
    struct found_task k;
    struct err err = {0};
    struct tvm_log_entry e = {.workload_key = "[\"no hash\", [1, 1, 8, 8, 4], [1, 1, 3, 3, 4, 4], [1, 1, 4, 4, 4]]"};
    ok(record_task_find(id, &e, &k, &err) && k.n > 1 && !k.certain && str_eq(k.specs[0], KNOWN[0]),
       "a known kernel comes before a guess");
    int right = 0;
    for (int i = 0; i < 600; i++) {
        e.workload_key = arena_printf(arena, "[\"no hash\", [1, %d], [1, %d]]", 2 + i % 300, 2 + i % 300);
        right += record_task_find(id, &e, &k, &err) &&
                 str_eq(k.specs[0], arena_printf(arena, "softmax n=1 c=%d", 2 + i % 300));
    }
    is_int(right, 600, "600 keys in turn give each its own kernel");
    record_task_close(id);
}

int main(void)
{
    test_names();
    test_refused();
    test_known();
    const char *path = shared_path("data/kernels");
    if (path) {
        test_keys(arena_str(arena, path));
    } else {
        skip("the published data is not here (RAINGAUGE_SHARED)", "the kernels of the authors' records are recognised");
    }
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* TVM's record lines: a made-up example, broken lines, the released logs (data/tvm_logs,
 * data/kernels). */
#include "harness/record/tvm/tvm_log.h"

#include "harness/program/ops/task.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char EXAMPLE[] =
    "{\"i\": [[\"[\\\"0123abcd\\\", [64, 64], [64, 64], [64, 64]]\", \"llvm -keys=cpu\", [8, 64, 64, 0, 0, 0, 0, 0], "
    "\"\", "
    "2, []], [[], [[\"SP\", 2, 0, 64, [2, 2, 4], 1], [\"SP\", 2, 4, 64, [1, 4, 8], 1], [\"SP\", 2, 8, 64, [4], 1], "
    "[\"RE\", "
    "2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]], [\"FU\", 2, [0, 1]], [\"AN\", 2, 0, 3], [\"PR\", 2, 0, "
    "\"auto_unroll_max_step$64\"], [\"AN\", 2, 8, 2]]]], \"r\": [[1.2e-05], 0, 0.31, 1700000000], \"v\": \"v0.6\"}";

static bool parse(const char *line, struct tvm_log_entry *e, struct err *err)
{
    *err = (struct err){0};
    return tvm_log_parse(arena, line, strlen(line), e, err);
}

static void test_example(void)
{
    struct tvm_log_entry e;
    struct err err;
    struct sample s;
    if (!ok(parse(EXAMPLE, &e, &err), "the example parses: %s", err.text))
        return;
    is_str(e.hash, "0123abcd", "a record line has its workload hash");
    is_str(e.target, "llvm -keys=cpu", "a record line has its target");
    ok(e.hw[0] == 8 && e.hw[2] == 64 && e.layout == 2 && e.nsteps == 8 && e.unix_s == 1700000000,
       "a record line has its hardware parameters, layout, steps and time");
    ok(e.spec == NULL, "TVM's form does not say which kernel");
    tvm_log_sample(&e, &s);
    ok(s.outcome == OUTCOME_OK && s.nseconds == 1 && s.seconds[0] == 1.2e-05 && s.cost_s == 0.31,
       "a record line becomes a sample");
}

static void test_broken(void)
{
    static const char *const LINES[][2] = {
        {"", "JSON"},
        {"[]", "object"},
        {"{\"i\": 3}", "workload key"},
        {"{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], []]], \"r\": [[1e-5], 0, 0.3, 17], \"v\": \"v0.5\"}", "v0.5"},
        {"{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], []]], \"r\": [[], 0, 0.3, 17], \"v\": \"v0.6\"}", "costs"},
        {"{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], []]], \"r\": [[-1], 0, 0.3, 17], \"v\": \"v0.6\"}", "above 0"},
        {"{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], []]], \"r\": [[1], 9, 0.3, 17], \"v\": \"v0.6\"}", "error number"},
        {"{\"i\": [[\"[3]\", \"llvm\"], [[], []]], \"r\": [[1], 0, 0.3, 17], \"v\": \"v0.6\"}", "workload key"},
        {"{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], [[\"XX\", 1]]]], \"r\": [[1], 0, 0.3, 17], \"v\": \"v0.6\"}",
         "XX"},
        {"{\"i\": [[\"[\\\"h\\\"]\", \"llvm\", [1.5]], [[], []]], \"r\": [[1], 0, 0.3, 17], \"v\": \"v0.6\"}",
         "hardware"},
        {"{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], []]], \"r\": [[1], 0, 0.3", "JSON"},
    };
    struct tvm_log_entry e;
    struct err err;
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        ok(!parse(LINES[i][0], &e, &err) && strstr(err.text, LINES[i][1]), "a broken line is refused: %s", err.text);
    ok(parse("{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], []]], \"r\": [[1], 0, 0.3, 17], \"v\": \"v0.6\"}", &e, &err),
       "a short task array is legal");
}

static void test_file(void)
{
    struct err err = {0};
    const char *lines = arena_printf(arena, "# a comment\n%s\nrubbish\n\n%s", EXAMPLE, EXAMPLE);
    const char *path = fixture_file("log", lines);
    struct tvm_log log;
    ok(tvm_log_read(arena, path, &log, &err), "a file of record lines is read: %s", err.text);
    ok(log.n == 2 && log.entries[0].line == 2 && log.entries[1].line == 5, "two records of the file know their lines");
    ok(log.nrefused == 1 && log.skipped == 2, "one line is refused and two are skipped");
    ok(log.nrefused == 1 && str_starts(log.refused[0], arena_printf(arena, "%s:3:", path)),
       "the refused line is told with its place: %s", log.nrefused ? log.refused[0] : "");
    fixture_remove(path);
    ok(!tvm_log_read(arena, path, &log, &err), "a missing file is refused: %s", err.text);
}

/* Lines, error codes and best time as the authors' logs gives them. */
static void test_released(void)
{
    static const struct {
        const char *name;
        int lines, fine;
        double best;
    } LOGS[] = {
        {"rtx3080_matmul", 306, 302, 8.12282e-06}, {"rtx3080_matmul_droplet", 51, 24, 0}, {"cpu_conv2d", 100, 98, 0}};
    for (int i = 0; i < 3; i++) {
        char name[96];
        snprintf(name, sizeof name, "data/tvm_logs/%s.jsonl", LOGS[i].name);
        const char *path = shared_path(name);
        struct tvm_log log;
        struct err err = {0};
        if (!path) {
            skip("no released data", "the released log %s is read", name);
            continue;
        }
        if (!ok(tvm_log_read(arena, path, &log, &err), "the released log %s is read: %s", name, err.text))
            continue;
        int fine = 0;
        double best = INFINITY;
        for (int j = 0; j < log.n; j++) {
            struct sample s;
            tvm_log_sample(&log.entries[j], &s);
            fine += s.outcome == OUTCOME_OK;
            best = fmin(best, sample_mean(&s));
        }
        is_int(log.n, LOGS[i].lines, "%s has its number of lines (%s)", name,
               log.nrefused ? log.refused[0] : "none refused");
        is_int(fine, LOGS[i].fine, "%s has its number of records without error", name);
        if (LOGS[i].best > 0)
            is_near(best, LOGS[i].best, 1e-9, "%s has its best time", name);
    }
}

static void test_kernels(void)
{
    const char *path = shared_path("data/kernels/alexnet.steps.jsonl");
    struct tvm_log log;
    struct err err = {0};
    if (!path) {
        skip("no released data", "the released records of alexnet are read");
        return;
    }
    if (!ok(tvm_log_read(arena, path, &log, &err) && log.n == 13, "the 13 released records of alexnet are read: %s",
            err.text))
        return;
    const struct tvm_log_entry *e = &log.entries[1];
    is_str(e->spec, "pool2d n=1 c=256 hi=13 wi=13 ho=6 wo=6 cb=4 kh=3 kw=3 sh=2 sw=2 ph=0 pw=0 pool=max",
           "a released record names its kernel");
    is_str(e->workload_key, "[\"51c977fb71f791c1e32d4e8c7a8e5cc7\",[1,64,13,13,4],[1,64,6,6,4]]",
           "a released record has its workload key");
    int parsed = 0;
    for (int i = 0; i < log.n; i++) {
        struct task *task;
        if (task_parse(arena, log.entries[i].spec, &task, &err))
            parsed++;
        else
            diag("%s", err.text);
    }
    is_int(parsed, 13, "all released records of alexnet are of known kernels");
}

static void test_failure(void)
{
    struct tvm_log_entry e;
    struct sample s;
    struct err err;
    ok(parse("{\"i\": [[\"[\\\"h\\\"]\", \"llvm\"], [[], []]], \"r\": [[1e10], 7, 10, 17], \"v\": \"v0.6\"}", &e,
             &err) &&
           e.error == 7 && e.costs[0] == 1e10,
       "a failed record of TVM has error 7 and a cost of 1e10 s");
    tvm_log_sample(&e, &s);
    ok(s.outcome == OUTCOME_RUN_TIMEOUT && s.nseconds == 0 && s.cost_s == 10,
       "TVM's error 7 is a run time-out without times");
}

int main(void)
{
    test_example();
    test_broken();
    test_file();
    test_released();
    test_kernels();
    test_failure();
    return done_testing();
}

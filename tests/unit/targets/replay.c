/* SPDX-License-Identifier: Apache-2.0 */
/* replay: answers as recorded, repeat by repeat; other programs are refused, or get the row that is nearest by the rule
 * of targets/replay.c. Files that are no whole recording are refused with their line (tests/cli/recorded.sh has more).
 */
#include "harness/measure/worker.h"
#include "harness/plug/recording_write.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *file;
static struct task *task;

struct device {
    const struct target *t;
    struct target_env env;
    struct limits limits;
    void *self;
};

static bool device_open(struct device *d, const char *settings, struct err *err)
{
    *d = (struct device){.t = fixture_target("replay")};
    return target_begin(d->t, settings, arena, &d->env, &d->self, &d->limits, err);
}

/* "C is split into parts of these lengths, with that unroll limit" */
static const char *split_in(int length, int unroll)
{
    return arena_printf(arena, "[[\"SP\", 2, 0, 64, [%d], 1], [\"PR\", 2, 0, \"auto_unroll_max_step$%d\"]]", length,
                        unroll);
}

static void put(struct recording_writer *w, const char *json, struct sample s)
{
    struct err err = {0};
    int n;
    struct step *steps = fixture_steps(arena, json, &n);
    ok(recording_put(w, 0, steps, n, &s, &err), "a row is written %s", err.text);
}

static void write_recording(void)
{
    struct recording_writer *w;
    struct err err = {0};
    const struct recording_task one = {task->spec, 1};
    const struct recording_head head = {"machine", "target", "by hand", "", limits_cpu(4), 0, &one, 1};
    file = fixture_path("recording");
    fixture_must(recording_create(file, &head, 0, &w, &err), &err);
    put(w, split_in(2, 16), (struct sample){.nseconds = 3, .seconds = {1e-3, 2e-3, 3e-3}});
    put(w, split_in(8, 16), (struct sample){.nseconds = 1, .seconds = {8e-3}});
    put(w, split_in(32, 16), (struct sample){.nseconds = 1, .seconds = {32e-3}});
    put(w, split_in(16, 64), (struct sample){.outcome = OUTCOME_CRASHED, .message = "it fell \"over\""});
    put(w, split_in(2, 16), (struct sample){.nseconds = 1, .seconds = {7}}); /* repeats a program: never asked */
    ok(recording_finish(w, &err), "the recording is finished %s", err.text);
    recording_close(w);
}

static enum outcome build(struct device *d, const char *json, void **kernel, char message[SAMPLE_MESSAGE])
{
    struct blob object = {0};
    struct candidate c = {.task = task};
    c.steps = fixture_steps(arena, json, &c.nsteps);
    enum outcome o = d->t->build(d->self, &c, &object, message);
    if (o == OUTCOME_OK)
        o = d->t->load(d->self, &c, &object, kernel, message);
    free(object.bytes);
    return o;
}

static double call(struct device *d, void *kernel, int number)
{
    char message[SAMPLE_MESSAGE];
    double seconds = 0;
    return d->t->run(d->self, kernel, NULL, number, &seconds, message) == OUTCOME_OK ? seconds : -1;
}

static void test_answers(void)
{
    struct device d;
    struct err err = {0};
    void *kernel = NULL;
    char message[SAMPLE_MESSAGE] = "";
    ok(device_open(&d, arena_printf(arena, "recording=%s", file), &err), "the recording is opened %s", err.text);
    ok(d.limits.cores == 4 && !d.limits.is_gpu, "the limits are those of the recorded machine");
    is_int(build(&d, split_in(2, 16), &kernel, message), OUTCOME_OK, "a recorded program is there");
    is_near(call(&d, kernel, 1), 1e-3, 0, "the call before the first reading");
    is_near(call(&d, kernel, 4), 4e-3, 0, "four calls of the first reading");
    is_near(call(&d, kernel, 8), 8e-3, 0, "the first reading, prolonged");
    is_near(call(&d, kernel, 8), 16e-3, 0, "the second reading");
    is_near(call(&d, kernel, 8), 24e-3, 1e-15, "the third reading");
    is_near(call(&d, kernel, 8), 8e-3, 0, "the first reading again");
    d.t->drop(d.self, kernel);
    is_int(build(&d, split_in(16, 64), &kernel, message), OUTCOME_CRASHED, "a recorded failure is one");
    is_str(message, "it fell \"over\"", "the recorded failure has its message");
    is_int(build(&d, split_in(4, 16), &kernel, message), OUTCOME_INVALID, "another program is refused");
    is_str(message, "not recorded", "the message says that it is not recorded");
    d.t->close(d.self);
}

static void test_nearest(void)
{
    static const struct {
        int length, unroll;
        double want;
        const char *why;
    } cases[] = {{64, 16, 32e-3, "a longer part is nearest to the longest"},
                 {4, 16, 1e-3, "of two rows as near the first answers"},
                 {16, 512, -1, "the unroll limit counts: the nearest failed"},
                 {8, 16, 8e-3, "a recorded program answers for itself"}};
    struct device d;
    struct err err = {0};
    void *kernel = NULL;
    char message[SAMPLE_MESSAGE] = "";
    ok(device_open(&d, arena_printf(arena, "recording=%s,unknown=nearest,warmup=0", file), &err), "opened %s",
       err.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum outcome o = build(&d, split_in(cases[i].length, cases[i].unroll), &kernel, message);
        double got = o == OUTCOME_OK ? call(&d, kernel, 1) : -1;
        is_near(got, cases[i].want, 0, "%s", cases[i].why);
        if (o == OUTCOME_OK)
            d.t->drop(d.self, kernel);
    }
    is_int(build(&d, "[[\"SP\", 2, 1, 64, [2], 1]]", &kernel, message), OUTCOME_INVALID,
           "a program with other steps than all rows is refused");
    ok(strstr(message, "no row has its steps"), "the message says why: %s", message);
    d.t->close(d.self);
}

static void test_refused(void)
{
    struct device d;
    struct err err = {0};
    ok(!device_open(&d, "", &err) && strstr(err.text, "recording=FILE"), "no file: %s", err.text);
    err = (struct err){0};
    ok(!device_open(&d, "recording=/nowhere", &err) && strstr(err.text, "/nowhere"), "a file that is not there: %s",
       err.text);
    struct task *mine = task;
    void *kernel = NULL;
    char message[SAMPLE_MESSAGE] = "";
    ok(device_open(&d, arena_printf(arena, "recording=%s", file), &err), "a recording without the kernel is opened");
    task = fixture_task(arena, "matmul n=8 m=8 k=8");
    is_int(build(&d, "[]", &kernel, message), OUTCOME_INVALID, "another kernel is refused");
    ok(strstr(message, "another task set"), "the message says that the kernel is not there: %s", message);
    task = mine;
    d.t->close(d.self);
}

int main(void)
{
    task = fixture_task(arena, "matmul n=64 m=64 k=64");
    write_recording();
    test_answers();
    test_nearest();
    test_refused();
    return done_testing();
}

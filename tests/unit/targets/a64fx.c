/* SPDX-License-Identifier: Apache-2.0 */
/* a64fx: kernels for the A64FX through the whole of measure: checked, found wrong when they are, and never timed. */
#include "harness/measure/measure.h"
#include "harness/measure/worker.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "targets/cpu/cpu_build.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char SPEC[] = "dense n=4 ci=24 co=32 bias=1 relu=1";

static void test_refusals(struct measure_options o)
{
    struct measurer *m;
    struct limits limits;
    struct err err = {0};
    o.verify_only = false;
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "is emulated"), "an emulated target is not measured");
    o.verify_only = true;
    o.regime.verify = false;
    ok(!measure_open(&o, &m, &limits, &err), "neither timing nor verifying is refused");
}

static void test_samples(struct measure_options o, const struct task *t, const char *settings)
{
    struct candidate c[2] = {{.task = t, .score = NAN}, {.task = t, .score = NAN}};
    struct sample s[2];
    struct measured_batch b = {.candidates = c, .n = 2, .samples = s};
    struct measurer *m;
    struct limits limits;
    struct err err = {0};
    o.target_settings = settings;
    o.faults = "wrong:2";
    if (!ok(measure_open(&o, &m, &limits, &err), "target a64fx opens with '%s' to verify only %s", settings, err.text))
        return;
    ok(measure_batch(m, &b, &err) && b.measured == 2, "kernels are run under the emulator %s", err.text);
    ok(s[0].outcome == OUTCOME_OK && s[0].nseconds == 0 && s[0].verify_s > 0,
       "a right kernel is right and has no time (%s %s)", outcome_word(s[0].outcome), s[0].message);
    ok(s[1].outcome == OUTCOME_WRONG_ANSWER, "a planted wrong output is found (%s %s)", outcome_word(s[1].outcome),
       s[1].message);
    measure_close(m);
}

/* In a process of its own, as a runner is: it gets a kernel that reads past an input. */
static int status_of_bad_kernel(const struct target *t, const struct task *task)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct arena *a = arena_open("child");
        void *self, *kernel, *args[8];
        struct target_env env = {0};
        struct limits limits;
        struct err err = {0};
        struct blob object = {0};
        char message[SAMPLE_MESSAGE];
        double seconds;
        const struct candidate c = {.task = task};
        if (!target_begin(t, "", a, &env, &self, &limits, &err) || t->build(self, &c, &object, message) != OUTCOME_OK)
            _exit(1);
        ((struct object_header *)object.bytes)->arg_bytes[0] = 4;
        for (int i = 0; i < task->nargs; i++)
            args[i] = arena_alloc(a, 1 << 16);
        if (t->load(self, &c, &object, &kernel, message) == OUTCOME_OK)
            (void)!t->run(self, kernel, args, 1, &seconds, message);
        _exit(2);
    }
    waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    const struct target *t = fixture_target("a64fx");
    struct measure_options o = {
        .target = t, .layout = LAYOUT_REWRITTEN, .faults = "", .build_workers = 1, .threads = 2};
    const struct task *task = fixture_task(arena, SPEC);
    struct err err = {0};
    o.verify_only = true;
    fixture_must(regime_named("quick", &o.regime, &err), &err);
    test_refusals(o);
    struct measurer *m;
    struct limits limits;
    if (!measure_open(&o, &m, &limits, &err)) {
        skip(err.text, "kernels for the A64FX are checked");
        return done_testing();
    }
    measure_close(m);
    test_samples(o, task, "");
    test_samples(o, task, "codegen=tvm");
    int status = status_of_bad_kernel(t, task);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
       "a kernel that reads past its input ends the runner by the same signal (status %x)", (unsigned)status);
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without LLVM");
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* measure: every outcome, met with a target made for it. The target is real as far as measure is concerned: it is
 * opened in forked workers, builds, loads and runs C functions there, and some of them crash, hang, eat memory, write
 * where they must not, or cheat. Which one is said by the value of the candidate's only step. */
#include "harness/base/clock.h"
#include "harness/measure/measure.h"
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the target --- */

/* what the candidate does, outcome, what its message must contain */
#define DEEDS(X)                                                                                                       \
    X(right, OK, "")                                                                                                   \
    X(slightly_wrong, WRONG_ANSWER, "1 of 63 elements differ, worst [3, 4]")                                           \
    X(zeros, WRONG_ANSWER, "63 of 63 elements differ")                                                                 \
    X(nothing, WRONG_ANSWER, "left 63 of 63 elements unwritten, first [0, 0]")                                         \
    X(partial, WRONG_ANSWER, "left 9 of 63 elements unwritten, first [6, 0]")                                          \
    X(replayed, WRONG_ANSWER, "after timing: ")                                                                        \
    X(past_end, WRONG_ANSWER, "wrote outside the output: 0 bytes past its end")                                        \
    X(before_start, WRONG_ANSWER, "wrote outside the output: 1 bytes before it")                                       \
    X(far_past_end, CRASHED, "signal 11 (SIGSEGV): access 4 bytes past the end of the output")                         \
    X(into_input, CRASHED, "signal 11 (SIGSEGV): access (a write) to argument 0")                                      \
    X(crash, CRASHED, "signal 11 (SIGSEGV): access through a null or wild pointer")                                    \
    X(divide, CRASHED, "signal 8 (SIGFPE)")                                                                            \
    X(assertion, CRASHED, "signal 6 (SIGABRT): test: Assertion `no' failed")                                           \
    X(leaves, CRASHED, "ended with status 3")                                                                          \
    X(hang, RUN_TIMEOUT, "no result within 2 s of the checked call")                                                   \
    X(hang_later, RUN_TIMEOUT, "no result within 2 s")                                                                 \
    X(hog, OUT_OF_MEMORY, "out of memory")                                                                             \
    X(too_fast, WRONG_ANSWER, "faster than the machine allows")                                                        \
    X(run_fails, CRASHED, "the kernel said no")                                                                        \
    X(load_fails, LOAD_FAILED, "no such symbol")                                                                       \
    X(invalid, INVALID, "step 0 does not apply")                                                                       \
    X(over_limits, OVER_LIMITS, "too many registers")                                                                  \
    X(build_fails, BUILD_FAILED, "cannot select")                                                                      \
    X(build_crash, BUILD_FAILED, "killed by signal 11 (SIGSEGV)")                                                      \
    X(build_abort, BUILD_FAILED, "signal 6 (SIGABRT): LLVM ERROR: unsupported")                                        \
    X(build_hang, BUILD_TIMEOUT, "not built within 2 s")                                                               \
    X(build_hog, OUT_OF_MEMORY, "out of memory")                                                                       \
    X(build_killed, OUT_OF_MEMORY, "killed by the system (SIGKILL)")
enum deed {
#define X(id, outcome, message) DEED_##id,
    DEEDS(X)
#undef X
        DEED_COUNT
};
static const struct {
    const char *name;
    enum outcome outcome;
    const char *message;
} DEED_ROWS[DEED_COUNT] = {
#define X(id, outcome, message) {#id, OUTCOME_##outcome, message},
    DEEDS(X)
#undef X
};

enum { ROWS = 7, COLUMNS = 9, DEPTH = 40 };
#define SPEC "dense n=7 ci=40 co=9"

struct fake_options {
    int64_t speed;
};
static const struct setting FAKE_SETTINGS[] = {
    {"speed", "claimed peak in MFLOP/s", SETTING_INT, offsetof(struct fake_options, speed), "1000000", 1, 1e9, NULL},
    {0},
};
struct fake {
    const struct target_env *env;
};
struct kernel {
    enum deed deed;
    int calls;
    float kept[ROWS * COLUMNS];
};

static bool fake_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    ((struct fake *)self)->env = env;
    *limits = limits_cpu(env->threads ? env->threads : 2);
    if (((const struct fake_options *)env->options)->speed == 13)
        return err_set(err, "no such machine");
    return true;
}

static volatile int never;

static void wait_for_ever(void)
{
    while (!never)
        ;
}

/* Under a sanitizer malloc may end the process itself; that is an end for want of memory as well. */
static void eat(void)
{
    for (char *p; (p = malloc((size_t)8 << 20)); never = 0)
        p[0] = p[4096] = 1;
    fprintf(stderr, "fake: out of memory\n");
    abort();
}

static void segfault(void)
{
    volatile int *p = (volatile int *)(uintptr_t)(never + 64);
    *p = 1;
}

static enum deed deed_of(const struct candidate *c)
{
    return c->nsteps ? (enum deed)c->steps[0].value : DEED_right;
}

static enum outcome refuse(enum outcome o, const char *why, char message[SAMPLE_MESSAGE])
{
    snprintf(message, SAMPLE_MESSAGE, "%s", why);
    return o;
}

static enum outcome fake_build(void *self, const struct candidate *c, struct blob *object, char message[SAMPLE_MESSAGE])
{
    (void)self;
    enum deed d = deed_of(c);
    switch (d) {
    case DEED_invalid:
        return refuse(OUTCOME_INVALID, "step 0 does not apply", message);
    case DEED_over_limits:
        return refuse(OUTCOME_OVER_LIMITS, "too many registers", message);
    case DEED_build_fails:
        return refuse(OUTCOME_BUILD_FAILED, "cannot select", message);
    case DEED_build_crash:
        segfault();
        break;
    case DEED_build_abort:
        fprintf(stderr, "LLVM ERROR: unsupported\nstack dump follows\n");
        abort();
    case DEED_build_hang:
        wait_for_ever();
        break;
    case DEED_build_hog:
        eat();
        break;
    case DEED_build_killed:
        raise(SIGKILL);
        break;
    default:
        break;
    }
    object->bytes = malloc(sizeof d);
    object->n = sizeof d;
    memcpy(object->bytes, &d, sizeof d);
    return OUTCOME_OK;
}

static enum outcome fake_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                              char message[SAMPLE_MESSAGE])
{
    (void)self;
    struct kernel *k = calloc(1, sizeof *k);
    memcpy(&k->deed, object->bytes, sizeof k->deed);
    if (k->deed == DEED_load_fails) {
        free(k);
        return refuse(OUTCOME_LOAD_FAILED, "no such symbol", message);
    }
    if (k->deed != deed_of(c) && c->nsteps)
        abort(); /* the object is another candidate's */
    *kernel = k;
    return OUTCOME_OK;
}

static void dense(const float *data, const float *weight, float *out)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float sum = 0;
            for (int k = DEPTH - 1; k >= 0; k--)
                sum += data[i * DEPTH + k] * weight[j * DEPTH + k];
            out[i * COLUMNS + j] = sum;
        }
}

/* Stores that the compiler cannot see through, so that no sanitizer's static check or optimiser takes them away. */
static void poke(float *p, int at)
{
    volatile float *q = p + never;
    q[at] = 7;
}

static void misdeed(struct kernel *k, void *const *args)
{
    float *out = args[2];
    switch (k->deed) {
    case DEED_slightly_wrong:
        out[3 * COLUMNS + 4] *= 1.001f;
        break;
    case DEED_zeros:
        memset(out, 0, sizeof k->kept);
        break;
    case DEED_replayed:
        memcpy(k->calls ? (void *)out : (void *)k->kept, k->calls ? (void *)k->kept : (void *)out, sizeof k->kept);
        break;
    case DEED_past_end:
        poke(out, ROWS * COLUMNS);
        break;
    case DEED_before_start:
        poke(out, -1);
        break;
    case DEED_far_past_end:
        poke(out, ROWS * COLUMNS + 1);
        break;
    case DEED_into_input:
        poke(args[0], 0);
        break;
    case DEED_crash:
        segfault();
        break;
    case DEED_divide:
        raise(SIGFPE);
        break;
    case DEED_assertion:
        fprintf(stderr, "test: Assertion `no' failed.\n");
        abort();
    case DEED_leaves:
        _exit(3);
    case DEED_hang:
        wait_for_ever();
        break;
    case DEED_hang_later:
        if (k->calls > 2)
            wait_for_ever();
        break;
    case DEED_hog:
        eat();
        break;
    default:
        break;
    }
    k->calls++;
}

static enum outcome fake_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                             char message[SAMPLE_MESSAGE])
{
    (void)self;
    struct kernel *k = kernel;
    double start = clock_now();
    if (k->deed == DEED_run_fails)
        return refuse(OUTCOME_CRASHED, "the kernel said no", message);
    for (int i = 0; i < (k->deed == DEED_too_fast ? 1 : number); i++) {
        float *out = args[2], last[COLUMNS];
        if (k->deed == DEED_partial)
            memcpy(last, out + (ROWS - 1) * COLUMNS, sizeof last);
        if (k->deed != DEED_nothing)
            dense(args[0], args[1], out);
        if (k->deed == DEED_partial)
            memcpy(out + (ROWS - 1) * COLUMNS, last, sizeof last);
        misdeed(k, args);
    }
    *seconds = k->deed == DEED_too_fast ? 1e-12 * number : clock_now() - start;
    return OUTCOME_OK;
}

static void fake_drop(void *self, void *kernel)
{
    (void)self;
    free(kernel);
}

static enum outcome fake_reference(void *self, const struct task *task, struct blob *object,
                                   char message[SAMPLE_MESSAGE])
{
    struct candidate plain = {.task = task};
    return fake_build(self, &plain, object, message);
}

static double fake_peak(void *self)
{
    struct fake *f = self;
    return 1e6 * (double)((const struct fake_options *)f->env->options)->speed;
}

static void fake_describe(void *self, struct text *json)
{
    (void)self;
    text_printf(json, "\"pid\": %d, \"bind\": \"%s\"", (int)getpid(),
                getenv("OMP_PROC_BIND") ? getenv("OMP_PROC_BIND") : "");
}

static void fake_close(void *self)
{
    (void)self;
}

static const struct target FAKE = {.name = "fake-real",
                                   .summary = "C functions, good and bad",
                                   .settings = FAKE_SETTINGS,
                                   .options_size = sizeof(struct fake_options),
                                   .state_size = sizeof(struct fake),
                                   .open = fake_open,
                                   .build = fake_build,
                                   .load = fake_load,
                                   .run = fake_run,
                                   .drop = fake_drop,
                                   .reference = fake_reference,
                                   .peak_flops = fake_peak,
                                   .describe = fake_describe,
                                   .close = fake_close};

/* --- the tests --- */

static struct arena *arena;
static struct task *task;

static struct candidate candidate(enum deed d)
{
    struct step *s = ARENA_NEW(arena, struct step);
    *s = (struct step){
        .kind = STEP_PR, .stage = 2, .value = d, .text = arena_printf(arena, "auto_unroll_max_step$%d", d)};
    return (struct candidate){.task = task, .steps = s, .nsteps = 1, .hash = d, .score = 0.5};
}

static struct measure_options options(void)
{
    struct measure_options o = {.target = &FAKE, .target_settings = "", .build_workers = 2, .layout = LAYOUT_REWRITTEN};
    struct err err = {0};
    if (!regime_named("quick", &o.regime, &err))
        diag("%s", err.text);
    o.regime.build_timeout_s = 2;
    o.regime.run_timeout_s = 2;
    o.regime.memory_mib = 256;
    o.regime.min_repeat_ms = 1;
    o.faults = "";
    return o;
}

static struct measurer *begin(const struct measure_options *o)
{
    struct measurer *m = NULL;
    struct limits limits;
    struct err err = {0};
    if (!ok(measure_open(o, &m, &limits, &err), "the measurer opens"))
        diag("%s", err.text);
    return m;
}

static int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static bool count_up(void *ctx, int i, const struct sample *s)
{
    (void)s;
    int *next = ctx;
    *next = i == *next ? i + 1 : -1000;
    return true;
}

static void check_row(enum deed d, const struct sample *s)
{
    const char *name = DEED_ROWS[d].name;
    if (!is_str(outcome_word(s->outcome), outcome_word(DEED_ROWS[d].outcome), "%s: outcome", name) ||
        !ok(strstr(s->message, DEED_ROWS[d].message) != NULL, "%s: message has '%s'", name, DEED_ROWS[d].message))
        diag("message: %s", s->message);
    bool is_ok = s->outcome == OUTCOME_OK;
    ok(is_ok ? s->nseconds == 3 && isfinite(sample_mean(s)) : s->nseconds == 0 && isinf(sample_mean(s)), "%s: readings",
       name);
    ok(s->model_score == 0.5, "%s: score kept", name);
}

/* All deeds in one batch, good ones between, so that a bad one is seen not to touch its neighbours. */
static void test_outcomes(struct measurer *m)
{
    struct candidate c[2 * DEED_COUNT];
    static struct sample s[2 * DEED_COUNT];
    for (int i = 0; i < DEED_COUNT; i++) {
        c[2 * i] = candidate((enum deed)i);
        c[2 * i + 1] = candidate(DEED_right);
    }
    int next = 0, measured = 0, good = 0;
    struct err err = {0};
    struct phases phases;
    phases_start(&phases);
    double start = clock_now();
    bool done = measure_batch(m, c, 2 * DEED_COUNT, s, &measured, count_up, &next, &phases, &err);
    double wall = clock_now() - start;
    phases_stop(&phases);
    if (!ok(done, "the batch is measured"))
        diag("%s", err.text);
    is_int(measured, 2 * DEED_COUNT, "all candidates measured");
    is_int(next, 2 * DEED_COUNT, "done was called in order");
    for (int i = 0; i < DEED_COUNT && done; i++) {
        check_row((enum deed)i, &s[2 * i]);
        good += s[2 * i + 1].outcome == OUTCOME_OK;
        if (s[2 * i + 1].outcome != OUTCOME_OK)
            diag("after %s: %s: %s", DEED_ROWS[i].name, outcome_word(s[2 * i + 1].outcome), s[2 * i + 1].message);
    }
    is_int(good, DEED_COUNT, "the good candidates between are good");
    double sum = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        sum += phases.seconds[i];
    ok(fabs(sum - wall) < 0.01 * wall, "phases add up to the wall time");
    ok(phases.seconds[PHASE_build] > 0 && phases.seconds[PHASE_run] > 0 && phases.seconds[PHASE_verify] > 0,
       "build, run and verify are booked");
    is_near(s[2 * DEED_build_hang].cost_s, 2, 1e-9, "a build time-out costs the time-out");
    is_near(s[2 * DEED_hang_later].cost_s, s[2 * DEED_hang_later].build_s + 2, 1e-9,
            "a run time-out costs build + time-out");
    is_near(s[0].cost_s, s[0].build_s + s[0].run_s, 1e-9, "a good trial costs build + run");
}

static bool stop_at_two(void *ctx, int i, const struct sample *s)
{
    (void)ctx;
    (void)s;
    return i < 1;
}

static void test_stop(struct measurer *m)
{
    struct candidate c[6];
    struct sample s[6];
    struct err err = {0};
    int measured = 0;
    for (int i = 0; i < 6; i++)
        c[i] = candidate(DEED_right);
    ok(measure_batch(m, c, 6, s, &measured, stop_at_two, NULL, NULL, &err), "a stopped batch is no error");
    is_int(measured, 2, "done stops the batch");
    ok(measure_batch(m, c, 0, s, &measured, NULL, NULL, NULL, &err) && measured == 0, "an empty batch");
}

static void test_again(struct measurer *m)
{
    struct text before = {0}, after = {0};
    struct sample s;
    struct err err = {0};
    struct regime regime;
    struct candidate c = candidate(DEED_right);
    ok(regime_named("final", &regime, &err), "regime final");
    regime.min_repeat_ms = 1;
    measure_describe(m, &before);
    ok(measure_again(m, &c, &regime, &s, &err) && s.outcome == OUTCOME_OK, "measured again");
    is_int(s.nseconds, 10, "with the other regime's repeats");
    measure_describe(m, &after);
    ok(strcmp(text_str(&before), text_str(&after)) != 0, "in a fresh runner");
    ok(strstr(text_str(&after), "\"bind\": \"close\"") != NULL, "the runner's threads are bound");
    regime.cache_flush = true;
    ok(measure_again(m, &c, &regime, &s, &err) && s.outcome == OUTCOME_OK, "with cache flush");
    c = candidate(DEED_build_fails);
    ok(measure_again(m, &c, &regime, &s, &err) && s.outcome == OUTCOME_BUILD_FAILED, "a failed build is an outcome");
    text_free(&before);
    text_free(&after);
}

static void test_unverified(void)
{
    struct measure_options o = options();
    o.regime.verify = false;
    struct measurer *m = begin(&o);
    struct candidate c[2] = {candidate(DEED_zeros), candidate(DEED_past_end)};
    struct sample s[2];
    struct err err = {0};
    int measured;
    bool done = m && measure_batch(m, c, 2, s, &measured, NULL, NULL, NULL, &err);
    ok(done && s[0].outcome == OUTCOME_OK && s[0].verify_s == 0, "verify=false lets wrong answers pass, as TVM does");
    measure_close(m);
}

static void test_faults(void)
{
    struct measure_options o = options();
    o.faults = "crash:2,hang:3, memory:4,wrong:5,buildcrash:6,buildhang:7";
    struct measurer *m = begin(&o);
    static const enum outcome WANT[8] = {
        OUTCOME_OK,           OUTCOME_CRASHED,      OUTCOME_RUN_TIMEOUT,   OUTCOME_OUT_OF_MEMORY,
        OUTCOME_WRONG_ANSWER, OUTCOME_BUILD_FAILED, OUTCOME_BUILD_TIMEOUT, OUTCOME_OK};
    struct candidate c[8];
    struct sample s[8];
    struct err err = {0};
    int measured;
    for (int i = 0; i < 8; i++)
        c[i] = candidate(DEED_right);
    if (!m || !ok(measure_batch(m, c, 8, s, &measured, NULL, NULL, NULL, &err), "a batch with planted faults"))
        diag("%s", err.text);
    for (int i = 0; i < 8 && m; i++)
        if (!is_str(outcome_word(s[i].outcome), outcome_word(WANT[i]), "planted fault in trial %d", i + 1))
            diag("message: %s", s[i].message);
    measure_close(m);
    struct limits limits;
    o.faults = "crush:2";
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "did you mean 'crash'"), "unknown fault: %s", err.text);
    o.faults = "crash:0";
    ok(!measure_open(&o, &m, &limits, &err), "trial 0: %s", err.text);
}

static void test_refusals(void)
{
    struct measure_options o = options();
    struct measurer *m;
    struct limits limits;
    struct err err = {0};
    o.target_settings = "speed=13";
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "no such machine"), "a target that cannot open: %s",
       err.text);
    o.target_settings = "spede=1";
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "speed"), "an unknown setting: %s", err.text);
}

static bool gone(pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        if (kill(pid, 0) && errno == ESRCH)
            return true;
        clock_sleep(0.01);
    }
    return false;
}

/* A parent killed in the middle of a run leaves no process behind. */
static void test_orphans(void)
{
    int fds[2];
    if (pipe(fds))
        return;
    pid_t parent = fork();
    if (parent == 0) {
        struct measure_options o = options();
        struct measurer *m;
        struct limits limits;
        struct err err = {0};
        struct text json = {0};
        o.regime.run_timeout_s = 60;
        if (!measure_open(&o, &m, &limits, &err))
            _exit(1);
        measure_describe(m, &json);
        if (write(fds[1], json.s, json.len + 1) < 0)
            _exit(1);
        struct candidate c = candidate(DEED_hang);
        struct sample s;
        int measured;
        bool done = measure_batch(m, &c, 1, &s, &measured, NULL, NULL, NULL, &err);
        _exit(done);
    }
    char json[200] = "";
    ssize_t got = read(fds[0], json, sizeof json - 1);
    int pid = 0;
    ok(got > 0 && sscanf(json, "\"pid\": %d", &pid) == 1 && pid > 1, "the runner's process is known");
    clock_sleep(0.1);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    ok(pid > 1 && gone(pid), "it ends when its parent is killed");
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    arena = arena_open("test");
    struct err err = {0};
    if (!task_parse(arena, SPEC, &task, &err)) {
        fail("task: %s", err.text);
        return done_testing();
    }
    int files = open_files();
    struct measure_options o = options();
    struct measurer *m = begin(&o);
    if (m) {
        is_int(measure_build_workers(m), 2, "two build workers");
        test_outcomes(m);
        test_stop(m);
        test_again(m);
    }
    measure_close(m);
    test_unverified();
    test_faults();
    test_refusals();
    test_orphans();
    ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process is left");
    is_int(open_files(), files, "no descriptor is left");
    arena_close(arena);
    return done_testing();
}

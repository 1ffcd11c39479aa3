/* SPDX-License-Identifier: Apache-2.0 */
/* fault_target: each behaviour, right or wrong, is a row of BEHAVIOURS. */
#include "tests/lib/fault_target.h"

#include "harness/base/clock.h"
#include "tests/lib/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct behaviour_row behaviour_rows[BEHAVIOUR_COUNT] = {
#define X(id, outcome, message) {#id, OUTCOME_##outcome, message},
    BEHAVIOURS(X)
#undef X
};

enum { ROWS = 7, COLUMNS = 9, DEPTH = 40 };

struct fake_options {
    int64_t speed;
};
static const struct setting FAKE_SETTINGS[] = {
    INT_SETTING("speed", struct fake_options, speed, "1000000", 1, 1e9, "claimed peak in MFLOP/s"),
    {0},
};
struct fake {
    const struct target_env *env;
    int tally;   /* descriptor of the file RAINGAUGE_TALLY, -1: none */
    int meeting; /* of RAINGAUGE_MEETING */
    bool dies;   /* when it loads a reference */
};
struct loaded_kernel {
    enum behaviour behaviour;
    int calls;
    float kept[ROWS * COLUMNS];
};

/* Opened here, since a runner that is ready may not write files. */
static void tally_open(struct fake *f)
{
    const char *path = getenv("RAINGAUGE_TALLY");
    char file[256];
    if (!path)
        return;
    f->tally = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    snprintf(file, sizeof file, "%s-stillborn", path);
    struct stat st;
    if (stat(file, &st) == 0 && st.st_size > 0 && truncate(file, st.st_size - 1) == 0)
        raise(SIGKILL);
    snprintf(file, sizeof file, "%s-die", path);
    f->dies = unlink(file) == 0;
}

static bool fake_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct fake *f = self;
    const char *meeting = getenv("RAINGAUGE_MEETING");
    *f = (struct fake){.env = env, .tally = -1, .meeting = -1};
    if (meeting)
        f->meeting = open(meeting, O_RDWR | O_APPEND | O_CLOEXEC);
    tally_open(f);
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

/* Under a sanitizer malloc may end the process itself, which counts as out of memory, too. */
static void use_all_memory(void)
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

static void await_bytes(const struct fake *f, int n)
{
    struct stat st;
    while (fstat(f->meeting, &st) == 0 && st.st_size < n)
        clock_sleep(0.001);
}

static void add_byte(const struct fake *f)
{
    if (write(f->meeting, "x", 1) != 1)
        abort();
}

static void meet_run(const struct fake *f)
{
    if (f->meeting < 0)
        return;
    await_bytes(f, 1);
    add_byte(f);
}

static void meet_build(const struct fake *f)
{
    if (f->meeting < 0)
        return;
    add_byte(f);
    await_bytes(f, 2);
}

static enum behaviour behaviour_of(const struct candidate *c)
{
    return c->nsteps ? (enum behaviour)c->steps[0].value : BEHAVIOUR_right;
}

static enum outcome refuse(enum outcome o, const char *why, char message[SAMPLE_MESSAGE])
{
    snprintf(message, SAMPLE_MESSAGE, "%s", why);
    return o;
}

static enum outcome fake_build(void *self, const struct candidate *c, struct blob *object, char message[SAMPLE_MESSAGE])
{
    enum behaviour d = behaviour_of(c);
    switch (d) {
    case BEHAVIOUR_invalid:
        return refuse(OUTCOME_INVALID, "step 0 does not apply", message);
    case BEHAVIOUR_over_limits:
        return refuse(OUTCOME_OVER_LIMITS, "too many registers", message);
    case BEHAVIOUR_build_fails:
        return refuse(OUTCOME_BUILD_FAILED, "cannot select", message);
    case BEHAVIOUR_build_crash:
        segfault();
        break;
    case BEHAVIOUR_build_abort:
        fprintf(stderr, "LLVM ERROR: unsupported\nstack dump follows\n");
        abort();
    case BEHAVIOUR_build_hang:
        wait_for_ever();
        break;
    case BEHAVIOUR_build_hog:
        use_all_memory();
        break;
    case BEHAVIOUR_build_killed:
        raise(SIGKILL);
        break;
    case BEHAVIOUR_meets_run:
        meet_run(self);
        break;
    case BEHAVIOUR_meets_run_dies:
        meet_run(self);
        segfault();
        break;
    default:
        break;
    }
    object->bytes = malloc(sizeof d);
    object->n = sizeof d;
    memcpy(object->bytes, &d, sizeof d);
    return OUTCOME_OK;
}

static void reference_loaded(const struct fake *f)
{
    if (f->dies)
        raise(SIGKILL);
    if (f->tally >= 0 && write(f->tally, ".", 1) != 1)
        abort();
}

static enum outcome fake_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                              char message[SAMPLE_MESSAGE])
{
    struct loaded_kernel *k = calloc(1, sizeof *k);
    if (c->nsteps == 0)
        reference_loaded(self);
    memcpy(&k->behaviour, object->bytes, sizeof k->behaviour);
    if (k->behaviour == BEHAVIOUR_load_fails) {
        free(k);
        return refuse(OUTCOME_LOAD_FAILED, "no such symbol", message);
    }
    if (k->behaviour != behaviour_of(c) && c->nsteps)
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

/* A store that the compiler cannot see through, so that neither a static check nor the optimiser removes it. */
static void poke(float *p, int at)
{
    volatile float *q = p + never;
    q[at] = 7;
}

static void misbehave(struct loaded_kernel *k, void *const *args)
{
    float *out = args[2];
    switch (k->behaviour) {
    case BEHAVIOUR_slightly_wrong:
        out[3 * COLUMNS + 4] *= 1.001f;
        break;
    case BEHAVIOUR_zeros:
        memset(out, 0, sizeof k->kept);
        break;
    case BEHAVIOUR_replayed:
        memcpy(k->calls ? (void *)out : (void *)k->kept, k->calls ? (void *)k->kept : (void *)out, sizeof k->kept);
        break;
    case BEHAVIOUR_past_end:
        poke(out, ROWS * COLUMNS);
        break;
    case BEHAVIOUR_before_start:
        poke(out, -1);
        break;
    case BEHAVIOUR_far_past_end:
        poke(out, ROWS * COLUMNS + 1);
        break;
    case BEHAVIOUR_into_input:
        poke(args[0], 0);
        break;
    case BEHAVIOUR_crash:
    case BEHAVIOUR_meets_build_dies:
        segfault();
        break;
    case BEHAVIOUR_divide:
        raise(SIGFPE);
        break;
    case BEHAVIOUR_assertion:
        fprintf(stderr, "test: Assertion `no' failed.\n");
        abort();
    case BEHAVIOUR_leaves:
        _exit(3);
    case BEHAVIOUR_hang:
        wait_for_ever();
        break;
    case BEHAVIOUR_hang_later:
        if (k->calls > 2)
            wait_for_ever();
        break;
    case BEHAVIOUR_hog:
        use_all_memory();
        break;
    default:
        break;
    }
    k->calls++;
}

static enum outcome fake_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                             char message[SAMPLE_MESSAGE])
{
    struct loaded_kernel *k = kernel;
    if (!k->calls && (k->behaviour == BEHAVIOUR_meets_build || k->behaviour == BEHAVIOUR_meets_build_dies))
        meet_build(self);
    double start = clock_now();
    if (k->behaviour == BEHAVIOUR_run_fails)
        return refuse(OUTCOME_CRASHED, "the kernel refused", message);
    for (int i = 0; i < (k->behaviour == BEHAVIOUR_too_fast ? 1 : number); i++) {
        float *out = args[2], last[COLUMNS];
        if (k->behaviour == BEHAVIOUR_partial)
            memcpy(last, out + (ROWS - 1) * COLUMNS, sizeof last);
        if (k->behaviour != BEHAVIOUR_nothing)
            dense(args[0], args[1], out);
        if (k->behaviour == BEHAVIOUR_partial)
            memcpy(out + (ROWS - 1) * COLUMNS, last, sizeof last);
        misbehave(k, args);
    }
    *seconds = k->behaviour == BEHAVIOUR_too_fast ? 1e-12 * number : clock_now() - start;
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

static void fake_describe(void *self, cJSON *object)
{
    (void)self;
    json_put_int(object, "pid", getpid());
    json_put_str(object, "bind", getenv("OMP_PROC_BIND") ? getenv("OMP_PROC_BIND") : "");
}

static void fake_close(void *self)
{
    (void)self;
}

static bool fake_runs_apart(const void *self)
{
    (void)self;
    return true;
}

static bool fake_keeps_cores(const void *options)
{
    (void)options;
    return true;
}

#define FAULT_TARGET                                                                                                   \
    .name = "fault", .summary = "C functions, right and wrong", .settings = FAKE_SETTINGS,                             \
    .options_size = sizeof(struct fake_options), .state_size = sizeof(struct fake), .open = fake_open,                 \
    .build = fake_build, .load = fake_load, .run = fake_run, .drop = fake_drop, .reference = fake_reference,           \
    .peak_flops = fake_peak, .describe = fake_describe, .close = fake_close

const struct target fault_target = {FAULT_TARGET};
const struct target fault_target_split = {FAULT_TARGET, .keeps_cores = fake_keeps_cores};
const struct target fault_target_apart = {FAULT_TARGET, .runs_apart = fake_runs_apart};

struct candidate fault_target_candidate(struct arena *a, const struct task *task, enum behaviour d)
{
    struct step *s = ARENA_NEW(a, struct step);
    *s = (struct step){.kind = STEP_PR, .stage = 2, .value = d, .text = arena_printf(a, "auto_unroll_max_step$%d", d)};
    return (struct candidate){.task = task, .steps = s, .nsteps = 1, .hash = d, .score = 0.5};
}

struct measure_options fault_target_options(void)
{
    struct measure_options o = {
        .target = &fault_target, .target_settings = "", .build_workers = 2, .layout = LAYOUT_REWRITTEN};
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

struct measurer *fault_target_begin(const struct measure_options *o)
{
    struct measurer *m = NULL;
    struct limits limits;
    struct err err = {0};
    if (!ok(measure_open(o, &m, &limits, &err), "the measurer opens"))
        diag("%s", err.text);
    return m;
}

int fault_target_open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

bool process_gone(pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        if (kill(pid, 0) && errno == ESRCH)
            return true;
        clock_sleep(0.01);
    }
    return false;
}

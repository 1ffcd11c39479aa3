/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_records: the authors' records of two GPUs (data/tvm_logs/gpu): the good ones apply, keep the limits of a block,
 * and compile for their GPU (NVRTC, where it is installed); a sample runs on target opencl (PoCL, where there is no
 * GPU) and gives what the graph computes. Batches are cut to what the schedule's tiles need, so that a CPU can run
 * them; the steps stay as they are.
 * Of each file RAINGAUGE_RECORDS good records are compiled (default 2), and of each search RAINGAUGE_RUNS are run
 * (default 1). RAINGAUGE_RUNS_LOG=FILE keeps what each run gave, so that a test that was stopped goes on there. */
#include "harness/base/file.h"
#include "harness/measure/worker.h"
#include "harness/program/interp/interp.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/record/tvm/record_task.h"
#include "targets/cuda/nvrtc.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_MOST = 8, POINTS = 200, ERRORS = 9, RECORDS_MOST = 2000 };
static const char *const DEVICES[] = {"a100", "rtx3080"};
static const int ARCHITECTURES[] = {80, 86};
static const char *const KERNELS[] = {"matmul", "conv2d", "depthwise", "pooling", "reduce", "relu"};
enum { NDEVICES = 2, NKERNELS = 6 };

struct tally {
    int records, good, applied, verified, compiled, tried, right, ran;
    int failed[ERRORS], refused[ERRORS]; /* by TVM's error number: theirs; of those, what our verifier refuses, too */
};
struct bench {
    bool has_nvrtc;
    int64_t records, runs;     /* of a file: compiled; of a search: run */
    const struct target *cuda; /* one of it opened for each device, to compile */
    void *compiler[NDEVICES];
    struct target_env compiler_env[NDEVICES];
    int ncompilers;                /* that are open */
    const char *log_path, *logged; /* NULL: no log; what it held at the start, after a line feed */
    const struct target *target;   /* NULL: no OpenCL device */
    void *self;
    struct target_env env;
    struct limits limits;
    struct arena *arena;
};
struct record_file {
    struct arena *arena;
    struct tvm_log log;
    struct task *task;
    const char *spec, *name;
};

static struct nest *nest_of(struct arena *a, const struct task *t, const struct tvm_log_entry *e, struct err *err)
{
    struct nest *n;
    struct state *s;
    bool fine = state_replay(a, t, e->steps, e->nsteps, &s, err) && bound_infer(s, err) &&
                lower(a, s, LAYOUT_NONE, &n, err) && nest_check(n, err);
    return fine ? n : NULL;
}

static void check_compile(const struct bench *b, const struct task *task, const struct tvm_log_entry *e, int device,
                          struct tally *t)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    const struct candidate c = {.task = task, .steps = e->steps, .nsteps = e->nsteps};
    bool fine = b->cuda->build(b->compiler[device], &c, &object, message) == OUTCOME_OK;
    free(object.bytes);
    t->tried++;
    t->compiled += fine;
    if (!fine && t->tried - t->compiled < 3)
        diag("sm_%d, line %d: %s", ARCHITECTURES[device], e->line, message);
}

/* Applied, held against a block's limits, and compiled if it is of the sample. */
static void check_record(const struct bench *b, const struct record_file *f, int i, int device, struct tally *t)
{
    const struct tvm_log_entry *e = &f->log.entries[i];
    const struct limits limits = limits_cuda();
    struct arena *a = arena_open("record");
    struct err err = {0};
    const struct nest *n = nest_of(a, f->task, e, &err);
    bool fits = n && gpu_verify(n, &limits, &err);
    t->records++;
    if (e->error) {
        t->failed[e->error]++;
        t->refused[e->error] += !fits;
    } else {
        t->good++;
        t->applied += n != NULL;
        t->verified += fits;
        if (!fits && t->good - t->verified < 3)
            diag("line %d: %s", e->line, err.text);
        if (fits && b->has_nvrtc && (i + 1) * b->records / f->log.n > i * b->records / f->log.n)
            check_compile(b, f->task, e, device, t);
    }
    arena_close(a);
}

/* The run of a sample -------------------------------------------------------------------------------------------- */

/* How many of the batch axis the tiles of the first split need; 1 where no split is of that axis alone. */
static int64_t batch_of(const struct tvm_log_entry *e)
{
    for (int i = 0; i < e->nsteps; i++) {
        const struct step *s = &e->steps[i];
        int64_t n = 1;
        if (s->kind == STEP_FU)
            return 1;
        if (s->kind != STEP_SP || s->iter != 0)
            continue;
        for (int k = 0; k < s->n; k++)
            n *= s->list[k];
        return n;
    }
    return 1;
}

/* The task with n of its first axis ("conv2d n=128 ci=..."). */
static const char *cut_spec(struct arena *a, const char *spec, int64_t n)
{
    const char *at = strstr(spec, " n="), *rest = at + 3 + strspn(at + 3, "0123456789");
    return arena_printf(a, "%.*s n=%lld%s", (int)(at - spec), spec, (long long)n, rest);
}

static bool run_object(const struct bench *b, const struct trial_task *t, const struct candidate *c, enum outcome built,
                       const struct blob *object, char message[SAMPLE_MESSAGE])
{
    void *kernel, *output = t->args[t->task->nargs - 1];
    double seconds = 0;
    if (built != OUTCOME_OK || b->target->load(b->self, c, object, &kernel, message) != OUTCOME_OK)
        return false;
    memset(output, 0xff, (size_t)t->nout * sizeof(float));
    enum outcome done = b->target->run(b->self, kernel, t->args, 1, &seconds, message);
    b->target->drop(b->self, kernel);
    return done == OUTCOME_OK;
}

/* What the unscheduled program computes; some of its elements are held against the interpreter. */
static bool make_reference(const struct bench *b, struct trial_task *t, struct rng *r)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    const struct candidate c = {.task = t->task};
    enum outcome built = b->target->reference(b->self, t->task, &object, message);
    bool fine = run_object(b, t, &c, built, &object, message);
    free(object.bytes);
    if (!fine) {
        diag("%s: %s", t->task->spec, message);
        return false;
    }
    for (int64_t i = 0; i < t->nout; i++)
        t->want[i] = (double)((const float *)t->args[t->task->nargs - 1])[i];
    struct interp *in = interp_open(t->task, (const void *const *)t->args);
    for (int i = 0; i < POINTS && fine; i++) {
        int64_t at = (int64_t)rng_below(r, (uint64_t)t->nout);
        double want = interp_point(in, at);
        fine = fabs(want - t->want[at]) <= 1e-5 * (1 + fabs(want));
    }
    interp_close(in);
    return fine;
}

static bool make_task(const struct bench *b, struct arena *a, const char *spec, struct trial_task *t)
{
    struct rng r;
    struct err err = {0};
    rng_seed(&r, 5);
    *t = (struct trial_task){0};
    if (!task_parse(a, spec, &t->task, &err)) {
        diag("%s: %s", spec, err.text);
        return false;
    }
    for (int i = 0; i < t->task->nargs; i++) {
        int64_t n = task_arg_elements(t->task, i);
        float *at = ARENA_ARRAY(a, float, n);
        for (int64_t k = 0; k < n; k++)
            at[k] = (float)((int)rng_below(&r, 7) - 3); /* sums of these are exact */
        t->args[i] = at;
        t->nout = n;
    }
    t->want = ARENA_ARRAY(a, double, t->nout);
    return make_reference(b, t, &r);
}

static bool run_record(const struct bench *b, const struct trial_task *t, const struct tvm_log_entry *e)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    struct err err = {0};
    struct arena *a = arena_open("run");
    struct step *steps = steps_copy(a, e->steps, e->nsteps);
    for (int i = 0; i < e->nsteps; i++)
        steps[i].extent = 0; /* those of the whole batch */
    struct candidate c = {.task = t->task, .steps = steps, .nsteps = e->nsteps};
    enum outcome built = b->target->build(b->self, &c, &object, message);
    bool fine = run_object(b, t, &c, built, &object, message);
    free(object.bytes);
    bool right = fine && random_schedule_same(t, t->args[t->task->nargs - 1], &err);
    if (!right)
        diag("%s, line %d: %s%s", t->task->spec, e->line, message, err.text);
    arena_close(a);
    return right;
}

/* Runs a record, unless the log has what it gave. */
static bool run_or_recall(const struct bench *b, const struct record_file *f, const struct trial_task *t,
                          const struct tvm_log_entry *e)
{
    const char *key = arena_printf(f->arena, "\n%s:%d n=%lld ", f->name, e->line, (long long)batch_of(e));
    const char *found = strstr(b->logged, key);
    if (found)
        return str_starts(found + strlen(key), "right");
    bool right = run_record(b, t, e);
    FILE *out = b->log_path ? fopen(b->log_path, "a") : NULL;
    if (out) {
        fprintf(out, "%s%s", key + 1, right ? "right\n" : "wrong\n");
        fclose(out);
    }
    return right;
}

/* That the whole program keeps the limits of a block: the authors measured some that do not (nearly_all tells more). */
static bool keeps_limits(const struct record_file *f, const struct tvm_log_entry *e)
{
    const struct limits limits = limits_cuda();
    struct arena *a = arena_open("limits");
    struct err err = {0};
    const struct nest *n = nest_of(a, f->task, e, &err);
    bool fits = n && gpu_verify(n, &limits, &err);
    arena_close(a);
    return fits;
}

/* A number of good records in a random order; left out are those whose tiles want a large batch, or that no block
 * holds. */
static void run_sample(const struct bench *b, const struct record_file *f, int quota, struct tally *t)
{
    struct trial_task tasks[BATCH_MOST + 1] = {0};
    int order[RECORDS_MOST], n = f->log.n < RECORDS_MOST ? f->log.n : RECORDS_MOST;
    struct rng r;
    rng_seed(&r, 11);
    for (int i = 0; i < n; i++)
        order[i] = i;
    rng_shuffle(&r, order, n);
    for (int i = 0; i < n && quota > 0; i++) {
        const struct tvm_log_entry *e = &f->log.entries[order[i]];
        int64_t batch = batch_of(e);
        if (e->error || batch > BATCH_MOST || !keeps_limits(f, e))
            continue;
        struct trial_task *task = &tasks[batch];
        if (!task->task && !make_task(b, f->arena, cut_spec(f->arena, f->spec, batch), task)) {
            t->ran++; /* a reference that fails is a failure */
            return;
        }
        quota--;
        t->ran++;
        t->right += run_or_recall(b, f, task, e);
    }
}

/* The files ------------------------------------------------------------------------------------------------------ */

static bool read_file(const char *name, struct record_file *f)
{
    struct err err = {0};
    struct found_task found;
    const char *path = shared_path(name);
    f->arena = arena_open("records");
    struct record_task *id = record_task_open(NULL, 0, NULL);
    bool fine = path && tvm_log_read(f->arena, arena_str(f->arena, path), &f->log, &err) && f->log.n > 0 &&
                record_task_find(id, &f->log.entries[0], &found, &err) && found.certain;
    f->name = name;
    if (fine) {
        f->spec = arena_str(f->arena, found.specs[0]);
        fine = task_parse(f->arena, f->spec, &f->task, &err);
    }
    record_task_close(id);
    if (!fine)
        diag("%s: %s", name, err.text);
    return fine;
}

static void check_file(const struct bench *b, int device, int kernel, bool descent, struct tally *t)
{
    char name[128];
    struct record_file f = {0};
    snprintf(name, sizeof name, "data/tvm_logs/gpu/%s_%s%s.jsonl.gz", DEVICES[device], KERNELS[kernel],
             descent ? "_droplet" : "");
    if (ok(read_file(name, &f), "%s is read, and tells its kernel", name)) {
        for (int i = 0; i < f.log.n; i++)
            check_record(b, &f, i, device, t);
        if (b->target)
            run_sample(b, &f, (int)(descent ? b->runs / 16 : b->runs), t);
    }
    arena_close(f.arena);
}

/* Of one kernel a little less: there the authors measured 17 programs that TVM's verifier refuses, too, before their
 * model had been trained. */
static bool nearly_all(int of, int n, int percent)
{
    return n > 0 && 100 * of >= percent * n;
}

static void check_kernel(const struct bench *b, int device, int kernel, struct tally *all)
{
    struct tally t = {0};
    const char *of = arena_printf(b->arena, "%s %s", DEVICES[device], KERNELS[kernel]);
    check_file(b, device, kernel, false, &t);
    check_file(b, device, kernel, true, &t);
    ok(nearly_all(t.applied, t.good, 99), "%s: %d of %d good records apply", of, t.applied, t.good);
    ok(nearly_all(t.verified, t.good, 98), "%s: %d of %d keep the limits of a block", of, t.verified, t.good);
    if (b->has_nvrtc && b->records > 0)
        ok(nearly_all(t.compiled, t.tried, 99), "%s: %d of %d compile for sm_%d", of, t.compiled, t.tried,
           ARCHITECTURES[device]);
    if (b->target)
        ok(t.ran > 0 && t.right == t.ran, "%s: %d of %d give the graph's result", of, t.right, t.ran);
    const int *from = (const int *)&t;
    for (size_t i = 0; i < sizeof t / sizeof *from; i++)
        ((int *)all)[i] += from[i];
}

static void open_log(struct bench *b)
{
    char *text = "";
    size_t n;
    struct err err = {0};
    b->log_path = getenv("RAINGAUGE_RUNS_LOG");
    if (b->log_path && !*b->log_path)
        b->log_path = NULL;
    if (b->log_path && access(b->log_path, F_OK) == 0 && !file_read(b->arena, b->log_path, 1 << 20, &text, &n, &err))
        diag("%s", err.text);
    b->logged = arena_printf(b->arena, "\n%s", text);
}

static void open_compilers(struct bench *b)
{
    struct nvrtc v;
    struct limits limits;
    struct err err = {0};
    b->cuda = fixture_target("cuda");
    b->has_nvrtc = b->cuda && nvrtc_open(&v, "", 0, &err);
    for (int i = 0; i < NDEVICES && b->has_nvrtc; i++) {
        b->compiler_env[i] = (struct target_env){.use = TARGET_BUILDS};
        b->has_nvrtc = target_begin(b->cuda, arena_printf(b->arena, "arch=sm_%d", ARCHITECTURES[i]), b->arena,
                                    &b->compiler_env[i], &b->compiler[i], &limits, &err);
        b->ncompilers += b->has_nvrtc;
    }
    if (!b->has_nvrtc)
        skip(b->cuda ? err.text : "built without target cuda", "records compile for their GPU");
}

static void open_target(struct bench *b)
{
    struct err err = {0};
    b->target = fixture_target("opencl");
    if (!b->target) {
        skip("built without <CL/cl.h>", "records run on target opencl");
        return;
    }
    b->env = (struct target_env){.threads = 1, .layout = LAYOUT_NONE};
    if (!target_begin(b->target, "", b->arena, &b->env, &b->self, &b->limits, &err)) {
        b->target = NULL;
        skip(err.text, "records run on target opencl");
    }
}

int main(void)
{
    struct bench b = {.arena = arena_open("bench")};
    struct tally t = {0};
    b.records = fixture_number("RAINGAUGE_RECORDS", 2);
    b.runs = fixture_number("RAINGAUGE_RUNS", 1);
    if (!shared_path("data/tvm_logs/gpu/a100_relu.jsonl.gz"))
        skip_all("no data/tvm_logs/gpu below RAINGAUGE_SHARED");
    open_log(&b);
    open_compilers(&b);
    open_target(&b);
    for (int d = 0; d < NDEVICES; d++)
        for (int k = 0; k < NKERNELS; k++)
            check_kernel(&b, d, k, &t);
    diag("%d records, %d good: %d apply, %d keep the limits, %d of %d compile, %d of %d run right", t.records, t.good,
         t.applied, t.verified, t.compiled, t.tried, t.right, t.ran);
    ok(nearly_all(t.applied, t.good, 99) && nearly_all(t.verified, t.good, 99),
       "99 of 100 good records of both devices apply and keep the limits");
    for (int e = 1; e < ERRORS; e++)
        if (t.failed[e])
            diag("%d failed with TVM's error %d there; our verifier refuses %d of them", t.failed[e], e, t.refused[e]);
    if (b.target)
        b.target->close(b.self);
    for (int i = 0; i < b.ncompilers; i++)
        b.cuda->close(b.compiler[i]);
    arena_close(b.arena);
    return done_testing();
}

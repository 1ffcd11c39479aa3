/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/gpu_programs.h"

#include "harness/measure/worker.h"
#include "harness/program/lower/gpu_verify.h"
#include "search/evolution/mutate.h"
#include "search/sketch/draw.h"
#include "search/sketch/stage_query.h"
#include "search/trace/trace_space.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200, TRIES = 12 };
/* Small enough for the tasks of random_schedule. */
const char GPU_PROGRAMS_SMALL[] = "max_threads=16,shared_bytes=2048,warp=4";
/* With virtual threads, and room for vectors. */
static const char LARGER[] = "max_threads=128,shared_bytes=16384,warp=16";
static const char *const LARGER_SPECS[] = {
    "matmul n=32 m=64 k=32",
    "conv2d ci=8 hi=10 wi=10 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv2d ci=8 hi=8 wi=8 co=16 kh=3 kw=3 ph=1 pw=1 layout=nchw",
    "winograd ci=8 hi=8 wi=8 co=8 ph=1 pw=1 tile=2",
    "im2col n=2 ci=4 hi=10 wi=10 co=16 kh=3 kw=3",
    "batch_matmul b=2 n=16 m=32 k=16",
    "dense n=16 ci=32 co=32 bias=1 act=gelu",
    "conv2d_transpose ci=8 hi=4 wi=4 co=16 kh=4 kw=4 sh=2 sw=2 ph=1 pw=1 form=cuda scale=1 act=tanh",
    "conv3d ci=4 di=4 hi=8 wi=8 co=8 kd=3 kh=3 kw=3 pd=1 ph=1 pw=1 layout=ndhwc relu=1",
    "rms_norm n=32 c=64",
    "matmul n=32 m=64 k=32 dtype=float16",
    "dense n=4 ci=64 co=48 bias=1 relu=1 dtype=float16",
    "conv2d ci=8 hi=10 wi=10 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1 dtype=float16",
    NULL,
};
static const struct space_options SPACE = {.max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};

bool gpu_programs_open(struct gpu_programs *b, const char *target, const char *settings, struct err *err)
{
    b->target = fixture_target(target);
    if (!b->target)
        return err_set(err, "built without target %s", target);
    b->arena = arena_open("target");
    b->env = (struct target_env){.threads = 1, .layout = LAYOUT_REWRITTEN, .use = TARGET_RUNS};
    return target_begin(b->target, settings, b->arena, &b->env, &b->self, &b->limits, err);
}

void gpu_programs_close(struct gpu_programs *b)
{
    b->target->close(b->self);
    arena_close(b->arena);
}

/* Loads, runs on poisoned outputs and compares. */
static bool run_object(struct gpu_programs *b, const struct trial_task *t, const struct candidate *c,
                       const struct blob *object, struct err *err)
{
    char message[SAMPLE_MESSAGE] = "";
    void *kernel, *output = t->args[t->task->nargs - 1];
    double seconds = -1;
    if (b->target->load(b->self, c, object, &kernel, message) != OUTCOME_OK)
        return err_set(err, "load: %s", message);
    memset(output, 0xff, (size_t)t->nout * sizeof(float));
    enum outcome done = b->target->run(b->self, kernel, t->args, 2, &seconds, message);
    b->target->drop(b->self, kernel);
    if (done != OUTCOME_OK)
        return err_set(err, "run: %s", message);
    if (!(seconds > 0 && seconds < 60))
        return err_set(err, "two calls took %g s", seconds);
    return random_schedule_same(t, output, err);
}

static bool run_state(struct gpu_programs *b, const struct trial_task *t, const struct state *s, struct err *err)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    struct candidate c = {.task = t->task, .steps = s->steps, .nsteps = s->nsteps};
    if (b->target->build(b->self, &c, &object, message) != OUTCOME_OK)
        return err_set(err, "build: %s", message);
    bool fine = run_object(b, t, &c, &object, err);
    free(object.bytes);
    return fine;
}

static bool run_reference(struct gpu_programs *b, const struct trial_task *t, struct err *err)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    struct candidate c = {.task = t->task};
    if (b->target->reference(b->self, t->task, &object, message) != OUTCOME_OK)
        return err_set(err, "build: %s", message);
    bool fine = run_object(b, t, &c, &object, err);
    free(object.bytes);
    return fine;
}

static void count_loops(struct gpu_programs *b, const struct stmt *s)
{
    if (s->kind == STMT_LOOP && s->extent > 1) {
        b->vthreads += s->loop == ANN_VTHREAD;
        b->vectors += s->loop == ANN_VECTORIZE;
        b->unrolled += s->auto_unroll > 0 || s->loop == ANN_UNROLL;
    }
    for (int i = 0; i < s->nbody; i++)
        count_loops(b, s->body[i]);
}

/* The nest, if the device can hold it. */
static struct nest *fitting_nest(const struct gpu_programs *b, struct arena *a, const struct state *s)
{
    struct err err = {0};
    struct nest *n;
    return s && lower(a, s, LAYOUT_NONE, &n, &err) && gpu_verify(n, &b->limits, &err) ? n : NULL;
}

static bool has_vector(const struct stmt *s)
{
    if (s->kind == STMT_LOOP && s->extent > 1 && s->loop == ANN_VECTORIZE)
        return true;
    for (int i = 0; i < s->nbody; i++)
        if (has_vector(s->body[i]))
            return true;
    return false;
}

/* Draws have vectors of one element; mutations of their tiles make longer ones. */
static struct state *with_vector(const struct gpu_programs *b, const struct space *sp, struct arena *a, struct rng *r,
                                 struct state *s)
{
    for (int i = 0; i < TRIES; i++) {
        struct genome child, parent = {s->steps, s->nsteps};
        if (!mutation_draw(sp, r)->apply(sp, a, a, r, parent, &child))
            continue;
        struct state *next = space_state(sp, a, child.steps, child.n, NULL, NULL);
        struct nest *n = fitting_nest(b, a, next);
        s = n ? next : s;
        if (n && has_vector(n->root))
            break;
    }
    return s;
}

/* A program that the device can hold; NULL: none was drawn. */
static struct state *draw_fitting(struct gpu_programs *b, const struct space *sp, struct arena *a, struct rng *r)
{
    for (int i = 0; i < DRAWS; i++) {
        struct state *s = draw_state(sp, a, r, NULL, NULL);
        if (!fitting_nest(b, a, s))
            continue;
        s = b->mutates ? with_vector(b, sp, a, r, s) : s;
        struct nest *n = fitting_nest(b, a, s);
        count_loops(b, n->root);
        for (int k = 0; k < s->nstages; k++) {
            b->shared += str_ends(s->stages[k].op->name, ".shared");
            b->across += stage_reduces_across_threads(s, k);
        }
        return s;
    }
    return NULL;
}

static void check_sketch(struct gpu_programs *b, const struct trial_task *t, const struct space *sp, struct rng *r,
                         int64_t programs)
{
    struct arena *a = arena_open("state");
    b->sketches++;
    for (int64_t i = 0; i < programs; i++) {
        struct err err = {0};
        struct state *s = draw_fitting(b, sp, a, r);
        if (!s) {
            b->empty++;
            break;
        }
        bool fine = run_state(b, t, s, &err);
        b->right += fine;
        b->wrong += !fine;
        if (!fine && b->wrong < 4)
            random_schedule_show(s, err.text);
        arena_reset(a);
    }
    arena_close(a);
}

static void check_task(struct gpu_programs *b, const char *spec, int64_t programs)
{
    struct arena *a = arena_open("task");
    struct err err = {0};
    struct trial_task t;
    struct space sp = {0};
    struct rng r;
    rng_seed(&r, (uint64_t)fixture_number("RAINGAUGE_SEED", 11));
    if (!ok(random_schedule_task(a, spec, &r, &t, &err) && space_open(&sp, a, t.task, &b->limits, &SPACE, &err),
            "%s: there are sketches for GPUs %s", spec, err.text)) {
        arena_close(a);
        return;
    }
    int right = b->right, wrong = b->wrong, empty = b->empty;
    struct space one = sp;
    one.nsketches = 1;
    for (int k = 0; k < sp.nsketches; k++) {
        one.sketches = &sp.sketches[k];
        check_sketch(b, &t, &one, &r, programs);
    }
    ok(run_reference(b, &t, &err), "the unscheduled program gives the graph's result %s", err.text);
    ok(b->wrong == wrong && b->right > right && b->empty == empty, "%d programs of %d sketches give the graph's result",
       b->right - right, sp.nsketches);
    arena_close(a);
}

/* All tasks on one device, with so many programs a sketch. */
static void check_device(struct gpu_programs *b, const char *target, const char *settings, const char *const *specs,
                         int64_t programs)
{
    struct err err = {0};
    if (!ok(gpu_programs_open(b, target, settings, &err), "a device with %s opens %s", settings, err.text))
        return;
    ok(b->env.layout == LAYOUT_NONE && b->limits.is_gpu, "the device is a GPU, and weights are not packed");
    for (int i = 0; specs[i]; i++)
        check_task(b, specs[i], programs);
    gpu_programs_close(b);
}

/* MetaSchedule's programs for tensor cores. OpenCL has none, so their blocks are loops, which test the indices; CUDA
 * multiplies fragments, and so does its double. */
static void check_tensor(struct gpu_programs *b, const char *spec)
{
    enum { PROGRAMS = 2 };
    struct arena *a = arena_open("task"), *work = arena_open("state");
    struct trace_options o = trace_defaults();
    struct trace_space ts;
    struct trial_task t;
    struct err err = {0};
    struct rng r;
    int right = 0, wrong = 0;
    rng_seed(&r, (uint64_t)fixture_number("RAINGAUGE_SEED", 12));
    fixture_must(random_schedule_task(a, spec, &r, &t, &err) && trace_space_open(&ts, a, t.task, &b->limits, &o, &err),
                 &err);
    for (int i = 0; i < 10 * DRAWS && right + wrong < PROGRAMS; i++, arena_reset(work)) {
        struct trace one = trace_fresh(&ts, work, 0);
        one.at[ts.layouts[0].unroll] = 0; /* what is unrolled far takes PoCL minutes */
        struct state *s = trace_replay(&ts, work, &one, &r, NULL, NULL);
        if (!fitting_nest(b, work, s))
            continue;
        bool fine = run_state(b, &t, s, &err);
        right += fine;
        wrong += !fine;
        if (!fine)
            random_schedule_show(s, err.text);
    }
    ok(ts.layouts[0].tensor && right == PROGRAMS, "%s: %d programs for tensor cores give the graph's result", spec,
       right);
    arena_close(work);
    arena_close(a);
}

static void check_tensors(const char *target, const char *settings)
{
    struct gpu_programs b = {0};
    struct err err = {0};
    char device[256];
    snprintf(device, sizeof device, "max_threads=128,shared_bytes=49152,warp=32%s", settings);
    if (!ok(gpu_programs_open(&b, target, device, &err), "a device with %s opens %s", device, err.text))
        return;
    check_tensor(&b, "matmul n=64 m=32 k=48 dtype=float16");
    check_tensor(&b, "dense n=32 ci=64 co=32 bias=1 relu=1 dtype=float16");
    check_tensor(&b, "batch_matmul b=2 n=32 m=48 k=32 dtype=float16");
    check_tensor(&b, "conv2d ci=16 hi=8 wi=8 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1 dtype=float16");
    check_tensor(&b, "conv2d n=2 ci=5 hi=7 wi=9 co=20 kh=3 kw=2 sw=2 ph=1 layout=nchw bias=1 dtype=float16");
    check_tensor(&b, "dense n=1 ci=40 co=50 bias=1 dtype=float16");
    gpu_programs_close(&b);
}

/* ---- reductions across threads, by hand: sketches of so small devices have few threads ---- */

struct across {
    int threads, y, z; /* that share a reduction, and how many of them do so beside each other */
    const char *by;
};
/* Lanes of a warp, several warps, and neither, as targets/gpu/gpu_reduce.h has them. */
static const struct across ACROSS[] = {
    {2, 1, 1, "sum"},   {8, 1, 1, "max"},   {8, 6, 1, "sum"},    {8, 2, 3, "max"},    {16, 3, 1, "max"},
    {24, 1, 1, "max"},  {25, 1, 1, "sum"},  {24, 2, 1, "sum"},   {32, 1, 1, "sum"},   {32, 3, 1, "max"},
    {64, 1, 1, "sum"},  {64, 3, 2, "max"},  {96, 1, 1, "max"},   {96, 2, 1, "sum"},   {224, 1, 1, "max"},
    {512, 2, 1, "sum"}, {512, 1, 2, "max"}, {1024, 1, 1, "sum"}, {33, 1, 1, "max"},   {49, 1, 1, "sum"},
    {98, 1, 1, "max"},  {98, 3, 1, "sum"},  {200, 1, 1, "sum"},  {1000, 1, 1, "sum"},
};

static struct state *across_state(struct arena *a, const struct task *t, const struct across *c, struct err *err)
{
    const int64_t groups[] = {c->z, c->y}, threads[] = {c->threads};
    struct state *s = state_new(a, t);
    bool fine = state_split(s, 1, 0, groups, 2, true, err) && state_split(s, 1, 3, threads, 1, true, err) &&
                state_annotate(s, 1, 0, ANN_BLOCK_X, err) && state_annotate(s, 1, 1, ANN_THREAD_Z, err) &&
                state_annotate(s, 1, 2, ANN_THREAD_Y, err) && state_annotate(s, 1, 4, ANN_THREAD_X, err);
    return fine ? s : NULL;
}

static bool run_across(struct gpu_programs *b, const struct across *c, struct err *err)
{
    struct arena *a = arena_open("across");
    struct trial_task t;
    struct rng r;
    rng_seed(&r, 13);
    const char *spec = arena_printf(a, "reduce n=%d m=%d by=%s", 2 * c->y * c->z, 3 * c->threads, c->by);
    const struct state *s = random_schedule_task(a, spec, &r, &t, err) ? across_state(a, t.task, c, err) : NULL;
    bool fine = s && run_state(b, &t, s, err);
    if (!fine)
        diag("%s by %d threads, %d x %d: %s", spec, c->threads, c->y, c->z, err->text);
    arena_close(a);
    return fine;
}

/* OpenCL has one form of all, so every fourth will do. Blocks of more threads than the device has are left out: PoCL
 * may have less than 1,024. */
static void check_across(const char *target, const char *settings)
{
    struct gpu_programs b = {0};
    struct err err = {0};
    char device[256];
    int right = 0, wrong = 0, larger = 0;
    size_t each = str_eq(target, "cuda") ? 1 : 4;
    snprintf(device, sizeof device, "max_threads=1024,shared_bytes=49152,warp=32%s", settings);
    if (!ok(gpu_programs_open(&b, target, device, &err), "a device with %s opens %s", device, err.text))
        return;
    for (size_t i = 0; i < sizeof ACROSS / sizeof *ACROSS; i += each) {
        const struct across *c = &ACROSS[i];
        if (c->threads * c->y * c->z > b.limits.threads_per_block) {
            larger++;
            continue;
        }
        *(run_across(&b, c, &err) ? &right : &wrong) += 1;
    }
    ok(wrong == 0 && right > 4,
       "%d programs of reductions across 2 to 1024 threads give the graph's result, %d are "
       "too large",
       right, larger);
    gpu_programs_close(&b);
}

void gpu_programs_check(const char *target, const char *settings)
{
    struct gpu_programs b = {0};
    int64_t programs = fixture_number("RAINGAUGE_PROPERTY", 1);
    char small[512], larger[512];
    snprintf(small, sizeof small, "%s%s", GPU_PROGRAMS_SMALL, settings);
    snprintf(larger, sizeof larger, "%s%s", LARGER, settings);
    const char *one = getenv("RAINGAUGE_GPU_DEVICE");
    if (!one || !str_eq(one, "larger"))
        check_across(target, settings);
    if (!one || str_eq(one, "small")) {
        check_tensors(target, settings);
        check_device(&b, target, small, RANDOM_SCHEDULE_SPECS, programs);
    }
    b.mutates = true;
    if (!one || str_eq(one, "larger"))
        check_device(&b, target, larger, LARGER_SPECS, programs);
    if (one)
        return;
    ok(b.shared > 10 && b.across > 10 && b.unrolled > 3 && b.vectors > 3 && b.vthreads > 3,
       "copies in shared memory (%d), reductions across threads (%d), unrolled loops (%d), vectors (%d) and virtual "
       "threads (%d) have been met",
       b.shared, b.across, b.unrolled, b.vectors, b.vthreads);
}

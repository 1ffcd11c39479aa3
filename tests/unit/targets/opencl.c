/* SPDX-License-Identifier: Apache-2.0 */
/* opencl: programs of every GPU sketch of every operator, as target opencl builds and runs them (on PoCL where there is
 * no GPU), give what the graph computes; so does the reference. Drawn on a device so small that tasks for the
 * interpreter fill its blocks, and on a larger one that has virtual threads. RAINGAUGE_PROPERTY=n runs n programs a
 * sketch, RAINGAUGE_SEED moves the stream. */
#include "harness/program/lower/gpu_verify.h"
#include "search/evolution/mutate.h"
#include "search/sketch/draw.h"
#include "search/sketch/stage_query.h"
#include "targets/targets.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#ifdef HAVE_OPENCL
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200, TRIES = 12 };
/* Small enough for the tasks of random_schedule. */
static const char SMALL[] = "max_threads=16,shared_bytes=2048,warp=4";
/* With virtual threads, and room for vectors. */
static const char LARGER[] = "max_threads=128,shared_bytes=16384,warp=16";
static const char *const LARGER_SPECS[] = {
    "matmul n=32 m=64 k=32",
    "conv2d ci=8 hi=10 wi=10 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv2d ci=8 hi=8 wi=8 co=16 kh=3 kw=3 ph=1 pw=1 layout=nchw",
    "winograd ci=8 hi=8 wi=8 co=8 ph=1 pw=1 tile=2",
    "batch_matmul b=2 n=16 m=32 k=16",
    NULL,
};
static const struct space_options options = {
    .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};

struct bench {
    const struct target *target;
    void *self;
    struct limits limits;
    struct target_env env;
    struct arena *arena;
    bool mutates;
    int right, wrong, sketches, empty, shared, across, vthreads, vectors, unrolled;
};

static int64_t number_from(const char *variable, int64_t fallback)
{
    int64_t v;
    const char *s = getenv(variable);
    return s && str_int(s, &v) ? v : fallback;
}

static bool open_target(struct bench *b, const char *device, struct err *err)
{
    for (const struct target *const *t = targets_table(); *t; t++)
        if (str_eq((*t)->name, "opencl"))
            b->target = *t;
    b->arena = arena_open("target");
    void *settings = arena_alloc(b->arena, b->target->options_size);
    b->self = arena_alloc(b->arena, b->target->state_size);
    setting_defaults(b->target->settings, settings);
    b->env = (struct target_env){.options = settings, .threads = 1, .layout = LAYOUT_REWRITTEN};
    return setting_parse(b->target->settings, settings, b->arena, device, err) &&
           b->target->open(b->self, &b->env, &b->limits, err);
}

/* Loads, runs on poisoned outputs and compares. */
static bool run_object(struct bench *b, const struct trial_task *t, const struct candidate *c,
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

static bool run_state(struct bench *b, const struct trial_task *t, const struct state *s, struct err *err)
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

static bool run_reference(struct bench *b, const struct trial_task *t, struct err *err)
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

static void count_loops(struct bench *b, const struct stmt *s)
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
static struct nest *fitting_nest(const struct bench *b, struct arena *a, const struct state *s)
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
static struct state *with_vector(const struct bench *b, const struct space *sp, struct arena *a, struct rng *r,
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
static struct state *draw_fitting(struct bench *b, const struct space *sp, struct arena *a, struct rng *r)
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

static void check_sketch(struct bench *b, const struct trial_task *t, const struct space *sp, struct rng *r,
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

static void check_task(struct bench *b, const char *spec, int64_t programs)
{
    struct arena *a = arena_open("task");
    struct err err = {0};
    struct trial_task t;
    struct space sp = {0};
    struct rng r;
    rng_seed(&r, (uint64_t)number_from("RAINGAUGE_SEED", 11));
    if (!ok(random_schedule_task(a, spec, &r, &t, &err) && space_open(&sp, a, t.task, &b->limits, &options, &err),
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
static void check_device(struct bench *b, const char *device, const char *const *specs, int64_t programs)
{
    struct err err = {0};
    if (!ok(open_target(b, device, &err), "a device with %s opens %s", device, err.text))
        return;
    ok(b->env.layout == LAYOUT_NONE && b->limits.is_gpu, "the device is a GPU, and weights are not packed");
    for (int i = 0; specs[i]; i++)
        check_task(b, specs[i], programs);
    b->target->close(b->self);
    arena_close(b->arena);
}

int main(void)
{
    struct bench b = {0};
    struct err err = {0};
    if (!open_target(&b, SMALL, &err))
        skip_all("%s", err.text);
    ok(b.limits.threads_per_block == 16 && b.limits.shared_bytes == 2048 && b.limits.warp_size == 4,
       "the settings bound the device's limits");
    b.target->close(b.self);
    arena_close(b.arena);
    int64_t programs = number_from("RAINGAUGE_PROPERTY", 1);
    check_device(&b, SMALL, RANDOM_SCHEDULE_SPECS, programs);
    b.mutates = true;
    check_device(&b, LARGER, LARGER_SPECS, 2 * programs);
    ok(b.shared > 10 && b.across > 10 && b.unrolled > 3 && b.vectors > 3 && b.vthreads > 3,
       "copies in shared memory (%d), reductions across threads (%d), unrolled loops (%d), vectors (%d) and virtual "
       "threads (%d) have been met",
       b.shared, b.across, b.unrolled, b.vectors, b.vthreads);
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without <CL/cl.h>");
}
#endif

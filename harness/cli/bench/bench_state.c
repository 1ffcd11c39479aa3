/* SPDX-License-Identifier: Apache-2.0 */
/* bench_state: what one state costs in an evolutionary round, on one core: steps -> replay -> bounds -> nest -> 164
 * features; on GPUs the nest is verified before. And how many lowered programs model `sa` scores in a second: stores,
 * symbols, latency. Every pass goes over the same random programs of all conv2d kernels of resnet18. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"
#include "harness/program/features/feature.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/cross_thread.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "models/sa/latency.h"

enum { EACH = 24, EACH_SA = 16, PASSES = 15 };
enum { REPLAY, BOUNDS, LOWER, VERIFY, FEATURES, PARTS };

struct states {
    struct gauge_draws d;
    struct arena *a;              /* of one state */
    const struct nest **nests;    /* d.n of them */
    double since, seconds[PARTS]; /* wall seconds of each part, all passes together: only their shares are shown */
};

static const char *part_name(int i)
{
    static const char *const names[PARTS] = {"replay", "bounds", "lower", "verify", "features"};
    return names[i];
}

static bool ended(struct states *w, int part)
{
    double now = clock_now();
    w->seconds[part] += now - w->since;
    w->since = now;
    return true;
}

static bool one_state(struct states *w, const struct candidate *c, struct err *err)
{
    struct state *s;
    struct nest *n;
    struct features f;
    w->since = clock_now();
    return state_replay(w->a, c->task, c->steps, c->nsteps, &s, err) && ended(w, REPLAY) && bound_infer(s, err) &&
           ended(w, BOUNDS) && lower(w->a, s, LAYOUT_NONE, &n, err) && ended(w, LOWER) &&
           (!w->d.limits.is_gpu || gpu_verify(n, &w->d.limits, err)) && ended(w, VERIFY) &&
           feature_extract(w->a, n, &f, err) && ended(w, FEATURES);
}

/* On this thread's clock: OpenBLAS's go on spinning for work when they have started. */
static bool state_pass(void *self, double *us, struct err *err)
{
    struct states *w = self;
    double start = clock_thread();
    for (int i = 0; i < w->d.n; i++) {
        arena_reset(w->a);
        if (!one_state(w, &w->d.c[i], err))
            return false;
    }
    *us = 1e6 * (clock_thread() - start) / w->d.n;
    return true;
}

static double gpu_ms(struct arena *a, const struct nest *n, const struct nest_stores *all)
{
    static const struct sa_device DEVICE = {.of = {.peak_gflops = 19490, /* of a100-40 */
                                                   .memory_gb_s = 1555,
                                                   .multiprocessors = 108,
                                                   .blocks_per_multiprocessor = 1,
                                                   .multiprocessor_partitions = 4,
                                                   .warp_size = 32,
                                                   .thread_registers = 128}};
    struct sa_rows rows = sa_rows_of(a, n, all);
    return sa_latency_code(&DEVICE, (struct sa_penalties){true, true}, rows.at, rows.n);
}

static double cpu_ms(const struct nest_stores *all)
{
    static const struct sa_cpu CORE = {.cores = 4,
                                       .lanes = 8,
                                       .registers = 16,
                                       .ghz = 3,
                                       .capacity = {32 << 10, 1 << 20, 8 << 20},
                                       .bandwidth = {64, 32, 16, 8}};
    return sa_latency_cpu(&CORE, (struct sa_penalties){true, true}, all);
}

static bool draft_pass(void *self, double *per_s, struct err *err)
{
    struct states *w = self;
    double start = clock_now(), sum = 0;
    for (int i = 0; i < w->d.n; i++) {
        struct nest_stores all;
        const struct nest *nest = w->d.limits.is_gpu ? cross_thread_nest(w->a, w->nests[i]) : w->nests[i];
        if (!nest_stores_find(w->a, nest, &all, err))
            return false;
        sum += w->d.limits.is_gpu ? gpu_ms(w->a, nest, &all) : cpu_ms(&all);
        arena_reset(w->a);
    }
    *per_s = w->d.n / (clock_now() - start);
    return sum > 0 || err_set(err, "model sa estimates nothing");
}

static bool lower_all(struct bench_env *b, struct states *w, struct err *err)
{
    w->nests = ARENA_ARRAY(b->arena, const struct nest *, w->d.n);
    for (int i = 0; i < w->d.n; i++) {
        struct state *s;
        struct nest *n;
        if (!state_replay(b->arena, w->d.c[i].task, w->d.c[i].steps, w->d.c[i].nsteps, &s, err) ||
            !bound_infer(s, err) || !lower(b->arena, s, LAYOUT_NONE, &n, err))
            return false;
        w->nests[i] = n;
    }
    return true;
}

static struct states states_of(const struct bench_env *b, int which, int each)
{
    struct limits limits = which == BENCH_GPU ? limits_cuda() : limits_cpu(b->cores);
    return (struct states){.d = {.each = each, .seed = 1, .limits = limits}, .a = arena_open("state")};
}

bool bench_state(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct states w = states_of(b, which, EACH);
    bool fine = gauge_draw(b, &w.d, err) && reading_repeat(out, 1, PASSES, state_pass, &w, err);
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += w.seconds[i] / 100;
    for (int i = 0; i < PARTS; i++)
        w.seconds[i] /= sum;
    out->about = arena_printf(b->arena, "CPU time, mean over %d random states of the %d conv2d kernels of resnet18",
                              w.d.n, w.d.nkernels);
    out->lines = gauge_parts(b, "of a state", "%", PARTS, w.seconds, part_name);
    arena_close(w.a);
    return fine;
}

bool bench_draft(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct states w = states_of(b, which, EACH_SA);
    bool fine =
        gauge_draw(b, &w.d, err) && lower_all(b, &w, err) && reading_repeat(out, 1, PASSES, draft_pass, &w, err);
    out->about = arena_printf(b->arena, "model sa on %d nests of the %d conv2d kernels of resnet18, one core", w.d.n,
                              w.d.nkernels);
    arena_close(w.a);
    return fine;
}

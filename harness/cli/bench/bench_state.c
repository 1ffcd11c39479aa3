/* SPDX-License-Identifier: Apache-2.0 */
/* bench_state: what one state costs in an evolutionary round: steps -> replay -> bounds -> nest -> 164 features, on one
 * core; on GPUs the nest is verified before. Every pass goes over the same random programs of all conv2d kernels of
 * resnet18; a reading is the CPU time of a pass. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "models/feature.h"

enum { EACH = 24, PASSES = 15 };
enum state_part { REPLAY, BOUNDS, LOWER, VERIFY, FEATURES, PARTS };
static const char *const part_names[PARTS] = {"replay", "bounds", "lower", "verify", "features"};

struct parts { /* wall seconds of each, all passes together: only their shares are told */
    double since, seconds[PARTS];
};

static bool ended(struct parts *p, enum state_part part)
{
    double now = clock_now();
    p->seconds[part] += now - p->since;
    p->since = now;
    return true;
}

static bool one_state(struct arena *a, const struct candidate *c, const struct limits *limits, struct parts *p,
                      struct err *err)
{
    struct state *s;
    struct nest *n;
    struct features f;
    p->since = clock_now();
    return state_replay(a, c->task, c->steps, c->nsteps, &s, err) && ended(p, REPLAY) && bound_infer(s, err) &&
           ended(p, BOUNDS) && lower(a, s, LAYOUT_NONE, &n, err) && ended(p, LOWER) &&
           (!limits->is_gpu || gpu_verify(n, limits, err)) && ended(p, VERIFY) && feature_extract(a, n, &f, err) &&
           ended(p, FEATURES);
}

static bool one_pass(struct arena *a, const struct candidate *c, int n, const struct limits *limits, struct parts *p,
                     struct err *err)
{
    for (int i = 0; i < n; i++) {
        arena_reset(a);
        if (!one_state(a, &c[i], limits, p, err))
            return false;
    }
    return true;
}

/* "of a state: replay 12 %, bounds 30 %, ..." */
static const char *lines_of(struct bench_env *b, const struct parts *p)
{
    struct text t = {0};
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += p->seconds[i];
    text_add(&t, "    of a state:");
    for (int i = 0; i < PARTS; i++)
        text_printf(&t, "%s %s %.0f %%", i ? "," : "", part_names[i], 100 * p->seconds[i] / sum);
    text_add(&t, "\n");
    const char *kept = arena_str(b->arena, text_str(&t));
    text_free(&t);
    return kept;
}

static bool take(struct bench_env *b, const struct limits *limits, struct reading *out, struct err *err)
{
    struct gauge_draws draws = {.each = EACH, .seed = 1, .limits = *limits};
    const struct task **kernels;
    struct candidate *c;
    if (!gauge_kernels(b, &kernels, &draws.nkernels, err))
        return false;
    draws.kernels = kernels;
    if (!gauge_candidates(b, &draws, &c, err))
        return false;
    int n = draws.nkernels * EACH;
    struct arena *a = arena_open("state");
    struct parts warm = {0}, all = {0};
    bool fine = one_pass(a, c, n, limits, &warm, err); /* warms caches, that of the dags of CHW too */
    for (int i = 0; fine && i < PASSES; i++) {
        double start = clock_cpu();
        if ((fine = one_pass(a, c, n, limits, &all, err)))
            reading_add(out, 1e6 * (clock_cpu() - start) / n);
    }
    arena_close(a);
    out->about = arena_printf(b->arena, "CPU time, mean over %d random states of the %d conv2d kernels of resnet18", n,
                              draws.nkernels);
    out->lines = lines_of(b, &all);
    return fine;
}

bool bench_state(struct bench_env *b, struct reading *out, struct err *err)
{
    struct limits limits = limits_cpu(b->cores);
    return take(b, &limits, out, err);
}

bool bench_gpu_state(struct bench_env *b, struct reading *out, struct err *err)
{
    struct limits limits = limits_cuda();
    return take(b, &limits, out, err);
}

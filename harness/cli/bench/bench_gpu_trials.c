/* SPDX-License-Identifier: Apache-2.0 */
/* bench_gpu_trials: GPU trials a second, from random conv2d programs of resnet18 through the whole measurer: build
 * (CUDA: NVRTC; OpenCL: the driver's compiler), load, verify, time. The number is with overlap: builds go on beside
 * runs, as in a search on a GPU. Beside it stands the number without, where a batch is built and then run. Two
 * measurers, one of each way, take turns, the first of a turn by turns as well. What builds do to the times of programs
 * is the ratio of the same programs' times.
 *
 * On a device that runs kernels on the cores that build (PoCL) overlap is forced. There the two ways share the same
 * cores and times are disturbed: the lines say so, and nothing of a GPU.
 *
 * Builds a second come alone as well: NVRTC in the build workers, for a GPU that need not be here. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"
#include "harness/measure/measure.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

#define REGIME "tvm"                /* at least 0.1 s of calls a trial */
#define BESIDE "builds_beside_runs" /* of the description of a measurer: in measure.c */
#define ARCHITECTURE "sm_80"        /* of the builds alone: the A100 of the papers */
/* Programs of each of the KERNELS with the least work, those of a round of a search: PoCL, which takes seconds for a
 * call of the other kernels, gets EACH. */
enum { EACH = 4, EACH_ON_GPU = 64, KERNELS = 2, PASSES = 2, TURNS = 4 };

/* ---- builds alone: no GPU is needed ---- */

static bool clock_builds(struct bench_env *b, struct measurer *m, const struct candidate *c, int n, struct reading *out,
                         struct err *err)
{
    struct sample *s = ARENA_ARRAY(b->arena, struct sample, n);
    double build_s = 0;
    int built = 0;
    for (int i = 0; i < PASSES; i++) {
        double start = clock_now();
        if (!measure_builds(m, c, n, s, err))
            return false;
        reading_add(out, n / (clock_now() - start));
        for (int k = 0; k < n; k++) {
            build_s += s[k].build_s;
            built += s[k].outcome == OUTCOME_OK;
        }
    }
    if (!built)
        return err_set(err, "nothing was built; the first: %s: %s", outcome_word(s[0].outcome), s[0].message);
    out->about = arena_printf(b->arena, "%d random conv2d programs of resnet18 for " ARCHITECTURE ", %d of %d built", n,
                              built / PASSES, n);
    out->lines = arena_printf(b->arena, "    a build takes %.3g ms in one of %d workers\n",
                              1e3 * build_s / (n * PASSES), measure_build_workers(m));
    return true;
}

bool bench_builds_cuda(struct bench_env *b, struct reading *out, struct err *err)
{
    struct gauge_draws draws = {.each = EACH, .seed = 5, .limits = limits_cuda()};
    struct measure_options o = {.target = registry_target(b->cli->registry, "cuda", err),
                                .target_settings = "arch=" ARCHITECTURE,
                                .layout = LAYOUT_REWRITTEN,
                                .builds_only = true,
                                .seed = 1,
                                .faults = ""};
    const struct task **kernels;
    struct candidate *c;
    struct measurer *m;
    struct limits limits;
    if (!o.target || !regime_named(REGIME, &o.regime, err) || !gauge_kernels(b, &kernels, &draws.nkernels, err))
        return false;
    draws.kernels = kernels;
    if (!gauge_candidates(b, &draws, &c, err) || !measure_open(&o, &m, &limits, err))
        return false;
    bool fine = clock_builds(b, m, c, draws.nkernels * EACH, out, err);
    measure_close(m);
    return fine;
}

/* ---- trials ---- */

static int by_flops(const void *x, const void *y)
{
    double a = (*(const struct task *const *)x)->dag->flops, b = (*(const struct task *const *)y)->dag->flops;
    return (a > b) - (a < b);
}

enum way { WAY_BUILT_FIRST, WAY_OVERLAP, WAYS };

struct trials { /* the same programs in two measurers */
    struct bench_env *b;
    const char *target;
    bool forced; /* kernels run on the cores that build */
    int beside;  /* build workers beside a run */
    int each, n;
    struct candidate *c;
    struct measurer *m[WAYS];
    struct sample *s[WAYS];
    double rate[WAYS][TURNS], times[TURNS]; /* trials a second; times with overlap over those without, median */
};

/* One measurer of each way. *limits: the target's. */
static bool open_both(struct trials *t, struct limits *limits, struct err *err)
{
    struct measure_options o = {.target = registry_target(t->b->cli->registry, t->target, err),
                                .target_settings = "",
                                .layout = LAYOUT_REWRITTEN,
                                .seed = 1,
                                .faults = ""};
    cJSON *about = json_object();
    bool fine = o.target && regime_named(REGIME, &o.regime, err) && measure_open(&o, &t->m[WAY_OVERLAP], limits, err);
    if (fine)
        measure_describe(t->m[WAY_OVERLAP], about);
    t->forced = fine && json_num(about, BESIDE, 0) == 0;
    if (t->forced) {
        measure_close(t->m[WAY_OVERLAP]);
        t->m[WAY_OVERLAP] = NULL;
        o.force_overlap = true;
        fine = measure_open(&o, &t->m[WAY_OVERLAP], limits, err);
        if (fine)
            measure_describe(t->m[WAY_OVERLAP], about);
    }
    t->beside = (int)json_num(about, BESIDE, 0);
    cJSON_Delete(about);
    o.force_overlap = o.regime.overlap = false;
    return fine && measure_open(&o, &t->m[WAY_BUILT_FIRST], limits, err);
}

/* The first `each` candidates of every kernel, kernel by kernel as in a search; *seconds: what the measurer took. A
 * failed trial is one, too. */
static bool one_pass(struct trials *t, enum way way, int each, double *seconds, struct err *err)
{
    struct sample *s = t->s[way];
    double start = clock_now();
    int failed = -1;
    for (int i = 0; i < t->n; i += t->each) {
        struct measured_batch b = {.candidates = &t->c[i], .n = each, .samples = &s[i]};
        if (!measure_batch(t->m[way], &b, err))
            return false;
        for (int k = i; k < i + each; k++)
            if (s[k].outcome == OUTCOME_OK)
                failed = t->n;
            else if (failed < 0)
                failed = k;
    }
    *seconds = clock_now() - start;
    return failed == t->n ||
           err_set(err, "no trial was fine; the first: %s: %s", outcome_word(s[failed].outcome), s[failed].message);
}

static double times_ratio(struct trials *t)
{
    double *ratio = ARENA_ARRAY(t->b->arena, double, t->n);
    int n = 0;
    for (int i = 0; i < t->n; i++)
        if (t->s[WAY_OVERLAP][i].outcome == OUTCOME_OK && t->s[WAY_BUILT_FIRST][i].outcome == OUTCOME_OK)
            ratio[n++] = sample_mean(&t->s[WAY_OVERLAP][i]) / sample_mean(&t->s[WAY_BUILT_FIRST][i]);
    return n ? summary_median(ratio, n) : NAN;
}

static bool take_turns(struct trials *t, struct err *err)
{
    double seconds;
    for (int i = 0; i < WAYS; i++)
        if (!one_pass(t, (enum way)i, 1, &seconds, err)) /* makes the references, as a search does once */
            return false;
    for (int i = 0; i < TURNS; i++) {
        for (int k = 0; k < WAYS; k++) {
            enum way way = (i + k) % 2 ? WAY_OVERLAP : WAY_BUILT_FIRST;
            if (!one_pass(t, way, t->each, &seconds, err))
                return false;
            t->rate[way][i] = t->n / seconds;
        }
        t->times[i] = times_ratio(t);
    }
    return true;
}

static void tell(const struct trials *t, struct reading *out)
{
    struct arena *a = t->b->arena;
    double build_s = 0, plain = summary_median(t->rate[WAY_BUILT_FIRST], TURNS), gain[TURNS];
    for (int i = 0; i < TURNS; i++) {
        reading_add(out, t->rate[WAY_OVERLAP][i]);
        gain[i] = t->rate[WAY_OVERLAP][i] / t->rate[WAY_BUILT_FIRST][i];
    }
    for (int i = 0; i < t->n; i++)
        build_s += t->s[WAY_BUILT_FIRST][i].build_s / t->n;
    out->about = arena_printf(a, "%d random programs of %d conv2d kernels of resnet18, %d workers build beside runs",
                              t->n, t->n / t->each, t->beside);
    out->lines = arena_printf(
        a,
        "    built, then run: %.3g a second; with overlap %.3g times as many; programs' times %.3g times those\n"
        "    a build takes %.3g ms in one of %d workers%s\n",
        plain, summary_median(gain, TURNS), summary_median(t->times, TURNS), 1e3 * build_s,
        measure_build_workers(t->m[WAY_BUILT_FIRST]),
        t->forced ? "; overlap is forced: kernels run on the cores that build" : "");
    out->details_name = "overlap";
    out->details = json_object();
    json_put_number(out->details, "built_first_per_s", plain);
    json_put_number(out->details, "gain", summary_median(gain, TURNS));
    json_put_number(out->details, "times_ratio", summary_median(t->times, TURNS));
    json_put_int(out->details, "builds_beside_runs", t->beside);
    json_put_bool(out->details, "forced", t->forced);
}

static bool programs_draw(struct trials *t, struct gauge_draws *draws, struct err *err)
{
    const struct task **kernels;
    int n;
    if (!gauge_kernels(t->b, &kernels, &n, err))
        return false;
    qsort(kernels, (size_t)n, sizeof(const struct task *), by_flops);
    draws->kernels = kernels;
    draws->nkernels = n < KERNELS ? n : KERNELS;
    draws->each = t->each = t->forced ? EACH : EACH_ON_GPU;
    t->n = draws->nkernels * t->each;
    for (int i = 0; i < WAYS; i++)
        t->s[i] = ARENA_ARRAY(t->b->arena, struct sample, t->n);
    return gauge_candidates(t->b, draws, &t->c, err);
}

static bool take(struct bench_env *b, const char *target, struct reading *out, struct err *err)
{
    struct trials t = {.b = b, .target = target};
    struct gauge_draws draws = {.seed = 4};
    bool fine = open_both(&t, &draws.limits, err) && programs_draw(&t, &draws, err) && take_turns(&t, err);
    if (fine)
        tell(&t, out);
    for (int i = 0; i < WAYS; i++)
        measure_close(t.m[i]);
    return fine;
}

bool bench_trials_cuda(struct bench_env *b, struct reading *out, struct err *err)
{
    return take(b, "cuda", out, err);
}

bool bench_trials_opencl(struct bench_env *b, struct reading *out, struct err *err)
{
    return take(b, "opencl", out, err);
}

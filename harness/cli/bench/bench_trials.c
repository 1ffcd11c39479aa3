/* SPDX-License-Identifier: Apache-2.0 */
/* bench_trials: trials a second, from random conv2d programs of resnet18 through the whole measurer: build (CUDA:
 * NVRTC; OpenCL: the driver's compiler; CPU: one thread, as --target says), load, verify, time. The number is with
 * overlap: builds go on beside runs, as in a search on a GPU. Beside it stands the number without, where a batch is
 * built and then run. Two measurers, one of each way, take turns, the first of a turn by turns as well. What builds do
 * to the times of programs is the ratio of the same programs' times.
 *
 * On a device that runs kernels on the cores that build (PoCL) overlap is forced. There the two ways share the same
 * cores and times are disturbed: the lines say so, and nothing of a GPU. */
#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/cli/bench/gauges.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

#define BESIDE "builds_beside_runs" /* of the description of a measurer: in measure.c */
/* `each` programs of each of the `kernels` with the least work. A GPU gets those of a round of a search of two; PoCL,
 * which takes seconds for a call of the other kernels, EACH. */
enum { EACH = 4, ALL = 1000, TURNS = 4 };
static const struct kind {
    const char *target, *settings, *regime;
    int threads, kernels, each;
    bool mixed; /* the programs of all kernels are one batch, and not each kernel's */
} kinds[] = {
    [BENCH_CUDA] = {"cuda", "", "tvm", 0, 2, 64}, /* tvm: at least 0.1 s of calls a trial */
    [BENCH_OPENCL] = {"opencl", "", "tvm", 0, 2, 64},
    [BENCH_HOST] = {"cpu", "overlap=true", "tvmc", 1, ALL, EACH, true},
};
enum { WAY_BUILT_FIRST, WAY_OVERLAP, WAYS };

struct trials { /* the same programs in two measurers */
    struct bench_env *b;
    const struct kind *kind;
    bool forced; /* kernels run on the cores that build */
    int beside;  /* build workers beside a run */
    struct gauge_draws d;
    struct measurer *m[WAYS];
    struct sample *s[WAYS];
    double rate[WAYS][TURNS], times[TURNS]; /* trials a second; times with overlap over those without, median */
};

static int by_flops(const void *x, const void *y)
{
    double a = (*(const struct task *const *)x)->dag->flops, b = (*(const struct task *const *)y)->dag->flops;
    return (a > b) - (a < b);
}

static bool open_overlap(struct trials *t, const struct measure_options *o, struct err *err)
{
    if (!measure_open(o, &t->m[WAY_OVERLAP], &t->d.limits, err))
        return false;
    cJSON *about = json_object();
    measure_describe(t->m[WAY_OVERLAP], about);
    t->beside = (int)json_num(about, BESIDE, 0);
    cJSON_Delete(about);
    return true;
}

/* One measurer of each way. */
static bool open_both(struct trials *t, struct err *err)
{
    const struct kind *k = t->kind;
    struct measure_options o;
    struct limits limits;
    if (!gauge_measure(t->b, k->target, k->regime, &o, err))
        return false;
    o.threads = k->threads;
    o.target_settings = arena_printf(t->b->arena, "%s%s%s", o.target_settings,
                                     *o.target_settings && *k->settings ? "," : "", k->settings);
    if (k->mixed && cpus_usable() < 2)
        return err_set(err, "builds go on beside runs where a core is left: with two cores or more");
    o.force_overlap = k->mixed;
    if (!open_overlap(t, &o, err))
        return false;
    t->forced = t->beside == 0;
    if (t->forced) {
        measure_close(t->m[WAY_OVERLAP]);
        t->m[WAY_OVERLAP] = NULL;
        o.force_overlap = true;
        if (!open_overlap(t, &o, err))
            return false;
    }
    o.force_overlap = o.regime.overlap = false;
    return measure_open(&o, &t->m[WAY_BUILT_FIRST], &limits, err);
}

/* The first `each` candidates of every kernel, kernel by kernel as in a search; *seconds: what the measurer took. A
 * failed trial is one, too. */
static bool one_pass(struct trials *t, int way, int each, double *seconds, struct err *err)
{
    double start = clock_now();
    const struct sample *failed = NULL;
    bool any = false;
    int step = t->kind->mixed ? t->d.n : t->d.each, n = t->kind->mixed ? t->d.n : each;
    for (int i = 0; i < t->d.n; i += step) {
        struct measured_batch b = {.candidates = &t->d.c[i], .n = n, .samples = &t->s[way][i]};
        if (!measure_batch(t->m[way], &b, err))
            return false;
        for (int k = 0; k < n; k++)
            if (b.samples[k].outcome == OUTCOME_OK)
                any = true;
            else if (!failed)
                failed = &b.samples[k];
    }
    *seconds = clock_now() - start;
    return any || err_set(err, "no trial was fine; the first: %s: %s", outcome_word(failed->outcome), failed->message);
}

static double times_ratio(struct trials *t)
{
    double *ratio = ARENA_ARRAY(t->b->arena, double, t->d.n);
    int n = 0;
    for (int i = 0; i < t->d.n; i++)
        if (t->s[WAY_OVERLAP][i].outcome == OUTCOME_OK && t->s[WAY_BUILT_FIRST][i].outcome == OUTCOME_OK)
            ratio[n++] = sample_mean(&t->s[WAY_OVERLAP][i]) / sample_mean(&t->s[WAY_BUILT_FIRST][i]);
    return n ? summary_median(ratio, n) : NAN;
}

static bool take_turns(struct trials *t, struct err *err)
{
    double seconds;
    for (int i = 0; i < WAYS; i++)
        if (!one_pass(t, i, 1, &seconds, err)) /* makes the references, as a search does once */
            return false;
    for (int i = 0; i < TURNS; i++) {
        for (int k = 0; k < WAYS; k++) {
            int way = (i + k) % 2 ? WAY_OVERLAP : WAY_BUILT_FIRST;
            if (!one_pass(t, way, t->d.each, &seconds, err))
                return false;
            t->rate[way][i] = t->d.n / seconds;
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
    for (int i = 0; i < t->d.n; i++)
        build_s += t->s[WAY_BUILT_FIRST][i].build_s / t->d.n;
    out->about = arena_printf(a, "%d random programs of %d conv2d kernels of resnet18, %d workers build beside runs",
                              t->d.n, t->d.nkernels, t->beside);
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

static bool programs_draw(struct trials *t, struct err *err)
{
    const struct task **kernels;
    int n;
    if (!gauge_kernels(t->b, &kernels, &n, err))
        return false;
    qsort(kernels, (size_t)n, sizeof(const struct task *), by_flops);
    t->d.kernels = kernels;
    t->d.nkernels = n < t->kind->kernels ? n : t->kind->kernels;
    t->d.each = t->forced ? EACH : t->kind->each;
    if (!gauge_draw(t->b, &t->d, err))
        return false;
    for (int i = 0; i < WAYS; i++)
        t->s[i] = ARENA_ARRAY(t->b->arena, struct sample, t->d.n);
    return true;
}

bool bench_trials(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct trials t = {.b = b, .kind = &kinds[which], .d = {.seed = 4}};
    bool fine = open_both(&t, err) && programs_draw(&t, err) && take_turns(&t, err);
    if (fine)
        tell(&t, out);
    for (int i = 0; i < WAYS; i++)
        measure_close(t.m[i]);
    return fine;
}

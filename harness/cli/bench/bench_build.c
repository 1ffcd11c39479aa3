/* SPDX-License-Identifier: Apache-2.0 */
/* bench_build: random conv2d programs of resnet18 through the whole measurer on target cpu: what a build costs a build
 * worker; and, with those of them that take about a millisecond, what a measured trial costs from end to end (built,
 * loaded, verified, timed), builds side by side on all cores as in a campaign. And NVRTC's builds a second in all
 * workers, for a GPU that need not be here. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"

#include <math.h>
#include <stdlib.h>

#define REGIME "tvmc"        /* that of experiments/table3.yaml */
#define TRIAL_WANT 1e-3      /* seconds of the programs whose trials are clocked */
#define ARCHITECTURE "sm_80" /* of the builds for GPUs: the A100 of the papers */
enum { EACH = 4, TRIALS = 32, PASSES = 2 };

struct timed { /* a program and its seconds */
    struct candidate c;
    double seconds;
};

static const char *phase_of(int i)
{
    return phase_name((enum phase)i);
}

static int by_distance(const void *a, const void *b)
{
    double x = fabs(log(((const struct timed *)a)->seconds / TRIAL_WANT));
    double y = fabs(log(((const struct timed *)b)->seconds / TRIAL_WANT));
    return (x > y) - (x < y);
}

/* Those nearest to the wanted time once more; the references of their tasks are there already, as in a campaign. */
static bool clock_trials(struct bench_env *b, struct measurer *m, struct timed *all, int n, struct reading *out,
                         struct err *err)
{
    double least = INFINITY, most = 0, ms[PHASE_COUNT] = {0};
    qsort(all, (size_t)n, sizeof *all, by_distance);
    for (int i = 0; i + EACH <= n && i < TRIALS; i += EACH) {
        struct candidate c[EACH];
        struct sample s[EACH];
        struct phases phases;
        for (int k = 0; k < EACH; k++) {
            c[k] = all[i + k].c;
            least = fmin(least, all[i + k].seconds);
            most = fmax(most, all[i + k].seconds);
        }
        double start = clock_now();
        phases_start(&phases);
        struct measured_batch batch = {.candidates = c, .n = EACH, .samples = s, .phases = &phases};
        if (!measure_batch(m, &batch, err))
            return false;
        phases_stop(&phases);
        reading_add(out, (clock_now() - start) / EACH);
        for (int p = 0; p < PHASE_COUNT; p++)
            ms[p] += 1e3 * phases.seconds[p] / EACH;
    }
    for (int p = 0; p < PHASE_COUNT && out->n; p++)
        ms[p] /= out->n;
    out->about = arena_printf(b->arena,
                              "build, load, verify and time a program of %.2g to %.2g ms under regime " REGIME
                              "; mean of %d programs in each reading",
                              1e3 * least, 1e3 * most, EACH);
    out->lines = gauge_parts(b, "of a trial", "ms", PHASE_COUNT, ms, phase_of);
    return out->n > 0 || err_set(err, "fewer than %d programs ran", EACH);
}

static bool take_both(struct bench_env *b, struct measurer *m, const struct gauge_draws *d, struct reading *out,
                      struct err *err)
{
    struct timed *all = ARENA_ARRAY(b->arena, struct timed, d->n);
    int ran = 0;
    for (int i = 0; i < d->n; i += EACH) {
        struct sample s[EACH];
        struct measured_batch batch = {.candidates = &d->c[i], .n = EACH, .samples = s};
        if (!measure_batch(m, &batch, err))
            return false;
        for (int k = 0; k < EACH; k++) {
            if (s[k].outcome != OUTCOME_BUILD_FAILED && s[k].outcome != OUTCOME_BUILD_TIMEOUT)
                reading_add(&out[0], 1e3 * s[k].build_s);
            if (s[k].outcome == OUTCOME_OK)
                all[ran++] = (struct timed){d->c[i + k], sample_mean(&s[k])};
        }
    }
    out[0].about = arena_printf(b->arena, "one random conv2d program of resnet18 in one of %d build workers",
                                measure_build_workers(m));
    return clock_trials(b, m, all, ran, &out[1], err);
}

bool bench_build(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct measurer *m;
    struct limits limits;
    struct gauge_draws d = {.each = EACH, .seed = 2, .limits = limits_cpu(b->cores)};
    struct measure_options o;
    if (!gauge_measure(b, "cpu", REGIME, &o, err) || !gauge_draw(b, &d, err))
        return false;
    if (which == BENCH_TVM)
        o.target_settings = "codegen=tvm";
    if (!measure_open(&o, &m, &limits, err))
        return false;
    bool fine = take_both(b, m, &d, out, err);
    measure_close(m);
    return fine;
}

/* ---- builds alone: no GPU is needed ---- */

static bool clock_builds(struct bench_env *b, struct measurer *m, const struct gauge_draws *d, struct reading *out,
                         struct err *err)
{
    struct sample *s = ARENA_ARRAY(b->arena, struct sample, d->n);
    double build_s = 0;
    int built = 0;
    for (int i = 0; i < PASSES; i++) {
        double start = clock_now();
        if (!measure_builds(m, d->c, d->n, s, err))
            return false;
        reading_add(out, d->n / (clock_now() - start));
        for (int k = 0; k < d->n; k++) {
            build_s += s[k].build_s;
            built += s[k].outcome == OUTCOME_OK;
        }
    }
    if (!built)
        return err_set(err, "nothing was built; the first: %s: %s", outcome_word(s[0].outcome), s[0].message);
    out->about = arena_printf(b->arena, "%d random conv2d programs of resnet18 for " ARCHITECTURE ", %d of %d built",
                              d->n, built / PASSES, d->n);
    out->lines = arena_printf(b->arena, "    a build takes %.3g ms in one of %d workers\n",
                              1e3 * build_s / (d->n * PASSES), measure_build_workers(m));
    return true;
}

bool bench_builds_cuda(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct gauge_draws d = {.each = EACH, .seed = 5, .limits = limits_cuda()};
    struct measure_options o;
    struct measurer *m;
    struct limits limits;
    (void)which;
    if (!gauge_measure(b, "cuda", "tvm", &o, err) || !gauge_draw(b, &d, err))
        return false;
    o.target_settings = "arch=" ARCHITECTURE;
    o.builds_only = true;
    if (!measure_open(&o, &m, &limits, err))
        return false;
    bool fine = clock_builds(b, m, &d, out, err);
    measure_close(m);
    return fine;
}

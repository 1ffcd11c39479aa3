/* SPDX-License-Identifier: Apache-2.0 */
/* bench_build: random conv2d programs of resnet18 through the whole measurer on target cpu: what a build costs a build
 * worker; and, with those of them that take about a millisecond, what a measured trial costs from end to end (built,
 * loaded, verified, timed), builds side by side on all cores as in a campaign. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"
#include "harness/measure/measure.h"

#include <math.h>
#include <stdlib.h>

#define REGIME "tvmc"   /* that of experiments/table3.yaml */
#define TRIAL_WANT 1e-3 /* seconds of the programs whose trials are clocked */
enum { EACH = 4, TRIALS = 32 };

struct timed { /* a program and its seconds */
    struct candidate c;
    double seconds;
};

/* phases: NULL, or where the time of each phase is added. */
static bool measure_all(struct measurer *m, const struct candidate *c, int n, struct sample *s, struct phases *all,
                        struct err *err)
{
    struct phases phases;
    phases_start(&phases);
    for (int i = 0; i < n; i += EACH) {
        struct measured_batch b = {
            .candidates = &c[i], .n = n - i < EACH ? n - i : EACH, .samples = &s[i], .phases = &phases};
        if (!measure_batch(m, &b, err))
            return false;
    }
    phases_stop(&phases);
    for (int p = 0; all && p < PHASE_COUNT; p++)
        all->seconds[p] += phases.seconds[p];
    return true;
}

/* "build 12.1 ms, verify 3.2 ms, ..." a trial; the rest of the wall time is said as other. */
static const char *parts_of(struct bench_env *b, const struct phases *p, int trials)
{
    struct text t = {0};
    text_add(&t, "    of a trial:");
    for (int i = 0; i < PHASE_COUNT; i++)
        if (p->seconds[i] > 0)
            text_printf(&t, "%s %s %.3g ms", t.len > 16 ? "," : "", phase_name((enum phase)i),
                        1e3 * p->seconds[i] / trials);
    text_add(&t, "\n");
    const char *kept = arena_str(b->arena, text_str(&t));
    text_free(&t);
    return kept;
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
    struct candidate c[EACH];
    struct sample s[EACH];
    double least = INFINITY, most = 0;
    struct phases phases = {0};
    qsort(all, (size_t)n, sizeof *all, by_distance);
    for (int i = 0; i + EACH <= n && i < TRIALS; i += EACH) {
        for (int k = 0; k < EACH; k++) {
            c[k] = all[i + k].c;
            least = fmin(least, all[i + k].seconds);
            most = fmax(most, all[i + k].seconds);
        }
        double start = clock_now();
        if (!measure_all(m, c, EACH, s, &phases, err))
            return false;
        reading_add(out, (clock_now() - start) / EACH);
    }
    out->about = arena_printf(b->arena,
                              "build, load, verify and time a program of %.2g to %.2g ms under regime " REGIME
                              "; mean of %d programs in each reading",
                              1e3 * least, 1e3 * most, EACH);
    out->lines = parts_of(b, &phases, out->n * EACH);
    return out->n > 0 || err_set(err, "fewer than %d programs ran", EACH);
}

static bool take_both(struct bench_env *b, struct measurer *m, const struct candidate *c, int n, struct reading *builds,
                      struct reading *trials, struct err *err)
{
    struct sample *s = ARENA_ARRAY(b->arena, struct sample, n);
    struct timed *all = ARENA_ARRAY(b->arena, struct timed, n);
    int ran = 0;
    if (!measure_all(m, c, n, s, NULL, err))
        return false;
    for (int i = 0; i < n; i++) {
        if (s[i].outcome != OUTCOME_BUILD_FAILED && s[i].outcome != OUTCOME_BUILD_TIMEOUT)
            reading_add(builds, 1e3 * s[i].build_s);
        if (s[i].outcome == OUTCOME_OK)
            all[ran++] = (struct timed){c[i], sample_mean(&s[i])};
    }
    builds->about = arena_printf(b->arena, "one random conv2d program of resnet18 in one of %d build workers",
                                 measure_build_workers(m));
    return clock_trials(b, m, all, ran, trials, err);
}

static bool take(struct bench_env *b, const char *settings, struct reading *builds, struct reading *trials,
                 struct err *err)
{
    const struct task **kernels;
    struct candidate *c;
    struct measurer *m;
    struct limits limits;
    struct gauge_draws draws = {.each = EACH, .seed = 2, .limits = limits_cpu(b->cores)};
    struct measure_options o = {.target = registry_target(b->cli->registry, "cpu", err),
                                .target_settings = settings,
                                .layout = LAYOUT_REWRITTEN,
                                .seed = 1,
                                .faults = ""};
    if (!o.target || !regime_named(REGIME, &o.regime, err) || !gauge_kernels(b, &kernels, &draws.nkernels, err))
        return false;
    draws.kernels = kernels;
    if (!gauge_candidates(b, &draws, &c, err) || !measure_open(&o, &m, &limits, err))
        return false;
    bool fine = take_both(b, m, c, draws.nkernels * EACH, builds, trials, err);
    measure_close(m);
    return fine;
}

/* The two kinds of code: as --target says, and TVM's. */
enum { AS_ASKED, AS_TVM };
static bool take_builds(struct bench_env *b, int code, struct reading *out, struct err *err)
{
    b->trial[code] = ARENA_NEW(b->arena, struct reading);
    return take(b, code == AS_TVM ? "codegen=tvm" : b->target_settings, out, b->trial[code], err);
}

static bool take_trials(struct bench_env *b, int code, struct reading *out, struct err *err)
{
    struct reading builds = {0};
    if (!b->trial[code] && !take_builds(b, code, &builds, err))
        return false;
    *out = *b->trial[code];
    return out->n > 0 || err_set(err, "no build was measured");
}

bool bench_build(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_builds(b, AS_ASKED, out, err);
}

bool bench_trial(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_trials(b, AS_ASKED, out, err);
}

bool bench_build_tvm(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_builds(b, AS_TVM, out, err);
}

bool bench_trial_tvm(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_trials(b, AS_TVM, out, err);
}

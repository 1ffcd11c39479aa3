/* SPDX-License-Identifier: Apache-2.0 */
/* bench_build: random conv2d programs of resnet18 through the whole measurer on target cpu: what a build costs a build
 * worker, and what a measured trial costs from end to end (built, loaded, verified, timed), builds side by side on all
 * cores as in a campaign. */
#include "harness/base/clock.h"
#include "harness/cli/gauge.h"
#include "harness/measure/measure.h"

#define REGIME "tvmc" /* that of experiments/table3.yaml */
enum { EACH = 4 };

/* The first program of each kernel makes the references of its task, as once in a campaign: not counted. */
static bool measure_all(struct bench_env *b, struct measurer *m, const struct candidate *c, int n,
                        struct reading *builds, struct reading *trials, struct err *err)
{
    struct sample *s = ARENA_ARRAY(b->arena, struct sample, n);
    struct phases phases;
    int measured;
    phases_start(&phases);
    for (int i = 0; i < n; i += 1 + EACH) {
        if (!measure_batch(m, &c[i], 1, &s[i], &measured, NULL, NULL, &phases, err))
            return false;
        double start = clock_now();
        if (!measure_batch(m, &c[i + 1], EACH, &s[i + 1], &measured, NULL, NULL, &phases, err))
            return false;
        reading_add(trials, (clock_now() - start) / EACH);
        for (int k = i + 1; k <= i + EACH; k++)
            if (s[k].outcome != OUTCOME_BUILD_FAILED && s[k].outcome != OUTCOME_BUILD_TIMEOUT)
                reading_add(builds, 1e3 * s[k].build_s);
    }
    return true;
}

static bool take(struct bench_env *b, struct reading *builds, struct reading *trials, struct err *err)
{
    const struct task **kernels;
    struct candidate *c;
    struct measurer *m;
    struct limits limits;
    int nkernels, n;
    struct measure_options o = {.target = kit_target(b->cli->kit, "cpu", err),
                                .target_settings = "",
                                .layout = LAYOUT_REWRITTEN,
                                .seed = 1,
                                .faults = ""};
    if (!o.target || !regime_named(REGIME, &o.regime, err) || !gauge_kernels(b, &kernels, &nkernels, err) ||
        !gauge_candidates(b, kernels, nkernels, 1 + EACH, 2, &c, &n, err) || !measure_open(&o, &m, &limits, err))
        return false;
    bool fine = measure_all(b, m, c, n, builds, trials, err);
    builds->about = arena_printf(b->arena, "one random conv2d program of resnet18 in one of %d build workers",
                                 measure_build_workers(m));
    trials->about = arena_printf(
        b->arena, "build, load, verify and time under regime " REGIME "; mean of %d programs, one reading a kernel",
        EACH);
    measure_close(m);
    return fine;
}

bool bench_build(struct bench_env *b, struct reading *out, struct err *err)
{
    b->run = ARENA_NEW(b->arena, struct reading);
    return take(b, out, b->run, err);
}

bool bench_trial(struct bench_env *b, struct reading *out, struct err *err)
{
    struct reading builds = {0};
    if (!b->run)
        return take(b, &builds, out, err);
    *out = *b->run;
    return out->n > 0 || err_set(err, "build_ms was not measured");
}

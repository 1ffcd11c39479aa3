/* SPDX-License-Identifier: Apache-2.0 */
/* bench_gpu_trials: GPU trials a second, from random conv2d programs of resnet18 through the whole measurer: build
 * (CUDA: NVRTC; OpenCL: the driver's compiler), load, verify, time. The measurer builds a batch in its workers and then
 * runs it, so a GPU waits for builds. The number is what the same builds and runs take when they overlap: as many
 * builds at a time as there are workers, in order, and each run as soon as its build is there and the run before it has
 * ended. It is computed from the measured seconds of each; what the measurer itself reached stands beside it. On PoCL,
 * where kernels run on the cores that build, overlapping would cost the runs time: there the number is an upper bound,
 * and says nothing of a GPU.
 *
 * Builds a second come alone as well: NVRTC in the build workers, for a GPU that need not be here. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauge.h"
#include "harness/measure/measure.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

#define REGIME "tvm"         /* at least 0.1 s of calls a trial */
#define ARCHITECTURE "sm_80" /* of the builds alone: the A100 of the papers */
/* EACH programs of each of the KERNELS with the least work: PoCL takes seconds for a call of the others. */
enum { EACH = 4, KERNELS = 2, PASSES = 2, WORKERS_MAX = 1024 };

/* Seconds until the last run has ended. */
static double overlapped_s(const struct sample *s, int n, int workers)
{
    double free_at[WORKERS_MAX] = {0}, runner = 0;
    for (int i = 0; i < n; i++) {
        int first = 0;
        for (int w = 1; w < workers; w++)
            first = free_at[w] < free_at[first] ? w : first;
        free_at[first] += s[i].build_s;
        runner = fmax(runner, free_at[first]) + s[i].run_s + s[i].verify_s;
    }
    return runner;
}

/* The first `each` candidates of every kernel, kernel by kernel as in a search; *plain_s: what the measurer took. A
 * failed trial is one, too. */
static bool one_pass(struct measurer *m, const struct candidate *c, int n, int each, struct sample *s, double *plain_s,
                     struct err *err)
{
    double start = clock_now();
    int failed = -1;
    for (int i = 0; i < n; i += EACH) {
        struct measured_batch b = {.candidates = &c[i], .n = each, .samples = &s[i]};
        if (!measure_batch(m, &b, err))
            return false;
        for (int k = i; k < i + each; k++)
            if (s[k].outcome == OUTCOME_OK)
                failed = n;
            else if (failed < 0)
                failed = k;
    }
    *plain_s = clock_now() - start;
    return failed == n ||
           err_set(err, "no trial was fine; the first: %s: %s", outcome_word(s[failed].outcome), s[failed].message);
}

static bool take_passes(struct bench_env *b, struct measurer *m, const struct candidate *c, int n, struct reading *out,
                        struct err *err)
{
    struct sample *s = ARENA_ARRAY(b->arena, struct sample, n);
    int workers = measure_build_workers(m);
    double plain_s, build_s = 0, plain[PASSES];
    workers = workers < WORKERS_MAX ? workers : WORKERS_MAX;
    if (!one_pass(m, c, n, 1, s, &plain_s, err)) /* makes the references, as a search does once */
        return false;
    for (int i = 0; i < PASSES; i++) {
        if (!one_pass(m, c, n, EACH, s, &plain_s, err))
            return false;
        for (int k = 0; k < n; k++)
            build_s += s[k].build_s / (n * PASSES);
        plain[i] = n / plain_s;
        reading_add(out, n / overlapped_s(s, n, workers));
    }
    out->about = arena_printf(b->arena,
                              "%d random programs of %d conv2d kernels of resnet18, computed from their builds "
                              "and runs",
                              n, n / EACH);
    out->lines =
        arena_printf(b->arena, "    a build takes %.3g ms in one of %d workers; built, then run: %.3g a second\n",
                     1e3 * build_s, workers, summary_median(plain, PASSES));
    return true;
}

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

static bool take(struct bench_env *b, const char *target, struct reading *out, struct err *err)
{
    struct gauge_draws draws = {.each = EACH, .seed = 4};
    struct measure_options o = {.target = registry_target(b->cli->registry, target, err),
                                .target_settings = "",
                                .layout = LAYOUT_REWRITTEN,
                                .seed = 1,
                                .faults = ""};
    const struct task **kernels;
    struct candidate *c;
    struct measurer *m;
    int n;
    if (!o.target || !regime_named(REGIME, &o.regime, err) || !gauge_kernels(b, &kernels, &n, err) ||
        !measure_open(&o, &m, &draws.limits, err))
        return false;
    qsort(kernels, (size_t)n, sizeof(const struct task *), by_flops);
    draws.kernels = kernels;
    draws.nkernels = n < KERNELS ? n : KERNELS;
    bool fine = gauge_candidates(b, &draws, &c, err) && take_passes(b, m, c, draws.nkernels * EACH, out, err);
    measure_close(m);
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

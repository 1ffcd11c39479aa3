/* SPDX-License-Identifier: Apache-2.0 */
/* bench_state: what one state costs in an evolutionary round: steps -> replay -> bounds -> nest -> 164 features, on one
 * core. Every pass goes over the same random programs of all conv2d kernels of resnet18; a reading is a pass. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauge.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/lower.h"
#include "models/feature.h"

enum { EACH = 24, PASSES = 15 };

static bool one_state(struct arena *a, const struct candidate *c, struct err *err)
{
    struct state *s;
    struct nest *n;
    struct features f;
    return state_replay(a, c->task, c->steps, c->nsteps, &s, err) && bound_infer(s, err) &&
           lower(a, s, LAYOUT_NONE, &n, err) && feature_extract(a, n, &f, err);
}

static bool one_pass(struct arena *a, const struct candidate *c, int n, double *us, struct err *err)
{
    double start = clock_now();
    for (int i = 0; i < n; i++) {
        arena_reset(a);
        if (!one_state(a, &c[i], err))
            return false;
    }
    *us = 1e6 * (clock_now() - start) / n;
    return true;
}

bool bench_state(struct bench_env *b, struct reading *out, struct err *err)
{
    const struct task **kernels;
    struct candidate *c;
    int nkernels;
    double us;
    if (!gauge_kernels(b, &kernels, &nkernels, err) || !gauge_candidates(b, kernels, nkernels, EACH, 1, &c, err))
        return false;
    int n = nkernels * EACH;
    struct arena *a = arena_open("state");
    bool fine = one_pass(a, c, n, &us, err); /* warms caches, that of the dags of CHW too */
    for (int i = 0; fine && i < PASSES; i++)
        if ((fine = one_pass(a, c, n, &us, err)))
            reading_add(out, us);
    arena_close(a);
    out->about = arena_printf(b->arena, "mean over %d random states of the %d conv2d kernels of resnet18, one core", n,
                              nkernels);
    return fine;
}

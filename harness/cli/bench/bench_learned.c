/* SPDX-License-Identifier: Apache-2.0 */
/* bench_learned: model pacm on random GPU programs of resnet18's conv2d kernels, with made-up times: how many states it
 * scores in a second once they are lowered and featurised, and how long one fit on 2,000 records takes, 50 epochs
 * without early stop. On all threads; the features are not in either number. */
#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/cli/bench/gauges.h"
#include "harness/program/lower/bound.h"

enum { RECORDS = 2000, FITS = 3, SCORINGS = 15 };

struct learned {
    const struct model *model;
    void *self;
    struct model_env env;
    struct phases phases;
    struct candidate *c;
    struct state **states;
    int n; /* of both, at least RECORDS */
    struct arena *arena;
};

static bool open_learned(struct bench_env *b, struct learned *l, struct err *err)
{
    const struct task **kernels;
    int nkernels;
    l->model = registry_model(b->cli->registry, "pacm", err);
    if (!l->model || !gauge_kernels(b, &kernels, &nkernels, err))
        return false;
    int each = (RECORDS + nkernels - 1) / nkernels;
    l->n = each * nkernels;
    struct gauge_draws draws = {
        .kernels = kernels, .nkernels = nkernels, .each = each, .seed = 3, .limits = limits_cuda()};
    if (!gauge_candidates(b, &draws, &l->c, err))
        return false;
    void *options = gauge_options(b, l->model->settings, l->model->options_size);
    if (!setting_set(l->model->settings, options, b->arena, "patience", "0", err))
        return false;
    l->env = (struct model_env){.options = options, .limits = draws.limits, .pool = pool_open(0), .phases = &l->phases};
    rng_seed(&l->env.rng, 2);
    phases_start(&l->phases);
    void *self = arena_alloc(b->arena, l->model->state_size);
    if (!l->model->open(self, &l->env, err))
        return false;
    l->self = self;
    return true;
}

static void close_learned(struct learned *l)
{
    if (l->self)
        l->model->close(l->self);
    if (l->env.pool)
        pool_close(l->env.pool);
    arena_close(l->arena);
}

/* The times are drawn by the program's hash. */
static bool tell(struct learned *l, int from, int n, struct err *err)
{
    struct sample *s = ARENA_ARRAY(l->arena, struct sample, n);
    for (int i = 0; i < n; i++) {
        double unit = (double)(hash_mix(l->c[from + i].hash, 5) >> 11) * 0x1p-53;
        s[i] = (struct sample){.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {1e-3 * (1 + 9 * unit)}};
    }
    return l->model->tell(l->self, l->c + from, s, n, err);
}

static bool take_fits(struct learned *l, struct reading *out, struct err *err)
{
    if (!tell(l, 0, RECORDS - FITS + 1, err))
        return false;
    for (int i = 0; i < FITS; i++) {
        double start = clock_now();
        if (!l->model->fit(l->self, err))
            return false;
        reading_add(out, clock_now() - start);
        if (i + 1 < FITS && !tell(l, RECORDS - FITS + 1 + i, 1, err)) /* so that another fit is due */
            return false;
    }
    return true;
}

/* Only the phase of scoring counts. */
static bool take_scores(struct learned *l, struct reading *out, struct err *err)
{
    double *scores = ARENA_ARRAY(l->arena, double, l->n);
    l->states = ARENA_ARRAY(l->arena, struct state *, l->n);
    if (!tell(l, 0, 100, err) || !l->model->fit(l->self, err))
        return false;
    for (int i = 0; i < l->n; i++)
        if (!state_replay(l->arena, l->c[i].task, l->c[i].steps, l->c[i].nsteps, &l->states[i], err) ||
            !bound_infer(l->states[i], err))
            return false;
    for (int i = -1; i < SCORINGS; i++) { /* the first is not kept */
        phases_start(&l->phases);
        if (!l->model->score(l->self, l->c[0].task, l->states, l->n, scores, err))
            return false;
        phases_stop(&l->phases);
        if (i >= 0)
            reading_add(out, l->n / l->phases.seconds[PHASE_score]);
    }
    return true;
}

static bool take(struct bench_env *b, struct reading *out, bool fits, struct err *err)
{
    struct learned l = {.arena = arena_open("learned")};
    bool fine = open_learned(b, &l, err) && (fits ? take_fits(&l, out, err) : take_scores(&l, out, err));
    if (fine && fits)
        out->about = arena_printf(b->arena, "model pacm, 50 epochs on %d records, %d threads", RECORDS,
                                  pool_threads(l.env.pool));
    else if (fine)
        out->about = arena_printf(b->arena, "model pacm on %d random GPU states, features at hand, %d threads", l.n,
                                  pool_threads(l.env.pool));
    close_learned(&l);
    return fine;
}

bool bench_pacm_states(struct bench_env *b, struct reading *out, struct err *err)
{
    return take(b, out, false, err);
}

bool bench_pacm_fit(struct bench_env *b, struct reading *out, struct err *err)
{
    return take(b, out, true, err);
}

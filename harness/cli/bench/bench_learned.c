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
    void *self; /* NULL: not open */
    struct model_env env;
    struct phases phases;
    struct gauge_draws d;
    struct state **states;
    double *scores;
    int told;
    struct arena *arena;
};

static bool open_learned(struct bench_env *b, struct learned *l, struct err *err)
{
    const struct task **kernels;
    int nkernels;
    l->model = registry_model(b->cli->registry, "pacm", err);
    if (!l->model || !gauge_kernels(b, &kernels, &nkernels, err))
        return false;
    l->d = (struct gauge_draws){.each = (RECORDS + nkernels - 1) / nkernels, .seed = 3, .limits = limits_cuda()};
    void *options = gauge_options(b, l->model->settings, l->model->options_size);
    void *self = arena_alloc(b->arena, l->model->state_size);
    if (!gauge_draw(b, &l->d, err) || !setting_set(l->model->settings, options, b->arena, "patience", "0", err))
        return false;
    l->env = (struct model_env){.options = options, .limits = l->d.limits, .pool = pool_open(0), .phases = &l->phases};
    rng_seed(&l->env.rng, 2);
    phases_start(&l->phases);
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

/* n more programs; their times are drawn by their hashes. */
static bool tell(struct learned *l, int n, struct err *err)
{
    struct sample *s = ARENA_ARRAY(l->arena, struct sample, n);
    const struct candidate *c = l->d.c + l->told;
    for (int i = 0; i < n; i++) {
        double unit = (double)(hash_mix(c[i].hash, 5) >> 11) * 0x1p-53;
        s[i] = (struct sample){.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {1e-3 * (1 + 9 * unit)}};
    }
    l->told += n;
    return l->model->tell(l->self, c, s, n, err);
}

/* A fit is due after each tell. */
static bool fit_pass(void *self, double *seconds, struct err *err)
{
    struct learned *l = self;
    if (!tell(l, l->told ? 1 : RECORDS - FITS + 1, err))
        return false;
    double start = clock_now();
    bool fine = l->model->fit(l->self, err);
    *seconds = clock_now() - start;
    return fine;
}

/* Only the phase of scoring counts. */
static bool score_pass(void *self, double *per_s, struct err *err)
{
    struct learned *l = self;
    phases_start(&l->phases);
    bool fine = l->model->score(l->self, l->d.c[0].task, l->states, l->d.n, l->scores, err);
    phases_stop(&l->phases);
    *per_s = l->d.n / l->phases.seconds[PHASE_score];
    return fine;
}

static bool prepare_scores(struct learned *l, struct err *err)
{
    l->scores = ARENA_ARRAY(l->arena, double, l->d.n);
    l->states = ARENA_ARRAY(l->arena, struct state *, l->d.n);
    for (int i = 0; i < l->d.n; i++)
        if (!state_replay(l->arena, l->d.c[i].task, l->d.c[i].steps, l->d.c[i].nsteps, &l->states[i], err) ||
            !bound_infer(l->states[i], err))
            return false;
    return tell(l, 100, err) && l->model->fit(l->self, err);
}

bool bench_learned(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct learned l = {.arena = arena_open("learned")};
    bool fine =
        open_learned(b, &l, err) &&
        (which == BENCH_FITS ? reading_repeat(out, 0, FITS, fit_pass, &l, err)
                             : prepare_scores(&l, err) && reading_repeat(out, 1, SCORINGS, score_pass, &l, err));
    if (fine)
        out->about = which == BENCH_FITS
                         ? arena_printf(b->arena, "model pacm, 50 epochs on %d records, %d threads", RECORDS,
                                        pool_threads(l.env.pool))
                         : arena_printf(b->arena, "model pacm on %d random GPU states, features at hand, %d threads",
                                        l.d.n, pool_threads(l.env.pool));
    close_learned(&l);
    return fine;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* bench_round: one search round of Ansor without measurement, and the training that follows it: searcher ansor and
 * model xgb driven by hand, with made-up times from target fake. The model is trained before the first reading, so that
 * the evolution is guided and features are computed as in a real search. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"

enum { BATCH = 64, WARM = 2, ROUNDS = 7 };

struct round {
    const struct searcher *searcher;
    const struct model *model;
    void *self, *model_self; /* NULL: not open */
    struct searcher_env env;
    struct model_env model_env;
    struct phases phases;
    struct measurer *measurer;
    struct arena *arena;
};

static bool open_plugins(struct bench_env *b, struct round *r, const struct task *task, struct err *err)
{
    struct measure_options o;
    r->searcher = registry_searcher(b->cli->registry, "ansor", err);
    r->model = registry_model(b->cli->registry, "xgb", err);
    if (!r->searcher || !r->model || !gauge_measure(b, "fake", "tvm", &o, err) ||
        !measure_open(&o, &r->measurer, &r->env.limits, err))
        return false;
    r->env = (struct searcher_env){.limits = limits_cpu(b->cores),
                                   .arena = b->arena,
                                   .pool = pool_open(0),
                                   .task = task,
                                   .phases = &r->phases,
                                   .options = gauge_options(b, r->searcher->settings, r->searcher->options_size),
                                   .parallel_builds = b->cores,
                                   .trials = (WARM + ROUNDS) * BATCH};
    r->model_env = (struct model_env){.options = gauge_options(b, r->model->settings, r->model->options_size),
                                      .limits = r->env.limits,
                                      .pool = r->env.pool,
                                      .phases = &r->phases,
                                      .warmup = BATCH};
    rng_seed(&r->env.rng, 1);
    rng_seed(&r->model_env.rng, 2);
    void *model_self = arena_alloc(b->arena, r->model->state_size + 1);
    if (!r->model->open(model_self, &r->model_env, err))
        return false;
    r->model_self = model_self;
    r->env.model = (struct model_use){.plug = r->model, .self = model_self};
    void *self = arena_alloc(b->arena, r->searcher->state_size + 1);
    if (!r->searcher->open(self, &r->env, err))
        return false;
    r->self = self;
    return true;
}

static void close_plugins(struct round *r)
{
    if (r->model_self)
        r->model->close(r->model_self);
    if (r->env.pool)
        pool_close(r->env.pool);
    measure_close(r->measurer);
    arena_close(r->arena);
}

static bool one_round(struct round *r, double *ask_s, double *fit_s, struct err *err)
{
    struct candidate c[BATCH];
    struct sample s[BATCH];
    int n;
    phases_start(&r->phases);
    double start = clock_now();
    if (!r->searcher->ask(r->self, r->arena, BATCH, c, &n, err))
        return false;
    *ask_s = clock_now() - start;
    if (n < BATCH)
        return err_set(err, "a round gave %d candidates instead of %d", n, BATCH);
    struct measured_batch b = {.candidates = c, .n = n, .samples = s, .phases = &r->phases};
    if (!measure_batch(r->measurer, &b, err) || !r->searcher->tell(r->self, c, s, n, err) ||
        !r->model->tell(r->model_self, c, s, n, err))
        return false;
    start = clock_now();
    bool fine = r->model->fit(r->model_self, err);
    *fit_s = clock_now() - start;
    arena_reset(r->arena);
    return fine;
}

bool bench_round(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct round r = {.arena = arena_open("round")};
    const struct task **kernels;
    int nkernels;
    (void)which;
    bool fine = gauge_kernels(b, &kernels, &nkernels, err) && open_plugins(b, &r, kernels[nkernels / 2], err);
    for (int i = 0; fine && i < WARM + ROUNDS; i++) {
        double ask_s = 0, fit_s = 0;
        fine = one_round(&r, &ask_s, &fit_s, err);
        if (fine && i >= WARM) {
            reading_add(&out[0], ask_s);
            reading_add(&out[1], fit_s);
        }
    }
    if (fine) {
        out[0].about = arena_printf(b->arena, "ansor proposes %d of '%s' under a trained xgb, %d threads", BATCH,
                                    kernels[nkernels / 2]->name, pool_threads(r.env.pool));
        out[1].about = arena_printf(b->arena, "xgb trained anew on %d to %d programs", (WARM + 1) * BATCH,
                                    (WARM + ROUNDS) * BATCH);
    }
    close_plugins(&r);
    return fine;
}

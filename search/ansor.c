/* SPDX-License-Identifier: Apache-2.0 */
/* ansor: Ansor's sketch search (Zheng et al., OSDI 2020) as TVM's auto_scheduler v0.16-v0.19 does it: sketches, an
 * initial population drawn at random, evolution under the cost model, a batch of the best with a few random ones
 * (harness/doc/ansor.md). The whole list of deviations is the table in search/README.md. The search is a function of
 * what has been told and of env->rng. */
#include "harness/base/log.h"
#include "harness/plug/searcher.h"
#include "search/evolution/evolve.h"

#include <math.h>
#include <string.h>

struct ansor_options {
    struct space_options space;
    double eps_greedy, use_measured_ratio, mutation_prob;
    int64_t retry, min_population, population, generations; /* -1: the version's value */
};

static const struct setting settings[] = {
    SPACE_SETTINGS(struct ansor_options, space),
    REAL_SETTING("eps_greedy", struct ansor_options, eps_greedy, "0.05", 0, 1,
                 "share of a batch drawn from random states"),
    INT_SETTING("retry_search_one_round_on_empty", struct ansor_options, retry, "-1", -1, 1000,
                "searches repeated when nothing new was found; -1: the version's (1, v0.7: 10)"),
    INT_SETTING("sample_init_min_population", struct ansor_options, min_population, "-1", -1, 1 << 20,
                "valid states an initial population must have; 0: one pass without test; -1: the version's (50, v0.7: "
                "0)"),
    REAL_SETTING("sample_init_use_measured_ratio", struct ansor_options, use_measured_ratio, "0.2", 0, 1,
                 "measured states added, as a share of the population"),
    INT_SETTING("evolutionary_search_population", struct ansor_options, population, "2048", 1, 1 << 20,
                "states per generation"),
    INT_SETTING("evolutionary_search_num_iters", struct ansor_options, generations, "-1", -1, 1000,
                "generations of mutation; -1: the version's (4, v0.7: 10); at most 2 under model random"),
    REAL_SETTING("evolutionary_search_mutation_prob", struct ansor_options, mutation_prob, "0.85", 0, 1,
                 "chance that a child is mutated and not copied"),
    {0},
};

struct ansor {
    struct measured_set measured; /* first: measured_set_told */
    struct searcher_env *env;
    struct ansor_options options; /* versions resolved */
    struct arena *round;
    struct space space;
    struct worker_pool workers;
    struct evaluator evaluator;
};

static bool ansor_open(void *self, struct searcher_env *env, struct err *err)
{
    struct ansor *an = self;
    *an = (struct ansor){.env = env, .options = *(const struct ansor_options *)env->options};
    struct ansor_options *o = &an->options;
    bool old = o->space.version == SPACE_V0_7;
    if (o->retry < 0)
        o->retry = old ? 10 : 1;
    if (o->min_population < 0)
        o->min_population = old ? 0 : 50;
    if (o->generations < 0)
        o->generations = old ? 10 : 4;
    if (!env->model.plug)
        return err_set(err, "searcher 'ansor' needs a model");
    if (str_eq(env->model.plug->name, "random") && o->generations > 2)
        o->generations = 2;
    measured_set_open(&an->measured, env->arena, (int)(o->use_measured_ratio * (double)o->population));
    if (!space_open(&an->space, env->arena, env->task, &env->limits, &o->space, err))
        return false;
    an->evaluator = (struct evaluator){.space = &an->space, .workers = &an->workers, .model = &env->model};
    return true;
}

/* One batch of draws; appends those that are new and that the model can score. Returns how many were kept, -1 on error.
 */
static int ansor_draw(struct ansor *an, struct evolve *e, struct map *seen, int n, struct err *err)
{
    struct individual *drawn = e->next.at; /* free until the first breeding */
    int before = e->now.n;
    for (int i = 0; i < n; i++)
        e->seeds[i] = rng_next(&an->env->rng);
    if (!evaluate_draws(&an->evaluator, e->seeds, n, drawn, err))
        return -1;
    for (int i = 0; seen && i < n; i++)
        an->evaluator.asked += drawn[i].valid || drawn[i].refused;
    for (int i = 0; i < n && e->now.n < e->cap; i++)
        if (drawn[i].valid && (!seen || (drawn[i].score > -1e10 && map_put(seen, drawn[i].hash, 0))))
            e->now.at[e->now.n++] = drawn[i];
    return e->now.n - before;
}

/* Draws until the least number of states is there. Five batches in a row without a new one halve that number; when even
 * one state cannot be had, the population stays empty. */
static bool ansor_sample(struct ansor *an, struct evolve *e, int room, struct err *err)
{
    struct map seen = {0};
    int64_t target = an->options.min_population;
    int batch = (int)an->options.population;
    if (target == 0)
        return ansor_draw(an, e, NULL, room < batch ? room : batch, err) >= 0;
    int empty = 0, kept = 0;
    while (e->now.n < target && e->now.n + batch <= e->cap && (kept = ansor_draw(an, e, &seen, batch, err)) >= 0) {
        empty = kept ? 0 : empty + 1;
        if (empty < 5)
            continue;
        if (e->now.n == 0)
            break;
        target = target > 1 ? target / 2 : 1;
        empty = 0;
    }
    map_free(&seen);
    return kept >= 0;
}

/* Adds the best measured states to the population. */
static bool ansor_remember(struct ansor *an, struct evolve *e, struct err *err)
{
    int m = 0;
    for (int i = 0; i < an->measured.nbest && e->now.n < e->cap; i++) {
        const struct measured_program *p = &an->measured.best[i];
        e->fresh[m] = &e->now.at[e->now.n++];
        *e->fresh[m++] = (struct individual){.genome = {p->steps, p->nsteps}};
    }
    return evaluate_genomes(&an->evaluator, e->fresh, m, err);
}

static bool ansor_round(struct ansor *an, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    const struct ansor_options *o = &an->options;
    int batch = (int)o->population, nmeasured = an->measured.nbest;
    struct random_pool pool = {.wanted = (int)(o->eps_greedy * max)};
    struct evolve_options eo = {.population = batch, .generations = o->generations, .mutation_prob = o->mutation_prob};
    struct evolve e;
    struct top_k top;
    /* Sampling stops as soon as the target is reached, so it overshoots it by less than a batch. */
    evolve_open(&e, an->round, &an->evaluator, &eo, batch + (int)o->min_population + nmeasured);
    top_k_open(&top, an->round, 2 * max, &an->measured);
    evaluator_begin(&an->evaluator, an->round);
    if (!ansor_sample(an, &e, batch - nmeasured, err) || !ansor_remember(an, &e, err))
        return false;
    pool.n = 3 * pool.wanted;
    pool.at = ARENA_ARRAY(an->round, struct individual, pool.n + 1);
    for (int i = 0; i < pool.n && e.now.n > 0; i++)
        pool.at[i] = e.now.at[rng_below(&an->env->rng, (uint64_t)e.now.n)];
    if (!evolve_run(&e, &an->env->rng, &top, err))
        return false;
    top_k_sort(&top);
    *n = top_k_choose(&top, &pool, an->env->task, a, max, out);
    return true;
}

static bool ansor_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct ansor *an = self;
    *n = 0;
    if (max <= 0 || an->space.nsketches == 0)
        return true;
    enum phase before = phases_enter(an->env->phases, PHASE_sample);
    bool good = true;
    /* A round works in tens of MiB: they go back at its end, since a network has a searcher for each of its kernels. */
    worker_pool_open(&an->workers, an->env->pool, an->env->phases);
    an->round = arena_open("round");
    for (int64_t tries = 0; good && *n == 0 && tries <= an->options.retry; tries++) {
        good = ansor_round(an, a, max, out, n, err);
        worker_pool_reset(&an->workers);
        arena_reset(an->round);
    }
    evaluator_count(&an->evaluator, an->env->evaluations);
    arena_close(an->round);
    worker_pool_close(&an->workers);
    phases_enter(an->env->phases, before);
    if (good && *n == 0)
        log_info("ansor: no new candidate for '%s' after %d measured", an->env->task->spec, an->measured.n);
    return good;
}

const struct searcher searcher_ansor = {
    .name = "ansor",
    .summary = "Ansor: sketches, evolutionary search under a cost model (TVM auto_scheduler v0.16)",
    .settings = settings,
    .options_size = sizeof(struct ansor_options),
    .state_size = sizeof(struct ansor),
    .needs_model = true,
    .open = ansor_open,
    .ask = ansor_ask,
    .tell = measured_set_told,
};

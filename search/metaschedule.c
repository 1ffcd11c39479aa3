/* SPDX-License-Identifier: Apache-2.0 */
/* metaschedule: MetaSchedule's search (TVM v0.16; harness/doc/metaschedule.md): traces (trace_space.h) bred without
 * crossover under the cost model (trace_evolution.h), the constants of tune.py. Each round is a function of what has
 * been told and of env->rng.
 *
 * Deviations: rounds in which nothing new is picked count from one ask to its end (theirs over the whole search), so
 * that telling again restores the search; five of them, or too few valid fresh traces, end it. The rest of the list is
 * in README.md of this folder. */
#include "harness/base/log.h"
#include "harness/plug/searcher.h"
#include "search/trace/trace_evolution.h"

struct metaschedule_options {
    struct trace_options trace;
    struct trace_evolution_options evolution;
};

static const struct setting settings[] = {
    TRACE_SETTINGS(struct metaschedule_options, trace),
    INT_SETTING("population_size", struct metaschedule_options, evolution.population, "512", 1, 1 << 20,
                "traces of a generation"),
    REAL_SETTING("init_measured_ratio", struct metaschedule_options, evolution.init_measured, "0.2", 0, 1,
                 "the best measured programs begin, at most this share of the population"),
    INT_SETTING("init_min_unmeasured", struct metaschedule_options, evolution.init_unmeasured, "50", 1, 1 << 20,
                "fresh traces needed to begin"),
    INT_SETTING("max_fail_count", struct metaschedule_options, evolution.init_failures, "5", 1, 1000,
                "batches of fresh traces that may all be invalid"),
    INT_SETTING("genetic_num_iters", struct metaschedule_options, evolution.generations, "4", 0, 1000,
                "generations of mutation"),
    REAL_SETTING("genetic_mutate_prob", struct metaschedule_options, evolution.mutate_prob, "0.85", 0, 1,
                 "chance that a child is mutated and not copied"),
    INT_SETTING("genetic_max_fail_count", struct metaschedule_options, evolution.mutate_failures, "10", 0, 1000,
                "tries of a child that may fail before it becomes a copy"),
    REAL_SETTING("eps_greedy", struct metaschedule_options, evolution.eps_greedy, "0.05", 0, 1,
                 "share of a batch drawn from fresh traces"),
    INT_SETTING("num_empty_iters_before_early_stop", struct metaschedule_options, evolution.empty_rounds, "5", 1, 1000,
                "rounds without a new program that end the search"),
    {0},
};

struct metaschedule {
    struct measured_set measured; /* first: measured_set_told */
    struct searcher_env *env;
    const struct metaschedule_options *options;
    struct arena *round;
    struct trace_space traces;
    struct worker_pool workers;
    struct evaluator evaluator;
};

static bool metaschedule_open(void *self, struct searcher_env *env, struct err *err)
{
    struct metaschedule *m = self;
    *m = (struct metaschedule){.env = env, .options = env->options};
    if (!env->model.plug)
        return err_set(err, "searcher 'metaschedule' needs a model");
    const struct trace_evolution_options *o = &m->options->evolution;
    measured_set_open(&m->measured, env->arena, (int)(o->init_measured * (double)o->population));
    if (!trace_space_open(&m->traces, env->arena, env->task, &env->limits, &m->options->trace, err))
        return false;
    m->evaluator = (struct evaluator){.space = &m->traces.space, .workers = &m->workers, .model = &env->model};
    return true;
}

/* *more: another round may find something. */
static bool metaschedule_round(struct metaschedule *m, struct arena *a, int max, struct candidate *out, int *n,
                               bool *more, struct err *err)
{
    struct trace_evolution e;
    struct top_k top;
    evaluator_begin(&m->evaluator, m->round);
    trace_evolution_open(&e, m->round, &m->traces, &m->options->evolution, &m->evaluator);
    top_k_open(&top, m->round, max, &m->measured);
    if (!trace_evolution_begin(&e, &m->measured, &m->env->rng, more, err))
        return false;
    if (!*more)
        return true;
    if (!trace_evolution_run(&e, &m->env->rng, &top, err))
        return false;
    top_k_sort(&top);
    *n = trace_evolution_pick(&e, &top, &m->env->rng, a, max, out);
    return true;
}

static bool metaschedule_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct metaschedule *m = self;
    *n = 0;
    if (max <= 0 || m->traces.space.nsketches == 0)
        return true;
    enum phase before = phases_enter(m->env->phases, PHASE_sample);
    bool good = true, more = true;
    worker_pool_open(&m->workers, m->env->pool, m->env->phases);
    m->round = arena_open("round");
    for (int64_t i = 0; good && more && *n == 0 && i < m->options->evolution.empty_rounds; i++) {
        good = metaschedule_round(m, a, max, out, n, &more, err);
        worker_pool_reset(&m->workers);
        arena_reset(m->round);
    }
    arena_close(m->round);
    worker_pool_close(&m->workers);
    phases_enter(m->env->phases, before);
    if (good && *n == 0)
        log_info("metaschedule: %s for '%s' after %d measured", more ? "no new candidate" : "too few valid traces",
                 m->env->task->spec, m->measured.n);
    return good;
}

const struct searcher searcher_metaschedule = {
    .name = "metaschedule",
    .summary = "MetaSchedule: traces with sampled decisions, evolutionary search under a cost model (TVM v0.16)",
    .settings = settings,
    .options_size = sizeof(struct metaschedule_options),
    .state_size = sizeof(struct metaschedule),
    .needs_model = true,
    .open = metaschedule_open,
    .ask = metaschedule_ask,
    .tell = measured_set_told,
};

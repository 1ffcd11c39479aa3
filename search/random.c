/* SPDX-License-Identifier: Apache-2.0 */
/* random: searcher 'random': draws from the sketch space by the same rules as Ansor's initial population, without a
 * model and without repeats. The baseline that says what a search is worth. */
#include "harness/base/log.h"
#include "harness/plug/searcher.h"
#include "search/evolution/evaluate.h"
#include "search/evolution/measured_set.h"

struct random_options {
    struct space_options space;
};
static const struct setting settings[] = {SPACE_SETTINGS(struct random_options, space), {0}};

/* Draws at a time; batches without a new program after which the space counts as spent. */
enum { BATCH = 256, EMPTY_BATCHES = 16 };

struct random_search {
    struct measured_set measured; /* first: measured_set_told */
    struct searcher_env *env;
    struct space space;
    struct worker_pool workers;
    struct evaluator evaluator;
};

static bool random_open(void *self, struct searcher_env *env, struct err *err)
{
    struct random_search *r = self;
    const struct random_options *o = env->options;
    *r = (struct random_search){.env = env};
    measured_set_open(&r->measured, env->arena, 0);
    map_defer(&r->evaluator.scores, env->arena);
    r->evaluator = (struct evaluator){.space = &r->space, .workers = &r->workers};
    return space_open(&r->space, env->arena, env->task, &env->limits, &o->space, err);
}

static bool random_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct random_search *r = self;
    struct individual drawn[BATCH];
    uint64_t seeds[BATCH];
    struct map picked = {0};
    bool good = true;
    *n = 0;
    worker_pool_open(&r->workers, r->env->pool,
                     r->env->phases); /* closed below: a network has a searcher for each of its kernels */
    for (int empty = 0; good && *n < max && empty < EMPTY_BATCHES && r->space.nsketches > 0; empty++) {
        for (int i = 0; i < BATCH; i++)
            seeds[i] = rng_next(&r->env->rng);
        good = evaluate_draws(&r->evaluator, seeds, BATCH, drawn, err);
        for (int i = 0; good && i < BATCH && *n < max; i++) {
            if (!drawn[i].valid || measured_set_knows(&r->measured, drawn[i].hash) ||
                !map_put(&picked, drawn[i].hash, 0))
                continue;
            empty = -1;
            out[(*n)++] = (struct candidate){.task = r->env->task,
                                             .steps = steps_copy(a, drawn[i].genome.steps, drawn[i].genome.n),
                                             .nsteps = drawn[i].genome.n,
                                             .hash = drawn[i].hash,
                                             .score = drawn[i].score};
        }
        worker_pool_reset(&r->workers);
    }
    worker_pool_close(&r->workers);
    map_free(&picked);
    if (good && max > 0 && *n == 0)
        log_info("random: no new candidate for '%s' after %d measured", r->env->task->spec, r->measured.n);
    return good;
}

const struct searcher searcher_random = {
    .name = "random",
    .summary = "random programs of the sketch space, no model, no repeats",
    .settings = settings,
    .options_size = sizeof(struct random_options),
    .state_size = sizeof(struct random_search),
    .open = random_open,
    .ask = random_ask,
    .tell = measured_set_told,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* uniform: searcher 'random': draws from the sketch space by the same rules as Ansor's initial population, without a
 * model and without repeats. The baseline that says what a search is worth. */
#include "harness/base/log.h"
#include "harness/plug/searcher.h"
#include "search/judge.h"
#include "search/ledger.h"

struct uniform_options {
    struct space_options space;
};
static const struct setting settings[] = {SPACE_SETTINGS(struct uniform_options, space), {0}};

enum {
    BATCH = 256,
    DRY = 16
}; /* draws at a time; batches without a new program after which the space counts as spent */

struct uniform {
    struct searcher_env *env;
    struct arena *life;
    struct space space;
    struct ledger ledger;
    struct crew crew;
    struct judge judge;
};

static bool uniform_open(void *self, struct searcher_env *env, struct err *err)
{
    struct uniform *u = self;
    const struct uniform_options *o = env->options;
    *u = (struct uniform){.env = env, .life = arena_open("random")};
    ledger_open(&u->ledger);
    u->judge = (struct judge){.space = &u->space, .crew = &u->crew};
    return space_open(&u->space, u->life, env->task, &env->limits, &o->space, err);
}

static void uniform_close(void *self)
{
    struct uniform *u = self;
    if (!u->life)
        return;
    judge_close(&u->judge);
    ledger_close(&u->ledger);
    arena_close(u->life);
    u->life = NULL;
}

static bool uniform_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct uniform *u = self;
    struct individual drawn[BATCH];
    uint64_t seeds[BATCH];
    struct map picked = {0};
    bool good = true;
    *n = 0;
    crew_open(&u->crew, u->env->pool,
              u->env->phases); /* closed below: a network has a searcher for each of its kernels */
    for (int dry = 0; good && *n < max && dry < DRY && u->space.nsketches > 0; dry++) {
        for (int i = 0; i < BATCH; i++)
            seeds[i] = rng_next(&u->env->rng);
        good = judge_draws(&u->judge, seeds, BATCH, drawn, err);
        for (int i = 0; good && i < BATCH && *n < max; i++) {
            if (!drawn[i].valid || ledger_knows(&u->ledger, drawn[i].hash) || !map_put(&picked, drawn[i].hash, 0))
                continue;
            dry = -1;
            out[(*n)++] = (struct candidate){.task = u->env->task,
                                             .steps = steps_copy(a, drawn[i].genome.steps, drawn[i].genome.n),
                                             .nsteps = drawn[i].genome.n,
                                             .hash = drawn[i].hash,
                                             .score = drawn[i].score};
        }
        crew_reset(&u->crew);
    }
    crew_close(&u->crew);
    map_free(&picked);
    if (good && max > 0 && *n == 0)
        log_info("random: no new candidate for '%s' after %d measured", u->env->task->spec, u->ledger.n);
    return good;
}

static bool uniform_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct uniform *u = self;
    (void)err;
    ledger_tell(&u->ledger, c, s, n);
    return true;
}

const struct searcher searcher_random = {
    .name = "random",
    .summary = "random programs of the sketch space, no model, no repeats",
    .settings = settings,
    .options_size = sizeof(struct uniform_options),
    .state_size = sizeof(struct uniform),
    .open = uniform_open,
    .ask = uniform_ask,
    .tell = uniform_tell,
    .close = uniform_close,
};

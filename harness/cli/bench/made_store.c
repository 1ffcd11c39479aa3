/* SPDX-License-Identifier: Apache-2.0 */
/* made_store: the store as a campaign opens it, and trials written as a search writes them. */
#include "harness/cli/bench/made_store.h"

#include "harness/record/database.h"
#include "harness/tune/cell.h"

#include <math.h>

static bool open_store(struct made_store *m, struct err *err)
{
    const struct plan *p = &m->e->plan;
    struct text regime = {0};
    setting_print(regime_settings, &p->regime, &regime);
    struct store_campaign c = {.keys = p->keys,
                               .experiment_hash = p->experiment_hash,
                               .regime = text_str(&regime),
                               .is_virtual = true,
                               .revision = "bench",
                               .environment = "{}"};
    bool fine = store_open(p->results_dir, &c, STORE_NEW, &m->s, err);
    text_free(&regime);
    return fine;
}

bool made_store_open(struct made_store *m, struct bench_env *b, const struct experiment_options *o, struct err *err)
{
    struct experiment *e;
    *m = (struct made_store){.b = b};
    rng_seed(&m->rng, 1);
    if (!experiment_load(b->arena, b->cli->registry, o, &e, err))
        return false;
    m->e = e;
    bool fine = open_store(m, err);
    for (int c = 0; c < e->plan.ncells && fine; c++) {
        struct store_cell stored;
        cell_stored(b->arena, &e->plan, c, &stored);
        fine = store_cell_put(m->s, c, &stored, err);
    }
    return fine;
}

void made_store_close(struct made_store *m)
{
    store_close(m->s);
}

static bool put_trial(struct made_store *m, const struct made_round *round, int i, struct made_clock *at, double *best,
                      struct err *err)
{
    int which = round->in_order ? i : (int)rng_below(&m->rng, (uint64_t)round->nprograms);
    int64_t task_ordinal = round->first + i;
    double s = 1e-3 * (0.5 + 4 * rng_unit(&m->rng)) / (1 + 0.01 * (double)task_ordinal), cost_s = 0.5;
    bool fine = rng_below(&m->rng, 50) > 0;
    struct record r = {.cell = round->cell,
                       .task = round->task,
                       .round = at->round,
                       .ordinal = at->ordinal++,
                       .task_ordinal = task_ordinal,
                       .sample = {.outcome = fine ? OUTCOME_OK : OUTCOME_RUN_TIMEOUT,
                                  .nseconds = fine ? 3 : 0,
                                  .seconds = {s, 1.01 * s, 1.02 * s},
                                  .build_s = 0.3,
                                  .run_s = 0.2,
                                  .cost_s = cost_s,
                                  .model_score = NAN},
                       .wall_s = cost_s};
    r.elapsed_s = at->elapsed_s += cost_s;
    *best = fmin(*best, sample_mean(&r.sample));
    return store_trial(m->s, &r, &round->programs[which], err);
}

bool made_store_round(struct made_store *m, const struct made_round *round, struct made_clock *at, double *best,
                      struct err *err)
{
    struct store_round r = {.number = at->round, .task = round->task, .asked = round->n, .begin_s = at->elapsed_s};
    double phases[PHASE_COUNT] = {0}, least = INFINITY;
    struct store_spent spent = {.phases = phases};
    if (!store_round_begin(m->s, round->cell, &r, err) ||
        !database_run(store_database(m->s), err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = true;
    for (int i = 0; i < round->n && fine; i++)
        fine = put_trial(m, round, i, at, &least, err);
    phases[PHASE_COUNT - 1] = at->elapsed_s - r.begin_s;
    spent.end_s = at->elapsed_s;
    if (best)
        *best = least;
    return database_end(store_database(m->s), fine, err) &&
           store_round_end(m->s, round->cell, at->round++, &spent, err);
}

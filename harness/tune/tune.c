/* SPDX-License-Identifier: Apache-2.0 */
/* tune: the order of things in a round is what makes kill -9 harmless:
 *   1. every random stream of the round is seeded from (cell seed, task, round), so nothing has to be carried over;
 *   2. the searcher is asked, then the round's row says with which state and how many candidates it gave;
 *   3. each measured candidate becomes one row in one transaction;
 *   4. searcher and model are told, the model is trained (harness/doc/ansor.md, "Rounds");
 *   5. the round's row gets its end.
 * Killed before 2: the round never was. Between 2 and 5: the candidates are asked for again from the stored state,
 * those with a row are not measured again. So the same candidates get the same ordinals whatever happened. */
#include "harness/tune/tune.h"

#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/tune/interrupt.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

uint64_t tune_seed(uint64_t cell_seed, int task, int round, const char *purpose)
{
    uint64_t where = ((uint64_t)(uint32_t)task << 32) | (uint32_t)round;
    return hash_mix(hash_mix(cell_seed, where), hash_str(purpose));
}

bool tune_open(struct tune *t, struct tune_shared *shared, struct arena *a, const struct tune_start *start,
               struct err *err)
{
    const struct searcher *plug = shared->searcher;
    *t = (struct tune){.shared = shared, .ordinal = start->ordinal, .task = start->task, .plug = plug};
    t->fastest_s = start->seed_sample ? sample_faster(0, start->seed_sample) : 0;
    if (plug->needs_model && !shared->model.plug)
        return err_set(err, "searcher '%s' needs a model and the cell names none", plug->name);
    if (plug->needs_seed && !start->seed)
        return err_set(err, "searcher '%s' refines a schedule: name the cell that explores", plug->name);
    void *options;
    if (!setting_options(a, plug->settings, plug->options_size, shared->searcher_settings, &options, err))
        return err_context(err, "searcher '%s'", plug->name);
    t->env = (struct searcher_env){.options = options,
                                   .arena = arena_open(plug->name),
                                   .task = start->task,
                                   .limits = shared->limits,
                                   .pool = shared->pool,
                                   .model = shared->model,
                                   .draft = shared->draft,
                                   .phases = &shared->phases,
                                   .evaluations = &shared->evaluations,
                                   .seed = start->seed,
                                   .seed_sample = start->seed_sample,
                                   .seeds = start->seeds,
                                   .nseeds = start->nseeds,
                                   .parallel_builds = measure_build_workers(shared->measurer),
                                   .trials = start->trials};
    rng_seed(&t->env.rng, tune_seed(shared->seed, start->ordinal, 0, "open"));
    t->self = arena_alloc(a, plug->state_size ? plug->state_size : 1);
    if (plug->open(t->self, &t->env, err))
        return true;
    tune_close(t);
    return err_context(err, "searcher '%s' on '%s'", plug->name, start->task->name);
}

void tune_close(struct tune *t)
{
    arena_close(t->env.arena);
    t->env.arena = NULL;
    t->self = NULL;
}

/* Measuring ----------------------------------------------------------------------------------------------------- */

struct batch { /* one round on its way through the measurer */
    struct tune *tune;
    int round;
    const struct candidate *candidates;
    struct sample *samples; /* of the round, in order */
    int base;               /* measured before this process; the rest goes to measure_batch */
    struct measured_batch rest;
    double cached_s; /* so far */
    struct err err;
    bool failed;
};

static bool record_one(void *ctx, int i, const struct sample *s)
{
    struct batch *b = ctx;
    struct tune *t = b->tune;
    struct tune_shared *sh = t->shared;
    const struct candidate *c = &b->candidates[b->base + i];
    enum phase before = phases_enter(&sh->phases, PHASE_other);
    cell_clock_spend(&sh->timer, sh->timer.is_virtual ? s->cost_s : s->spared_s + b->rest.cached_s);
    sh->phases.seconds[PHASE_run] += s->spared_s; /* the clock is that of the full timing, and of every build */
    sh->phases.seconds[PHASE_build] += b->rest.cached_s;
    b->cached_s += b->rest.cached_s;
    struct record r = {.cell = sh->cell,
                       .task = t->ordinal,
                       .round = b->round,
                       .ordinal = sh->trials,
                       .task_ordinal = t->trials,
                       .hash = c->hash,
                       .sample = *s,
                       .elapsed_s = cell_clock_now(&sh->timer),
                       .unix_s = sh->timer.is_virtual ? 0 : clock_unix()};
    r.sample.model_score = c->score;
    r.wall_s = r.elapsed_s - sh->timer.last_s;
    b->samples[b->base + i] = r.sample;
    if (store_trial(sh->store, &r, c, &b->err)) {
        sh->timer.last_s = r.elapsed_s;
        sh->trials++;
        t->trials++;
        if (sh->progress)
            sh->progress(sh->ctx, &r);
    } else {
        b->failed = true;
    }
    phases_enter(&sh->phases, before);
    return !b->failed && !interrupt_asked();
}

static bool interrupted(struct err *err)
{
    err_set(err, "interrupted");
    if (err)
        err->code = EXIT_INTERRUPTED;
    return false;
}

static bool measure_all(struct batch *b, int n, struct err *err)
{
    struct tune_shared *sh = b->tune->shared;
    b->rest = (struct measured_batch){.candidates = &b->candidates[b->base],
                                      .n = n - b->base,
                                      .samples = &b->samples[b->base],
                                      .done = record_one,
                                      .ctx = b,
                                      .phases = &sh->phases,
                                      .fastest_s = b->tune->fastest_s};
    for (int i = 0; i < b->base; i++)
        b->rest.fastest_s = sample_faster(b->rest.fastest_s, &b->samples[i]);
    if (interrupt_asked())
        return interrupted(err);
    bool fine = measure_batch(sh->measurer, &b->rest, err);
    if (b->failed) {
        *err = b->err;
        return false;
    }
    if (fine && b->rest.overlap)
        fine = store_event(sh->store, sh->cell, b->round, "overlap", b->rest.overlap, clock_unix(), err);
    if (!fine)
        return err_context(err, "measuring '%s'", b->tune->task->name);
    if (interrupt_asked())
        return interrupted(err);
    return b->base + b->rest.measured == n || err_set(err, "measuring '%s' stopped early", b->tune->task->name);
}

/* Telling ------------------------------------------------------------------------------------------------------- */

static bool tell_model(struct tune_shared *sh, const struct candidate *c, const struct sample *s, int n,
                       struct err *err)
{
    if (!sh->model.plug || n == 0)
        return true;
    return sh->model.plug->tell(sh->model.self, c, s, n, err) || err_context(err, "model '%s'", sh->model.plug->name);
}

static bool tell(struct tune *t, int task_round, const struct candidate *c, const struct sample *s, int n,
                 struct err *err)
{
    rng_seed(&t->env.rng, tune_seed(t->shared->seed, t->ordinal, task_round, "tell"));
    for (int i = 0; i < n; i++)
        t->fastest_s = sample_faster(t->fastest_s, &s[i]);
    if (!t->plug->tell(t->self, c, s, n, err))
        return err_context(err, "searcher '%s'", t->plug->name);
    return tell_model(t->shared, c, s, n, err);
}

bool tune_fit_model(struct tune_shared *sh, int round, struct err *err)
{
    if (!sh->model.plug)
        return true;
    rng_seed(&sh->model_env.rng, tune_seed(sh->seed, -1, round, "fit"));
    enum phase before = phases_enter(&sh->phases, PHASE_train);
    bool fine = sh->model.plug->fit(sh->model.self, err);
    phases_enter(&sh->phases, before);
    return fine || err_context(err, "model '%s'", sh->model.plug->name);
}

/* Records as the arguments of tell, in the round's arena. */
static bool rebuild(struct tune_shared *sh, const struct task *task, const struct record *records, int n,
                    struct candidate **c, struct sample **s, struct err *err)
{
    *c = ARENA_ARRAY(sh->round, struct candidate, n);
    *s = ARENA_ARRAY(sh->round, struct sample, n);
    for (int i = 0; i < n; i++) {
        if (!record_candidate(sh->round, &records[i], task, &(*c)[i], err))
            return false;
        (*s)[i] = records[i].sample;
    }
    return true;
}

bool tune_retell(struct tune *t, const struct record *records, int n, struct err *err)
{
    struct candidate *c;
    struct sample *s;
    arena_reset(t->shared->round);
    if (!rebuild(t->shared, t->task, records, n, &c, &s, err) || (n > 0 && !tell(t, t->rounds, c, s, n, err)))
        return false;
    t->rounds++;
    t->trials += n;
    return true;
}

bool tune_tell_model(struct tune_shared *shared, const struct task *task, const struct record *records, int n,
                     struct err *err)
{
    struct candidate *c;
    struct sample *s;
    if (!shared->model.plug)
        return true;
    arena_reset(shared->round);
    return rebuild(shared, task, records, n, &c, &s, err) && tell_model(shared, c, s, n, err);
}

/* One round ----------------------------------------------------------------------------------------------------- */

static bool ask(struct tune *t, struct store_round *r, int64_t max, struct candidate **c, struct err *err)
{
    struct tune_shared *sh = t->shared;
    memcpy(t->env.rng.s, r->rng, sizeof r->rng);
    memcpy(sh->model_env.rng.s, r->model_rng, sizeof r->model_rng);
    *c = ARENA_ARRAY(sh->round, struct candidate, max);
    sh->evaluations = (struct evaluations){0};
    enum phase before = phases_enter(&sh->phases, PHASE_sample);
    bool fine = t->plug->ask(t->self, sh->round, (int)max, *c, &r->asked, err);
    phases_enter(&sh->phases, before);
    return fine || err_context(err, "searcher '%s'", t->plug->name);
}

void tune_start_clocks(struct tune_shared *shared)
{
    phases_start(&shared->phases);
    if (!shared->timer.is_virtual)
        measure_contention(shared->measurer); /* from now on */
}

static bool begin_new(struct tune *t, int64_t max, struct store_round *r, struct candidate **c, struct err *err)
{
    struct tune_shared *sh = t->shared;
    struct rng rng, model_rng;
    *r = (struct store_round){
        .number = sh->rounds, .task = t->ordinal, .task_round = t->rounds, .begin_s = sh->timer.begin_s};
    rng_seed(&rng, tune_seed(sh->seed, t->ordinal, t->rounds, "ask"));
    rng_seed(&model_rng, tune_seed(sh->seed, -1, sh->rounds, "score"));
    memcpy(r->rng, rng.s, sizeof r->rng);
    memcpy(r->model_rng, model_rng.s, sizeof r->model_rng);
    if (!ask(t, r, max, c, err))
        return false;
    r->evaluations = sh->evaluations;
    return store_round_begin(sh->store, sh->cell, r, err);
}

static bool same_candidates(const struct candidate *c, int n, const struct record *records, int nrecords)
{
    bool same = nrecords <= n;
    for (int i = 0; same && i < nrecords; i++)
        same = c[i].hash == records[i].hash;
    return same;
}

/* Takes up a round that another process began. When all of it was measured, or when the searcher does not propose the
 * same again (a threaded one that breaks its contract), the recorded ones are the round. */
static bool begin_partial(struct tune *t, int64_t max, const struct tune_partial *p, struct store_round *r,
                          struct candidate **c, struct sample **s, struct err *err)
{
    struct tune_shared *sh = t->shared;
    *r = *p->round;
    t->trials += p->n;
    sh->timer.begin_s = r->begin_s;
    bool whole = p->n == r->asked;
    if (!whole && !ask(t, r, max, c, err))
        return false;
    if (!whole && !same_candidates(*c, r->asked, p->records, p->n)) {
        log_warn("searcher '%s' proposed other candidates than before it was interrupted: the round ends with the %d "
                 "recorded ones",
                 t->plug->name, p->n);
        whole = true;
    }
    if (p->n > 0) { /* the time of this ask is in the records already */
        cell_clock_restart(&sh->timer, sh->timer.last_s, cell_clock_cpu(&sh->timer));
        tune_start_clocks(sh);
    }
    if (whole) {
        r->asked = p->n;
        return rebuild(sh, t->task, p->records, p->n, c, s, err);
    }
    *s = ARENA_ARRAY(sh->round, struct sample, r->asked);
    for (int i = 0; i < p->n; i++)
        (*s)[i] = p->records[i].sample;
    return true;
}

/* On a virtual target no real time passes: the phases are those of the answers. */
static void virtual_phases(const struct sample *s, int n, double phases[PHASE_COUNT])
{
    memset(phases, 0, sizeof *phases * PHASE_COUNT);
    for (int i = 0; i < n; i++) {
        phases[PHASE_build] += s[i].build_s;
        phases[PHASE_run] += s[i].run_s + s[i].spared_s;
        phases[PHASE_verify] += s[i].verify_s;
        phases[PHASE_other] += s[i].cost_s - s[i].build_s - s[i].run_s - s[i].spared_s - s[i].verify_s;
    }
}

static bool end_round(struct tune *t, const struct store_round *r, const struct batch *b, bool fill, struct err *err)
{
    struct tune_shared *sh = t->shared;
    double booked[PHASE_COUNT];
    phases_stop(&sh->phases);
    double end_s = cell_clock_now(&sh->timer), cpu_s = cell_clock_cpu(&sh->timer);
    memcpy(booked, sh->phases.seconds, sizeof booked);
    if (sh->timer.is_virtual)
        virtual_phases(b->samples, r->asked, booked);
    struct store_spent spent = {.end_s = end_s,
                                .cpu_s = cpu_s,
                                .cached_s = b->cached_s,
                                .phases = booked,
                                .fill = fill && !sh->timer.is_virtual};
    if (!sh->timer.is_virtual) {
        spent.others = measure_contention(sh->measurer);
        sh->others.others_s += spent.others.others_s;
        sh->others.stolen_s += spent.others.stolen_s;
        sh->others.whole_s += spent.others.whole_s;
    }
    tune_start_clocks(sh); /* the next round begins now: writing this one's end is its time */
    sh->timer.begin_s = end_s;
    t->rounds++;
    sh->rounds++;
    return store_round_end(sh->store, sh->cell, r->number, &spent, err);
}

/* What this process spent on the unfinished round; lost when it is killed instead, then "other" gets it on resume. */
static void keep_phases(struct tune *t, const struct store_round *r)
{
    struct tune_shared *sh = t->shared;
    phases_stop(&sh->phases);
    if (!sh->timer.is_virtual && !store_phases_add(sh->store, sh->cell, r->number, sh->phases.seconds, NULL))
        log_debug("phases of round %d not recorded", r->number);
}

bool tune_round(struct tune *t, int64_t max, const struct tune_partial *partial, int *n, double *best, struct err *err)
{
    struct tune_shared *sh = t->shared;
    struct store_round r;
    struct candidate *c = NULL;
    struct sample *s = NULL;
    arena_reset(sh->round);
    if (partial ? !begin_partial(t, max, partial, &r, &c, &s, err) : !begin_new(t, max, &r, &c, err))
        return false;
    if (!s)
        s = ARENA_ARRAY(sh->round, struct sample, r.asked);
    struct batch b = {.tune = t, .round = r.number, .candidates = c, .samples = s, .base = partial ? partial->n : 0};
    if (!measure_all(&b, r.asked, err)) {
        keep_phases(t, &r);
        return false;
    }
    if ((r.asked > 0 && (!tell(t, t->rounds, c, s, r.asked, err) || !tune_fit_model(sh, sh->rounds, err))) ||
        !end_round(t, &r, &b, partial != NULL, err))
        return false;
    *n = r.asked;
    *best = INFINITY;
    for (int i = 0; i < r.asked; i++)
        *best = fmin(*best, sample_mean(&s[i]));
    return true;
}

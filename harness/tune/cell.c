/* SPDX-License-Identifier: Apache-2.0 */
/* cell: prepares seeds and shared descents, replays what is recorded, then lets the scheduler hand out rounds until the
 * budget is spent.
 *
 * The scheduler's state is not stored: it is a pure function of the rounds, so on resume it is asked again for every
 * stored round and must name the task that the round is of. That also notices records made by a program that decides
 * otherwise. */
#include "harness/tune/cell.h"

#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/record/keys.h"
#include "harness/record/tally.h"
#include "harness/tune/interrupt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONTENTION_KNOWN_S 120.0 /* CPU seconds of the machine: a minute on two cores */

struct cell { /* one cell while it runs */
    const struct cell_env *env;
    const struct cell_plan *plan;
    int ordinal;
    struct arena *arena;
    struct tune_shared shared;
    struct scheduler scheduler;
    struct store_cell stored;
    struct store_task *tasks; /* those of stored, kept up to date */
    struct tune *tunes;       /* by task; self NULL: not open */
    struct store_round *rounds;
    int nrounds;
    struct arena *retold; /* records of one round while it is replayed */
    bool works;           /* some candidate of the experiment's first cell was valid, as far as this run looked */
    bool warned;          /* of what others take of the machine */
};

void cell_stored(struct arena *a, const struct plan *p, int ordinal, struct store_cell *out)
{
    const struct cell_plan *c = &p->cells[ordinal];
    struct store_task *tasks = ARENA_ARRAY(a, struct store_task, c->ntasks);
    struct plan_place from;
    for (int t = 0; t < c->ntasks; t++)
        tasks[t] = (struct store_task){.spec = c->tasks[t].task->spec,
                                       .name = c->tasks[t].name ? c->tasks[t].name : c->tasks[t].task->name,
                                       .weight = c->tasks[t].weight,
                                       .flops = c->tasks[t].task->flops,
                                       .shared_cell = plan_taken(p, ordinal, t, &from) ? from.cell : -1,
                                       .state = ""};
    *out = (struct store_cell){.keys = c->keys, .tasks = tasks, .ntasks = c->ntasks, .state = ""};
    out->trials = cell_plan_trials(c);
}

/* Independent of the order of cells: nothing but what the cell is goes in. */
static uint64_t cell_seed(const struct cell_plan *c)
{
    return hash_mix(hash_mix(hash_str(c->network), hash_str(c->arm)), (uint64_t)c->seed);
}

static bool finished(const struct store_task *t)
{
    return t->state[0] != 0;
}

/* Seeds and sharing --------------------------------------------------------------------------------------------- */

/* The first cell that has run the very descent that this task would run; -1: none. */
static bool find_shared(struct cell *c, int task, int64_t seed_trial, int *home, struct err *err)
{
    *home = -1;
    struct store_cell *cells;
    int n;
    if (!c->plan->share)
        return true;
    if (!store_cells(c->env->store, c->arena, &cells, &n, err))
        return false;
    for (int i = 0; i < c->env->plan->ncells && i < n; i++) {
        const struct store_task *t = &cells[i].tasks[task];
        if (i != c->ordinal && cell_plan_same_descent(&c->env->plan->cells[i], c->plan) &&
            t->seed_trial == seed_trial && t->shared_cell < 0 && finished(t)) {
            *home = i;
            return true;
        }
    }
    return true;
}

/* How many of the explorer's records the arm may see; 0: all. */
static int64_t seen(const struct cell *c)
{
    return c->plan->k > 0 ? c->plan->k + c->plan->k_plus_one : 0;
}

/* Decides a task's seed once and writes it down, so that a resume cannot decide otherwise. */
static bool seed_task(struct cell *c, int task, struct err *err)
{
    struct store_task *t = &c->tasks[task];
    struct record seed;
    bool found;
    if (c->plan->explore_cell < 0 || t->seed_trial || finished(t))
        return true;
    int64_t k = seen(c);
    if (!store_best(c->env->store, c->arena, (struct store_part){c->plan->explore_cell, task, k}, &seed, &found, err))
        return false;
    if (!found) {
        struct tally_sums tried;
        t->state = "no seed";
        if (!tally_sum(c->env->store, c->plan->explore_cell, task, k, &tried, err))
            return false;
        (tried.records ? log_warn : log_debug)("%s %s: kernel '%s' has no valid record among the first %" PRId64
                                               " to start from",
                                               c->plan->network, c->plan->arm, t->name, k);
    } else {
        t->seed_trial = seed.id;
        if (!find_shared(c, task, seed.id, &t->shared_cell, err))
            return false;
        t->state = t->shared_cell >= 0 ? "done" : "";
    }
    return store_task_state(c->env->store, c->ordinal, task, t, err);
}

/* Kernels of an earlier network are as they ended there: that network's cells run before this one. */
static bool take_task(struct cell *c, int task, const struct plan_place *from, struct err *err)
{
    const struct cell_plan *p = &c->env->plan->cells[from->cell];
    struct store_task *t = &c->tasks[task];
    struct store_cell *cells;
    int n;
    if (finished(t))
        return true;
    if (!store_cells(c->env->store, c->arena, &cells, &n, err))
        return false;
    if (from->cell >= n || !str_eq(cells[from->cell].state, "done"))
        return err_set(err, "kernel '%s' is that of '%s', which is not searched yet", t->name, p->network);
    t->seed_trial = cells[from->cell].tasks[from->task].seed_trial;
    t->state = cells[from->cell].tasks[from->task].state;
    return store_task_state(c->env->store, c->ordinal, task, t, err);
}

static bool seed_tasks(struct cell *c, struct err *err)
{
    struct plan_place from;
    for (int t = 0; t < c->plan->ntasks; t++) {
        bool taken = plan_taken(c->env->plan, c->ordinal, t, &from);
        if (taken ? !take_task(c, t, &from, err) : !seed_task(c, t, err))
            return false;
        if (str_eq(c->tasks[t].state, "no seed") || c->tasks[t].shared_cell >= 0)
            scheduler_kill(&c->scheduler, t);
    }
    return true;
}

/* What the model would have learned of the taken kernels it is told first: a warm start, before the cell's clock. */
static bool tell_taken(struct cell *c, bool *told, struct err *err)
{
    struct plan_place from;
    *told = false;
    for (int t = 0; t < c->plan->ntasks && c->shared.model.plug; t++) {
        struct record *records;
        int n;
        if (!plan_taken(c->env->plan, c->ordinal, t, &from))
            continue;
        struct arena *scratch = arena_open("taken records");
        bool fine =
            store_records(c->env->store, scratch, (struct store_part){c->ordinal, t, 0}, 0, &records, &n, err) &&
            tune_tell_model(&c->shared, c->plan->tasks[t].task, records, n, err);
        arena_close(scratch);
        if (!fine)
            return false;
        *told = *told || n > 0;
    }
    return true;
}

/* Opening ------------------------------------------------------------------------------------------------------- */

static bool open_model(struct cell *c, const char *name, const char *settings, struct model_env *env,
                       struct model_use *out, struct err *err)
{
    struct tune_shared *sh = &c->shared;
    void *options;
    const struct model *m = registry_model(c->env->registry, name, err);
    if (!m)
        return false;
    if (!setting_options(c->arena, m->settings, m->options_size, settings, &options, err))
        return err_context(err, "model '%s'", m->name);
    /* TVM v0.16 xgb_model.py and task_scheduler.py: 100 for a single task, else tasks times measurements per round */
    int64_t warmup = c->plan->ntasks == 1 ? 100 : c->plan->ntasks * c->scheduler.batch;
    *env = (struct model_env){.options = options,
                              .limits = sh->limits,
                              .analyzer = &c->env->analyzer,
                              .pool = sh->pool,
                              .phases = &sh->phases,
                              .warmup = (int)warmup,
                              .folder = c->env->plan->folder,
                              .cache = c->env->plan->results_dir};
    rng_seed(&env->rng, tune_seed(sh->seed, -1, 0, "open"));
    void *self = arena_alloc(c->arena, m->state_size ? m->state_size : 1);
    if (!m->open(self, env, err))
        return err_context(err, "model '%s'", m->name);
    *out = (struct model_use){.plug = m, .self = self};
    return true;
}

/* The cell's model, and the one that its searcher drafts with. */
static bool open_models(struct cell *c, struct err *err)
{
    struct tune_shared *sh = &c->shared;
    const struct searcher *s = sh->searcher;
    const char *name, *settings = "";
    void *options;
    if (c->plan->model && c->plan->model[0] &&
        !open_model(c, c->plan->model, c->plan->model_settings, &sh->model_env, &sh->model, err))
        return false;
    if (!s->draft)
        return true;
    if (!setting_options(c->arena, s->settings, s->options_size, c->plan->searcher_settings, &options, err))
        return err_context(err, "searcher '%s'", s->name);
    name = s->draft(options, &settings);
    return !name || open_model(c, name, settings, &sh->draft_env, &sh->draft, err) ||
           err_context(err, "searcher '%s' drafts", s->name);
}

/* The fastest records of different programs, ids into out, SEARCHER_SEEDS at most; how many. Of equals the first. */
static int fastest(const struct record *r, int n, int64_t out[SEARCHER_SEEDS])
{
    const struct record *chosen[SEARCHER_SEEDS];
    int m = 0;
    for (; m < SEARCHER_SEEDS; m++) {
        const struct record *best = NULL;
        for (int i = 0; i < n; i++) {
            bool known = !isfinite(sample_mean(&r[i].sample));
            for (int k = 0; k < m && !known; k++)
                known = chosen[k]->hash == r[i].hash;
            if (!known && (!best || sample_mean(&r[i].sample) < sample_mean(&best->sample)))
                best = &r[i];
        }
        if (!best)
            break;
        chosen[m] = best;
        out[m] = best->id;
    }
    return m;
}

static bool read_seeds(struct cell *c, int task, struct tune_start *start, struct err *err)
{
    struct arena *scratch = arena_open("seeds");
    struct record *records;
    int64_t ids[SEARCHER_SEEDS];
    int n, found = 0;
    bool fine = store_records(c->env->store, scratch, (struct store_part){c->plan->explore_cell, task, seen(c)}, 0,
                              &records, &n, err);
    if (fine)
        found = fastest(records, n, ids);
    struct candidate *seeds = ARENA_ARRAY(c->arena, struct candidate, found + 1);
    for (int i = 0; i < found && fine; i++) {
        struct record *r = ARENA_NEW(c->arena, struct record);
        fine = store_record(c->env->store, c->arena, ids[i], r, err) &&
               record_candidate(c->arena, r, c->plan->tasks[task].task, &seeds[i], err);
    }
    arena_close(scratch);
    start->seeds = seeds;
    start->nseeds = found;
    return fine;
}

static bool open_tune(struct cell *c, int task, struct err *err)
{
    struct tune *t = &c->tunes[task];
    struct candidate *seed = NULL;
    struct sample *sample = NULL;
    if (t->self)
        return true;
    if (c->tasks[task].seed_trial) {
        struct record *r = ARENA_NEW(c->arena, struct record);
        seed = ARENA_NEW(c->arena, struct candidate);
        sample = &r->sample;
        if (!store_record(c->env->store, c->arena, c->tasks[task].seed_trial, r, err) ||
            !record_candidate(c->arena, r, c->plan->tasks[task].task, seed, err))
            return false;
    }
    int64_t budget = c->plan->scheduler == SCHEDULER_SEQUENTIAL ? c->scheduler.per_task
                                                                : cell_plan_trials(c->plan) / c->plan->ntasks;
    struct tune_start start = {
        .task = c->plan->tasks[task].task, .ordinal = task, .trials = (int)budget, .seed = seed, .seed_sample = sample};
    if (seed && keys_seed_is_retimed(c->plan->searcher_settings) && !read_seeds(c, task, &start, err))
        return false;
    return tune_open(t, &c->shared, c->arena, &start, err);
}

bool cell_scheduler(struct arena *a, const struct cell_plan *p, struct scheduler *out, struct err *err)
{
    double *weights = ARENA_ARRAY(a, double, p->ntasks), *flops = ARENA_ARRAY(a, double, p->ntasks);
    for (int t = 0; t < p->ntasks; t++) {
        weights[t] = p->tasks[t].weight;
        flops[t] = p->tasks[t].task->flops;
    }
    int64_t total = cell_plan_trials(p), per_task = p->trials_per_task > 0 ? p->trials_per_task : total / p->ntasks;
    const struct scheduler_budget budget = {
        .kind = p->scheduler,
        .weights = weights,
        .flops = flops,
        .ntasks = p->ntasks,
        .total = p->scheduler == SCHEDULER_SEQUENTIAL && p->trials == 0 ? per_task * p->ntasks : total,
        .per_task = per_task,
        .batch = p->batch};
    return scheduler_open(out, a, &budget, tune_seed(cell_seed(p), -1, 0, "scheduler"), err);
}

/* Progress ------------------------------------------------------------------------------------------------------ */

static void show(void *ctx, const struct record *r)
{
    const struct cell *c = ctx;
    char best[32] = "no valid kernel yet";
    double g = c->scheduler.tasks[r->task].best;
    double mean = sample_mean(&r->sample);
    g = mean < g ? mean : g;
    if (g < SCHEDULER_NO_COST)
        snprintf(best, sizeof best, "best %.4g ms", g * 1e3);
    progress_at((double)(c->env->trials_before + c->shared.trials), "%s %s seed %" PRId64 ", kernel %d/%d, %s",
                c->plan->network, c->plan->arm, c->plan->seed, r->task + 1, c->plan->ntasks, best);
}

/* Once a search, as soon as it is known well enough: whoever runs something beside it may still stop that. */
static void warn_of_others(struct cell *c)
{
    const struct cpu_contention *o = &c->shared.others;
    double share = cpu_contention_share(o);
    if (c->warned || o->whole_s < CONTENTION_KNOWN_S || !(share > CPU_CONTENTION_MOST))
        return;
    c->warned = true;
    log_warn("%s, %s, seed %" PRId64 ": other programs and the machine's host take %.0f %% of its CPU time: if it is "
             "more than %.0f %% over all searches, none of their times counts",
             c->plan->network, c->plan->arm, c->plan->seed, 100 * share, 100 * CPU_CONTENTION_MOST);
}

/* The loop ------------------------------------------------------------------------------------------------------ */

/* A task whose search is over gives its memory back; only a sequential cell knows when that is. */
static bool retire(struct cell *c, int task, struct err *err)
{
    const struct scheduler_task *s = &c->scheduler.tasks[task];
    bool spent = c->plan->scheduler == SCHEDULER_SEQUENTIAL && s->trials >= c->scheduler.per_task;
    if (!s->dead && !spent)
        return true;
    tune_close(&c->tunes[task]);
    if (finished(&c->tasks[task]))
        return true;
    c->tasks[task].state = s->dead ? "dead" : "done";
    return store_task_state(c->env->store, c->ordinal, task, &c->tasks[task], err);
}

static bool same_task(const struct cell *c, int number, int scheduled, int stored, struct err *err)
{
    return scheduled == stored ||
           err_set(
               err,
               "round %d of cell %d (%s, %s) was for kernel %d, this program would choose %d: the records were made by "
               "another version, choose another folder with --results",
               number, c->ordinal, c->plan->network, c->plan->arm, stored, scheduled);
}

static double best_of(const struct record *r, int n)
{
    double best = INFINITY;
    for (int i = 0; i < n; i++)
        best = fmin(best, sample_mean(&r[i].sample));
    return best;
}

static bool replay_round(struct cell *c, const struct store_round *r, const struct record *records, struct err *err)
{
    int64_t max;
    int task = scheduler_next(&c->scheduler, &max);
    if (!same_task(c, r->number, task, r->task, err))
        return false;
    if (finished(&c->tasks[task])) {
        if (!tune_tell_model(&c->shared, c->plan->tasks[task].task, records, r->measured, err))
            return false;
    } else if (!open_tune(c, task, err) || !tune_retell(&c->tunes[task], records, r->measured, err)) {
        return false;
    }
    scheduler_tell(&c->scheduler, task, r->measured, best_of(records, r->measured));
    c->shared.rounds++;
    return retire(c, task, err);
}

/* Tells everything recorded again. *partial is the round that was begun and not ended, if any. */
static bool replay(struct cell *c, struct tune_partial *partial, struct err *err)
{
    enum { NEVER = -2, TAKEN = -1 };
    int at = 0, fitted; /* the last round after which the model was trained */
    bool told;
    if (!tell_taken(c, &told, err))
        return false;
    fitted = told ? TAKEN : NEVER;
    for (int i = 0; i < c->nrounds; i++) {
        const struct store_round *r = &c->rounds[i];
        struct record *records = NULL;
        int n = 0;
        arena_reset(c->retold);
        if (r->measured > 0 && !store_records(c->env->store, c->retold,
                                              (struct store_part){c->ordinal, -1, r->measured}, at, &records, &n, err))
            return false;
        if (n != r->measured || (isnan(r->end_s) && i + 1 < c->nrounds))
            return err_set(err, "cell %d: rounds and trials of the database do not fit together", c->ordinal);
        if (isnan(r->end_s)) {
            *partial = (struct tune_partial){.round = r, .records = records, .n = n};
        } else {
            if (!replay_round(c, r, records, err))
                return false;
            fitted = r->measured > 0 ? r->number : fitted;
        }
        at += r->measured;
        if (r->measured > 0)
            c->shared.timer.last_s = records[n - 1].elapsed_s;
    }
    c->shared.trials = at;
    return fitted == NEVER || tune_fit_model(&c->shared, fitted, err);
}

static bool is_searched(const struct cell *c)
{
    for (int t = 0; t < c->plan->ntasks; t++)
        if (!c->scheduler.tasks[t].dead)
            return true;
    return false;
}

/* An experiment in which nothing works stops at its first batch of candidates; a searcher that has none for a kernel
 * may have some for others. */
static bool first_batch(struct cell *c, struct err *err)
{
    struct tally_sums sums;
    struct tally_failure *why;
    int n;
    if (c->ordinal > 0 || c->works)
        return true;
    if (!tally_sum(c->env->store, 0, -1, 0, &sums, err) ||
        !tally_failures(c->env->store, c->arena, 0, -1, &why, &n, err))
        return false;
    c->works = sums.valid > 0;
    if (c->works || (!sums.records && is_searched(c)))
        return true;
    struct text reasons = {0};
    for (int i = 0; i < n && i < 3; i++)
        text_printf(&reasons, "%s%" PRId64 " x %s%s%s", i ? "; " : "", why[i].count, outcome_word(why[i].outcome),
                    why[i].message[0] ? ": " : "", why[i].message);
    err_set(err, "none of the first %" PRId64 " candidates is valid: %s", sums.records,
            sums.records ? text_str(&reasons) : "the searcher proposed none");
    text_free(&reasons);
    if (err)
        err->code = EXIT_INVALID;
    return false;
}

static bool run_rounds(struct cell *c, struct tune_partial *partial, struct err *err)
{
    bool pending = partial->round != NULL;
    int64_t max;
    if (c->shared.rounds > 0 && !first_batch(c, err))
        return false;
    for (int task; (task = scheduler_next(&c->scheduler, &max)) >= 0; pending = false) {
        int n = 0;
        double best;
        if (!interrupt_not_asked(err, "in a search"))
            return false;
        if (pending && !same_task(c, partial->round->number, task, partial->round->task, err))
            return false;
        if (!open_tune(c, task, err) || !tune_round(&c->tunes[task], max, pending ? partial : NULL, &n, &best, err))
            return false;
        warn_of_others(c);
        scheduler_tell(&c->scheduler, task, n, best);
        if (!first_batch(c, err) || !retire(c, task, err))
            return false;
    }
    return true;
}

static bool finish(struct cell *c, struct err *err)
{
    for (int t = 0; t < c->plan->ntasks; t++) {
        if (finished(&c->tasks[t]))
            continue;
        c->tasks[t].state = "done";
        if (!store_task_state(c->env->store, c->ordinal, t, &c->tasks[t], err))
            return false;
    }
    return store_cell_state(c->env->store, c->ordinal, "done", c->shared.timer.begin_s,
                            cell_clock_cpu(&c->shared.timer), err);
}

/* Where the clock goes on: at the end of the last complete round, or where the unfinished one began. tune_round moves
 * it on when that one has records. */
static void start_clock(struct cell *c, const struct tune_partial *partial)
{
    struct cell_clock *t = &c->shared.timer;
    double at = c->nrounds ? c->rounds[c->nrounds - 1].end_s : 0;
    if (partial->round)
        at = partial->round->begin_s;
    t->begin_s = at;
    cell_clock_restart(t, at, c->stored.cpu_s);
    tune_start_clocks(&c->shared);
}

static bool run(struct cell *c, struct err *err)
{
    struct tune_partial partial = {0};
    if (!(c->shared.searcher = registry_searcher(c->env->registry, c->plan->searcher, err)) ||
        !cell_scheduler(c->arena, c->plan, &c->scheduler, err) || !open_models(c, err) || !seed_tasks(c, err) ||
        !store_rounds(c->env->store, c->arena, c->ordinal, &c->rounds, &c->nrounds, err) ||
        !store_cell_state(c->env->store, c->ordinal, "running", c->stored.elapsed_s, c->stored.cpu_s, err) ||
        !replay(c, &partial, err))
        return false;
    start_clock(c, &partial);
    return run_rounds(c, &partial, err) && finish(c, err);
}

static void close_all(struct cell *c)
{
    for (int t = 0; t < c->plan->ntasks; t++)
        tune_close(&c->tunes[t]);
    if (c->shared.model.plug)
        c->shared.model.plug->close(c->shared.model.self);
    if (c->shared.draft.plug)
        c->shared.draft.plug->close(c->shared.draft.self);
    arena_close(c->shared.round);
    arena_close(c->retold);
    arena_close(c->arena);
}

static bool find_measurer(struct cell *c, struct err *err)
{
    struct measured_under of;
    if (!measurers_get(c->env->measurers, c->plan->under, &of, err))
        return false;
    c->shared.measurer = of.measurer;
    c->shared.limits = of.limits;
    return true;
}

bool cell_run(const struct cell_env *env, int ordinal, struct err *err)
{
    struct cell c = {.env = env,
                     .plan = &env->plan->cells[ordinal],
                     .ordinal = ordinal,
                     .arena = arena_open("cell"),
                     .retold = arena_open("records")};
    struct store_cell *cells;
    int n;
    c.tunes = ARENA_ARRAY(c.arena, struct tune, c.plan->ntasks);
    c.shared = (struct tune_shared){.store = env->store,
                                    .pool = env->pool,
                                    .searcher_settings = c.plan->searcher_settings,
                                    .timer = {.is_virtual = env->is_virtual},
                                    .round = arena_open("round"),
                                    .cell = ordinal,
                                    .seed = cell_seed(c.plan),
                                    .progress = show,
                                    .ctx = &c};
    bool fine = store_cells(env->store, c.arena, &cells, &n, err);
    if (fine && n <= ordinal)
        bug("cell %d is not in the store", ordinal);
    if (fine && !str_eq(cells[ordinal].state, "done")) {
        c.stored = cells[ordinal];
        c.tasks = ARENA_DUP(c.arena, c.stored.tasks, struct store_task, c.plan->ntasks);
        fine = find_measurer(&c, err) && run(&c, err);
    }
    close_all(&c);
    return fine || err_context(err, "%s, %s, seed %" PRId64, c.plan->network, c.plan->arm, c.plan->seed);
}

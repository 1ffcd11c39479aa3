/* SPDX-License-Identifier: Apache-2.0 */
/* duel_run: what runs a launch sees places and programs. It does not see which duel is a null pair. */
#include "harness/tune/duel_run.h"

#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/record/counter.h"
#include "harness/tune/duel_blocks.h"
#include "harness/tune/duel_rules.h"
#include "harness/tune/interrupt.h"

#include <math.h>

static const char WHERE[] = "in the duels";

struct duel_state {
    const struct cell_env *env;
    struct duel_list list;
    struct duel_blocks blocks;
    struct text protocol;
    struct regime slice;
    int launches; /* made by this call */
    double since; /* clock_now() */
};

bool duel_fits(const struct cell_env *env, struct err *err)
{
    struct text protocol = {0};
    bool differs = false;
    duel_protocol(env->plan, &protocol);
    bool fine = duel_regime_differs(env->store, text_str(&protocol), &differs, err);
    text_free(&protocol);
    if (fine && differs)
        return err_set(
            err,
            "'%s' holds launches under another protocol (retime_regime, slice_ms, slice_calls, mirrors, launch_ms): "
            "they cannot be pooled with these; choose another folder with --results, or set them back",
            env->plan->results_dir);
    return fine;
}

bool duel_more(const struct cell_env *env, struct err *err)
{
    struct arena *a = arena_open("duels");
    struct record_scan scan;
    struct duel_list l;
    bool fine = record_scan_read(a, env->store, NULL, 0, &scan, err) && duel_list_read(env->store, a, &scan, &l, err),
         begun = false;
    for (int i = 0; fine && i < l.n; i++)
        begun = begun || l.had[i] > 0;
    fine = fine && (!begun || duel_sitting_begin(env->store, env->is_virtual ? 0 : clock_unix(), err));
    arena_close(a);
    return fine;
}

/* ---- one launch ---- */

static const struct task *task_of(const struct plan *p, const struct duel_record *d)
{
    for (int i = 0; i < p->ncells; i++)
        if (p->cells[i].seed == d->seed && str_eq(p->cells[i].network, d->network) && d->task < p->cells[i].ntasks)
            return p->cells[i].tasks[d->task].task;
    return NULL;
}

/* The programs of a duel, by place, and a call of the slowest as it was tuned. */
static bool programs_of(const struct duel_state *s, struct arena *a, const struct duel_record *d,
                        struct sliced_program *out, double *slowest_s, struct err *err)
{
    const struct task *task = task_of(s->env->plan, d);
    if (!task)
        return err_set(err, "kernel %d of '%s', seed %lld, is in a duel, and not in the experiment", d->task,
                       d->network, (long long)d->seed);
    for (int i = 0; i < d->ntrials; i++) {
        struct record r;
        struct measured_under of;
        struct candidate *c = ARENA_NEW(a, struct candidate);
        if (out[d->trials[i].place].c)
            continue;
        if (!store_record(s->env->store, a, d->trials[i].trial, &r, err) || !record_candidate(a, &r, task, c, err))
            return false;
        if (!measurers_get(s->env->measurers, s->env->plan->cells[r.cell].under, &of, err))
            return false;
        out[d->trials[i].place].c = c;
        out[d->trials[i].place].m = of.measurer;
        *slowest_s = fmax(*slowest_s, sample_mean(&r.sample));
    }
    return true;
}

static bool put_launch(struct duel_state *s, int duel, const struct sliced_run *run, struct err *err)
{
    struct duel_process processes[DUEL_PROGRAMS];
    double logs[DUEL_PROGRAMS];
    struct text turns = {0};
    struct duel_launch_key key = {.duel = duel,
                                  .launch = s->list.data[duel].launches,
                                  .sitting = s->list.sitting,
                                  .regime = text_str(&s->protocol),
                                  .unix_s = s->env->is_virtual ? 0 : clock_unix()};
    for (int i = 0; i < run->nturns; i++)
        text_printf(&turns, "%s%d", i ? "," : "[", run->turns[i]);
    text_char(&turns, ']');
    for (int i = 0; i < run->n; i++) {
        const struct sample *sample = &run->programs[i].sample;
        processes[i] = (struct duel_process){text_str(&turns), *sample};
        logs[i] = NAN;
        for (int k = 0; k < sample->nseconds; k++)
            logs[i] = fmin(logs[i], log(sample->seconds[k]));
    }
    bool fine = duel_launch_put(s->env->store, &key, processes, run->n, err);
    text_free(&turns);
    if (fine)
        duel_list_add(&s->list, duel, logs);
    return fine;
}

static bool launch(struct duel_state *s, int duel, struct err *err)
{
    const struct duel_record *d = &s->list.at[duel];
    int turns[2 * DUEL_MIRRORS * DUEL_PROGRAMS];
    double slowest_s = 0;
    struct arena *a = arena_open("launch");
    struct sliced_program programs[DUEL_PROGRAMS] = {{0}};
    uint64_t number = hash_mix(duel_list_key(&s->list, duel), (uint64_t)s->list.data[duel].launches + 1);
    uint64_t seed = hash_mix(s->env->plan->input_seed, number);
    struct sliced_run run = {
        .programs = programs, .n = d->programs, .turns = turns, .regime = &s->slice, .process = seed | 1};
    bool fine = programs_of(s, a, d, programs, &slowest_s, err);
    int mirrors = duel_mirrors(&s->env->plan->duels, d->programs, slowest_s);
    run.nturns = 2 * mirrors * d->programs;
    duel_order(seed, d->programs, mirrors, turns);
    fine = fine && measure_sliced(s->env->measurer, &run, err) && put_launch(s, duel, &run, err);
    arena_close(a);
    s->launches++;
    return fine;
}

/* ---- all of them ---- */

static void tell(const struct duel_state *s, double widest)
{
    const struct duel_rules *rules = &s->env->plan->duels;
    int all = 0;
    for (int i = 0; i < s->list.n; i++)
        all += s->list.had[i];
    if (isfinite(widest))
        progress_at(all, "half width %.2f %%, asked %.2f %%", 100 * widest, 100 * rules->half_width);
    else
        progress_at(all, "the first %lld launches of each", (long long)rules->min_launches);
}

static bool out_of_time(const struct duel_state *s)
{
    double minutes = s->env->plan->duels.minutes;
    return !s->env->is_virtual && minutes > 0 && clock_now() - s->since > 60 * minutes;
}

static bool run_all(struct duel_state *s, struct err *err)
{
    double widest = INFINITY;
    bool fine = true, over = false;
    int duel;
    progress_begin("duels", (double)s->env->plan->duels.max_launches * s->list.n);
    while (fine && !over && (duel = duel_blocks_next(&s->blocks, &widest)) >= 0) {
        tell(s, widest);
        fine = launch(s, duel, err) && interrupt_not_asked(err, WHERE);
        over = fine && out_of_time(s);
    }
    progress_end();
    const struct duel_rules *rules = &s->env->plan->duels;
    if (fine && !over && rules->max_launches > rules->min_launches && isfinite(widest) && widest > rules->half_width)
        log_warn("every duel that would help has its %lld launches; the half width is %.2f %%, asked %.2f %%: --retime "
                 "adds launches",
                 (long long)s->env->plan->duels.max_launches, 100 * widest, 100 * s->env->plan->duels.half_width);
    if (over)
        log_warn("the duels' %g minutes are over at a half width of %.2f %%, asked %.2f %%: --resume adds launches",
                 s->env->plan->duels.minutes, 100 * widest, 100 * s->env->plan->duels.half_width);
    return fine;
}

static bool open_list(struct duel_state *s, struct arena *a, struct err *err)
{
    const struct plan *p = s->env->plan;
    const struct duel_list_rules rules = {.top = plan_retime_top(p),
                                          .null_share = p->duels.null_share,
                                          .null_least = p->duels.null_least,
                                          .seed = hash_mix(p->input_seed, 211),
                                          .unix_s = s->env->is_virtual ? 0 : clock_unix()};
    struct record_scan *scan = ARENA_NEW(a, struct record_scan);
    if (!duel_fits(s->env, err) || !record_scan_read(a, s->env->store, NULL, 0, scan, err) ||
        !duel_list_read(s->env->store, a, scan, &s->list, err) || !duel_list_make(&s->list, s->env->store, &rules, err))
        return false;
    duel_blocks_open(a, &s->list, &p->duels, p->input_seed, &s->blocks);
    return true;
}

/* Runs a program once more for its counters, which is not timed. What a killed campaign has counted is not counted
 * again. */
static bool count_one(const struct cell_env *env, int64_t trial, const struct task *task, struct err *err)
{
    struct arena *a = arena_open("counters");
    struct counter *had;
    struct counter_list out;
    struct record r;
    struct candidate c;
    struct sample s;
    struct measured_under of;
    int n;
    bool fine = store_counters(env->store, a, trial, &had, &n, err);
    if (fine && n == 0)
        fine = store_record(env->store, a, trial, &r, err) && record_candidate(a, &r, task, &c, err) &&
               measurers_get(env->measurers, env->plan->cells[r.cell].under, &of, err) &&
               measure_count(of.measurer, &c, &env->plan->retime_regime, &out, &s, err) &&
               store_counters_put(env->store, trial, out.at, out.n, err);
    arena_close(a);
    return fine;
}

static bool count_all(const struct duel_state *s, struct err *err)
{
    const struct cell_env *env = s->env;
    bool fine = true;
    if (env->is_virtual || !env->registry->collectors || !env->registry->collectors[0])
        return true;
    for (int i = 0; fine && i < s->list.n; i++)
        for (int k = 0; fine && k < s->list.at[i].ntrials; k++)
            fine = count_one(env, s->list.at[i].trials[k].trial, task_of(env->plan, &s->list.at[i]), err) &&
                   interrupt_not_asked(err, WHERE);
    return fine;
}

static bool put_peak(const struct cell_env *env, struct err *err)
{
    return env->is_virtual || duel_peak_put(env->store, measure_peak_flops(env->measurer), clock_unix(), err);
}

bool duel_run(const struct cell_env *env, struct err *err)
{
    if (!plan_has_duels(env->plan))
        return true;
    struct arena *a = arena_open("duels");
    struct duel_state s = {.env = env, .slice = duel_slice(env->plan), .since = clock_now()};
    duel_protocol(env->plan, &s.protocol);
    bool fine = open_list(&s, a, err) && put_peak(env, err) && run_all(&s, err) && put_peak(env, err) &&
                count_all(&s, err) && duel_sitting_end(env->store, env->is_virtual ? 0 : clock_unix(), err);
    text_free(&s.protocol);
    arena_close(a);
    return fine;
}

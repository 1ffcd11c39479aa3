/* SPDX-License-Identifier: Apache-2.0 */
/* retime: launches are the outer loop, so that a slow spell of the machine falls on all programs and not on one. Each
 * goes through them in a random order of its own, so that none always follows the same neighbour. Counters come last,
 * from a run of each program that is not timed. */
#include "harness/tune/retime.h"

#include "harness/base/log.h"
#include "harness/base/vec.h"
#include "harness/record/counter.h"
#include "harness/record/retiming.h"
#include "harness/record/top_records.h"
#include "harness/stats/run_order.h"
#include "harness/tune/interrupt.h"

#include <stdlib.h>

struct program { /* to be timed again */
    int64_t trial;
    const struct task *task;
};
struct programs {
    VEC(struct program) all;
};

static bool is_one(const struct programs *w, int64_t trial)
{
    for (int i = 0; i < w->all.n; i++)
        if (w->all.at[i].trial == trial)
            return true;
    return false;
}

static void add(struct programs *w, int64_t trial, const struct task *task)
{
    if (!is_one(w, trial))
        vec_push(&w->all, (struct program){.trial = trial, .task = task});
}

/* The fastest of every kernel of every cell, and the record each descent started from: that is the best of the first
 * k. */
static bool collect(const struct cell_env *env, struct arena *a, struct programs *w, struct err *err)
{
    struct store_cell *cells;
    int n;
    if (!store_cells(env->store, a, &cells, &n, err))
        return false;
    int most = plan_retime_top(env->plan), found;
    int64_t *ids = ARENA_ARRAY(a, int64_t, most);
    for (int i = 0; i < n && i < env->plan->ncells; i++)
        for (int t = 0; t < cells[i].ntasks; t++) {
            const struct task *task = env->plan->cells[i].tasks[t].task;
            if (cells[i].tasks[t].seed_trial)
                add(w, cells[i].tasks[t].seed_trial, task);
            if (!top_records_of(env->store, i, t, most, ids, &found, err))
                return false;
            for (int k = 0; k < found; k++)
                add(w, ids[k], task);
        }
    return true;
}

bool retime_fits(const struct cell_env *env, bool *fit, struct err *err)
{
    struct arena *a = arena_open("retimed programs");
    struct programs w = {0};
    struct text regime = {0};
    const struct retimed_program *had;
    int n;
    *fit = false;
    setting_print(regime_settings, &env->plan->retime_regime, &regime);
    bool fine = retiming_fits(env->store, text_str(&regime), env->plan->launches, fit, err) &&
                retimed_programs(env->store, a, &had, &n, err) && collect(env, a, &w, err);
    for (int i = 0; fine && i < n; i++)
        *fit = *fit && is_one(&w, had[i].trial);
    text_free(&regime);
    vec_free(&w.all);
    arena_close(a);
    return fine;
}

/* at: what is done of the re-timing so far. What was recorded before moves no progress: its pace is not that of
 * readings. */
static bool launch(const struct cell_env *env, const struct program *w, int number, double at, const char *regime,
                   struct err *err)
{
    struct arena *a = arena_open("retimed program");
    struct record r;
    struct candidate c;
    struct store_retiming *had;
    int n;
    struct store_retiming f = {
        .trial = w->trial, .launch = number, .regime = regime, .unix_s = env->is_virtual ? 0 : clock_unix()};
    bool fine = store_retimings(env->store, a, w->trial, &had, &n, err);
    if (fine && n <= number) {
        progress_at(at, "launch %d of %d", number + 1, env->plan->launches);
        fine = store_record(env->store, a, w->trial, &r, err) && record_candidate(a, &r, w->task, &c, err) &&
               measure_again(env->measurer, &c, &env->plan->retime_regime, &f.sample, err) &&
               store_retiming_put(env->store, &f, err);
    }
    arena_close(a);
    return fine;
}

static bool has_collectors(const struct cell_env *env)
{
    return !env->is_virtual && env->registry->collectors && env->registry->collectors[0];
}

/* What a killed campaign has counted is not counted again. */
bool retime_count(const struct cell_env *env, int64_t trial, const struct task *task, struct err *err)
{
    if (!has_collectors(env))
        return true;
    struct arena *a = arena_open("retimed program");
    struct counter *had;
    struct counter_list out;
    struct record r;
    struct candidate c;
    struct sample s;
    int n;
    bool fine = store_counters(env->store, a, trial, &had, &n, err);
    if (fine && n == 0)
        fine = store_record(env->store, a, trial, &r, err) && record_candidate(a, &r, task, &c, err) &&
               measure_count(env->measurer, &c, &env->plan->retime_regime, &out, &s, err) &&
               store_counters_put(env->store, trial, out.at, out.n, err);
    arena_close(a);
    return fine;
}

bool retime_run(const struct cell_env *env, struct err *err)
{
    if (env->plan->launches < 1)
        return true;
    struct arena *a = arena_open("retimed programs");
    struct programs w = {0};
    struct text regime = {0};
    setting_print(regime_settings, &env->plan->retime_regime, &regime);
    bool fine = collect(env, a, &w, err);
    int timed = w.all.n * env->plan->launches, counted = has_collectors(env) ? w.all.n : 0;
    if (fine && timed)
        progress_begin("re-timing", timed + counted);
    struct run_order_turn *turns = ARENA_ARRAY(a, struct run_order_turn, timed + 1);
    run_order_of(env->plan->launches, w.all.n, env->plan->input_seed, turns);
    for (int i = 0; fine && i < timed; i++) {
        fine = launch(env, &w.all.at[turns[i].arm], turns[i].block, i, text_str(&regime), err) &&
               interrupt_not_asked(err, "in the re-timing");
    }
    for (int i = 0; fine && i < counted; i++) {
        progress_at(timed + i, "counters");
        fine =
            retime_count(env, w.all.at[i].trial, w.all.at[i].task, err) && interrupt_not_asked(err, "in the re-timing");
    }
    progress_end();
    text_free(&regime);
    vec_free(&w.all);
    arena_close(a);
    return fine;
}

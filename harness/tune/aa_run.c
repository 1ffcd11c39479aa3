/* SPDX-License-Identifier: Apache-2.0 */
/* aa_run: chooses the programs, once, and times them. A program that fails in a stage is a reading without a time,
 * which the report counts. */
#include "harness/tune/aa_run.h"

#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/record/retiming.h"
#include "harness/stats/run_order.h"
#include "harness/tune/forecast.h"
#include "harness/tune/interrupt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Distinct kernels of a plan, the lightest first; of equal ones the first named. */
struct kernels {
    const struct plan_task **at;
    int n;
};

static int by_flops(const void *x, const void *y)
{
    const struct task *a = (*(const struct plan_task *const *)x)->task,
                      *b = (*(const struct plan_task *const *)y)->task;
    if (a->flops != b->flops)
        return a->flops < b->flops ? -1 : 1;
    return strcmp(a->spec, b->spec);
}

/* Cells of one network share its list. */
static bool seen_before(const struct plan *p, int cell)
{
    for (int i = 0; i < cell; i++)
        if (p->cells[i].tasks == p->cells[cell].tasks)
            return true;
    return false;
}

static struct kernels distinct(struct arena *a, const struct plan *p)
{
    struct kernels out = {0};
    int most = 0;
    for (int i = 0; i < p->ncells; i++)
        most += p->cells[i].ntasks;
    out.at = ARENA_ARRAY(a, const struct plan_task *, most + 1);
    for (int i = 0; i < p->ncells; i++)
        for (int t = 0; t < p->cells[i].ntasks && !seen_before(p, i); t++) {
            bool known = false;
            for (int k = 0; k < out.n && !known; k++)
                known = str_eq(out.at[k]->task->spec, p->cells[i].tasks[t].task->spec);
            if (!known)
                out.at[out.n++] = &p->cells[i].tasks[t];
        }
    qsort((void *)out.at, (size_t)out.n, sizeof *out.at, by_flops);
    return out;
}

/* Expected seconds of the slowest cell's mean reading. */
static double reading_s(const struct plan *p)
{
    double s = 1e-9;
    for (int i = 0; i < p->ncells; i++)
        s = fmax(s, forecast_reading(&p->cells[i], &p->retime_regime));
    return s;
}

static int kernels_of(const struct plan *p)
{
    struct arena *a = arena_open("kernels");
    int n = distinct(a, p).n;
    arena_close(a);
    return n;
}

static int between(double v, int least, int most)
{
    return v < least ? least : v > most ? most : (int)v;
}

static int blocks_least(const struct plan *p)
{
    return p->launches < AA_LAUNCHES ? p->launches : AA_LAUNCHES;
}

int aa_run_programs(const struct plan *p)
{
    int kernels = kernels_of(p), most = kernels < AA_RUN_PROGRAMS ? kernels : AA_RUN_PROGRAMS;
    int least = most < AA_RUN_LEAST ? most : AA_RUN_LEAST;
    return p->launches < 1 ? 0 : between(AA_RUN_S / (AA_ARMS * blocks_least(p) * reading_s(p)), least, most);
}

int aa_run_launches(const struct plan *p)
{
    int twins = aa_run_programs(p), most = twins ? kernels_of(p) * p->launches / twins : 0;
    return twins ? between(AA_RUN_S / (AA_ARMS * twins * reading_s(p)), blocks_least(p),
                           most < AA_LAUNCHES ? most : AA_LAUNCHES)
                 : 0;
}

/* Choosing ------------------------------------------------------------------------------------------------------ */

static const struct searcher *drawer(const struct cell_env *env)
{
    struct err ignored = {0};
    const struct searcher *s = registry_searcher(env->registry, "random", &ignored);
    return s && !s->needs_model && !s->needs_seed ? s : NULL;
}

static bool draw(const struct cell_env *env, const struct searcher *plug, struct arena *a, const struct task *task,
                 struct candidate *out, int *n, struct err *err)
{
    void *options = arena_alloc(a, plug->options_size + 1), *self = arena_alloc(a, plug->state_size + 1);
    struct phases unbooked;
    struct searcher_env to = {.options = options,
                              .task = task,
                              .limits = env->limits,
                              .pool = env->pool,
                              .phases = &unbooked,
                              .parallel_builds = measure_build_workers(env->measurer),
                              .trials = AA_RUN_DRAWS};
    phases_start(&unbooked);
    setting_defaults(plug->settings, options);
    rng_seed(&to.rng, hash_mix(hash_str(task->spec), env->plan->input_seed));
    *n = 0;
    bool fine = plug->open(self, &to, err);
    fine = fine && plug->ask(self, a, AA_RUN_DRAWS, out, n, err);
    plug->close(self);
    return fine;
}

/* One call of each draw; the fastest that works, -1: none. */
static bool fastest(const struct cell_env *env, const struct candidate *c, int n, int *best, struct err *err)
{
    struct regime once = env->plan->retime_regime;
    double least = INFINITY;
    once.number = once.repeat = 1;
    once.min_repeat_ms = once.cooldown_ms = 0;
    *best = -1;
    for (int i = 0; i < n; i++) {
        struct sample s;
        if (!measure_again(env->measurer, &c[i], &once, &s, err))
            return false;
        if (s.outcome == OUTCOME_OK && sample_mean(&s) < least) {
            least = sample_mean(&s);
            *best = i;
        }
    }
    return true;
}

static bool choose_one(const struct cell_env *env, const struct searcher *plug, struct arena *a,
                       const struct plan_task *t, struct aa_program *out, int *n, struct err *err)
{
    struct candidate drawn[AA_RUN_DRAWS];
    struct text steps = {0};
    int ndrawn, best;
    if (!draw(env, plug, a, t->task, drawn, &ndrawn, err) || !fastest(env, drawn, ndrawn, &best, err))
        return false;
    if (best < 0)
        return true;
    steps_print(drawn[best].steps, drawn[best].nsteps, &steps);
    out[(*n)++] = (struct aa_program){.spec = t->task->spec,
                                      .name = t->name ? t->name : t->task->name,
                                      .steps = arena_str(a, text_str(&steps)),
                                      .hash = drawn[best].hash};
    text_free(&steps);
    return true;
}

static const char where[] = "while the A/A floor was measured";

/* The twins of the records, chosen now when there are none. */
static bool choose(const struct cell_env *env, struct arena *a, struct aa_program **twins, int *n, struct err *err)
{
    const struct searcher *plug = drawer(env);
    int most = aa_run_programs(env->plan);
    if (!aa_programs_get(env->store, a, twins, n, err))
        return false;
    if (*n > 0 || !plug)
        return true;
    struct kernels all = distinct(a, env->plan);
    progress_begin("A/A programs", most);
    bool fine = true;
    for (int i = 0; fine && i < most; i++) {
        progress_at(i, "choosing");
        fine = choose_one(env, plug, a, all.at[(2 * i + 1) * all.n / (2 * most)], *twins, n, err) &&
               interrupt_not_asked(err, where);
    }
    progress_end();
    return fine && aa_programs_put(env->store, *twins, *n, err);
}

/* Timing -------------------------------------------------------------------------------------------------------- */

struct act {
    const struct cell_env *env;
    enum aa_stage stage;
    struct arena *a;
    struct aa_program *twins;
    struct task **tasks;
    int n;
    const struct aa_reading *had;
    int nhad;
    const char *regime;
    double peak;
};

static bool has_reading(const struct act *s, int twin, int arm, int launch)
{
    for (int i = 0; i < s->nhad; i++)
        if (s->had[i].program == twin && s->had[i].arm == arm && s->had[i].launch == launch)
            return true;
    return false;
}

static bool read_one(struct act *s, int twin, int arm, int launch, struct err *err)
{
    const struct cell_env *env = s->env;
    struct aa_reading r = {.program = twin, .arm = arm, .launch = launch, .regime = s->regime};
    struct candidate c;
    if (has_reading(s, twin, arm, launch))
        return true;
    r.unix_s = env->is_virtual ? 0 : clock_unix();
    return aa_candidate(s->a, &s->twins[twin], s->tasks[twin], &c, err) &&
           measure_again(env->measurer, &c, &env->plan->retime_regime, &r.sample, err) &&
           aa_reading_put(env->store, s->stage, &r, err);
}

/* Every launch is a block that holds each twin twice. The machine's peak is taken at the start of each block and at the
 * end: the highest is the stage's, since others on the machine can only lower it. */
static bool read_all(struct act *s, struct err *err)
{
    const struct plan *p = s->env->plan;
    int launches = aa_run_launches(p), each = AA_ARMS * s->n, block = -1;
    struct run_order_turn *turns = ARENA_ARRAY(s->a, struct run_order_turn, launches * each + 1);
    bool fine = true;
    run_order_of(launches, each, hash_mix(p->input_seed, (uint64_t)s->stage + 101), turns);
    progress_begin(s->stage == AA_BEFORE ? "A/A floor before" : "A/A floor after", launches * each);
    for (int i = 0; fine && i < launches * each; i++) {
        progress_at(i, "launch %d of %d", turns[i].block + 1, launches);
        if (turns[i].block != block)
            s->peak = fmax(s->peak, measure_peak_flops(s->env->measurer));
        block = turns[i].block;
        fine =
            read_one(s, turns[i].arm / AA_ARMS, turns[i].arm % AA_ARMS, block, err) && interrupt_not_asked(err, where);
    }
    progress_end();
    s->peak = fmax(s->peak, measure_peak_flops(s->env->measurer));
    return fine;
}

static bool run_stage(struct act *s, struct err *err)
{
    struct aa_reading *had;
    s->tasks = ARENA_ARRAY(s->a, struct task *, s->n + 1);
    for (int i = 0; i < s->n; i++)
        if (!task_parse(s->a, s->twins[i].spec, &s->tasks[i], err))
            return err_context(err, "twin '%s'", s->twins[i].name);
    if (!aa_readings(s->env->store, s->a, s->stage, &had, &s->nhad, err))
        return false;
    s->had = had;
    return read_all(s, err) &&
           aa_stage_put(s->env->store, s->stage, s->peak, s->env->is_virtual ? 0 : clock_unix(), err);
}

static bool shot(const struct cell_env *env, struct arena *a, bool *out, struct err *err)
{
    const struct retimed_program *finals;
    int n;
    if (!retimed_programs(env->store, a, &finals, &n, err))
        return false;
    *out = n > 0;
    return true;
}

bool aa_run(const struct cell_env *env, enum aa_stage stage, struct err *err)
{
    if (env->plan->launches < 1)
        return true;
    struct arena *a = arena_open("rehearsal");
    struct act s = {.env = env, .stage = stage, .a = a};
    struct text regime = {0};
    struct aa_done done;
    bool begun = false;
    setting_print(regime_settings, &env->plan->retime_regime, &regime);
    s.regime = text_str(&regime);
    bool fine = aa_stage_get(env->store, stage, &done, err) && shot(env, a, &begun, err);
    if (fine && !done.done && (stage == AA_AFTER || !begun))
        fine = choose(env, a, &s.twins, &s.n, err) && (s.n == 0 || run_stage(&s, err));
    text_free(&regime);
    arena_close(a);
    return fine;
}

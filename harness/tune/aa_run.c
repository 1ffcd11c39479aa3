/* SPDX-License-Identifier: Apache-2.0 */
/* aa_run: chooses the programs, once, and times them. A program that fails in a stage is a reading without a time,
 * which the report counts. */
#include "harness/tune/aa_run.h"

#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/record/retiming.h"
#include "harness/stats/run_order.h"
#include "harness/tune/aa_size.h"
#include "harness/tune/interrupt.h"

#include <math.h>

/* Choosing ------------------------------------------------------------------------------------------------------ */

static const struct searcher *random_searcher(const struct cell_env *env)
{
    struct err ignored = {0};
    const struct searcher *s = registry_searcher(env->registry, "random", &ignored);
    return s && !s->needs_model && !s->needs_seed ? s : NULL;
}

static bool draw(const struct cell_env *env, const struct searcher *plug, struct arena *a, const struct task *task,
                 struct candidate *out, int *n, struct err *err)
{
    void *options, *self = arena_alloc(a, plug->state_size + 1);
    struct phases unused;
    *n = 0;
    if (!setting_options(a, plug->settings, plug->options_size, NULL, &options, err))
        return false;
    struct searcher_env to = {.options = options,
                              .task = task,
                              .limits = env->limits,
                              .pool = env->pool,
                              .phases = &unused,
                              .parallel_builds = measure_build_workers(env->measurer),
                              .trials = AA_SIZE_DRAWS};
    phases_start(&unused);
    rng_seed(&to.rng, hash_mix(hash_str(task->spec), env->plan->input_seed));
    bool fine = plug->open(self, &to, err);
    fine = fine && plug->ask(self, a, AA_SIZE_DRAWS, out, n, err);
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
    struct candidate drawn[AA_SIZE_DRAWS];
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

static const char WHERE[] = "in the A/A test";

/* The programs on record, chosen now when there are none. */
static bool choose(const struct cell_env *env, struct arena *a, struct aa_program **programs, int *n, struct err *err)
{
    const struct searcher *plug = random_searcher(env);
    int most = aa_size_of(env->plan).programs;
    if (!aa_programs_get(env->store, a, programs, n, err))
        return false;
    if (*n > 0 || !plug)
        return true;
    struct aa_kernels all = aa_kernels_of(a, env->plan);
    progress_begin("A/A programs", most);
    bool fine = true;
    for (int i = 0; fine && i < most; i++) {
        progress_at(i, "choosing");
        fine = choose_one(env, plug, a, all.at[(2 * i + 1) * all.n / (2 * most)], *programs, n, err) &&
               interrupt_not_asked(err, WHERE);
    }
    progress_end();
    return fine && aa_programs_put(env->store, *programs, *n, err);
}

/* Timing -------------------------------------------------------------------------------------------------------- */

struct stage_run {
    const struct cell_env *env;
    enum aa_stage stage;
    struct arena *a;
    struct aa_program *programs;
    struct task **tasks; /* of the programs */
    int n;
    const struct aa_reading *had; /* what is on record of the stage */
    int nhad;
    const char *regime;
    double peak;
};

static bool has_reading(const struct stage_run *s, int program, int arm, int launch)
{
    for (int i = 0; i < s->nhad; i++)
        if (s->had[i].program == program && s->had[i].arm == arm && s->had[i].launch == launch)
            return true;
    return false;
}

static bool read_one(struct stage_run *s, int program, int arm, int launch, struct err *err)
{
    const struct cell_env *env = s->env;
    struct aa_reading r = {.program = program, .arm = arm, .launch = launch, .regime = s->regime};
    struct candidate c;
    if (has_reading(s, program, arm, launch))
        return true;
    r.unix_s = env->is_virtual ? 0 : clock_unix();
    return aa_candidate(s->a, &s->programs[program], s->tasks[program], &c, err) &&
           measure_again(env->measurer, &c, &env->plan->retime_regime, &r.sample, err) &&
           aa_reading_put(env->store, s->stage, &r, err);
}

/* Every launch holds each program twice. The machine's peak is taken at the start of each launch and at the end: the
 * highest is the stage's, since others on the machine can only lower it. */
static bool read_all(struct stage_run *s, struct err *err)
{
    const struct plan *p = s->env->plan;
    int launches = aa_size_of(p).launches, each = AA_ARMS * s->n, launch = -1;
    struct run_order_turn *turns = ARENA_ARRAY(s->a, struct run_order_turn, launches * each + 1);
    bool fine = true;
    run_order_of(launches, each, hash_mix(p->input_seed, (uint64_t)s->stage + 101), turns);
    progress_begin(s->stage == AA_BEFORE ? "A/A test before" : "A/A test after", launches * each);
    for (int i = 0; fine && i < launches * each; i++) {
        progress_at(i, "launch %d of %d", turns[i].block + 1, launches);
        if (turns[i].block != launch)
            s->peak = fmax(s->peak, measure_peak_flops(s->env->measurer));
        launch = turns[i].block;
        fine =
            read_one(s, turns[i].arm / AA_ARMS, turns[i].arm % AA_ARMS, launch, err) && interrupt_not_asked(err, WHERE);
    }
    progress_end();
    s->peak = fmax(s->peak, measure_peak_flops(s->env->measurer));
    return fine;
}

static bool run_stage(struct stage_run *s, struct err *err)
{
    struct aa_reading *had;
    s->tasks = ARENA_ARRAY(s->a, struct task *, s->n + 1);
    for (int i = 0; i < s->n; i++)
        if (!task_parse(s->a, s->programs[i].spec, &s->tasks[i], err))
            return err_context(err, "A/A program '%s'", s->programs[i].name);
    if (!aa_readings(s->env->store, s->a, s->stage, &had, &s->nhad, err))
        return false;
    s->had = had;
    return read_all(s, err) &&
           aa_stage_put(s->env->store, s->stage, s->peak, s->env->is_virtual ? 0 : clock_unix(), err);
}

static bool retiming_begun(const struct cell_env *env, struct arena *a, bool *begun, struct err *err)
{
    const struct retimed_program *programs;
    int n;
    if (!retimed_programs(env->store, a, &programs, &n, err))
        return false;
    *begun = n > 0;
    return true;
}

bool aa_run(const struct cell_env *env, enum aa_stage stage, struct err *err)
{
    if (env->plan->launches < 1)
        return true;
    struct arena *a = arena_open("A/A test");
    struct stage_run s = {.env = env, .stage = stage, .a = a};
    struct text regime = {0};
    struct aa_done done;
    bool begun = false;
    setting_print(regime_settings, &env->plan->retime_regime, &regime);
    s.regime = text_str(&regime);
    bool fine = aa_stage_get(env->store, stage, &done, err) && retiming_begun(env, a, &begun, err);
    if (fine && !done.done && (stage == AA_AFTER || !begun))
        fine = choose(env, a, &s.programs, &s.n, err) && (s.n == 0 || run_stage(&s, err));
    text_free(&regime);
    arena_close(a);
    return fine;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/collect.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/cli/replay.h"
#include "harness/plug/recording_write.h"
#include "harness/program/lower/bound.h"
#include "harness/tune/interrupt.h"

#include <math.h>
#include <string.h>

enum { ROUND = 64 };

struct collector_run {
    const struct collect_options *o;
    struct arena *life, *round;
    struct measurer *m;
    struct recording_writer *w;
    struct recording before; /* what an earlier run left */
    struct phases phases;
    struct model_env model_env, draft_env;
    struct model_use model, draft;
    struct collect_sums *sums;
    int next; /* row of before that is told next */
};
struct kernel_run { /* of one kernel */
    struct collector_run *run;
    int task;
    struct searcher_env env;
    void *self;
    const struct candidate *c; /* of the round at hand */
    struct sample samples[ROUND];
    struct err *err;
    bool written;
};

static uint64_t stream(const struct collector_run *r, int task, int64_t round, const char *purpose)
{
    uint64_t seed = hash_mix((uint64_t)r->o->seed, hash_str(purpose));
    return hash_mix(hash_mix(seed, (uint64_t)task + 1), (uint64_t)round);
}

/* Opening -------------------------------------------------------------------------------------------------------- */

/* How many rows of an earlier run stay: those of complete rounds. A round ends where the kernel does. */
static int complete_rows(const struct recording *r)
{
    int done = 0, in_task = 0;
    for (int i = 0; i < r->n; i++) {
        if (i > 0 && r->rows[i].task != r->rows[i - 1].task) {
            done = i;
            in_task = 0;
        }
        in_task++;
        bool last = r->head.per_task > 0 && in_task == r->head.per_task;
        done = in_task % ROUND == 0 || last ? i + 1 : done;
    }
    return done;
}

static bool open_file(struct collector_run *r, struct limits limits, struct err *err)
{
    const struct collect_options *o = r->o;
    struct recording_head head = o->head;
    int keep = 0;
    head.limits = limits;
    bool there = file_exists(o->output);
    if (o->resume && there && recording_is_begun(o->output)) {
        if (!recording_read(r->life, o->output, true, &r->before, err))
            return r->before.head.ntasks > 0 && err_context(err, "cannot go on, unless cut before the damaged line");
        if (!recording_same_head(&r->before.head, &head, err))
            return err_context(err, "cannot go on with '%s'", o->output);
        r->before.n = r->before.whole ? r->before.n : complete_rows(&r->before);
        keep = r->before.n;
    } else if (there && !o->resume) {
        return err_set(err, "'%s' is there: --resume goes on with it, or give another --output", o->output);
    }
    return r->before.whole || recording_create(o->output, &head, keep, &r->w, err);
}

/* m NULL: none. env: its limits are set. */
static bool open_model(struct collector_run *r, const struct model *m, const char *settings, struct model_env *env,
                       struct model_use *out, struct err *err)
{
    void *options;
    if (!m)
        return true;
    if (!setting_options(r->life, m->settings, m->options_size, settings, &options, err))
        return err_context(err, "model '%s'", m->name);
    env->options = options;
    env->phases = &r->phases;
    env->warmup = r->o->head.ntasks * ROUND;
    rng_seed(&env->rng, stream(r, -1, 0, "open"));
    void *self = arena_alloc(r->life, m->state_size ? m->state_size : 1);
    if (!m->open(self, env, err))
        return err_context(err, "model '%s'", m->name);
    *out = (struct model_use){.plug = m, .self = self};
    return true;
}

static bool open_models(struct collector_run *r, struct limits limits, struct err *err)
{
    r->model_env.limits = r->draft_env.limits = limits;
    return open_model(r, r->o->model, "", &r->model_env, &r->model, err) &&
           open_model(r, r->o->draft, r->o->draft_settings, &r->draft_env, &r->draft, err);
}

/* One kernel ----------------------------------------------------------------------------------------------------- */

static bool tell_model(struct collector_run *r, const struct candidate *c, const struct sample *s, int n, bool fit,
                       struct err *err)
{
    const struct model *m = r->model.plug;
    return !m || (m->tell(r->model.self, c, s, n, err) && (!fit || m->fit(r->model.self, err)));
}

/* The rows that an earlier run left of this kernel, round by round; how many into *n. */
static bool tell_again(struct kernel_run *k, int64_t *n, struct err *err)
{
    struct collector_run *r = k->run;
    const struct task *task = r->o->tasks[k->task];
    for (*n = 0; r->next < r->before.n && r->before.rows[r->next].task == k->task;) {
        struct candidate c[ROUND];
        int m = 0;
        arena_reset(r->round);
        for (; m < ROUND && r->next < r->before.n && r->before.rows[r->next].task == k->task; m++, r->next++) {
            const struct recorded *row = &r->before.rows[r->next];
            struct state *s;
            if (!state_replay(r->round, task, row->steps, row->nsteps, &s, err) || !bound_infer(s, err))
                return err_context(err, "%s:%d", r->o->output, row->line);
            c[m] = (struct candidate){
                .task = task, .steps = row->steps, .nsteps = row->nsteps, .hash = state_hash(s), .score = NAN};
            recorded_sample(row, &k->samples[m]);
            r->sums->ok += row->outcome == OUTCOME_OK;
        }
        *n += m;
        rng_seed(&k->env.rng, stream(r, k->task, *n, "tell"));
        rng_seed(&r->model_env.rng, stream(r, k->task, *n - m, "fit"));
        if (!r->o->searcher->tell(k->self, c, k->samples, m, err) ||
            !tell_model(r, c, k->samples, m, r->next == r->before.n, err))
            return false;
    }
    r->sums->rows += (int)*n;
    r->sums->kept += (int)*n;
    return true;
}

static bool measured(void *ctx, int i, const struct sample *s)
{
    struct kernel_run *k = ctx;
    struct collector_run *r = k->run;
    k->written = recording_put(r->w, k->task, k->c[i].steps, k->c[i].nsteps, s, k->err);
    r->sums->rows++;
    r->sums->ok += s->outcome == OUTCOME_OK;
    progress_at(r->sums->rows, "kernel %d of %d, %d right", k->task + 1, r->o->head.ntasks, r->sums->ok);
    return k->written && !interrupt_asked();
}

/* One round; *n candidates, 0: the search has ended. */
static bool one_round(struct kernel_run *k, int64_t done, int *n, struct err *err)
{
    struct collector_run *r = k->run;
    int64_t left = r->o->head.per_task - done;
    struct candidate c[ROUND];
    arena_reset(r->round);
    rng_seed(&k->env.rng, stream(r, k->task, done, "ask"));
    rng_seed(&r->model_env.rng, stream(r, k->task, done, "score"));
    if (!r->o->searcher->ask(k->self, r->round, left < ROUND ? (int)left : ROUND, c, n, err))
        return err_context(err, "searcher '%s'", r->o->searcher->name);
    k->c = c;
    k->err = err;
    k->written = true;
    struct measured_batch b = {
        .candidates = c, .samples = k->samples, .n = *n, .done = measured, .ctx = k, .phases = &r->phases};
    if (*n == 0)
        return true;
    bool fine = measure_batch(r->m, &b, err);
    if (!k->written)
        return err_context(err, "what was measured is kept, and --resume goes on");
    if (!fine || !interrupt_not_asked(err, "while collecting"))
        return false;
    rng_seed(&k->env.rng, stream(r, k->task, done + *n, "tell"));
    rng_seed(&r->model_env.rng, stream(r, k->task, done, "fit"));
    return r->o->searcher->tell(k->self, c, k->samples, *n, err) && tell_model(r, c, k->samples, *n, true, err);
}

static bool run_kernel(struct collector_run *r, int task, struct limits limits, struct err *err)
{
    const struct searcher *plug = r->o->searcher;
    struct arena *a = arena_open("kernel");
    struct kernel_run *k = ARENA_NEW(a, struct kernel_run);
    void *options;
    int64_t done = 0;
    int n = 1;
    *k = (struct kernel_run){.run = r, .task = task, .self = arena_alloc(a, plug->state_size)};
    bool fine = setting_options(a, plug->settings, plug->options_size, r->o->searcher_settings, &options, err);
    k->env = (struct searcher_env){.options = options,
                                   .arena = a,
                                   .task = r->o->tasks[task],
                                   .limits = limits,
                                   .model = r->model,
                                   .draft = r->draft,
                                   .phases = &r->phases,
                                   .parallel_builds = measure_build_workers(r->m),
                                   .trials = (int)r->o->head.per_task};
    rng_seed(&k->env.rng, stream(r, task, 0, "open"));
    fine = fine && plug->open(k->self, &k->env, err) && tell_again(k, &done, err);
    while (fine && n > 0 && done < r->o->head.per_task) {
        fine = one_round(k, done, &n, err);
        done += n;
    }
    arena_close(a);
    return fine || err_context(err, "kernel '%s'", r->o->tasks[task]->name);
}

/* All -------------------------------------------------------------------------------------------------------------*/

static bool run_kernels(struct collector_run *r, struct limits limits, struct err *err)
{
    const struct collect_options *o = r->o;
    char left[64];
    int64_t n = o->head.per_task * o->head.ntasks;
    bool fine = true;
    replay_foretell(&o->regime, o->target->is_virtual, (double)n, left);
    log_info("collect: %lld candidates of %d kernels into %s: about %s", (long long)n, o->head.ntasks, o->output, left);
    interrupt_install();
    progress_begin("collect", (double)n);
    for (int i = 0; i < o->head.ntasks && fine; i++)
        fine = run_kernel(r, i, limits, err);
    progress_end();
    interrupt_restore();
    return fine && recording_finish(r->w, err);
}

bool collect_measure(const struct collect_options *o, struct collect_sums *sums, struct err *err)
{
    struct limits limits;
    *sums = (struct collect_sums){0};
    struct measure_options mo = {.target = o->target,
                                 .target_settings = o->target_settings,
                                 .regime = o->regime,
                                 .threads = o->threads,
                                 .layout = (enum layout_mode)o->layout,
                                 .seed = (uint64_t)o->seed,
                                 .faults = ""};
    struct arena *a = arena_open("collect");
    struct collector_run *r = ARENA_NEW(a, struct collector_run);
    *r = (struct collector_run){.o = o, .life = a, .round = arena_open("round"), .sums = sums};
    bool fine = measure_open(&mo, &r->m, &limits, err); /* forks, so it is first */
    if (!fine)
        err->code = EXIT_INVALID;
    phases_start(&r->phases);
    fine = fine && open_models(r, limits, err) && open_file(r, limits, err);
    if (fine && r->before.whole) {
        log_info("collect: %s is whole", o->output);
        sums->rows = sums->kept = r->before.n;
        for (int i = 0; i < r->before.n; i++)
            sums->ok += r->before.rows[i].outcome == OUTCOME_OK;
    } else {
        fine = fine && run_kernels(r, limits, err);
    }
    recording_close(r->w);
    if (r->model.plug)
        r->model.plug->close(r->model.self);
    if (r->draft.plug)
        r->draft.plug->close(r->draft.self);
    measure_close(r->m);
    arena_close(r->round);
    arena_close(a);
    return fine;
}

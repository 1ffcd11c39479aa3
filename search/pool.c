/* SPDX-License-Identifier: Apache-2.0 */
/* pool: chooses among the programs of a recording (harness/plug/recording.h), the best by the cost model first, as
 * studies on recorded data do: what a model is worth in a search where only the recorded programs have a time. A share
 * of each batch is drawn at random (eps), as Ansor's. With model random it is a random search of the pool. Programs
 * that failed are in the pool, too. When all have been asked for, the search has ended. */
#include "harness/base/log.h"
#include "harness/plug/recording.h"
#include "harness/plug/searcher.h"
#include "harness/program/lower/bound.h"
#include "harness/stats/rank.h"
#include "search/evolution/measured_set.h"

struct pool_options {
    const char *recording;
    double eps;
    bool partial;
};
static const struct setting settings[] = {
    STRING_SETTING("recording", struct pool_options, recording, "", "the file that holds the programs", .content = true,
                   .movable = true),
    REAL_SETTING("eps", struct pool_options, eps, "0.05", 0, 1, "share of a batch that is drawn at random"),
    BOOL_SETTING("partial", struct pool_options, partial, "false",
                 "a kernel that the recording lacks is passed over; else it is a mistake"),
    {0},
};

enum { CHUNK = 64 };
struct pool_program { /* one program */
    const struct recorded *row;
    uint64_t hash;
};
struct pool_search {
    struct measured_set measured; /* first: measured_set_told */
    struct searcher_env *env;
    const struct pool_options *options;
    struct arena *scratch;
    struct recording recording;
    struct pool_program *programs;
    int n;
};

/* The task's programs, each once. */
static void read_programs(struct pool_search *p, int task)
{
    struct map known = {0};
    p->programs = ARENA_ARRAY(p->env->arena, struct pool_program, p->recording.n + 1);
    for (int i = 0; i < p->recording.n; i++) {
        const struct recorded *r = &p->recording.rows[i];
        struct state *s;
        struct err ignored;
        if (r->task != task)
            continue;
        arena_reset(p->scratch);
        if (state_replay(p->scratch, p->env->task, r->steps, r->nsteps, &s, &ignored) && bound_infer(s, &ignored) &&
            map_put(&known, state_hash(s), 0))
            p->programs[p->n++] = (struct pool_program){r, state_hash(s)};
    }
    map_free(&known);
}

static bool pool_open_search(void *self, struct searcher_env *env, struct err *err)
{
    struct pool_search *p = self;
    *p = (struct pool_search){.env = env, .options = env->options};
    if (!p->options->recording[0])
        return err_set(err, "searcher 'pool' needs a recording: setting recording=FILE");
    p->scratch = arena_within(env->arena, "pool state");
    measured_set_open(&p->measured, env->arena, 0);
    if (!recording_read(env->arena, p->options->recording, false, &p->recording, err))
        return false;
    int task = recording_task(&p->recording, env->task->spec);
    if (task < 0 && p->options->partial)
        log_info("%s has no program of kernel '%s'", p->options->recording, env->task->name);
    else if (task < 0)
        return err_set(err, "%s is of another task set: it has no kernel '%s'", p->options->recording, env->task->name);
    read_programs(p, task);
    return true;
}

/* Numbers of the programs that were not measured yet. */
static int left_of(const struct pool_search *p, int *left)
{
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (!measured_set_knows(&p->measured, p->programs[i].hash))
            left[n++] = i;
    return n;
}

static bool score(struct pool_search *p, const int *left, int n, double *scores, struct err *err)
{
    const struct model_use *m = &p->env->model;
    struct state *states[CHUNK];
    for (int at = 0; at < n; at += CHUNK) {
        int size = n - at < CHUNK ? n - at : CHUNK;
        arena_reset(p->scratch);
        for (int i = 0; i < size; i++) {
            const struct recorded *r = p->programs[left[at + i]].row;
            if (!state_replay(p->scratch, p->env->task, r->steps, r->nsteps, &states[i], err) ||
                !bound_infer(states[i], err))
                return false;
        }
        if (!m->plug->score(m->self, p->env->task, states, size, scores + at, err))
            return err_context(err, "model '%s'", m->plug->name);
    }
    return true;
}

static bool pool_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct pool_search *p = self;
    int *left = ARENA_ARRAY(a, int, p->n + 1), *order = ARENA_ARRAY(a, int, p->n + 1);
    int nleft = left_of(p, left), random = (int)(p->options->eps * max);
    double *scores = ARENA_ARRAY(a, double, p->n + 1);
    *n = 0;
    if (max <= 0 || nleft == 0)
        return true;
    if (!score(p, left, nleft, scores, err))
        return false;
    rank_order(scores, nleft, true, order);
    int size = nleft < max ? nleft : max;
    for (int i = size - random > 0 ? size - random : 0; i < size; i++) { /* each of the rest is as likely */
        int k = i + (int)rng_below(&p->env->rng, (uint64_t)(nleft - i)), other = order[i];
        order[i] = order[k];
        order[k] = other;
    }
    for (; *n < size; (*n)++) {
        const struct pool_program *q = &p->programs[left[order[*n]]];
        out[*n] = (struct candidate){.task = p->env->task,
                                     .steps = steps_copy(a, q->row->steps, q->row->nsteps),
                                     .nsteps = q->row->nsteps,
                                     .hash = q->hash,
                                     .score = scores[order[*n]]};
    }
    return true;
}

const struct searcher searcher_pool = {
    .name = "pool",
    .summary = "the programs of a recording, best by the model first",
    .settings = settings,
    .options_size = sizeof(struct pool_options),
    .state_size = sizeof(struct pool_search),
    .needs_model = true,
    .open = pool_open_search,
    .ask = pool_ask,
    .tell = measured_set_told,
};

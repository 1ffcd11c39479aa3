/* SPDX-License-Identifier: Apache-2.0 */
/* example_batch: each thread has a scratch arena emptied after every program, and one that holds the rows until the
 * next call. They are put side by side for those only who ask: networks are given some programs at a time, see
 * learner.c. */
#include "models/example_batch.h"

#include "harness/base/clock.h"
#include "harness/program/lower/lower.h"
#include "models/dag_flags.h"

#include <stdlib.h>
#include <string.h>

struct example_thread { /* one thread's own */
    struct arena *scratch, *rows;
    struct dataflow *dataflow;
    double lower_s, features_s;
    char pad[64]; /* threads write the seconds: keep them off one cache line */
};
struct example_batch {
    const struct example_form *form;
    struct model_env *env;
    int nthreads;
    struct example_thread *threads;
    struct dag_flags *flags;
    struct arena *round; /* what one call gives out */
    struct state *const *states;
    const struct candidate *candidates;
    const float **flags_of; /* per program */
    struct example_inputs *found;
    bool *none;
};

struct example_batch *example_batch_open(const struct example_form *form, struct model_env *env)
{
    struct example_batch *b = calloc(1, sizeof *b);
    if (!b)
        bug("out of memory");
    *b = (struct example_batch){.form = form, .env = env, .nthreads = pool_threads(env->pool)};
    b->threads = calloc((size_t)b->nthreads, sizeof *b->threads);
    if (!b->threads)
        bug("out of memory");
    b->round = arena_open("example batch");
    b->flags = dag_flags_open();
    for (int i = 0; i < b->nthreads; i++) {
        b->threads[i].scratch = arena_open("lower");
        b->threads[i].rows = arena_open("examples");
        b->threads[i].dataflow = dataflow_open();
    }
    return b;
}

void example_batch_close(struct example_batch *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->nthreads; i++) {
        arena_close(b->threads[i].scratch);
        arena_close(b->threads[i].rows);
        dataflow_close(b->threads[i].dataflow);
    }
    arena_close(b->round);
    dag_flags_close(b->flags);
    free(b->threads);
    free(b);
}

/* The nest if it is wanted. False: there is none. */
static bool lower_item(struct example_batch *b, int item, struct arena *a, const struct nest **nest)
{
    *nest = NULL;
    if (b->states && !b->states[item]->atoms)
        return false;
    if (!b->form->lowers)
        return true;
    if (b->states)
        return (*nest = lower_kept(a, b->states[item])) != NULL;
    const struct candidate *c = &b->candidates[item];
    struct nest *made;
    if (!lower_steps(a, c->task, c->steps, c->nsteps, LAYOUT_NONE, &made, NULL))
        return false;
    *nest = made;
    return true;
}

static void show_item(void *ctx, int item, int thread)
{
    struct example_batch *b = ctx;
    const struct example_form *form = b->form;
    struct example_thread *own = &b->threads[thread];
    struct example_inputs rows = {0};
    const struct nest *nest;
    double start = clock_now();
    bool fine = lower_item(b, item, own->scratch, &nest);
    double lowered = clock_now();
    struct example_source s = {.nest = nest,
                               .steps = b->states ? b->states[item]->steps : b->candidates[item].steps,
                               .nsteps = b->states ? b->states[item]->nsteps : b->candidates[item].nsteps,
                               .flags = b->flags_of[item],
                               .gpu = b->env->limits.is_gpu,
                               .dataflow = own->dataflow};
    fine = fine && form->show(own->scratch, &s, &rows);
    b->none[item] = !fine;
    for (int i = 0; i < form->inputs; i++) {
        size_t floats = (size_t)(fine ? rows.in[i].n : form->none[i]) * (size_t)form->width[i];
        float *at = ARENA_ARRAY(own->rows, float, floats + 1);
        if (fine)
            memcpy(at, rows.in[i].at, sizeof *at * floats);
        b->found[item].in[i] = (struct example_rows){fine ? rows.in[i].n : form->none[i], at};
    }
    arena_reset(own->scratch);
    own->lower_s += lowered - start;
    own->features_s += clock_now() - lowered;
}

static void book_phases(struct example_batch *b)
{
    double shares[PHASE_COUNT] = {0};
    for (int i = 0; i < b->nthreads; i++) {
        shares[PHASE_lower] += b->threads[i].lower_s;
        shares[PHASE_features] += b->threads[i].features_s;
        b->threads[i].lower_s = b->threads[i].features_s = 0;
    }
    phases_share(b->env->phases, PHASE_features, shares);
}

static struct example_matrix show_all(struct example_batch *b, int n)
{
    enum phase before = phases_enter(b->env->phases, PHASE_features);
    arena_reset(b->round);
    for (int i = 0; i < b->nthreads; i++)
        arena_reset(b->threads[i].rows);
    b->found = arena_alloc(b->round, sizeof *b->found * (size_t)(n + 1));
    b->none = ARENA_ARRAY(b->round, bool, n + 1);
    b->flags_of = ARENA_ARRAY(b->round, const float *, n + 1);
    for (int i = 0; i < n; i++)
        b->flags_of[i] = dag_flags_of(b->flags, b->states ? b->states[i]->task : b->candidates[i].task);
    pool_for(b->env->pool, n, show_item, b);
    book_phases(b);
    phases_enter(b->env->phases, before);
    return (struct example_matrix){.n = n, .shown = b->found, .none = b->none};
}

struct example_matrix example_batch_states(struct example_batch *b, struct state *const *states, int n)
{
    b->states = states;
    b->candidates = NULL;
    return show_all(b, n);
}

struct example_matrix example_batch_candidates(struct example_batch *b, const struct candidate *c, int n)
{
    b->states = NULL;
    b->candidates = c;
    return show_all(b, n);
}

const float *example_batch_rows(struct example_batch *b, const struct example_matrix *m, const int **first)
{
    size_t width = (size_t)b->form->width[0];
    int *from = ARENA_ARRAY(b->round, int, m->n + 1);
    for (int i = 0; i < m->n; i++)
        from[i + 1] = from[i] + m->shown[i].in[0].n;
    float *at = ARENA_ARRAY(b->round, float, (size_t)from[m->n] * width + 1);
    for (int i = 0; i < m->n; i++)
        memcpy(at + (size_t)from[i] * width, m->shown[i].in[0].at, sizeof *at * width * (size_t)m->shown[i].in[0].n);
    *first = from;
    return at;
}

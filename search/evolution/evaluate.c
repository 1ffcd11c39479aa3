/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate: deviations from TVM v0.16: TVM scores a state anew in every generation it survives; a deterministic model
 * gives the same number, so it is remembered here. TVM asks its GPU verifier when it featurises, and the model then
 * gives -inf; here a program over the limits is invalid under every model. */
#include "search/evolution/evaluate.h"

#include "search/sketch/draw.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

struct evaluate_chunk {
    struct evaluator *evaluator;
    const uint64_t *seeds; /* draws, else NULL */
    struct individual *drawn;
    struct individual *const *given;
    int n;
    struct state *states[CHUNK];
};

void evaluator_begin(struct evaluator *e, struct arena *round)
{
    map_defer(&e->scores, round);
}

void evaluator_count(struct evaluator *e, struct evaluations *out)
{
    if (out) {
        out->at[e->drafts ? EVALUATION_DRAFT_SCORED : EVALUATION_MODEL_SCORED] += e->scored;
        out->at[e->drafts ? EVALUATION_DRAFT_ASKED : EVALUATION_MODEL_ASKED] += e->asked;
    }
    e->scored = e->asked = 0;
}

static struct individual *chunk_at(const struct evaluate_chunk *c, int i)
{
    return c->seeds ? &c->drawn[i] : c->given[i];
}

static void evaluate_item(void *ctx, int item, struct search_thread *thread)
{
    struct evaluate_chunk *c = ctx;
    const struct space *sp = c->evaluator->space;
    struct individual *individual = chunk_at(c, item);
    struct arena_mark mark = arena_mark(thread->work);
    struct state *s;
    if (c->seeds) {
        struct rng r;
        rng_seed(&r, c->seeds[item]);
        s = draw_state(sp, thread->work, &r, &thread->bounds_s, NULL);
        if (s)
            individual->genome = (struct genome){steps_copy(thread->keep, s->steps, s->nsteps), s->nsteps};
    } else {
        s = space_state(sp, thread->work, individual->genome.steps, individual->genome.n, &thread->bounds_s, NULL);
    }
    individual->refused = s && !space_fits(sp, thread->work, s, NULL);
    if (individual->refused)
        s = NULL;
    c->states[item] = s;
    individual->valid = s != NULL;
    individual->hash = s ? state_hash(s) : 0;
    individual->score = c->evaluator->model ? -INFINITY : NAN;
    if (!s)
        arena_release(thread->work, mark);
}

static uint64_t bits_of(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static double of_bits(uint64_t b)
{
    double v;
    memcpy(&v, &b, sizeof v);
    return v;
}

/* Scores the states not yet known, each once, in item order. */
static bool evaluate_score(struct evaluator *e, struct evaluate_chunk *c, struct err *err)
{
    if (!e->model)
        return true;
    struct state *fresh[CHUNK];
    uint64_t hashes[CHUNK];
    double scores[CHUNK];
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const struct individual *individual = chunk_at(c, i);
        if (!individual->valid || map_get(&e->scores, individual->hash, NULL))
            continue;
        map_put(&e->scores, individual->hash, 0);
        hashes[n] = individual->hash;
        fresh[n++] = c->states[i];
    }
    if (n > 0) {
        enum phase before = phases_enter(e->workers->phases, e->drafts ? PHASE_draft : PHASE_score);
        e->scored += n;
        bool good = e->model->plug->score(e->model->self, e->space->task, fresh, n, scores, err);
        phases_enter(e->workers->phases, before);
        if (!good)
            return false;
    }
    for (int i = 0; i < n; i++)
        map_put(&e->scores, hashes[i], bits_of(isnan(scores[i]) ? -INFINITY : scores[i]));
    for (int i = 0; i < c->n; i++) {
        struct individual *individual = chunk_at(c, i);
        uint64_t bits;
        if (individual->valid && map_get(&e->scores, individual->hash, &bits))
            individual->score = of_bits(bits);
    }
    return true;
}

static bool evaluate_chunk(struct evaluator *e, struct evaluate_chunk *c, struct err *err)
{
    worker_pool_for(e->workers, c->n, evaluate_item, c);
    bool good = evaluate_score(e, c, err);
    worker_pool_clear(e->workers);
    return good;
}

bool evaluate_draws(struct evaluator *e, const uint64_t *seeds, int n, struct individual *out, struct err *err)
{
    for (int from = 0; from < n; from += CHUNK) {
        struct evaluate_chunk c = {
            .evaluator = e, .seeds = seeds + from, .drawn = out + from, .n = n - from < CHUNK ? n - from : CHUNK};
        if (!evaluate_chunk(e, &c, err))
            return false;
    }
    return true;
}

bool evaluate_genomes(struct evaluator *e, struct individual *const *in, int n, struct err *err)
{
    for (int from = 0; from < n; from += CHUNK) {
        struct evaluate_chunk c = {.evaluator = e, .given = in + from, .n = n - from < CHUNK ? n - from : CHUNK};
        if (!evaluate_chunk(e, &c, err))
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate: see evaluate.h. Deviation from TVM v0.16: TVM scores a state anew in every generation it survives; a
 * deterministic model gives the same number, so it is remembered here. */
#include "search/evolution/evaluate.h"

#include "search/sketch/draw.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512 };

struct evaluate_chunk {
    struct evaluator *judge;
    const uint64_t *seeds; /* draws, else NULL */
    struct individual *drawn;
    struct individual *const *given;
    int n;
    struct state *states[CHUNK];
};

void evaluator_reset(struct evaluator *j)
{
    map_clear(&j->scores);
}

void evaluator_close(struct evaluator *j)
{
    map_free(&j->scores);
}

static struct individual *chunk_at(const struct evaluate_chunk *c, int i)
{
    return c->seeds ? &c->drawn[i] : c->given[i];
}

static void evaluate_item(void *ctx, int item, struct worker_pool_thread *hand)
{
    struct evaluate_chunk *c = ctx;
    const struct space *sp = c->judge->space;
    struct individual *who = chunk_at(c, item);
    struct arena_mark mark = arena_mark(hand->work);
    struct state *s;
    if (c->seeds) {
        struct rng r;
        rng_seed(&r, c->seeds[item]);
        s = draw_state(sp, hand->work, &r, &hand->bounds_s, NULL);
        if (s)
            who->genome = (struct genome){steps_copy(hand->keep, s->steps, s->nsteps), s->nsteps};
    } else {
        s = space_state(sp, hand->work, who->genome.steps, who->genome.n, &hand->bounds_s, NULL);
    }
    c->states[item] = s;
    who->valid = s != NULL;
    who->hash = s ? state_hash(s) : 0;
    who->score = c->judge->model ? -INFINITY : NAN;
    if (!s)
        arena_release(hand->work, mark);
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
static bool evaluate_score(struct evaluator *j, struct evaluate_chunk *c, struct err *err)
{
    if (!j->model)
        return true;
    struct state *fresh[CHUNK];
    uint64_t hashes[CHUNK];
    double scores[CHUNK];
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const struct individual *who = chunk_at(c, i);
        if (!who->valid || map_get(&j->scores, who->hash, NULL))
            continue;
        map_put(&j->scores, who->hash, 0);
        hashes[n] = who->hash;
        fresh[n++] = c->states[i];
    }
    if (n > 0) {
        enum phase before = phases_enter(j->workers->phases, PHASE_score);
        bool good = j->model->plug->score(j->model->self, j->space->task, fresh, n, scores, err);
        phases_enter(j->workers->phases, before);
        if (!good)
            return false;
    }
    for (int i = 0; i < n; i++)
        map_put(&j->scores, hashes[i], bits_of(isnan(scores[i]) ? -INFINITY : scores[i]));
    for (int i = 0; i < c->n; i++) {
        struct individual *who = chunk_at(c, i);
        uint64_t bits;
        if (who->valid && map_get(&j->scores, who->hash, &bits))
            who->score = of_bits(bits);
    }
    return true;
}

static bool evaluate_chunk(struct evaluator *j, struct evaluate_chunk *c, struct err *err)
{
    worker_pool_for(j->workers, c->n, evaluate_item, c);
    bool good = evaluate_score(j, c, err);
    worker_pool_clear(j->workers);
    return good;
}

bool evaluate_draws(struct evaluator *j, const uint64_t *seeds, int n, struct individual *out, struct err *err)
{
    for (int from = 0; from < n; from += CHUNK) {
        struct evaluate_chunk c = {
            .judge = j, .seeds = seeds + from, .drawn = out + from, .n = n - from < CHUNK ? n - from : CHUNK};
        if (!evaluate_chunk(j, &c, err))
            return false;
    }
    return true;
}

bool evaluate_genomes(struct evaluator *j, struct individual *const *in, int n, struct err *err)
{
    for (int from = 0; from < n; from += CHUNK) {
        struct evaluate_chunk c = {.judge = j, .given = in + from, .n = n - from < CHUNK ? n - from : CHUNK};
        if (!evaluate_chunk(j, &c, err))
            return false;
    }
    return true;
}

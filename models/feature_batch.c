/* SPDX-License-Identifier: Apache-2.0 */
/* feature_batch: the hot path of a search round (about 12,000 states): lower and featurise, nothing else. Each thread
 * has a scratch arena emptied after every state and a second one that holds the rows until they are put side by side.
 */
#include "models/feature_batch.h"

#include "harness/base/clock.h"
#include "harness/base/vec.h"
#include "harness/program/lower/lower.h"

#include <stdlib.h>
#include <string.h>

struct feature_thread { /* one thread's own */
    struct arena *scratch, *rows;
    double lower_seconds, feature_seconds;
    char pad[64]; /* threads write the seconds: keep them off one cache line */
};
struct feature_batch {
    struct pool *pool;
    struct phases *phases;
    int nthreads;
    struct feature_thread *threads;
    struct arena *round; /* what one call gives out */
    struct state *const *states;
    const struct candidate *candidates;
    struct features *found;
    bool *none;
};

struct feature_batch *feature_batch_open(struct pool *pool, struct phases *phases)
{
    struct feature_batch *b = calloc(1, sizeof *b);
    if (!b)
        bug("out of memory");
    *b = (struct feature_batch){.pool = pool, .phases = phases, .nthreads = pool ? pool_threads(pool) : 1};
    b->threads = calloc((size_t)b->nthreads, sizeof *b->threads);
    if (!b->threads)
        bug("out of memory");
    b->round = arena_open("feature batch");
    for (int i = 0; i < b->nthreads; i++) {
        b->threads[i].scratch = arena_open("lower");
        b->threads[i].rows = arena_open("features");
    }
    return b;
}

void feature_batch_close(struct feature_batch *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->nthreads; i++) {
        arena_close(b->threads[i].scratch);
        arena_close(b->threads[i].rows);
    }
    arena_close(b->round);
    free(b->threads);
    free(b);
}

/* NULL: it cannot be lowered. */
static const struct nest *lowered_item(const struct feature_batch *b, struct feature_thread *own, int item)
{
    struct nest *n;
    if (!b->states) {
        const struct candidate *c = &b->candidates[item];
        return lower_steps(own->scratch, c->task, c->steps, c->nsteps, LAYOUT_NONE, &n, NULL) ? n : NULL;
    }
    return lower_kept(own->scratch, b->states[item]);
}

static void featurise_item(void *ctx, int item, int thread)
{
    struct feature_batch *b = ctx;
    struct feature_thread *own = &b->threads[thread];
    struct features f;
    double start = clock_now();
    const struct nest *nest = lowered_item(b, own, item);
    double lowered = clock_now();
    if (!nest || !feature_extract(own->scratch, nest, &f, NULL) || f.rows == 0) {
        f = feature_none(own->scratch);
        b->none[item] = true;
    }
    b->found[item] = f;
    b->found[item].at = ARENA_DUP(own->rows, f.at, float, f.rows *FEATURE_WIDTH);
    arena_reset(own->scratch);
    own->lower_seconds += lowered - start;
    own->feature_seconds += clock_now() - lowered;
}

static void book_phases(struct feature_batch *b)
{
    double shares[PHASE_COUNT] = {0};
    for (int i = 0; i < b->nthreads; i++) {
        shares[PHASE_lower] += b->threads[i].lower_seconds;
        shares[PHASE_features] += b->threads[i].feature_seconds;
        b->threads[i].lower_seconds = b->threads[i].feature_seconds = 0;
        arena_reset(b->threads[i].rows);
    }
    phases_share(b->phases, PHASE_features, shares);
}

/* Rows side by side, in the order of the states whoever made them. */
static struct feature_batch_rows featurise_all(struct feature_batch *b, int n)
{
    enum phase before = phases_enter(b->phases, PHASE_features);
    arena_reset(b->round);
    b->found = ARENA_ARRAY(b->round, struct features, n);
    b->none = ARENA_ARRAY(b->round, bool, n);
    if (b->pool)
        pool_for(b->pool, n, featurise_item, b);
    else
        for (int i = 0; i < n; i++)
            featurise_item(b, i, 0);
    int *first = ARENA_ARRAY(b->round, int, n + 1);
    for (int i = 0; i < n; i++)
        first[i + 1] = first[i] + b->found[i].rows;
    float *at = ARENA_ARRAY(b->round, float, (size_t)first[n] * FEATURE_WIDTH);
    for (int i = 0; i < n; i++)
        memcpy(at + (size_t)first[i] * FEATURE_WIDTH, b->found[i].at,
               sizeof(float) * FEATURE_WIDTH * (size_t)b->found[i].rows);
    book_phases(b);
    phases_enter(b->phases, before);
    return (struct feature_batch_rows){.n = n, .first = first, .at = at, .none = b->none};
}

struct feature_batch_rows feature_batch_states(struct feature_batch *b, struct state *const *states, int n)
{
    b->states = states;
    b->candidates = NULL;
    return featurise_all(b, n);
}

struct feature_batch_rows feature_batch_candidates(struct feature_batch *b, const struct candidate *c, int n)
{
    b->states = NULL;
    b->candidates = c;
    return featurise_all(b, n);
}

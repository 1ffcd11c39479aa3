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

struct hand { /* one thread's own */
    struct arena *scratch, *rows;
    double lower_seconds, feature_seconds;
    char pad[64]; /* threads write the seconds: keep them off one cache line */
};
struct feature_batch {
    struct pool *pool;
    struct phases *phases;
    int nhands;
    struct hand *hands;
    struct arena *round; /* what one call hands out */
    struct state *const *states;
    const struct candidate *candidates;
    struct features *found;
    bool *none;
};

struct feature_batch *feature_batch_open(struct pool *pool, struct phases *phases)
{
    struct feature_batch *h = calloc(1, sizeof *h);
    if (!h)
        bug("out of memory");
    *h = (struct feature_batch){.pool = pool, .phases = phases, .nhands = pool ? pool_threads(pool) : 1};
    h->hands = calloc((size_t)h->nhands, sizeof *h->hands);
    if (!h->hands)
        bug("out of memory");
    h->round = arena_open("harvest");
    for (int i = 0; i < h->nhands; i++) {
        h->hands[i].scratch = arena_open("lower");
        h->hands[i].rows = arena_open("features");
    }
    return h;
}

void feature_batch_close(struct feature_batch *h)
{
    if (!h)
        return;
    for (int i = 0; i < h->nhands; i++) {
        arena_close(h->hands[i].scratch);
        arena_close(h->hands[i].rows);
    }
    arena_close(h->round);
    free(h->hands);
    free(h);
}

static void feature_batch_one(void *ctx, int item, int thread)
{
    struct feature_batch *h = ctx;
    struct hand *hand = &h->hands[thread];
    struct nest *nest = NULL;
    struct features f;
    double start = clock_now();
    bool fine = h->states ? h->states[item]->atoms && lower(hand->scratch, h->states[item], LAYOUT_NONE, &nest, NULL)
                          : lower_steps(hand->scratch, h->candidates[item].task, h->candidates[item].steps,
                                        h->candidates[item].nsteps, LAYOUT_NONE, &nest, NULL);
    double lowered = clock_now();
    if (!fine || !feature_extract(hand->scratch, nest, &f, NULL) || f.rows == 0) {
        f = feature_none(hand->scratch);
        h->none[item] = true;
    }
    h->found[item] = f;
    h->found[item].at = ARENA_DUP(hand->rows, f.at, float, f.rows *FEATURE_WIDTH);
    arena_reset(hand->scratch);
    hand->lower_seconds += lowered - start;
    hand->feature_seconds += clock_now() - lowered;
}

static void feature_batch_book(struct feature_batch *h)
{
    double shares[PHASE_COUNT] = {0};
    for (int i = 0; i < h->nhands; i++) {
        shares[PHASE_lower] += h->hands[i].lower_seconds;
        shares[PHASE_features] += h->hands[i].feature_seconds;
        h->hands[i].lower_seconds = h->hands[i].feature_seconds = 0;
        arena_reset(h->hands[i].rows);
    }
    phases_share(h->phases, PHASE_features, shares);
}

/* Rows side by side, in the order of the states whoever made them. */
static struct feature_batch_rows feature_batch_all(struct feature_batch *h, int n)
{
    enum phase before = phases_enter(h->phases, PHASE_features);
    arena_reset(h->round);
    h->found = ARENA_ARRAY(h->round, struct features, n);
    h->none = ARENA_ARRAY(h->round, bool, n);
    if (h->pool)
        pool_for(h->pool, n, feature_batch_one, h);
    else
        for (int i = 0; i < n; i++)
            feature_batch_one(h, i, 0);
    int *first = ARENA_ARRAY(h->round, int, n + 1);
    for (int i = 0; i < n; i++)
        first[i + 1] = first[i] + h->found[i].rows;
    float *at = ARENA_ARRAY(h->round, float, (size_t)first[n] * FEATURE_WIDTH);
    for (int i = 0; i < n; i++)
        memcpy(at + (size_t)first[i] * FEATURE_WIDTH, h->found[i].at,
               sizeof(float) * FEATURE_WIDTH * (size_t)h->found[i].rows);
    feature_batch_book(h);
    phases_enter(h->phases, before);
    return (struct feature_batch_rows){.n = n, .first = first, .at = at, .none = h->none};
}

struct feature_batch_rows feature_batch_states(struct feature_batch *h, struct state *const *states, int n)
{
    h->states = states;
    h->candidates = NULL;
    return feature_batch_all(h, n);
}

struct feature_batch_rows feature_batch_candidates(struct feature_batch *h, const struct candidate *c, int n)
{
    h->states = NULL;
    h->candidates = c;
    return feature_batch_all(h, n);
}

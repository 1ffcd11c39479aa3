/* SPDX-License-Identifier: Apache-2.0 */
/* crew: see crew.h. */
#include "search/crew.h"

#include "harness/base/vec.h"

#include <string.h>

void crew_open(struct crew *c, struct pool *pool, struct phases *phases)
{
    *c = (struct crew){.pool = pool, .phases = phases, .n = pool ? pool_threads(pool) : 1};
    c->hands = vec_grow(NULL, &(int){0}, c->n, sizeof *c->hands);
    for (int i = 0; i < c->n; i++)
        c->hands[i] = (struct crew_hand){.keep = arena_open("round"), .work = arena_open("scratch")};
}

void crew_close(struct crew *c)
{
    for (int i = 0; i < c->n; i++) {
        arena_close(c->hands[i].keep);
        arena_close(c->hands[i].work);
    }
    free(c->hands);
    memset(c, 0, sizeof *c);
}

void crew_clear(struct crew *c)
{
    for (int i = 0; i < c->n; i++)
        arena_reset(c->hands[i].work);
}

void crew_reset(struct crew *c)
{
    crew_clear(c);
    for (int i = 0; i < c->n; i++)
        arena_reset(c->hands[i].keep);
}

struct crew_run {
    struct crew *crew;
    void (*work)(void *ctx, int item, struct crew_hand *hand);
    void *ctx;
};

static void crew_item(void *ctx, int item, int thread)
{
    struct crew_run *r = ctx;
    struct crew_hand *hand = &r->crew->hands[thread];
    double since = clock_now();
    r->work(r->ctx, item, hand);
    hand->total_s += clock_now() - since;
}

void crew_for(struct crew *c, int n, void (*work)(void *ctx, int item, struct crew_hand *hand), void *ctx)
{
    struct crew_run run = {c, work, ctx};
    double shares[PHASE_COUNT] = {0};
    for (int i = 0; i < c->n; i++)
        c->hands[i].bounds_s = c->hands[i].total_s = 0;
    enum phase before = phases_enter(c->phases, PHASE_sample);
    if (c->pool)
        pool_for(c->pool, n, crew_item, &run);
    else
        for (int i = 0; i < n; i++)
            crew_item(&run, i, 0);
    for (int i = 0; i < c->n; i++) {
        shares[PHASE_bounds] += c->hands[i].bounds_s;
        shares[PHASE_sample] += c->hands[i].total_s - c->hands[i].bounds_s;
    }
    phases_share(c->phases, PHASE_sample, shares);
    phases_enter(c->phases, before);
}

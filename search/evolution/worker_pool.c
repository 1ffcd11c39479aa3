/* SPDX-License-Identifier: Apache-2.0 */
/* worker_pool: see worker_pool.h. */
#include "search/evolution/worker_pool.h"

#include "harness/base/vec.h"

#include <string.h>

void worker_pool_open(struct worker_pool *c, struct pool *pool, struct phases *phases)
{
    *c = (struct worker_pool){.pool = pool, .phases = phases, .n = pool ? pool_threads(pool) : 1};
    c->hands = vec_grow(NULL, &(int){0}, c->n, sizeof *c->hands);
    for (int i = 0; i < c->n; i++)
        c->hands[i] = (struct worker_pool_thread){.keep = arena_open("round"), .work = arena_open("scratch")};
}

void worker_pool_close(struct worker_pool *c)
{
    for (int i = 0; i < c->n; i++) {
        arena_close(c->hands[i].keep);
        arena_close(c->hands[i].work);
    }
    free(c->hands);
    memset(c, 0, sizeof *c);
}

void worker_pool_clear(struct worker_pool *c)
{
    for (int i = 0; i < c->n; i++)
        arena_reset(c->hands[i].work);
}

void worker_pool_reset(struct worker_pool *c)
{
    worker_pool_clear(c);
    for (int i = 0; i < c->n; i++)
        arena_reset(c->hands[i].keep);
}

struct worker_pool_run {
    struct worker_pool *workers;
    void (*work)(void *ctx, int item, struct worker_pool_thread *hand);
    void *ctx;
};

static void worker_pool_item(void *ctx, int item, int thread)
{
    struct worker_pool_run *r = ctx;
    struct worker_pool_thread *hand = &r->workers->hands[thread];
    double since = clock_now();
    r->work(r->ctx, item, hand);
    hand->total_s += clock_now() - since;
}

void worker_pool_for(struct worker_pool *c, int n, void (*work)(void *ctx, int item, struct worker_pool_thread *hand),
                     void *ctx)
{
    struct worker_pool_run run = {c, work, ctx};
    double shares[PHASE_COUNT] = {0};
    for (int i = 0; i < c->n; i++)
        c->hands[i].bounds_s = c->hands[i].total_s = 0;
    enum phase before = phases_enter(c->phases, PHASE_sample);
    if (c->pool)
        pool_for(c->pool, n, worker_pool_item, &run);
    else
        for (int i = 0; i < n; i++)
            worker_pool_item(&run, i, 0);
    for (int i = 0; i < c->n; i++) {
        shares[PHASE_bounds] += c->hands[i].bounds_s;
        shares[PHASE_sample] += c->hands[i].total_s - c->hands[i].bounds_s;
    }
    phases_share(c->phases, PHASE_sample, shares);
    phases_enter(c->phases, before);
}

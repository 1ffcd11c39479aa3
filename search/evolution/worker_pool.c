/* SPDX-License-Identifier: Apache-2.0 */
/* worker_pool: hands each item to whichever thread is free. */
#include "search/evolution/worker_pool.h"

#include "harness/base/vec.h"

#include <string.h>

void worker_pool_open(struct worker_pool *w, struct pool *pool, struct phases *phases)
{
    *w = (struct worker_pool){.pool = pool, .phases = phases, .n = pool_threads(pool)};
    w->threads = vec_grow(NULL, &(int){0}, w->n, sizeof *w->threads);
    for (int i = 0; i < w->n; i++)
        w->threads[i] = (struct search_thread){.keep = arena_open("round"), .work = arena_open("scratch")};
}

void worker_pool_close(struct worker_pool *w)
{
    for (int i = 0; i < w->n; i++) {
        arena_close(w->threads[i].keep);
        arena_close(w->threads[i].work);
    }
    free(w->threads);
    memset(w, 0, sizeof *w);
}

void worker_pool_clear(struct worker_pool *w)
{
    for (int i = 0; i < w->n; i++)
        arena_reset(w->threads[i].work);
}

void worker_pool_reset(struct worker_pool *w)
{
    worker_pool_clear(w);
    for (int i = 0; i < w->n; i++)
        arena_reset(w->threads[i].keep);
}

struct worker_pool_run {
    struct worker_pool *workers;
    void (*work)(void *ctx, int item, struct search_thread *thread);
    void *ctx;
};

static void worker_pool_item(void *ctx, int item, int number)
{
    struct worker_pool_run *r = ctx;
    struct search_thread *thread = &r->workers->threads[number];
    double since = clock_now();
    r->work(r->ctx, item, thread);
    thread->total_s += clock_now() - since;
}

void worker_pool_for(struct worker_pool *w, int n, void (*work)(void *ctx, int item, struct search_thread *thread),
                     void *ctx)
{
    struct worker_pool_run run = {w, work, ctx};
    double shares[PHASE_COUNT] = {0};
    for (int i = 0; i < w->n; i++)
        w->threads[i].bounds_s = w->threads[i].total_s = 0;
    enum phase before = phases_enter(w->phases, PHASE_sample);
    pool_for(w->pool, n, worker_pool_item, &run);
    for (int i = 0; i < w->n; i++) {
        shares[PHASE_bounds] += w->threads[i].bounds_s;
        shares[PHASE_sample] += w->threads[i].total_s - w->threads[i].bounds_s;
    }
    phases_share(w->phases, PHASE_sample, shares);
    phases_enter(w->phases, before);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* worker_pool: the pool's threads, each with its own arenas, for the parallel parts of a search round. What an item
 * computes must not depend on the thread that runs it: items carry their own random seeds. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/pool.h"
#include "harness/plug/phase.h"

struct search_thread {
    struct arena *keep; /* until worker_pool_reset: steps of this round's candidates */
    struct arena *work; /* until worker_pool_clear: states */
    double bounds_s;    /* seconds this thread spent inferring bounds in the running worker_pool_for */
    double total_s;
};
struct worker_pool {
    struct pool *pool; /* NULL: the caller alone */
    struct phases *phases;
    int n;
    struct search_thread *threads;
};

void worker_pool_open(struct worker_pool *w, struct pool *pool, struct phases *phases);
void worker_pool_close(struct worker_pool *w);
void worker_pool_reset(struct worker_pool *w); /* empties all arenas: a round has ended */
void worker_pool_clear(struct worker_pool *w); /* empties the work arenas */
/* Runs work for 0..n-1. Its wall time is booked on phases sample and bounds by the threads' shares. */
void worker_pool_for(struct worker_pool *w, int n, void (*work)(void *ctx, int item, struct search_thread *thread),
                     void *ctx);

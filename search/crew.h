/* SPDX-License-Identifier: Apache-2.0 */
/* crew: the pool's threads, each with its own arenas, for the parallel parts of a search round. What an item computes
 * must not depend on the thread that runs it: items carry their own random seeds. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/pool.h"
#include "harness/plug/phase.h"

struct crew_hand {
    struct arena *keep; /* until crew_reset: steps of this round's candidates */
    struct arena *work; /* until crew_clear: states */
    double bounds_s;    /* seconds this thread spent inferring bounds in the running crew_for */
    double total_s;
};
struct crew {
    struct pool *pool; /* NULL: the caller alone */
    struct phases *phases;
    int n;
    struct crew_hand *hands;
};

void crew_open(struct crew *c, struct pool *pool, struct phases *phases);
void crew_close(struct crew *c);
void crew_reset(struct crew *c); /* empties all arenas: a round has ended */
void crew_clear(struct crew *c); /* empties the work arenas */
/* Runs work for 0..n-1. Its wall time is booked on phases sample and bounds by the hands' shares. */
void crew_for(struct crew *c, int n, void (*work)(void *ctx, int item, struct crew_hand *hand), void *ctx);

/* SPDX-License-Identifier: Apache-2.0 */
/* elite: see elite.h. Membership is a linear scan: the heap is small (128) and most offers fail on the score before it.
 */
#include "search/elite.h"

#include <stdlib.h>

void elite_open(struct elite *e, struct arena *a, int cap, const struct ledger *ledger)
{
    *e = (struct elite){.ledger = ledger, .cap = cap, .heap = ARENA_ARRAY(a, struct elite_seat, cap + 1)};
}

/* x is worse than y. */
static bool seat_worse(const struct elite_seat *x, const struct elite_seat *y)
{
    if (x->who.score != y->who.score)
        return x->who.score < y->who.score;
    return x->arrival > y->arrival;
}

static void seat_swap(struct elite_seat *x, struct elite_seat *y)
{
    struct elite_seat t = *x;
    *x = *y;
    *y = t;
}

static void heap_up(struct elite *e, int i)
{
    for (; i > 0 && seat_worse(&e->heap[i], &e->heap[(i - 1) / 2]); i = (i - 1) / 2)
        seat_swap(&e->heap[i], &e->heap[(i - 1) / 2]);
}

static void heap_down(struct elite *e, int i)
{
    for (;;) {
        int worst = i;
        for (int c = 2 * i + 1; c <= 2 * i + 2 && c < e->n; c++)
            if (seat_worse(&e->heap[c], &e->heap[worst]))
                worst = c;
        if (worst == i)
            return;
        seat_swap(&e->heap[i], &e->heap[worst]);
        i = worst;
    }
}

void elite_offer(struct elite *e, const struct individual *who)
{
    if (!who->valid || e->cap == 0 || (e->n == e->cap && !(who->score > e->heap[0].who.score)))
        return;
    if (e->ledger && ledger_knows(e->ledger, who->hash))
        return;
    for (int i = 0; i < e->n; i++)
        if (e->heap[i].who.hash == who->hash)
            return;
    struct elite_seat seat = {*who, e->arrivals++};
    if (e->n < e->cap) {
        e->heap[e->n++] = seat;
        heap_up(e, e->n - 1);
    } else {
        e->heap[0] = seat;
        heap_down(e, 0);
    }
}

static int seat_compare(const void *a, const void *b)
{
    const struct elite_seat *x = a, *y = b;
    return seat_worse(x, y) ? 1 : seat_worse(y, x) ? -1 : 0;
}

void elite_sort(struct elite *e)
{
    qsort(e->heap, (size_t)e->n, sizeof *e->heap, seat_compare);
}

void elite_pick(const struct elite *e, const struct individual *who, const struct task *task, struct arena *a,
                struct map *picked, struct candidate *out, int *n)
{
    if (!who->valid || ledger_knows(e->ledger, who->hash) || !map_put(picked, who->hash, 0))
        return;
    out[(*n)++] = (struct candidate){.task = task,
                                     .steps = steps_copy(a, who->genome.steps, who->genome.n),
                                     .nsteps = who->genome.n,
                                     .hash = who->hash,
                                     .score = who->score};
}

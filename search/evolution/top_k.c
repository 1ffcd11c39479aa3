/* SPDX-License-Identifier: Apache-2.0 */
/* top_k: see top_k.h. Membership is a linear scan: the heap is small (128) and most offers fail on the score before it.
 */
#include "search/evolution/top_k.h"

#include <stdlib.h>

void top_k_open(struct top_k *e, struct arena *a, int cap, const struct measured_set *measured)
{
    *e = (struct top_k){.measured = measured, .cap = cap, .heap = ARENA_ARRAY(a, struct top_k_seat, cap + 1)};
}

/* x is worse than y. */
static bool seat_worse(const struct top_k_seat *x, const struct top_k_seat *y)
{
    if (x->who.score != y->who.score)
        return x->who.score < y->who.score;
    return x->arrival > y->arrival;
}

static void seat_swap(struct top_k_seat *x, struct top_k_seat *y)
{
    struct top_k_seat t = *x;
    *x = *y;
    *y = t;
}

static void heap_up(struct top_k *e, int i)
{
    for (; i > 0 && seat_worse(&e->heap[i], &e->heap[(i - 1) / 2]); i = (i - 1) / 2)
        seat_swap(&e->heap[i], &e->heap[(i - 1) / 2]);
}

static void heap_down(struct top_k *e, int i)
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

void top_k_offer(struct top_k *e, const struct individual *who)
{
    if (!who->valid || e->cap == 0 || (e->n == e->cap && !(who->score > e->heap[0].who.score)))
        return;
    if (e->measured && measured_set_knows(e->measured, who->hash))
        return;
    for (int i = 0; i < e->n; i++)
        if (e->heap[i].who.hash == who->hash)
            return;
    struct top_k_seat seat = {*who, e->arrivals++};
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
    const struct top_k_seat *x = a, *y = b;
    return seat_worse(x, y) ? 1 : seat_worse(y, x) ? -1 : 0;
}

void top_k_sort(struct top_k *e)
{
    qsort(e->heap, (size_t)e->n, sizeof *e->heap, seat_compare);
}

void top_k_pick(const struct top_k *e, const struct individual *who, const struct task *task, struct arena *a,
                struct map *picked, struct candidate *out, int *n)
{
    if (!who->valid || measured_set_knows(e->measured, who->hash) || !map_put(picked, who->hash, 0))
        return;
    out[(*n)++] = (struct candidate){.task = task,
                                     .steps = steps_copy(a, who->genome.steps, who->genome.n),
                                     .nsteps = who->genome.n,
                                     .hash = who->hash,
                                     .score = who->score};
}

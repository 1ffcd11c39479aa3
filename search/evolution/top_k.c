/* SPDX-License-Identifier: Apache-2.0 */
/* top_k: membership is a linear scan: the heap is small (128) and most offers fail on the score before it.
 */
#include "search/evolution/top_k.h"

#include <limits.h>
#include <stdlib.h>

void top_k_open(struct top_k *t, struct arena *a, int cap, const struct measured_set *measured)
{
    *t = (struct top_k){.measured = measured,
                        .measured_first = INT_MAX,
                        .cap = cap,
                        .heap = ARENA_ARRAY(a, struct top_k_entry, cap + 1)};
}

/* x is worse than y. */
static bool entry_worse(const struct top_k_entry *x, const struct top_k_entry *y)
{
    if (x->individual.score != y->individual.score)
        return x->individual.score < y->individual.score;
    return x->arrival > y->arrival;
}

static void entry_swap(struct top_k_entry *x, struct top_k_entry *y)
{
    struct top_k_entry swap = *x;
    *x = *y;
    *y = swap;
}

static void heap_up(struct top_k *t, int i)
{
    for (; i > 0 && entry_worse(&t->heap[i], &t->heap[(i - 1) / 2]); i = (i - 1) / 2)
        entry_swap(&t->heap[i], &t->heap[(i - 1) / 2]);
}

static void heap_down(struct top_k *t, int i)
{
    for (;;) {
        int worst = i;
        for (int c = 2 * i + 1; c <= 2 * i + 2 && c < t->n; c++)
            if (entry_worse(&t->heap[c], &t->heap[worst]))
                worst = c;
        if (worst == i)
            return;
        entry_swap(&t->heap[i], &t->heap[worst]);
        i = worst;
    }
}

void top_k_offer(struct top_k *t, const struct individual *individual)
{
    if (!individual->valid || t->cap == 0 || (t->n == t->cap && !(individual->score > t->heap[0].individual.score)))
        return;
    if (t->measured && measured_set_knew(t->measured, individual->hash, t->measured_first))
        return;
    for (int i = 0; i < t->n; i++)
        if (t->heap[i].individual.hash == individual->hash)
            return;
    struct top_k_entry entry = {*individual, t->arrivals++};
    if (t->n < t->cap) {
        t->heap[t->n++] = entry;
        heap_up(t, t->n - 1);
    } else {
        t->heap[0] = entry;
        heap_down(t, 0);
    }
}

static int entry_compare(const void *a, const void *b)
{
    const struct top_k_entry *x = a, *y = b;
    return entry_worse(x, y) ? 1 : entry_worse(y, x) ? -1 : 0;
}

void top_k_sort(struct top_k *t)
{
    qsort(t->heap, (size_t)t->n, sizeof *t->heap, entry_compare);
}

void top_k_pick(const struct top_k *t, const struct individual *individual, const struct task *task, struct arena *a,
                struct map *picked, struct candidate *out, int *n)
{
    if (!individual->valid || measured_set_knows(t->measured, individual->hash) ||
        !map_put(picked, individual->hash, 0))
        return;
    out[(*n)++] = (struct candidate){.task = task,
                                     .steps = steps_copy(a, individual->genome.steps, individual->genome.n),
                                     .nsteps = individual->genome.n,
                                     .hash = individual->hash,
                                     .score = individual->score};
}

int top_k_choose(const struct top_k *t, const struct random_pool *pool, const struct task *task, struct arena *a,
                 int max, struct candidate *out)
{
    struct map picked = {0};
    int n = 0, best = 0, random = 0;
    while (n < max && (best < t->n || random < pool->n)) {
        bool good = n < max - pool->wanted ? best < t->n : random >= pool->n;
        top_k_pick(t, good ? &t->heap[best++].individual : &pool->at[random++], task, a, &picked, out, &n);
    }
    map_free(&picked);
    return n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* descent: one frame, a row of rules per variant (droplet.md 4.3). The traces of droplet.md 4.6 are its unit test.
 *
 * `fixed` is what the idea promises without the defects: a unique index, every axis moves, unit steps first, values
 * sorted around the seed (axes.c), no wrap-around, the test on, and an end only when every unit neighbour of the best
 * was seen. */
#include "search/descent.h"

#include "harness/stats/compare.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <string.h>

const struct descent_rules descent_table[] = {{.name = "autotvm-first",
                                               .source = "apache/tvm c254b75705",
                                               .masks = MASKS_DOWN,
                                               .wraps = true,
                                               .batch = 16,
                                               .raise_first = true,
                                               .tested = true,
                                               .drops = true},
                                              {.name = "autotvm",
                                               .source = "apache/tvm a1a1a7ca03",
                                               .masks = MASKS_DOWN,
                                               .wraps = true,
                                               .raise_first = true,
                                               .tested = true,
                                               .drops = true},
                                              {.name = "paper",
                                               .source = "lac-dcc/bennu 857ecd2",
                                               .masks = MASKS_UP_CUT,
                                               .collides = true,
                                               .wraps = true,
                                               .batch = 10,
                                               .start = START_FILLED,
                                               .seed_cost = true,
                                               .whole_queue = true,
                                               .stops_early = true},
                                              {.name = "pr16499",
                                               .source = "apache/tvm #16499, d6cdcefbd4",
                                               .masks = MASKS_UP_CUT,
                                               .collides = true,
                                               .wraps = true,
                                               .start = START_FILLED,
                                               .raise_first = true,
                                               .seed_cost = true,
                                               .tested = true,
                                               .drops = true,
                                               .whole_queue = true,
                                               .stops_early = true},
                                              {.name = "metaschedule",
                                               .source = "apache/tvm 167795b3bb",
                                               .masks = MASKS_SINGLE,
                                               .mask_tested = true,
                                               .wraps = true,
                                               .batch = 1,
                                               .batch_axes = true,
                                               .start = START_FILLED,
                                               .seed_cost = true,
                                               .whole_queue = true,
                                               .stops_early = true},
                                              {.name = "fixed",
                                               .source = "raingauge",
                                               .masks = MASKS_FIXED,
                                               .batch_axes = true,
                                               .start = START_FILLED,
                                               .seed_cost = true,
                                               .tested = true,
                                               .whole_queue = true},
                                              {0}};

static const double huge_cost[] = {99999};

static uint64_t index_of(const struct descent *d, const int *p)
{
    uint64_t index = 0;
    if (d->rules->collides) {
        for (int i = 0; i < d->n - 1; i++)
            index += (uint64_t)p[i] * (uint64_t)d->sizes[i];
        return index + (uint64_t)p[d->n - 1];
    }
    for (int i = 0; i < d->n; i++)
        index = index * (uint64_t)d->sizes[i] + (uint64_t)p[i];
    return index;
}

static bool visit(struct descent *d, const int *p)
{
    return map_put(&d->visited, index_of(d, p), 1);
}

static void push(struct descent *d, const int *p)
{
    if (d->nqueue == d->cap) {
        int cap = d->cap ? 2 * d->cap : 64;
        int *queue = ARENA_ARRAY(d->arena, int, cap * d->n);
        if (d->nqueue)
            memcpy(queue, d->queue, sizeof *queue * (size_t)(d->nqueue * d->n));
        d->queue = queue;
        d->cap = cap;
    }
    memcpy(d->queue + (size_t)d->nqueue++ * (size_t)d->n, p, sizeof *p * (size_t)d->n);
}

/* Direction list: delta number k for a factor, or false past its end. */
static bool direction(const struct descent *d, int64_t k, int factor, int *delta)
{
    int n = d->n;
    uint64_t full = ((uint64_t)1 << n) - 1, mask;
    memset(delta, 0, sizeof *delta * (size_t)n);
    switch (d->rules->masks) {
    case MASKS_DOWN:
        if ((uint64_t)k / 2 >= full)
            return false;
        mask = full - (uint64_t)k / 2;
        break;
    case MASKS_UP_CUT: /* pairs are added while the list is not longer than 2b */
        mask = 1 + (uint64_t)k / 2;
        if (mask > full - 1 || (k / 2) * 2 > 2 * (int64_t)d->batch)
            return false;
        break;
    case MASKS_SINGLE:
        if (k >= n)
            return false;
        delta[n - 1 - k] = factor;
        return true;
    default:
        if (k >= 2 * n)
            return false;
        delta[k / 2] = k % 2 ? -factor : factor;
        return true;
    }
    for (int i = 0; i < n; i++)
        if (mask >> (n - 1 - i) & 1)
            delta[i] = k % 2 ? -factor : factor;
    return true;
}

static bool mask_visited(const struct descent *d, const int *delta)
{
    uint64_t index = 0;
    for (int i = 0; i < d->n; i++)
        index = index * (uint64_t)d->sizes[i] + (uint64_t)delta[i];
    return map_get(&d->visited, index, NULL);
}

/* False: the step leaves the grid where nothing wraps. */
static bool move(const struct descent *d, const int *delta, int *p)
{
    for (int i = 0; i < d->n; i++) {
        int x = d->best[i] + delta[i];
        if (!d->rules->wraps && (x < 0 || x >= d->sizes[i]))
            return false;
        p[i] = x > 0 ? x % d->sizes[i] : 0;
    }
    return true;
}

/* Adds unvisited points around the best, until more than b were added. */
static void expand(struct descent *d, int factor)
{
    int delta[DESCENT_AXES], p[DESCENT_AXES];
    for (int64_t k = 0, added = 0; added <= d->batch && direction(d, k, factor, delta); k++) {
        if (d->rules->mask_tested && mask_visited(d, delta))
            continue;
        if (move(d, delta, p) && visit(d, p)) {
            push(d, p);
            added++;
        }
    }
}

static void speculate(struct descent *d)
{
    while (d->speculates && d->nqueue < d->batch && d->factor < d->most) {
        if (d->rules->raise_first)
            d->factor++;
        expand(d, d->factor);
        if (!d->rules->raise_first)
            d->factor++;
    }
}

void descent_open(struct descent *d, const struct descent_rules *rules, struct arena *a, int n, const int *sizes,
                  const int *origin, int batch, int parallel_builds, double p_value, bool speculates,
                  const double *seed_seconds, int nseed)
{
    *d = (struct descent){.rules = rules,
                          .arena = a,
                          .n = n,
                          .sizes = sizes,
                          .factor = 1,
                          .most = 1,
                          .p_value = p_value,
                          .speculates = speculates};
    d->batch = batch ? batch : rules->batch ? rules->batch : parallel_builds > 16 ? parallel_builds : 16;
    int least = n > parallel_builds ? n : parallel_builds;
    if (!batch && rules->batch_axes && least > d->batch)
        d->batch = least;
    for (int i = 0; i < n; i++) {
        d->origin[i] = d->best[i] = origin[i];
        d->most = sizes[i] > d->most ? sizes[i] : d->most;
    }
    bool seeded = rules->seed_cost && nseed > 0;
    d->best_seconds = seeded ? ARENA_DUP(a, seed_seconds, double, nseed) : huge_cost;
    d->best_repeats = seeded ? nseed : 1;
    if (n == 0) {
        d->ended = true;
        return;
    }
    visit(d, d->best);
    push(d, d->best);
    if (rules->masks == MASKS_FIXED)
        expand(d, 1);
    else if (rules->start == START_FILLED)
        speculate(d);
}

void descent_close(struct descent *d)
{
    map_free(&d->visited);
}

int descent_batch(const struct descent *d)
{
    if (d->ended)
        return 0;
    return d->rules->whole_queue || d->nqueue < d->batch ? d->nqueue : d->batch;
}

static bool accepts(const struct descent *d, const struct descent_cost *c)
{
    if (c->n == 0 || !(summary_mean(c->seconds, c->n) < summary_mean(d->best_seconds, d->best_repeats)))
        return false;
    if (!d->rules->tested || c->n <= 1 || d->best_repeats <= 1)
        return true; /* one value on a side: the test passes by itself */
    double p = compare_means(c->seconds, c->n, d->best_seconds, d->best_repeats).p;
    return isnan(p) || p <= d->p_value;
}

/* The queue after a batch of which n points were measured. */
static void shorten(struct descent *d, int n)
{
    if (d->rules->masks == MASKS_FIXED && n < d->nqueue) { /* a cut batch: the rest is still wanted */
        memmove(d->queue, d->queue + (size_t)n * (size_t)d->n, sizeof *d->queue * (size_t)((d->nqueue - n) * d->n));
        d->nqueue -= n;
        return;
    }
    if (!d->rules->drops) {
        d->nqueue = 0;
        return;
    }
    int left = d->nqueue - d->batch - 1; /* the first b and the last one go */
    left = left < 0 ? 0 : left;
    memmove(d->queue, d->queue + (size_t)d->batch * (size_t)d->n, sizeof *d->queue * (size_t)(left * d->n));
    d->nqueue = left;
}

void descent_tell(struct descent *d, const struct descent_cost *costs, int n)
{
    bool better = false;
    for (int i = 0; i < n && i < d->nqueue; i++) {
        if (!accepts(d, &costs[i]))
            continue;
        better = true;
        memcpy(d->best, d->queue + (size_t)i * (size_t)d->n, sizeof *d->best * (size_t)d->n);
        d->best_seconds = ARENA_DUP(d->arena, costs[i].seconds, double, costs[i].n);
        d->best_repeats = costs[i].n;
    }
    shorten(d, n);
    if (better) {
        if (d->rules->masks == MASKS_FIXED)
            d->nqueue = 0; /* neighbours of the old best */
        expand(d, 1);
        d->factor = 1;
    } else if (d->rules->stops_early) {
        d->ended = true;
        return;
    } else if (d->rules->masks == MASKS_FIXED && d->nqueue == 0) {
        expand(d, 1); /* unit neighbours that the batch had no room for */
    }
    if (d->rules->masks != MASKS_FIXED || better)
        speculate(d);
    d->ended = d->nqueue == 0;
}

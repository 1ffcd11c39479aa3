/* SPDX-License-Identifier: Apache-2.0 */
/* trace_mutator: TVM v0.16's MutateTileSize, MutateUnroll, MutateComputeLocation, MutateParallel. Unlike Ansor's
 * mutations they always change the value, and they fail less: a tile tries other parts, a location or extent is drawn
 * among those that differ. Kept: the extent for parallel loops is drawn among the products that can be reached, each
 * thought to fuse the loops up to its own, while the postprocessor goes one loop further (it stops only above the
 * extent). MutateThreadBinding is in gpu_decision.c. */
#include "search/trace/trace_mutator.h"

#include "search/sketch/factor.h"
#include "search/trace/gpu_decision.h"

#include <string.h>

/* ---- tile size ---- */

/* Moves a divisor above 1 from one part to another one; parts[0] is the outermost. False: two parts, nothing fits. */
static bool move_factor(int64_t *parts, int n, int64_t cap, struct rng *r)
{
    for (;;) {
        int64_t at[DIVISORS_MAX];
        int from = (int)rng_below(r, (uint64_t)n);
        if (parts[from] <= 1)
            continue;
        int to = (int)rng_below(r, (uint64_t)n - 1);
        to += to >= from;
        int most = divisors(parts[from], at) - 1;
        while (to == n - 1 && most > 0 && at[most] * parts[to] > cap)
            most--;
        if (most == 0 && n <= 2)
            return false;
        if (most == 0)
            continue;
        int64_t moved = at[1 + rng_below(r, (uint64_t)most)];
        parts[from] /= moved;
        parts[to] *= moved;
        return true;
    }
}

static bool mutate_tile(const struct trace_space *ts, struct arena *keep, struct arena *work, struct rng *r,
                        const struct trace *parent, struct trace *child)
{
    (void)work;
    const struct trace_layout *o = &ts->layouts[parent->layout];
    int at[STEPS_MAX], n = 0;
    for (int i = 0; i < o->sketch->nsplits; i++)
        if (o->sketch->splits[i].schemes->extent > 1 && o->sketch->splits[i].schemes->extent < DIVISORS_BELOW)
            at[n++] = i;
    if (!n)
        return false;
    int which = at[rng_below(r, (uint64_t)n)];
    const struct schemes *schemes = o->sketch->splits[which].schemes;
    const int64_t *lengths = parent->at + o->tile[which];
    int64_t parts[17] = {schemes->extent};
    for (int i = 0; i < schemes->n; i++) {
        parts[i + 1] = lengths[i];
        parts[0] /= lengths[i];
    }
    if (!move_factor(parts, schemes->n + 1, schemes->cap, r))
        return false;
    *child = trace_copy(ts, keep, parent);
    memcpy(child->at + o->tile[which], parts + 1, sizeof *parts * (size_t)schemes->n);
    return true;
}

/* ---- unroll ---- */

static bool mutate_unroll(const struct trace_space *ts, struct arena *keep, struct arena *work, struct rng *r,
                          const struct trace *parent, struct trace *child)
{
    (void)work;
    const struct trace_layout *o = &ts->layouts[parent->layout];
    int n, m = 0;
    const int64_t *values = space_unrolls(&ts->space, &n);
    int64_t other[8];
    for (int i = 0; i < n; i++)
        if (values[i] != parent->at[o->unroll])
            other[m++] = values[i];
    *child = trace_copy(ts, keep, parent);
    child->at[o->unroll] = other[rng_below(r, (uint64_t)m)];
    return true;
}

/* ---- compute location ---- */

static void choice_remove(struct trace_choice *c, int64_t value)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        if (c->at[i] != value)
            c->at[n++] = c->at[i];
    c->n = n;
}

static bool mutate_location(const struct trace_space *ts, struct arena *keep, struct arena *work, struct rng *r,
                            const struct trace *parent, struct trace *child)
{
    const struct trace_layout *o = &ts->layouts[parent->layout];
    struct trace t = trace_copy(ts, work, parent);
    struct trace_choice *choices = ARENA_ARRAY(work, struct trace_choice, o->nstages + 1);
    int *at = ARENA_ARRAY(work, int, o->nstages + 1), n = 0;
    if (!o->nstages || !trace_structure(ts, work, &t, NULL, choices, NULL, NULL))
        return false;
    for (int i = 0; i < o->nstages; i++) {
        choice_remove(&choices[i], t.at[o->place + i]);
        if (choices[i].n)
            at[n++] = i;
    }
    if (!n)
        return false;
    int which = at[rng_below(r, (uint64_t)n)];
    *child = trace_copy(ts, keep, parent);
    child->at[o->place + which] = choices[which].at[rng_below(r, (uint64_t)choices[which].n)];
    return true;
}

/* ---- parallel ---- */

/* Loops that an extent is thought to fuse in a band. */
static int loops_fused(const struct trace_band *b, int64_t extent)
{
    int i = 0;
    while (i < b->n && b->product[i] <= extent)
        i++;
    if (i > 0 && b->product[i - 1] == extent)
        i--;
    return i < b->n ? i + 1 : i;
}

static bool same_plan(const struct trace_band *bands, int n, int64_t x, int64_t y)
{
    for (int i = 0; i < n; i++)
        if (loops_fused(&bands[i], x) != loops_fused(&bands[i], y))
            return false;
    return true;
}

static bool mutate_parallel(const struct trace_space *ts, struct arena *keep, struct arena *work, struct rng *r,
                            const struct trace *parent, struct trace *child)
{
    const struct trace_layout *o = &ts->layouts[parent->layout];
    struct trace t = trace_copy(ts, work, parent);
    struct state *s = trace_structure(ts, work, &t, NULL, NULL, NULL, NULL);
    if (!s)
        return false;
    struct trace_band *bands = ARENA_ARRAY(work, struct trace_band, s->nstages);
    int nbands = trace_bands(s, ts->parallel, bands), n = 0;
    int64_t *extents = ARENA_ARRAY(work, int64_t, nbands * 2 * ITERS_MAX + 1);
    for (int b = 0; b < nbands; b++)
        for (int i = 0; i < bands[b].n; i++) {
            int64_t extent = bands[b].product[i];
            int k = 0;
            if (extent > ts->parallel || same_plan(bands, nbands, extent, parent->at[o->parallel]))
                continue;
            while (k < n && !same_plan(bands, nbands, extent, extents[k]))
                k++;
            extents[k] = extent; /* of several extents with one plan the last one stands for it */
            n += k == n;
        }
    if (!n)
        return false;
    *child = trace_copy(ts, keep, parent);
    child->at[o->parallel] = extents[rng_below(r, (uint64_t)n)];
    return true;
}

static bool mutate_thread_binding(const struct trace_space *ts, struct arena *keep, struct arena *work, struct rng *r,
                                  const struct trace *parent, struct trace *child)
{
    (void)work;
    *child = trace_copy(ts, keep, parent);
    return gpu_decision_mutate(&ts->layouts[parent->layout], child, r);
}

const struct trace_mutator trace_mutators[TRACE_MUTATORS] = {{"tile size", 0.90, 0.90, mutate_tile},
                                                             {"compute location", 0.05, 0, mutate_location},
                                                             {"unroll", 0.03, 0.08, mutate_unroll},
                                                             {"parallel", 0.02, 0, mutate_parallel},
                                                             {"thread binding", 0, 0.02, mutate_thread_binding}};

const struct trace_mutator *trace_mutator_draw(const struct trace_space *ts, struct rng *r)
{
    double x = rng_unit(r), sum = 0;
    int i = 0;
    for (int k = 0; k < TRACE_MUTATORS && x >= sum; k++) {
        double weight = ts->space.limits.is_gpu ? trace_mutators[k].gpu_weight : trace_mutators[k].cpu_weight;
        sum += weight;
        i = weight > 0 ? k : i; /* rounding of the sum ends at the last one that counts */
    }
    return &trace_mutators[i];
}

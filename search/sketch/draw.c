/* SPDX-License-Identifier: Apache-2.0 */
/* draw: applies the init rules in TVM v0.16's order (harness/doc/ansor.md, "Random annotation"): on CPUs fill tile
 * size, change compute location, parallel, unroll, vectorise; on GPUs fill tile size, bind threads, unroll. Numbers are
 * drawn in TVM's order, too: the sketch, a scheme for each open split, a place for each free stage from the last on,
 * unroll limits, vector lengths. With TVM's random generator in place of ours the draws are TVM's
 * (tests/unit/search/sampling.c). Bounds are inferred twice: the marks need extents, the state's text needs the marks.
 */
#include "search/sketch/draw.h"

#include "search/sketch/annotate.h"
#include "search/sketch/location.h"
#include "search/sketch/stage_query.h"
#include "search/sketch/thread_bind.h"

#include <string.h>

/* Copies the sketch's steps and what comes after them in more (a state grown from the sketch's, or NULL). */
static struct step *steps_of(struct arena *a, const struct sketch *k, const struct state *more, int *n)
{
    *n = more ? more->nsteps : k->nsteps;
    struct step *steps = ARENA_ARRAY(a, struct step, *n + 1);
    memcpy(steps, k->steps, sizeof *steps * (size_t)k->nsteps);
    if (*n > k->nsteps)
        memcpy(steps + k->nsteps, more->steps + k->nsteps, sizeof *steps * (size_t)(*n - k->nsteps));
    return steps;
}

static void fill(struct step *steps, const struct open_split *slot, int64_t scheme)
{
    steps[slot->step].list = slot->schemes->lengths + scheme * slot->schemes->n;
}

/* What decides the marks: chance, or (r NULL) given unroll limits and the longest vector loops. */
struct marks {
    struct rng *r;
    const int64_t *unroll;
};

/* Tiles are filled, places are set: the marks, and the bounds around them. */
static struct state *finish(const struct space *sp, struct arena *a, const struct step *steps, int n,
                            struct marks marks, double *bounds_s, struct err *reason)
{
    struct state *s;
    bool gpu = sp->limits.is_gpu;
    if (!state_replay(a, sp->task, steps, n, &s, reason) || !space_bounds(s, bounds_s, reason) ||
        !(gpu ? thread_bind(sp, s, NULL, reason) : annotate_parallel(sp, s, reason)) ||
        !annotate_unroll(sp, s, marks.r, marks.unroll, reason) || !(gpu || annotate_vectorize(sp, s, marks.r, reason)))
        return NULL;
    if (!gpu && stage_nested_parallel(s)) {
        err_set(reason, "nested parallel loops");
        return NULL;
    }
    return space_bounds(s, bounds_s, reason) ? s : NULL;
}

struct state *draw_state(const struct space *sp, struct arena *a, struct rng *r, double *bounds_s, struct err *reason)
{
    if (!sp->nsketches)
        return NULL;
    const struct sketch *k = &sp->sketches[rng_below(r, (uint64_t)sp->nsketches)];
    struct state *moved = NULL;
    int64_t *scheme = ARENA_ARRAY(a, int64_t, k->nsplits + 1);
    int n;
    for (int i = 0; i < k->nsplits; i++)
        scheme[i] = (int64_t)rng_below(r, (uint64_t)k->splits[i].schemes->count);
    if (k->movable) {
        moved = state_copy(a, k->state);
        if (!location_draw(moved, r, reason))
            return NULL;
    }
    struct step *steps = steps_of(a, k, moved, &n);
    for (int i = 0; i < k->nsplits; i++)
        fill(steps, &k->splits[i], scheme[i]);
    return finish(sp, a, steps, n, (struct marks){r, NULL}, bounds_s, reason);
}

struct state *draw_chosen(const struct space *sp, struct arena *a, const struct sketch *k, const int64_t *scheme,
                          const int64_t *unroll, double *bounds_s, struct err *reason)
{
    int n;
    struct step *steps = steps_of(a, k, NULL, &n);
    for (int i = 0; i < k->nsplits; i++)
        fill(steps, &k->splits[i], scheme[i]);
    return finish(sp, a, steps, n, (struct marks){NULL, unroll}, bounds_s, reason);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* grid: searcher 'grid': every program of a small space, in order: sketches, then all tile sizes, then all unroll
 * limits of each reduction, as one mixed-radix counter. What Ansor draws beside these (compute locations, vector
 * lengths) stays fixed: places as in the sketch, the longest vector loops. Programs that print alike are given once. */
#include "harness/plug/searcher.h"
#include "search/evolution/measured_set.h"
#include "search/sketch/annotate.h"
#include "search/sketch/draw.h"

#include <math.h>

struct grid_options {
    struct space_options space;
    int64_t most;
};
static const struct setting settings[] = {
    SPACE_SETTINGS(struct grid_options, space),
    INT_SETTING("most", struct grid_options, most, "1000000", 1, 1e12, "largest space that is accepted, in points"),
    {0},
};

/* Digits of one sketch: a scheme number per slot, then a number of an unroll limit per reduction. */
struct grid_sketch {
    int nunroll, ndigits;
    int64_t *radix;
};
struct grid_search {
    struct measured_set measured; /* first: measured_set_told */
    struct searcher_env *env;
    struct arena *scratch;
    struct space space;
    struct grid_sketch *sketches;
    int64_t *digits, *start_digits, *unroll; /* of the longest sketch */
    int at, start, longest; /* sketch; start: where the last batch began, looked through again by the next ask */
};

static double grid_size(struct grid_search *g)
{
    int nvalues;
    double size = 0;
    space_unrolls(&g->space, &nvalues);
    g->sketches = ARENA_ARRAY(g->env->arena, struct grid_sketch, g->space.nsketches + 1);
    for (int i = 0; i < g->space.nsketches; i++) {
        const struct sketch *k = &g->space.sketches[i];
        struct grid_sketch *gs = &g->sketches[i];
        double points = 1;
        gs->nunroll = annotate_unrollable(k->state);
        gs->ndigits = k->nsplits + gs->nunroll;
        gs->radix = ARENA_ARRAY(g->env->arena, int64_t, gs->ndigits + 1);
        for (int d = 0; d < gs->ndigits; d++) {
            gs->radix[d] = d < k->nsplits ? k->splits[d].schemes->count : nvalues;
            points *= (double)gs->radix[d];
        }
        size += points;
        g->longest = gs->ndigits > g->longest ? gs->ndigits : g->longest;
    }
    return size;
}

static bool grid_open(void *self, struct searcher_env *env, struct err *err)
{
    struct grid_search *g = self;
    const struct grid_options *o = env->options;
    *g = (struct grid_search){.env = env, .scratch = arena_within(env->arena, "scratch")};
    measured_set_open(&g->measured, env->arena, 0);
    if (!space_open(&g->space, env->arena, env->task, &env->limits, &o->space, err))
        return false;
    double size = grid_size(g);
    if (size > (double)o->most)
        return err_set(err, "the space of '%s' has %.3g points, more than most=%lld", env->task->spec, size,
                       (long long)o->most);
    g->digits = ARENA_ARRAY(g->env->arena, int64_t, g->longest + 1);
    g->start_digits = ARENA_ARRAY(g->env->arena, int64_t, g->longest + 1);
    g->unroll = ARENA_ARRAY(g->env->arena, int64_t, g->longest + 1);
    return true;
}

static void grid_next(struct grid_search *g)
{
    const struct grid_sketch *gs = &g->sketches[g->at];
    for (int d = gs->ndigits - 1; d >= 0; d--) {
        if (++g->digits[d] < gs->radix[d])
            return;
        g->digits[d] = 0;
    }
    g->at++;
}

static struct state *grid_state(struct grid_search *g)
{
    const struct sketch *k = &g->space.sketches[g->at];
    const struct grid_sketch *gs = &g->sketches[g->at];
    int nvalues;
    const int64_t *values = space_unrolls(&g->space, &nvalues);
    for (int i = 0; i < gs->nunroll; i++)
        g->unroll[i] = values[g->digits[k->nsplits + i]];
    return draw_chosen(&g->space, g->scratch, k, g->digits, g->unroll, NULL, NULL);
}

static void grid_move(struct grid_search *g, int from_at, const int64_t *from, int *to_at, int64_t *to)
{
    *to_at = from_at;
    for (int i = 0; i < g->longest; i++)
        to[i] = from[i];
}

static bool grid_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    (void)err;
    struct grid_search *g = self;
    struct map picked = {0};
    enum phase before = phases_enter(g->env->phases, PHASE_sample);
    grid_move(g, g->start, g->start_digits, &g->at, g->digits);
    bool first = true;
    for (*n = 0; *n < max && g->at < g->space.nsketches; grid_next(g)) {
        arena_reset(g->scratch);
        struct state *s = grid_state(g);
        uint64_t hash = s ? state_hash(s) : 0;
        if (!s || !space_fits(&g->space, g->scratch, s, NULL) || measured_set_knows(&g->measured, hash) ||
            !map_put(&picked, hash, 0))
            continue;
        if (first)
            grid_move(g, g->at, g->digits, &g->start, g->start_digits);
        first = false;
        out[(*n)++] = (struct candidate){.task = g->env->task,
                                         .steps = steps_copy(a, s->steps, s->nsteps),
                                         .nsteps = s->nsteps,
                                         .hash = hash,
                                         .score = NAN};
    }
    if (first)
        grid_move(g, g->at, g->digits, &g->start, g->start_digits);
    map_free(&picked);
    phases_enter(g->env->phases, before);
    return true;
}

const struct searcher searcher_grid = {
    .name = "grid",
    .summary = "every program of a small sketch space, in order",
    .settings = settings,
    .options_size = sizeof(struct grid_options),
    .state_size = sizeof(struct grid_search),
    .open = grid_open,
    .ask = grid_ask,
    .tell = measured_set_told,
};

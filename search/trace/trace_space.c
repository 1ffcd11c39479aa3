/* SPDX-License-Identifier: Apache-2.0 */
/* trace_space: see trace_space.h. Instructions of a design space, in the order in which their decisions are sampled: a
 * tile for each open split (uniform over the perfect factorisations whose innermost part keeps to the cap, as
 * MetaSchedule's rejection sampling gives them), one unroll limit for the program, a location for each stage that is
 * not tiled and has a reader, last stage first, once the extents of the loops around are known. The parallel and vector
 * extents are annotations: the rule sets them, a mutator and Droplet change them. */
#include "search/trace/trace_space.h"

#include "search/sketch/stage_query.h"
#include "search/trace/gpu_decision.h"
#include "search/trace/postproc.h"
#include "search/trace/tensor_sketch.h"

#include <string.h>

struct trace_options trace_defaults(void)
{
    return (struct trace_options){
        .max_innermost = 64, .max_jobs_per_core = 16, .max_vectorize = 64, .structure = "SSRSRS"};
}

static struct trace_layout layout_of(struct arena *a, const struct sketch *k, const struct limits *limits)
{
    int *tile = ARENA_ARRAY(a, int, k->nsplits + 1), *stage = ARENA_ARRAY(a, int, k->state->nstages + 1);
    int readers[STAGE_QUERY_MAX];
    struct trace_layout o = {.sketch = k, .tile = tile, .stage = stage};
    for (int i = 0; i < k->nsplits; i++) {
        tile[i] = o.n;
        o.n += k->splits[i].schemes->n + k->splits[i].fixed;
    }
    o.unroll = o.n++;
    o.place = o.n;
    for (int i = k->state->nstages - 1; i >= 0 && !limits->is_gpu; i--)
        if (location_is_free(k->state, i) && stage_consumers(k->state, i, readers) > 0)
            stage[o.nstages++] = i;
    o.n += o.nstages;
    o.parallel = o.n++;
    o.vector = o.n++;
    if (limits->is_gpu)
        gpu_decision_layout(a, limits, &o);
    return o;
}

/* TVM's tensor-core rules come before the others and do not replace them. */
static void add_tensor(struct space *sp, struct arena *a)
{
    struct sketch *all = ARENA_ARRAY(a, struct sketch, sp->nsketches + 1);
    if (!tensor_sketch_make(a, factors_new(a), sp->task, all))
        return;
    for (int i = 0; i < sp->nsketches; i++)
        all[i + 1] = sp->sketches[i];
    sp->sketches = all;
    sp->nsketches++;
}

bool trace_space_open(struct trace_space *ts, struct arena *a, const struct task *task, const struct limits *limits,
                      const struct trace_options *options, struct err *err)
{
    const struct space_options so = {.max_innermost = options->max_innermost,
                                     .cpu_structure = options->structure,
                                     .gpu_structure = GPU_DECISION_STRUCTURE};
    *ts = (struct trace_space){.options = *options, .parallel = limits->cores * options->max_jobs_per_core};
    if (!space_open(&ts->space, a, task, limits, &so, err))
        return false;
    if (limits->is_gpu)
        add_tensor(&ts->space, a);
    ts->layouts = ARENA_ARRAY(a, struct trace_layout, ts->space.nsketches + 1);
    for (int i = 0; i < ts->space.nsketches; i++)
        ts->layouts[i] = layout_of(a, &ts->space.sketches[i], limits);
    return true;
}

struct trace trace_fresh(const struct trace_space *ts, struct arena *a, int layout)
{
    const struct trace_layout *o = &ts->layouts[layout];
    struct trace t = {.layout = layout, .at = ARENA_ARRAY(a, int64_t, o->n)};
    for (int i = 0; i < o->n; i++)
        t.at[i] = TRACE_OPEN;
    t.at[o->parallel] = ts->parallel;
    t.at[o->vector] = ts->options.max_vectorize;
    return t;
}

struct trace trace_copy(const struct trace_space *ts, struct arena *a, const struct trace *t)
{
    return (struct trace){.layout = t->layout, .at = ARENA_DUP(a, t->at, int64_t, ts->layouts[t->layout].n)};
}

/* ---- locations ---- */

/* The loops around the innermost statement of a reader, from the root on; number: MetaSchedule's, which counts a loop
 * once that a fused consumer and its tiled producer share. */
struct path {
    struct place at[2 * ITERS_MAX];
    int64_t number[2 * ITERS_MAX];
    int n;
};

static void path_add(const struct state *s, int stage, int end, int64_t offset, struct path *p)
{
    for (int i = 0; i < end && p->n < 2 * ITERS_MAX; i++) {
        if (stage_iter(&s->stages[stage], i)->annotation == ANN_UNROLL)
            return; /* the indices of a constant tensor, innermost */
        p->at[p->n] = (struct place){stage, i};
        p->number[p->n++] = offset + i;
    }
}

/* all: to the innermost loop of the reader; otherwise to the first loop that holds a stage. */
static void path_of(const struct state *s, int reader, bool all, struct path *p)
{
    const struct stage *st = &s->stages[reader];
    int end = 0;
    int64_t offset = 0;
    p->n = 0;
    if (st->at == AT_ITER) {
        int shared = stage_leaf_of(&s->stages[st->at_stage], st->at_var) + 1;
        path_add(s, st->at_stage, shared, 0, p);
        offset = stage_is_tiled(s, reader) ? 0 : shared;
    }
    while (end < st->nleaf && (all || end == 0 || !state_has_attached(s, reader, end - 1)))
        end++;
    path_add(s, reader, end, offset, p);
}

/* Fills c with what the stage can choose, and loop[i] with the loop behind c->at[i]: of the loops around its reader (of
 * several readers: around what they share) those longer than 1, but spatial loops inside a reduction and reductions
 * with no spatial loop inside (MetaSchedule's CollectComputeLocation). */
static void places_of(const struct state *s, int stage, struct trace_choice *c, struct place loop[LOCATION_MAX + 2])
{
    int readers[STAGE_QUERY_MAX], nreaders = stage_consumers(s, stage, readers),
                                  reader = stage_single_consumer(s, stage);
    int last_spatial = -1;
    bool reduces = false;
    struct path p = {.n = 0};
    c->n = 0;
    if (!stage_has_reduce(s, stage))
        c->at[c->n++] = TRACE_INLINE;
    c->at[c->n++] = TRACE_ROOT;
    if (reader >= 0)
        path_of(s, reader, nreaders == 1, &p);
    for (int i = 0; i < p.n; i++)
        if (stage_iter(&s->stages[p.at[i].stage], p.at[i].iter)->kind == ITER_SPATIAL)
            last_spatial = i;
    for (int i = 0; i < p.n && c->n < LOCATION_MAX; i++) {
        const struct ivar *v = stage_iter(&s->stages[p.at[i].stage], p.at[i].iter);
        if (v->extent == 1)
            continue;
        if (v->kind == ITER_SPATIAL ? reduces : i > last_spatial)
            break;
        reduces = reduces || v->kind != ITER_SPATIAL;
        loop[c->n] = p.at[i];
        c->at[c->n++] = p.number[i];
    }
}

/* Which choice an old decision means: itself, or the last one before it. */
static int choice_of(const struct trace_choice *c, int64_t decided)
{
    int best = c->at[0] == TRACE_INLINE && decided != TRACE_INLINE ? 1 : 0;
    for (int i = best; i < c->n && decided != TRACE_INLINE; i++)
        if (c->at[i] <= decided)
            best = i;
    return best;
}

static bool place_stage(struct state *s, int stage, int64_t *decision, struct rng *r, struct trace_choice *c,
                        struct err *reason)
{
    struct place loop[LOCATION_MAX + 2];
    places_of(s, stage, c, loop);
    int i = *decision == TRACE_OPEN ? (int)rng_below(r, (uint64_t)c->n) : choice_of(c, *decision);
    *decision = c->at[i];
    if (*decision == TRACE_ROOT)
        return true;
    if (*decision == TRACE_INLINE)
        return state_compute_inline(s, stage, reason);
    return state_compute_at(s, stage, loop[i].stage, loop[i].iter, reason);
}

/* ---- replaying ---- */

static void decide_tiles(const struct trace_layout *o, struct trace *t, struct step *steps, struct rng *r)
{
    for (int i = 0; i < o->sketch->nsplits; i++) {
        const struct open_split *slot = &o->sketch->splits[i];
        int64_t *lengths = t->at + o->tile[i];
        int n = slot->schemes->n;
        if (lengths[0] == TRACE_OPEN)
            memcpy(lengths, slot->schemes->lengths + (int64_t)rng_below(r, (uint64_t)slot->schemes->count) * n,
                   sizeof *lengths * (size_t)n);
        for (int k = n; k < n + slot->fixed; k++)
            lengths[k] = o->sketch->steps[slot->step].list[k];
        steps[slot->step].list = lengths;
    }
}

struct state *trace_structure(const struct trace_space *ts, struct arena *a, struct trace *t, struct rng *r,
                              struct trace_choice *choices, double *bounds_s, struct err *reason)
{
    const struct trace_layout *o = &ts->layouts[t->layout];
    struct step *steps = ARENA_DUP(a, o->sketch->steps, struct step, o->sketch->nsteps);
    struct trace_choice choice;
    struct state *s;
    int nvalues;
    const int64_t *values = space_unrolls(&ts->space, &nvalues);
    decide_tiles(o, t, steps, r);
    gpu_decision_across(o, t, steps, r);
    if (t->at[o->unroll] == TRACE_OPEN)
        t->at[o->unroll] = values[rng_below(r, (uint64_t)nvalues)];
    if (!state_replay(a, ts->space.task, steps, o->sketch->nsteps, &s, reason) || !space_bounds(s, bounds_s, reason))
        return NULL;
    for (int i = 0; i < o->nstages; i++)
        if (!place_stage(s, o->stage[i], &t->at[o->place + i], r, choices ? &choices[i] : &choice, reason) ||
            !space_bounds(s, bounds_s, reason))
            return NULL;
    return s;
}

struct state *trace_replay(const struct trace_space *ts, struct arena *a, struct trace *t, struct rng *r,
                           double *bounds_s, struct err *reason)
{
    const struct trace_layout *o = &ts->layouts[t->layout];
    struct state *s = trace_structure(ts, a, t, r, NULL, bounds_s, reason);
    if (!s)
        return NULL;
    bool gpu = ts->space.limits.is_gpu;
    if (gpu)
        gpu_decision_bind(o, t, r);
    bool fine = gpu ? gpu_decision_apply(&ts->space, o, s, t, reason)
                    : postproc_apply(s, t->at[o->parallel], t->at[o->vector], t->at[o->unroll], reason);
    return fine && space_bounds(s, bounds_s, reason) ? s : NULL;
}

/* ---- parallel loops ---- */

/* Adds the extents of the loops around and of a stage's first leaves, from the root on; false at one that is not
 * spatial.
 */
static bool add_extents(const struct state *s, int stage, int leaves, int64_t out[2 * ITERS_MAX], int *n)
{
    const struct stage *st = &s->stages[stage];
    if (st->at == AT_ITER &&
        !add_extents(s, st->at_stage, stage_leaf_of(&s->stages[st->at_stage], st->at_var) + 1, out, n))
        return false;
    for (int i = 0; i < leaves; i++) {
        if (stage_iter(st, i)->kind != ITER_SPATIAL || *n == 2 * ITERS_MAX)
            return false;
        out[(*n)++] = stage_iter(st, i)->extent;
    }
    return true;
}

int trace_bands(const struct state *s, int64_t limit, struct trace_band *out)
{
    int n = 0;
    for (int i = 0; i < s->nstages; i++) {
        int64_t extent[2 * ITERS_MAX], product = 1;
        if (!stage_is_compute(s, i) || s->stages[i].at == AT_INLINED)
            continue;
        int m = 0;
        (void)add_extents(s, i, s->stages[i].nleaf, extent, &m);
        struct trace_band *b = &out[n];
        b->n = 0;
        for (int k = 0; k < m && product < limit; k++)
            b->product[b->n++] = product *= extent[k];
        n += b->n > 0;
    }
    return n;
}

/* ---- steps to trace ---- */

static bool same_step(const struct step *x, const struct step *y, bool lists)
{
    return x->kind == y->kind && x->stage == y->stage && x->iter == y->iter && x->target == y->target &&
           x->value == y->value && x->value2 == y->value2 && x->flag == y->flag && x->n == y->n &&
           (!lists || !x->n || memcmp(x->list, y->list, sizeof *x->list * (size_t)x->n) == 0);
}

static bool same_steps(const struct state *s, const struct step *steps, int n)
{
    bool same = s && s->nsteps == n;
    for (int i = 0; same && i < n; i++)
        same = same_step(&s->steps[i], &steps[i], true);
    return same;
}

/* The steps begin as the sketch does but for open lengths, which become decisions. */
static bool read_tiles(const struct trace_layout *o, const struct step *steps, int n, struct trace *t)
{
    if (n < o->sketch->nsteps)
        return false;
    for (int i = 0, slot = 0; i < o->sketch->nsteps; i++) {
        bool open = slot < o->sketch->nsplits && o->sketch->splits[slot].step == i;
        int across = gpu_decision_is_across(o, i);
        if (!same_step(&o->sketch->steps[i], &steps[i], !open && across < 0))
            return false;
        if (across >= 0)
            t->at[o->across + across] = steps[i].list[0];
        else if (open)
            memcpy(t->at + o->tile[slot++], steps[i].list, sizeof *t->at * (size_t)steps[i].n);
    }
    return true;
}

/* What the steps after the sketch say: where stages are computed, what is unrolled. A loop is found by trying, since
 * its number depends on the stages that were placed before. */
static bool read_places(const struct trace_space *ts, struct arena *a, const struct step *steps, int n, struct trace *t)
{
    const struct trace_layout *o = &ts->layouts[t->layout];
    int at = o->sketch->nsteps;
    t->at[o->unroll] = 0;
    for (int i = 0; i < n; i++)
        if (steps[i].kind == STEP_PR)
            t->at[o->unroll] = steps[i].value;
    for (int i = 0; i < o->nstages; i++)
        t->at[o->place + i] = TRACE_ROOT;
    for (int i = 0; i < o->nstages; i++) {
        bool mine = at < n && steps[at].stage == o->stage[i];
        if (mine && steps[at].kind == STEP_CI) {
            t->at[o->place + i] = TRACE_INLINE;
        } else if (mine && steps[at].kind == STEP_CA) {
            struct trace_choice *choices = ARENA_ARRAY(a, struct trace_choice, o->nstages);
            bool found = false;
            if (!trace_structure(ts, a, t, NULL, choices, NULL, NULL))
                return false;
            struct trace_choice c = choices[i];
            for (int k = 0; k < c.n && !found; k++) {
                t->at[o->place + i] = c.at[k];
                struct state *s = c.at[k] >= 0 ? trace_structure(ts, a, t, NULL, choices, NULL, NULL) : NULL;
                found = s && s->nsteps > at && same_step(&s->steps[at], &steps[at], true);
            }
            if (!found)
                return false;
        } else {
            continue;
        }
        at++;
    }
    return true;
}

/* The parallel extent: the rule's if it gives these steps, else the least that does. */
static bool read_parallel(const struct trace_space *ts, struct arena *a, const struct step *steps, int n,
                          struct trace *t)
{
    const struct trace_layout *o = &ts->layouts[t->layout];
    if (same_steps(trace_replay(ts, a, t, NULL, NULL, NULL), steps, n))
        return true;
    struct state *s = trace_structure(ts, a, t, NULL, NULL, NULL, NULL);
    if (!s)
        return false;
    struct trace_band *bands = ARENA_ARRAY(a, struct trace_band, s->nstages);
    int nbands = trace_bands(s, ts->parallel, bands);
    for (int i = 0; i < nbands; i++)
        for (int k = 0; k < bands[i].n; k++) {
            t->at[o->parallel] = bands[i].product[k];
            if (same_steps(trace_replay(ts, a, t, NULL, NULL, NULL), steps, n))
                return true;
        }
    return false;
}

bool trace_find(const struct trace_space *ts, struct arena *a, const struct step *steps, int n, struct trace *out)
{
    for (int i = 0; i < ts->space.nsketches; i++) {
        struct trace t = trace_fresh(ts, a, i);
        if (!read_tiles(&ts->layouts[i], steps, n, &t) || !read_places(ts, a, steps, n, &t) ||
            (gpu_decision_read(&ts->layouts[i], steps, n, &t), !read_parallel(ts, a, steps, n, &t)))
            continue;
        *out = t;
        return true;
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mutate: TVM v0.16's four mutations (harness/doc/ansor.md, "Mutations"). Quirks kept: the location mutation counts
 * iterators in the finished state but writes the number into the middle of the history, where later fusions have not
 * happened yet; the unroll mutation may draw the value that is there. Deviation: none in distribution; random streams
 * are our own. */
#include "search/evolution/mutate.h"

#include "search/sketch/location.h"
#include "search/sketch/stage_query.h"

#include <string.h>

static struct step *steps_dup(struct arena *a, struct genome g)
{
    return ARENA_DUP(a, g.steps, struct step, g.n);
}

/* ---- tile size ---- */

static bool is_mutable_split(const struct space *sp, const struct step *st)
{
    return st->kind == STEP_SP && st->extent > 0 && st->n > 0 && st->n < 16 && st->list[st->n - 1] > 0 &&
           st->list[st->n - 1] <= sp->options.max_innermost;
}

/* A split of a loop longer than 1, uniformly with bounded retries; -1 none found. */
static int pick_split(const struct space *sp, struct genome g, struct rng *r)
{
    int at[STEPS_MAX], n = 0;
    for (int i = 0; i < g.n && n < STEPS_MAX; i++)
        if (is_mutable_split(sp, &g.steps[i]))
            at[n++] = i;
    for (int tries = 0; n && tries < 4 * n; tries++) {
        int i = at[rng_below(r, (uint64_t)n)];
        if (g.steps[i].extent > 1)
            return i;
    }
    return -1;
}

/* A random divisor over 1 of the source that may move to the destination; 0 none. */
static int64_t pick_divisor(int64_t source, int64_t destination, int64_t cap, struct rng *r)
{
    int64_t at[DIVISORS_MAX];
    int n = divisors(source, at) - 1;
    while (n > 0 && cap > 0 && at[n] * destination > cap)
        n--;
    return n > 0 ? at[1 + rng_below(r, (uint64_t)n)] : 0;
}

static bool mutate_tile(const struct space *sp, struct arena *keep, struct arena *work, struct rng *r,
                        struct genome parent, struct genome *child)
{
    (void)work;
    int at = pick_split(sp, parent, r);
    if (at < 0)
        return false;
    const struct step *split = &parent.steps[at];
    int64_t lengths[17], inner = 1;
    int order[17], n = split->n + 1;
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = 1; i < n; i++)
        inner *= lengths[i] = split->list[i - 1];
    lengths[0] = split->extent / inner;
    rng_shuffle(r, order, n);
    for (int i = 0; i < n; i++) {
        int from = order[i], to = order[(i + 1) % n];
        if (lengths[from] <= 1)
            continue;
        int64_t moved = pick_divisor(lengths[from], lengths[to], to == n - 1 ? sp->options.max_innermost : 0, r);
        if (!moved)
            continue;
        lengths[from] /= moved;
        lengths[to] *= moved;
        struct step *steps = steps_dup(keep, parent);
        steps[at].list = ARENA_DUP(keep, lengths + 1, int64_t, split->n);
        *child = (struct genome){steps, parent.n};
        return true;
    }
    return false;
}

/* ---- auto-unroll ---- */

static bool mutate_unroll(const struct space *sp, struct arena *keep, struct arena *work, struct rng *r,
                          struct genome parent, struct genome *child)
{
    (void)work;
    int at[STEPS_MAX], n = 0, nvalues;
    const int64_t *values = space_unrolls(sp, &nvalues);
    for (int i = 0; i < parent.n && n < STEPS_MAX; i++)
        if (parent.steps[i].kind == STEP_PR && str_starts(parent.steps[i].text, "auto_unroll_max_step"))
            at[n++] = i;
    if (!n)
        return false;
    struct step *steps = steps_dup(keep, parent), *pragma = &steps[at[rng_below(r, (uint64_t)n)]];
    pragma->value = values[rng_below(r, (uint64_t)nvalues)];
    pragma->text = arena_printf(keep, "auto_unroll_max_step$%lld", (long long)pragma->value);
    *child = (struct genome){steps, parent.n};
    return true;
}

/* ---- compute location ---- */

static bool mutate_location(const struct space *sp, struct arena *keep, struct arena *work, struct rng *r,
                            struct genome parent, struct genome *child)
{
    int at[STEPS_MAX], n = 0;
    if (sp->options.fixed_location)
        return false;
    for (int i = 0; i < parent.n && n < STEPS_MAX; i++)
        if (parent.steps[i].kind == STEP_CA)
            at[n++] = i;
    if (!n)
        return false;
    struct state *s = space_state(sp, work, parent.steps, parent.n, NULL, NULL), *t;
    if (!s)
        return false;
    int m = 0;
    for (int i = 0; i < n; i++) {
        int stage = stage_now(s, at[i]);
        if (!stage_is_tiled(s, stage) && !stage_needs_tiling(s, stage))
            at[m++] = at[i];
    }
    if (!m)
        return false;
    int step = at[rng_below(r, (uint64_t)m)], stage = stage_now(s, step);
    struct place places[LOCATION_MAX];
    int nplaces = location_places(s, stage, places);
    if (!nplaces)
        return false;
    struct place p = places[rng_below(r, (uint64_t)nplaces)];
    struct step *steps = steps_dup(keep, parent);
    steps[step].target = p.stage - (stage - steps[step].stage);
    steps[step].iter = p.iter;
    *child = (struct genome){steps, parent.n};
    return state_replay(work, sp->task, steps, parent.n, &t, NULL);
}

/* ---- parallel ---- */

static bool is_parallel_fuse(struct genome g, int i)
{
    return i > 0 && g.steps[i].kind == STEP_AN && g.steps[i].value == ANN_PARALLEL && g.steps[i].iter == 0 &&
           g.steps[i - 1].kind == STEP_FU && g.steps[i - 1].n > 0 && g.steps[i - 1].list[0] == 0;
}

/* How many leading iterators can be fused. */
static int fusable(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    int n = 0;
    for (; n < st->nleaf; n++) {
        const struct ivar *v = stage_iter(st, n);
        if (v->kind == ITER_REDUCE || v->annotation != ANN_NONE || state_has_attached(s, stage, n))
            break;
    }
    return n;
}

/* Later marks on the stage move by shift; anything else on it, or a step that renumbers stages, cannot be kept. */
static bool shift_later(struct step *steps, int n, int from, int stage, int shift)
{
    for (int i = from; i < n; i++) {
        if (step_new_stages(steps[i].kind))
            return false;
        if (steps[i].stage != stage)
            continue;
        if (steps[i].kind != STEP_AN && steps[i].kind != STEP_PR)
            return false;
        if (steps[i].iter != 0)
            steps[i].iter += shift;
    }
    return true;
}

static bool mutate_parallel(const struct space *sp, struct arena *keep, struct arena *work, struct rng *r,
                            struct genome parent, struct genome *child)
{
    int at[STEPS_MAX], n = 0;
    for (int i = 0; i < parent.n && n < STEPS_MAX; i++)
        if (is_parallel_fuse(parent, i))
            at[n++] = i;
    if (!n)
        return false;
    int step = at[rng_below(r, (uint64_t)n)];
    const struct step *fuse = &parent.steps[step - 1];
    struct state *s;
    if (!state_replay(work, sp->task, parent.steps, step - 1, &s, NULL))
        return false;
    int most = fusable(s, fuse->stage);
    if (most == 0)
        return false;
    int length = 1 + (int)rng_below(r, (uint64_t)most), shift = fuse->n - length;
    if (shift == 0)
        return false;
    struct step *steps = steps_dup(keep, parent);
    int64_t *list = ARENA_ARRAY(keep, int64_t, length);
    for (int i = 0; i < length; i++)
        list[i] = i;
    steps[step - 1].list = list;
    steps[step - 1].n = length;
    *child = (struct genome){steps, parent.n};
    return shift_later(steps, parent.n, step + 1, fuse->stage, shift) &&
           state_replay(work, sp->task, steps, parent.n, &s, NULL);
}

const struct mutation mutations[MUTATIONS] = {{"tile size", 0.90, 0.90, mutate_tile},
                                              {"auto-unroll", 0.04, 0.10, mutate_unroll},
                                              {"compute location", 0.05, 0, mutate_location},
                                              {"parallel", 0.01, 0, mutate_parallel}};

const struct mutation *mutation_draw(const struct space *sp, struct rng *r)
{
    double x = rng_unit(r), sum = 0;
    int i = 0;
    for (; i < MUTATIONS - 1; i++) {
        sum += sp->limits.is_gpu ? mutations[i].gpu_weight : mutations[i].cpu_weight;
        if (x < sum)
            break;
    }
    return &mutations[i];
}

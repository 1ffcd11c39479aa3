/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: making, copying and replaying states. What the single steps do is in apply.c (one stage's loops and place)
 * and apply_stage.c (new stages).
 *
 * A state owns its arrays, so that bound inference may write into them; names, op pointers and relations' meaning are
 * shared. Growing arrays (vars, rels, steps) have capacity 8 or the next power of two of their length, so no capacity
 * is stored. Leaves have room for ITERS_MAX. */
#include "harness/program/schedule/schedule.h"

#include "harness/program/schedule/apply.h"
#include "harness/program/schedule/apply_stage.h"

#include <string.h>

static int capacity(int n)
{
    int cap = 8;
    while (cap < n)
        cap *= 2;
    return cap;
}

static void *array_copy(struct arena *a, const void *from, int n, size_t size)
{
    void *to = arena_alloc(a, (size_t)capacity(n) * size);
    return n ? memcpy(to, from, (size_t)n * size) : to;
}

void stage_init(struct arena *a, struct stage *st, const struct op *op)
{
    int n = op->nspatial + op->nreduce;
    *st = (struct stage){.op = op, .at_stage = -1, .at_var = -1, .pragma_var = -1};
    if (op->kind == OP_PLACEHOLDER)
        return;
    st->vars = ARENA_ARRAY(a, struct ivar, capacity(n));
    st->leaf = ARENA_ARRAY(a, int, ITERS_MAX);
    for (int i = 0; i < n && i < ITERS_MAX; i++) {
        st->vars[i] = (struct ivar){.name = op->axes[i].name,
                                    .kind = i < op->nspatial ? ITER_SPATIAL : ITER_REDUCE,
                                    .extent = op->axes[i].extent,
                                    .atom = -1};
        st->leaf[i] = i;
    }
    st->nvars = st->nleaf = n < ITERS_MAX ? n : ITERS_MAX;
}

struct state *state_new(struct arena *a, const struct task *task)
{
    struct state *s = ARENA_NEW(a, struct state);
    *s = (struct state){.arena = a, .task = task, .dag = task->dag, .nstages = task->dag->nops, .concrete = true};
    s->stages = ARENA_ARRAY(a, struct stage, s->nstages);
    for (int i = 0; i < s->nstages; i++)
        stage_init(a, &s->stages[i], s->dag->ops[i]);
    s->steps = ARENA_ARRAY(a, struct step, capacity(0));
    return s;
}

static void stage_copy(struct arena *a, struct stage *st, bool deep_forms)
{
    if (st->op->kind == OP_PLACEHOLDER)
        return;
    st->vars = array_copy(a, st->vars, st->nvars, sizeof *st->vars);
    st->rels = st->nrels ? array_copy(a, st->rels, st->nrels, sizeof *st->rels) : NULL;
    int *leaf = ARENA_ARRAY(a, int, ITERS_MAX);
    memcpy(leaf, st->leaf, sizeof *leaf * (size_t)st->nleaf);
    st->leaf = leaf;
    for (int i = 0; deep_forms && i < st->nvars; i++)
        st->vars[i].min = affine_copy(a, st->vars[i].min);
}

/* Into the same arena, what never changes is shared: step lists, names, bounds. Into another one, all but the names of
 * axes is copied, so that the first may go. */
struct state *state_copy(struct arena *a, const struct state *s)
{
    bool deep = a != s->arena;
    struct state *c = ARENA_NEW(a, struct state);
    *c = *s;
    c->arena = a;
    c->stages = ARENA_DUP(a, s->stages, struct stage, s->nstages);
    for (int i = 0; i < c->nstages; i++)
        stage_copy(a, &c->stages[i], deep && s->atoms);
    c->steps = array_copy(a, s->steps, s->nsteps, sizeof *s->steps);
    if (!deep)
        return c;
    for (int i = 0; i < c->nsteps; i++) {
        if (c->steps[i].n > 0)
            c->steps[i].list = ARENA_DUP(a, c->steps[i].list, int64_t, c->steps[i].n);
        c->steps[i].text = arena_str(a, c->steps[i].text);
    }
    if (s->atoms)
        c->atoms = atoms_copy(a, s->atoms);
    for (int i = 0; i < c->nstages; i++) {
        struct stage *st = &c->stages[i];
        int naxes = st->op->nspatial + st->op->nreduce;
        for (int v = naxes; v < st->nvars; v++)
            st->vars[v].name = arena_str(a, st->vars[v].name);
    }
    for (int i = 0; c->atoms && i < c->atoms->n; i++)
        c->atoms->at[i].name = arena_str(a, c->atoms->at[i].name);
    return c;
}

/* Bounds no longer hold: minima may refer to atoms that are gone. Extents stay until a step makes them unknown. */
static void forget_bounds(struct state *s)
{
    if (!s->atoms)
        return;
    s->atoms = NULL;
    for (int i = 0; i < s->nstages; i++)
        for (int v = 0; v < s->stages[i].nvars; v++) {
            s->stages[i].vars[v].min = affine_const(0);
            s->stages[i].vars[v].atom = -1;
        }
}

static void append_step(struct state *s, const struct step *step)
{
    s->steps = array_grow(s->arena, s->steps, s->nsteps, sizeof *s->steps);
    struct step *own = &s->steps[s->nsteps++];
    *own = *step;
    if (step->n > 0)
        own->list = ARENA_DUP(s->arena, step->list, int64_t, step->n);
    own->text = arena_str(s->arena, step->text);
}

void *array_grow(struct arena *a, void *at, int n, size_t size)
{
    if (at && (n < 8 || (n & (n - 1)) != 0))
        return at;
    void *grown = arena_alloc(a, (size_t)capacity(n + 1) * size);
    return n ? memcpy(grown, at, (size_t)n * size) : grown;
}

bool state_apply(struct state *s, const struct step *step, struct err *err)
{
    if (step->kind < 0 || step->kind >= STEP_COUNT)
        bug("step kind %d", (int)step->kind);
    if (step->n < 0 || step->n > STEP_LIST_MAX || s->nsteps >= STEPS_MAX)
        return err_set(err, "step %d: too many steps or list entries", s->nsteps);
    forget_bounds(s);
    bool done = step_changes_stages(step->kind) ? apply_stage_step(s, step, err) : apply_step(s, step, err);
    if (!done)
        return err_context(err, "step %d (%s, stage %d)", s->nsteps, step_code(step->kind), step->stage);
    append_step(s, step);
    return true;
}

bool state_replay(struct arena *a, const struct task *task, const struct step *steps, int n, struct state **out,
                  struct err *err)
{
    struct state *s = state_new(a, task);
    for (int i = 0; i < n; i++)
        if (!state_apply(s, &steps[i], err))
            return false;
    *out = s;
    return true;
}

int stage_leaf_of(const struct stage *st, int var)
{
    for (int i = 0; i < st->nleaf; i++)
        if (st->leaf[i] == var)
            return i;
    return -1;
}

bool state_has_attached(const struct state *s, int stage, int leaf)
{
    int var = s->stages[stage].leaf[leaf];
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage && s->stages[i].at_var == var)
            return true;
    return false;
}

/* Makers */

/* Known extent of an iterator for the record, 0 when there is none to name. */
static int64_t recorded_extent(const struct state *s, int stage, int iter)
{
    if (stage < 0 || stage >= s->nstages || iter < 0 || iter >= s->stages[stage].nleaf)
        return 0;
    int64_t extent = stage_iter(&s->stages[stage], iter)->extent;
    return extent > 0 ? extent : 0;
}

bool state_split(struct state *s, int stage, int iter, const int64_t *lengths, int n, bool inner_to_outer,
                 struct err *err)
{
    struct step st = {.kind = STEP_SP,
                      .stage = stage,
                      .iter = iter,
                      .extent = recorded_extent(s, stage, iter),
                      .list = lengths,
                      .n = n,
                      .flag = inner_to_outer};
    return state_apply(s, &st, err);
}

bool state_follow_split(struct state *s, int stage, int iter, int source_step, int n_split, struct err *err)
{
    struct step st = {.kind = STEP_FSP, .stage = stage, .iter = iter, .value = source_step, .value2 = n_split};
    return state_apply(s, &st, err);
}

bool state_fuse(struct state *s, int stage, int first_iter, int n, struct err *err)
{
    int64_t list[STEP_LIST_MAX];
    for (int i = 0; i < n && i < STEP_LIST_MAX; i++)
        list[i] = first_iter + i;
    struct step st = {.kind = STEP_FU, .stage = stage, .list = list, .n = n};
    return state_apply(s, &st, err);
}

bool state_reorder(struct state *s, int stage, const int *order, int n, struct err *err)
{
    int64_t list[STEP_LIST_MAX];
    for (int i = 0; i < n && i < STEP_LIST_MAX; i++)
        list[i] = order[i];
    struct step st = {.kind = STEP_RE, .stage = stage, .list = list, .n = n};
    return state_apply(s, &st, err);
}

bool state_annotate(struct state *s, int stage, int iter, enum annotation ann, struct err *err)
{
    struct step st = {.kind = STEP_AN, .stage = stage, .iter = iter, .value = ann};
    return state_apply(s, &st, err);
}

bool state_pragma_unroll(struct state *s, int stage, int iter, int64_t value, struct err *err)
{
    char text[64] = "auto_unroll_max_step$";
    char *end = text + sizeof "auto_unroll_max_step$" - 1, digits[24];
    int n = 0;
    for (int64_t v = value < 0 ? 0 : value; n == 0 || v > 0; v /= 10)
        digits[n++] = (char)('0' + v % 10);
    while (n > 0)
        *end++ = digits[--n];
    struct step st = {.kind = STEP_PR, .stage = stage, .iter = iter, .value = value, .text = text};
    return state_apply(s, &st, err);
}

bool state_compute_at(struct state *s, int stage, int target, int iter, struct err *err)
{
    struct step st = {.kind = STEP_CA, .stage = stage, .target = target, .iter = iter};
    return state_apply(s, &st, err);
}

bool state_compute_inline(struct state *s, int stage, struct err *err)
{
    struct step st = {.kind = STEP_CI, .stage = stage};
    return state_apply(s, &st, err);
}

bool state_compute_root(struct state *s, int stage, struct err *err)
{
    struct step st = {.kind = STEP_CR, .stage = stage};
    return state_apply(s, &st, err);
}

bool state_cache_write(struct state *s, int stage, const char *scope, struct err *err)
{
    struct step st = {.kind = STEP_CHW, .stage = stage, .text = scope};
    return state_apply(s, &st, err);
}

bool state_rfactor(struct state *s, int stage, int iter, int factor_axis, struct err *err)
{
    struct step st = {.kind = STEP_RF, .stage = stage, .iter = iter, .value = factor_axis};
    return state_apply(s, &st, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* state: making and copying states.
 *
 * A state owns its arrays, so that bound inference may write into them; names, op pointers and relations' meaning are
 * shared. Growing arrays (vars, rels, steps) have capacity 8 or the next power of two of their length, so no capacity
 * is stored. Leaves have room for ITERS_MAX. */
#include "harness/program/schedule/state.h"

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
    return arena_extend(a, from, (size_t)n * size, (size_t)capacity(n) * size);
}

void *state_array_grow(struct arena *a, void *at, int n, size_t size)
{
    if (at && (n < 8 || (n & (n - 1)) != 0))
        return at;
    return arena_extend(a, at, (size_t)n * size, (size_t)capacity(n + 1) * size);
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
    st->leaf = arena_extend(a, st->leaf, sizeof *st->leaf * (size_t)st->nleaf, sizeof *st->leaf * ITERS_MAX);
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
    c->nest = NULL;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rewrite: the rewriting. A loop over `extent` turns around statements becomes extent / turns blocks around the
 * same statements, each of which runs for all turns of the block, next to its vector loop:
 *
 *     for L < 8: { alloc t[4]; for k < 9: for v < 4: t[v] += x[L, k] * w[k, v] }
 *     for L' < 2: { alloc t[4, 4]; for k < 9: for j < 4: for v < 4: t[j, v] += x[L' * 4 + j, k] * w[k, v] }
 *
 * Now w[k, v] serves four sums, or, where all is neighbours over j and v, the two are one vector loop. Schedules with
 * one pixel per turn, or four lanes, are common among the published ones. Turns of a spatial loop do not depend on each
 * other, so only the order between elements changes, never the order of the sums of one. What is allocated inside gets
 * a dimension for the turns.
 *
 * Which loop and how many turns: candidates are the loops right around a reduction, and the estimated cost of
 * the whole nest decides (cycle_estimate.h). Temporaries must stay in the first-level cache, and a parallel loop must
 * keep enough blocks to share out. */
#include "targets/cpu/tile/tile_rewrite.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/tile/cycle_estimate.h"

#include <string.h>

#define ROUNDS 4     /* loops sunk into each other */
#define PAYS 0.85    /* of the cost before */
#define CANDIDATES 3 /* loops tried around a reduction */
#define MOST_TURNS 16
#define INSIDE (24 << 10) /* bytes of temporaries, all turns */
#define BLOCKS 24         /* that a parallel loop keeps, or a multiple of 8 */

struct choice {
    const struct stmt *loop;
    int64_t turns; /* at a time; divides the extent */
};
struct tile_rewrite {
    struct emitter *em;
    struct atoms *atoms;
    const struct choice *w;
    int atom;            /* of the loop over blocks */
    struct affine *with; /* what the loop's variable is now, by atom */
    bool *has;
    struct buffer **copy; /* by buffer: the one with the new dimension, or NULL */
};

static struct affine turn(struct tile_rewrite *k, int j)
{
    return j < 0 ? affine_const(0) : affine_atom(k->atoms, j);
}

static struct affine moved(struct tile_rewrite *k, struct affine a, int j)
{
    struct affine block = affine_scale(k->atoms, affine_atom(k->atoms, k->atom), k->w->turns);
    k->with[k->w->loop->atom] = affine_add(k->atoms, block, turn(k, j));
    return affine_replace(k->atoms, a, k->with, k->has, k->w->loop->atom + 1);
}

/* Where the new dimension goes: in front of the last one with more than one element, that of the vector loop. */
static int place(const struct buffer *b)
{
    int d = b->ndim - 1;
    while (d > 0 && b->extent[d] == 1)
        d--;
    return d;
}

static const struct affine *move_index(struct tile_rewrite *k, const struct buffer *b, const struct affine *index,
                                       int j)
{
    const struct buffer *c = k->copy[b->id];
    int at_turn = place(b);
    struct affine *out = ARENA_ARRAY(k->em->arena, struct affine, b->ndim + 1);
    for (int d = 0; d < b->ndim; d++) {
        struct affine at = index[d];
        if (c && b->min)
            at = affine_sub(k->atoms, at, b->min[d]);
        out[d + (c && d >= at_turn)] = moved(k, at, j);
    }
    if (c)
        out[at_turn] = turn(k, j);
    return out;
}

static const struct value *move_value(struct tile_rewrite *k, const struct value *v, int j)
{
    struct value *out = ARENA_DUP(k->em->arena, v, struct value, 1);
    if (v->kind == EXPR_LOAD) {
        out->index = move_index(k, v->buffer, v->index, j);
        out->buffer = k->copy[v->buffer->id] ? k->copy[v->buffer->id] : v->buffer;
    } else if (v->kind == EXPR_INDEX) {
        struct affine *a = ARENA_NEW(k->em->arena, struct affine);
        *a = moved(k, *v->index, j);
        out->index = a;
    }
    const struct value **args = (const struct value **)ARENA_ARRAY(k->em->arena, struct value *, v->nargs + 1);
    for (int i = 0; i < v->nargs; i++)
        args[i] = move_value(k, v->args[i], j);
    out->args = args;
    return out;
}

static struct stmt *stmt_with(struct tile_rewrite *k, const struct stmt *s, struct stmt *only)
{
    struct stmt *out = ARENA_DUP(k->em->arena, s, struct stmt, 1), **body = ARENA_ARRAY(k->em->arena, struct stmt *, 1);
    body[0] = only;
    out->body = body;
    out->nbody = 1;
    return out;
}

/* s for turn j of the block. */
static struct stmt *move_stmt(struct tile_rewrite *k, const struct stmt *s, int j)
{
    struct stmt *out = ARENA_DUP(k->em->arena, s, struct stmt, 1), **body;
    if (s->kind == STMT_STORE) {
        out->index = move_index(k, s->buffer, s->index, j);
        out->buffer = k->copy[s->buffer->id] ? k->copy[s->buffer->id] : s->buffer;
        out->value = move_value(k, s->value, j);
    }
    if (s->kind == STMT_ALLOC && k->copy[s->buffer->id])
        out->buffer = k->copy[s->buffer->id];
    body = ARENA_ARRAY(k->em->arena, struct stmt *, s->nbody + 1);
    for (int i = 0; i < s->nbody; i++)
        body[i] = move_stmt(k, s->body[i], j);
    out->body = body;
    return out;
}

static struct stmt *over_turns(struct tile_rewrite *k, const struct stmt *s)
{
    struct stmt turns = {.kind = STMT_LOOP,
                         .atom = atoms_loop(k->atoms, "turn", k->w->turns),
                         .extent = k->w->turns,
                         .loop = ANN_NONE,
                         .iter_kind = ITER_SPATIAL,
                         .auto_unroll = -1};
    return stmt_with(k, &turns, move_stmt(k, s, turns.atom));
}

/* Neighbours over the turns and the vector loop, or the same for all turns. */
static bool runs_on(const struct tile_rewrite *k, const struct buffer *b, const struct affine *index, int64_t lanes)
{
    int64_t stride = loop_plan_stride(k->em, b, index, k->w->loop->atom);
    return k->copy[b->id] || stride == lanes;
}

static bool loads_run_on(const struct tile_rewrite *k, const struct value *v, int64_t lanes)
{
    if (v->kind == EXPR_LOAD)
        return runs_on(k, v->buffer, v->index, lanes) ||
               loop_plan_stride(k->em, v->buffer, v->index, k->w->loop->atom) == 0;
    for (int i = 0; i < v->nargs; i++)
        if (!loads_run_on(k, v->args[i], lanes))
            return false;
    return true;
}

/* A nest of loops around one store to memory that gains nothing from the turns inside: it keeps its order, turn by
 * turn, and with it complete cache lines. */
static bool stays_whole(const struct tile_rewrite *k, const struct loop_node *n)
{
    int64_t lanes = 1;
    for (; n->nkids == 1 && n->s->kind == STMT_LOOP; n = n->kids[0])
        if (n->how == HOW_LANES)
            lanes = n->s->extent;
    const struct stmt *s = n->s;
    return s->kind == STMT_STORE && !s->is_init && !s->is_update && !k->copy[s->buffer->id] &&
           !(runs_on(k, s->buffer, s->index, lanes) && loads_run_on(k, s->value, lanes));
}

/* The statements below n, with the turns around vector loops and around stores outside of these. */
static struct stmt *tile_rewrite_below(struct tile_rewrite *k, const struct loop_node *n)
{
    const struct stmt *s = n->s;
    if (s->kind == STMT_STORE || n->how == HOW_LANES || stays_whole(k, n))
        return over_turns(k, s);
    struct stmt *out = ARENA_DUP(k->em->arena, s, struct stmt, 1);
    struct stmt **body = ARENA_ARRAY(k->em->arena, struct stmt *, s->nbody + 1);
    if (s->kind == STMT_ALLOC)
        out->buffer = k->copy[s->buffer->id];
    for (int i = 0; i < s->nbody; i++)
        body[i] = tile_rewrite_below(k, n->kids[i]);
    out->body = body;
    return out;
}

static struct stmt *rebuild(struct tile_rewrite *k, const struct loop_node *n)
{
    if (n->s == k->w->loop) {
        struct stmt *out = stmt_with(k, n->s, tile_rewrite_below(k, n->kids[0]));
        out->atom = k->atom;
        out->extent /= k->w->turns;
        return out;
    }
    struct stmt *out = ARENA_DUP(k->em->arena, n->s, struct stmt, 1);
    struct stmt **body = ARENA_ARRAY(k->em->arena, struct stmt *, n->nkids + 1);
    for (int i = 0; i < n->nkids; i++)
        body[i] = rebuild(k, n->kids[i]);
    out->body = body;
    return out;
}

/* Storage: what was inside the old tensor's bounds, from 0 on. */
static void copy_buffers(struct tile_rewrite *k, const struct stmt *s)
{
    struct arena *a = k->em->arena;
    if (s->kind == STMT_ALLOC) {
        const struct buffer *b = s->buffer;
        struct buffer *c = ARENA_DUP(a, b, struct buffer, 1);
        int64_t *extent = ARENA_ARRAY(a, int64_t, b->ndim + 1);
        for (int d = 0; d < b->ndim; d++)
            extent[d + (d >= place(b))] = b->extent[d];
        extent[place(b)] = k->w->turns;
        c->ndim = b->ndim + 1;
        c->shape = c->extent = extent;
        c->min = ARENA_ARRAY(a, struct affine, c->ndim);
        k->copy[b->id] = c;
    }
    for (int i = 0; i < s->nbody; i++)
        copy_buffers(k, s->body[i]);
}

static const struct nest *rewritten(struct emitter *em, const struct choice *w, const struct loop_node *root)
{
    const struct nest *old = em->nest;
    struct nest *n = ARENA_DUP(em->arena, old, struct nest, 1);
    struct tile_rewrite k = {.em = em, .atoms = old->atoms, .w = w};
    k.with = ARENA_ARRAY(em->arena, struct affine, w->loop->atom + 1);
    k.has = ARENA_ARRAY(em->arena, bool, w->loop->atom + 1);
    k.has[w->loop->atom] = true;
    k.copy = ARENA_ARRAY(em->arena, struct buffer *, old->nbuffers + 1);
    k.atom = atoms_loop(k.atoms, old->atoms->at[w->loop->atom].name, w->loop->extent / w->turns);
    copy_buffers(&k, w->loop);
    n->root = rebuild(&k, root);
    const struct buffer **buffers = (const struct buffer **)ARENA_ARRAY(em->arena, struct buffer *, old->nbuffers + 1);
    for (int i = 0; i < old->nbuffers; i++)
        buffers[i] = k.copy[i] ? k.copy[i] : old->buffers[i];
    n->buffers = buffers;
    return n;
}

/* ---- what may be sunk ---- */

struct inside { /* below a loop */
    const struct emitter *em;
    int atom;
    const bool *own; /* by buffer: allocated inside */
    int64_t bytes;
    bool fine;
};

static void find_own(struct inside *c, const struct stmt *s, bool *own)
{
    if (s->kind == STMT_ALLOC) {
        int64_t bytes = dtype_bytes(s->buffer->dtype);
        c->fine &= s->buffer->ndim > 0;
        for (int d = 0; d < s->buffer->ndim && bytes <= INSIDE; d++)
            bytes *= s->buffer->extent[d];
        c->bytes += bytes;
        own[s->buffer->id] = true;
    }
    for (int i = 0; i < s->nbody; i++)
        find_own(c, s->body[i], own);
}

/* Turns are independent: each writes what is its own, or elements that it alone has. */
static void check_inside(struct inside *c, const struct stmt *s)
{
    if (s->kind == STMT_LOOP && s->loop == ANN_PARALLEL)
        c->fine = false;
    if (s->kind == STMT_STORE && !c->own[s->buffer->id])
        c->fine &= loop_plan_uses(c->em, s, c->atom);
    for (int i = 0; i < s->nguards; i++)
        c->fine &= !affine_uses(c->em->nest->atoms, s->guards[i].form, c->atom);
    for (int i = 0; i < s->nbody && c->fine; i++)
        check_inside(c, s->body[i]);
}

static bool may_sink(struct emitter *em, const struct loop_node *n, int64_t *bytes)
{
    const struct stmt *s = n->s;
    bool *own = ARENA_ARRAY(em->arena, bool, em->nest->nbuffers + 1);
    struct inside c = {.em = em, .atom = s->atom, .own = own, .fine = true};
    if (s->iter_kind != ITER_SPATIAL || n->how == HOW_LANES || (s->loop != ANN_NONE && s->loop != ANN_PARALLEL))
        return false;
    find_own(&c, s->body[0], own);
    check_inside(&c, s->body[0]);
    *bytes = c.bytes;
    return c.fine;
}

/* ---- what pays ---- */

struct search {
    struct emitter *em;
    const struct loop_node *root, *path[64];
    int depth;
    double before, least;
    const struct nest *best, *from;
};

static void try_turns(struct search *q, const struct loop_node *n, int64_t turns)
{
    struct choice w = {n->s, turns};
    q->em->nest = q->from;
    q->em->nest = rewritten(q->em, &w, q->root);
    double cost = cycle_estimate(q->em, loop_plan(q->em));
    if (cost < q->least && cost < PAYS * q->before) {
        q->least = cost;
        q->best = q->em->nest;
    }
    q->em->nest = q->from;
}

static void try_loop(struct search *q, const struct loop_node *n)
{
    int64_t extent = n->s->extent, bytes;
    if (!may_sink(q->em, n, &bytes))
        return;
    for (int64_t turns = 2; turns <= extent && turns <= MOST_TURNS && bytes * turns <= INSIDE; turns++) {
        int64_t blocks = extent / turns;
        if (extent % turns || (n->how == HOW_PARALLEL && blocks < BLOCKS && blocks % 8))
            continue;
        try_turns(q, n, turns);
    }
}

/* The loops around an update, from the ones next to the first reduce loop outwards. */
static void try_update(struct search *q, const struct stmt *update)
{
    int at = 0, tried = 0;
    while (at < q->depth && q->path[at]->how != HOW_LANES &&
           (loop_plan_uses(q->em, update, q->path[at]->s->atom) || q->path[at]->s->extent == 1))
        at++;
    if (at == q->depth || q->path[at]->how == HOW_LANES)
        return; /* no reduction, or one for each lane: no tile to share */
    for (int i = at - 1; i >= 0 && tried < CANDIDATES; i--)
        if (q->path[i]->s->extent > 1) {
            try_loop(q, q->path[i]);
            tried++;
        }
}

static void search_below(struct search *q, const struct loop_node *n)
{
    bool loop = n->s->kind == STMT_LOOP && q->depth < 64;
    if (loop)
        q->path[q->depth++] = n;
    if (n->s->kind == STMT_STORE && n->s->is_update)
        try_update(q, n->s);
    for (int i = 0; i < n->nkids; i++)
        search_below(q, n->kids[i]);
    q->depth -= loop;
}

const struct nest *tile_rewrite(struct emitter *em)
{
    const struct nest *given = em->nest;
    struct search q = {.em = em, .best = given};
    for (int i = 0; i < ROUNDS && q.best; i++) {
        em->nest = q.from = q.best;
        q.best = NULL;
        q.root = loop_plan(em);
        q.least = q.before = cycle_estimate(em, q.root);
        search_below(&q, q.root);
    }
    em->nest = given;
    return q.from;
}

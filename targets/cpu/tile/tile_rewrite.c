/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rewrite: a loop around statements becomes a loop over blocks of its iterations. The statements run for all
 * iterations of a block, next to their vector loop:
 *
 *     for L < 8: { alloc t[4]; for k < 9: for v < 4: t[v] += x[L, k] * w[k, v] }
 *     for L' < 2: { alloc t[4, 4]; for k < 9: for j < 4: for v < 4: t[j, v] += x[L' * 4 + j, k] * w[k, v] }
 *
 * Now w[k, v] serves four sums. Or, where all is consecutive over j and v, the two are one vector loop. Schedules with
 * one pixel per iteration, or four lanes, are common among the published ones. Iterations of a spatial loop do not
 * depend on each other, so only the order between elements changes, never the order of the sums of one element. What is
 * allocated inside gets a dimension for the iterations of the block.
 *
 * Candidates are the loops right around a reduction, and block sizes that divide their extent. The estimated cost of
 * the whole nest decides (cycle_estimate.h). Temporaries must stay in the first-level cache, and a parallel loop must
 * keep enough blocks for its threads. */
#include "targets/cpu/tile/tile_rewrite.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/tile/cycle_estimate.h"

#include <string.h>

#define ROUNDS 4     /* loops rewritten one after the other */
#define PAYS 0.85    /* of the cost before */
#define CANDIDATES 3 /* loops tried around a reduction */
#define MOST_PER_BLOCK 16
#define MOST_TEMPORARY_BYTES (24 << 10) /* of a block */
#define LEAST_BLOCKS 24                 /* that a parallel loop keeps, or a multiple of 8 */

struct block_choice {
    const struct stmt *loop;
    int64_t iterations; /* of a block; divides the loop's extent */
};
struct tile_rewrite {
    struct emitter *em;
    struct atoms *atoms;
    const struct block_choice *choice;
    int atom;             /* of the loop over blocks */
    struct affine *with;  /* by atom: what the loop's variable is now */
    bool *replaced;       /* by atom: it is replaced */
    struct buffer **copy; /* by buffer: the one with the new dimension, or NULL */
};

/* The number of an iteration within its block. j: the atom of the loop over them; below 0: the first iteration. */
static struct affine in_block(struct tile_rewrite *rw, int j)
{
    return j < 0 ? affine_const(0) : affine_atom(rw->atoms, j);
}

static struct affine move_affine(struct tile_rewrite *rw, struct affine a, int j)
{
    struct affine block = affine_scale(rw->atoms, affine_atom(rw->atoms, rw->atom), rw->choice->iterations);
    rw->with[rw->choice->loop->atom] = affine_add(rw->atoms, block, in_block(rw, j));
    return affine_replace(rw->atoms, a, rw->with, rw->replaced, rw->choice->loop->atom + 1);
}

/* Where the new dimension goes: in front of the last one with more than one element, that of the vector loop. */
static int new_dimension(const struct buffer *b)
{
    int d = b->ndim - 1;
    while (d > 0 && b->extent[d] == 1)
        d--;
    return d;
}

static const struct affine *move_index(struct tile_rewrite *rw, const struct buffer *b, const struct affine *index,
                                       int j)
{
    const struct buffer *c = rw->copy[b->id];
    int added = new_dimension(b);
    struct affine *out = ARENA_ARRAY(rw->em->arena, struct affine, b->ndim + 1);
    for (int d = 0; d < b->ndim; d++) {
        struct affine at = index[d];
        if (c && b->min)
            at = affine_sub(rw->atoms, at, b->min[d]);
        out[d + (c && d >= added)] = move_affine(rw, at, j);
    }
    if (c)
        out[added] = in_block(rw, j);
    return out;
}

static const struct value *move_value(struct tile_rewrite *rw, const struct value *v, int j)
{
    struct value *out = ARENA_DUP(rw->em->arena, v, struct value, 1);
    if (v->kind == EXPR_LOAD) {
        out->index = move_index(rw, v->buffer, v->index, j);
        out->buffer = rw->copy[v->buffer->id] ? rw->copy[v->buffer->id] : v->buffer;
    } else if (v->kind == EXPR_INDEX) {
        struct affine *a = ARENA_NEW(rw->em->arena, struct affine);
        *a = move_affine(rw, *v->index, j);
        out->index = a;
    }
    const struct value **args = ARENA_ARRAY(rw->em->arena, const struct value *, v->nargs + 1);
    for (int i = 0; i < v->nargs; i++)
        args[i] = move_value(rw, v->args[i], j);
    out->args = args;
    return out;
}

static struct stmt *stmt_with(struct tile_rewrite *rw, const struct stmt *s, struct stmt *only)
{
    struct stmt *out = ARENA_DUP(rw->em->arena, s, struct stmt, 1),
                **body = ARENA_ARRAY(rw->em->arena, struct stmt *, 1);
    body[0] = only;
    out->body = body;
    out->nbody = 1;
    return out;
}

/* s for iteration j of the block. */
static struct stmt *move_stmt(struct tile_rewrite *rw, const struct stmt *s, int j)
{
    struct stmt *out = ARENA_DUP(rw->em->arena, s, struct stmt, 1), **body;
    if (s->kind == STMT_STORE) {
        out->index = move_index(rw, s->buffer, s->index, j);
        out->buffer = rw->copy[s->buffer->id] ? rw->copy[s->buffer->id] : s->buffer;
        out->value = move_value(rw, s->value, j);
    }
    if (s->kind == STMT_ALLOC && rw->copy[s->buffer->id])
        out->buffer = rw->copy[s->buffer->id];
    body = ARENA_ARRAY(rw->em->arena, struct stmt *, s->nbody + 1);
    for (int i = 0; i < s->nbody; i++)
        body[i] = move_stmt(rw, s->body[i], j);
    out->body = body;
    return out;
}

static struct stmt *loop_over_block(struct tile_rewrite *rw, const struct stmt *s)
{
    struct stmt loop = {.kind = STMT_LOOP,
                        .atom = atoms_loop(rw->atoms, "turn", rw->choice->iterations),
                        .extent = rw->choice->iterations,
                        .loop = ANN_NONE,
                        .iter_kind = ITER_SPATIAL,
                        .auto_unroll = -1};
    return stmt_with(rw, &loop, move_stmt(rw, s, loop.atom));
}

/* Consecutive over the iterations of the block and the vector loop. */
static bool is_consecutive(const struct tile_rewrite *rw, const struct buffer *b, const struct affine *index,
                           int64_t lanes)
{
    int64_t stride = loop_plan_stride(rw->em, b, index, rw->choice->loop->atom);
    return rw->copy[b->id] || stride == lanes;
}

static bool loads_run_on(const struct tile_rewrite *rw, const struct value *v, int64_t lanes)
{
    if (v->kind == EXPR_LOAD)
        return is_consecutive(rw, v->buffer, v->index, lanes) ||
               loop_plan_stride(rw->em, v->buffer, v->index, rw->choice->loop->atom) == 0;
    for (int i = 0; i < v->nargs; i++)
        if (!loads_run_on(rw, v->args[i], lanes))
            return false;
    return true;
}

/* A nest of loops around one store to memory that gains nothing from the block's iterations inside it. It keeps its
 * order, one iteration after the other, and with it complete cache lines. */
static bool stays_whole(const struct tile_rewrite *rw, const struct loop_node *n)
{
    int64_t lanes = 1;
    for (; n->nkids == 1 && n->s->kind == STMT_LOOP; n = n->kids[0])
        if (n->mode == LOOP_VECTOR)
            lanes = n->s->extent;
    const struct stmt *s = n->s;
    return s->kind == STMT_STORE && !s->is_init && !s->is_update && !rw->copy[s->buffer->id] &&
           !(is_consecutive(rw, s->buffer, s->index, lanes) && loads_run_on(rw, s->value, lanes));
}

/* The statements below n, with the loop over the block around vector loops, and around stores outside of these. */
static struct stmt *tile_rewrite_below(struct tile_rewrite *rw, const struct loop_node *n)
{
    const struct stmt *s = n->s;
    if (s->kind == STMT_STORE || n->mode == LOOP_VECTOR || stays_whole(rw, n))
        return loop_over_block(rw, s);
    struct stmt *out = ARENA_DUP(rw->em->arena, s, struct stmt, 1);
    struct stmt **body = ARENA_ARRAY(rw->em->arena, struct stmt *, s->nbody + 1);
    if (s->kind == STMT_ALLOC)
        out->buffer = rw->copy[s->buffer->id];
    for (int i = 0; i < s->nbody; i++)
        body[i] = tile_rewrite_below(rw, n->kids[i]);
    out->body = body;
    return out;
}

static struct stmt *rebuild(struct tile_rewrite *rw, const struct loop_node *n)
{
    if (n->s == rw->choice->loop) {
        struct stmt *out = stmt_with(rw, n->s, tile_rewrite_below(rw, n->kids[0]));
        out->atom = rw->atom;
        out->extent /= rw->choice->iterations;
        return out;
    }
    struct stmt *out = ARENA_DUP(rw->em->arena, n->s, struct stmt, 1);
    struct stmt **body = ARENA_ARRAY(rw->em->arena, struct stmt *, n->nkids + 1);
    for (int i = 0; i < n->nkids; i++)
        body[i] = rebuild(rw, n->kids[i]);
    out->body = body;
    return out;
}

/* The tensors with the new dimension. Their indices begin at 0: what the old bounds began with is taken off. */
static void copy_buffers(struct tile_rewrite *rw, const struct stmt *s)
{
    struct arena *a = rw->em->arena;
    if (s->kind == STMT_ALLOC) {
        const struct buffer *b = s->buffer;
        struct buffer *c = ARENA_DUP(a, b, struct buffer, 1);
        int64_t *extent = ARENA_ARRAY(a, int64_t, b->ndim + 1);
        for (int d = 0; d < b->ndim; d++)
            extent[d + (d >= new_dimension(b))] = b->extent[d];
        extent[new_dimension(b)] = rw->choice->iterations;
        c->ndim = b->ndim + 1;
        c->shape = c->extent = extent;
        c->min = ARENA_ARRAY(a, struct affine, c->ndim);
        rw->copy[b->id] = c;
    }
    for (int i = 0; i < s->nbody; i++)
        copy_buffers(rw, s->body[i]);
}

static const struct nest *rewritten(struct emitter *em, const struct block_choice *w, const struct loop_node *root)
{
    const struct nest *old = em->nest;
    struct nest *n = ARENA_DUP(em->arena, old, struct nest, 1);
    struct tile_rewrite rw = {.em = em, .atoms = old->atoms, .choice = w};
    rw.with = ARENA_ARRAY(em->arena, struct affine, w->loop->atom + 1);
    rw.replaced = ARENA_ARRAY(em->arena, bool, w->loop->atom + 1);
    rw.replaced[w->loop->atom] = true;
    rw.copy = ARENA_ARRAY(em->arena, struct buffer *, old->nbuffers + 1);
    rw.atom = atoms_loop(rw.atoms, old->atoms->at[w->loop->atom].name, w->loop->extent / w->iterations);
    copy_buffers(&rw, w->loop);
    n->root = rebuild(&rw, root);
    const struct buffer **buffers = ARENA_ARRAY(em->arena, const struct buffer *, old->nbuffers + 1);
    for (int i = 0; i < old->nbuffers; i++)
        buffers[i] = rw.copy[i] ? rw.copy[i] : old->buffers[i];
    n->buffers = buffers;
    return n;
}

/* ---- which loops may be cut into blocks ---- */

struct inside_loop { /* what stands below a loop */
    const struct emitter *em;
    int atom;
    bool *own; /* by buffer: allocated inside */
    int64_t bytes;
    bool fine;
};

static void find_own(struct inside_loop *c, const struct stmt *s)
{
    if (s->kind == STMT_ALLOC) {
        int64_t bytes = dtype_bytes(s->buffer->dtype);
        c->fine &= s->buffer->ndim > 0;
        for (int d = 0; d < s->buffer->ndim && bytes <= MOST_TEMPORARY_BYTES; d++)
            bytes *= s->buffer->extent[d];
        c->bytes += bytes;
        c->own[s->buffer->id] = true;
    }
    for (int i = 0; i < s->nbody; i++)
        find_own(c, s->body[i]);
}

/* Iterations are independent: each writes tensors allocated inside, or elements that no other iteration writes. */
static void check_inside(struct inside_loop *c, const struct stmt *s)
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

static bool may_cut(struct emitter *em, const struct loop_node *n, int64_t *bytes)
{
    const struct stmt *s = n->s;
    struct inside_loop c = {.em = em, .atom = s->atom, .fine = true};
    if (s->iter_kind != ITER_SPATIAL || n->mode == LOOP_VECTOR || (s->loop != ANN_NONE && s->loop != ANN_PARALLEL))
        return false;
    c.own = ARENA_ARRAY(em->arena, bool, em->nest->nbuffers + 1);
    find_own(&c, s->body[0]);
    check_inside(&c, s->body[0]);
    *bytes = c.bytes;
    return c.fine;
}

/* ---- what pays ---- */

struct rewrite_search {
    struct emitter *em;
    const struct loop_node *root, *path[64];
    int depth;
    double before, least;
    const struct nest *best, *from;
};

static void try_block(struct rewrite_search *q, const struct loop_node *n, int64_t iterations)
{
    struct block_choice w = {n->s, iterations};
    q->em->nest = q->from;
    q->em->nest = rewritten(q->em, &w, q->root);
    double cost = cycle_estimate(q->em, loop_plan(q->em));
    if (cost < q->least && cost < PAYS * q->before) {
        q->least = cost;
        q->best = q->em->nest;
    }
    q->em->nest = q->from;
}

static void try_loop(struct rewrite_search *q, const struct loop_node *n)
{
    int64_t extent = n->s->extent, bytes;
    if (!may_cut(q->em, n, &bytes))
        return;
    for (int64_t size = 2; size <= extent && size <= MOST_PER_BLOCK && bytes * size <= MOST_TEMPORARY_BYTES; size++) {
        int64_t blocks = extent / size;
        if (extent % size || (n->mode == LOOP_PARALLEL && blocks < LEAST_BLOCKS && blocks % 8))
            continue;
        try_block(q, n, size);
    }
}

/* The loops around an update, from the ones next to the first reduce loop outwards. */
static void try_update(struct rewrite_search *q, const struct stmt *update)
{
    int at = 0, tried = 0;
    while (at < q->depth && q->path[at]->mode != LOOP_VECTOR &&
           (loop_plan_uses(q->em, update, q->path[at]->s->atom) || q->path[at]->s->extent == 1))
        at++;
    if (at == q->depth || q->path[at]->mode == LOOP_VECTOR)
        return; /* no reduction, or one for each lane: no tile to share */
    for (int i = at - 1; i >= 0 && tried < CANDIDATES; i--)
        if (q->path[i]->s->extent > 1) {
            try_loop(q, q->path[i]);
            tried++;
        }
}

static void search_below(struct rewrite_search *q, const struct loop_node *n)
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
    struct rewrite_search q = {.em = em, .best = given};
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

/* SPDX-License-Identifier: Apache-2.0 */
/* layout_rewrite: layout rewrite of weights (harness/doc/ansor.md, "Layout rewrite of weights").
 *
 * The index of each dimension of the weight is a sum of atoms (loops, or parts of fused loops). Sorted by the order in
 * which the loops run, the atoms become the dimensions of the packed weight, so that the kernel reads it front to back.
 * Deviation from TVM, which names loops by text: ours works on the index forms themselves, so it also follows channels
 * that the body splits with div and mod; a weight whose forms are not a clean mixed radix keeps its layout. */
#include "harness/program/lower/layout_rewrite.h"

#include "harness/program/lower/body.h"

#include <string.h>

enum { MOST_DIMS = 32, MOST_DEPTH = 128 };

struct layout_part { /* one packed dimension */
    int atom, dim;
    int64_t stride, extent;
    int depth;          /* of the innermost loop in the atom */
    int64_t importance; /* step in that loop at which the atom moves: larger is further out */
};

struct site { /* where the nest loads the weight */
    struct stmt *store;
    const struct value *load;
    int loads, depth;
    int path[MOST_DEPTH]; /* loop atoms around it */
};

static void find_load(struct stmt *store, const struct value *v, const struct buffer *b, struct site *at,
                      const int *path, int depth)
{
    if (v->kind == EXPR_LOAD && v->buffer == b) {
        at->store = store;
        at->load = v;
        at->loads++;
        at->depth = depth;
        memcpy(at->path, path, sizeof *path * (size_t)depth);
    }
    for (int i = 0; i < v->nargs; i++)
        find_load(store, v->args[i], b, at, path, depth);
}

static void find_site(struct stmt *st, const struct buffer *b, struct site *at, int *path, int depth)
{
    if (st->kind == STMT_STORE)
        find_load(st, st->value, b, at, path, depth);
    if (st->kind == STMT_LOOP && depth < MOST_DEPTH)
        path[depth++] = st->atom;
    for (int i = 0; i < st->nbody; i++)
        find_site(st->body[i], b, at, path, depth);
}

static void place_atom(const struct atoms *p, const struct site *at, int atom, int *depth, int64_t *importance)
{
    const struct atom *a = &p->at[atom];
    if (a->kind == ATOM_LOOP) {
        for (int i = 0; i < at->depth; i++)
            if (at->path[i] == atom && i >= *depth)
                *depth = i;
        *importance = 1;
        return;
    }
    int64_t most = 1;
    for (int i = 0; i < a->of.n; i++) {
        int64_t inner = 1;
        place_atom(p, at, a->of.terms[i].atom, depth, &inner);
        most = inner > most ? inner : most;
    }
    *importance = a->kind == ATOM_DIV && a->by < INT64_MAX / most ? most * a->by : most;
}

/* The parts of one dimension, appended; false when they are no mixed radix with digit 1 at the bottom. */
static bool split_dim(const struct atoms *p, const struct site *at, int dim, struct affine f, struct layout_part *parts,
                      int *n)
{
    int first = *n;
    if (f.base != 0)
        return false;
    for (int i = 0; i < f.n; i++) {
        const struct atom *a = &p->at[f.terms[i].atom];
        if (*n == MOST_DIMS || f.terms[i].coef < 0 || a->lo != 0 || a->hi < 0)
            return false;
        struct layout_part q = {f.terms[i].atom, dim, f.terms[i].coef, a->hi + 1, -1, 1};
        place_atom(p, at, q.atom, &q.depth, &q.importance);
        int k = (*n)++;
        for (; k > first && parts[k - 1].stride > q.stride; k--)
            parts[k] = parts[k - 1];
        parts[k] = q;
    }
    int64_t stride = 1;
    for (int i = first; i < *n; i++) {
        if (parts[i].stride != stride)
            return false;
        stride *= parts[i].extent;
    }
    return true;
}

static bool goes_before(const struct layout_part *a, const struct layout_part *b)
{
    return a->depth != b->depth ? a->depth < b->depth : a->importance > b->importance;
}

static int find_parts(const struct nest *n, const struct buffer *b, const struct site *at, struct layout_part *parts)
{
    int count = 0;
    int64_t packed = 1, original = 1;
    for (int d = 0; d < b->ndim; d++) {
        if (!split_dim(n->atoms, at, d, at->load->index[d], parts, &count))
            return 0;
        original *= b->shape[d];
    }
    for (int i = 1; i < count; i++) { /* insertion sort, stable: into loop order */
        struct layout_part q = parts[i];
        int k = i;
        for (; k > 0 && goes_before(&q, &parts[k - 1]); k--)
            parts[k] = parts[k - 1];
        parts[k] = q;
    }
    for (int i = 0; i < count; i++)
        packed *= parts[i].extent;
    return packed <= 4 * original ? count : 0;
}

static struct buffer *packed_buffer(struct nest *n, const struct buffer *b, const struct layout_part *parts, int count)
{
    struct buffer *out = ARENA_DUP(n->arena, b, struct buffer, 1);
    int64_t *shape = ARENA_ARRAY(n->arena, int64_t, count);
    struct dim_map *map = ARENA_ARRAY(n->arena, struct dim_map, count);
    for (int i = 0; i < count; i++) {
        shape[i] = parts[i].extent;
        map[i] = (struct dim_map){parts[i].dim, parts[i].stride, parts[i].extent};
    }
    out->ndim = out->npacked = count;
    out->shape = out->extent = shape;
    out->min = ARENA_ARRAY(n->arena, struct affine, count);
    out->packed = map;
    out->original = b->shape;
    return out;
}

/* The value with one of its loads replaced; what does not hold it is shared. */
static const struct value *replace_load(struct arena *a, const struct value *v, const struct value *old,
                                        const struct value *by)
{
    if (v == old)
        return by;
    for (int i = 0; i < v->nargs; i++) {
        const struct value *arg = replace_load(a, v->args[i], old, by);
        if (arg == v->args[i])
            continue;
        struct value *copy = ARENA_DUP(a, v, struct value, 1);
        const struct value **args = ARENA_DUP(a, v->args, const struct value *, v->nargs);
        args[i] = arg;
        copy->args = args;
        return copy;
    }
    return v;
}

static void read_packed(struct nest *n, const struct site *at, const struct buffer *b, const struct layout_part *parts)
{
    struct affine *index = ARENA_ARRAY(n->arena, struct affine, b->ndim);
    for (int i = 0; i < b->ndim; i++)
        index[i] = affine_atom(n->atoms, parts[i].atom);
    at->store->value = replace_load(n->arena, at->store->value, at->load, value_load(n->arena, b, index));
}

static struct stmt *one_child(struct arena *a, struct stmt st, struct stmt *body)
{
    st.body = ARENA_DUP(a, &body, struct stmt *, 1);
    st.nbody = 1;
    return ARENA_DUP(a, &st, struct stmt, 1);
}

/* packed[i...] = weight[...], the first dimensions (at most three) as one parallel loop, as TVM's transform stage has
 * it. */
static struct stmt *copy_nest(struct nest *n, const struct buffer *from, const struct buffer *to)
{
    struct arena *a = n->arena;
    struct atoms *p = n->atoms;
    int fused = to->ndim < 3 ? to->ndim : 3, ndim = from->ndim;
    struct affine *at = ARENA_ARRAY(a, struct affine, to->ndim), *index = ARENA_ARRAY(a, struct affine, ndim);
    int *atom = ARENA_ARRAY(a, int, to->ndim);
    int64_t length = 1;
    for (int i = 0; i < fused; i++)
        length *= to->shape[i];
    struct affine rest = affine_atom(p, atom[0] = atoms_loop(p, "pack", length));
    for (int i = fused - 1; i >= 0; i--) {
        at[i] = i ? affine_mod(p, rest, to->shape[i]) : rest;
        rest = affine_div(p, rest, to->shape[i]);
    }
    for (int i = fused; i < to->ndim; i++)
        at[i] = affine_atom(p, atom[i] = atoms_loop(p, "p", to->shape[i]));
    for (int i = 0; i < to->ndim; i++)
        index[to->packed[i].dim] = affine_add_scaled(p, index[to->packed[i].dim], at[i], to->packed[i].stride);
    struct guard *guards = ARENA_ARRAY(a, struct guard, ndim + 1);
    int nguards = 0;
    for (int d = 0; d < ndim; d++) {
        int64_t lo, hi;
        affine_range(p, index[d], &lo, &hi);
        if (hi >= from->shape[d])
            guards[nguards++] = (struct guard){index[d], INT64_MIN, from->shape[d]};
    }
    struct stmt store = {
        .kind = STMT_STORE, .auto_unroll = -1, .buffer = to, .index = at, .value = value_load(a, from, index)};
    struct stmt *st = ARENA_DUP(a, &store, struct stmt, 1);
    if (nguards)
        st = one_child(a, (struct stmt){.kind = STMT_GUARD, .auto_unroll = -1, .guards = guards, .nguards = nguards},
                       st);
    for (int i = to->ndim - 1; i >= 0; i--) {
        if (i > 0 && i < fused) /* part of the parallel loop */
            continue;
        struct stmt loop = {.kind = STMT_LOOP,
                            .auto_unroll = -1,
                            .atom = atom[i],
                            .extent = i ? to->shape[i] : length,
                            .loop = i ? ANN_NONE : ANN_PARALLEL,
                            .iter_kind = ITER_SPATIAL};
        st = one_child(a, loop, st);
    }
    return st;
}

/* The nest's buffers, with room for one more. */
static const struct buffer **copy_buffers(const struct nest *n)
{
    const struct buffer **all = ARENA_ARRAY(n->arena, const struct buffer *, n->nbuffers + 1);
    memcpy(all, n->buffers, sizeof *all * (size_t)n->nbuffers);
    return all;
}

static void insert_copy(struct nest *n, const struct buffer *from, struct buffer *to)
{
    struct stmt **both = ARENA_ARRAY(n->arena, struct stmt *, 2);
    const struct buffer **all = copy_buffers(n);
    to->role = BUFFER_LOCAL;
    to->arg = to->op = -1;
    to->id = n->nbuffers;
    all[n->nbuffers++] = to;
    n->buffers = all;
    both[0] = copy_nest(n, from, to);
    both[1] = n->root;
    struct stmt seq = {.kind = STMT_SEQ, .auto_unroll = -1, .body = both, .nbody = 2};
    struct stmt alloc = {.kind = STMT_ALLOC, .auto_unroll = -1, .buffer = to};
    n->root = one_child(n->arena, alloc, ARENA_DUP(n->arena, &seq, struct stmt, 1));
    int64_t bytes = dtype_bytes(to->dtype);
    for (int i = 0; i < to->ndim; i++)
        bytes *= to->shape[i];
    n->local_bytes += bytes;
}

static void pack_one(struct nest *n, const struct buffer *b, enum layout_mode mode)
{
    struct site at = {.loads = 0};
    struct layout_part parts[MOST_DIMS];
    int path[MOST_DEPTH];
    find_site(n->root, b, &at, path, 0);
    int count = at.loads == 1 ? find_parts(n, b, &at, parts) : 0;
    if (!count)
        return;
    struct buffer *to = packed_buffer(n, b, parts, count);
    if (mode == LAYOUT_INSERT) {
        insert_copy(n, b, to);
    } else {
        const struct buffer **all = copy_buffers(n);
        all[b->id] = to;
        n->buffers = all;
    }
    read_packed(n, &at, to, parts);
}

void layout_rewrite_weights(struct nest *n, const struct dag *d, enum layout_mode mode)
{
    for (int i = 0; i < d->nops; i++)
        for (int k = 0; k < d->ops[i]->nrewritten; k++)
            for (int b = 0; b < n->nargs; b++)
                if (n->buffers[b]->op == d->position[d->ops[i]->rewritten[k]] && !n->buffers[b]->npacked)
                    pack_one(n, n->buffers[b], mode);
}

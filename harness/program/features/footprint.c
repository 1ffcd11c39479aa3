/* SPDX-License-Identifier: Apache-2.0 */
/* footprint: harness/doc/ansor.md, "Feature definitions", after TVM v0.16 feature.cc (ComputeRegion, ComputeStride,
 * ComputeReuse and their caller).
 *
 * TVM binds, for every loop level, all loops in an analyser and asks it for the bounds of every index: quadratic in the
 * loops. Here the levels open from the innermost outwards and a region is computed again only at the levels whose loop
 * occurs in it.
 *
 * What looks odd in TVM is kept, since the published models were trained with it:
 * - a stride is read off the printed form of an index (index_coefficient), and a later factor can overwrite it;
 * - the line count divides by the innermost extent once for each loop skipped;
 * - the test for contiguous data uses the region of the buffer that the hash map lists last. With GNU's unordered_map
 *   that is always the one inserted first, that is the written buffer, so this is reproducible after all. */
#include "harness/program/features/footprint.h"

#include "harness/base/int_math.h"
#include "harness/program/ir/affine.h"

#include <math.h>
#include <stdlib.h>

/* Interval of f with the loops from level `from` inwards at full range and the others at 0. */
static void index_span(const struct levels *l, const struct affine *f, int from, int64_t *lo, int64_t *hi)
{
    const struct atom *atoms = l->nest->atoms->at;
    *lo = *hi = f->base;
    for (int i = 0; i < f->n; i++) {
        const struct atom *atom = &atoms[f->terms[i].atom];
        int64_t c = f->terms[i].coef, x = 0, y = 0;
        if (atom->kind == ATOM_LOOP) {
            int level = l->of_atom[f->terms[i].atom];
            y = level >= from ? l->at[level].extent - 1 : 0;
        } else {
            index_span(l, &atom->of, from, &x, &y);
            if (atom->kind == ATOM_DIV) {
                x = floor_div(x, atom->by);
                y = floor_div(y, atom->by);
            } else if (x < 0 || y >= atom->by) {
                y = x < 0 || y >= atom->by ? atom->by - 1 : y;
                x = 0;
            }
        }
        *lo += c > 0 ? c * x : c * y;
        *hi += c > 0 ? c * y : c * x;
    }
}

/* Terms in the order in which TVM's canonical simplifier prints them: positive ones by falling coefficient. */
static int index_order(const struct affine *f, int order[], int cap)
{
    int n = 0;
    for (int i = 0; i < f->n && i < cap; i++) {
        int at = n++;
        for (; at > 0 && f->terms[order[at - 1]].coef < f->terms[i].coef; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return n;
}

/* The state of TVM's CoefficientExtractor while it walks the expression. */
struct extractor {
    int level;
    bool var, mul, add;
    int64_t stride;
};

static void extract_add(struct extractor *x)
{
    if (x->var && !x->mul)
        x->add = true, x->stride = 1;
}

#define INDEX_TERMS 32
/* Visits the printed form: positive terms, the constant, then what is subtracted. */
static void index_extract(const struct levels *l, const struct affine *f, struct extractor *x)
{
    int order[INDEX_TERMS], n = index_order(f, order, INDEX_TERMS);
    bool constant = f->base <= 0; /* done, or not an addition */
    for (int i = 0; i < n; i++) {
        const struct term *t = &f->terms[order[i]];
        const struct atom *atom = &l->nest->atoms->at[t->atom];
        if (t->coef < 0 && !constant && i > 0)
            extract_add(x);
        constant |= t->coef < 0;
        if (atom->kind != ATOM_LOOP)
            index_extract(l, &atom->of, x);
        else if (l->of_atom[t->atom] == x->level)
            x->var = true, x->stride = 2;
        if (t->coef != 1 && t->coef != -1 && x->var && !x->add)
            x->mul = true, x->stride = llabs(t->coef);
        if (i > 0 && t->coef > 0)
            extract_add(x);
    }
    if (!constant && n > 0)
        extract_add(x);
}

/* |coefficient| of a level's loop in an index, by TVM's heuristic; 0: it does not occur. */
static int64_t index_coefficient(const struct levels *l, const struct affine *f, int level)
{
    struct extractor x = {.level = level};
    index_extract(l, f, &x);
    return !x.var ? 0 : !x.mul && !x.add ? 1 : x.stride;
}

static int64_t footprint_stride(const struct levels *l, const struct footprint *p, int level)
{
    const struct buffer *b = p->buffer;
    int64_t least = INT64_MAX;
    if (b->ndim == 0)
        return 1;
    if (!(p->loops >> level & 1))
        return 0;
    for (const struct use *u = p->uses; u; u = u->next) {
        int64_t inner = 1;
        for (int d = b->ndim - 1; d >= 0; d--) {
            int64_t c = index_coefficient(l, &u->index[d], level);
            if (c) {
                least = c * inner < least ? c * inner : least;
                break;
            }
            inner *= b->shape[d];
        }
    }
    return least == INT64_MAX ? 0 : least;
}

/* Elements touched with the loops from level `from` inwards open: the box around all uses. A dimension stays as it was
 * at the level inside where this level's loop is not in it. */
static void footprint_region(const struct levels *l, struct footprint *p, int from)
{
    p->elements = 1;
    for (int d = 0; d < p->buffer->ndim; d++) {
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        bool opens = from == l->depth - 1 || p->dims[d] >> from & 1;
        for (const struct use *u = opens ? p->uses : NULL; u; u = u->next) {
            int64_t x, y;
            index_span(l, &u->index[d], from, &x, &y);
            lo = x < lo ? x : lo;
            hi = y > hi ? y : hi;
        }
        if (opens)
            p->region[d] = hi - lo + 1;
        p->elements *= p->region[d];
    }
}

static void touch_book(struct level *level, const struct footprint *p)
{
    struct touch *t = &level->touch[p->buffer->id];
    int size = dtype_bytes(p->buffer->dtype);
    if (t->count == 0)
        t->first = t->least = p->elements;
    t->least = p->elements < t->least ? p->elements : t->least;
    t->count++;
    level->bytes += (double)(p->elements * size);
    level->element_bytes += size;
}

static void levels_book(struct levels *l, struct footprints *all)
{
    for (int i = l->depth - 1; i >= 0; i--) {
        int64_t bytes = 0;
        for (int k = 0; k < all->n; k++) {
            struct footprint *p = &all->at[k];
            if (i == l->depth - 1 || p->loops >> i & 1)
                footprint_region(l, p, i);
            touch_book(&l->at[i], p);
            bytes += p->elements * dtype_bytes(p->buffer->dtype);
        }
        all->level_bytes[l->depth - 1 - i] = (float)bytes;
    }
}

static void footprint_lines(const struct levels *l, struct footprint *p, const struct footprint *written)
{
    int size = dtype_bytes(p->buffer->dtype);
    p->bytes = l->product * (float)size;
    p->unique_bytes = (float)size;
    p->lines = p->unique_lines = 1;
    p->stride = 0;
    if (l->depth == 0)
        return;
    p->unique_bytes = (float)l->at[0].touch[p->buffer->id].first * (float)size;
    int64_t stride = 0, ratio = 1;
    int i = l->depth - 1;
    for (; i >= 0; i--) {
        if ((stride = footprint_stride(l, p, i)) != 0)
            break;
        ratio *= l->at[l->depth - 1].extent;
    }
    float part = (float)stride * (float)size / (float)l->line;
    p->lines = fmaxf(l->product / (float)ratio * fminf(1, part), 1);
    p->stride = i == l->depth - 1 ? (float)stride : 0;
    float run = (float)size;
    int ndim = written->buffer->ndim < p->buffer->ndim ? written->buffer->ndim : p->buffer->ndim;
    for (int d = ndim - 1; d >= 0; d--)
        if (written->region[d] == p->buffer->shape[d]) {
            run *= (float)written->region[d];
            break;
        }
    p->unique_lines = fmaxf(p->unique_bytes / fminf(run, (float)l->line), 1);
}

static void footprint_reuse(const struct levels *l, struct footprint *p)
{
    float iterations = 1, bytes = -1;
    p->reuse = REUSE_NONE;
    p->reuse_iterations = p->reuse_bytes = p->reuse_count = 0;
    for (int i = l->depth - 1; i >= 0; i--) {
        const struct level *level = &l->at[i];
        if (!(p->loops >> i & 1)) {
            p->reuse = REUSE_LOOP;
            p->reuse_iterations = iterations;
            p->reuse_bytes = bytes < 0 ? (float)level->element_bytes : bytes;
            p->reuse_count = (float)level->extent;
            return;
        }
        iterations *= (float)level->extent;
        bytes = (float)level->bytes;
        const struct touch *t = &level->touch[p->buffer->id];
        if (t->count > 1) {
            p->reuse = REUSE_SERIAL;
            p->reuse_iterations = (float)t->least / (float)level->extent;
            p->reuse_bytes = bytes / (float)level->extent;
            p->reuse_count = (float)(t->count - 1);
            return;
        }
    }
}

/* While collecting, at[cap - 1] is the written buffer and later ones are put in front. */
static void collect_use(struct arena *a, struct levels *l, struct footprints *all, int cap, const struct buffer *b,
                        const struct affine *index, enum touch_type type)
{
    struct footprint *p = NULL;
    for (int i = cap - all->n; i < cap && !p; i++)
        if (all->at[i].buffer == b)
            p = &all->at[i];
    if (p && p->type != TOUCH_READ) {
        p->type = TOUCH_UPDATE; /* the same indices as the write: not listed twice */
        return;
    }
    if (!p) {
        p = &all->at[cap - ++all->n];
        *p = (struct footprint){.buffer = b,
                                .type = type,
                                .dims = ARENA_ARRAY(a, uint64_t, b->ndim),
                                .region = ARENA_ARRAY(a, int64_t, b->ndim)};
    }
    struct use *u = ARENA_NEW(a, struct use);
    *u = (struct use){.index = index, .next = p->uses};
    p->uses = u;
    for (int d = 0; d < b->ndim; d++)
        p->loops |= p->dims[d] |= affine_loops(l->nest->atoms, &index[d], l->of_atom);
}

static void collect_value(struct arena *a, struct levels *l, struct footprints *all, int cap, const struct value *v)
{
    if (v->kind == EXPR_LOAD) {
        collect_use(a, l, all, cap, v->buffer, v->index, TOUCH_READ);
        return;
    }
    for (int i = 0; i < v->nargs; i++)
        collect_value(a, l, all, cap, v->args[i]);
}

struct footprints footprint_store(struct arena *a, struct levels *l, const struct stmt *store)
{
    int cap = 1 + value_loads(store->value);
    struct footprints all = {.at = ARENA_ARRAY(a, struct footprint, cap)};
    collect_use(a, l, &all, cap, store->buffer, store->index, TOUCH_WRITE);
    collect_value(a, l, &all, cap, store->value);
    all.at += cap - all.n;
    all.level_bytes = ARENA_ARRAY(a, float, l->depth + 1);
    levels_book(l, &all);
    for (int i = 0; i < all.n; i++) {
        footprint_lines(l, &all.at[i], &all.at[all.n - 1]);
        footprint_reuse(l, &all.at[i]);
    }
    return all;
}

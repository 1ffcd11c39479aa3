/* SPDX-License-Identifier: Apache-2.0 */
/* loop_plan: TVM's UnrollLoop rule on the nest (tir/transforms/unroll_loop.cc). With limit N over a subtree, inner
 * loops first, a serial loop is unrolled if extent * steps inside <= N, no loop that runs is inside, and at most 8
 * unrolled loops are nested. Steps are stores; a vector loop counts once. Loops annotated `unroll` are always unrolled.
 *
 * Deviations, in speed and not in results. More than MOST_STORES stores in one body make real loops (TVM would spend
 * minutes in LLVM). An innermost spatial loop over consecutive elements without annotation becomes vector code here;
 * TVM leaves it to LLVM's vectoriser. */
#include "targets/cpu/tile/loop_plan.h"

#include <string.h>

#define MOST_STORES 64

struct plan_state {
    struct emitter *em;
    int64_t limit; /* of the pragma in force; 0: none */
    /* Of the subtree that was done last: */
    int normal, unrolled; /* depth of loops that run, of unrolled ones */
    int64_t steps;
    bool lanes; /* it holds a vector loop over consecutive elements */
};

static bool index_uses(const struct emitter *em, struct affine a, int atom)
{
    return affine_uses(em->nest->atoms, a, atom);
}

static bool indices_use(const struct emitter *em, const struct buffer *b, const struct affine *index, int atom)
{
    for (int d = 0; d < b->ndim; d++)
        if (index_uses(em, index[d], atom))
            return true;
    return false;
}

bool loop_plan_uses(const struct emitter *em, const struct stmt *store, int atom)
{
    return indices_use(em, store->buffer, store->index, atom);
}

bool loop_plan_load_uses(const struct emitter *em, const struct value *load, int atom)
{
    return indices_use(em, load->buffer, load->index, atom);
}

int loop_plan_registers(const struct emitter *em, int64_t extent)
{
    int w = em->machine->vector_bytes / 4;
    int64_t n = extent / w, rest = extent % w;
    return (int)(n + (em->machine->masks ? rest > 0 : __builtin_popcountll((unsigned long long)rest)));
}

int64_t loop_plan_stride(const struct emitter *em, const struct buffer *b, const struct affine *index, int atom)
{
    int64_t stride = 1, sum = 0;
    for (int d = b->ndim - 1; d >= 0; d--) {
        for (int i = 0; i < index[d].n; i++) {
            const struct term *t = &index[d].terms[i];
            if (t->atom == atom)
                sum += stride * t->coef;
            else if (em->nest->atoms->at[t->atom].kind != ATOM_LOOP &&
                     index_uses(em, affine_atom(em->nest->atoms, t->atom), atom))
                return STRIDE_VARIES;
        }
        if (b->min && index_uses(em, b->min[d], atom))
            return STRIDE_VARIES;
        stride *= b->extent[d];
    }
    return sum;
}

/* ---- may a loop be vector code, and does that pay ---- */

struct vector_check {
    const struct emitter *em;
    int atom;
    const struct buffer *inside[16]; /* tensors allocated inside the loop: every lane gets its own copy */
    int ninside;
    bool legal, good;
};

static bool is_inside(const struct vector_check *c, const struct buffer *b)
{
    for (int i = 0; i < c->ninside; i++)
        if (c->inside[i] == b)
            return true;
    return false;
}

/* Within the copy of a lane, the element does not depend on the lane. */
static bool same_for_all_lanes(const struct vector_check *c, const struct buffer *b, const struct affine *index)
{
    for (int d = 0; d < b->ndim; d++) {
        struct affine f = b->min ? affine_sub(c->em->nest->atoms, index[d], b->min[d]) : index[d];
        if (index_uses(c->em, f, c->atom))
            return false;
    }
    return true;
}

static void check_value(struct vector_check *c, const struct value *v)
{
    if (v->kind == EXPR_LOAD && is_inside(c, v->buffer)) {
        c->legal &= same_for_all_lanes(c, v->buffer, v->index);
    } else if (v->kind == EXPR_LOAD) {
        int64_t s = loop_plan_stride(c->em, v->buffer, v->index, c->atom);
        c->good &= s >= 0 && s <= 3;
    }
    c->good &= v->kind != EXPR_TANH && v->kind != EXPR_ERF && v->kind != EXPR_LOG;
    for (int i = 0; i < v->nargs; i++)
        check_value(c, v->args[i]);
}

static void check_stmt(struct vector_check *c, const struct stmt *s)
{
    if (s->kind == STMT_LOOP && s->loop == ANN_PARALLEL)
        c->legal = false;
    if (s->kind == STMT_ALLOC) {
        if (c->ninside == 16)
            c->legal = false;
        else
            c->inside[c->ninside++] = s->buffer;
    }
    if (s->kind == STMT_STORE) {
        if (is_inside(c, s->buffer)) {
            c->legal &= same_for_all_lanes(c, s->buffer, s->index);
        } else {
            c->legal &= loop_plan_uses(c->em, s, c->atom);
            c->good &= loop_plan_stride(c->em, s->buffer, s->index, c->atom) == 1;
        }
        check_value(c, s->value);
    }
    for (int i = 0; i < s->nbody && c->legal; i++)
        check_stmt(c, s->body[i]);
}

static struct vector_check check_vector(const struct emitter *em, const struct stmt *loop)
{
    struct vector_check c = {.em = em, .atom = loop->atom, .legal = loop->extent > 1, .good = loop->extent >= 4};
    c.legal &= loop->iter_kind == ITER_SPATIAL || loop->loop == ANN_VECTORIZE;
    check_stmt(&c, loop->body[0]);
    return c;
}

static bool value_merges(const struct emitter *em, const struct value *v, int lane, int outer, int64_t lanes)
{
    if (v->kind == EXPR_LOAD) {
        int64_t s = loop_plan_stride(em, v->buffer, v->index, lane),
                o = loop_plan_stride(em, v->buffer, v->index, outer);
        return (s == 1 && (o == lanes || o == 0)) || (s == 0 && o == 0);
    }
    if (v->kind == EXPR_TANH || v->kind == EXPR_ERF || v->kind == EXPR_LOG || v->kind == EXPR_INDEX)
        return v->kind == EXPR_INDEX;
    if ((v->kind == EXPR_IF || v->kind == EXPR_SELECT) && !em->machine->masks)
        return false;
    for (int i = 0; i < v->nargs; i++)
        if (!value_merges(em, v->args[i], lane, outer, lanes))
            return false;
    return true;
}

bool loop_plan_merges(const struct emitter *em, const struct loop_node *outer)
{
    int64_t width = em->machine->vector_bytes / 4;
    if (outer->s->iter_kind != ITER_SPATIAL || outer->kids[0]->mode != LOOP_VECTOR)
        return false;
    const struct stmt *lanes = outer->kids[0]->s, *store = lanes->body[0];
    int64_t n = lanes->extent;
    if (store->kind != STMT_STORE || store->is_update || n >= width || width % n)
        return false;
    return loop_plan_stride(em, store->buffer, store->index, lanes->atom) == 1 &&
           loop_plan_stride(em, store->buffer, store->index, outer->s->atom) == n &&
           value_merges(em, store->value, lanes->atom, outer->s->atom, n);
}

/* ---- the unroll rule ---- */

static struct loop_node *plan_stmt(struct plan_state *w, const struct stmt *s);

static void plan_kids(struct plan_state *w, struct loop_node *n)
{
    int normal = 0, unrolled = 0;
    int64_t steps = 0;
    bool lanes = false;
    n->nkids = n->s->nbody;
    n->kids = ARENA_ARRAY(w->em->arena, struct loop_node *, n->nkids + 1);
    for (int i = 0; i < n->nkids; i++) {
        w->normal = w->unrolled = 0;
        w->steps = 0;
        w->lanes = false;
        n->kids[i] = plan_stmt(w, n->s->body[i]);
        n->stores += n->kids[i]->stores;
        steps += w->steps;
        lanes |= w->lanes;
        normal = w->normal > normal ? w->normal : normal;
        unrolled = w->unrolled > unrolled ? w->unrolled : unrolled;
    }
    w->steps = steps;
    w->lanes = lanes;
    w->normal = normal;
    w->unrolled = unrolled;
}

/* TVM vectorises before it unrolls: for the unroll rule a vector loop is no loop any more. */
static bool plan_vector(struct plan_state *w, struct loop_node *n)
{
    const struct stmt *s = n->s;
    if (s->loop == ANN_PARALLEL)
        return false;
    struct vector_check c = check_vector(w->em, s);
    bool asked = s->loop == ANN_VECTORIZE;
    if (!c.legal || (!asked && (w->lanes || !c.good)))
        return false;
    w->lanes |= c.good;
    n->mode = LOOP_VECTOR;
    return true;
}

static void plan_loop(struct plan_state *w, struct loop_node *n)
{
    const struct stmt *s = n->s;
    bool lanes = plan_vector(w, n), vector = s->loop == ANN_VECTORIZE;
    bool asked = s->loop == ANN_UNROLL || s->extent == 1 || (vector && !lanes && s->extent <= 64);
    bool serial = s->loop == ANN_NONE;
    bool fits = serial && w->normal == 0 && w->unrolled <= 8 && s->extent * w->steps <= w->limit;
    if (vector && lanes)
        ;
    else if (asked || fits) {
        w->steps *= s->extent;
        w->unrolled++;
    } else {
        w->normal++;
    }
    if (lanes)
        n->stores *= loop_plan_registers(w->em, s->extent);
    else if (s->loop == ANN_PARALLEL)
        n->mode = LOOP_PARALLEL;
    else if ((asked || fits) && n->stores * s->extent <= MOST_STORES) {
        n->mode = LOOP_UNROLLED;
        n->stores *= s->extent;
    }
}

static struct loop_node *plan_stmt(struct plan_state *w, const struct stmt *s)
{
    struct loop_node *n = ARENA_NEW(w->em->arena, struct loop_node);
    int64_t limit = w->limit;
    n->s = s;
    if (s->kind == STMT_LOOP && s->auto_unroll >= 0)
        w->limit = s->auto_unroll;
    if (s->kind == STMT_STORE) {
        n->stores = w->steps = 1;
    } else {
        plan_kids(w, n);
        if (s->kind == STMT_LOOP)
            plan_loop(w, n);
    }
    w->limit = limit;
    return n;
}

struct loop_node *loop_plan(struct emitter *em)
{
    struct plan_state w = {.em = em};
    return plan_stmt(&w, em->nest->root);
}

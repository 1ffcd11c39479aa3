/* SPDX-License-Identifier: Apache-2.0 */
/* unroll: TVM's UnrollLoop rule on the nest (tir/transforms/unroll_loop.cc): with limit N over a subtree, inner loops
 * first, a serial loop is unrolled when extent * steps inside <= N, no loop that runs is inside, and at most 8 unrolled
 * loops are nested; steps are stores, a vector loop counting once. Loops annotated `unroll` always are.
 *
 * Deviations, all in speed and none in results: more than CAP stores in one body make real loops (TVM would spend
 * minutes in LLVM), and an innermost spatial loop over neighbours without annotation becomes vector code here, where
 * TVM leaves it to LLVM's vectoriser. */
#include "targets/cpu/unroll.h"

#include <string.h>

#define CAP 64

struct walk {
    struct emitter *em;
    int64_t limit;        /* of the pragma in force; 0: none */
    int normal, unrolled; /* depth of loops that run, of unrolled ones, in the subtree just done */
    int64_t steps;
};

static bool form_uses(const struct emitter *em, struct affine a, int atom)
{
    return affine_uses(em->nest->atoms, a, atom);
}

bool unroll_uses(const struct emitter *em, const struct stmt *store, int atom)
{
    for (int d = 0; d < store->buffer->ndim; d++)
        if (form_uses(em, store->index[d], atom))
            return true;
    return false;
}

int unroll_pieces(const struct emitter *em, int64_t extent)
{
    int w = em->machine->vector_bytes / 4;
    int64_t n = extent / w, rest = extent % w;
    return (int)(n + (em->machine->masks ? rest > 0 : __builtin_popcountll((unsigned long long)rest)));
}

/* ---- which loops may be lanes ---- */

enum { STRIDE_ODD = 1 << 30 };

/* Elements between neighbours in the atom; STRIDE_ODD when not one number. */
static int64_t stride_of(const struct emitter *em, const struct buffer *b, const struct affine *index, int atom)
{
    int64_t stride = 1, sum = 0;
    for (int d = b->ndim - 1; d >= 0; d--) {
        for (int i = 0; i < index[d].n; i++) {
            const struct term *t = &index[d].terms[i];
            if (t->atom == atom)
                sum += stride * t->coef;
            else if (em->nest->atoms->at[t->atom].kind != ATOM_LOOP &&
                     form_uses(em, affine_atom(em->nest->atoms, t->atom), atom))
                return STRIDE_ODD;
        }
        if (b->min && form_uses(em, b->min[d], atom))
            return STRIDE_ODD;
        stride *= b->extent[d];
    }
    return sum;
}

static void count_loads(const struct emitter *em, const struct value *v, int atom, int *good, int *bad)
{
    if (v->kind == EXPR_LOAD) {
        int64_t s = stride_of(em, v->buffer, v->index, atom);
        *good += s >= 0 && s <= 3;
        *bad += s < 0 || s > 3;
    }
    if ((v->kind == EXPR_TANH || v->kind == EXPR_ERF || v->kind == EXPR_LOG) && v->nargs)
        (*bad)++;
    for (int i = 0; i < v->nargs; i++)
        count_loads(em, v->args[i], atom, good, bad);
}

/* An unannotated loop worth making lanes: one store below, next to each other, loads likewise or equal. */
static bool vector_worthy(const struct emitter *em, const struct stmt *loop)
{
    const struct stmt *s = loop->body[0];
    while (s->kind == STMT_GUARD)
        s = s->body[0];
    if (s->kind != STMT_STORE || loop->iter_kind != ITER_SPATIAL || loop->extent < 4)
        return false;
    int good = 0, bad = 0;
    count_loads(em, s->value, loop->atom, &good, &bad);
    return bad == 0 && stride_of(em, s->buffer, s->index, loop->atom) == 1;
}

static bool only_stores_with(const struct emitter *em, const struct stmt *s, int atom)
{
    if (s->kind == STMT_ALLOC || (s->kind == STMT_LOOP && (s->loop == ANN_PARALLEL || s->loop == ANN_VECTORIZE)))
        return false;
    if (s->kind == STMT_STORE && !unroll_uses(em, s, atom))
        return false;
    for (int i = 0; i < s->nbody; i++)
        if (!only_stores_with(em, s->body[i], atom))
            return false;
    return true;
}

static enum how first_guess(const struct emitter *em, const struct stmt *s)
{
    if (s->loop == ANN_PARALLEL)
        return HOW_PARALLEL;
    if (s->extent > 1 && s->loop == ANN_VECTORIZE && only_stores_with(em, s->body[0], s->atom))
        return HOW_LANES;
    if (s->loop == ANN_VECTORIZE)
        return s->extent <= 64 ? HOW_UNROLL : HOW_LOOP;
    return HOW_LOOP;
}

/* ---- the rule ---- */

static struct node *plan(struct walk *w, const struct stmt *s);

static void plan_kids(struct walk *w, struct node *n)
{
    int normal = 0, unrolled = 0;
    int64_t steps = 0;
    n->nkids = n->s->nbody;
    n->kids = ARENA_ARRAY(w->em->arena, struct node *, n->nkids + 1);
    for (int i = 0; i < n->nkids; i++) {
        w->normal = w->unrolled = 0;
        w->steps = 0;
        n->kids[i] = plan(w, n->s->body[i]);
        n->stores += n->kids[i]->stores;
        steps += w->steps;
        normal = w->normal > normal ? w->normal : normal;
        unrolled = w->unrolled > unrolled ? w->unrolled : unrolled;
    }
    w->steps = steps;
    w->normal = normal;
    w->unrolled = unrolled;
}

static void plan_loop(struct walk *w, struct node *n)
{
    const struct stmt *s = n->s;
    n->how = first_guess(w->em, s);
    if (n->how == HOW_LANES) { /* the vectoriser has run before the unroller: no loop any more */
        n->stores *= unroll_pieces(w->em, s->extent);
        return;
    }
    bool asked = s->loop == ANN_UNROLL || n->how == HOW_UNROLL || s->extent == 1;
    bool fits = n->how == HOW_LOOP && w->normal == 0 && w->unrolled <= 8 && s->extent * w->steps <= w->limit;
    if (asked || fits) {
        w->steps *= s->extent;
        w->unrolled++;
    } else {
        w->normal++;
    }
    if (n->how != HOW_PARALLEL && vector_worthy(w->em, s))
        n->how = HOW_LANES;
    else if (asked || fits)
        n->how = n->stores * s->extent <= CAP ? HOW_UNROLL : HOW_LOOP;
    if (n->how == HOW_UNROLL)
        n->stores *= s->extent;
    else if (n->how == HOW_LANES)
        n->stores *= unroll_pieces(w->em, s->extent);
}

static struct node *plan(struct walk *w, const struct stmt *s)
{
    struct node *n = ARENA_NEW(w->em->arena, struct node);
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

struct node *unroll_plan(struct emitter *em)
{
    struct walk w = {.em = em};
    return plan(&w, em->nest->root);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_plan: VectorizeLoop first (tir/transforms/vectorize_loop.cc): the variable of a vector loop becomes a ramp. A
 * statement whose condition differs by lane runs as a serial loop over the lanes instead.
 *
 * Then UnrollLoop (tir/transforms/unroll_loop.cc), inner loops first. With limit N over a subtree, a serial loop is
 * unrolled if extent * steps inside <= N, no loop that runs is inside, and at most 8 unrolled loops are nested. Steps
 * are stores. A vector loop is no loop any more. Loops annotated `unroll` are always unrolled.
 *
 * Deviations. A vector loop around an allocation runs as a serial loop; TVM gives each lane its own copy. So does one
 * whose store does not differ by lane, which TVM gets wrong. */
#include "targets/cpu/tvm/tvm_plan.h"

enum { MOST_DEPTH = 8, MOST_LANES = 1024 };

struct planning {
    struct tvm_emitter *em;
    int64_t limit; /* of the pragma in force; 0: none */
    int vector;    /* atom of the vector loop around; -1: none */
    /* Of the subtree that was planned last: */
    int normal, unrolled; /* depth of loops that run, of unrolled ones */
    int64_t steps;
};

static bool form_uses(const struct planning *w, struct affine f, int atom)
{
    return affine_uses(w->em->nest->atoms, f, atom);
}

static bool index_uses(const struct planning *w, const struct buffer *b, const struct affine *index, int atom)
{
    for (int d = 0; d < b->ndim; d++)
        if (form_uses(w, index[d], atom) || (b->min && form_uses(w, b->min[d], atom)))
            return true;
    return false;
}

static bool value_uses(const struct planning *w, const struct value *v, int atom)
{
    if (v->kind == EXPR_LOAD && index_uses(w, v->buffer, v->index, atom))
        return true;
    if (v->kind == EXPR_INDEX && form_uses(w, *v->index, atom))
        return true;
    for (int i = 0; i < v->nargs; i++)
        if (value_uses(w, v->args[i], atom))
            return true;
    return false;
}

/* An if_then_else whose condition differs by lane. */
static bool branches_by_lane(const struct planning *w, const struct value *v, int atom)
{
    if (v->kind == EXPR_IF && value_uses(w, v->args[0], atom))
        return true;
    for (int i = 0; i < v->nargs; i++)
        if (branches_by_lane(w, v->args[i], atom))
            return true;
    return false;
}

static bool guards_use(const struct planning *w, const struct stmt *s, int atom)
{
    for (int i = 0; i < s->nguards; i++)
        if (form_uses(w, s->guards[i].form, atom))
            return true;
    return false;
}

/* TVM: Scalarize */
static bool runs_by_lane(const struct planning *w, const struct stmt *s)
{
    if (w->vector < 0)
        return false;
    return (s->kind == STMT_GUARD && guards_use(w, s, w->vector)) ||
           (s->kind == STMT_STORE && branches_by_lane(w, s->value, w->vector));
}

static bool can_be_vector(const struct planning *w, const struct stmt *s, int atom)
{
    if (s->kind == STMT_ALLOC || (s->kind == STMT_STORE && !index_uses(w, s->buffer, s->index, atom)))
        return false;
    for (int i = 0; i < s->nbody; i++)
        if (!can_be_vector(w, s->body[i], atom))
            return false;
    return true;
}

static struct tvm_node *plan(struct planning *w, const struct stmt *s);

static void plan_kids(struct planning *w, struct tvm_node *n)
{
    int normal = 0, unrolled = 0;
    int64_t steps = 0;
    n->nkids = n->s->nbody;
    n->kids = ARENA_ARRAY(w->em->arena, struct tvm_node *, n->nkids + 1);
    for (int i = 0; i < n->nkids; i++) {
        w->normal = w->unrolled = 0;
        w->steps = 0;
        n->kids[i] = plan(w, n->s->body[i]);
        steps += w->steps;
        normal = w->normal > normal ? w->normal : normal;
        unrolled = w->unrolled > unrolled ? w->unrolled : unrolled;
    }
    w->steps = steps;
    w->normal = normal;
    w->unrolled = unrolled;
}

/* A loop whose body was planned last. */
static enum tvm_loop serial_or_unrolled(struct planning *w, int64_t extent, enum annotation a)
{
    bool fits = a != ANN_UNROLL && w->normal == 0 && w->unrolled <= MOST_DEPTH && extent * w->steps <= w->limit;
    if (a == ANN_UNROLL || fits) {
        w->steps *= extent;
        w->unrolled++;
        return TVM_UNROLLED;
    }
    w->normal++;
    return TVM_SERIAL;
}

static struct tvm_node *plan_lanes(struct planning *w, const struct stmt *s)
{
    struct tvm_node *n = ARENA_NEW(w->em->arena, struct tvm_node);
    int lanes = w->vector;
    int64_t extent = w->em->nest->atoms->at[lanes].hi + 1;
    w->vector = -1;
    *n = (struct tvm_node){.s = s, .atom = lanes, .extent = extent, .nkids = 1};
    n->kids = ARENA_ARRAY(w->em->arena, struct tvm_node *, 1);
    n->kids[0] = plan(w, s);
    n->loop = serial_or_unrolled(w, extent, ANN_NONE);
    w->vector = lanes;
    return n;
}

static void plan_loop(struct planning *w, struct tvm_node *n)
{
    const struct stmt *s = n->s;
    n->atom = s->atom;
    n->extent = s->extent;
    bool vector = s->loop == ANN_VECTORIZE && w->vector < 0 && s->extent > 1 && s->extent <= MOST_LANES &&
                  can_be_vector(w, s->body[0], s->atom);
    if (vector)
        w->vector = s->atom;
    plan_kids(w, n);
    if (vector) {
        w->vector = -1;
        n->loop = TVM_VECTOR;
    } else if (s->loop == ANN_PARALLEL) {
        w->normal++;
        n->loop = TVM_PARALLEL;
    } else if (s->extent > 1) {
        n->loop = serial_or_unrolled(w, s->extent, s->loop);
    } else {
        n->loop = TVM_UNROLLED;
    }
}

static struct tvm_node *plan(struct planning *w, const struct stmt *s)
{
    if (runs_by_lane(w, s))
        return plan_lanes(w, s);
    struct tvm_node *n = ARENA_NEW(w->em->arena, struct tvm_node);
    int64_t limit = w->limit;
    n->s = s;
    if (s->kind == STMT_LOOP && s->auto_unroll >= 0)
        w->limit = s->auto_unroll;
    if (s->kind == STMT_STORE)
        w->steps = 1;
    else if (s->kind == STMT_LOOP)
        plan_loop(w, n);
    else
        plan_kids(w, n);
    w->limit = limit;
    return n;
}

struct tvm_node *tvm_plan(struct tvm_emitter *em)
{
    struct planning w = {.em = em, .vector = -1};
    return plan(&w, em->nest->root);
}

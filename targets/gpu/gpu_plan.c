/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_plan: virtual threads as TVM's InjectVirtualThread has them (tir/transforms/inject_virtual_thread.cc): what no
 * value of the virtual thread reaches is done once; each other store is repeated for each of them where it stands, so
 * that their turns interleave. A tensor that it reaches and that lives inside has a copy for each.
 *
 * Unrolling as UnrollLoop has it (tir/transforms/unroll_loop.cc): with limit N over a subtree, a serial loop is
 * unrolled if extent * steps inside <= N, no loop that runs is inside, and at most 8 unrolled loops are nested. Steps
 * are stores, those of virtual threads counted each. Loops annotated `unroll` are always unrolled. */
#include "targets/gpu/gpu_plan.h"

#include "harness/base/int_math.h"
#include "targets/gpu/gpu_fragment.h"
#include "targets/gpu/gpu_index.h"
#include "targets/gpu/gpu_sync.h"

enum { MOST_DEPTH = 8 };

struct surroundings { /* what is around a statement */
    unsigned vthreads;
    unsigned threads;                 /* bit of each annotation */
    const struct stmt *threads_of[8]; /* the loops bound to threads and blocks */
    int nthreads;
};
struct planning {
    struct gpu_emitter *em;
    struct surroundings *home; /* of allocations, by buffer id */
    struct leaf {
        struct gpu_node *node;
        unsigned around; /* virtual threads */
    } *leaves;
    int nleaves, cap;
};

/* ---- bound loops and allocations ---- */

static int vthread_number(struct gpu_emitter *em, const struct stmt *s)
{
    for (int i = 0; i < em->nvthreads; i++)
        if (em->vthreads[i].atom == s->atom)
            return i;
    if (em->nvthreads == GPU_VTHREADS) {
        gpu_fail(em, "more than %d loops of virtual threads", GPU_VTHREADS);
        return 0;
    }
    em->vthreads[em->nvthreads] = (struct gpu_vthread){s->atom, s->extent};
    return em->nvthreads++;
}

static void enter_loop(struct planning *w, const struct stmt *s, struct surroundings *at)
{
    struct gpu_emitter *em = w->em;
    if (s->loop == ANN_VTHREAD) {
        at->vthreads |= 1u << vthread_number(em, s);
        return;
    }
    if (!annotation_is_bound(s->loop))
        return;
    if (s->iter_kind == ITER_REDUCE && annotation_is_thread(s->loop) && s->loop != ANN_THREAD_X && s->extent > 1)
        gpu_fail(em, "a reduction across %s: only threadIdx.x can be", annotation_word(s->loop));
    if (em->extents[s->loop] && em->extents[s->loop] != s->extent)
        gpu_fail(em, "loops of %lld and of %lld turns are bound to %s", (long long)em->extents[s->loop],
                 (long long)s->extent, annotation_word(s->loop));
    em->extents[s->loop] = s->extent;
    at->threads |= 1u << s->loop;
    if (at->nthreads == 8)
        gpu_fail(em, "more than 8 bound loops around a statement");
    else
        at->threads_of[at->nthreads++] = s;
}

static void place_buffer(struct planning *w, const struct buffer *b, const struct surroundings *at)
{
    struct gpu_storage *s = &w->em->storage[b->id];
    s->placed = true;
    s->copies = 0;
    s->space = str_eq(b->scope, "shared") ? GPU_SHARED : GPU_PRIVATE;
    if (!str_eq(b->scope, "shared") && !str_eq(b->scope, "local") && !str_starts(b->scope, "wmma."))
        gpu_fail(w->em, "tensor '%s' would be in global memory, one for all blocks", b->name);
    w->home[b->id] = *at;
}

/* Fills extents and virtual threads of em, and where buffers are. */
static void place_all(struct planning *w, const struct stmt *s, struct surroundings at)
{
    if (s->kind == STMT_LOOP)
        enter_loop(w, s, &at);
    if (s->kind == STMT_ALLOC)
        place_buffer(w, s->buffer, &at);
    for (int i = 0; i < s->nbody; i++)
        place_all(w, s->body[i], at);
}

/* ---- nodes ---- */

static bool is_leaf(const struct stmt *s)
{
    if (s->kind == STMT_STORE)
        return true;
    if (s->kind == STMT_GUARD)
        return is_leaf(s->body[0]);
    return s->kind == STMT_LOOP && s->loop == ANN_VECTORIZE && is_leaf(s->body[0]);
}

static unsigned wide_axes(const struct gpu_emitter *em)
{
    unsigned all = 0;
    for (int a = 0; a < ANN_COUNT; a++)
        if (annotation_is_thread((enum annotation)a) && em->extents[a] > 1)
            all |= 1u << a;
    return all;
}

static void check_private(struct planning *w, const struct buffer *b, const struct surroundings *at)
{
    const struct gpu_storage *s = &w->em->storage[b->id];
    if (s->placed && s->space == GPU_PRIVATE && at->threads & ~w->home[b->id].threads & wide_axes(w->em))
        gpu_fail(w->em, "tensor '%s' is of a thread, and several would share it", b->name);
}

static void check_values(struct planning *w, const struct value *v, const struct surroundings *at)
{
    if (v->kind == EXPR_LOAD)
        check_private(w, v->buffer, at);
    for (int i = 0; i < v->nargs; i++)
        check_values(w, v->args[i], at);
}

/* Threads must not add to one element together, but in the form of cross_thread.h. */
static void check_update(struct planning *w, const struct stmt *s, const struct surroundings *at)
{
    struct affine f = gpu_index_relative(w->em, s->buffer, s->index);
    bool shared = s->is_update && w->em->storage[s->buffer->id].space != GPU_PRIVATE;
    for (int i = 0; shared && i < at->nthreads; i++) {
        const struct stmt *loop = at->threads_of[i];
        bool alone = loop->extent == 1 || affine_uses(w->em->nest->atoms, f, loop->atom);
        for (int k = 0; k < at->nthreads && !alone; k++)
            alone =
                at->threads_of[k]->loop == loop->loop && affine_uses(w->em->nest->atoms, f, at->threads_of[k]->atom);
        if (!alone)
            gpu_fail(w->em, "%s of several numbers would update one element of '%s'", annotation_word(loop->loop),
                     s->buffer->name);
    }
}

static void add_leaf(struct planning *w, struct gpu_node *n, const struct surroundings *at)
{
    const struct stmt *s = gpu_leaf_store(n);
    if (w->nleaves == w->cap) {
        struct leaf *more = ARENA_ARRAY(w->em->arena, struct leaf, 2 * w->cap + 16);
        for (int i = 0; i < w->nleaves; i++)
            more[i] = w->leaves[i];
        w->leaves = more;
        w->cap = 2 * w->cap + 16;
    }
    w->leaves[w->nleaves++] = (struct leaf){n, at->vthreads};
    n->leaf = true;
    if (w->em->storage[s->buffer->id].space != GPU_PRIVATE)
        n->missing = wide_axes(w->em) & ~at->threads;
    check_private(w, s->buffer, at);
    check_values(w, s->value, at);
    check_update(w, s, at);
}

static struct gpu_node *make(struct planning *w, const struct stmt *s, struct surroundings at)
{
    struct gpu_node *n = ARENA_NEW(w->em->arena, struct gpu_node);
    n->s = s;
    if (s->kind == STMT_LOOP && annotation_is_bound(s->loop))
        enter_loop(w, s, &at);
    if (is_leaf(s) || gpu_fragment_is_block(w->em, s)) {
        add_leaf(w, n, &at);
        return n;
    }
    n->kids = ARENA_ARRAY(w->em->arena, struct gpu_node *, s->nbody + 1);
    n->nkids = s->nbody;
    for (int i = 0; i < s->nbody; i++)
        n->kids[i] = make(w, s->body[i], at);
    return n;
}

/* ---- virtual threads ---- */

static bool value_reached(const struct planning *w, const struct value *v, int vthread)
{
    const struct atoms *p = w->em->nest->atoms;
    int atom = w->em->vthreads[vthread].atom;
    if (v->kind == EXPR_INDEX && affine_uses(p, *v->index, atom))
        return true;
    if (v->kind == EXPR_LOAD && (w->em->storage[v->buffer->id].copies >> vthread & 1 ||
                                 affine_uses(p, gpu_index_relative(w->em, v->buffer, v->index), atom)))
        return true;
    for (int i = 0; i < v->nargs; i++)
        if (value_reached(w, v->args[i], vthread))
            return true;
    return false;
}

static bool leaf_reached(const struct planning *w, const struct gpu_node *n, int vthread)
{
    const struct stmt *store = gpu_leaf_store(n);
    const struct buffer *part = store->across_threads;
    for (const struct stmt *s = n->s; s->kind != STMT_STORE; s = s->body[0])
        for (int i = 0; i < s->nguards; i++)
            if (affine_uses(w->em->nest->atoms, s->guards[i].form, w->em->vthreads[vthread].atom))
                return true;
    return w->em->storage[store->buffer->id].copies >> vthread & 1 ||
           (part && w->em->storage[part->id].copies >> vthread & 1) || value_reached(w, store->value, vthread) ||
           affine_uses(w->em->nest->atoms, gpu_index_relative(w->em, store->buffer, store->index),
                       w->em->vthreads[vthread].atom);
}

/* One pass over the stores; true: something new was reached. */
static bool reach(struct planning *w)
{
    bool more = false;
    for (int i = 0; i < w->nleaves; i++) {
        struct gpu_node *n = w->leaves[i].node;
        const struct stmt *s = gpu_leaf_store(n);
        struct gpu_storage *to = &w->em->storage[s->buffer->id];
        for (int v = 0; v < w->em->nvthreads; v++) {
            unsigned bit = 1u << v;
            if (!(w->leaves[i].around & bit) || n->vthreads & bit || !leaf_reached(w, n, v))
                continue;
            n->vthreads |= bit;
            if (to->space != GPU_GLOBAL && w->home[s->buffer->id].vthreads & bit)
                to->copies |= bit;
            if (s->across_threads) /* the result that is handed over */
                w->em->storage[s->value->buffer->id].copies |= bit;
            more = true;
        }
    }
    return more;
}

/* ---- unrolling ---- */

struct size { /* of a subtree */
    int64_t steps;
    int running, unrolled; /* depth of loops that run, of unrolled ones */
};

static int64_t leaf_steps(const struct gpu_emitter *em, const struct gpu_node *n)
{
    int64_t steps = 1;
    for (int v = 0; v < em->nvthreads; v++)
        steps *= n->vthreads >> v & 1 ? em->vthreads[v].extent : 1;
    return steps;
}

static struct size unroll(const struct gpu_emitter *em, struct gpu_node *n, int64_t limit)
{
    const struct stmt *s = n->s;
    bool loop = s->kind == STMT_LOOP && !n->leaf;
    struct size all = {.steps = n->leaf ? leaf_steps(em, n) : 0};
    if (loop && s->auto_unroll >= 0)
        limit = s->auto_unroll;
    for (int i = 0; i < n->nkids; i++) {
        struct size one = unroll(em, n->kids[i], limit);
        all.steps = sat_add(all.steps, one.steps);
        all.running = one.running > all.running ? one.running : all.running;
        all.unrolled = one.unrolled > all.unrolled ? one.unrolled : all.unrolled;
    }
    if (!loop || annotation_is_bound(s->loop) || s->extent == 1)
        return all;
    n->unroll = s->loop == ANN_UNROLL ||
                (all.running == 0 && all.unrolled <= MOST_DEPTH && sat_mul(s->extent, all.steps) <= limit);
    all.steps = n->unroll ? sat_mul(all.steps, s->extent) : all.steps;
    *(n->unroll ? &all.unrolled : &all.running) += 1;
    return all;
}

struct gpu_node *gpu_plan(struct gpu_emitter *em, const struct stmt *s)
{
    struct planning w = {.em = em, .home = ARENA_ARRAY(em->arena, struct surroundings, em->nest->nbuffers + 1)};
    em->nvthreads = 0;
    for (int a = 0; a < ANN_COUNT; a++)
        em->extents[a] = 0;
    place_all(&w, s, (struct surroundings){0});
    struct gpu_node *n = make(&w, s, (struct surroundings){0});
    while (reach(&w))
        ;
    unroll(em, n, 0);
    gpu_sync(em, n);
    return n;
}

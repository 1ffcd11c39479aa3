/* SPDX-License-Identifier: Apache-2.0 */
/* tile_analysis: first the update, then its init, then whether a short vector loop can be fused with another loop, and
 * last all that forbids a tile. */
#include "targets/cpu/tile/tile_analysis.h"

#include <string.h>

/* ---- the update ---- */

struct update_search {
    struct tile_analysis *a;
    const struct loop_node *path[MOST_CHAIN]; /* loops around the place */
    int depth, broken;                        /* broken: loops of the path around the last SEQ or ALLOC */
    bool fits;
};

/* Finds the one update and its loops. */
static void find_update(struct update_search *u, const struct loop_node *n)
{
    const struct stmt *s = n->s;
    if (s->kind == STMT_STORE && s->is_update) {
        u->fits = !u->a->update;
        u->a->update = s;
        u->a->nchain = u->depth;
        u->a->solid = u->broken;
        memcpy(u->a->chain, u->path, sizeof u->path[0] * (size_t)u->depth);
        return;
    }
    if (s->kind == STMT_LOOP) {
        if (u->depth == MOST_CHAIN || n->mode == LOOP_PARALLEL) {
            u->fits = false;
            return;
        }
        u->path[u->depth++] = n;
    }
    int broken = u->broken;
    if (s->kind == STMT_SEQ || s->kind == STMT_ALLOC)
        u->broken = u->depth;
    for (int i = 0; i < n->nkids && !(u->a->update && !u->fits); i++)
        find_update(u, n->kids[i]);
    u->broken = broken;
    u->depth -= s->kind == STMT_LOOP;
}

/* The sizes that follow from the loops around the update. */
static void measure_chain(struct tile_analysis *a)
{
    for (int i = 0; i < a->nchain; i++) {
        const struct stmt *l = a->chain[i]->s;
        bool lanes = a->chain[i]->mode == LOOP_VECTOR && a->em->lanes.width == 1;
        if (lanes)
            a->lanes = l->extent;
        if (!loop_plan_uses(a->em, a->update, l->atom))
            a->steps *= l->extent;
        else if (a->registers < 1 << 20)
            a->registers *= lanes ? loop_plan_registers(a->em, l->extent) : l->extent;
    }
}

/* The loop moves through the stored tensor by a constant number of elements. */
static bool moves_linearly(const struct tile_analysis *a, const struct stmt *store, int atom)
{
    struct atoms *p = a->em->nest->atoms;
    for (int d = 0; d < store->buffer->ndim; d++)
        for (int i = 0; i < store->index[d].n; i++) {
            int term = store->index[d].terms[i].atom;
            if (term != atom && affine_uses(p, affine_atom(p, term), atom))
                return false;
        }
    return true;
}

/* That number of elements. */
static int64_t stored_stride(const struct stmt *store, int atom)
{
    int64_t stride = 1, sum = 0;
    for (int d = store->buffer->ndim - 1; d >= 0; d--) {
        for (int i = 0; i < store->index[d].n; i++)
            if (store->index[d].terms[i].atom == atom)
                sum += stride * store->index[d].terms[i].coef;
        stride *= store->buffer->extent[d];
    }
    return sum;
}

/* Where the code around has lanes already, their elements must be consecutive in memory. */
static bool lanes_fit(const struct tile_analysis *a)
{
    const struct emitter *em = a->em;
    int atom = em->lanes.atom;
    if (em->lanes.width == 1 || em->frame->copies[a->update->buffer->id] > 1)
        return true;
    return moves_linearly(a, a->update, atom) && stored_stride(a->update, atom) == 1;
}

/* ---- an init in front of the update ---- */

/* Loops from n down to an init store of the update's tensor. False: something else stands there. */
static bool init_loops(const struct tile_analysis *a, const struct loop_node *n, struct store_nest *out)
{
    *out = (struct store_nest){.root = n};
    for (; n->s->kind == STMT_LOOP || n->s->kind == STMT_GUARD; n = n->kids[0])
        if (n->s->kind == STMT_LOOP && out->nloops < MOST_CHAIN)
            out->loops[out->nloops++] = n;
    out->store = n->s;
    return n->s->kind == STMT_STORE && n->s->is_init && n->s->buffer == a->update->buffer;
}

/* The place of the init's loop that moves through the tensor as the chain's loop does; nloops: there is none. */
static int same_loop(const struct tile_analysis *a, const struct store_nest *init, const struct stmt *of)
{
    int k = 0;
    while (k < init->nloops &&
           !(init->loops[k] && init->loops[k]->s->extent == of->extent &&
             stored_stride(init->store, init->loops[k]->s->atom) == stored_stride(a->update, of->atom)))
        k++;
    return k;
}

/* True if every loop of the chain that moves through the tensor has its partner among the init's loops, and the init
 * has no others. */
static bool find_partners(struct tile_analysis *a)
{
    struct store_nest init;
    if (!init_loops(a, a->init, &init))
        return false;
    for (int i = a->split; i < a->nchain; i++) {
        if (!loop_plan_uses(a->em, a->update, a->chain[i]->s->atom))
            continue;
        int k = same_loop(a, &init, a->chain[i]->s);
        if (k == init.nloops)
            return false;
        a->partner[i] = init.loops[k];
        init.loops[k] = NULL;
    }
    for (int k = 0; k < init.nloops; k++)
        if (init.loops[k])
            return false;
    return true;
}

static void find_init(struct tile_analysis *a)
{
    const struct loop_node *n = a->root;
    int loops = 0;
    for (; n->s->kind != STMT_STORE; n = n->kids[n->nkids - 1]) {
        if (n->s->kind == STMT_LOOP) {
            loops++;
        } else if (n->s->kind == STMT_SEQ && n->nkids == 2 && !a->init) {
            a->split = loops;
            a->init = n->kids[0];
            if (!find_partners(a))
                return;
        } else if (n->s->kind != STMT_GUARD) {
            return;
        }
    }
    a->exchangeable = n->s == a->update;
}

/* ---- two loops as one vector loop ---- */

/* Elements of the tile that use what one load gives: the iterations of the loops that the load does not move with. */
static int64_t uses_of(const struct tile_analysis *a, const struct value *load)
{
    int64_t n = 1;
    for (int i = a->solid; i < a->nchain; i++)
        if (loop_plan_uses(a->em, a->update, a->chain[i]->s->atom) &&
            !loop_plan_load_uses(a->em, load, a->chain[i]->s->atom))
            n *= a->chain[i]->s->extent;
    return n;
}

static bool allocates(const struct loop_node *n, const struct buffer *b)
{
    if (n->s->kind == STMT_ALLOC && n->s->buffer == b)
        return true;
    for (int i = 0; i < n->nkids; i++)
        if (allocates(n->kids[i], b))
            return true;
    return false;
}

/* True if the loads are of a window that slides along the vector loop, over a tensor that is filled within the tile.
 * What was stored there is still on its way to memory, and a load of more than was stored at once waits for it. */
static bool slides(const struct tile_analysis *a, const struct value *load, int lane, int outer)
{
    int64_t row = a->lanes;
    if (!allocates(a->root, load->buffer))
        return false;
    for (int i = 0; i < a->nchain; i++)
        if (a->chain[i]->s->atom == outer)
            row *= a->chain[i]->s->extent;
    for (int i = 0; i < a->nchain; i++) {
        int atom = a->chain[i]->s->atom;
        if (atom != lane && atom != outer && loop_plan_stride(a->em, load->buffer, load->index, atom) % row)
            return true;
    }
    return false;
}

/* The load is consecutive over both loops, or the same for every iteration of the outer one, or at least consecutive in
 * the inner one and used often enough to be put together. */
static bool load_fuses(const struct tile_analysis *a, const struct value *load, int lane, int outer)
{
    int64_t s = loop_plan_stride(a->em, load->buffer, load->index, lane);
    int64_t o = loop_plan_stride(a->em, load->buffer, load->index, outer);
    if (s == 1 && o != 0 && slides(a, load, lane, outer))
        return false;
    return (s == 1 && (o == a->lanes || (o != STRIDE_VARIES && uses_of(a, load) >= 4))) ||
           (o == 0 && (s == 0 || s == 1));
}

/* The value is arithmetic on loads that fuse. */
static bool value_fuses(const struct tile_analysis *a, const struct value *x, int lane, int outer)
{
    if (x->kind == EXPR_LOAD && x->buffer != a->update->buffer)
        return load_fuses(a, x, lane, outer);
    if (x->kind != EXPR_LOAD && x->kind != EXPR_FLOAT && !(x->kind >= EXPR_ADD && x->kind <= EXPR_MAX))
        return false;
    for (int i = 0; i < x->nargs; i++)
        if (!value_fuses(a, x->args[i], lane, outer))
            return false;
    return true;
}

static int vector_loop(const struct tile_analysis *a) /* its place in the chain, or -1 */
{
    for (int i = a->solid; i < a->nchain; i++)
        if (a->chain[i]->mode == LOOP_VECTOR)
            return i;
    return -1;
}

/* Iterations of a loop that share a register. The last register may hold fewer where masks are free and the loop stands
 * around the vector loop (emission then knows how many they are before it comes to the lanes). */
static int64_t fused_iterations(const struct emitter *em, int64_t extent, int64_t most, bool around)
{
    if (em->machine->masks && around)
        return extent < most ? extent : most;
    while (most > 1 && (extent % most || (!em->machine->masks && (most & (most - 1)))))
        most--;
    return most;
}

/* A vector loop that fills a part of a register takes iterations of another loop of the tile with it. */
static void find_fused(struct tile_analysis *a)
{
    const struct emitter *em = a->em;
    int at = vector_loop(a);
    const struct loop_node *lanes = at < 0 ? NULL : a->chain[at];
    int64_t width = em->machine->vector_bytes / 4, n = a->lanes;
    if (!lanes || em->lanes.width > 1 || n < 2 || n >= width || (n & (n - 1)))
        return;
    for (int i = a->nchain - 1; i >= a->solid; i--) {
        const struct stmt *l = a->chain[i]->s;
        if (a->chain[i] == lanes || !loop_plan_uses(em, a->update, l->atom) || !moves_linearly(a, a->update, l->atom))
            continue;
        int64_t iterations = fused_iterations(em, l->extent, width / n, i < at);
        if (iterations > a->fused && value_fuses(a, a->update->value, lanes->s->atom, l->atom)) {
            a->fused = (int)iterations;
            a->outer = a->chain[i];
        }
    }
    if (a->fused > 1)
        a->registers = a->registers / a->outer->s->extent * ((a->outer->s->extent + a->fused - 1) / a->fused);
}

/* Where registers are of different size, the loop must stand around the init's vector loop. */
const struct loop_node *tile_analysis_partner(const struct tile_analysis *a, const struct store_nest *init)
{
    bool uneven = a->outer->s->extent % a->fused;
    for (int i = 0; i < init->nloops && !(uneven && init->loops[i]->mode == LOOP_VECTOR); i++) {
        const struct stmt *l = init->loops[i]->s;
        if (l->extent == a->outer->s->extent && init->loops[i]->mode != LOOP_VECTOR &&
            stored_stride(init->store, l->atom) == stored_stride(a->update, a->outer->s->atom))
            return init->loops[i];
    }
    return NULL;
}

/* ---- what forbids a tile ---- */

/* What a guard's index does with the loops around a store. */
struct guard_loops {
    bool spatial, reduce; /* it uses a loop that selects an element; one that does not */
    bool nonlinear;       /* it uses one within a division or remainder */
};

static struct guard_loops guard_loops_of(const struct tile_analysis *a, const struct affine *index,
                                         const struct store_nest *nest)
{
    struct guard_loops g = {.spatial = false};
    struct atoms *p = a->em->nest->atoms;
    for (int k = 0; k < nest->nloops; k++) {
        int atom = nest->loops[k]->s->atom;
        if (!affine_uses(p, *index, atom))
            continue;
        bool selects = loop_plan_uses(a->em, nest->store, atom);
        g.spatial |= selects;
        g.reduce |= !selects;
        for (int t = 0; t < index->n; t++)
            g.nonlinear |= index->terms[t].atom != atom && affine_uses(p, affine_atom(p, index->terms[t].atom), atom);
    }
    return g;
}

/* Guards around a store of the tile: those over spatial loops are kept for one test of the whole tile. False: one of
 * them cannot be tested so. */
static bool take_guards(struct tile_analysis *a, const struct stmt *s, const struct store_nest *nest)
{
    for (int i = 0; i < s->nguards; i++) {
        struct guard_loops g = guard_loops_of(a, &s->guards[i].form, nest);
        if (g.reduce && !g.spatial)
            continue;
        if (g.reduce || (g.spatial && g.nonlinear) || a->nguards == MOST_GUARDS)
            return false;
        a->guards[a->nguards++] = &s->guards[i];
    }
    return true;
}

static int count_loads(const struct value *v, const struct buffer *b)
{
    int n = v->kind == EXPR_LOAD && v->buffer == b;
    for (int i = 0; i < v->nargs; i++)
        n += count_loads(v->args[i], b);
    return n;
}

/* The loops around a store of the tile's tensor move through it linearly, an init has no reduce loops, and the vector
 * loop is over consecutive elements and as long as the update's. */
static bool check_loops(const struct tile_analysis *a, const struct store_nest *nest)
{
    const struct stmt *s = nest->store;
    int64_t lanes = 0;
    for (int i = 0; i < nest->nloops; i++) {
        const struct stmt *l = nest->loops[i]->s;
        bool selects = loop_plan_uses(a->em, s, l->atom), vector = nest->loops[i]->mode == LOOP_VECTOR;
        if (selects ? !moves_linearly(a, s, l->atom) : s->is_init || vector)
            return false;
        if (vector && stored_stride(s, l->atom) != 1)
            return false;
        if (vector)
            lanes = l->extent;
    }
    return a->lanes == 0 || lanes == a->lanes;
}

/* A store of another tensor does not read the tile's; a store of the tile's tensor is the update or an init, and its
 * loops fit. */
static bool check_store(const struct tile_analysis *a, const struct store_nest *nest)
{
    const struct stmt *s = nest->store;
    int loads = count_loads(s->value, a->update->buffer);
    if (s->buffer != a->update->buffer)
        return loads == 0;
    if (loads != s->is_update || (s != a->update && !s->is_init) || !check_loops(a, nest))
        return false;
    return a->fused == 1 || s == a->update || tile_analysis_partner(a, nest);
}

/* A guard around a store of the tile's tensor can be lifted; nothing but loops and guards stands between. */
static bool check_guard(struct tile_analysis *a, const struct loop_node *n, struct store_nest *nest)
{
    const struct loop_node *k = n;
    for (; k->s->kind != STMT_STORE; k = k->kids[0])
        if (k->nkids != 1)
            return false;
    nest->store = k->s;
    return k->s->buffer != a->update->buffer || take_guards(a, n->s, nest);
}

/* Checks all that stands below n. nest: the loops around it. */
static bool check_below(struct tile_analysis *a, const struct loop_node *n, struct store_nest *nest)
{
    const struct stmt *s = n->s;
    if (s->kind == STMT_ALLOC && s->buffer == a->update->buffer)
        return false;
    if (s->kind == STMT_SEQ || s->kind == STMT_ALLOC)
        a->only_update = false;
    if (s->kind == STMT_STORE) {
        nest->store = s;
        return check_store(a, nest);
    }
    if (s->kind == STMT_GUARD && !check_guard(a, n, nest))
        return false;
    if (s->kind == STMT_LOOP && nest->nloops == MOST_CHAIN)
        return false;
    if (s->kind == STMT_LOOP)
        nest->loops[nest->nloops++] = n;
    bool fine = true;
    for (int i = 0; i < n->nkids && fine; i++)
        fine = check_below(a, n->kids[i], nest);
    nest->nloops -= s->kind == STMT_LOOP;
    return fine;
}

bool tile_analysis_make(struct emitter *em, const struct loop_node *n, enum tile_place place, bool fuse,
                        struct tile_analysis *out)
{
    *out = (struct tile_analysis){.em = em, .root = n, .only_update = true, .registers = 1, .steps = 1, .fused = 1};
    struct update_search u = {.a = out};
    find_update(&u, n);
    if (!out->update || !u.fits || em->nest->atoms->n == 0)
        return false;
    measure_chain(out);
    if ((out->steps == 1 && place == TILE_OPENS) || !lanes_fit(out))
        return false;
    find_init(out);
    if (fuse)
        find_fused(out);
    struct store_nest nest = {.root = n};
    if (check_below(out, n, &nest))
        return true;
    return out->fused > 1 && tile_analysis_make(em, n, place, false, out);
}

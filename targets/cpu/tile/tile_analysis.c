/* SPDX-License-Identifier: Apache-2.0 */
/* tile_analysis: what a register tile needs to know of a part of the nest: the one update in it, the loops around that,
 * how many registers its elements take, which guards must be checked for the tile as a whole. */
#include "targets/cpu/tile/tile_analysis.h"

#include "targets/cpu/emit/emit_expr.h"

#include <string.h>

static bool loads_buffer(const struct value *v, const struct buffer *b, int *times)
{
    if (v->kind == EXPR_LOAD && v->buffer == b)
        (*times)++;
    for (int i = 0; i < v->nargs; i++)
        loads_buffer(v->args[i], b, times);
    return *times > 0;
}

/* Finds the one update, its loops and guards. */
static void find_update(struct tile_analysis *v, const struct loop_node *n)
{
    const struct stmt *s = n->s;
    if (s->kind == STMT_STORE && s->is_update) {
        v->fits = !v->update;
        v->update = s;
        v->nchain = v->depth;
        v->solid = v->depth_broken;
        memcpy(v->chain, v->path, sizeof v->chain[0] * (size_t)v->depth);
        return;
    }
    if (s->kind == STMT_LOOP) {
        if (v->depth == MOST_CHAIN || n->how == HOW_PARALLEL) {
            v->fits = false;
            return;
        }
        v->path[v->depth++] = n;
    }
    int broken = v->depth_broken;
    if (s->kind == STMT_SEQ || s->kind == STMT_ALLOC)
        v->depth_broken = v->depth;
    for (int i = 0; i < n->nkids && !(v->update && !v->fits); i++)
        find_update(v, n->kids[i]);
    v->depth_broken = broken;
    v->depth -= s->kind == STMT_LOOP;
}

/* The loop's variable moves through B, and by a constant number of elements. */
static bool moves_straight(const struct tile_analysis *v, const struct stmt *store, int atom)
{
    const struct atoms *p = v->em->nest->atoms;
    for (int d = 0; d < store->buffer->ndim; d++)
        for (int i = 0; i < store->index[d].n; i++) {
            int a = store->index[d].terms[i].atom;
            if (a != atom && affine_uses(p, affine_atom(v->em->nest->atoms, a), atom))
                return false;
        }
    return true;
}

int64_t tile_analysis_stride(const struct stmt *store, int atom)
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

bool tile_analysis_uses(const struct emitter *em, const struct value *load, int atom)
{
    for (int d = 0; d < load->buffer->ndim; d++)
        if (affine_uses(em->nest->atoms, load->index[d], atom))
            return true;
    return false;
}

/* ---- an init in front of the update ---- */

/* Loops from n down to an init store of the update's tensor; -1: something else stands there. */
static int init_chain(const struct tile_analysis *v, const struct loop_node *n, const struct loop_node **loops,
                      const struct stmt **store)
{
    int count = 0;
    for (; n->s->kind == STMT_LOOP || n->s->kind == STMT_GUARD; n = n->kids[0])
        if (n->s->kind == STMT_LOOP && count < MOST_CHAIN)
            loops[count++] = n;
    *store = n->s;
    return n->s->kind == STMT_STORE && n->s->is_init && n->s->buffer == v->update->buffer ? count : -1;
}

/* Every loop of the chain that moves through the tensor has one of the init that moves alike. */
static bool find_partners(struct tile_analysis *v, const struct loop_node *init)
{
    const struct loop_node *loops[MOST_CHAIN];
    const struct stmt *store;
    int n = init_chain(v, init, loops, &store);
    for (int i = v->split; i < v->nchain && n >= 0; i++) {
        int atom = v->chain[i]->s->atom, k = 0;
        if (!loop_plan_uses(v->em, v->update, atom))
            continue;
        while (k < n && !(loops[k] && loops[k]->s->extent == v->chain[i]->s->extent &&
                          tile_analysis_stride(store, loops[k]->s->atom) == tile_analysis_stride(v->update, atom)))
            k++;
        if (k == n)
            return false;
        v->partner[i] = loops[k];
        loops[k] = NULL;
    }
    for (int k = 0; k < n; k++)
        if (loops[k])
            return false;
    return n >= 0;
}

static void find_init(struct tile_analysis *v, const struct loop_node *n)
{
    int loops = 0;
    for (; n->s->kind != STMT_STORE; n = n->kids[n->nkids - 1]) {
        if (n->s->kind == STMT_LOOP) {
            loops++;
        } else if (n->s->kind == STMT_SEQ && n->nkids == 2 && !v->init) {
            v->split = loops;
            v->init = n->kids[0];
            if (!find_partners(v, v->init))
                return;
        } else if (n->s->kind != STMT_GUARD) {
            return;
        }
    }
    v->jammable = n->s == v->update;
}

/* ---- two loops as one vector loop ---- */

/* Elements of the tile that use what one load gives: turns of the loops that the load does not move with. */
static int64_t uses_of(const struct tile_analysis *v, const struct value *load)
{
    int64_t n = 1;
    for (int i = v->solid; i < v->nchain; i++)
        if (loop_plan_uses(v->em, v->update, v->chain[i]->s->atom) &&
            !tile_analysis_uses(v->em, load, v->chain[i]->s->atom))
            n *= v->chain[i]->s->extent;
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

/* A tensor that is filled within the tile is still on its way to memory when it is read. Loads of more than was stored
 * at once wait for it, which windows that slide along the vector loop would do all the time. */
static bool slides(const struct tile_analysis *v, const struct value *x, int lane, int outer)
{
    int64_t row = v->lanes;
    if (!allocates(v->root, x->buffer))
        return false;
    for (int i = 0; i < v->nchain; i++)
        if (v->chain[i]->s->atom == outer)
            row *= v->chain[i]->s->extent;
    for (int i = 0; i < v->nchain; i++) {
        int atom = v->chain[i]->s->atom;
        if (atom != lane && atom != outer && loop_plan_stride(v->em, x->buffer, x->index, atom) % row)
            return true;
    }
    return false;
}

/* The value is arithmetic on loads that are neighbours over both loops, or the same for every turn of the outer one, or
 * at least neighbours in the inner one and worth putting together. */
static bool fuses(const struct tile_analysis *v, const struct value *x, int lane, int outer)
{
    if (x->kind == EXPR_LOAD && x->buffer != v->update->buffer) {
        int64_t s = loop_plan_stride(v->em, x->buffer, x->index, lane),
                o = loop_plan_stride(v->em, x->buffer, x->index, outer);
        if (s == 1 && o != 0 && slides(v, x, lane, outer))
            return false;
        return (s == 1 && (o == v->lanes || (o != STRIDE_ODD && uses_of(v, x) >= 4))) || (o == 0 && (s == 0 || s == 1));
    }
    if (x->kind != EXPR_LOAD && x->kind != EXPR_FLOAT && !(x->kind >= EXPR_ADD && x->kind <= EXPR_MAX))
        return false;
    for (int i = 0; i < x->nargs; i++)
        if (!fuses(v, x->args[i], lane, outer))
            return false;
    return true;
}

static int lanes_loop(const struct tile_analysis *v) /* its place in the chain, or -1 */
{
    for (int i = v->solid; i < v->nchain; i++)
        if (v->chain[i]->how == HOW_LANES)
            return i;
    return -1;
}

/* Turns of a loop that share a register. The last register may hold fewer where masks are free and the loop stands
 * around the vector loop (emission then knows how many they are before it comes to the lanes). */
static int64_t fuse_turns(const struct emitter *em, int64_t extent, int64_t most, bool around)
{
    if (em->machine->masks && around)
        return extent < most ? extent : most;
    while (most > 1 && (extent % most || (!em->machine->masks && (most & (most - 1)))))
        most--;
    return most;
}

/* A vector loop that fills a part of a register takes turns of another loop of the tile with it. */
static void find_fuse(struct tile_analysis *v)
{
    const struct emitter *em = v->em;
    int at = lanes_loop(v);
    const struct loop_node *lanes = at < 0 ? NULL : v->chain[at];
    int64_t width = em->machine->vector_bytes / 4, n = v->lanes;
    if (!lanes || em->lanes.width > 1 || n < 2 || n >= width || (n & (n - 1)))
        return;
    for (int i = v->nchain - 1; i >= v->solid; i--) {
        const struct stmt *l = v->chain[i]->s;
        if (v->chain[i] == lanes || !loop_plan_uses(em, v->update, l->atom) || !moves_straight(v, v->update, l->atom))
            continue;
        int64_t turns = fuse_turns(em, l->extent, width / n, i < at);
        if (turns > v->fuse && fuses(v, v->update->value, lanes->s->atom, l->atom)) {
            v->fuse = (int)turns;
            v->outer = v->chain[i];
        }
    }
    if (v->fuse > 1)
        v->elements = v->elements / v->outer->s->extent * ((v->outer->s->extent + v->fuse - 1) / v->fuse);
}

/* The loop of an init that moves through the tensor as the update's outer vector loop does; around its vector loop
 * where registers are of different size. */
const struct loop_node *tile_analysis_partner(const struct tile_analysis *v, const struct stmt *store,
                                              const struct loop_node *const *loops, int n)
{
    bool uneven = v->outer->s->extent % v->fuse;
    for (int i = 0; i < n && !(uneven && loops[i]->how == HOW_LANES); i++)
        if (loops[i]->s->extent == v->outer->s->extent && loops[i]->how != HOW_LANES &&
            tile_analysis_stride(store, loops[i]->s->atom) == tile_analysis_stride(v->update, v->outer->s->atom))
            return loops[i];
    return NULL;
}

/* Guards above a store of B: those over spatial loops are kept for one test of the whole tile. */
static bool take_guards(struct tile_analysis *v, const struct stmt *s, const struct stmt *store,
                        const struct loop_node *const *loops, int n)
{
    for (int i = 0; i < s->nguards; i++) {
        bool spatial = false, reduce = false, bent = false;
        const struct affine *f = &s->guards[i].form;
        for (int k = 0; k < n; k++) {
            int atom = loops[k]->s->atom;
            if (!affine_uses(v->em->nest->atoms, *f, atom))
                continue;
            bool moves = loop_plan_uses(v->em, store, atom);
            spatial |= moves;
            reduce |= !moves;
            for (int t = 0; t < f->n; t++)
                bent |= f->terms[t].atom != atom &&
                        affine_uses(v->em->nest->atoms, affine_atom(v->em->nest->atoms, f->terms[t].atom), atom);
        }
        if (reduce && !spatial)
            continue;
        if (reduce || (spatial && bent) || v->nguards == MOST_GUARDS)
            return false;
        v->guards[v->nguards++] = &s->guards[i];
    }
    return true;
}

/* Checks all that is below: stores of B are straight, others do not read B, guards can be lifted. */
static bool check_below(struct tile_analysis *v, const struct loop_node *n, const struct loop_node **loops, int depth)
{
    const struct stmt *s = n->s;
    const struct buffer *b = v->update->buffer;
    int times = 0;
    if (s->kind == STMT_ALLOC && s->buffer == b)
        return false;
    if (s->kind == STMT_SEQ || s->kind == STMT_ALLOC)
        v->plain = false;
    if (s->kind == STMT_LOOP) {
        if (depth == MOST_CHAIN)
            return false;
        loops[depth++] = n;
    }
    if (s->kind == STMT_STORE) {
        loads_buffer(s->value, b, &times);
        if (s->buffer != b)
            return times == 0;
        if (times != s->is_update || (s != v->update && !s->is_init))
            return false;
        int64_t lanes = 0;
        for (int i = 0; i < depth; i++) {
            int atom = loops[i]->s->atom;
            bool moves = loop_plan_uses(v->em, s, atom);
            if (moves && !moves_straight(v, s, atom))
                return false;
            if (s->is_init && !moves)
                return false;
            if (loops[i]->how != HOW_LANES)
                continue;
            if (!moves || tile_analysis_stride(s, atom) != 1)
                return false;
            lanes = loops[i]->s->extent;
        }
        return (v->lanes == 0 || lanes == v->lanes) &&
               (v->fuse == 1 || s == v->update || tile_analysis_partner(v, s, loops, depth));
    }
    if (s->kind == STMT_GUARD) {
        const struct loop_node *k = n;
        while (k->s->kind != STMT_STORE) {
            if (k->nkids != 1)
                return false;
            k = k->kids[0];
        }
        if (k->s->buffer == b && !take_guards(v, s, k->s, loops, depth))
            return false;
    }
    for (int i = 0; i < n->nkids; i++)
        if (!check_below(v, n->kids[i], loops, depth))
            return false;
    return true;
}

/* In force lanes, an element per lane must be neighbours in memory. */
static bool lanes_fit(const struct tile_analysis *v)
{
    const struct emitter *em = v->em;
    int atom = em->lanes.atom;
    if (em->lanes.width == 1 || em->frame->privates[v->update->buffer->id] > 1)
        return true;
    return moves_straight(v, v->update, atom) && tile_analysis_stride(v->update, atom) == 1;
}

bool tile_analysis_make(struct emitter *em, const struct loop_node *n, bool inside, bool fuse, struct tile_analysis *v)
{
    const struct loop_node *loops[MOST_CHAIN];
    *v = (struct tile_analysis){.em = em, .root = n, .plain = true, .elements = 1, .steps = 1, .fuse = 1};
    find_update(v, n);
    if (!v->update || !v->fits || em->nest->atoms->n == 0)
        return false;
    for (int i = 0; i < v->nchain; i++) {
        const struct stmt *l = v->chain[i]->s;
        bool lanes = v->chain[i]->how == HOW_LANES && em->lanes.width == 1;
        if (lanes)
            v->lanes = l->extent;
        if (!loop_plan_uses(em, v->update, l->atom))
            v->steps *= l->extent;
        else if (v->elements < 1 << 20)
            v->elements *= lanes ? loop_plan_pieces(em, l->extent) : l->extent;
    }
    if ((v->steps == 1 && !inside) || !lanes_fit(v))
        return false;
    find_init(v, n);
    if (fuse)
        find_fuse(v);
    if (check_below(v, n, loops, 0))
        return true;
    return v->fuse > 1 && tile_analysis_make(em, n, inside, false, v);
}
/* ---- guards of a whole tile ---- */

/* The lifted guards at their extremes over the tile; NULL: they hold; a constant: they cannot. */
LLVMValueRef tile_analysis_condition(struct emitter *em, const struct tile_analysis *v)
{
    LLVMValueRef all = NULL;
    for (int i = 0; i < v->nguards; i++) {
        const struct guard *g = v->guards[i];
        int64_t least = 0, most = 0;
        struct affine f = g->form;
        struct term *kept = ARENA_ARRAY(em->arena, struct term, f.n + 1);
        int nkept = 0;
        for (int t = 0; t < f.n; t++) {
            const struct atom *a = &em->nest->atoms->at[f.terms[t].atom];
            int64_t reach = f.terms[t].coef * a->hi;
            if (em->frame->bindings[f.terms[t].atom].kind == BIND_NONE && a->kind == ATOM_LOOP) {
                least += reach < 0 ? reach : 0;
                most += reach > 0 ? reach : 0;
            } else {
                kept[nkept++] = f.terms[t];
            }
        }
        f.terms = kept;
        f.n = nkept;
        int known[2] = {1, 1};
        struct cell c[2] = {{.v = NULL}, {.v = NULL}};
        if (g->lo != INT64_MIN)
            c[0] = emit_guard_mask(em, affine_shift(f, least), g->lo, INT64_MAX, &known[0]);
        if (g->hi != INT64_MAX)
            c[1] = emit_guard_mask(em, affine_shift(f, most), INT64_MIN, g->hi, &known[1]);
        for (int k = 0; k < 2; k++) {
            if (known[k] == 0 || c[k].wide)
                return LLVMConstInt(em->i1, 0, false);
            if (known[k] < 0)
                all = emitter_and(em, all, c[k].v);
        }
    }
    return all;
}

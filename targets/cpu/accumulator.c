/* SPDX-License-Identifier: Apache-2.0 */
/* accumulator: register tiles.
 *
 * A reduction updates B[spatial] in loops over spatial and reduce variables. Where the spatial loops inside some loop
 * nest are few enough that all elements they reach fit the vector registers, the elements are loaded in front of the
 * nest, kept in stack slots that LLVM's mem2reg turns into registers, and stored behind it. Inside, spatial loops are
 * unrolled and, where nothing stands between the loops, moved inside the reduce loops: one step of the reduction then
 * is an outer product that loads each operand once. Every element still sees its updates in the order of the schedule,
 * so the result is the same to the last bit. Where the elements do not fit, the nest is cut: the outer spatial loops
 * (or a part of one) go outside of the reduce loops, if those are short enough that what they read stays in the
 * first-level cache.
 *
 * Guards of splits that do not divide: if they hold for a whole tile (one test), the fast code runs, else a plain twin.
 */
#include "targets/cpu/accumulator.h"

#include "targets/cpu/access.h"
#include "targets/cpu/form.h"
#include "targets/cpu/lane.h"
#include "targets/cpu/statement.h"

#include <string.h>

#define MOST_SLOTS 32
#define MOST_CHAIN 64
#define MOST_GUARDS 16
#define CUT_STEPS 512 /* reduce steps that a cut nest may repeat per tile */
#define UNROLLED 128  /* updates in one straight piece of code where the schedule asks for unrolling */
#define UNASKED 32    /* and where it does not */

struct slot {
    struct form form;
    struct lanes lanes;
    LLVMValueRef at, pointer;
    bool dirty;
};
struct tile {
    const struct buffer *buffer;
    struct slot slots[MOST_SLOTS];
    int nslots, scope;
    LLVMBasicBlockRef before; /* where elements are loaded */
    const struct guard *proven[MOST_GUARDS];
    int nproven;
    bool *index; /* by atom: the loop selects an element */
    bool scalar; /* the update is not vector code, so the init must not be either */
};

/* What stands below a node: the update and how it is reached. */
struct survey {
    struct emitter *em;
    const struct stmt *update;
    const struct node *path[MOST_CHAIN], *chain[MOST_CHAIN]; /* loops around the place; around the update */
    int depth, nchain;
    bool plain; /* nothing but loops and guards between the node and the update */
    bool fits;
    const struct guard *guards[MOST_GUARDS];
    int nguards;
    int64_t elements; /* registers that all elements need */
    int64_t lanes;    /* extent of the update's vector loop; 0: none */
    int64_t steps;    /* product of the reduce loops around the update */
};

/* ---- slots ---- */

static struct slot *find_slot(struct emitter *em, const struct form *f)
{
    struct tile *t = em->tile;
    for (int i = t->nslots - 1; i >= 0; i--)
        if (form_equal(&t->slots[i].form, f) && t->slots[i].lanes.width == em->lanes.width)
            return &t->slots[i];
    return NULL;
}

static struct slot *new_slot(struct emitter *em, const struct form *f, bool load)
{
    struct tile *t = em->tile;
    LLVMTypeRef element = emitter_type(em, t->buffer->dtype), type = emitter_wide(em, element);
    bool apart = true, copies = em->frame->privates[t->buffer->id] > 1; /* two registers never hold the same element */
    for (int i = 0; i < t->nslots; i++) {
        struct form g = t->slots[i].form;
        int64_t d = f->base - g.base, before = copies ? 1 : t->slots[i].lanes.count;
        g.lane = f->lane;
        apart &= form_same_symbols(&g, f) && (d >= before || -d >= (copies ? 1 : em->lanes.count));
    }
    if (t->nslots == MOST_SLOTS || form_scope(em, f) > t->scope || !apart) {
        emitter_fail(em, "the register tile of '%s' was planned wrongly", t->buffer->name);
        return NULL;
    }
    struct slot *s = &t->slots[t->nslots++];
    *s = (struct slot){.form = *f, .lanes = em->lanes};
    s->at = emitter_alloca(em, type, 64, "acc");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(em->builder);
    LLVMPositionBuilderBefore(em->builder, LLVMGetBasicBlockTerminator(t->before));
    s->pointer = form_pointer(em, t->buffer, f);
    if (load)
        LLVMBuildStore(em->builder, access_read(em, element, s->pointer, NULL), s->at);
    LLVMPositionBuilderAtEnd(em->builder, here);
    return s;
}

static bool in_tile(const struct emitter *em, const struct buffer *b)
{
    return em->tile && em->tile->buffer == b;
}

bool accumulator_get(struct emitter *em, const struct buffer *b, const struct form *f, struct cell *out)
{
    if (!in_tile(em, b))
        return false;
    struct slot *s = find_slot(em, f);
    if (!s)
        s = new_slot(em, f, true);
    LLVMTypeRef type = emitter_wide(em, emitter_type(em, b->dtype));
    *out = (struct cell){.v = s ? LLVMBuildLoad2(em->builder, type, s->at, "") : LLVMGetPoison(type),
                         .wide = em->lanes.width > 1};
    return true;
}

bool accumulator_set(struct emitter *em, const struct buffer *b, const struct form *f, struct cell value)
{
    if (!in_tile(em, b))
        return false;
    struct slot *s = find_slot(em, f);
    if (!s) /* written for the first time on the way that always runs: nothing to load */
        s = new_slot(em, f, em->frame->nscopes - 1 != em->tile->scope || em->mask);
    if (!s)
        return true;
    LLVMValueRef v = emitter_widen(em, value);
    if (em->mask) {
        LLVMValueRef old = LLVMBuildLoad2(em->builder, LLVMTypeOf(v), s->at, "");
        v = LLVMBuildSelect(em->builder, em->mask, v, old, "");
    }
    LLVMBuildStore(em->builder, v, s->at);
    s->dirty = true;
    return true;
}

bool accumulator_scalar(const struct emitter *em)
{
    return em->tile && em->tile->scalar;
}

bool accumulator_holds(const struct emitter *em, const struct node *loop)
{
    return em->tile && em->tile->index[loop->s->atom];
}

bool accumulator_proven(const struct emitter *em, const struct guard *g)
{
    for (int i = 0; em->tile && i < em->tile->nproven; i++)
        if (em->tile->proven[i] == g)
            return true;
    return false;
}

/* ---- survey ---- */

static bool loads_buffer(const struct value *v, const struct buffer *b, int *times)
{
    if (v->kind == EXPR_LOAD && v->buffer == b)
        (*times)++;
    for (int i = 0; i < v->nargs; i++)
        loads_buffer(v->args[i], b, times);
    return *times > 0;
}

/* Finds the one update, its loops and guards. */
static void find_update(struct survey *v, const struct node *n)
{
    const struct stmt *s = n->s;
    if (s->kind == STMT_STORE && s->is_update) {
        v->fits = !v->update;
        v->update = s;
        v->nchain = v->depth;
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
    for (int i = 0; i < n->nkids && !(v->update && !v->fits); i++)
        find_update(v, n->kids[i]);
    v->depth -= s->kind == STMT_LOOP;
}

/* The loop's variable moves through B, and by a constant number of elements. */
static bool moves_straight(const struct survey *v, const struct stmt *store, int atom)
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

static int64_t lane_stride(const struct stmt *store, int atom)
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

/* Guards above a store of B: those over spatial loops are kept for one test of the whole tile. */
static bool take_guards(struct survey *v, const struct stmt *s, const struct stmt *store,
                        const struct node *const *loops, int n)
{
    for (int i = 0; i < s->nguards; i++) {
        bool spatial = false, reduce = false, bent = false;
        const struct affine *f = &s->guards[i].form;
        for (int k = 0; k < n; k++) {
            int atom = loops[k]->s->atom;
            if (!affine_uses(v->em->nest->atoms, *f, atom))
                continue;
            bool moves = unroll_uses(v->em, store, atom);
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
static bool check_below(struct survey *v, const struct node *n, const struct node **loops, int depth)
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
            bool moves = unroll_uses(v->em, s, atom);
            if (moves && !moves_straight(v, s, atom))
                return false;
            if (s->is_init && !moves)
                return false;
            if (loops[i]->how != HOW_LANES)
                continue;
            if (!moves || lane_stride(s, atom) != 1)
                return false;
            lanes = loops[i]->s->extent;
        }
        return v->lanes == 0 || lanes == v->lanes;
    }
    if (s->kind == STMT_GUARD) {
        const struct node *k = n;
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
static bool lanes_fit(const struct survey *v)
{
    const struct emitter *em = v->em;
    int atom = em->lanes.atom;
    if (em->lanes.width == 1 || em->frame->privates[v->update->buffer->id] > 1)
        return true;
    return moves_straight(v, v->update, atom) && lane_stride(v->update, atom) == 1;
}

static bool survey(struct emitter *em, const struct node *n, struct survey *v)
{
    const struct node *loops[MOST_CHAIN];
    *v = (struct survey){.em = em, .plain = true, .elements = 1, .steps = 1};
    find_update(v, n);
    if (!v->update || !v->fits || em->nest->atoms->n == 0)
        return false;
    for (int i = 0; i < v->nchain; i++) {
        const struct stmt *l = v->chain[i]->s;
        if (v->chain[i]->how == HOW_LANES && em->lanes.width == 1)
            v->lanes = l->extent;
        if (!unroll_uses(em, v->update, l->atom))
            v->steps *= l->extent;
        else if (v->elements < 1 << 20)
            v->elements *=
                v->chain[i]->how == HOW_LANES && em->lanes.width == 1 ? unroll_pieces(em, l->extent) : l->extent;
    }
    return v->steps > 1 && lanes_fit(v) && check_below(v, n, loops, 0);
}

/* ---- guards of a whole tile ---- */

/* The lifted guards at their extremes over the tile; NULL: they hold; a constant: they cannot. */
static LLVMValueRef tile_condition(struct emitter *em, const struct survey *v)
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
            c[0] = lane_guard(em, affine_shift(f, least), g->lo, INT64_MAX, &known[0]);
        if (g->hi != INT64_MAX)
            c[1] = lane_guard(em, affine_shift(f, most), INT64_MIN, g->hi, &known[1]);
        for (int k = 0; k < 2; k++) {
            if (known[k] == 0 || c[k].wide)
                return LLVMConstInt(em->i1, 0, false);
            if (known[k] < 0)
                all = emitter_and(em, all, c[k].v);
        }
    }
    return all;
}

/* ---- the cut nest: outer spatial loops, reduce loops, then the tile ---- */

struct dim {
    const struct node *loop;
    int64_t count;   /* elements of this loop within the tile (registers, for lanes) */
    int64_t outside; /* tiles of it; 1: all of it is inside */
};
struct jam {
    struct dim dims[MOST_CHAIN];
    const struct node *reduce[MOST_CHAIN];
    int64_t unroll[MOST_CHAIN]; /* turns of that reduce loop emitted in a row */
    int ndims, nreduce, order[MOST_CHAIN];
    const struct node *root;
    const struct stmt *update;
    int at; /* recursion */
};

static void emit_dims(struct emitter *em, void *ctx)
{
    struct jam *j = ctx;
    if (em->failed)
        return;
    if (j->at == j->ndims) {
        statement_store(em, j->update);
        return;
    }
    const struct dim *d = &j->dims[j->order[j->at]];
    struct binding *bind = &em->frame->bindings[d->loop->s->atom], old = *bind;
    j->at++;
    if (d->loop->how == HOW_LANES && em->lanes.width == 1) {
        statement_lanes(em, d->loop->s->atom, d->loop->s->extent, emit_dims, j);
    } else {
        for (int64_t i = 0; i < d->count && !em->failed; i++) {
            *bind = old;
            if (d->outside == 1)
                *bind = (struct binding){.kind = BIND_CONST, .start = i};
            else
                bind->start += i; /* the part outside is bound already: symbol * count, or a number */
            emit_dims(em, j);
        }
        *bind = old;
    }
    j->at--;
}

struct guard_job {
    struct jam *j;
    const struct node *n;
};

/* The guards between the root and the update; those that vary within the tile are proven, so here one test does for
 * all. */
static void emit_guarded(struct emitter *em, void *ctx)
{
    struct guard_job g = *(const struct guard_job *)ctx;
    while (g.n->s->kind == STMT_LOOP)
        g.n = g.n->kids[0];
    if (g.n->s->kind == STMT_GUARD) {
        const struct stmt *s = g.n->s;
        g.n = g.n->kids[0];
        statement_guard(em, s, emit_guarded, &g);
    } else {
        emit_dims(em, g.j);
    }
}

/* One step of the reduction: what it loads is remembered for this step only. */
static void emit_step(struct emitter *em, struct jam *j)
{
    struct guard_job g = {j, j->root};
    scope_push(em, NULL);
    j->at = 0;
    emit_guarded(em, &g);
    scope_pop(em);
}

static void emit_reduce(struct emitter *em, struct jam *j, int k);

struct reduce_job {
    struct jam *j;
    int k;
};

static void reduce_turns(struct emitter *em, void *ctx)
{
    const struct reduce_job *r = ctx;
    struct binding *bind = &em->frame->bindings[r->j->reduce[r->k]->s->atom], old = *bind;
    int64_t turns = r->j->unroll[r->k];
    for (int64_t i = 0; i < turns && !em->failed; i++) {
        if (old.kind == BIND_SYMBOL)
            *bind = (struct binding){.kind = BIND_SYMBOL, .symbol = old.symbol, .start = i, .stride = turns};
        else
            *bind = (struct binding){.kind = BIND_CONST, .start = i};
        emit_reduce(em, r->j, r->k + 1);
    }
    *bind = old;
}

static void emit_reduce(struct emitter *em, struct jam *j, int k)
{
    if (k == j->nreduce) {
        emit_step(em, j);
        return;
    }
    struct reduce_job r = {j, k};
    int64_t extent = j->reduce[k]->s->extent;
    if (j->unroll[k] == extent)
        reduce_turns(em, &r);
    else
        statement_loop(em, j->reduce[k]->s->atom, extent / j->unroll[k], reduce_turns, &r);
}

/* Which reduce loops to unroll, inner ones first, as long as the code stays short. */
static void plan_turns(struct jam *j, int64_t elements)
{
    int64_t size = elements;
    bool whole = true;
    for (int k = j->nreduce - 1; k >= 0; k--) {
        int64_t extent = j->reduce[k]->s->extent, most = j->reduce[k]->how == HOW_UNROLL ? UNROLLED : UNASKED;
        int64_t turns = whole ? extent : 1;
        while (turns > 1 && (size * turns > most || extent % turns))
            turns--;
        j->unroll[k] = turns;
        size *= turns;
        whole = turns == extent;
    }
}

/* The loops of the chain below (and with) n, split in spatial and reduce ones; spatial ones sorted, many elements
 * first. */
static void plan_jam(struct emitter *em, const struct survey *v, const struct node *n, struct jam *j)
{
    *j = (struct jam){.root = n, .update = v->update};
    for (int i = 0; i < v->nchain; i++) {
        const struct node *l = v->chain[i];
        if (!unroll_uses(em, v->update, l->s->atom)) {
            j->reduce[j->nreduce++] = l;
            continue;
        }
        bool lanes = l->how == HOW_LANES && em->lanes.width == 1;
        j->dims[j->ndims++] =
            (struct dim){.loop = l, .count = lanes ? unroll_pieces(em, l->s->extent) : l->s->extent, .outside = 1};
    }
}

static void sort_dims(struct jam *j)
{
    for (int i = 0; i < j->ndims; i++) {
        int k = i;
        for (; k > 0 && j->dims[j->order[k - 1]].count < j->dims[i].count; k--)
            j->order[k] = j->order[k - 1];
        j->order[k] = i;
    }
}

/* Takes from the outer spatial loops until the rest fits; false when even the lanes do not. */
static bool cut_dims(struct jam *j, int64_t budget)
{
    int64_t size = 1;
    for (int i = j->ndims - 1; i >= 0; i--) {
        struct dim *d = &j->dims[i];
        int64_t extent = d->count, count = extent;
        if (size * extent > budget) {
            if (d->loop->how == HOW_LANES)
                return false;
            while (count > 1 && (size * count > budget || extent % count))
                count--;
        }
        d->count = count;
        d->outside = extent / count;
        size *= count;
    }
    return true;
}

/* ---- a tile ---- */

static void open_tile(struct emitter *em, struct tile *t, const struct survey *v)
{
    *t = (struct tile){.buffer = v->update->buffer, .scope = em->frame->nscopes - 1, .scalar = v->lanes == 0};
    t->before = LLVMGetInsertBlock(em->builder);
    LLVMBasicBlockRef inside = emitter_block(em, "tile");
    LLVMBuildBr(em->builder, inside);
    LLVMPositionBuilderAtEnd(em->builder, inside);
    t->index = ARENA_ARRAY(em->arena, bool, em->nest->atoms->n + 1);
    for (int i = 0; i < v->nguards; i++)
        t->proven[t->nproven++] = v->guards[i];
    em->tile = t;
}

static void close_tile(struct emitter *em)
{
    struct tile *t = em->tile;
    struct lanes lanes = em->lanes;
    LLVMTypeRef element = emitter_type(em, t->buffer->dtype);
    em->tile = NULL;
    for (int i = 0; i < t->nslots && !em->failed; i++) {
        const struct slot *s = &t->slots[i];
        if (!s->dirty)
            continue;
        em->lanes = s->lanes;
        LLVMValueRef v = LLVMBuildLoad2(em->builder, emitter_wide(em, element), s->at, "");
        access_write(em, element, s->pointer, v, NULL);
    }
    em->lanes = lanes;
    em->versions[t->buffer->id]++;
}

static void mark_index(struct emitter *em, const struct node *n, const struct buffer *b, const struct node **loops,
                       int depth)
{
    if (n->s->kind == STMT_LOOP && depth < MOST_CHAIN)
        loops[depth++] = n;
    if (n->s->kind == STMT_STORE && n->s->buffer == b)
        for (int i = 0; i < depth; i++)
            em->tile->index[loops[i]->s->atom] |= unroll_uses(em, n->s, loops[i]->s->atom);
    for (int i = 0; i < n->nkids; i++)
        mark_index(em, n->kids[i], b, loops, depth);
}

/* ---- emission ---- */

struct cut_job {
    struct jam *j;
    const struct survey *v;
    int64_t copies;  /* of the tile, emitted one after the other */
    int dim, scaled; /* next dimension; the one whose loop was just entered, or -1 */
};

static void emit_cut(struct emitter *em, void *ctx)
{
    struct cut_job c = *(const struct cut_job *)ctx;
    if (c.scaled >= 0)
        em->frame->bindings[c.j->dims[c.scaled].loop->s->atom].stride = c.j->dims[c.scaled].count;
    c.scaled = -1;
    while (c.dim < c.j->ndims && c.j->dims[c.dim].outside == 1)
        c.dim++;
    if (c.dim == c.j->ndims) {
        struct tile t;
        open_tile(em, &t, c.v);
        emit_reduce(em, c.j, 0);
        close_tile(em);
        return;
    }
    const struct dim *d = &c.j->dims[c.dim++];
    int atom = d->loop->s->atom;
    if (d->loop->how != HOW_UNROLL || c.copies * d->outside > UNROLLED) {
        c.scaled = c.dim - 1;
        statement_loop(em, atom, d->outside, emit_cut, &c);
        return;
    }
    struct binding old = em->frame->bindings[atom];
    c.copies *= d->outside;
    for (int64_t i = 0; i < d->outside && !em->failed; i++) {
        em->frame->bindings[atom] = (struct binding){.kind = BIND_CONST, .start = i * d->count};
        emit_cut(em, &c);
    }
    em->frame->bindings[atom] = old;
}

/* Inside a tile: the reduce loops from n on, if nothing stands between them and the update. */
static bool emit_inside(struct emitter *em, const struct node *n)
{
    struct survey v;
    struct jam j;
    if (!survey(em, n, &v) || !v.plain || v.update->buffer != em->tile->buffer)
        return false;
    plan_jam(em, &v, n, &j);
    sort_dims(&j);
    plan_turns(&j, v.elements);
    emit_reduce(em, &j, 0);
    return true;
}

static void emit_whole(struct emitter *em, const struct node *n, const struct survey *v)
{
    const struct node *loops[MOST_CHAIN];
    struct tile t;
    open_tile(em, &t, v);
    mark_index(em, n, t.buffer, loops, 0);
    statement_emit(em, n);
    close_tile(em);
}

static bool plan_cut(struct emitter *em, const struct survey *v, const struct node *n, struct jam *j, int64_t budget)
{
    if (!v->plain || v->steps > CUT_STEPS || em->lanes.width > 1)
        return false;
    plan_jam(em, v, n, j);
    if (!cut_dims(j, budget))
        return false;
    int64_t size = 1;
    for (int i = 0; i < j->ndims; i++)
        size *= j->dims[i].count;
    sort_dims(j);
    plan_turns(j, size);
    return true;
}

/* The fast code when the condition holds, else the same statements without tiles. */
static void emit_either(struct emitter *em, const struct node *n, LLVMValueRef condition,
                        void (*fast)(struct emitter *em, void *ctx), void *ctx)
{
    if (!condition) {
        fast(em, ctx);
        return;
    }
    LLVMBasicBlockRef yes = emitter_block(em, "full"), no = emitter_block(em, "partial"), next;
    next = emitter_block(em, "joined");
    LLVMBuildCondBr(em->builder, condition, yes, no);
    LLVMPositionBuilderAtEnd(em->builder, yes);
    scope_push(em, NULL);
    fast(em, ctx);
    scope_pop(em);
    LLVMBuildBr(em->builder, next);
    LLVMPositionBuilderAtEnd(em->builder, no);
    scope_push(em, NULL);
    em->plain = true;
    statement_emit(em, n);
    em->plain = false;
    scope_pop(em);
    LLVMBuildBr(em->builder, next);
    LLVMPositionBuilderAtEnd(em->builder, next);
}

struct whole_job {
    const struct node *n;
    const struct survey *v;
};

static void fast_whole(struct emitter *em, void *ctx)
{
    const struct whole_job *w = ctx;
    emit_whole(em, w->n, w->v);
}

bool accumulator_emit(struct emitter *em, const struct node *n)
{
    struct survey v;
    struct jam j;
    if (em->plain || em->mask || n->how == HOW_PARALLEL || n->how == HOW_LANES)
        return false;
    if (em->tile)
        return emit_inside(em, n);
    if (!survey(em, n, &v))
        return false;
    int budget = em->machine->registers > 16 ? 28 : em->machine->registers - 3;
    bool whole = v.elements <= budget;
    if (!whole && !plan_cut(em, &v, n, &j, budget))
        return false;
    LLVMValueRef condition = tile_condition(em, &v);
    if (condition && LLVMIsAConstantInt(condition))
        return false;
    struct whole_job w = {n, &v};
    struct cut_job c = {&j, &v, 1, 0, -1};
    if (whole)
        emit_either(em, n, condition, fast_whole, &w);
    else
        emit_either(em, n, condition, emit_cut, &c);
    return true;
}

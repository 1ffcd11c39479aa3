/* SPDX-License-Identifier: Apache-2.0 */
/* register_tile: register tiles.
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
#include "targets/cpu/tile/register_tile.h"

#include "targets/cpu/emit/emit_memory.h"
#include "targets/cpu/emit/emit_stmt.h"
#include "targets/cpu/emit/index_value.h"
#include "targets/cpu/tile/unroll_jam.h"

#include <string.h>

#define MOST_SLOTS 32
#define CUT_STEPS 512 /* reduce steps that a cut nest may repeat per tile */

struct slot {
    struct form form;
    struct lanes lanes;
    LLVMValueRef at;
    bool dirty;
};
struct tile {
    const struct buffer *buffer;
    const struct tile_analysis *survey;
    struct slot slots[MOST_SLOTS];
    int nslots, scope;
    LLVMBasicBlockRef before; /* where elements are loaded */
    const struct guard *proven[MOST_GUARDS];
    int nproven;
    bool *index; /* by atom: the loop selects an element */
    bool scalar; /* the update is not vector code, so the init must not be either */
};

/* ---- slots ---- */

static struct slot *find_slot(struct emitter *em, const struct form *f)
{
    struct tile *t = em->tile;
    for (int i = t->nslots - 1; i >= 0; i--)
        if (index_value_equal(&t->slots[i].form, f) && t->slots[i].lanes.width == em->lanes.width &&
            t->slots[i].lanes.inner == em->lanes.inner)
            return &t->slots[i];
    return NULL;
}

/* Two registers never hold the same element. */
static bool are_apart(const struct emitter *em, const struct slot *s, const struct form *f)
{
    bool copies = em->frame->privates[em->tile->buffer->id] > 1;
    int one = copies ? 1 : s->lanes.inner ? s->lanes.inner : s->lanes.count;
    int two = copies ? 1 : em->lanes.inner ? em->lanes.inner : em->lanes.count;
    struct form g = s->form;
    g.lane = f->lane;
    g.outer = f->outer;
    if (!index_value_same_symbols(&g, f))
        return false;
    for (int i = 0; i < s->lanes.count; i += one)
        for (int k = 0; k < em->lanes.count; k += two) {
            int64_t d = f->base + f->outer * (k / two) - s->form.base - s->form.outer * (i / one);
            if (d < one && -d < two)
                return false;
        }
    return true;
}

static struct slot *new_slot(struct emitter *em, const struct form *f, bool load)
{
    struct tile *t = em->tile;
    LLVMTypeRef element = emitter_type(em, t->buffer->dtype), type = emitter_wide(em, element);
    bool apart = true;
    for (int i = 0; i < t->nslots; i++)
        apart &= are_apart(em, &t->slots[i], f);
    if (t->nslots == MOST_SLOTS || index_value_scope(em, f) > t->scope || !apart) {
        emitter_fail(em, "the register tile of '%s' was planned wrongly", t->buffer->name);
        return NULL;
    }
    struct slot *s = &t->slots[t->nslots++];
    *s = (struct slot){.form = *f, .lanes = em->lanes};
    s->at = emitter_alloca(em, type, 64, "acc");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(em->builder);
    LLVMPositionBuilderBefore(em->builder, LLVMGetBasicBlockTerminator(t->before));
    if (load)
        LLVMBuildStore(em->builder, emit_load_at(em, t->buffer, f), s->at);
    LLVMPositionBuilderAtEnd(em->builder, here);
    return s;
}

bool register_tile_owns(const struct emitter *em, const struct buffer *b)
{
    return em->tile && em->tile->buffer == b;
}

bool register_tile_get(struct emitter *em, const struct buffer *b, const struct form *f, struct cell *out)
{
    if (!register_tile_owns(em, b))
        return false;
    struct slot *s = find_slot(em, f);
    if (!s)
        s = new_slot(em, f, true);
    LLVMTypeRef type = emitter_wide(em, emitter_type(em, b->dtype));
    *out = (struct cell){.v = s ? LLVMBuildLoad2(em->builder, type, s->at, "") : LLVMGetPoison(type),
                         .wide = em->lanes.width > 1};
    return true;
}

bool register_tile_set(struct emitter *em, const struct buffer *b, const struct form *f, struct cell value)
{
    if (!register_tile_owns(em, b))
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

bool register_tile_scalar(const struct emitter *em)
{
    return em->tile && em->tile->scalar;
}

bool register_tile_holds(const struct emitter *em, const struct loop_node *loop)
{
    return em->tile && em->tile->index[loop->s->atom];
}

bool register_tile_proven(const struct emitter *em, const struct guard *g)
{
    for (int i = 0; em->tile && i < em->tile->nproven; i++)
        if (em->tile->proven[i] == g)
            return true;
    return false;
}

/* ---- a tile ---- */

static void open_tile(struct emitter *em, struct tile *t, const struct tile_analysis *v)
{
    *t = (struct tile){
        .buffer = v->update->buffer, .scope = em->frame->nscopes - 1, .scalar = v->lanes == 0, .survey = v};
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
        emit_store_at(em, t->buffer, &s->form, v);
    }
    em->lanes = lanes;
    em->versions[t->buffer->id]++;
}

static void mark_index(struct emitter *em, const struct loop_node *n, const struct buffer *b,
                       const struct loop_node **loops, int depth)
{
    if (n->s->kind == STMT_LOOP && depth < MOST_CHAIN)
        loops[depth++] = n;
    if (n->s->kind == STMT_STORE && n->s->buffer == b)
        for (int i = 0; i < depth; i++)
            em->tile->index[loops[i]->s->atom] |= loop_plan_uses(em, n->s, loops[i]->s->atom);
    for (int i = 0; i < n->nkids; i++)
        mark_index(em, n->kids[i], b, loops, depth);
}

/* ---- emission ---- */

struct cut_job {
    struct unroll_jam *j;
    const struct tile_analysis *v;
    int dim, scaled; /* next dimension; the one whose loop was just entered, or -1 */
};

/* The init of the elements of this tile. */
static void emit_mirror(struct emitter *em, const struct tile_analysis *v, const struct unroll_jam *update)
{
    struct unroll_jam j;
    unroll_jam_mirror(em, v, update, &j);
    for (int i = v->split; i < v->nchain; i++)
        if (v->partner[i])
            em->frame->bindings[v->partner[i]->s->atom] = em->frame->bindings[v->chain[i]->s->atom];
    unroll_jam_emit(em, &j, 0);
    for (int i = v->split; i < v->nchain; i++)
        if (v->partner[i])
            em->frame->bindings[v->partner[i]->s->atom].kind = BIND_NONE;
}

static void emit_cut(struct emitter *em, void *ctx)
{
    struct cut_job c = *(const struct cut_job *)ctx;
    if (c.scaled >= 0)
        em->frame->bindings[c.j->dims[c.scaled].loop->s->atom].stride =
            c.j->dims[c.scaled].count * c.j->dims[c.scaled].step;
    c.scaled = -1;
    while (c.dim < c.j->ndims && c.j->dims[c.dim].outside == 1)
        c.dim++;
    if (c.dim == c.j->ndims) {
        struct tile t;
        open_tile(em, &t, c.v);
        if (c.v->init)
            emit_mirror(em, c.v, c.j);
        unroll_jam_emit(em, c.j, 0);
        close_tile(em);
        return;
    }
    const struct dim *d = &c.j->dims[c.dim++];
    int atom = d->loop->s->atom;
    c.scaled = c.dim - 1;
    emit_loop(em, atom, d->outside, emit_cut, &c);
}

/* The loops of an init of the tile from n on, when nothing but loops and guards stands between. */
static bool emit_init(struct emitter *em, const struct loop_node *n)
{
    const struct loop_node *loops[MOST_CHAIN], *k = n;
    const struct tile_analysis *v = em->tile->survey;
    struct unroll_jam j;
    int nloops = 0;
    for (; k->s->kind != STMT_STORE; k = k->kids[0]) {
        if ((k->s->kind != STMT_LOOP && k->s->kind != STMT_GUARD) || nloops == MOST_CHAIN)
            return false;
        if (k->s->kind == STMT_LOOP)
            loops[nloops++] = k;
    }
    if (!k->s->is_init || k->s->buffer != em->tile->buffer)
        return false;
    unroll_jam_init(em, n, k->s, loops, nloops, tile_analysis_partner(v, k->s, loops, nloops), v->fuse, &j);
    unroll_jam_finish(&j);
    unroll_jam_emit(em, &j, 0);
    return true;
}

/* Inside a tile: the loops from n on, if nothing stands between them and the update. */
static bool emit_inside(struct emitter *em, const struct loop_node *n)
{
    struct tile_analysis v;
    struct unroll_jam j;
    bool fuse = em->tile->survey->fuse > 1;
    if (n->s->kind != STMT_LOOP)
        return false;
    if (!tile_analysis_make(em, n, true, fuse, &v))
        return fuse && emit_init(em, n);
    if (!v.plain || v.update->buffer != em->tile->buffer || (n->how == HOW_LANES && !fuse))
        return false;
    unroll_jam_plan(em, &v, n, &j);
    unroll_jam_finish(&j);
    unroll_jam_emit(em, &j, 0);
    return true;
}

static void emit_whole(struct emitter *em, const struct loop_node *n, const struct tile_analysis *v)
{
    const struct loop_node *loops[MOST_CHAIN];
    struct tile t;
    open_tile(em, &t, v);
    mark_index(em, n, t.buffer, loops, 0);
    emit_stmt(em, n);
    close_tile(em);
}

static bool plan_cut(struct emitter *em, const struct tile_analysis *v, const struct loop_node *n, struct unroll_jam *j,
                     int64_t budget)
{
    if (!v->jammable || em->lanes.width > 1)
        return false;
    unroll_jam_plan(em, v, n, j);
    if (!unroll_jam_cut(em, j, budget, v->steps <= CUT_STEPS))
        return false;
    unroll_jam_finish(j);
    return true;
}

/* The fast code when the condition holds, else the same statements without tiles. */
static void emit_either(struct emitter *em, const struct loop_node *n, LLVMValueRef condition,
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
    emit_stmt(em, n);
    em->plain = false;
    scope_pop(em);
    LLVMBuildBr(em->builder, next);
    LLVMPositionBuilderAtEnd(em->builder, next);
}

struct whole_job {
    const struct loop_node *n;
    const struct tile_analysis *v;
};

static void fast_whole(struct emitter *em, void *ctx)
{
    const struct whole_job *w = ctx;
    emit_whole(em, w->n, w->v);
}

static int budget_of(const struct emitter *em)
{
    return em->machine->registers > 16 ? 28 : em->machine->registers - 3;
}

static double update_cost(struct emitter *em, const struct tile_analysis *v, const struct loop_node *n, double steps)
{
    struct unroll_jam j;
    double lanes = v->lanes ? (double)v->lanes / loop_plan_pieces(em, v->lanes) : 1; /* elements in a register */
    if (v->fuse > 1) {
        int64_t turns = v->outer->s->extent, rounds = (turns + v->fuse - 1) / v->fuse;
        lanes *= (double)turns / (double)rounds;
    }
    if (plan_cut(em, v, n, &j, budget_of(em)))
        return steps * unroll_jam_cost(em, &j) / lanes;
    if (v->elements > budget_of(em))
        return steps * REGISTER_TILE_MEMORY / lanes;
    unroll_jam_plan(em, v, n, &j);
    return steps * unroll_jam_cost(em, &j) / lanes;
}

double register_tile_cost(struct emitter *em, const struct loop_node *n, double steps)
{
    struct tile_analysis v;
    if (n->how == HOW_PARALLEL || n->how == HOW_LANES || !tile_analysis_make(em, n, false, true, &v) ||
        (!v.jammable && v.elements > budget_of(em)))
        return -1;
    for (int i = 0; i < v.nchain; i++)
        steps *= (double)v.chain[i]->s->extent;
    return update_cost(em, &v, n, steps);
}

bool register_tile_emit(struct emitter *em, const struct loop_node *n)
{
    struct tile_analysis v;
    struct unroll_jam j;
    if (em->plain || em->mask || n->how == HOW_PARALLEL)
        return false;
    if (em->tile)
        return em->lanes.width == 1 || n->how != HOW_LANES ? emit_inside(em, n) : false;
    if (n->how == HOW_LANES || !tile_analysis_make(em, n, false, true, &v))
        return false;
    bool cut = plan_cut(em, &v, n, &j, budget_of(em));
    if (!cut && v.elements > budget_of(em))
        return false;
    LLVMValueRef condition = tile_analysis_condition(em, &v);
    if (condition && LLVMIsAConstantInt(condition))
        return false;
    struct whole_job w = {n, &v};
    struct cut_job c = {&j, &v, 0, -1};
    if (cut)
        emit_either(em, n, condition, emit_cut, &c);
    else
        emit_either(em, n, condition, fast_whole, &w);
    return true;
}

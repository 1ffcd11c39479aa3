/* SPDX-License-Identifier: Apache-2.0 */
/* emit_tile: loops over tiles, in each the unrolled nest that unroll_jam planned. Guards that vary within a tile are
 * tested once for the whole of it; where they do not hold, the same statements follow without tiles. */
#include "targets/cpu/emit/emit_tile.h"

#include "targets/cpu/emit/emit_expr.h"
#include "targets/cpu/emit/emit_loop.h"
#include "targets/cpu/emit/tile_registers.h"
#include "targets/cpu/tile/register_tile.h"

/* ---- the unrolled nest ---- */

struct dims_at { /* how far the spatial loops of a nest are emitted */
    const struct unroll_jam *u;
    int at;         /* next of u->order */
    int iterations; /* of the fused loop in the register at hand: the last one may hold fewer */
};

static void emit_dims(struct emitter *em, const void *ctx);

/* A dimension that is fused with the vector loop's: one register. */
static void emit_fused_lanes(struct emitter *em, const struct dims_at *at, const struct loop_node *loop)
{
    struct binding *bind = &em->frame->bindings[loop->s->atom], old = *bind;
    struct lanes lanes = em->lanes;
    int inner = (int)loop->s->extent, count = inner * at->iterations;
    *bind = (struct binding){.kind = BIND_LANES, .symbol = -1};
    em->lanes = (struct lanes){
        .count = count, .width = register_width(count), .atom = loop->s->atom, .outer = at->u->outer, .inner = inner};
    emit_dims(em, at);
    em->lanes = lanes;
    *bind = old;
}

/* The iterations of a dimension within the tile, one after the other. Those outside are bound already: symbol * count,
 * or a number. */
static void emit_iterations(struct emitter *em, struct dims_at at, const struct tile_dim *d)
{
    struct binding *bind = &em->frame->bindings[d->loop->s->atom], old = *bind;
    for (int64_t i = 0; i < d->count && !em->failed; i++) {
        *bind = old;
        if (d->outside == 1)
            *bind = (struct binding){.kind = BIND_CONST};
        bind->start += i * d->step;
        if (d->step > 1) {
            int64_t left = d->loop->s->extent - i * d->step;
            bind->symbol = bind->kind == BIND_SYMBOL ? bind->symbol : -1;
            bind->kind = BIND_OUTER;
            at.iterations = left < d->step ? (int)left : d->step; /* fewer only if all of them are inside */
        }
        emit_dims(em, &at);
    }
    *bind = old;
}

static void emit_dims(struct emitter *em, const void *ctx)
{
    struct dims_at at = *(const struct dims_at *)ctx;
    if (em->failed)
        return;
    if (at.at == at.u->ndims) {
        emit_store_stmt(em, at.u->store);
        return;
    }
    const struct tile_dim *d = &at.u->dims[at.u->order[at.at++]];
    bool lanes = d->loop->mode == LOOP_VECTOR && em->lanes.width == 1;
    if (lanes && at.u->fused > 1)
        emit_fused_lanes(em, &at, d->loop);
    else if (lanes)
        emit_vector_loop(em, d->loop->s->atom, d->loop->s->extent, emit_dims, &at);
    else
        emit_iterations(em, at, d);
}

struct guarded_nest {
    const struct unroll_jam *u;
    const struct loop_node *n;
};

/* The guards between the root and the store. Those that vary within the tile are proven, so one test is for all. */
static void emit_guarded(struct emitter *em, const void *ctx)
{
    struct guarded_nest g = *(const struct guarded_nest *)ctx;
    while (g.n->s->kind == STMT_LOOP || g.n->s->kind == STMT_SEQ) /* behind an init */
        g.n = g.n->kids[g.n->nkids - 1];
    if (g.n->s->kind == STMT_GUARD) {
        const struct stmt *s = g.n->s;
        g.n = g.n->kids[0];
        emit_guard(em, s, emit_guarded, &g);
    } else {
        struct dims_at at = {.u = g.u, .iterations = g.u->fused};
        emit_dims(em, &at);
    }
}

/* One step of the reduction: what it loads is remembered for this step only. */
static void emit_step(struct emitter *em, const struct unroll_jam *u)
{
    struct guarded_nest g = {u, u->root};
    scope_push(em, NULL);
    emit_guarded(em, &g);
    scope_pop(em);
}

static void emit_reduce(struct emitter *em, const struct unroll_jam *u, int k);

struct reduce_at { /* a reduce loop of the nest */
    const struct unroll_jam *u;
    int k;
};

static void emit_reduce_body(struct emitter *em, const void *ctx)
{
    const struct reduce_at *r = ctx;
    struct binding *bind = &em->frame->bindings[r->u->reduce[r->k]->s->atom], old = *bind;
    int64_t iterations = r->u->unroll[r->k];
    for (int64_t i = 0; i < iterations && !em->failed; i++) {
        if (old.kind == BIND_SYMBOL)
            *bind = (struct binding){.kind = BIND_SYMBOL, .symbol = old.symbol, .start = i, .stride = iterations};
        else
            *bind = (struct binding){.kind = BIND_CONST, .start = i};
        emit_reduce(em, r->u, r->k + 1);
    }
    *bind = old;
}

/* From reduce loop k on. */
static void emit_reduce(struct emitter *em, const struct unroll_jam *u, int k)
{
    if (k == u->nreduce) {
        emit_step(em, u);
        return;
    }
    struct reduce_at r = {u, k};
    const struct stmt *l = u->reduce[k]->s;
    if (u->unroll[k] == l->extent)
        emit_reduce_body(em, &r);
    else
        emit_loop(em, l->atom, l->extent / u->unroll[k], emit_reduce_body, &r);
}

/* ---- tiles of a cut nest ---- */

/* The init of the elements of this tile. */
static void emit_mirror(struct emitter *em, const struct register_tile *t)
{
    const struct tile_analysis *a = &t->analysis;
    struct unroll_jam u;
    unroll_jam_mirror(a, &t->jam, &u);
    for (int i = a->split; i < a->nchain; i++)
        if (a->partner[i])
            em->frame->bindings[a->partner[i]->s->atom] = em->frame->bindings[a->chain[i]->s->atom];
    emit_reduce(em, &u, 0);
    for (int i = a->split; i < a->nchain; i++)
        if (a->partner[i])
            em->frame->bindings[a->partner[i]->s->atom].kind = BIND_NONE;
}

static void emit_one_tile(struct emitter *em, const struct register_tile *t)
{
    struct tile_registers registers;
    tile_registers_open(em, &registers, &t->analysis);
    if (t->analysis.init)
        emit_mirror(em, t);
    emit_reduce(em, &t->jam, 0);
    tile_registers_close(em);
}

struct tiles_at { /* how far the loops over tiles are emitted */
    const struct register_tile *t;
    int dim;                        /* next dimension */
    const struct tile_dim *entered; /* the one whose loop was just entered, or NULL */
};

static void emit_tiles(struct emitter *em, const void *ctx)
{
    struct tiles_at at = *(const struct tiles_at *)ctx;
    const struct unroll_jam *u = &at.t->jam;
    if (at.entered)
        em->frame->bindings[at.entered->loop->s->atom].stride = at.entered->count * at.entered->step;
    while (at.dim < u->ndims && u->dims[at.dim].outside == 1)
        at.dim++;
    if (at.dim == u->ndims) {
        emit_one_tile(em, at.t);
        return;
    }
    at.entered = &u->dims[at.dim++];
    emit_loop(em, at.entered->loop->s->atom, at.entered->outside, emit_tiles, &at);
}

/* ---- within an open tile ---- */

/* The init of the open tile's tensor from n on, if nothing but loops and guards stands between. */
static bool emit_init(struct emitter *em, const struct loop_node *n)
{
    const struct tile_analysis *a = em->tile->analysis;
    struct store_nest init = {.root = n};
    struct unroll_jam u;
    const struct loop_node *k = n;
    for (; k->s->kind != STMT_STORE; k = k->kids[0]) {
        if ((k->s->kind != STMT_LOOP && k->s->kind != STMT_GUARD) || init.nloops == MOST_CHAIN)
            return false;
        if (k->s->kind == STMT_LOOP)
            init.loops[init.nloops++] = k;
    }
    init.store = k->s;
    if (!k->s->is_init || k->s->buffer != em->tile->buffer)
        return false;
    unroll_jam_init(em, &init, tile_analysis_partner(a, &init), a->fused, &u);
    unroll_jam_finish(&u);
    emit_reduce(em, &u, 0);
    return true;
}

/* The loops from n on, if nothing stands between them and the update. */
static bool emit_inside(struct emitter *em, const struct loop_node *n)
{
    struct tile_analysis a;
    struct unroll_jam u;
    bool fuse = em->tile->analysis->fused > 1;
    if (n->s->kind != STMT_LOOP)
        return false;
    if (!tile_analysis_make(em, n, TILE_INSIDE, fuse, &a))
        return fuse && emit_init(em, n);
    if (!a.only_update || a.update->buffer != em->tile->buffer || (n->mode == LOOP_VECTOR && !fuse))
        return false;
    unroll_jam_plan(&a, &u);
    unroll_jam_finish(&u);
    emit_reduce(em, &u, 0);
    return true;
}

/* ---- a tile ---- */

/* The guard's index with its terms of loops of the tile replaced by their least and most values. */
static struct affine guard_extremes(struct emitter *em, const struct guard *g, int64_t *least, int64_t *most)
{
    struct affine f = g->form;
    struct term *kept = ARENA_ARRAY(em->arena, struct term, f.n + 1);
    int nkept = 0;
    *least = *most = 0;
    for (int t = 0; t < f.n; t++) {
        const struct atom *a = &em->nest->atoms->at[f.terms[t].atom];
        int64_t reach = f.terms[t].coef * a->hi;
        if (em->frame->bindings[f.terms[t].atom].kind == BIND_NONE && a->kind == ATOM_LOOP) {
            *least += reach < 0 ? reach : 0;
            *most += reach > 0 ? reach : 0;
        } else {
            kept[nkept++] = f.terms[t];
        }
    }
    f.terms = kept;
    f.n = nkept;
    return f;
}

/* True at run time if the analysis' guards hold for the whole tile. NULL: they always do; a constant: they cannot. */
static LLVMValueRef tile_condition(struct emitter *em, const struct tile_analysis *a)
{
    LLVMValueRef all = NULL;
    for (int i = 0; i < a->nguards; i++) {
        const struct guard *g = a->guards[i];
        int64_t least, most;
        struct affine index = guard_extremes(em, g, &least, &most);
        int known[2] = {1, 1};
        struct lane_value c[2] = {{.v = NULL}, {.v = NULL}};
        if (g->lo != INT64_MIN)
            c[0] = emit_guard_mask(em, affine_shift(index, least), g->lo, INT64_MAX, &known[0]);
        if (g->hi != INT64_MAX)
            c[1] = emit_guard_mask(em, affine_shift(index, most), INT64_MIN, g->hi, &known[1]);
        for (int k = 0; k < 2; k++) {
            if (known[k] == 0 || c[k].wide)
                return LLVMConstInt(em->i1, 0, false);
            if (known[k] < 0)
                all = emitter_and(em, all, c[k].v);
        }
    }
    return all;
}

/* The code of the tile: cut into tiles, or as its loops were planned. */
static void emit_with_tile(struct emitter *em, const struct loop_node *n, const struct register_tile *t)
{
    struct tiles_at at = {.t = t};
    struct tile_registers registers;
    if (t->is_cut) {
        emit_tiles(em, &at);
        return;
    }
    tile_registers_open(em, &registers, &t->analysis);
    tile_registers_mark_loops(em, n);
    em->emit_stmt(em, n);
    tile_registers_close(em);
}

/* The tile where the condition holds, else the same statements without tiles. */
static void emit_under(struct emitter *em, LLVMValueRef condition, const struct loop_node *n,
                       const struct register_tile *t)
{
    LLVMBasicBlockRef yes = emitter_block(em, "full"), no = emitter_block(em, "partial");
    LLVMBasicBlockRef next = emitter_block(em, "joined");
    LLVMBuildCondBr(em->builder, condition, yes, no);
    LLVMPositionBuilderAtEnd(em->builder, yes);
    scope_push(em, NULL);
    emit_with_tile(em, n, t);
    scope_pop(em);
    LLVMBuildBr(em->builder, next);
    LLVMPositionBuilderAtEnd(em->builder, no);
    scope_push(em, NULL);
    em->no_tiles = true;
    em->emit_stmt(em, n);
    em->no_tiles = false;
    scope_pop(em);
    LLVMBuildBr(em->builder, next);
    LLVMPositionBuilderAtEnd(em->builder, next);
}

bool emit_tile(struct emitter *em, const struct loop_node *n)
{
    struct register_tile t;
    if (em->no_tiles || em->mask || n->mode == LOOP_PARALLEL)
        return false;
    if (em->tile)
        return (em->lanes.width == 1 || n->mode != LOOP_VECTOR) && emit_inside(em, n);
    if (n->mode == LOOP_VECTOR || !register_tile_plan(em, n, &t))
        return false;
    LLVMValueRef condition = tile_condition(em, &t.analysis);
    if (condition && LLVMIsAConstantInt(condition))
        return false;
    if (condition)
        emit_under(em, condition, n, &t);
    else
        emit_with_tile(em, n, &t);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* unroll_jam: see unroll_jam.h. The order of the spatial loops: the one with most elements outermost, so that what is
 * loaded once per element of the others stays in few registers. Reduce loops are unrolled from the inside as long as
 * the code stays short. */
#include "targets/cpu/tile/unroll_jam.h"

#include "targets/cpu/emit/emit_stmt.h"

#define STRAIGHT 32 /* updates in one straight piece of code; LLVM schedules and allocates longer ones worse */

static void emit_dims(struct emitter *em, void *ctx)
{
    struct unroll_jam *j = ctx;
    if (em->failed)
        return;
    if (j->at == j->ndims) {
        emit_store_stmt(em, j->store);
        return;
    }
    const struct dim *d = &j->dims[j->order[j->at]];
    struct binding *bind = &em->frame->bindings[d->loop->s->atom], old = *bind;
    j->at++;
    if (d->loop->how == HOW_LANES && em->lanes.width == 1 && j->fuse > 1) {
        struct lanes lanes = em->lanes;
        int inner = (int)d->loop->s->extent, n = inner * j->turns, width = 2;
        while (width < n)
            width *= 2;
        *bind = (struct binding){.kind = BIND_LANES, .symbol = -1};
        em->lanes =
            (struct lanes){.count = n, .width = width, .atom = d->loop->s->atom, .outer = j->outer, .inner = inner};
        emit_dims(em, j);
        em->lanes = lanes;
        *bind = old;
    } else if (d->loop->how == HOW_LANES && em->lanes.width == 1) {
        emit_lanes(em, d->loop->s->atom, d->loop->s->extent, emit_dims, j);
    } else {
        for (int64_t i = 0; i < d->count && !em->failed; i++) {
            *bind = old;
            if (d->outside == 1)
                *bind = (struct binding){.kind = BIND_CONST};
            bind->start += i * d->step; /* the part outside is bound already: symbol * count, or a number */
            if (d->step > 1) {
                int64_t left = d->loop->s->extent - i * d->step;
                bind->symbol = bind->kind == BIND_SYMBOL ? bind->symbol : -1;
                bind->kind = BIND_OUTER;
                j->turns = left < d->step ? (int)left : d->step; /* less only when all turns are inside */
            }
            emit_dims(em, j);
        }
        *bind = old;
    }
    j->at--;
}

struct guard_job {
    struct unroll_jam *j;
    const struct loop_node *n;
};

/* The guards between the root and the update; those that vary within the tile are proven, so here one test does for
 * all. */
static void emit_guarded(struct emitter *em, void *ctx)
{
    struct guard_job g = *(const struct guard_job *)ctx;
    while (g.n->s->kind == STMT_LOOP || g.n->s->kind == STMT_SEQ) /* behind an init */
        g.n = g.n->kids[g.n->nkids - 1];
    if (g.n->s->kind == STMT_GUARD) {
        const struct stmt *s = g.n->s;
        g.n = g.n->kids[0];
        emit_guard(em, s, emit_guarded, &g);
    } else {
        emit_dims(em, g.j);
    }
}

/* One step of the reduction: what it loads is remembered for this step only. */
static void emit_step(struct emitter *em, struct unroll_jam *j)
{
    struct guard_job g = {j, j->root};
    scope_push(em, NULL);
    j->at = 0;
    emit_guarded(em, &g);
    scope_pop(em);
}

struct reduce_job {
    struct unroll_jam *j;
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
        unroll_jam_emit(em, r->j, r->k + 1);
    }
    *bind = old;
}

void unroll_jam_emit(struct emitter *em, struct unroll_jam *j, int k)
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
        emit_loop(em, j->reduce[k]->s->atom, extent / j->unroll[k], reduce_turns, &r);
}

/* Which reduce loops to unroll, inner ones first, as long as the code stays short. */
static void plan_turns(struct unroll_jam *j)
{
    int64_t size = 1;
    bool whole = true;
    for (int i = 0; i < j->ndims; i++)
        size *= j->dims[i].count;
    for (int k = j->nreduce - 1; k >= 0; k--) {
        int64_t extent = j->reduce[k]->s->extent;
        int64_t turns = whole ? extent : 1;
        while (turns > 1 && (size * turns > STRAIGHT || extent % turns))
            turns--;
        j->unroll[k] = turns;
        size *= turns;
        whole = turns == extent;
    }
}

static void add_dim(struct emitter *em, struct unroll_jam *j, const struct loop_node *l)
{
    bool lanes = l->how == HOW_LANES && em->lanes.width == 1;
    int step = j->fuse > 1 && l->s->atom == j->outer ? j->fuse : 1;
    int64_t count = lanes ? loop_plan_pieces(em, l->s->extent) : (l->s->extent + step - 1) / step;
    j->dims[j->ndims++] =
        (struct dim){.loop = l, .count = count, .outside = 1, .step = step, .free = j->nreduce == 0 && !lanes};
}

static void sort_dims(struct unroll_jam *j)
{
    for (int i = 0; i < j->ndims; i++) {
        int k = i;
        for (; k > 0 && j->dims[j->order[k - 1]].count < j->dims[i].count; k--)
            j->order[k] = j->order[k - 1];
        j->order[k] = i;
    }
}

/* ---- the shape of the tile ---- */

#define MOST_LOADS 8
#define MOST_INSIDE 6
#define WINDOW 256 /* instructions that the core looks ahead, or some more */
struct tile_load {
    unsigned moves; /* bit d: it moves with dimension d */
    int parts;      /* pieces that are loaded one by one and shuffled together */
};
struct shape {
    const struct emitter *em;
    struct unroll_jam *j;
    struct tile_load loads[MOST_LOADS];
    int nloads;
    bool exchange; /* dimensions below a reduce loop may be cut */
    int64_t budget, now[MOST_CHAIN], best[MOST_CHAIN];
    double cost, steps;
};

/* One for neighbours and for the same element in all lanes. */
static int load_parts(const struct shape *s, const struct value *v)
{
    for (int d = 0; d < s->j->ndims; d++) {
        const struct loop_node *l = s->j->dims[d].loop;
        if (l->how != HOW_LANES)
            continue;
        int64_t lane = loop_plan_stride(s->em, v->buffer, v->index, l->s->atom), outer = 0;
        if (s->j->fuse > 1)
            outer = loop_plan_stride(s->em, v->buffer, v->index, s->j->outer);
        if (lane != 0 && lane != 1)
            return (int)(l->s->extent < 16 ? l->s->extent : 16) * s->j->fuse;
        return outer == 0 || (lane == 1 && outer == l->s->extent) ? 1 : s->j->fuse;
    }
    return 1;
}

static void find_loads(struct shape *s, const struct value *v, const struct buffer *own)
{
    if (v->kind == EXPR_LOAD && v->buffer != own && s->nloads < MOST_LOADS) {
        struct tile_load l = {.parts = load_parts(s, v)};
        for (int d = 0; d < s->j->ndims && d < 32; d++)
            l.moves |= tile_analysis_uses(s->em, v, s->j->dims[d].loop->s->atom) ? 1u << d : 0;
        s->loads[s->nloads++] = l;
    }
    for (int i = 0; i < v->nargs; i++)
        find_loads(s, v->args[i], own);
}

/* Cycles per element of one reduction step, for two multiply-adds (or shuffles) and two loads a cycle and a latency of
 * 4: the bound that bites, a little for the loop, and for registers that are missing. Loops further out cost locality.
 */
static double shape_cost(const struct shape *s)
{
    double elements = 1, loads = 0, shuffles = 0, held = 1e9, far = 0;
    for (int d = 0; d < s->j->ndims; d++) {
        elements *= (double)s->now[d];
        far += s->now[d] > 1 && s->j->dims[d].free ? 0.01 * (s->j->ndims - d) : 0;
    }
    for (int i = 0; i < s->nloads; i++) {
        double n = 1;
        for (int d = 0; d < s->j->ndims; d++)
            n *= s->loads[i].moves >> d & 1 ? (double)s->now[d] : 1;
        loads += n * s->loads[i].parts;
        shuffles += n * (s->loads[i].parts - 1);
        held = n < held ? n : held;
    }
    double work = elements + shuffles, cycles = work > loads ? work / 2 : loads / 2, front = (work + loads + 3) / 5;
    double latency = 4 * s->steps * (work + loads) / WINDOW; /* short reductions overlap with the next tile's */
    double missing = elements + (s->nloads ? held : 0) + 1 - s->em->machine->registers;
    latency = latency > 4 ? 4 : latency;
    cycles = cycles < latency ? latency : cycles;
    cycles = cycles < front ? front : cycles;
    return (cycles + 0.3 + (missing > 0 ? missing : 0)) / elements * (1 + far);
}

/* Tries the divisors of dimension d, inner dimensions first; left: how many dimensions may still be cut inside. */
static void try_counts(struct shape *s, int d, int64_t size, int left)
{
    if (d < 0) {
        double cost = shape_cost(s);
        if (cost < s->cost) {
            s->cost = cost;
            for (int i = 0; i < s->j->ndims; i++)
                s->best[i] = s->now[i];
        }
        return;
    }
    const struct dim *dim = &s->j->dims[d];
    bool whole = dim->loop->how == HOW_LANES || (!dim->free && !s->exchange) || dim->loop->s->extent % dim->step;
    for (int64_t c = 1; c <= dim->count && size * c <= s->budget; c++) {
        if (dim->count % c || (whole ? c != dim->count : c > 1 && !left))
            continue;
        s->now[d] = c;
        try_counts(s, d - 1, size * c, left - (left && dim->count > 1));
    }
}

static void count_steps(struct shape *s)
{
    s->steps = 1;
    for (int i = 0; i < s->j->nreduce; i++)
        s->steps *= (double)s->j->reduce[i]->s->extent;
}

double unroll_jam_cost(struct emitter *em, struct unroll_jam *j)
{
    struct shape *s = ARENA_NEW(em->arena, struct shape);
    *s = (struct shape){.em = em, .j = j};
    count_steps(s);
    find_loads(s, j->store->value, j->store->buffer);
    for (int d = 0; d < j->ndims; d++)
        s->now[d] = j->dims[d].count;
    return shape_cost(s);
}

bool unroll_jam_cut(struct emitter *em, struct unroll_jam *j, int64_t budget, bool exchange)
{
    struct shape *s = ARENA_NEW(em->arena, struct shape);
    *s = (struct shape){.em = em, .j = j, .exchange = exchange, .budget = budget, .cost = 1e18};
    count_steps(s);
    find_loads(s, j->store->value, j->store->buffer);
    try_counts(s, j->ndims - 1, 1, MOST_INSIDE);
    for (int d = 0; d < j->ndims && s->best[d] > 0; d++) {
        j->dims[d].outside = j->dims[d].count / s->best[d];
        j->dims[d].count = s->best[d];
    }
    return s->cost < 1e18;
}

/* ---- plans ---- */

void unroll_jam_plan(struct emitter *em, const struct tile_analysis *v, const struct loop_node *n, struct unroll_jam *j)
{
    *j = (struct unroll_jam){.root = n, .store = v->update, .fuse = v->fuse, .turns = v->fuse};
    j->outer = v->fuse > 1 ? v->outer->s->atom : 0;
    for (int i = 0; i < v->nchain; i++) {
        const struct loop_node *l = v->chain[i];
        if (loop_plan_uses(em, v->update, l->s->atom))
            add_dim(em, j, l);
        else
            j->reduce[j->nreduce++] = l;
    }
}

void unroll_jam_init(struct emitter *em, const struct loop_node *n, const struct stmt *store,
                     const struct loop_node *const *loops, int nloops, const struct loop_node *outer, int fuse,
                     struct unroll_jam *j)
{
    *j = (struct unroll_jam){
        .root = n, .store = store, .fuse = fuse, .turns = fuse, .outer = fuse > 1 ? outer->s->atom : 0};
    for (int i = 0; i < nloops; i++)
        add_dim(em, j, loops[i]);
}

void unroll_jam_mirror(struct emitter *em, const struct tile_analysis *v, const struct unroll_jam *update,
                       struct unroll_jam *j)
{
    const struct loop_node *n = v->init;
    *j = *update;
    j->root = n;
    j->nreduce = 0;
    while (n->s->kind != STMT_STORE)
        n = n->kids[0];
    j->store = n->s;
    for (int i = v->split, d; i < v->nchain; i++) {
        if (!v->partner[i])
            continue;
        for (d = 0; j->dims[d].loop != v->chain[i];)
            d++;
        struct loop_node *like = ARENA_DUP(em->arena, v->partner[i], struct loop_node, 1);
        like->how = v->chain[i]->how; /* the same registers */
        j->dims[d].loop = like;
        if (v->fuse > 1 && v->chain[i] == v->outer)
            j->outer = like->s->atom;
    }
}

void unroll_jam_finish(struct unroll_jam *j)
{
    sort_dims(j);
    plan_turns(j);
}

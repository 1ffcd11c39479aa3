/* SPDX-License-Identifier: Apache-2.0 */
/* unroll_jam: the spatial loop with most registers is outermost, so that what is loaded once per element of the others
 * stays in few registers. Reduce loops are unrolled from the inside as long as the code stays short. */
#include "targets/cpu/tile/unroll_jam.h"

#define MOST_STRAIGHT 32 /* updates in one straight piece of code; LLVM schedules and allocates longer ones worse */

static void add_dim(const struct emitter *em, struct unroll_jam *u, const struct loop_node *l)
{
    bool lanes = l->mode == LOOP_VECTOR && em->lanes.width == 1;
    int step = u->fused > 1 && l->s->atom == u->outer ? u->fused : 1;
    int64_t count = lanes ? loop_plan_registers(em, l->s->extent) : (l->s->extent + step - 1) / step;
    u->dims[u->ndims++] =
        (struct tile_dim){.loop = l, .count = count, .outside = 1, .step = step, .free = u->nreduce == 0 && !lanes};
}

void unroll_jam_plan(const struct tile_analysis *a, struct unroll_jam *out)
{
    *out = (struct unroll_jam){.root = a->root, .store = a->update, .fused = a->fused};
    out->outer = a->fused > 1 ? a->outer->s->atom : 0;
    for (int i = 0; i < a->nchain; i++) {
        const struct loop_node *l = a->chain[i];
        if (loop_plan_uses(a->em, a->update, l->s->atom))
            add_dim(a->em, out, l);
        else
            out->reduce[out->nreduce++] = l;
    }
}

void unroll_jam_init(struct emitter *em, const struct store_nest *init, const struct loop_node *outer, int fused,
                     struct unroll_jam *out)
{
    *out = (struct unroll_jam){
        .root = init->root, .store = init->store, .fused = fused, .outer = fused > 1 ? outer->s->atom : 0};
    for (int i = 0; i < init->nloops; i++)
        add_dim(em, out, init->loops[i]);
}

void unroll_jam_mirror(const struct tile_analysis *a, const struct unroll_jam *update, struct unroll_jam *out)
{
    const struct loop_node *n = a->init;
    *out = *update;
    out->root = n;
    out->nreduce = 0;
    while (n->s->kind != STMT_STORE)
        n = n->kids[0];
    out->store = n->s;
    for (int i = a->split, d; i < a->nchain; i++) {
        if (!a->partner[i])
            continue;
        for (d = 0; out->dims[d].loop != a->chain[i];)
            d++;
        struct loop_node *like = ARENA_DUP(a->em->arena, a->partner[i], struct loop_node, 1);
        like->mode = a->chain[i]->mode; /* the same registers */
        out->dims[d].loop = like;
        if (a->fused > 1 && a->chain[i] == a->outer)
            out->outer = like->s->atom;
    }
}

/* ---- order and unrolling ---- */

static void sort_dims(struct unroll_jam *u)
{
    for (int i = 0; i < u->ndims; i++) {
        int k = i;
        for (; k > 0 && u->dims[u->order[k - 1]].count < u->dims[i].count; k--)
            u->order[k] = u->order[k - 1];
        u->order[k] = i;
    }
}

/* Which reduce loops to unroll, inner ones first, as long as the code stays short. */
static void plan_unrolling(struct unroll_jam *u)
{
    int64_t size = 1;
    bool whole = true;
    for (int i = 0; i < u->ndims; i++)
        size *= u->dims[i].count;
    for (int k = u->nreduce - 1; k >= 0; k--) {
        int64_t extent = u->reduce[k]->s->extent;
        int64_t iterations = whole ? extent : 1;
        while (iterations > 1 && (size * iterations > MOST_STRAIGHT || extent % iterations))
            iterations--;
        u->unroll[k] = iterations;
        size *= iterations;
        whole = iterations == extent;
    }
}

void unroll_jam_finish(struct unroll_jam *u)
{
    sort_dims(u);
    plan_unrolling(u);
}

/* ---- the shape of the tile ---- */

#define MOST_LOADS 8
#define MOST_INSIDE 6
#define WINDOW 256 /* instructions that the core looks ahead, or some more */
struct tile_load {
    unsigned moves; /* bit d: it moves with dimension d */
    int parts;      /* runs that are loaded one by one and shuffled together */
};
struct tile_shape {
    const struct emitter *em;
    const struct unroll_jam *u;
    struct tile_load loads[MOST_LOADS];
    int nloads;
    bool exchange; /* dimensions below a reduce loop may be cut */
    int64_t budget, now[MOST_CHAIN], best[MOST_CHAIN];
    double cost, steps;
};

/* One for consecutive elements, and for the same element in all lanes. */
static int load_parts(const struct tile_shape *s, const struct value *v)
{
    for (int d = 0; d < s->u->ndims; d++) {
        const struct loop_node *l = s->u->dims[d].loop;
        if (l->mode != LOOP_VECTOR)
            continue;
        int64_t lane = loop_plan_stride(s->em, v->buffer, v->index, l->s->atom), outer = 0;
        if (s->u->fused > 1)
            outer = loop_plan_stride(s->em, v->buffer, v->index, s->u->outer);
        if (lane != 0 && lane != 1)
            return (int)(l->s->extent < 16 ? l->s->extent : 16) * s->u->fused;
        return outer == 0 || (lane == 1 && outer == l->s->extent) ? 1 : s->u->fused;
    }
    return 1;
}

static void find_loads(struct tile_shape *s, const struct value *v)
{
    if (v->kind == EXPR_LOAD && v->buffer != s->u->store->buffer && s->nloads < MOST_LOADS) {
        struct tile_load l = {.parts = load_parts(s, v)};
        for (int d = 0; d < s->u->ndims && d < 32; d++)
            l.moves |= loop_plan_load_uses(s->em, v, s->u->dims[d].loop->s->atom) ? 1u << d : 0;
        s->loads[s->nloads++] = l;
    }
    for (int i = 0; i < v->nargs; i++)
        find_loads(s, v->args[i]);
}

static struct tile_shape *shape_open(struct emitter *em, const struct unroll_jam *u)
{
    struct tile_shape *s = ARENA_NEW(em->arena, struct tile_shape);
    *s = (struct tile_shape){.em = em, .u = u, .steps = 1, .cost = 1e18};
    for (int i = 0; i < u->nreduce; i++)
        s->steps *= (double)u->reduce[i]->s->extent;
    find_loads(s, u->store->value);
    return s;
}

/* Cycles per element of one reduction step, for two multiply-adds (or shuffles) and two loads a cycle and a latency of
 * 4: the largest of these bounds, a little for the loop, and the registers that are missing. Loops further out cost
 * locality. */
static double shape_cost(const struct tile_shape *s)
{
    double elements = 1, loads = 0, shuffles = 0, held = 1e9, far = 0;
    for (int d = 0; d < s->u->ndims; d++) {
        elements *= (double)s->now[d];
        far += s->now[d] > 1 && s->u->dims[d].free ? 0.01 * (s->u->ndims - d) : 0;
    }
    for (int i = 0; i < s->nloads; i++) {
        double n = 1;
        for (int d = 0; d < s->u->ndims; d++)
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

/* Tries the divisors of dimension d, inner dimensions first. left: how many dimensions may still be cut inside. */
static void try_counts(struct tile_shape *s, int d, int64_t size, int left)
{
    if (d < 0) {
        double cost = shape_cost(s);
        if (cost < s->cost) {
            s->cost = cost;
            for (int i = 0; i < s->u->ndims; i++)
                s->best[i] = s->now[i];
        }
        return;
    }
    const struct tile_dim *dim = &s->u->dims[d];
    bool whole = dim->loop->mode == LOOP_VECTOR || (!dim->free && !s->exchange) || dim->loop->s->extent % dim->step;
    for (int64_t c = 1; c <= dim->count && size * c <= s->budget; c++) {
        if (dim->count % c || (whole ? c != dim->count : c > 1 && !left))
            continue;
        s->now[d] = c;
        try_counts(s, d - 1, size * c, left - (left && dim->count > 1));
    }
}

double unroll_jam_cost(struct emitter *em, const struct unroll_jam *u)
{
    struct tile_shape *s = shape_open(em, u);
    for (int d = 0; d < u->ndims; d++)
        s->now[d] = u->dims[d].count;
    return shape_cost(s);
}

bool unroll_jam_cut(struct emitter *em, struct unroll_jam *u, int64_t budget, bool exchange)
{
    struct tile_shape *s = shape_open(em, u);
    s->exchange = exchange;
    s->budget = budget;
    try_counts(s, u->ndims - 1, 1, MOST_INSIDE);
    for (int d = 0; d < u->ndims && s->best[d] > 0; d++) {
        u->dims[d].outside = u->dims[d].count / s->best[d];
        u->dims[d].count = s->best[d];
    }
    return s->cost < 1e18;
}

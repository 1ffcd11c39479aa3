/* SPDX-License-Identifier: Apache-2.0 */
/* symbols: harness/doc/pruner.md, "The symbols of the paper" and "The rows of the released code". */
#include "models/sa/symbols.h"

#include <math.h>
#include <string.h>

static bool is_shared(const struct buffer *b)
{
    return str_eq(b->scope, "shared");
}

static bool is_global(const struct buffer *b)
{
    return !b->scope[0];
}

/* What a store's loops say: which of them a thread runs itself, and how many threads and blocks there are. */
struct shape {
    uint64_t own; /* in-thread loops */
    double inner; /* their turns */
    double grid, threads, vthreads;
};

static struct shape shape_of(const struct nest_store *s)
{
    struct shape out = {.inner = 1, .vthreads = 1};
    double at[ANN_COUNT];
    for (int i = 0; i < ANN_COUNT; i++)
        at[i] = 1;
    for (int i = 0; i < s->nloops; i++) {
        enum annotation kind = s->loops[i].kind;
        double extent = (double)s->loops[i].extent;
        if (kind == ANN_VTHREAD)
            out.vthreads *= extent;
        else
            at[kind] = extent; /* an axis bound again is the same axis */
        if (kind == ANN_BLOCK_X || kind == ANN_THREAD_X)
            continue;
        out.own |= 1ull << i;
        out.inner *= extent;
    }
    out.grid = at[ANN_BLOCK_X] * at[ANN_BLOCK_Y] * at[ANN_BLOCK_Z];
    out.threads = at[ANN_THREAD_X] * at[ANN_THREAD_Y] * at[ANN_THREAD_Z];
    return out;
}

/* Elements of all accesses together that a thread touches, the loops of the mask at full range. */
static double touched(const struct nest_store *s, uint64_t loops)
{
    double sum = 0;
    for (int i = 0; i < s->naccesses; i++)
        sum += nest_store_turns(s, s->accesses[i].loops & loops);
    return sum;
}

/* ---- the paper ---- */

struct staged {                    /* a buffer in shared memory */
    double elements, traffic, run; /* traffic: from global memory, of the whole program; run: as l2_trans_dim */
    bool is_copy, is_counted;      /* its traffic belongs to a statement already */
};

static double alloc_elements(const struct buffer *b)
{
    double n = 1;
    for (int d = 0; d < b->ndim; d++)
        n *= (double)b->extent[d];
    return n;
}

static uint64_t block_loops(const struct nest_store *s)
{
    uint64_t mask = 0;
    for (int i = 0; i < s->nloops; i++) {
        enum annotation kind = s->loops[i].kind;
        if (kind == ANN_BLOCK_X || kind == ANN_BLOCK_Y || kind == ANN_BLOCK_Z)
            mask |= 1ull << i;
    }
    return mask;
}

/* How many elements of the last dimension of a global access one block touches. */
static double run_of(const struct nest_store *s, const struct nest_store_access *access)
{
    const struct buffer *b = access->buffer;
    double span = nest_store_turns(s, access->in_last & ~block_loops(s));
    double longest = b->ndim ? (double)b->shape[b->ndim - 1] : 1;
    return span < longest ? span : longest;
}

/* Adds the traffic of the direct accesses of global memory. */
static void add_global(const struct nest_store *s, const struct shape *shape, double *traffic, double *run)
{
    for (int i = 0; i < s->naccesses; i++) {
        const struct nest_store_access *access = &s->accesses[i];
        if (!is_global(access->buffer))
            continue;
        double length = run_of(s, access);
        *traffic += nest_store_turns(s, access->loops & shape->own) * shape->threads * shape->grid;
        *run = *run > 0 && *run < length ? *run : length;
    }
}

static void stage(const struct nest_store *s, const struct shape *shape, struct staged *out)
{
    const struct buffer *b = s->store->buffer;
    *out = (struct staged){.elements = alloc_elements(b), .is_copy = true};
    add_global(s, shape, &out->traffic, &out->run);
    if (b->ndim) /* a row of the tile, however often it is filled */
        out->run = (double)b->extent[b->ndim - 1];
}

static struct sa_symbols symbols_of(const struct nest_store *s, const struct shape *shape, struct staged *staged)
{
    struct sa_symbols out = {.l0_mem_alloc = touched(s, shape->own & s->accesses[0].loops),
                             .l0_comp_count = shape->inner,
                             .l1_para_info = shape->threads,
                             .l2_para_info = shape->grid,
                             .l2_comp_count = shape->inner * s->ops * shape->grid * shape->threads};
    for (int i = 0; i < s->naccesses; i++) {
        struct staged *of = &staged[s->accesses[i].buffer->id];
        if (!is_shared(s->accesses[i].buffer))
            continue;
        out.l1_mem_alloc += of->is_copy ? of->elements : alloc_elements(s->accesses[i].buffer);
        if (!of->is_copy || of->is_counted)
            continue;
        of->is_counted = true;
        out.l2_mem_footprint += of->traffic;
        out.l2_trans_dim = out.l2_trans_dim > 0 ? fmin(out.l2_trans_dim, of->run) : of->run;
    }
    add_global(s, shape, &out.l2_mem_footprint, &out.l2_trans_dim);
    return out;
}

struct sa_symbols_list sa_symbols_of(struct arena *a, const struct nest *n, const struct nest_stores *all)
{
    struct sa_symbols_list out = {.at = ARENA_ARRAY(a, struct sa_symbols, all->n + 1)};
    struct staged *staged = ARENA_ARRAY(a, struct staged, n->nbuffers + 1);
    for (int i = 0; i < all->n; i++) {
        const struct nest_store *s = &all->at[i];
        struct shape shape = shape_of(s);
        if (is_shared(s->store->buffer) && s->ops == 0)
            stage(s, &shape, &staged[s->store->buffer->id]);
        else
            out.at[out.n++] = symbols_of(s, &shape, staged);
    }
    return out;
}

/* ---- the released code ---- */

/* The last access that is read, or the written one: what theirs takes as the first. */
static const struct nest_store_access *first_access(const struct nest_store *s)
{
    return &s->accesses[s->naccesses - 1];
}

static struct sa_row row_of(const struct nest_store *s, double thread_memory)
{
    struct shape shape = shape_of(s);
    uint64_t spatial = shape.own & s->accesses[0].loops;
    struct sa_row r = {.grid = shape.grid, .threads = shape.threads, .vthreads = shape.vthreads, .reuse = 1};
    r.thread_work = shape.inner * s->ops;
    r.total_work = r.thread_work * shape.grid * shape.threads;
    r.thread_memory = thread_memory;
    if (r.thread_work > 0) {
        r.registers = touched(s, spatial);
        r.thread_memory += touched(s, shape.own);
        if (r.thread_memory > 0)
            r.reuse = 1 + r.thread_work / r.thread_memory;
    } else if (is_shared(s->store->buffer)) {
        r.shared = nest_store_turns(s, first_access(s)->loops & spatial) * shape.threads;
        r.traffic = r.shared * shape.grid;
    } else {
        r.traffic = shape.inner * shape.grid * shape.threads;
    }
    return r;
}

struct sa_rows sa_rows_of(struct arena *a, const struct nest *n, const struct nest_stores *all)
{
    struct sa_rows out = {.at = ARENA_ARRAY(a, struct sa_row, n->nbuffers + 1)};
    int *row = ARENA_ARRAY(a, int, n->nbuffers + 1);
    for (int i = 0; i < all->n; i++) {
        int *at = &row[all->at[i].store->buffer->id]; /* 0: none yet */
        if (!*at)
            *at = ++out.n;
        out.at[*at - 1] = row_of(&all->at[i], out.at[*at - 1].thread_memory);
    }
    return out;
}

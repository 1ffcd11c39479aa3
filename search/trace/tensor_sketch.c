/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_sketch: stages after the rule, C the product, A and B its arguments:
 *
 *   A.shared, B.shared                 at the first reduce level, copied by all threads
 *   A.shared.wmma.matrix_a, B.shared.wmma.matrix_b   at the second, in 16x16 blocks
 *   C.wmma.accumulator                 k0 k1 i3 j3 k2 i4 j4, then a 16x16x16 block
 *   C.shared                           threadIdx.y over i2 j2, in 16x16 blocks
 *   C, or what stands behind it        blockIdx.y over i0 j0, blockIdx.x over i1 j1, copied by all threads
 *
 * A loop marked `tensorize` is the outermost of such a block. Whoever does not know fragments runs its loops one by
 * one and gets the same result.
 *
 * What is no product of matrices whose extents are multiples of 16 is made one first (step RI of
 * harness/program/schedule/reindex.h): then C is the reindexed product, A and B are inlined into their copies with what
 * they read, and i of the last stage is all the axes that rows are made of, fused, j those of columns.
 *
 * Deviations from TVM: (1) Axes of extent 1 are fused with the others. (2) Shared memory has no padding (storage_align
 * 32, 8). (3) Only float16 products with float32 sums; TVM has float16 sums and int8, too. */
#include "search/trace/tensor_sketch.h"

#include "harness/program/schedule/reindex.h"
#include "search/sketch/stage_query.h"

enum { MOST_BATCH = 2 };

/* ---- which tasks ---- */

static bool is_axis(const struct expr *e, int axis)
{
    return e->kind == EXPR_AXIS && e->i == axis;
}

/* An argument of float16 read at the leading axes, then at x and y. */
static bool is_operand(const struct dag *d, const struct expr *load, int batch, int x, int y)
{
    bool fits = d->ops[d->position[load->i]]->kind == OP_PLACEHOLDER && load->nargs == batch + 2;
    for (int i = 0; i < batch && fits; i++)
        fits = is_axis(load->args[i], i);
    return fits && is_axis(load->args[batch], x) && is_axis(load->args[batch + 1], y);
}

/* A product of matrices as it stands, which needs no RI. */
static bool is_plain(const struct dag *d, const struct op *op, const struct reindex *x)
{
    int batch = op->nspatial - 2, i = batch, j = batch + 1, k = batch + 2;
    if (x->n[ROLE_BATCH] != batch || op->nreduce != 1)
        return false;
    for (int axis = i; axis <= k; axis++)
        if (op->axes[axis].extent % TENSOR_TILE)
            return false;
    return is_operand(d, x->factor[0], batch, i, k) &&
           (is_operand(d, x->factor[1], batch, k, j) || is_operand(d, x->factor[1], batch, j, k));
}

/* Factors of float16 whose sum is float32. */
static bool is_product(const struct op *op, struct reindex *x)
{
    struct err err;
    if (!reindex_find(op, x, &err) || x->n[ROLE_BATCH] > MOST_BATCH)
        return false;
    for (int i = 0; i < 2; i++)
        if (op->body->args[i]->dtype != DTYPE_F32 || x->factor[i]->dtype != DTYPE_F16)
            return false;
    return true;
}

/* A stage in front of the product, read by nothing behind it, that can be inlined. */
static bool is_before(const struct dag *d, int stage, int product)
{
    const struct op_analysis *f = &d->analysis[stage];
    bool fits = d->ops[stage]->nreduce == 0;
    for (int i = 0; i < f->nconsumers && fits; i++)
        fits = f->consumers[i] <= product;
    return fits;
}

/* A stage of the product's shape that reads other stages element by element. */
static bool is_behind(const struct dag *d, int stage, const struct op *product)
{
    const struct op *op = d->ops[stage];
    const struct op_analysis *f = &d->analysis[stage];
    bool fits = op->nreduce == 0 && op->nspatial == product->nspatial && op->dtype == product->dtype;
    for (int i = 0; i < op->nspatial && fits; i++)
        fits = op->axes[i].extent == product->axes[i].extent;
    for (int r = 0; r < f->nreads && fits; r++)
        for (int i = 0; i < f->reads[r].load->nargs && d->ops[f->reads[r].producer]->kind == OP_COMPUTE; i++)
            fits = fits && is_axis(f->reads[r].load->args[i], i);
    return fits;
}

struct form {    /* of a task */
    int product; /* stage */
    struct reindex x;
    bool plain;
};

/* False: the task is no product with stages to be inlined in front and element-wise ones behind. */
static bool find_form(const struct dag *d, struct form *f)
{
    f->product = 0;
    while (f->product < d->nops && d->ops[f->product]->nreduce == 0)
        f->product++;
    if (f->product == d->nops || !is_product(d->ops[f->product], &f->x))
        return false;
    for (int i = 0; i < d->nops; i++)
        if (d->ops[i]->kind == OP_COMPUTE && i != f->product &&
            !(i < f->product ? is_before(d, i, f->product) : is_behind(d, i, d->ops[f->product])))
            return false;
    f->plain = is_plain(d, d->ops[f->product], &f->x);
    return true;
}

/* ---- steps ---- */

struct making {
    struct state *s;
    const struct form *form;
    int batch;            /* leading axes */
    int product;          /* stages: what the fragments add up to; it moves as copies are put in front of it */
    int store, last;      /* what takes it out of the fragments; what is left of the task */
    int split_i, split_j; /* steps */
    struct err err;
};

/* Places n groups of loops, each of the batch's or of both axes', one after the other. */
static bool reorder(struct making *m, int stage, const int *loops, int n)
{
    int order[ITERS_MAX];
    for (int i = 0; i < m->batch; i++)
        order[i] = i;
    for (int i = 0; i < n; i++)
        order[m->batch + i] = m->batch + loops[i];
    return state_reorder(m->s, stage, order, m->batch + n, &m->err);
}

/* The sum: i in 6 parts, j in 6, k in 4, the last ones 16. */
static bool tile_product(struct making *m)
{
    static const int64_t spatial[] = {0, 0, 0, 0, TENSOR_TILE}, sum[] = {0, 0, TENSOR_TILE};
    static const int loops[] = {0, 6, 1, 7, 2, 8, 12, 13, 3, 9, 14, 4, 10, 5, 11, 15};
    struct state *s = m->s;
    int p = m->product, b = m->batch;
    if (!state_split(s, p, b + 2, sum, 3, true, &m->err) || !state_split(s, p, b + 1, spatial, 5, true, &m->err))
        return false;
    m->split_j = s->nsteps - 1;
    if (!state_split(s, p, b, spatial, 5, true, &m->err))
        return false;
    m->split_i = s->nsteps - 1;
    return reorder(m, p, loops, 16) && state_annotate(s, p, b + 13, ANN_TENSORIZE, &m->err);
}

/* Out of the fragments: i0 j0 i1 j1, the warps over i2 j2, and 16x16 blocks. */
static bool tile_store(struct making *m)
{
    static const int64_t tile[] = {TENSOR_TILE};
    static const int loops[] = {0, 5, 1, 6, 2, 7, 3, 8, 4, 9};
    struct state *s = m->s;
    int p = m->store, b = m->batch;
    return state_follow_split(s, p, b + 1, m->split_j, 3, &m->err) &&
           state_split(s, p, b + 4, tile, 1, true, &m->err) && state_follow_split(s, p, b, m->split_i, 3, &m->err) &&
           state_split(s, p, b + 3, tile, 1, true, &m->err) && reorder(m, p, loops, 10) &&
           state_annotate(s, p, b + 8, ANN_TENSORIZE, &m->err) && state_fuse(s, p, b + 4, 2, &m->err) &&
           state_annotate(s, p, b + 4, ANN_THREAD_Y, &m->err) && state_compute_at(s, m->product, p, b + 4, &m->err);
}

/* The axes of the last stage: those of the batch, those of rows fused, those of columns fused. */
static bool fuse_last(struct making *m)
{
    const struct reindex *x = &m->form->x;
    int order[ITERS_MAX], n = 0, rows = x->n[ROLE_ROW], columns = x->n[ROLE_COLUMN];
    for (int role = ROLE_BATCH; role <= ROLE_COLUMN; role++)
        for (int i = 0; i < x->n[role]; i++)
            order[n++] = x->axes[role][i];
    return state_reorder(m->s, m->last, order, n, &m->err) &&
           (columns == 1 || state_fuse(m->s, m->last, m->batch + rows, columns, &m->err)) &&
           (rows == 1 || state_fuse(m->s, m->last, m->batch, rows, &m->err));
}

static bool tile_last(struct making *m)
{
    static const int loops[] = {0, 3, 1, 4, 2, 5};
    struct state *s = m->s;
    int p = m->last, b = m->batch;
    if (!m->form->plain && !fuse_last(m))
        return false;
    return state_follow_split(s, p, b + 1, m->split_j, 2, &m->err) &&
           state_follow_split(s, p, b, m->split_i, 2, &m->err) && reorder(m, p, loops, 6) &&
           state_fuse(s, p, 0, b + 2, &m->err) && state_annotate(s, p, 0, ANN_BLOCK_Y, &m->err) &&
           state_fuse(s, p, 1, 2, &m->err) && state_annotate(s, p, 1, ANN_BLOCK_X, &m->err) &&
           state_compute_at(s, m->store, p, 1, &m->err);
}

/* An argument goes through shared memory, at k0, into fragments, at k1, in 16x16 blocks. */
static bool read_operand(struct making *m, int operand, const char *scope)
{
    static const int64_t tile[] = {TENSOR_TILE};
    static const int loops[] = {0, 2, 1, 3};
    struct state *s = m->s;
    const struct expr *load = s->stages[m->product].op->body->args[operand]->args[0];
    int from = s->dag->position[load->i], b = m->batch;
    int product = m->product;
    m->product += 2;
    if (!state_cache_read(s, from, "shared", product, &m->err) ||
        !state_compute_at(s, from + 1, product + 1, b + 6, &m->err) ||
        !state_cache_read(s, from + 1, scope, product + 1, &m->err) ||
        !state_compute_at(s, from + 2, product + 2, b + 7, &m->err))
        return false;
    return state_split(s, from + 2, b + 1, tile, 1, true, &m->err) &&
           state_split(s, from + 2, b, tile, 1, true, &m->err) && reorder(m, from + 2, loops, 4) &&
           state_annotate(s, from + 2, b + 2, ANN_TENSORIZE, &m->err);
}

/* The task as a product of matrices; the factors are inlined with all that is in front of them. */
static bool reindex(struct making *m)
{
    struct state *s = m->s;
    if (!state_reindex(s, m->product, TENSOR_TILE, &m->err))
        return false;
    m->product += 2;
    for (int i = 0; i < m->product; i++)
        if (stage_is_compute(s, i) && !state_compute_inline(s, i, &m->err))
            return false;
    return true;
}

static bool make_steps(struct making *m)
{
    struct state *s = m->s;
    if (!m->form->plain && !reindex(m))
        return false;
    m->last = s->nstages - 1;
    for (int i = m->last - 1; i > m->product; i--)
        if (stage_is_compute(s, i) && !state_compute_inline(s, i, &m->err))
            return false;
    if (m->last == m->product) {
        if (!state_cache_write(s, m->product, "shared", &m->err))
            return false;
        m->last++;
    }
    if (!state_cache_write(s, m->product, "wmma.accumulator", &m->err))
        return false;
    m->store = m->product + 1;
    m->last++;
    return tile_product(m) && tile_store(m) && tile_last(m) && read_operand(m, 0, "wmma.matrix_a") &&
           read_operand(m, 1, "wmma.matrix_b");
}

/* The lengths of an open split but the last one, which is 16. */
static void open_splits(struct arena *a, struct factors *f, struct sketch *k)
{
    k->splits = ARENA_ARRAY(a, struct open_split, k->nsteps + 1);
    for (int i = 0; i < k->nsteps; i++) {
        const struct step *st = &k->steps[i];
        if (st->kind == STEP_SP && st->n > 1)
            k->splits[k->nsplits++] =
                (struct open_split){.step = i,
                                    .fixed = 1,
                                    .schemes = factors_find(f, st->extent / TENSOR_TILE, st->n - 1, TENSOR_INNERMOST)};
    }
}

bool tensor_sketch_make(struct arena *a, struct factors *f, const struct task *task, struct sketch *out)
{
    struct form form;
    if (!find_form(task->dag, &form))
        return false;
    struct making m = {.s = state_new(a, task), .form = &form, .product = form.product, .batch = form.x.n[ROLE_BATCH]};
    if (!make_steps(&m))
        bug("no design space for tensor cores of '%s': %s", task->spec, m.err.text);
    *out = (struct sketch){.state = m.s, .steps = m.s->steps, .nsteps = m.s->nsteps};
    open_splits(a, f, out);
    return true;
}

/* ---- threads ---- */

bool tensor_sketch_is(const struct sketch *k)
{
    for (int i = 0; i < k->state->nstages; i++)
        if (str_ends(k->state->stages[i].op->name, "wmma.accumulator"))
            return true;
    return false;
}

bool tensor_sketch_copies(const struct sketch *k, int stage, int *first)
{
    const struct state *s = k->state;
    if (!stage_is_compute(s, stage) || s->stages[stage].at == AT_INLINED ||
        stage_has_annotation(s, stage, ANN_TENSORIZE))
        return false;
    *first = s->stages[stage].at == AT_ROOT ? 2 : 0; /* after the blocks */
    return true;
}

static bool bind_copy(const struct sketch *k, int64_t warp, int64_t lanes, struct state *s, int stage, int first,
                      struct err *err)
{
    int splits[2], n = 0;
    for (int i = 0; i < k->nsplits && n < 2; i++)
        if (k->splits[i].schemes->n == 4)
            splits[n++] = k->splits[i].step;
    if (!state_fuse(s, stage, first, s->stages[stage].nleaf - first, err))
        return false;
    if (stage_iter(&s->stages[stage], first)->extent % lanes != 0)
        lanes = 1;
    return state_split(s, stage, first, &lanes, 1, true, err) &&
           state_annotate(s, stage, first + 1, ANN_VECTORIZE, err) &&
           state_split(s, stage, first, &warp, 1, true, err) &&
           state_annotate(s, stage, first + 1, ANN_THREAD_X, err) &&
           state_follow_fused_split(s, stage, first, splits, n, 1, err) &&
           state_annotate(s, stage, first + 1, ANN_THREAD_Y, err);
}

bool tensor_sketch_bind(const struct sketch *k, int64_t warp, const int64_t *lanes, struct state *s, struct err *err)
{
    int first;
    for (int i = s->nstages - 1; i >= 0; i--)
        if (tensor_sketch_copies(k, i, &first) && !bind_copy(k, warp, lanes[i], s, i, first, err))
            return false;
    return true;
}

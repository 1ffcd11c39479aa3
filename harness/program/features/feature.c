/* SPDX-License-Identifier: Apache-2.0 */
/* feature: walks a nest as TVM v0.16's PerStoreFeatureExtractor walks a lowered function (harness/doc/ansor.md,
 * "Features").
 *
 * A row belongs to a written buffer. Its operation counts are summed over the stores; everything else is overwritten by
 * the last store (vec_prod and its like even survive a later store outside of such loops, as in TVM). Loops of extent 1
 * are no loops there, but a pragma standing on one is in force. Rows come in the order in which GNU's unordered_map
 * lists them most of the time, last met first; no model depends on it.
 *
 * Deviations from TVM, all in README.md of this folder: none known in the fields' definitions; the index expressions
 * that operations are counted in are our affine forms, not TVM's trees. */
#include "harness/program/features/feature.h"

#include "harness/program/features/footprint.h"
#include "harness/program/features/op_count.h"
#include "harness/program/lower/cross_thread.h"

#include <math.h>
#include <string.h>

enum { GPU_FLAG, GPU_LENGTHS = 1, GPU_VTHREAD = 7 }; /* from FEATURE_GPU */
struct walker {
    struct arena *a;
    struct levels levels;
    float *out; /* the features' rows, in order of first write; unscaled until the end */
    int *row;   /* by buffer id, -1: none yet */
    int rows;
    int64_t gpu[8];             /* is_gpu and the lengths, in feature order */
    struct level bound[LEVELS]; /* what loops bound to threads have touched, by their depth among themselves */
    int nbound;
    int64_t unroll;                    /* auto_unroll_max_step in force */
    const struct feature_watch *watch; /* or NULL */
    struct err *err;
};

static float *walker_row(struct walker *w, const struct buffer *b)
{
    if (w->row[b->id] < 0)
        w->row[b->id] = w->rows++;
    return &w->out[(size_t)w->row[b->id] * FEATURE_WIDTH];
}

/* One of the vec, unroll and parallel groups: number, product, innermost length, position flags. */
static void row_place(const struct levels *l, enum annotation kind, float *f)
{
    int n = 0;
    float product = 1, length = 0;
    for (int i = 0; i < l->depth; i++)
        if (l->at[i].kind == kind) {
            n++;
            length = (float)l->at[i].extent;
            product *= length;
        }
    f[0] = (float)n;
    if (n)
        f[1] = product; /* else left as it was: TVM does not clear it */
    f[2] = length;
    f[3] = n == 0;
    f[10] = n != 0; /* mixed: the only position TVM tells */
}

static void row_counts(const struct walker *w, const int counts[OP_COUNT_KINDS], float *f)
{
    for (int i = 0; i < OP_COUNT_KINDS; i++)
        f[FEATURE_COUNTS + i] += w->levels.product * (float)counts[i];
    row_place(&w->levels, ANN_VECTORIZE, f + FEATURE_VECTOR);
    row_place(&w->levels, ANN_UNROLL, f + FEATURE_UNROLL);
    row_place(&w->levels, ANN_PARALLEL, f + FEATURE_PARALLEL);
    for (int i = 0; i < 8; i++)
        f[FEATURE_GPU + i] = (float)w->gpu[i];
}

static void row_buffer(const struct footprint *p, float *f)
{
    float lower = p->reuse_count > 0.5f ? 1 / p->reuse_count : 2; /* 2: TVM's, without reuse */
    f[TOUCH_READ] = p->type == TOUCH_READ;
    f[TOUCH_WRITE] = p->type == TOUCH_WRITE;
    f[TOUCH_UPDATE] = p->type == TOUCH_UPDATE;
    f[3] = p->bytes;
    f[4] = p->unique_bytes;
    f[5] = p->lines;
    f[6] = p->unique_lines;
    f[7] = p->reuse == REUSE_LOOP;
    f[8] = p->reuse == REUSE_SERIAL;
    f[9] = p->reuse == REUSE_NONE;
    f[10] = p->reuse_iterations;
    f[11] = p->reuse_bytes;
    f[12] = p->reuse_count;
    f[13] = p->bytes * lower;
    f[14] = p->unique_bytes * lower;
    f[15] = p->lines * lower;
    f[16] = p->unique_lines * lower;
    f[17] = p->stride;
}

static bool footprint_before(const struct footprint *x, const struct footprint *y)
{
    return x->lines > y->lines || (x->lines == y->lines && x->bytes > y->bytes);
}

/* The five largest by (lines, bytes); equal ones keep their order. */
static void row_buffers(struct arena *a, const struct footprints *all, float *f)
{
    const struct footprint **order = ARENA_ARRAY(a, const struct footprint *, all->n);
    for (int i = 0; i < all->n; i++) {
        int at = i;
        for (; at > 0 && footprint_before(&all->at[i], order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = &all->at[i];
    }
    memset(f, 0, sizeof *f * FEATURE_BUFFERS * FEATURE_BUFFER_WIDTH);
    for (int i = 0; i < all->n && i < FEATURE_BUFFERS; i++)
        row_buffer(order[i], f + i * FEATURE_BUFFER_WIDTH);
}

/* Operations per byte as the loops open, sampled at tenths of all operations. */
static void row_curve(struct arena *a, const struct levels *l, double ops, const float *bytes, float *f)
{
    memset(f, 0, sizeof *f * FEATURE_CURVE);
    if (ops <= 0 || l->depth == 0)
        return;
    float *done = ARENA_ARRAY(a, float, l->depth);
    for (int i = 0; i < l->depth; i++) {
        ops *= (double)l->at[l->depth - 1 - i].extent;
        done[i] = (float)ops;
    }
    for (int i = 0, at = 0; i < FEATURE_CURVE; i++) {
        float x = done[l->depth - 1] * (float)(i + 1) / FEATURE_CURVE;
        while (at < l->depth - 1 && (double)done[at] < (double)x - 1e-4)
            at++;
        f[i] = done[at] / bytes[at];
        if (at > 0) {
            float base = done[at - 1] / bytes[at - 1], slope = (f[i] - base) / (done[at] - done[at - 1]);
            f[i] = base + slope * (x - done[at - 1]);
        }
    }
}

static void walk_store(struct walker *w, const struct stmt *s)
{
    struct arena_mark mark = arena_mark(w->a);
    float *f = walker_row(w, s->buffer);
    int counts[OP_COUNT_KINDS] = {0};
    if (w->gpu[GPU_FLAG]) /* on CPUs TVM does so, too; there the selects of winograd are counted */
        op_count_matrix_store(w->levels.nest->atoms, s, counts);
    else
        op_count_store(w->levels.nest->atoms, s, counts);
    row_counts(w, counts, f);
    struct footprints all = footprint_store(w->a, &w->levels, s);
    row_buffers(w->a, &all, f + FEATURE_BUFFER);
    row_curve(w->a, &w->levels, op_count_float(counts), all.level_bytes, f + FEATURE_INTENSITY);
    f[FEATURE_OUTER] = w->levels.product;
    f[FEATURE_OUTER + 1] = (float)w->levels.depth;
    f[FEATURE_OUTER + 2] = (float)w->unroll;
    if (w->watch)
        w->watch->store(w->watch->ctx, s, &all, op_count_float(counts), (double)w->levels.product);
    arena_release(w->a, mark);
}

static bool walk(struct walker *w, const struct stmt *s);

static bool walk_body(struct walker *w, const struct stmt *s)
{
    for (int i = 0; i < s->nbody; i++)
        if (!walk(w, s->body[i]))
            return false;
    return true;
}

/* Storage is counted where it is made; the body has been walked. */
static void row_alloc(struct walker *w, const struct buffer *b)
{
    bool stored = w->row[b->id] >= 0;
    float *f = walker_row(w, b), elements = 1;
    if (!stored) /* no store, as in what holds a reduction across threads: in no such loop */
        f[FEATURE_VECTOR + 3] = f[FEATURE_UNROLL + 3] = f[FEATURE_PARALLEL + 3] = 1;
    for (int d = 0; d < b->ndim; d++)
        elements *= (float)b->extent[d];
    f[FEATURE_ALLOC] = elements * (float)dtype_bytes(b->dtype);
    f[FEATURE_ALLOC + 1] = elements * w->levels.product;
    f[FEATURE_ALLOC + 2] = w->levels.product;
    f[FEATURE_ALLOC + 3] = f[FEATURE_OUTER] / w->levels.product;
}

static bool walk_alloc(struct walker *w, const struct stmt *s)
{
    if (!walk_body(w, s))
        return false;
    row_alloc(w, s->buffer);
    return true;
}

/* Where a thread kind's length stands in the gpu fields; 0: no thread loop. */
static int gpu_field(enum annotation kind)
{
    static const int FIELDS[ANN_COUNT] = {
        [ANN_BLOCK_X] = GPU_LENGTHS,      [ANN_BLOCK_Y] = GPU_LENGTHS + 1,  [ANN_BLOCK_Z] = GPU_LENGTHS + 2,
        [ANN_THREAD_X] = GPU_LENGTHS + 3, [ANN_THREAD_Y] = GPU_LENGTHS + 4, [ANN_THREAD_Z] = GPU_LENGTHS + 5,
        [ANN_VTHREAD] = GPU_VTHREAD};
    return FIELDS[kind];
}

/* A bound loop goes on with what the last one at its depth among the bound loops has touched, as in TVM: it makes a
 * loop node for the time of the walk, keeps the touches by the node's address, and the next such node gets the address
 * of the last one that was freed. */
static bool walk_open(struct walker *w, const struct stmt *s, bool bound)
{
    struct levels *l = &w->levels;
    if (l->depth == LEVELS)
        return err_set(w->err, "nest is deeper than %d loops", LEVELS);
    struct level *level = &l->at[l->depth];
    struct touch *touch = bound ? w->bound[w->nbound].touch : level->touch;
    if (!touch)
        touch = ARENA_ARRAY(w->a, struct touch, l->nest->nbuffers);
    else if (!bound)
        memset(touch, 0, sizeof *touch * (size_t)l->nest->nbuffers);
    *level = bound ? w->bound[w->nbound++] : (struct level){.bytes = 0};
    level->extent = s->extent;
    level->kind = s->loop;
    level->touch = touch;
    if (s->atom >= 0)
        l->of_atom[s->atom] = l->depth;
    l->depth++;
    l->product *= (float)s->extent;
    return true;
}

static void walk_close(struct walker *w, const struct stmt *s, bool bound, struct touch *own)
{
    struct levels *l = &w->levels;
    l->depth--;
    l->product /= (float)s->extent;
    if (s->atom >= 0)
        l->of_atom[s->atom] = -1;
    if (bound) {
        w->bound[--w->nbound] = l->at[l->depth];
        l->at[l->depth].touch = own;
    }
}

static bool walk_loop(struct walker *w, const struct stmt *s)
{
    int64_t unroll = w->unroll, length = 0;
    int gpu = gpu_field(s->loop);
    if (s->auto_unroll >= 0)
        w->unroll = s->auto_unroll;
    bool counted = s->extent != 1 || gpu; /* a bound thread of extent 1 is still bound */
    struct touch *own = w->levels.depth < LEVELS ? w->levels.at[w->levels.depth].touch : NULL;
    if (counted && !walk_open(w, s, gpu))
        return false;
    if (gpu) {
        length = w->gpu[gpu];
        w->gpu[gpu] = s->loop == ANN_VTHREAD ? length * s->extent : s->extent;
        w->gpu[GPU_FLAG] = 1;
    }
    bool fine = walk_body(w, s);
    if (gpu)
        w->gpu[gpu] = length;
    if (counted)
        walk_close(w, s, gpu, own);
    w->unroll = unroll;
    return fine;
}

static bool walk(struct walker *w, const struct stmt *s)
{
    switch (s->kind) {
    case STMT_STORE:
        walk_store(w, s);
        return true;
    case STMT_LOOP:
        return walk_loop(w, s);
    case STMT_ALLOC:
        return walk_alloc(w, s);
    case STMT_SEQ:
    case STMT_GUARD: /* both sides of a condition count, as in TVM */
        return walk_body(w, s);
    }
    bug("statement kind %d", (int)s->kind);
}

static float scaled(float x)
{
    return x == 0 ? 0 : x == 1 ? 1 : x < 0 ? -log2f(1 - x) : log2f(1 + x);
}

/* Turns the rows round. Flags stay raw; scaling 0 and 1 is the identity, so only the wide fields need it:
 * log2(1 + 1) = 1. */
static void rows_finish(float *at, int rows)
{
    for (int i = 0; i < (rows + 1) / 2; i++) {
        float *x = &at[(size_t)i * FEATURE_WIDTH], *y = &at[(size_t)(rows - 1 - i) * FEATURE_WIDTH];
        for (int k = 0; k < FEATURE_WIDTH; k++) {
            float last = scaled(y[k]);
            y[k] = x == y ? last : scaled(x[k]);
            x[k] = last;
        }
    }
}

bool feature_extract(struct arena *a, const struct nest *n, struct features *out, struct err *err)
{
    return feature_extract_watched(a, n, NULL, out, err);
}

bool feature_extract_watched(struct arena *a, const struct nest *n, const struct feature_watch *watch,
                             struct features *out, struct err *err)
{
    struct walker w = {.a = a, .err = err, .watch = watch, .gpu = {0, 1, 1, 1, 1, 1, 1, 1}};
    n = cross_thread_nest(a, n);
    size_t cap = (size_t)n->nbuffers * FEATURE_WIDTH;
    w.out = out->at = ARENA_ARRAY(a, float, cap);
    struct arena_mark mark = arena_mark(a);
    w.row = ARENA_ARRAY(a, int, n->nbuffers);
    w.levels.nest = n;
    w.levels.product = 1;
    w.levels.line = 64;
    w.levels.of_atom = ARENA_ARRAY(a, int, n->atoms->n);
    memset(w.row, 0xff, sizeof *w.row * (size_t)n->nbuffers);
    memset(w.levels.of_atom, 0xff, sizeof *w.levels.of_atom * (size_t)n->atoms->n);
    bool fine = walk(&w, n->root);
    for (int i = 0; i < n->nargs && fine; i++)
        if (w.row[i] >= 0) /* TVM wraps the output in an allocation, too, around everything */
            row_alloc(&w, n->buffers[i]);
    out->rows = w.rows;
    rows_finish(out->at, w.rows);
    arena_release(a, mark);
    return fine;
}

struct features feature_none(struct arena *a)
{
    return (struct features){.rows = 1, .at = ARENA_ARRAY(a, float, FEATURE_WIDTH)};
}

/* TVM v0.16 feature.cc, GetPerStoreFeatureName: each head with each tail, in their order. */
static const struct {
    const char *heads, *tails;
} NAMES[] = {
    {"float_ int_", "mad addsub mul divmod cmp math_func other_func"},
    {"bool_op select_op", ""},
    {"vec_ unroll_ parallel_", "num prod len type.kPosNone type.kPosInnerSpatial type.kPosMiddleSpatial "
                               "type.kPosOuterSpatial type.kPosInnerReduce type.kPosMiddleReduce type.kPosOuterReduce "
                               "type.kPosMixed"},
    {"is_gpu blockIdx_x_len blockIdx_y_len blockIdx_z_len threadIdx_x_len threadIdx_y_len threadIdx_z_len vthread_len",
     ""},
    {"B0. B1. B2. B3. B4.",
     "acc_type.kRead acc_type.kWrite acc_type.kReadWrite bytes unique_bytes lines unique_lines "
     "reuse_type.kLoopMultipleRead reuse_type.kSerialMultipleReadWrite reuse_type.kNoReuse reuse_dis_iter "
     "reuse_dis_bytes reuse_ct bytes_d_reuse_ct unique_bytes_d_reuse_ct lines_d_reuse_ct unique_lines_d_reuse_ct "
     "stride"},
    {"arith_intensity_curve_", "0 1 2 3 4 5 6 7 8 9"},
    {"alloc_size alloc_prod alloc_outer_prod alloc_inner_prod outer_prod num_loops auto_unroll_max_step", ""},
};

void feature_names(struct text *out)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        for (const char *head = NAMES[i].heads; *head; head += strspn(head, " ")) {
            int n = (int)strcspn(head, " "), m;
            const char *tail = NAMES[i].tails;
            do {
                m = (int)strcspn(tail, " ");
                text_printf(out, "%s\"%.*s%.*s\"", i || head != NAMES[0].heads || tail != NAMES[0].tails ? "," : "[", n,
                            head, m, tail);
                tail += m + (int)strspn(tail + m, " ");
            } while (*tail);
            head += n;
        }
    text_char(out, ']');
}

void feature_header(struct text *out)
{
    text_add(out, "id\trow");
    for (int i = 0; i < FEATURE_WIDTH; i++)
        text_printf(out, "\tf%d", i);
    text_char(out, '\n');
}

void feature_print(const char *id, const struct features *f, struct text *out)
{
    for (int r = 0; r < f->rows; r++) {
        text_printf(out, "%s\t%d", id, r);
        for (int i = 0; i < FEATURE_WIDTH; i++)
            text_printf(out, "\t%.7g", (double)f->at[r * FEATURE_WIDTH + i]);
        text_char(out, '\n');
    }
}

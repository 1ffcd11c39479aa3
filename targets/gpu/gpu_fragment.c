/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_fragment: the operations are PTX's wmma.*.m16n16k16 (what nvcuda::wmma compiles to), written in the dialect's
 * prologue, so that NVRTC needs no header. TVM: tensorize with wmma_load, wmma_fill, wmma_sync, wmma_store. */
#include "targets/gpu/gpu_fragment.h"

#include "targets/gpu/gpu_index.h"

enum { WARP = 32, DEPTH_MOST = 3 };

struct block { /* a block's loops and its store */
    int atoms[DEPTH_MOST], n;
    const struct stmt *store; /* NULL: no such form */
};

bool gpu_fragment_is_block(const struct gpu_emitter *em, const struct stmt *s)
{
    return em->dialect->fragments && s->kind == STMT_LOOP && s->loop == ANN_TENSORIZE;
}

bool gpu_fragment_is_tensor(const struct gpu_emitter *em, const struct buffer *b)
{
    return em->dialect->fragments && str_starts(b->scope, "wmma.");
}

static struct block block_of(const struct stmt *s)
{
    struct block b = {.n = 0};
    for (; s->kind == STMT_LOOP; s = s->body[0]) {
        if (b.n == DEPTH_MOST || s->extent != TENSOR_TILE)
            return b;
        b.atoms[b.n++] = s->atom;
    }
    b.store = s->kind == STMT_STORE ? s : NULL;
    return b;
}

static int64_t fragments_of(const struct buffer *b)
{
    int64_t n = 1;
    for (int d = 0; d < b->ndim; d++)
        n *= d < b->ndim - 2 ? b->extent[d] : b->extent[d] / TENSOR_TILE;
    return n;
}

void gpu_fragment_declare(struct gpu_emitter *em, const struct buffer *b)
{
    const char *type = str_eq(b->scope, "wmma.accumulator") ? "float" : "unsigned";
    text_printf(gpu_line(em), "%s %s[%lld][8];\n", type, em->storage[b->id].name, (long long)fragments_of(b));
}

/* ---- places; the block's own loops stand at 0 ---- */

/* Number of the fragment in its tensor. */
static void fragment_text(struct gpu_emitter *em, const struct buffer *b, const struct affine *index, struct text *out)
{
    struct atoms *p = em->nest->atoms;
    struct affine number = affine_const(0);
    for (int d = 0; d < b->ndim; d++) {
        int64_t by = d < b->ndim - 2 ? 1 : TENSOR_TILE;
        struct affine at = gpu_index_known(em, affine_sub(p, index[d], b->min[d]));
        number = affine_add_scaled(p, affine_div(p, at, by), number, b->extent[d] / by);
    }
    em->storage[b->id].used = true;
    text_printf(out, "%s[", em->storage[b->id].name);
    gpu_index_text(em, number, out);
    text_char(out, ']');
}

/* Where the block begins in shared memory, and the elements of a row there. */
static void memory_text(struct gpu_emitter *em, const struct buffer *b, const struct affine *index, struct text *out)
{
    if (em->storage[b->id].space != GPU_SHARED || b->ndim < 2)
        gpu_fail(em, "tensor '%s' of a block of tensor cores is not in shared memory", b->name);
    em->storage[b->id].used = true;
    text_printf(out, "%s + ", em->storage[b->id].name);
    gpu_index_text(em, gpu_index_now(em, b, index), out);
    text_printf(out, ", %lld", (long long)(b->ndim < 2 ? 0 : b->extent[b->ndim - 1]));
}

/* ---- operations ---- */

/* acc + float32(a) * float32(b); NULL: something else. */
static const struct value *factor(const struct stmt *store, int which)
{
    const struct value *sum = store->value;
    if (!store->is_update || sum->kind != EXPR_ADD || sum->args[1]->kind != EXPR_MUL)
        return NULL;
    const struct value *cast = sum->args[1]->args[which];
    return cast->kind == EXPR_CAST && cast->args[0]->kind == EXPR_LOAD ? cast->args[0] : NULL;
}

/* Whether the block's second factor has k along its rows, in any block that reads the tensor. */
static bool is_column(const struct gpu_emitter *em, const struct stmt *s, const struct buffer *b)
{
    if (gpu_fragment_is_block(em, s)) {
        struct block k = block_of(s);
        const struct value *y = k.store && k.n == DEPTH_MOST ? factor(k.store, 1) : NULL;
        return y && y->buffer == b && affine_uses(em->nest->atoms, y->index[b->ndim - 1], k.atoms[DEPTH_MOST - 1]);
    }
    for (int i = 0; i < s->nbody; i++)
        if (is_column(em, s->body[i], b))
            return true;
    return false;
}

static void fill(struct gpu_emitter *em, const struct stmt *s)
{
    if (s->value->kind != EXPR_FLOAT || s->value->f != 0)
        gpu_fail(em, "fragments of '%s' that do not begin at 0", s->buffer->name);
    text_add(gpu_line(em), "fragment_fill(");
    fragment_text(em, s->buffer, s->index, em->out);
    text_add(em->out, ");\n");
}

static void load(struct gpu_emitter *em, const struct stmt *s)
{
    bool a = str_eq(s->buffer->scope, "wmma.matrix_a");
    bool column = !a && is_column(em, em->nest->root, s->buffer);
    text_printf(gpu_line(em), "fragment_load_%s(", a ? "a" : column ? "b_col" : "b_row");
    fragment_text(em, s->buffer, s->index, em->out);
    text_add(em->out, ", ");
    memory_text(em, s->value->buffer, s->value->index, em->out);
    text_add(em->out, ");\n");
}

static void store(struct gpu_emitter *em, const struct stmt *s)
{
    text_add(gpu_line(em), "fragment_store(");
    memory_text(em, s->buffer, s->index, em->out);
    text_add(em->out, ", ");
    fragment_text(em, s->value->buffer, s->value->index, em->out);
    text_add(em->out, ");\n");
}

static void multiply(struct gpu_emitter *em, const struct stmt *s)
{
    const struct value *x = factor(s, 0), *y = factor(s, 1);
    bool column = is_column(em, em->nest->root, y->buffer);
    text_printf(gpu_line(em), "fragment_multiply_%s(", column ? "col" : "row");
    fragment_text(em, s->buffer, s->index, em->out);
    text_add(em->out, ", ");
    fragment_text(em, x->buffer, x->index, em->out);
    text_add(em->out, ", ");
    fragment_text(em, y->buffer, y->index, em->out);
    text_add(em->out, ");\n");
}

static void operation(struct gpu_emitter *em, const struct block *b)
{
    const struct stmt *s = b->store;
    bool copies = b->n == 2 && s->value->kind == EXPR_LOAD, to = gpu_fragment_is_tensor(em, s->buffer);
    bool sums = str_eq(s->buffer->scope, "wmma.accumulator");
    if (b->n == 2 && s->is_init && sums)
        fill(em, s);
    else if (copies && to && !sums)
        load(em, s);
    else if (copies && !to && str_eq(s->value->buffer->scope, "wmma.accumulator"))
        store(em, s);
    else if (b->n == DEPTH_MOST && sums && factor(s, 0) && factor(s, 1))
        multiply(em, s);
    else
        gpu_fail(em, "a block of '%s' that tensor cores do not compute", s->buffer->name);
}

void gpu_fragment_block(struct gpu_emitter *em, const struct stmt *s)
{
    struct block b = block_of(s);
    if (!b.store) {
        gpu_fail(em, "a block for tensor cores that is not of 16x16x16");
        return;
    }
    if (em->extents[ANN_THREAD_X] != WARP)
        gpu_fail(em, "tensor cores need 32 threads along threadIdx.x, not %lld", (long long)em->extents[ANN_THREAD_X]);
    for (int i = 0; i < b.n; i++) {
        em->has[b.atoms[i]] = true;
        em->with[b.atoms[i]] = affine_const(0);
    }
    operation(em, &b);
    for (int i = 0; i < b.n; i++)
        em->has[b.atoms[i]] = false;
}

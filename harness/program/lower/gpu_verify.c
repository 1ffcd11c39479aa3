/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_verify: as TVM v0.16's VerifyGPUCode counts it after its passes: a block's threads are the product of the extents
 * of its thread axes, each counted once and of one extent everywhere; memory is what is allocated anywhere in the
 * kernel, never shared by two buffers. Virtual threads are not counted: TVM has made loops of them by then, and the
 * authors' records have up to 14 of them where sampling would take 8. */
#include "harness/program/lower/gpu_verify.h"

#include "harness/base/int_math.h"

struct thread_block { /* one kernel */
    const struct atoms *atoms;
    const struct limits *limits;
    int64_t extent[ANN_COUNT]; /* of the thread axes met, else 0 */
    int64_t shared, local;
    struct err *err;
};

static bool value_uses(const struct thread_block *b, const struct value *v, int atom)
{
    bool uses = false;
    for (int i = 0; v->index && i < (v->kind == EXPR_LOAD ? v->buffer->ndim : 1); i++)
        uses = uses || affine_uses(b->atoms, v->index[i], atom);
    for (int i = 0; i < v->nargs; i++)
        uses = uses || value_uses(b, v->args[i], atom);
    return uses;
}

/* A branch that the lanes take by themselves. */
static bool branches(const struct thread_block *b, const struct value *v, int atom)
{
    if (v->kind == EXPR_IF && value_uses(b, v->args[0], atom))
        return true;
    for (int i = 0; i < v->nargs; i++)
        if (branches(b, v->args[i], atom))
            return true;
    return false;
}

/* TVM's VectorizeLoop makes single turns of a loop with a condition that differs from lane to lane. Its guards are
 * those of whole indices, so all do, also where ours came out shorter: the authors' records of two GPUs have vectors of
 * up to 256 elements under guards, and their model had let them pass (tests/unit/targets/gpu_records.c). */
static bool is_scalar(const struct thread_block *b, const struct stmt *s, int atom)
{
    if (s->nguards > 0 || (s->kind == STMT_STORE && branches(b, s->value, atom)))
        return true;
    for (int i = 0; i < s->nbody; i++)
        if (is_scalar(b, s->body[i], atom))
            return true;
    return false;
}

static bool walk_loop(struct thread_block *b, const struct stmt *s)
{
    if (s->loop == ANN_VECTORIZE && s->extent * 4 > b->limits->vector_bytes && !is_scalar(b, s, s->atom))
        return err_set(b->err, "vectors of %lld bytes, at most %lld are possible", (long long)s->extent * 4,
                       (long long)b->limits->vector_bytes);
    if (!annotation_is_thread(s->loop))
        return true;
    int64_t *extent = &b->extent[s->loop];
    if (*extent && *extent != s->extent)
        return err_set(b->err, "a block has %lld threads along one axis, and %lld elsewhere", (long long)*extent,
                       (long long)s->extent);
    *extent = s->extent;
    return true;
}

static void walk_alloc(struct thread_block *b, const struct buffer *buf)
{
    int64_t bytes = dtype_bytes(buf->dtype);
    for (int d = 0; d < buf->ndim; d++)
        bytes = sat_mul(bytes, buf->extent[d]);
    int64_t *sum = str_eq(buf->scope, "shared") ? &b->shared : &b->local;
    *sum = sat_add(*sum, bytes);
}

static bool walk(struct thread_block *b, const struct stmt *s)
{
    if (s->kind == STMT_LOOP && !walk_loop(b, s))
        return false;
    if (s->kind == STMT_ALLOC)
        walk_alloc(b, s->buffer);
    for (int i = 0; i < s->nbody; i++)
        if (!walk(b, s->body[i]))
            return false;
    return true;
}

static bool check_kernel(const struct nest *n, const struct stmt *s, const struct limits *limits, struct err *err)
{
    struct thread_block b = {.atoms = n->atoms, .limits = limits, .err = err};
    int64_t threads = 1;
    if (!walk(&b, s))
        return false;
    for (int i = 0; i < ANN_COUNT; i++)
        threads = sat_mul(threads, b.extent[i] ? b.extent[i] : 1);
    if (threads > limits->threads_per_block)
        return err_set(err, "a block of %lld threads, at most %lld are possible", (long long)threads,
                       (long long)limits->threads_per_block);
    if (b.shared > limits->shared_bytes)
        return err_set(err, "a block needs %lld bytes of shared memory, at most %lld are there", (long long)b.shared,
                       (long long)limits->shared_bytes);
    return b.local <= limits->local_bytes || err_set(err, "a thread needs %lld bytes of local memory, at most %lld",
                                                     (long long)b.local, (long long)limits->local_bytes);
}

static bool check(const struct nest *n, const struct stmt *s, const struct limits *limits, struct err *err)
{
    if (s->kind == STMT_LOOP && annotation_is_bound(s->loop))
        return check_kernel(n, s, limits, err);
    for (int i = 0; i < s->nbody; i++)
        if (!check(n, s->body[i], limits, err))
            return false;
    return true;
}

bool gpu_verify(const struct nest *n, const struct limits *limits, struct err *err)
{
    return check(n, n->root, limits, err);
}

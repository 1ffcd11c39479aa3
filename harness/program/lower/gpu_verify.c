/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_verify: as TVM v0.16's VerifyGPUCode counts it after its passes: a block's threads are the product of the extents
 * of its thread axes, each counted once and of one extent everywhere; memory is what is allocated anywhere in the
 * kernel, never shared by two buffers. Deviation: virtual threads are checked by their loops' extent, where TVM sees
 * them only when it keeps them as a loop; its sampling never goes past the limit. */
#include "harness/program/lower/gpu_verify.h"

#include "harness/base/int_math.h"

struct thread_block { /* one kernel */
    const struct limits *limits;
    int64_t extent[ANN_COUNT]; /* of the thread axes met, else 0 */
    int64_t shared, local;
    struct err *err;
};

static bool is_thread(enum annotation a)
{
    return a == ANN_THREAD_X || a == ANN_THREAD_Y || a == ANN_THREAD_Z;
}

static bool is_bound(enum annotation a)
{
    return is_thread(a) || a == ANN_VTHREAD || a == ANN_BLOCK_X || a == ANN_BLOCK_Y || a == ANN_BLOCK_Z;
}

static bool walk_loop(struct thread_block *b, const struct stmt *s)
{
    if (s->loop == ANN_VECTORIZE && s->extent * 4 > b->limits->vector_bytes)
        return err_set(b->err, "vectors of %lld bytes, at most %lld are possible", (long long)s->extent * 4,
                       (long long)b->limits->vector_bytes);
    if (s->loop == ANN_VTHREAD && s->extent > b->limits->vthread_extent)
        return err_set(b->err, "%lld virtual threads, at most %lld are possible", (long long)s->extent,
                       (long long)b->limits->vthread_extent);
    if (!is_thread(s->loop))
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

static bool check_kernel(const struct stmt *s, const struct limits *limits, struct err *err)
{
    struct thread_block b = {.limits = limits, .err = err};
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

static bool check(const struct stmt *s, const struct limits *limits, struct err *err)
{
    if (s->kind == STMT_LOOP && is_bound(s->loop))
        return check_kernel(s, limits, err);
    for (int i = 0; i < s->nbody; i++)
        if (!check(s->body[i], limits, err))
            return false;
    return true;
}

bool gpu_verify(const struct nest *n, const struct limits *limits, struct err *err)
{
    return check(n->root, limits, err);
}

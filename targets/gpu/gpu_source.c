/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/gpu/gpu_source.h"

#include "harness/program/lower/bound.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "targets/gpu/gpu_emit.h"

static bool bind_stage(const struct limits *limits, struct state *s, int stage, struct err *err)
{
    const struct op *op = s->stages[stage].op;
    int64_t threads = limits->threads_per_block < 64 ? limits->threads_per_block : 64;
    if (op->kind != OP_COMPUTE || op->nspatial == 0)
        return true;
    return (op->nspatial < 2 || state_fuse(s, stage, 0, op->nspatial, err)) &&
           state_split(s, stage, 0, &threads, 1, true, err) && state_annotate(s, stage, 0, ANN_BLOCK_X, err) &&
           state_annotate(s, stage, 1, ANN_THREAD_X, err);
}

static bool reference_nest(struct arena *a, const struct limits *limits, const struct task *task, struct nest **out,
                           struct err *err)
{
    struct state *s = state_new(a, task);
    for (int i = 0; i < s->nstages; i++)
        if (!bind_stage(limits, s, i, err))
            return false;
    return bound_infer(s, err) && lower(a, s, LAYOUT_NONE, out, err);
}

enum outcome gpu_source_make(struct arena *a, const struct dialect *d, const struct limits *limits,
                             const struct task *task, const struct candidate *c, struct gpu_source *out,
                             char message[SAMPLE_MESSAGE])
{
    struct err err = {0};
    struct nest *n;
    arena_reset(a);
    out->program = ARENA_NEW(a, struct gpu_program);
    out->text = (struct text){0};
    if (!c && !reference_nest(a, limits, task, &n, &err))
        return outcome_because(message, OUTCOME_BUILD_FAILED, err.text);
    if ((c && !lower_steps(a, task, c->steps, c->nsteps, LAYOUT_NONE, &n, &err)) || !gpu_verify(n, limits, &err))
        return outcome_because(message, OUTCOME_INVALID, err.text);
    if (gpu_emit(a, n, d, out->program, &out->text, &err))
        return OUTCOME_OK;
    text_free(&out->text);
    return outcome_because(message, OUTCOME_BUILD_FAILED, err.text);
}

struct limits gpu_limits(const struct gpu_narrowed *asked, int64_t device_threads, int64_t device_shared_bytes)
{
    struct limits l = limits_cuda();
    if (asked->max_threads || device_threads < l.threads_per_block)
        l.threads_per_block = device_threads;
    if (asked->max_threads && asked->max_threads < l.threads_per_block)
        l.threads_per_block = asked->max_threads;
    if (asked->shared_bytes || device_shared_bytes < l.shared_bytes)
        l.shared_bytes = device_shared_bytes;
    if (asked->shared_bytes && asked->shared_bytes < l.shared_bytes)
        l.shared_bytes = asked->shared_bytes;
    l.warp_size = asked->warp;
    l.vthread_extent = asked->warp >= 4 ? asked->warp / 4 : 1; /* TVM: a quarter of a warp */
    return l;
}

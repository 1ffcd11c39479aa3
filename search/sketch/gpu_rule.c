/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rule: the sketch rules that only GPUs have (harness/doc/ansor.md, "Sketch rules"), TVM v0.16's RuleAddCacheRead,
 * RuleSpecialComputeLocationGPU and RuleCrossThreadReduction. Quirks kept: of several consumers only the first is asked
 * whether it is tiled. Deviation: where TVM's process ends (a consumer that cannot be split, a tiled stage without a
 * reduction), the rule fails and its branch is dropped. */
#include "search/sketch/rule.h"

#include "harness/program/ir/access_analysis.h"
#include "search/sketch/stage_query.h"

static struct state *copy_state(const struct rule_env *env, const struct state *s, int next, struct partial_sketch *out,
                                int *n)
{
    out[*n] = (struct partial_sketch){.state = state_copy(env->arena, s), .next = next};
    return out[(*n)++].state;
}

/* add cache read: the inputs of a tiled stage go through shared memory */
static bool reads_directly(const struct state *s, int reader, int stage)
{
    const struct op_analysis *f = &s->dag->analysis[reader];
    for (int i = 0; i < f->nproducers; i++)
        if (f->producers[i] == stage)
            return true;
    return false;
}

static enum rule_answer cache_read_meets(const struct rule_env *env, const struct state *s, int stage)
{
    int consumers[STAGE_QUERY_MAX];
    (void)env;
    if (stage_consumers(s, stage, consumers) == 0)
        return RULE_SKIP;
    int first = consumers[0];
    return stage_needs_tiling(s, first) && !stage_reduces_across_threads(s, first) && reads_directly(s, first, stage)
               ? RULE_STOP
               : RULE_SKIP;
}

/* The last reduce iterator of the outermost reduce tile, or -1. */
static int outermost_reduce(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    for (int i = 0; i < st->nleaf; i++)
        if (stage_iter(st, i)->kind == ITER_REDUCE)
            return i + st->op->nreduce - 1;
    return -1;
}

static bool cache_read_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out,
                             int *n, struct err *err)
{
    int consumers[STAGE_QUERY_MAX], nconsumers = stage_consumers(s, stage, consumers);
    struct state *t = copy_state(env, s, stage, out, n);
    for (int i = 0; i < nconsumers; i++) {
        int reader = consumers[i] + i; /* each copy moves the later stages by one */
        if (!state_cache_read(t, stage, "shared", reader, err))
            return false;
        int at = outermost_reduce(t, reader + 1);
        if (at < 0)
            return err_set(err, "stage %d reduces nothing, so there is no place for a copy", reader + 1);
        if (!state_compute_at(t, stage + 1, reader + 1, at, err))
            return false;
    }
    return true;
}

/* special compute location: what a winograd transform reads is computed just outside of its unrolled loops */
static enum rule_answer special_location_meets(const struct rule_env *env, const struct state *s, int stage)
{
    int consumers[STAGE_QUERY_MAX];
    (void)env;
    if (s->dag->analysis[stage].nproducers == 0 || !stage_is_compute(s, stage) || stage_is_output(s, stage) ||
        stage_has_reduce(s, stage) || stage_consumers(s, stage, consumers) != 1)
        return RULE_SKIP;
    return s->stages[consumers[0]].op->nconst_axes ? RULE_STOP : RULE_SKIP;
}

static bool special_location_apply(const struct rule_env *env, const struct state *s, int stage,
                                   struct partial_sketch *out, int *n, struct err *err)
{
    int consumers[STAGE_QUERY_MAX];
    struct state *t = copy_state(env, s, stage - 1, out, n);
    stage_consumers(s, stage, consumers);
    const struct stage *target = &s->stages[consumers[0]];
    for (int i = 0; i < target->nleaf; i++)
        if (stage_iter(target, i)->annotation == ANN_UNROLL)
            return i > 0 ? state_compute_at(t, stage, consumers[0], i - 1, err)
                         : err_set(err, "stage %d is unrolled from its first loop on", consumers[0]);
    return true;
}

/* cross-thread reduction: the threads of a block share one reduction */
static enum rule_answer cross_thread_meets(const struct rule_env *env, const struct state *s, int stage)
{
    int64_t spatial, reduce;
    if (stage_has_cache_write(s, stage) || !stage_is_compute(s, stage))
        return RULE_SKIP;
    stage_lengths(s, stage, &spatial, &reduce);
    if (stage_needs_tiling(s, stage))
        return spatial <= env->limits.threads_per_block && spatial < reduce ? RULE_APPLY : RULE_SKIP;
    return reduce > 1 && reduce > env->limits.warp_size ? RULE_APPLY : RULE_SKIP;
}

/* Fuses the reduce iterators, which stand together in a stage that no rule has touched; *fused is the one that comes
 * of it. */
static bool fuse_reduce(struct state *s, int stage, int *fused, struct err *err)
{
    const struct stage *st = &s->stages[stage];
    int n = 0;
    *fused = -1;
    for (int i = 0; i < st->nleaf; i++) {
        if (stage_iter(st, i)->kind != ITER_REDUCE)
            continue;
        *fused = *fused < 0 ? i : *fused;
        n++;
    }
    if (n == 0)
        return err_set(err, "stage %d reduces nothing", stage);
    return n < 2 || state_fuse(s, stage, *fused, n, err);
}

/* Into the stage that reads it: both share blocks and threads. common: their leading axes. */
static bool reduce_in_consumer(const struct rule_env *env, struct state *s, int stage, int fused, int consumer,
                               int common, struct err *err)
{
    int splits[2], nsplits = stage_splits(s, consumer, splits, 2);
    if (nsplits == 0) { /* a plain stage: its last axis goes over the threads */
        int last = s->stages[consumer].nleaf - 1;
        if (stage_has_reduce(s, consumer))
            return err_set(err, "stage %d reduces, too, and is not split", consumer);
        if (!state_split(s, consumer, last, &env->limits.warp_size, 1, true, err))
            return false;
        splits[nsplits++] = s->nsteps - 1;
        if (!state_annotate(s, consumer, last + 1, ANN_THREAD_X, err))
            return false;
    }
    if (nsplits != 1)
        return err_set(err, "stage %d is split more than once", consumer);
    return state_follow_split(s, stage, fused, splits[0], 1, err) &&
           state_annotate(s, stage, fused + 1, ANN_THREAD_X, err) &&
           state_compute_at(s, stage, consumer, common - 1, err);
}

static bool cross_thread_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out,
                               int *n, struct err *err)
{
    struct state *t = copy_state(env, s, stage - 1, out, n);
    int fused, consumer;
    if (!fuse_reduce(t, stage, &fused, err))
        return false;
    consumer = stage_single_consumer(t, stage);
    int common = consumer < 0 ? 0 : dag_common_outer(t->dag, stage, consumer);
    if (common > 0 && !stage_needs_tiling(t, consumer))
        return reduce_in_consumer(env, t, stage, fused, consumer, common, err);
    return state_split(t, stage, fused, &env->limits.warp_size, 1, true, err) &&
           state_annotate(t, stage, fused + 1, ANN_THREAD_X, err);
}

const struct rule rule_cache_read = {"add cache read", cache_read_meets, cache_read_apply};
const struct rule rule_special_location = {"special compute location", special_location_meets, special_location_apply};
const struct rule rule_cross_thread = {"cross-thread reduction", cross_thread_meets, cross_thread_apply};

/* SPDX-License-Identifier: Apache-2.0 */
/* rule: the sketch rules that CPUs have (harness/doc/ansor.md, "Sketch rules"), TVM v0.16, and both lists. Those of
 * GPUs only are in gpu_rule.c. No deviation. */
#include "search/sketch/rule.h"

#include "search/sketch/stage_query.h"
#include "search/sketch/tiling.h"

#include <string.h>

static struct state *add_result(const struct rule_env *env, const struct state *s, int next, struct partial_sketch *out,
                                int *n)
{
    if (*n == RULE_RESULTS)
        bug("a rule gives more than %d states", RULE_RESULTS);
    out[*n] = (struct partial_sketch){.state = state_copy(env->arena, s), .next = next};
    return out[(*n)++].state;
}

/* skip stage: always applies, so that every stage gets passed. */
static enum rule_answer skip_meets(const struct rule_env *env, const struct state *s, int stage)
{
    (void)env, (void)s, (void)stage;
    return RULE_APPLY;
}

static bool skip_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out, int *n,
                       struct err *err)
{
    (void)err;
    add_result(env, s, stage - 1, out, n);
    return true;
}

/* always-inline */
static enum rule_answer inline_meets(const struct rule_env *env, const struct state *s, int stage)
{
    if (!stage_is_compute(s, stage) || stage_is_output(s, stage) || stage_has_reduce(s, stage))
        return RULE_SKIP;
    return env->limits.is_gpu || stage_is_inlineable(s, stage) ? RULE_STOP : RULE_SKIP;
}

static bool inline_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out,
                         int *n, struct err *err)
{
    return state_compute_inline(add_result(env, s, stage - 1, out, n), stage, err);
}

/* multi-level tiling */
static enum rule_answer tile_meets(const struct rule_env *env, const struct state *s, int stage)
{
    (void)env;
    return stage_needs_tiling(s, stage) ? RULE_STOP : RULE_SKIP;
}

static bool tile_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out, int *n,
                       struct err *err)
{
    int steps[TILING_AXES], nsteps;
    return tiling_apply(add_result(env, s, stage - 1, out, n), stage, env->structure, steps, &nsteps, err);
}

/* multi-level tiling with fusion into the element-wise consumer */
static enum rule_answer fusion_meets(const struct rule_env *env, const struct state *s, int stage)
{
    if (!stage_needs_tiling(s, stage) || !stage_matched_consumer(s, stage, NULL))
        return RULE_SKIP;
    return env->limits.is_gpu || stage_has_cache_write(s, stage) ? RULE_STOP : RULE_APPLY;
}

static bool fusion_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out,
                         int *n, struct err *err)
{
    int first = env->limits.is_gpu ? 3 : 1, last = env->limits.is_gpu ? 3 : 2;
    int consumer, steps[TILING_AXES], nsteps;
    if (!stage_matched_consumer(s, stage, &consumer))
        return err_set(err, "stage %d has no element-wise consumer", stage);
    for (int level = first; level <= last; level++) {
        if ((int)strlen(env->structure) < level || env->structure[level - 1] != 'S')
            continue;
        struct state *t = add_result(env, s, stage - 1, out, n);
        if (!tiling_apply(t, stage, env->structure, steps, &nsteps, err) ||
            !tiling_follow(t, consumer, steps, nsteps, level, err) ||
            !state_compute_at(t, stage, consumer, level * nsteps - 1, err))
            return false;
    }
    return true;
}

/* add cache write */
static enum rule_answer cache_write_meets(const struct rule_env *env, const struct state *s, int stage)
{
    if (!stage_needs_tiling(s, stage) || stage_matched_consumer(s, stage, NULL))
        return RULE_SKIP;
    return env->limits.is_gpu ? RULE_STOP : RULE_APPLY;
}

static bool cache_write_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out,
                              int *n, struct err *err)
{
    return state_cache_write(add_result(env, s, stage, out, n), stage, "local", err);
}

/* rfactor: more parallelism for reductions with few outputs */
static enum rule_answer rfactor_meets(const struct rule_env *env, const struct state *s, int stage)
{
    int64_t spatial, reduce;
    if (!stage_is_compute(s, stage) || stage_has_cache_write(s, stage))
        return RULE_SKIP;
    stage_lengths(s, stage, &spatial, &reduce);
    if (stage_needs_tiling(s, stage))
        return spatial <= reduce && spatial <= env->limits.cores * 16 ? RULE_APPLY : RULE_SKIP;
    return reduce > 1 && reduce > env->limits.cores ? RULE_APPLY : RULE_SKIP;
}

/* Reduce iterators stand behind the spatial ones in a stage that no rule has touched yet. */
static int spatial_iters(const struct state *s, int stage)
{
    int n = 0;
    for (int i = 0; i < s->stages[stage].nleaf; i++)
        n += stage_iter(&s->stages[stage], i)->kind == ITER_SPATIAL;
    return n;
}

static bool rfactor_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out,
                          int *n, struct err *err)
{
    static const int64_t one[1] = {1};
    int nspatial = spatial_iters(s, stage), nreduce = s->stages[stage].nleaf - nspatial;
    for (int part = 0; part < 2; part++) { /* the outer part becomes an axis of the partial result, then the inner */
        struct state *t = add_result(env, s, stage - 1, out, n);
        if ((nreduce > 1 && !state_fuse(t, stage, nspatial, nreduce, err)) ||
            !state_split(t, stage, nspatial, one, 1, true, err) ||
            !state_rfactor(t, stage, nspatial + part, nspatial, err))
            return false;
        if (part == 0)
            continue;
        int order[TILING_AXES], m = 0, leaves = t->stages[stage].nleaf;
        if (leaves > TILING_AXES)
            return err_set(err, "stage %d has %d iterators, more than %d", stage, leaves, TILING_AXES);
        for (int i = 0; i < leaves; i++) /* the new axis goes innermost, for vectorisation */
            if (i != nspatial)
                order[m++] = i;
        order[m++] = nspatial;
        if (!state_reorder(t, stage, order, m, err))
            return false;
    }
    return true;
}

/* simplify compute with const tensor (winograd transforms) */
static enum rule_answer const_tensor_meets(const struct rule_env *env, const struct state *s, int stage)
{
    (void)env;
    return s->stages[stage].op->nconst_axes ? RULE_STOP : RULE_SKIP;
}

static bool is_const_axis(const struct op *op, const char *name)
{
    for (int i = 0; i < op->nconst_axes; i++)
        if (str_eq(op->const_axes[i], name))
            return true;
    return false;
}

static bool const_tensor_apply(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out,
                               int *n, struct err *err)
{
    static const int64_t open[1] = {0};
    struct state *t = add_result(env, s, stage - 1, out, n);
    int leaves = s->stages[stage].nleaf, outer[TILING_AXES], unrolled[TILING_AXES], order[3 * TILING_AXES];
    int nouter = 0, nunrolled = 0, m = 0, at = 0;
    if (leaves > TILING_AXES)
        return err_set(err, "stage %d has %d iterators, more than %d", stage, leaves, TILING_AXES);
    for (int i = 0; i < leaves; i++) {
        const struct ivar *v = stage_iter(&t->stages[stage], at);
        if (is_const_axis(t->stages[stage].op, v->name)) {
            unrolled[nunrolled++] = at++;
            if (!state_annotate(t, stage, at - 1, ANN_UNROLL, err))
                return false;
        } else {
            if (v->kind != ITER_SPATIAL)
                return err_set(err, "iterator '%s' is a reduction and not constant", v->name);
            outer[nouter++] = at;
            at += 2;
            if (!state_split(t, stage, at - 2, open, 1, true, err))
                return false;
        }
    }
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < nouter; i++)
            order[m++] = outer[i] + part;
    for (int i = 0; i < nunrolled; i++)
        order[m++] = unrolled[i];
    return state_reorder(t, stage, order, m, err);
}

static const struct rule rule_skip = {"skip stage", skip_meets, skip_apply};
static const struct rule rule_inline = {"always-inline", inline_meets, inline_apply};
static const struct rule rule_tile = {"multi-level tiling", tile_meets, tile_apply};
static const struct rule rule_fusion = {"tiling with fusion", fusion_meets, fusion_apply};
static const struct rule rule_cache_write = {"add cache write", cache_write_meets, cache_write_apply};
static const struct rule rule_rfactor = {"rfactor", rfactor_meets, rfactor_apply};
static const struct rule rule_const_tensor = {"simplify-const-tensor", const_tensor_meets, const_tensor_apply};

static const struct rule *const cpu_rules[] = {&rule_inline, &rule_const_tensor, &rule_rfactor, &rule_cache_write,
                                               &rule_fusion, &rule_tile,         &rule_skip,    NULL};
static const struct rule *const gpu_rules[] = {
    &rule_cache_read,  &rule_special_location, &rule_inline, &rule_const_tensor, &rule_cross_thread,
    &rule_cache_write, &rule_fusion,           &rule_tile,   &rule_skip,         NULL};

const struct rule *const *rules_for(const struct limits *limits)
{
    return limits->is_gpu ? gpu_rules : cpu_rules;
}

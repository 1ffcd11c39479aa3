/* SPDX-License-Identifier: Apache-2.0 */
/* thread_bind: TVM v0.16's InitThreadBind (harness/doc/ansor.md, "Random annotation"). Deviation: a product of extents
 * past 2^31 is one here; there it wraps around, and a negative one switches the test for a full warp off. */
#include "search/sketch/thread_bind.h"

#include "harness/base/int_math.h"
#include "search/sketch/stage_query.h"
#include "search/sketch/tiling.h"

/* Fuses the leading spatial iterators, up to the first that a stage is computed at, into iterator 0. A stage without
 * axes gets one of extent 1. */
static bool fuse_outer(struct state *s, int stage, struct err *err)
{
    const struct stage *st = &s->stages[stage];
    int n = 0;
    while (n < st->nleaf && stage_iter(st, n)->kind != ITER_REDUCE && stage_iter(st, n)->annotation == ANN_NONE &&
           (n == 0 || !state_has_attached(s, stage, n - 1)))
        n++;
    return n == 1 || state_fuse(s, stage, 0, n, err);
}

/* MetaSchedule's BindSpatialLoop. */
static bool bind_chosen(const struct space *sp, struct state *s, int stage, const struct thread_choice *c,
                        struct err *err)
{
    const int64_t parts[2] = {c->most_blocks, sp->limits.threads_per_block};
    if (stage_iter(&s->stages[stage], 0)->extent <= sat_mul(parts[0], parts[1]))
        return state_split(s, stage, 0, &c->threads[stage], 1, true, err) &&
               state_annotate(s, stage, 0, ANN_BLOCK_X, err) && state_annotate(s, stage, 1, ANN_THREAD_X, err);
    if (!state_split(s, stage, 0, parts, 2, true, err))
        return false;
    int order[ITERS_MAX], n = s->stages[stage].nleaf;
    for (int i = 0; i < n; i++)
        order[i] = i < 3 ? (i + 1) % 3 : i;
    return state_reorder(s, stage, order, n, err) && state_annotate(s, stage, 0, ANN_BLOCK_X, err) &&
           state_annotate(s, stage, 1, ANN_THREAD_X, err);
}

/* Nothing is tiled: a warp of threads a block. Evolution tries other numbers. */
static bool bind_plain(const struct space *sp, struct state *s, int stage, const struct thread_choice *c,
                       struct err *err)
{
    const int64_t warp = sp->limits.warp_size;
    if (!fuse_outer(s, stage, err))
        return false;
    if (c)
        return bind_chosen(sp, s, stage, c, err);
    if (stage_iter(&s->stages[stage], 0)->extent <= warp)
        return state_annotate(s, stage, 0, ANN_THREAD_X, err);
    return state_split(s, stage, 0, &warp, 1, true, err) && state_annotate(s, stage, 0, ANN_BLOCK_X, err) &&
           state_annotate(s, stage, 1, ANN_THREAD_X, err);
}

/* Fuses the parts of one level, which stand from iterator first on; *extent is that of what comes of it. */
static bool fuse_level(struct state *s, int stage, int first, const char *suffix, int64_t *extent, struct err *err)
{
    const struct stage *st = &s->stages[stage];
    int n = 0;
    while (n < st->op->nspatial && first + n < st->nleaf && str_ends(stage_iter(st, first + n)->name, suffix))
        n++;
    if (!state_fuse(s, stage, first, n, err))
        return false;
    *extent = stage_iter(&s->stages[stage], first)->extent;
    return true;
}

/* The three outer levels of a tiled stage's root are blocks, virtual threads, threads. */
static bool bind_tiled(const struct space *sp, struct state *s, int stage, const struct thread_choice *c,
                       struct err *err)
{
    const struct limits *l = &sp->limits;
    const struct op *op = s->stages[stage].op;
    int64_t all = 1, extent;
    for (int i = 0; i < op->nspatial + (c ? 0 : op->nreduce); i++) /* MetaSchedule counts spatial axes only */
        all = sat_mul(all, op->axes[i].extent);
    if (!fuse_level(s, stage, 0, ".0", &extent, err) || !state_annotate(s, stage, 0, ANN_BLOCK_X, err) ||
        !fuse_level(s, stage, 1, ".1", &extent, err))
        return false;
    if (extent > l->vthread_extent)
        return err_set(err, "%lld virtual threads, at most %lld are possible", (long long)extent,
                       (long long)l->vthread_extent);
    if (!state_annotate(s, stage, 1, ANN_VTHREAD, err) || !fuse_level(s, stage, 2, ".2", &extent, err))
        return false;
    if (all > 2 * l->warp_size && extent < l->warp_size)
        return err_set(err, "%lld threads, less than a warp of %lld", (long long)extent, (long long)l->warp_size);
    return state_annotate(s, stage, 2, ANN_THREAD_X, err);
}

/* History positions of the splits of spatial axes, the last axis first: those of the reduce axes come after them. */
static int spatial_splits(const struct state *s, int stage, int steps[TILING_AXES])
{
    int all[2 * TILING_AXES], n = stage_splits(s, stage, all, 2 * TILING_AXES), m = 0;
    for (int i = s->stages[stage].op->nreduce; i < n && m < TILING_AXES; i++)
        steps[m++] = all[i];
    return m;
}

/* Cooperative fetching: all loops of the copy are shared out among as many threads as its reader has, with a vector
 * loop innermost, of length 1 until evolution tries others. */
static bool bind_fetch(struct state *s, int stage, const struct thread_choice *c, struct err *err)
{
    int64_t lanes = c ? c->lanes[stage] : 1;
    int splits[TILING_AXES], n = spatial_splits(s, s->stages[stage].at_stage, splits);
    if (!state_fuse(s, stage, 0, s->stages[stage].nleaf, err))
        return false;
    if (stage_iter(&s->stages[stage], 0)->extent % lanes != 0)
        lanes = 1;
    return state_split(s, stage, 0, &lanes, 1, true, err) && state_annotate(s, stage, 1, ANN_VECTORIZE, err) &&
           state_follow_fused_split(s, stage, 0, splits, n, 1, err) && state_annotate(s, stage, 1, ANN_THREAD_X, err);
}

static bool bind_stage(const struct space *sp, struct state *s, int stage, const struct thread_choice *c,
                       struct err *err)
{
    const struct stage *st = &s->stages[stage];
    if (st->at == AT_INLINED || !stage_is_compute(s, stage))
        return true;
    if (stage_reduces_across_threads(s, stage))
        return st->at != AT_ROOT || (fuse_outer(s, stage, err) && state_annotate(s, stage, 0, ANN_BLOCK_X, err));
    if (stage_has_annotation(s, stage, ANN_THREAD_X))
        return true;
    if (st->at == AT_ROOT)
        return stage_holds_tiled(s, stage) ? bind_tiled(sp, s, stage, c, err) : bind_plain(sp, s, stage, c, err);
    return !str_ends(st->op->name, ".shared") || bind_fetch(s, stage, c, err);
}

bool thread_bind(const struct space *sp, struct state *s, const struct thread_choice *choice, struct err *err)
{
    for (int i = s->nstages - 1; i >= 0; i--)
        if (!bind_stage(sp, s, i, choice, err))
            return false;
    return true;
}

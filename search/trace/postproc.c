/* SPDX-License-Identifier: Apache-2.0 */
/* postproc: rewrite-parallel-vectorize-unroll of TVM v0.16, which looks at the blocks of the finished program one after
 * the other. For each, with all loops around it:
 *   parallel: leading spatial loops until their product exceeds the extent or a loop holds more than one block;
 *   vector: trailing spatial loops along which memory is walked without gaps (max_fusible.h), product at most the
 *     extent; loops that are both stay vector loops;
 *   both: where all loops qualify for both (element-wise stages), all are fused and split by the vector extent, also
 *     where that does not divide;
 *   unroll: a reduction puts the pragma on the outermost loop around it, which its neighbours may share.
 * No extent above 1 in reach: no mark. The other postprocessors of CPUs need no steps: no loop of ours is dynamic,
 * lower starts reductions before their outermost reduce loop (rewrite reduction block), and the harness re-lays weights
 * out (rewrite layout). */
#include "search/trace/postproc.h"

#include "search/sketch/stage_query.h"
#include "search/trace/max_fusible.h"

struct marks {
    int parallel, vector; /* loops; -1: nothing but extents of 1 */
    bool both;
};

static bool holds_stage(const struct state *s, int stage)
{
    for (int i = 0; i < s->stages[stage].nleaf; i++)
        if (state_has_attached(s, stage, i))
            return true;
    return false;
}

static bool is_plain(const struct ivar *v)
{
    return v->kind == ITER_SPATIAL && v->annotation == ANN_NONE;
}

static int count_parallel(const struct state *s, int stage, int64_t most)
{
    const struct stage *st = &s->stages[stage];
    int64_t product = 1;
    int n = 0;
    for (; n < st->nleaf && is_plain(stage_iter(st, n)); n++) {
        product *= stage_iter(st, n)->extent;
        if (product > most || state_has_attached(s, stage, n)) {
            n++;
            break;
        }
    }
    return product == 1 ? -1 : n;
}

static int count_vector(const struct state *s, int stage, int64_t most, int fusible)
{
    const struct stage *st = &s->stages[stage];
    int64_t product = 1;
    int n = 0;
    for (; n < fusible; n++) {
        int leaf = st->nleaf - 1 - n;
        if (!is_plain(stage_iter(st, leaf)) || state_has_attached(s, stage, leaf))
            break;
        product *= stage_iter(st, leaf)->extent;
        if (product > most)
            break;
    }
    return product == 1 ? -1 : n;
}

static struct marks marks_of(const struct state *s, int stage, int64_t parallel, int64_t vector)
{
    const struct stage *st = &s->stages[stage];
    int fusible = max_fusible(s, stage), plain = 0;
    struct marks m = {.parallel = -1, .vector = count_vector(s, stage, vector, fusible)};
    if (st->at != AT_ROOT)
        return m; /* the loops outside belong to the root of its tree */
    m.parallel = count_parallel(s, stage, parallel);
    if (m.parallel < 0 || m.vector < 0 || holds_stage(s, stage))
        return m;
    while (plain < st->nleaf && is_plain(stage_iter(st, plain)))
        plain++;
    m.both = plain == st->nleaf && fusible == st->nleaf;
    int left = st->nleaf - m.vector;
    m.parallel = m.parallel < left ? m.parallel : left;
    return m;
}

static bool fuse_and_mark(struct state *s, int stage, int first, int n, enum annotation ann, struct err *err)
{
    return n <= 0 || ((n < 2 || state_fuse(s, stage, first, n, err)) && state_annotate(s, stage, first, ann, err));
}

static bool apply_marks(struct state *s, int stage, struct marks m, int64_t vector, struct err *err)
{
    if (m.both)
        return (s->stages[stage].nleaf < 2 || state_fuse(s, stage, 0, s->stages[stage].nleaf, err)) &&
               state_split(s, stage, 0, &vector, 1, true, err) && state_annotate(s, stage, 0, ANN_PARALLEL, err) &&
               state_annotate(s, stage, 1, ANN_VECTORIZE, err);
    return fuse_and_mark(s, stage, 0, m.parallel, ANN_PARALLEL, err) &&
           fuse_and_mark(s, stage, s->stages[stage].nleaf - m.vector, m.vector, ANN_VECTORIZE, err);
}

static bool apply_unroll(struct state *s, int64_t unroll, struct err *err)
{
    bool wanted[STAGE_QUERY_MAX] = {false};
    for (int i = 0; i < s->nstages; i++)
        if (stage_is_compute(s, i) && s->stages[i].at != AT_INLINED && s->stages[i].op->nreduce)
            wanted[stage_root(s, i)] = true;
    for (int i = 0; i < s->nstages; i++)
        if (wanted[i] && s->stages[i].nleaf && !state_pragma_unroll(s, i, 0, unroll, err))
            return false;
    return true;
}

bool postproc_apply(struct state *s, int64_t parallel, int64_t vector, int64_t unroll, struct err *err)
{
    if (s->nstages > STAGE_QUERY_MAX)
        return err_set(err, "%d stages are too many", s->nstages);
    struct marks *m = ARENA_ARRAY(s->arena, struct marks, s->nstages);
    for (int i = 0; i < s->nstages; i++)
        if (stage_is_compute(s, i) && s->stages[i].at != AT_INLINED)
            m[i] = marks_of(s, i, parallel, vector);
    for (int i = 0; i < s->nstages; i++)
        if (stage_is_compute(s, i) && s->stages[i].at != AT_INLINED && !apply_marks(s, i, m[i], vector, err))
            return false;
    return unroll <= 0 || apply_unroll(s, unroll, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* annotate: TVM v0.16's InitParallel, InitUnroll and InitVectorization (harness/doc/ansor.md, "Random annotation").
 * Quirks kept: a stage whose outer loops all have extent 1 hands the parallel mark to what is computed inside and still
 * marks itself, which the check for nested parallel loops then rejects; of n > 1 loops that could be vectorised, never
 * all n are. Deviation: the operator attribute always_unroll_inner does not exist here (no operator of v0.16 sets it).
 */
#include "search/sketch/annotate.h"

#include "search/sketch/stage_query.h"

static bool is_live(const struct state *s, int stage)
{
    return stage_is_compute(s, stage) && s->stages[stage].at != AT_INLINED;
}

/* Fuses n iterators from first on (if more than one) and marks the result. */
static bool mark(struct state *s, int stage, int first, int n, enum annotation ann, struct err *err)
{
    return (n < 2 || state_fuse(s, stage, first, n, err)) && state_annotate(s, stage, first, ann, err);
}

static bool parallel_stage(const struct space *sp, struct state *s, int stage, int first, struct err *err)
{
    const struct stage *st = &s->stages[stage];
    int64_t degree = 1;
    int i = first, n = 0;
    for (; i < st->nleaf; i++) {
        const struct ivar *v = stage_iter(st, i);
        if (v->kind == ITER_REDUCE || v->annotation != ANN_NONE)
            break;
        n++;
        degree *= v->extent;
        if (degree > sp->limits.cores * 16 || state_has_attached(s, stage, i))
            break;
    }
    if (degree == 1 && i < st->nleaf && state_has_attached(s, stage, i)) {
        int var = st->leaf[i];
        for (int k = 0; k < s->nstages; k++)
            if (s->stages[k].at == AT_ITER && s->stages[k].at_stage == stage && s->stages[k].at_var == var &&
                !parallel_stage(sp, s, k, 0, err))
                return false;
        if (!parallel_stage(sp, s, stage, i + 1, err))
            return false;
    }
    return n == 0 || mark(s, stage, first, n, ANN_PARALLEL, err);
}

bool annotate_parallel(const struct space *sp, struct state *s, struct err *err)
{
    for (int i = 0; i < s->nstages; i++)
        if (is_live(s, i) && s->stages[i].at == AT_ROOT && !parallel_stage(sp, s, i, 0, err))
            return false;
    return true;
}

int annotate_unrollable(const struct state *s)
{
    int n = 0;
    for (int i = 0; i < s->nstages; i++)
        n += is_live(s, i) && stage_has_reduce(s, i);
    return n;
}

bool annotate_unroll(const struct space *sp, struct state *s, struct rng *r, const int64_t *values, struct err *err)
{
    int n;
    const int64_t *choices = space_unrolls(sp, &n);
    for (int i = 0; i < s->nstages; i++) {
        if (!is_live(s, i) || !stage_has_reduce(s, i))
            continue;
        int64_t value = values ? *values++ : choices[rng_below(r, (uint64_t)n)];
        if (!state_pragma_unroll(s, i, 0, value, err))
            return false;
    }
    return true;
}

/* How many of the innermost loops could become one vector loop. */
static int vector_loops(const struct space *sp, const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    bool tiled = stage_is_tiled(s, stage);
    int64_t length = 1;
    int n = 0;
    for (; n < st->nleaf; n++) {
        int i = st->nleaf - 1 - n;
        const struct ivar *v = stage_iter(st, i);
        if (state_has_attached(s, stage, i) || v->kind == ITER_REDUCE || v->annotation != ANN_NONE)
            break;
        if (tiled && n > 0)
            break; /* memory is not contiguous across the tiles */
        length *= v->extent;
        if (length > sp->options.max_vectorize)
            break;
    }
    return n;
}

bool annotate_vectorize(const struct space *sp, struct state *s, struct rng *r, struct err *err)
{
    for (int i = 0; i < s->nstages; i++) {
        if (!is_live(s, i))
            continue;
        int n = vector_loops(sp, s, i);
        if (n > 1)
            n = r ? 1 + (int)rng_below(r, (uint64_t)n - 1) : n - 1;
        if (n > 0 && !mark(s, i, s->stages[i].nleaf - n, n, ANN_VECTORIZE, err))
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stage_query: reproduces the helpers of TVM's search policy (policy utils); no deviation. */
#include "search/sketch/stage_query.h"

#include "harness/base/text.h"
#include "harness/program/ir/access_analysis.h"

#include <string.h>

/* Marks in seen the non-inlined stages that read the stage. */
static void stage_collect(const struct state *s, int stage, bool seen[STAGE_QUERY_MAX])
{
    const struct op_analysis *f = &s->dag->analysis[stage];
    for (int i = 0; i < f->nconsumers; i++) {
        int next = f->consumers[i];
        if (s->stages[next].at == AT_INLINED)
            stage_collect(s, next, seen);
        else
            seen[next] = true;
    }
}

int stage_consumers(const struct state *s, int stage, int out[STAGE_QUERY_MAX])
{
    bool seen[STAGE_QUERY_MAX] = {false};
    int n = 0;
    if (s->nstages > STAGE_QUERY_MAX)
        bug("%d stages", s->nstages);
    stage_collect(s, stage, seen);
    for (int i = 0; i < s->nstages; i++)
        if (seen[i])
            out[n++] = i;
    return n;
}

int stage_single_consumer(const struct state *s, int stage)
{
    int consumers[STAGE_QUERY_MAX], n = stage_consumers(s, stage, consumers), root = -1;
    if (n == 1)
        return consumers[0];
    for (int i = 0; i < n; i++) {
        const struct stage *st = &s->stages[consumers[i]];
        int mine = st->at == AT_ITER ? st->at_stage : consumers[i];
        if (root >= 0 && mine != root)
            return -1;
        root = mine;
    }
    return root;
}

bool stage_matched_consumer(const struct state *s, int stage, int *consumer)
{
    int consumers[STAGE_QUERY_MAX];
    if (stage_consumers(s, stage, consumers) != 1)
        return false;
    if (consumer)
        *consumer = consumers[0];
    return dag_element_wise_match(s->dag, stage, consumers[0]) &&
           !(stage_has_reduce(s, stage) && stage_has_reduce(s, consumers[0])) &&
           !str_ends(s->stages[consumers[0]].op->name, ".shared");
}

bool stage_is_compute(const struct state *s, int stage)
{
    return s->stages[stage].op->kind == OP_COMPUTE;
}

bool stage_is_output(const struct state *s, int stage)
{
    return s->dag->analysis[stage].is_output;
}

bool stage_is_inlineable(const struct state *s, int stage)
{
    return s->dag->analysis[stage].is_strictly_inlineable;
}

bool stage_needs_tiling(const struct state *s, int stage)
{
    return s->dag->analysis[stage].needs_tiling;
}

bool stage_holds_tiled(const struct state *s, int stage)
{
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage && stage_needs_tiling(s, i))
            return true;
    return false;
}

int stage_root(const struct state *s, int stage)
{
    while (s->stages[stage].at == AT_ITER)
        stage = s->stages[stage].at_stage;
    return stage;
}

bool stage_is_tiled(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    return st->nleaf != st->op->nspatial + st->op->nreduce;
}

bool stage_has_reduce(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    for (int i = 0; i < st->nleaf; i++)
        if (stage_iter(st, i)->kind != ITER_SPATIAL)
            return true;
    return false;
}

/* The number that the stage had before step i; a stage that the step makes counts as the one it stands for. */
static int stage_before(const struct state *s, int i, int stage)
{
    int from = s->steps[i].stage, added = step_new_stages(s->steps[i].kind);
    return added == 0 || stage <= from ? stage : stage > from + added ? stage - added : from;
}

bool stage_has_cache_write(const struct state *s, int stage)
{
    for (int i = s->nsteps - 1; i >= 0; i--) {
        if (s->steps[i].kind == STEP_CHW && s->steps[i].stage == stage)
            return true;
        stage = stage_before(s, i, stage);
    }
    return false;
}

bool stage_has_annotation(const struct state *s, int stage, enum annotation a)
{
    const struct stage *st = &s->stages[stage];
    for (int i = 0; i < st->nleaf; i++)
        if (stage_iter(st, i)->annotation == a)
            return true;
    return false;
}

static bool reduces_across_threads(const struct stage *st)
{
    for (int i = 0; i < st->nleaf; i++)
        if (stage_iter(st, i)->annotation == ANN_THREAD_X && stage_iter(st, i)->kind == ITER_REDUCE)
            return true;
    return false;
}

bool stage_reduces_across_threads(const struct state *s, int stage)
{
    bool across = reduces_across_threads(&s->stages[stage]);
    for (int i = 0; i < s->nstages && !across; i++)
        across = s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage && reduces_across_threads(&s->stages[i]);
    return across;
}

int stage_splits(const struct state *s, int stage, int *steps, int most)
{
    int n = 0;
    for (int i = s->nsteps - 1; i >= 0 && n < most; i--) {
        if (s->steps[i].kind == STEP_SP && s->steps[i].stage == stage)
            steps[n++] = i;
        stage = stage_before(s, i, stage);
    }
    return n;
}

/* TVM's adaptive pooling has expressions for its reduce extents, which TVM's rules see as -1; two of them make a
 * product of 1, so no rule that looks at the reduction's length applies. Ours are numbers: hide them here, since
 * sketches must be TVM's. */
static bool hides_reduce(const struct op *op)
{
    return str_starts(op->tag, "adaptive_pool");
}

void stage_lengths(const struct state *s, int stage, int64_t *spatial, int64_t *reduce)
{
    const struct stage *st = &s->stages[stage];
    *spatial = *reduce = 1;
    for (int i = 0; i < st->nleaf; i++) {
        const struct ivar *v = stage_iter(st, i);
        if (v->kind == ITER_SPATIAL)
            *spatial *= v->extent;
        else if (v->kind == ITER_REDUCE)
            *reduce *= hides_reduce(st->op) ? -1 : v->extent;
    }
}

int stage_now(const struct state *s, int step)
{
    int stage = s->steps[step].stage;
    for (int i = step + 1; i < s->nsteps; i++)
        if (s->steps[i].stage <= stage)
            stage += step_new_stages(s->steps[i].kind);
    return stage;
}

static int stage_count_parallel(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    int n = 0;
    for (int i = 0; i < st->nleaf; i++)
        n += stage_iter(st, i)->annotation == ANN_PARALLEL;
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage)
            n += stage_count_parallel(s, i);
    return n;
}

bool stage_nested_parallel(const struct state *s)
{
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ROOT && stage_count_parallel(s, i) >= 2)
            return true;
    return false;
}

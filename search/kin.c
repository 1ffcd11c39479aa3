/* SPDX-License-Identifier: Apache-2.0 */
/* kin: see kin.h. Reproduces the helpers of TVM's search policy (policy utils); no deviation. */
#include "search/kin.h"

#include "harness/base/text.h"

#include <string.h>

/* Marks in seen the non-inlined stages that read the stage. */
static void kin_collect(const struct state *s, int stage, bool seen[KIN_MAX])
{
    const struct op_facts *f = &s->dag->facts[stage];
    for (int i = 0; i < f->nconsumers; i++) {
        int next = f->consumers[i];
        if (s->stages[next].at == AT_INLINED)
            kin_collect(s, next, seen);
        else
            seen[next] = true;
    }
}

int kin_consumers(const struct state *s, int stage, int out[KIN_MAX])
{
    bool seen[KIN_MAX] = {false};
    int n = 0;
    if (s->nstages > KIN_MAX)
        bug("%d stages", s->nstages);
    kin_collect(s, stage, seen);
    for (int i = 0; i < s->nstages; i++)
        if (seen[i])
            out[n++] = i;
    return n;
}

int kin_single_consumer(const struct state *s, int stage)
{
    int consumers[KIN_MAX], n = kin_consumers(s, stage, consumers), root = -1;
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

bool kin_matched_consumer(const struct state *s, int stage, int *consumer)
{
    int consumers[KIN_MAX];
    if (kin_consumers(s, stage, consumers) != 1)
        return false;
    if (consumer)
        *consumer = consumers[0];
    return dag_element_wise_match(s->dag, stage, consumers[0]) &&
           !(kin_has_reduce(s, stage) && kin_has_reduce(s, consumers[0])) &&
           !str_ends(s->stages[consumers[0]].op->name, ".shared");
}

bool kin_is_compute(const struct state *s, int stage)
{
    return s->stages[stage].op->kind == OP_COMPUTE;
}

bool kin_is_output(const struct state *s, int stage)
{
    return s->dag->facts[stage].is_output;
}

bool kin_is_inlineable(const struct state *s, int stage)
{
    return s->dag->facts[stage].is_strictly_inlineable;
}

bool kin_needs_tiling(const struct state *s, int stage)
{
    return s->dag->facts[stage].needs_tiling;
}

bool kin_is_tiled(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    return st->nleaf != st->op->nspatial + st->op->nreduce;
}

bool kin_has_reduce(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    for (int i = 0; i < st->nleaf; i++)
        if (stage_iter(st, i)->kind != ITER_SPATIAL)
            return true;
    return false;
}

bool kin_has_cache_write(const struct state *s, int stage)
{
    for (int i = s->nsteps - 1; i >= 0; i--) {
        if (s->steps[i].kind == STEP_CHW && s->steps[i].stage == stage)
            return true;
        if (step_changes_stages(s->steps[i].kind) && stage > s->steps[i].stage)
            stage--;
    }
    return false;
}

/* TVM's adaptive pooling has expressions for its reduce extents, which TVM's rules see as -1; two of them make a
 * product of 1, so no rule that looks at the reduction's length applies. Ours are numbers: hide them here, since
 * sketches must be TVM's. */
static bool hides_reduce(const struct op *op)
{
    return str_starts(op->tag, "adaptive_pool");
}

void kin_lengths(const struct state *s, int stage, int64_t *spatial, int64_t *reduce)
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

int kin_stage_now(const struct state *s, int step)
{
    int stage = s->steps[step].stage;
    for (int i = step + 1; i < s->nsteps; i++)
        if (step_changes_stages(s->steps[i].kind) && s->steps[i].stage <= stage)
            stage++;
    return stage;
}

static int kin_count_parallel(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    int n = 0;
    for (int i = 0; i < st->nleaf; i++)
        n += stage_iter(st, i)->annotation == ANN_PARALLEL;
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage)
            n += kin_count_parallel(s, i);
    return n;
}

bool kin_nested_parallel(const struct state *s)
{
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ROOT && kin_count_parallel(s, i) >= 2)
            return true;
    return false;
}

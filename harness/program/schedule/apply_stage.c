/* SPDX-License-Identifier: Apache-2.0 */
/* apply_stage: steps that add stages. The dag is rewritten (rewrite.h, reindex.h), fresh stages are put in, ids from
 * there on shift, and every stage takes its op from the new dag while keeping its loops; for CHW, RF and RI the
 * original stage starts afresh as well, as in TVM (transform_step.cc: CacheWriteStep, RfactorStep). TVM silently drops
 * what was done to that stage before; here that is refused: CHW and RI must come first, RF right after the split (and
 * fuse) it uses. */
#include "harness/program/schedule/apply_stage.h"

#include "harness/program/schedule/apply.h"
#include "harness/program/schedule/reindex.h"
#include "harness/program/schedule/rewrite.h"

#include <string.h>

/* Takes over the new dag with n more ops, from position on. */
static void insert_stages(struct state *s, const struct dag *dag, int position, int n)
{
    if (dag->nops != s->nstages + n)
        bug("a rewrite made %d stages of %d", dag->nops, s->nstages);
    struct stage *stages = ARENA_ARRAY(s->arena, struct stage, dag->nops);
    memcpy(stages, s->stages, sizeof *stages * (size_t)position);
    memcpy(stages + position + n, s->stages + position, sizeof *stages * (size_t)(s->nstages - position));
    s->stages = stages;
    s->nstages = dag->nops;
    s->dag = dag;
    for (int i = position; i < position + n; i++)
        stage_init(s->arena, &stages[i], dag->ops[i]);
    for (int i = 0; i < s->nstages; i++) {
        stages[i].op = dag->ops[i];
        if (stages[i].at == AT_ITER && (i < position || i >= position + n) && stages[i].at_stage >= position)
            stages[i].at_stage += n;
    }
}

static bool check_scope(const char *scope, struct err *err)
{
    static const char *const SCOPES[] = {"local",         "shared",           "global", "wmma.matrix_a",
                                         "wmma.matrix_b", "wmma.accumulator", NULL};
    int i = 0;
    while (SCOPES[i] && !str_eq(scope ? scope : "", SCOPES[i]))
        i++;
    if (!SCOPES[i])
        return err_set(err, "scope '%.20s' is not known (local, shared, global)", scope ? scope : "");
    return true;
}

static bool reads_stage(const struct dag *d, int reader, int stage)
{
    const struct op_analysis *f = &d->analysis[reader];
    for (int i = 0; i < f->nproducers; i++)
        if (f->producers[i] == stage)
            return true;
    return false;
}

static bool apply_cache_read(struct state *s, const struct step *step, struct err *err)
{
    int readers[STEP_LIST_MAX];
    const struct dag *dag;
    if (!check_scope(step->text, err))
        return false;
    if (step->n < 1)
        return err_set(err, "no readers");
    for (int i = 0; i < step->n; i++) {
        if (step->list[i] <= step->stage || step->list[i] >= s->nstages ||
            !reads_stage(s->dag, (int)step->list[i], step->stage))
            return err_set(err, "stage %lld does not read it", (long long)step->list[i]);
        readers[i] = (int)step->list[i];
        for (int j = 0; j < i; j++)
            if (readers[j] == readers[i])
                return err_set(err, "reader %d is listed twice", readers[i]);
    }
    if (!rewrite_cache_read(s->dag, step->stage, step->text, readers, step->n, &dag, err))
        return false;
    insert_stages(s, dag, step->stage + 1, 1);
    return true;
}

/* The stage is at the root, holds nothing, and is a plain compute stage. */
static bool check_fresh(struct state *s, int stage, struct err *err)
{
    const struct stage *st = apply_target(s, stage, err);
    if (!st)
        return false;
    if (st->at != AT_ROOT)
        return err_set(err, "'%s' has been inlined or computed at another stage", st->op->name);
    if (st->has_pragma || st->storage_offset)
        return err_set(err, "'%s' has been given a pragma or an alignment", st->op->name);
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage)
            return err_set(err, "'%s' is computed at a loop of '%s'", s->stages[i].op->name, st->op->name);
    for (int i = 0; i < st->nvars; i++)
        if (st->vars[i].annotation != ANN_NONE)
            return err_set(err, "loop '%s' is annotated", st->vars[i].name);
    return true;
}

static bool apply_cache_write(struct state *s, const struct step *step, struct err *err)
{
    const struct dag *dag;
    if (!check_scope(step->text, err) || !check_fresh(s, step->stage, err))
        return false;
    if (s->stages[step->stage].nrels > 0)
        return err_set(err, "'%s' has been split or fused before", s->stages[step->stage].op->name);
    if (!rewrite_cache_write(s->dag, step->stage, step->text, &dag, err))
        return false;
    insert_stages(s, dag, step->stage, 1);
    stage_init(s->arena, &s->stages[step->stage + 1], dag->ops[step->stage + 1]);
    return true;
}

/* The only relations are the fusing of reduce axes, if any, and then one split: fills the axes fused, outer to inner.
 */
static bool rfactor_axes(const struct stage *st, int *axes, int *naxes, struct err *err)
{
    const struct relation *split = st->nrels > 0 ? &st->rels[st->nrels - 1] : NULL;
    if (!split || split->kind != REL_SPLIT || split->nparts)
        return err_set(err, "the step before is not a split of '%s' in two", st->op->name);
    int var = split->parent, n = 0;
    for (int i = st->nrels - 2; i >= 0; i--) {
        const struct relation *r = &st->rels[i];
        if (r->kind != REL_FUSE || r->parent != var)
            return err_set(err, "'%s' has other splits or fused loops", st->op->name);
        axes[n++] = r->inner;
        var = r->outer;
    }
    axes[n++] = var;
    for (int i = 0; i < n / 2; i++) {
        int swap = axes[i];
        axes[i] = axes[n - 1 - i];
        axes[n - 1 - i] = swap;
    }
    for (int i = 0; i < n; i++)
        if (axes[i] < st->op->nspatial || axes[i] >= st->op->nspatial + st->op->nreduce)
            return err_set(err, "'%s' is no reduce axis", st->vars[axes[i]].name);
    *naxes = n;
    return true;
}

static bool apply_rfactor(struct state *s, const struct step *step, struct err *err)
{
    int axes[ITERS_MAX + 1];
    struct rf_split rf = {.factor_axis = (int)step->value, .reduce_axes = axes};
    const struct dag *dag;
    if (!check_fresh(s, step->stage, err))
        return false;
    const struct stage *st = &s->stages[step->stage];
    const struct step *last = s->nsteps > 0 ? &s->steps[s->nsteps - 1] : NULL;
    if (!last || last->kind != STEP_SP || last->stage != step->stage || last->n != 1)
        return err_set(err, "the step before is not a split of '%s' in two", st->op->name);
    if (!rfactor_axes(st, axes, &rf.nreduce_axes, err))
        return false;
    const struct relation *split = &st->rels[st->nrels - 1];
    int var = step->iter < st->nleaf ? st->leaf[step->iter] : -1;
    if (var != split->outer && var != split->inner)
        return err_set(err, "iterator %d is not a part of the split", step->iter);
    if (step->value < 0 || step->value > st->op->nspatial)
        return err_set(err, "the new axis cannot stand at %lld of %d", (long long)step->value, st->op->nspatial);
    int64_t extent = st->vars[split->parent].extent, inner = split->factor ? split->factor : 1;
    if (extent < 0)
        return err_set(err, "the extent of '%s' is unknown", st->vars[split->parent].name);
    rf.inner = inner < extent ? inner : extent;
    rf.outer = (extent + rf.inner - 1) / rf.inner;
    rf.keep_outer = var == split->outer;
    rf.guard = rf.outer * rf.inner > extent;
    if (!rewrite_rfactor(s->dag, step->stage, &rf, &dag, err))
        return false;
    insert_stages(s, dag, step->stage, 1);
    stage_init(s->arena, &s->stages[step->stage + 1], dag->ops[step->stage + 1]);
    return true;
}

static bool apply_reindex(struct state *s, const struct step *step, struct err *err)
{
    const struct dag *dag;
    if (!check_fresh(s, step->stage, err))
        return false;
    if (s->stages[step->stage].nrels > 0)
        return err_set(err, "'%s' has been split or fused before", s->stages[step->stage].op->name);
    if (!rewrite_reindex(s->dag, step->stage, step->value, &dag, err))
        return false;
    insert_stages(s, dag, step->stage, 3);
    stage_init(s->arena, &s->stages[step->stage + 3], dag->ops[step->stage + 3]);
    return true;
}

bool apply_stage_step(struct state *s, const struct step *step, struct err *err)
{
    if (step->stage < 0 || step->stage >= s->nstages)
        return err_set(err, "no stage %d, there are %d", step->stage, s->nstages);
    if (step->kind == STEP_CHR)
        return apply_cache_read(s, step, err);
    if (step->kind == STEP_RI)
        return apply_reindex(s, step, err);
    return step->kind == STEP_CHW ? apply_cache_write(s, step, err) : apply_rfactor(s, step, err);
}

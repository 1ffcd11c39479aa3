/* SPDX-License-Identifier: Apache-2.0 */
/* space: opens the search space of a task: sketches, and the table of tile sizes of each open split. See space.h. */
#include "search/sketch/space.h"

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "search/sketch/location.h"
#include "search/sketch/sketch.h"
#include "search/sketch/stage_query.h"
#include "search/sketch/tiling.h"

const char *const space_versions[] = {"v0.16", "v0.7", NULL};

static const int64_t unrolls[] = {0, 16, 64, 512, 1024}; /* GPU: all five; CPU: the first four */

const int64_t *space_unrolls(const struct space *sp, int *n)
{
    *n = sp->limits.is_gpu ? 5 : 4;
    return unrolls;
}

static bool is_open(const struct step *st)
{
    if (st->kind != STEP_SP)
        return false;
    for (int i = 0; i < st->n; i++)
        if (st->list[i] == 0)
            return true;
    return false;
}

static void sketch_open(struct space *sp, struct arena *a, struct factors *f, struct state *s, struct sketch *k)
{
    *k = (struct sketch){.state = s, .steps = s->steps, .nsteps = s->nsteps};
    k->splits = ARENA_ARRAY(a, struct open_split, s->nsteps + 1);
    for (int i = 0; i < s->nsteps; i++) {
        const struct step *st = &s->steps[i];
        if (!is_open(st))
            continue;
        if (st->extent < 1)
            bug("open split of unknown extent in a sketch of '%s'", sp->task->spec);
        k->splits[k->nsplits++] =
            (struct open_split){.step = i, .schemes = factors_find(f, st->extent, st->n, sp->options.max_innermost)};
    }
    for (int i = 0; i < s->nstages; i++)
        k->movable = k->movable || location_is_free(s, i);
    k->movable = k->movable && !sp->options.fixed_location && !sp->limits.is_gpu;
}

bool space_open(struct space *sp, struct arena *a, const struct task *task, const struct limits *limits,
                const struct space_options *options, struct err *err)
{
    const char *structure = limits->is_gpu ? options->gpu_structure : options->cpu_structure;
    const struct rule *const *rules = rules_for(limits);
    *sp = (struct space){.task = task, .limits = *limits, .options = *options};
    if (!tiling_structure_ok(structure))
        return err_set(err, "tile structure '%s' must be 2 to 16 letters S and R", structure);
    if (sp->options.max_innermost == 0)
        sp->options.max_innermost = options->version == SPACE_V0_7 ? 16 : 64;
    struct arena *making = arena_open("sketches"); /* most of its states lead to others and are no sketches */
    struct rule_env env = {.limits = *limits, .structure = structure, .arena = making};
    struct state **states = sketch_generate(&env, rules, task, &sp->nsketches);
    struct factors *f = factors_new(a);
    sp->sketches = ARENA_ARRAY(a, struct sketch, sp->nsketches + 1);
    for (int i = 0; i < sp->nsketches; i++)
        sketch_open(sp, a, f, state_copy(a, states[i]), &sp->sketches[i]);
    arena_close(making);
    if (!sp->nsketches)
        log_warn("task '%s' has no sketch", task->spec);
    return true;
}

bool space_bounds(struct state *s, double *bounds_s, struct err *reason)
{
    double since = bounds_s ? clock_now() : 0;
    bool good = bound_infer(s, reason);
    if (bounds_s)
        *bounds_s += clock_now() - since;
    return good;
}

bool space_fits(const struct space *sp, struct arena *work, struct state *s, struct err *reason)
{
    struct nest *n;
    if (!sp->limits.is_gpu)
        return true;
    struct arena_mark mark = arena_mark(work);
    if (lower(work, s, LAYOUT_NONE, &n, reason) && gpu_verify(n, &sp->limits, reason)) {
        s->nest = n;
        return true;
    }
    arena_release(work, mark);
    return false;
}

struct state *space_state(const struct space *sp, struct arena *a, const struct step *steps, int nsteps,
                          double *bounds_s, struct err *reason)
{
    struct state *s;
    if (!state_replay(a, sp->task, steps, nsteps, &s, reason) || !space_bounds(s, bounds_s, reason))
        return NULL;
    if (!sp->limits.is_gpu && stage_nested_parallel(s)) {
        err_set(reason, "nested parallel loops");
        return NULL;
    }
    return s;
}

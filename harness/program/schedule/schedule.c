/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: applying and replaying steps. What the single steps do is in apply.c (one stage's loops and place) and
 * apply_stage.c (new stages). */
#include "harness/program/schedule/schedule.h"

#include "harness/program/schedule/apply.h"
#include "harness/program/schedule/apply_stage.h"

/* Bounds no longer hold: minima may refer to atoms that are gone. Extents stay until a step makes them unknown. */
static void forget_bounds(struct state *s)
{
    if (!s->atoms)
        return;
    s->atoms = NULL;
    s->nest = NULL;
    for (int i = 0; i < s->nstages; i++)
        for (int v = 0; v < s->stages[i].nvars; v++) {
            s->stages[i].vars[v].min = affine_const(0);
            s->stages[i].vars[v].atom = -1;
        }
}

static void append_step(struct state *s, const struct step *step)
{
    s->steps = state_array_grow(s->arena, s->steps, s->nsteps, sizeof *s->steps);
    struct step *own = &s->steps[s->nsteps++];
    *own = *step;
    if (step->n > 0)
        own->list = ARENA_DUP(s->arena, step->list, int64_t, step->n);
    own->text = arena_str(s->arena, step->text);
}

bool state_apply(struct state *s, const struct step *step, struct err *err)
{
    if (step->kind < 0 || step->kind >= STEP_COUNT)
        bug("step kind %d", (int)step->kind);
    if (step->n < 0 || step->n > STEP_LIST_MAX || s->nsteps >= STEPS_MAX)
        return err_set(err, "step %d: too many steps or list entries", s->nsteps);
    forget_bounds(s);
    bool done = step_new_stages(step->kind) ? apply_stage_step(s, step, err) : apply_step(s, step, err);
    if (!done)
        return err_context(err, "step %d (%s, stage %d)", s->nsteps, step_code(step->kind), step->stage);
    append_step(s, step);
    return true;
}

bool state_replay(struct arena *a, const struct task *task, const struct step *steps, int n, struct state **out,
                  struct err *err)
{
    struct state *s = state_new(a, task);
    for (int i = 0; i < n; i++)
        if (!state_apply(s, &steps[i], err))
            return false;
    *out = s;
    return true;
}

/* Makers */

/* Known extent of an iterator for the record, 0 when there is none to name. */
static int64_t recorded_extent(const struct state *s, int stage, int iter)
{
    if (stage < 0 || stage >= s->nstages || iter < 0 || iter >= s->stages[stage].nleaf)
        return 0;
    int64_t extent = stage_iter(&s->stages[stage], iter)->extent;
    return extent > 0 ? extent : 0;
}

bool state_split(struct state *s, int stage, int iter, const int64_t *lengths, int n, bool inner_to_outer,
                 struct err *err)
{
    struct step st = {.kind = STEP_SP,
                      .stage = stage,
                      .iter = iter,
                      .extent = recorded_extent(s, stage, iter),
                      .list = lengths,
                      .n = n,
                      .flag = inner_to_outer};
    return state_apply(s, &st, err);
}

bool state_follow_split(struct state *s, int stage, int iter, int source_step, int n_split, struct err *err)
{
    struct step st = {.kind = STEP_FSP, .stage = stage, .iter = iter, .value = source_step, .value2 = n_split};
    return state_apply(s, &st, err);
}

bool state_follow_fused_split(struct state *s, int stage, int iter, const int *source_steps, int n, int level,
                              struct err *err)
{
    int64_t list[STEP_LIST_MAX];
    for (int i = 0; i < n && i < STEP_LIST_MAX; i++)
        list[i] = source_steps[i];
    struct step st = {
        .kind = STEP_FFSP, .stage = stage, .iter = iter, .list = list, .n = n, .value = level, .flag = true};
    return state_apply(s, &st, err);
}

bool state_fuse(struct state *s, int stage, int first_iter, int n, struct err *err)
{
    int64_t list[STEP_LIST_MAX];
    for (int i = 0; i < n && i < STEP_LIST_MAX; i++)
        list[i] = first_iter + i;
    struct step st = {.kind = STEP_FU, .stage = stage, .list = list, .n = n};
    return state_apply(s, &st, err);
}

bool state_reorder(struct state *s, int stage, const int *order, int n, struct err *err)
{
    int64_t list[STEP_LIST_MAX];
    for (int i = 0; i < n && i < STEP_LIST_MAX; i++)
        list[i] = order[i];
    struct step st = {.kind = STEP_RE, .stage = stage, .list = list, .n = n};
    return state_apply(s, &st, err);
}

bool state_annotate(struct state *s, int stage, int iter, enum annotation ann, struct err *err)
{
    struct step st = {.kind = STEP_AN, .stage = stage, .iter = iter, .value = ann};
    return state_apply(s, &st, err);
}

bool state_pragma_unroll(struct state *s, int stage, int iter, int64_t value, struct err *err)
{
    char text[64] = "auto_unroll_max_step$";
    char *end = text + sizeof "auto_unroll_max_step$" - 1, digits[24];
    int n = 0;
    for (int64_t v = value < 0 ? 0 : value; n == 0 || v > 0; v /= 10)
        digits[n++] = (char)('0' + v % 10);
    while (n > 0)
        *end++ = digits[--n];
    struct step st = {.kind = STEP_PR, .stage = stage, .iter = iter, .value = value, .text = text};
    return state_apply(s, &st, err);
}

bool state_compute_at(struct state *s, int stage, int target, int iter, struct err *err)
{
    struct step st = {.kind = STEP_CA, .stage = stage, .target = target, .iter = iter};
    return state_apply(s, &st, err);
}

bool state_compute_inline(struct state *s, int stage, struct err *err)
{
    struct step st = {.kind = STEP_CI, .stage = stage};
    return state_apply(s, &st, err);
}

bool state_compute_root(struct state *s, int stage, struct err *err)
{
    struct step st = {.kind = STEP_CR, .stage = stage};
    return state_apply(s, &st, err);
}

bool state_cache_read(struct state *s, int stage, const char *scope, int reader, struct err *err)
{
    struct step st = {.kind = STEP_CHR, .stage = stage, .text = scope, .list = (const int64_t[]){reader}, .n = 1};
    return state_apply(s, &st, err);
}

bool state_cache_write(struct state *s, int stage, const char *scope, struct err *err)
{
    struct step st = {.kind = STEP_CHW, .stage = stage, .text = scope};
    return state_apply(s, &st, err);
}

bool state_reindex(struct state *s, int stage, int64_t tile, struct err *err)
{
    struct step st = {.kind = STEP_RI, .stage = stage, .value = tile};
    return state_apply(s, &st, err);
}

bool state_rfactor(struct state *s, int stage, int iter, int factor_axis, struct err *err)
{
    struct step st = {.kind = STEP_RF, .stage = stage, .iter = iter, .value = factor_axis};
    return state_apply(s, &st, err);
}

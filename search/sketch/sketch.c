/* SPDX-License-Identifier: Apache-2.0 */
/* sketch: the driver of sketch generation, TVM v0.16 (harness/doc/ansor.md, "Sketch generation"): breadth-first over
 * (state, stage), from the untouched state at the last stage; for each, the rules in order. No user rules: TVM's
 * preloaded callbacks have no counterpart here. */
#include "search/sketch/sketch.h"

#include "harness/base/log.h"
#include "harness/base/vec.h"
#include "search/sketch/stage_query.h"

#define SKETCH_MAX 4096 /* states of one generation; far above what any known operator makes */

struct worklist {
    VEC(struct partial_sketch)
    list;
};

static void sketch_step(const struct rule_env *env, const struct rule *const *rules, const struct partial_sketch *from,
                        struct worklist *next)
{
    for (const struct rule *const *r = rules; *r; r++) {
        enum rule_answer answer = (*r)->meets(env, from->state, from->next);
        if (answer == RULE_SKIP)
            continue;
        struct partial_sketch out[RULE_RESULTS];
        struct err err = {0};
        int n = 0;
        if (!(*r)->apply(env, from->state, from->next, out, &n, &err)) {
            log_warn("sketch rule '%s' failed on stage '%s': %s", (*r)->name, from->state->stages[from->next].op->name,
                     err.text);
            n = 0;
        }
        for (int i = 0; i < n; i++)
            vec_push(&next->list, out[i]);
        if (answer == RULE_STOP)
            return;
    }
}

/* The split before each RF was made with factor 1, because RF needs a number; from here on its factor is to be sampled.
 */
static void sketch_open_rfactor(struct arena *a, struct state *s)
{
    for (int i = 1; i < s->nsteps; i++) {
        struct step *split = &s->steps[i - 1];
        if (s->steps[i].kind != STEP_RF || split->kind != STEP_SP)
            continue;
        split->list = ARENA_ARRAY(a, int64_t, split->n); /* zeros */
        s->concrete = false;
    }
}

struct state **sketch_generate(const struct rule_env *env, const struct rule *const *rules, const struct task *task,
                               int *n)
{
    struct worklist now = {0}, next = {0}, done = {0};
    struct state *first = state_new(env->arena, task);
    if (first->nstages <= STAGE_QUERY_MAX / 2)
        vec_push(&now.list, (struct partial_sketch){.state = first, .next = first->nstages - 1});
    else
        log_warn("task '%s' has %d stages, more than the search handles", task->spec, first->nstages);
    while (now.list.n > 0) {
        next.list.n = 0;
        for (int i = 0; i < now.list.n && next.list.n < SKETCH_MAX; i++) {
            if (now.list.at[i].next < 0)
                vec_push(&done.list, now.list.at[i]);
            else
                sketch_step(env, rules, &now.list.at[i], &next);
        }
        struct worklist swap = now;
        now = next;
        next = swap;
    }
    struct state **out = ARENA_ARRAY(env->arena, struct state *, done.list.n + 1);
    *n = done.list.n;
    for (int i = 0; i < done.list.n; i++) {
        out[i] = done.list.at[i].state;
        sketch_open_rfactor(env->arena, out[i]);
    }
    vec_free(&now.list);
    vec_free(&next.list);
    vec_free(&done.list);
    return out;
}

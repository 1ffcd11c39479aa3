/* SPDX-License-Identifier: Apache-2.0 */
/* trace: programs of MetaSchedule's space. Traces of small tasks of every operator replay to programs that compute what
 * the graph computes, and are found again from their steps. The marks of the postprocessor stand on worked examples.
 * How decisions are drawn is in test_decision.c. */
#include "harness/program/interp.h"
#include "harness/program/lower.h"
#include "harness/program/ops.h"
#include "search/contiguity.h"
#include "search/trace.h"
#include "tests/randsched.h"
#include "tests/tap.h"

#include <string.h>

static struct arena *arena, *work;

static void open_tracer(struct tracer *tr, const char *spec, int cores)
{
    struct limits limits = limits_cpu(cores);
    struct trace_options o = trace_defaults();
    struct task *t;
    struct err err = {0};
    if (!task_parse(arena, spec, &t, &err) || !tracer_open(tr, arena, t, &limits, &o, &err))
        bug("%s: %s", spec, err.text);
}

static void show(const struct state *s, const char *what)
{
    struct text t = {0};
    steps_print(s->steps, s->nsteps, &t);
    text_char(&t, '\n');
    state_print(s, &t);
    diag("%s\n%s", what, text_str(&t));
    text_free(&t);
}

/* ---- every operator ---- */

static bool computes(const struct trial_task *t, const struct state *s, bool *done, struct err *err)
{
    struct nest *n;
    void *args[32];
    *done = false;
    if (!lower(work, s, LAYOUT_NONE, &n, err) || !nest_check(n, err))
        return false;
    randsched_args(work, t, n, args);
    if (!interp_nest(n, args, 2000000, err))
        return strstr(err->text, "limit") != NULL;
    *done = true;
    return randsched_same(t, args[t->task->nargs - 1], err);
}

/* What the steps say is a trace that replays to the same steps and to the same program. */
static bool found_again(const struct tracer *tr, const struct state *s)
{
    struct trace t;
    struct step *steps = steps_copy(work, s->steps, s->nsteps);
    if (!trace_find(tr, work, steps, s->nsteps, &t))
        return false;
    struct state *again = trace_replay(tr, work, &t, NULL, NULL, NULL);
    return again && state_hash(again) == state_hash(s);
}

static void every_operator(void)
{
    enum { DRAWS = 40 };
    for (int i = 0; RANDSCHED_SPECS[i]; i++) {
        struct tracer tr;
        struct rng r;
        struct err err = {0};
        struct trial_task t;
        int made = 0, wrong = 0, run = 0, lost = 0;
        rng_seed(&r, (uint64_t)i);
        open_tracer(&tr, RANDSCHED_SPECS[i], 2 + 6 * (i % 2));
        if (!randsched_task(arena, RANDSCHED_SPECS[i], &r, &t, &err))
            bug("%s", err.text);
        for (int k = 0; k < DRAWS; k++, arena_reset(work)) {
            struct trace tc = trace_fresh(&tr, work, (int)rng_below(&r, (uint64_t)tr.space.nsketches));
            tc.at[tr.outlines[tc.outline].parallel] = (int64_t)1 << rng_below(&r, 8);
            struct state *s = trace_replay(&tr, work, &tc, &r, NULL, &err);
            bool done = false;
            if (!s)
                continue;
            made++;
            if (!computes(&t, s, &done, &err) && wrong++ < 2)
                show(s, err.text);
            run += done;
            tc = trace_fresh(&tr, work, tc.outline);
            s = trace_replay(&tr, work, &tc, &r, NULL, &err);
            if (s && !found_again(&tr, s) && lost++ < 2)
                show(s, "not found again");
        }
        ok(made == DRAWS && run > DRAWS / 2, "%s: %d of %d traces replay, %d run", RANDSCHED_SPECS[i], made, DRAWS,
           run);
        is_int(wrong, 0, "they compute what the graph computes");
        is_int(lost, 0, "their steps are found to be traces again");
    }
}

int main(void)
{
    arena = arena_open("test");
    work = arena_open("work");
    every_operator();
    arena_close(work);
    arena_close(arena);
    return done_testing();
}

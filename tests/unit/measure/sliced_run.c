/* SPDX-License-Identifier: Apache-2.0 */
/* sliced_run: several programs in turn, with a target whose candidates do what they should not (fault_target.h). */
#include "tests/lib/fault_target.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static struct task *task;

/* ABCCBA of these three; the third is slowed down. */
static void run(struct measurer *m, const enum behaviour d[3], double slow, struct sliced_program *out)
{
    static const int TURNS[] = {0, 1, 2, 2, 1, 0};
    struct regime slice = fault_target_options().regime;
    struct candidate *c = ARENA_ARRAY(arena, struct candidate, 3);
    struct err err = {0};
    slice.number = 50;
    slice.repeat = slice.warmup = 1;
    slice.min_repeat_ms = d[0] == BEHAVIOUR_too_fast ? 0 : 2; /* it would never be reached */
    for (int i = 0; i < 3; i++) {
        c[i] = fault_target_candidate(arena, task, d[i]);
        out[i] = (struct sliced_program){.c = &c[i], .slow = i == 2 ? slow : 0};
    }
    struct sliced_run r = {.programs = out, .n = 3, .turns = TURNS, .nturns = 6, .regime = &slice, .process = 1};
    ok(measure_sliced(m, &r, &err), "a launch of %s and two others comes to its end %s", behaviour_rows[d[0]].name,
       err.text);
}

static bool has_slices(const struct sliced_program *p)
{
    return p->sample.outcome == OUTCOME_OK && p->sample.nseconds == 2 && p->sample.seconds[0] > 0 &&
           p->sample.seconds[1] > 0 && !p->sample.message[0];
}

static void test_right(struct measurer *m)
{
    struct sliced_program p[3];
    const enum behaviour all[] = {BEHAVIOUR_right, BEHAVIOUR_right, BEHAVIOUR_right};
    run(m, all, 9, p);
    ok(has_slices(&p[0]) && has_slices(&p[1]) && has_slices(&p[2]), "each program has its two slices");
    ok(p[2].sample.seconds[0] > 4 * fmin(p[0].sample.seconds[0], p[0].sample.seconds[1]),
       "a planted slowdown is in every slice of its program");
    int before = fault_target_open_files();
    run(m, all, 0, p);
    is_int(fault_target_open_files(), before, "no runner is left when a launch is over");
}

static void test_failing(struct measurer *m)
{
    static const enum behaviour FAILING[] = {BEHAVIOUR_slightly_wrong, BEHAVIOUR_replayed,   BEHAVIOUR_past_end,
                                             BEHAVIOUR_crash,          BEHAVIOUR_leaves,     BEHAVIOUR_hang,
                                             BEHAVIOUR_hang_later,     BEHAVIOUR_run_fails,  BEHAVIOUR_load_fails,
                                             BEHAVIOUR_invalid,        BEHAVIOUR_build_crash};
    for (int i = 0; i < (int)(sizeof FAILING / sizeof *FAILING); i++) {
        const struct behaviour_row *row = &behaviour_rows[FAILING[i]];
        const enum behaviour d[] = {FAILING[i], BEHAVIOUR_right, BEHAVIOUR_right};
        struct sliced_program p[3];
        run(m, d, 0, p);
        ok(p[0].sample.outcome == row->outcome && p[0].sample.nseconds == 0,
           "candidate '%s' has its outcome in a launch, too", row->name);
        ok(strstr(p[0].sample.message, row->message) != NULL, "candidate '%s' has its message in a launch", row->name);
        ok(has_slices(&p[1]) && has_slices(&p[2]), "candidate '%s' takes no slice from the others", row->name);
    }
}

static void test_too_fast(void)
{
    struct measure_options o = fault_target_options();
    struct sliced_program p[3];
    const enum behaviour d[] = {BEHAVIOUR_too_fast, BEHAVIOUR_right, BEHAVIOUR_right};
    struct measurer *m = fault_target_begin(&o);
    if (!m)
        return;
    run(m, d, 0, p);
    is_str(outcome_word(p[0].sample.outcome), outcome_word(OUTCOME_WRONG_ANSWER),
           "slices that are faster than the machine allows are a wrong answer");
    struct sample alone;
    struct err err = {0};
    struct candidate c = fault_target_candidate(arena, task, BEHAVIOUR_right);
    ok(measure_again(m, &c, &o.regime, &alone, &err) && alone.outcome == OUTCOME_OK,
       "after a launch a program is timed as ever");
    measure_close(m);
}

int main(void)
{
    task = fixture_task(arena, FAULT_TARGET_SPEC);
    struct measure_options o = fault_target_options();
    struct measurer *m = fault_target_begin(&o);
    if (m) {
        test_right(m);
        test_failing(m);
        measure_close(m);
    }
    test_too_fast();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* schedule_property: any schedule of any operator computes what the unscheduled graph computes. Random schedules
 * (random_schedule.h) of small tasks go through bounds, lowering in the three layout modes, the nest check and the
 * interpreter; their steps go through JSON and must give the same state again. RAINGAUGE_PROPERTY=n runs n schedules a
 * task, RAINGAUGE_SEED another stream. */
#include "harness/base/hash.h"
#include "harness/program/lower/bound.h"
#include "harness/program/ops/ops.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { STATEMENTS_MAX = 4000000 };

static bool same_after_json(struct arena *a, const struct task *task, const struct state *s, struct err *err)
{
    struct text json = {0};
    struct step *steps;
    struct state *again;
    int n;
    steps_print(s->steps, s->nsteps, &json);
    cJSON *parsed = json_parse(json.s, json.len, "steps", err);
    bool same = parsed && steps_parse(a, parsed, &steps, &n, err) && state_replay(a, task, steps, n, &again, err) &&
                bound_infer(again, err);
    if (same && state_hash(again) != state_hash(s))
        same = err_set(err, "the steps read back give another state");
    cJSON_Delete(parsed);
    text_free(&json);
    return same;
}

struct tally {
    int made, done, wrong, steps;
};
static int kinds[STEP_COUNT]; /* over all tasks */

static void test_schedule(struct arena *a, const struct trial_task *t, struct rng *r, struct tally *tally)
{
    struct err err = {0};
    bool done;
    struct state *s =
        tally->made % 4 == 3 ? random_schedule_threads(a, t->task, r) : random_schedule_make(a, t->task, r);
    tally->made++;
    if (!s) {
        tally->wrong++;
        return;
    }
    tally->steps += s->nsteps;
    for (int i = 0; i < s->nsteps; i++)
        kinds[s->steps[i].kind]++;
    bool fine = same_after_json(a, t->task, s, &err);
    for (int mode = LAYOUT_NONE; fine && mode <= LAYOUT_REWRITTEN; mode++) {
        fine = random_schedule_run(a, t, s, (enum layout_mode)mode, STATEMENTS_MAX, &done, &err);
        tally->done += done;
        if (!fine)
            err_context(&err, "layout mode %d", mode);
    }
    if (!fine && tally->wrong++ < 2)
        random_schedule_show(s, err.text);
}

static void test_spec(const char *spec, int schedules, int64_t seed)
{
    struct rng r;
    struct err err;
    struct trial_task t;
    struct tally tally = {0};
    rng_seed(&r, hash_str(spec) + (uint64_t)seed);
    if (ok(random_schedule_task(arena, spec, &r, &t, &err), "%s", spec)) {
        for (int i = 0; i < schedules; i++) {
            test_schedule(scratch, &t, &r, &tally);
            arena_reset(scratch);
        }
        is_int(tally.wrong, 0, "%d random schedules of %d steps together: %d runs give the graph's result", tally.made,
               tally.steps, tally.done);
        ok(tally.done > 2 * tally.made, "most of the random schedules were short enough to run");
    } else {
        diag("%s", err.text);
    }
}

static void test_coverage(void)
{
    for (const struct operator* const * op = ops_table(); *op; op++) {
        bool covered = false;
        for (int i = 0; RANDOM_SCHEDULE_SPECS[i]; i++)
            covered = covered || (str_starts(RANDOM_SCHEDULE_SPECS[i], (*op)->name) &&
                                  RANDOM_SCHEDULE_SPECS[i][strlen((*op)->name)] == ' ');
        ok(covered, "operator %s has a small task for random schedules", (*op)->name);
    }
}

int main(void)
{
    int64_t n = fixture_number("RAINGAUGE_PROPERTY", 300), seed = fixture_number("RAINGAUGE_SEED", 1);
    test_coverage();
    for (int i = 0; RANDOM_SCHEDULE_SPECS[i]; i++)
        test_spec(RANDOM_SCHEDULE_SPECS[i], (int)n, seed);
    for (int k = 0; k < STEP_COUNT; k++)
        ok(kinds[k] > n / 10, "step %s occurs in the random schedules, %d times", step_code((enum step_kind)k),
           kinds[k]);
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_timeout: a program that the driver compiles for longer than build_timeout_s (PoCL needs minutes for a
 * loop of 131,072 turns that is written out) is ended with its worker and has that outcome; the programs before and
 * after it in its batch, and the next batch, are built and right. */
#include "harness/measure/measure.h"
#include "tests/lib/fixture.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>

enum { BATCH = 3, TURNS = 131072 };
#define TIMEOUT_S 25.0

/* The sum of each row by a block of one thread; written_out: without a loop. */
static struct candidate sums(struct arena *a, bool written_out)
{
    struct err err = {0};
    const struct task *t = fixture_task(a, arena_printf(a, "reduce n=4 m=%d by=sum", TURNS));
    struct state *s = state_new(a, t);
    if (!state_annotate(s, 1, 0, ANN_BLOCK_X, &err) || (written_out && !state_annotate(s, 1, 1, ANN_UNROLL, &err)))
        bug("%s", err.text);
    return (struct candidate){.task = t, .steps = s->steps, .nsteps = s->nsteps, .hash = written_out};
}

static void check_batch(struct measurer *m, struct arena *a, const bool written_out[BATCH], const char *which)
{
    struct candidate c[BATCH];
    struct sample *s = ARENA_ARRAY(a, struct sample, BATCH);
    struct err err = {0};
    for (int i = 0; i < BATCH; i++)
        c[i] = sums(a, written_out[i]);
    struct measured_batch b = {.candidates = c, .n = BATCH, .samples = s};
    ok(measure_batch(m, &b, &err) && b.measured == BATCH, "the %s batch comes to its end %s", which, err.text);
    for (int i = 0; i < BATCH; i++) {
        enum outcome want = written_out[i] ? OUTCOME_BUILD_TIMEOUT : OUTCOME_OK;
        ok(s[i].outcome == want, "program %d of the %s batch is %s: %s %s", i, which, outcome_word(want),
           outcome_word(s[i].outcome), s[i].message);
        if (written_out[i])
            ok(s[i].build_s == TIMEOUT_S && s[i].nseconds == 0, "program %d of the %s batch costs the time-out", i,
               which);
    }
}

static void check_workers(const struct target *t, int workers)
{
    struct measure_options o = {.target = t, .target_settings = "", .build_workers = workers, .seed = 1, .faults = ""};
    struct measurer *m;
    struct limits limits;
    struct err err = {0};
    fixture_must(regime_named("quick", &o.regime, &err), &err);
    o.regime.build_timeout_s = TIMEOUT_S;
    o.regime.run_timeout_s = 100;
    o.regime.min_repeat_ms = 0;
    if (!measure_open(&o, &m, &limits, &err)) {
        skip(err.text, "a measurer with %d build workers on OpenCL", workers);
    } else {
        check_batch(m, arena, (const bool[]){false, true, false}, "first");
        check_batch(m, arena, (const bool[]){false, false, false}, "next");
        measure_close(m);
    }
}

int main(void)
{
    const struct target *t = fixture_target("opencl");
    if (!t)
        skip_all("built without OpenCL");
    setenv("POCL_CACHE_DIR", fixture_folder(), 1); /* nothing is taken from an earlier run, nothing is left */
    check_workers(t, 1);
    return done_testing();
}

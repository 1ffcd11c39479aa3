/* SPDX-License-Identifier: Apache-2.0 */
/* runner: real kernels through the whole of measure: random schedules of every operator are built by target cpu in the
 * workers, and every one that builds must verify against its reference before and after timing. Then what the CPU
 * target makes visible: planted faults, a network's kernel, the virtual target. Times are not judged.
 * RAINGAUGE_SEED=n takes other schedules. */
#include "harness/base/json.h"
#include "harness/measure/measure.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <math.h>

enum { SCHEDULES = 6 };

static struct measurer *begin(const struct target *target, enum layout_mode layout, const char *faults)
{
    struct measure_options o = {.target = target, .target_settings = "", .layout = layout, .faults = faults, .seed = 3};
    struct measurer *m = NULL;
    struct limits limits;
    struct err err = {0};
    fixture_must(regime_named("quick", &o.regime, &err), &err);
    o.regime.min_repeat_ms = 0.1;
    ok(measure_open(&o, &m, &limits, &err), "target %s opens in layout mode %d %s", target->name, layout, err.text);
    return m;
}

static void test_spec(struct measurer *m, const char *spec, struct rng *r, int *good, int *all)
{
    struct err err = {0};
    const struct task *task = fixture_task(arena, spec);
    struct candidate c[SCHEDULES];
    static struct sample s[SCHEDULES];
    int wrong = 0;
    for (int i = 0; i < SCHEDULES; i++) {
        const struct state *st = i ? random_schedule_make(arena, task, r) : NULL; /* the first: no steps at all */
        c[i] = (struct candidate){
            .task = task, .score = NAN, .steps = st ? st->steps : NULL, .nsteps = st ? st->nsteps : 0};
        c[i].hash = (uint64_t)i;
    }
    struct measured_batch b = {.candidates = c, .n = SCHEDULES, .samples = s};
    bool done = measure_batch(m, &b, &err);
    for (int i = 0; i < b.measured && done; i++) {
        *all += 1;
        *good += s[i].outcome == OUTCOME_OK;
        if (s[i].outcome == OUTCOME_OK || s[i].outcome == OUTCOME_OVER_LIMITS || s[i].outcome == OUTCOME_INVALID)
            continue;
        struct text t = {0};
        steps_print(c[i].steps, c[i].nsteps, &t);
        diag("%s: %s: %s\n# %s", spec, outcome_word(s[i].outcome), s[i].message, text_str(&t));
        text_free(&t);
        wrong++;
    }
    ok(done && b.measured == SCHEDULES && wrong == 0, "every schedule of '%s' that builds is right %s", spec, err.text);
}

static void test_operators(const struct target *cpu, enum layout_mode layout, int every)
{
    struct measurer *m = begin(cpu, layout, "");
    struct rng r;
    int good = 0, all = 0;
    rng_seed(&r, (uint64_t)fixture_number("RAINGAUGE_SEED", 20) + (uint64_t)layout);
    for (int i = 0; m && RANDOM_SCHEDULE_SPECS[i]; i++)
        if (i % every == 0)
            test_spec(m, RANDOM_SCHEDULE_SPECS[i], &r, &good, &all);
    ok(good * 10 >= all * 9, "nearly all random schedules are measured (%d of %d)", good, all);
    measure_close(m);
}

static void test_network_kernel(const struct target *cpu)
{
    static const char SPEC[] = "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 cib=64 cob=32 bias=1 add=1 relu=1";
    struct measurer *m = begin(cpu, LAYOUT_REWRITTEN, "wrong:2,crash:3");
    struct err err = {0};
    const struct task *task = fixture_task(arena, SPEC);
    static struct sample s[4];
    if (m) {
        struct candidate c = {.task = task, .score = NAN}, all[4] = {c, c, c, c};
        struct measured_batch b = {.candidates = all, .n = 4, .samples = s};
        ok(measure_batch(m, &b, &err), "a kernel of resnet18 is measured with planted faults %s", err.text);
        for (int i = 0; i < 4; i++)
            diag("%s %s", outcome_word(s[i].outcome), s[i].message);
        ok(s[0].outcome == OUTCOME_OK && s[3].outcome == OUTCOME_OK,
           "a kernel of resnet18 is right, also in the runner after a crash");
        ok(s[1].outcome == OUTCOME_WRONG_ANSWER, "one wrong element of a kernel is found");
        ok(s[2].outcome == OUTCOME_CRASHED, "the crash of a kernel is found");
        cJSON *about = json_object();
        measure_describe(m, about);
        ok(json_num(about, "threads", 0) >= 1, "target cpu describes its threads");
        cJSON_Delete(about);
    }
    measure_close(m);
}

/* The same candidates give the same samples, bit for bit, and no process is needed. */
static void test_virtual(const struct target *fake)
{
    struct measurer *m = begin(fake, LAYOUT_REWRITTEN, "");
    struct err err = {0};
    const struct task *task = fixture_task(arena, "dense n=16 ci=32 co=64");
    static struct sample first[3], second[3];
    if (m) {
        struct rng r;
        struct candidate c[3];
        rng_seed(&r, 5);
        for (int i = 0; i < 3; i++) {
            const struct state *st = random_schedule_make(arena, task, &r);
            c[i] = (struct candidate){
                .task = task, .steps = st->steps, .nsteps = st->nsteps, .hash = state_hash(st), .score = 1};
        }
        struct measured_batch b = {.candidates = c, .n = 3, .samples = first};
        ok(measure_batch(m, &b, &err) && b.measured == 3, "a batch on a virtual target is measured");
        b.samples = second;
        ok(measure_batch(m, &b, &err), "the same batch is measured again on a virtual target");
        is_mem(first, second, sizeof first, "the same batch gives the same samples on a virtual target");
        ok(first[0].outcome != OUTCOME_OK || first[0].cost_s > 0, "a sample of a virtual target costs virtual time");
    }
    measure_close(m);
    struct measure_options o = {.target = fake, .faults = "crash:1"};
    struct limits limits;
    ok(regime_named("quick", &o.regime, &err) && !measure_open(&o, &m, &limits, &err),
       "faults cannot be planted in a virtual target: %s", err.text);
}

int main(void)
{
    const struct target *cpu = fixture_target("cpu"), *fake = fixture_target("fake");
    if (fake)
        test_virtual(fake);
    if (!cpu) {
        skip("this binary has no target cpu (LLVM missing)", "kernels on this CPU");
        return done_testing();
    }
    test_operators(cpu, LAYOUT_REWRITTEN, 1);
    test_operators(cpu, LAYOUT_INSERT, 3);
    test_operators(cpu, LAYOUT_NONE, 3);
    test_network_kernel(cpu);
    return done_testing();
}

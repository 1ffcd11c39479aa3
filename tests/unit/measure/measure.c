/* SPDX-License-Identifier: Apache-2.0 */
/* measure: every outcome, met with a target made for it (fault_target.h), and what must hold of measuring whatever the
 * candidates do. Phases, costs and a parent that is killed are in overlap.c. */
#include "tests/lib/fault_target.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static struct task *task;

static struct candidate candidate(enum behaviour d)
{
    return fault_target_candidate(arena, task, d);
}

static bool count_up(void *ctx, int i, const struct sample *s)
{
    (void)s;
    int *next = ctx;
    *next = i == *next ? i + 1 : -1000;
    return true;
}

static void check_row(enum behaviour d, const struct sample *s)
{
    const char *name = behaviour_rows[d].name;
    if (!is_str(outcome_word(s->outcome), outcome_word(behaviour_rows[d].outcome), "candidate '%s' has its outcome",
                name) ||
        !ok(strstr(s->message, behaviour_rows[d].message) != NULL, "the message of candidate '%s' has '%s'", name,
            behaviour_rows[d].message))
        diag("message: %s", s->message);
    bool is_ok = s->outcome == OUTCOME_OK;
    ok(is_ok ? s->nseconds == 3 && isfinite(sample_mean(s)) : s->nseconds == 0 && isinf(sample_mean(s)),
       "candidate '%s' has times only if it is ok", name);
    ok(s->model_score == 0.5, "candidate '%s' keeps its score", name);
}

/* All behaviours in one batch, right candidates between them, which must not be affected. */
static void test_outcomes(struct measurer *m)
{
    struct candidate c[2 * BEHAVIOUR_COUNT];
    static struct sample s[2 * BEHAVIOUR_COUNT];
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        c[2 * i] = candidate((enum behaviour)i);
        c[2 * i + 1] = candidate(BEHAVIOUR_right);
    }
    int next = 0, good = 0;
    struct err err = {0};
    struct measured_batch b = {.candidates = c, .n = 2 * BEHAVIOUR_COUNT, .samples = s, .done = count_up, .ctx = &next};
    bool done = measure_batch(m, &b, &err);
    ok(done, "a batch with every kind of candidate is measured %s", err.text);
    is_int(b.measured, 2 * BEHAVIOUR_COUNT, "all candidates of a batch are measured");
    is_int(next, 2 * BEHAVIOUR_COUNT, "done is called in the order of the candidates");
    for (int i = 0; i < BEHAVIOUR_COUNT && done; i++) {
        check_row((enum behaviour)i, &s[2 * i]);
        good += s[2 * i + 1].outcome == OUTCOME_OK;
        if (s[2 * i + 1].outcome != OUTCOME_OK)
            diag("after %s: %s: %s", behaviour_rows[i].name, outcome_word(s[2 * i + 1].outcome), s[2 * i + 1].message);
    }
    is_int(good, BEHAVIOUR_COUNT, "the right candidates between wrong ones are ok");
}

static bool stop_at_two(void *ctx, int i, const struct sample *s)
{
    (void)ctx;
    (void)s;
    return i < 1;
}

static void test_stop(struct measurer *m)
{
    struct candidate c[6];
    struct sample s[6];
    struct err err = {0};
    for (int i = 0; i < 6; i++)
        c[i] = candidate(BEHAVIOUR_right);
    struct measured_batch b = {.candidates = c, .n = 6, .samples = s, .done = stop_at_two};
    ok(measure_batch(m, &b, &err), "stopping a batch is no error");
    is_int(b.measured, 2, "a batch stops when done says so");
    b = (struct measured_batch){.candidates = c, .samples = s};
    ok(measure_batch(m, &b, &err) && b.measured == 0, "an empty batch measures nothing");
}

static void test_again(struct measurer *m)
{
    cJSON *before = json_object(), *after = json_object();
    struct sample s;
    struct err err = {0};
    struct regime regime;
    struct candidate c = candidate(BEHAVIOUR_right);
    ok(regime_named("retime", &regime, &err), "the preset of the re-timing is known");
    regime.min_repeat_ms = 1;
    measure_describe(m, before);
    ok(measure_again(m, &c, &regime, &s, &err) && s.outcome == OUTCOME_OK,
       "a candidate is measured again under another regime");
    is_int(s.nseconds, 10, "measuring again takes the other regime's repeats");
    measure_describe(m, after);
    ok(json_num(after, "pid", 0) > 0 && json_num(before, "pid", 0) != json_num(after, "pid", 0),
       "measuring again takes a fresh runner");
    is_str(json_str(after, "bind", ""), "close", "the runner's OpenMP threads are bound to cores");
    regime.cache_flush = true;
    ok(measure_again(m, &c, &regime, &s, &err) && s.outcome == OUTCOME_OK,
       "a candidate is measured again with cache flush");
    c = candidate(BEHAVIOUR_build_fails);
    ok(measure_again(m, &c, &regime, &s, &err) && s.outcome == OUTCOME_BUILD_FAILED,
       "a failed build when measuring again is an outcome");
    cJSON_Delete(before);
    cJSON_Delete(after);
}

static void test_unverified(void)
{
    struct measure_options o = fault_target_options();
    o.regime.verify = false;
    struct measurer *m = fault_target_begin(&o);
    struct candidate c[2] = {candidate(BEHAVIOUR_zeros), candidate(BEHAVIOUR_past_end)};
    struct sample s[2];
    struct err err = {0};
    struct measured_batch b = {.candidates = c, .n = 2, .samples = s};
    bool done = m && measure_batch(m, &b, &err);
    ok(done && s[0].outcome == OUTCOME_OK && s[0].verify_s == 0, "without verification wrong answers pass, as in TVM");
    measure_close(m);
}

static void test_faults(void)
{
    struct measure_options o = fault_target_options();
    o.faults = "crash:2,hang:3, memory:4,wrong:5,buildcrash:6,buildhang:7";
    struct measurer *m = fault_target_begin(&o);
    static const enum outcome WANT[8] = {
        OUTCOME_OK,           OUTCOME_CRASHED,      OUTCOME_RUN_TIMEOUT,   OUTCOME_OUT_OF_MEMORY,
        OUTCOME_WRONG_ANSWER, OUTCOME_BUILD_FAILED, OUTCOME_BUILD_TIMEOUT, OUTCOME_OK};
    struct candidate c[8];
    struct sample s[8];
    struct err err = {0};
    struct measured_batch b = {.candidates = c, .n = 8, .samples = s};
    for (int i = 0; i < 8; i++)
        c[i] = candidate(BEHAVIOUR_right);
    if (!m || !ok(measure_batch(m, &b, &err), "a batch with planted faults is measured"))
        diag("%s", err.text);
    for (int i = 0; i < 8 && m; i++)
        if (!is_str(outcome_word(s[i].outcome), outcome_word(WANT[i]), "the fault planted in trial %d has its outcome",
                    i + 1))
            diag("message: %s", s[i].message);
    measure_close(m);
    struct limits limits;
    o.faults = "crush:2";
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "did you mean 'crash'"),
       "an unknown fault gets the nearest name: %s", err.text);
    o.faults = "crash:0";
    ok(!measure_open(&o, &m, &limits, &err), "a fault in trial 0 is refused: %s", err.text);
}

static void test_refusals(void)
{
    struct measure_options o = fault_target_options();
    struct measurer *m;
    struct limits limits;
    struct err err = {0};
    o.target_settings = "speed=13";
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "no such machine"),
       "a target that cannot open says why: %s", err.text);
    o.target_settings = "spede=1";
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "speed"),
       "an unknown setting of the target is refused: %s", err.text);
}

/* The machine claims 1 MFLOP/s: then any kernel is too fast for it. */
static void test_roofline(void)
{
    struct measure_options o = fault_target_options();
    o.target_settings = "speed=1";
    struct measurer *m = fault_target_begin(&o);
    struct candidate c = candidate(BEHAVIOUR_right);
    struct sample s = {0};
    struct err err = {0};
    struct measured_batch b = {.candidates = &c, .n = 1, .samples = &s};
    ok(m && measure_batch(m, &b, &err) && s.outcome == OUTCOME_WRONG_ANSWER &&
           strstr(s.message, "faster than the machine allows"),
       "a time below the roofline is a wrong answer: %s", s.message);
    measure_close(m);
}

/* Workers that die as they start, or while a reference is made, are started again a few times. */
static void test_stillborn(void)
{
    struct measure_options o = fault_target_options();
    struct measurer *m = NULL;
    struct limits limits;
    struct err err = {0};
    setenv("RAINGAUGE_TALLY", fixture_file("tally", ""), 1);
    fixture_file("tally-stillborn", "xx");
    fixture_file("tally-die", "x");
    ok(measure_open(&o, &m, &limits, &err), "a runner that dies twice at its start is started again %s", err.text);
    struct candidate c = candidate(BEHAVIOUR_right);
    struct sample s = {0};
    struct measured_batch b = {.candidates = &c, .n = 1, .samples = &s};
    ok(m && measure_batch(m, &b, &err) && s.outcome == OUTCOME_OK,
       "a runner that dies while a reference is made is started again %s", err.text);
    measure_close(m);
    fixture_file("tally-stillborn", arena_printf(arena, "%100s", ""));
    m = NULL;
    ok(!measure_open(&o, &m, &limits, &err) && err.code == EXIT_INTERNAL,
       "a runner that always dies at its start is an internal error: %s", err.text);
    unsetenv("RAINGAUGE_TALLY");
}

int main(void)
{
    task = fixture_task(arena, FAULT_TARGET_SPEC);
    int files = fault_target_open_files();
    struct measure_options o = fault_target_options();
    struct measurer *m = fault_target_begin(&o);
    if (m) {
        is_int(measure_build_workers(m), 2, "two build workers are started");
        test_outcomes(m);
        test_stop(m);
        test_again(m);
    }
    measure_close(m);
    test_unverified();
    test_faults();
    test_refusals();
    test_roofline();
    test_stillborn();
    ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "closing the measurer leaves no process");
    is_int(fault_target_open_files(), files, "closing the measurer leaves no descriptor");
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* phase, sample and registry: phases sum to the wall time; outcome words parse back; unknown names get hints. */
#include "harness/plug/registry.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static double total(const struct phases *p)
{
    double sum = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        sum += p->seconds[i];
    return sum;
}

/* Until the clock shows another time than at the last switch. */
static void let_clock_move(const struct phases *p)
{
    while (clock_now() <= p->since)
        continue;
}

static void test_phases(void)
{
    struct phases p;
    phases_start(&p);
    double start = p.since;
    is_int(phases_enter(&p, PHASE_lower), PHASE_other, "entering a phase tells the phase that was left");
    let_clock_move(&p);
    phases_share(&p, PHASE_lower, (double[PHASE_COUNT]){[PHASE_bounds] = 1, [PHASE_lower] = 3});
    ok(p.seconds[PHASE_bounds] > 0, "a share of the phase goes to another one");
    is_near(p.seconds[PHASE_lower], 3 * p.seconds[PHASE_bounds], 1e-9, "a phase is shared by weight");
    double kept = p.seconds[PHASE_lower];
    let_clock_move(&p);
    phases_share(&p, PHASE_lower, (double[PHASE_COUNT]){[PHASE_features] = 1});
    is_near(p.seconds[PHASE_lower], kept, 1e-12, "a second share takes only the time since the first");
    phases_share(&p, PHASE_lower, (double[PHASE_COUNT]){0});
    is_int(phases_enter(&p, PHASE_run), PHASE_lower, "entering the next phase tells the one before");
    phases_share(&p, PHASE_features, (double[PHASE_COUNT]){[PHASE_score] = 2});
    ok(p.seconds[PHASE_features] == 0 && p.seconds[PHASE_score] > 0, "a phase that was left is shared as a whole");
    phases_stop(&p);
    is_near(total(&p), p.since - start, 1e-9, "the phases add up to the time from start to stop");
    ok(phases_enter(NULL, PHASE_run) == PHASE_other, "no phases to book on is fine");
    phases_stop(NULL);
    is_str(phase_name(PHASE_features), "features", "a phase has its name");
}

static void test_samples(void)
{
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        enum outcome back;
        ok(outcome_parse(outcome_word((enum outcome)i), &back) && (int)back == i,
           "the word of an outcome parses back: %s", outcome_word((enum outcome)i));
    }
    enum outcome none;
    ok(!outcome_parse("fine", &none), "an unknown word is no outcome");
    /* TVM v0.16 measure.py, MeasureErrorNo */
    is_int(outcome_tvm(OUTCOME_OK), 0, "TVM's number of ok is 0");
    is_int(outcome_tvm(OUTCOME_BUILD_TIMEOUT), 6, "TVM's number of a build time-out is 6");
    is_int(outcome_tvm(OUTCOME_RUN_TIMEOUT), 7, "TVM's number of a run time-out is 7");
    struct sample s = {.outcome = OUTCOME_OK, .nseconds = 3, .seconds = {1, 2, 6}};
    is_near(sample_mean(&s), 3, 1e-15, "the time of a sample is the mean of its repeats");
    s.outcome = OUTCOME_CRASHED;
    ok(isinf(sample_mean(&s)), "the time of a failed candidate is infinite");
}

static const struct searcher ANSOR = {.name = "ansor"}, DROPLET = {.name = "droplet"};
static const struct target CPU = {.name = "cpu"};

static void test_registry(void)
{
    const struct searcher *const searchers[] = {&ANSOR, &DROPLET, NULL};
    const struct target *const targets[] = {&CPU, NULL};
    struct registry k = {.searchers = searchers, .targets = targets};
    struct err err = {0};
    ok(registry_searcher(&k, "droplet", &err) == &DROPLET, "a plug-in is found by name");
    ok(!registry_searcher(&k, "dorplet", &err) && strstr(err.text, "did you mean 'droplet'"),
       "an unknown plug-in gets the nearest name: %s", err.text);
    ok(!registry_target(&k, "quantum", &err) && strstr(err.text, "cpu"),
       "an unknown plug-in far from all names gets the list: %s", err.text);
    ok(!registry_model(&k, "xgb", &err) && strstr(err.text, "none"), "an empty table says that there is none: %s",
       err.text);
}

int main(void)
{
    test_phases();
    test_samples();
    test_registry();
    return done_testing();
}

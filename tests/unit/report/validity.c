/* SPDX-License-Identifier: Apache-2.0 */
/* validity: floor and drift of sums and of A/A programs, by hand and of noise of a known size, and each gate failed on
 * purpose. That a campaign's records are read is for retiming.sh. */
#include "harness/report/data/validity.h"

#include "harness/base/file.h"
#include "tests/lib/random_data.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena *a;

static struct validity judged(const double *sums, int nsums, int rounds)
{
    const char **arms = ARENA_ARRAY(a, const char *, nsums + 1);
    for (int i = 0; i < nsums; i++)
        arms[i] = i % 2 ? "odd" : "even";
    struct validity c = validity_of(a, &(struct validity_sums){sums, arms, nsums, rounds});
    validity_judge(a, &c);
    return c;
}

/* What became of the kernels' gates. */
static enum verdict_gates kernels(const struct validity *c)
{
    return c->of[VALIDITY_KERNELS].gates;
}

static const char *why(const struct validity *c)
{
    return c->of[VALIDITY_KERNELS].reason;
}

static void test_rounds(void)
{
    static const double TWO[] = {1.00, 1.01, 2.00, 1.98, NAN, 1, 3, INFINITY};
    struct validity c = judged(TWO, 4, 2);
    is_int(c.pairs, 2, "of four sums two are whole in every round");
    is_near(c.rounds, 2 / 1.98 - 1, 1e-12, "the floor of one sum is the larger of 1.0 and 1.01 %%");
    ok(c.floor == c.rounds && c.single == c.rounds, "the mean of one sum is as rough as the sum");
    is_near(c.drift, sqrt(1.01 * 0.99), 1e-12, "two sums that drift in opposite ways drift little together");
    ok(kernels(&c) == VERDICT_GATES_PASSED && !why(&c), "a drift that small passes the gates");
    static const double DRIFT[] = {1.00, 1.02, 1.04, 2.00, 2.04, 2.08};
    c = judged(DRIFT, 2, 3);
    is_near(c.drift, 1.04, 1e-12, "a drift of 4 %% is told");
    is_near(c.halves, 1.02 / sqrt(1.04), 1e-12, "of three rounds the middle one is one half");
    ok(kernels(&c) == VERDICT_GATES_PASSED, "a steady drift falls out of halves in turns");
    static const double EVEN[] = {1.00, 1.03, 1.06, 1.09};
    is_near(judged(EVEN, 1, 4).halves, sqrt(1.03 * 1.06 / 1.09), 1e-12, "of four rounds the outer two are one half");
    static const double SPELL[] = {1.00, 1.30, 1.00, 2.00, 2.60, 2.00};
    c = judged(SPELL, 2, 3);
    ok(kernels(&c) == VERDICT_GATES_FAILED && c.gate[GATE_HALVES].state == VERDICT_GATES_FAILED,
       "a slow spell in one round of three fails the gate of halves");
    ok(strstr(judged((double[]){1, 0.95}, 1, 2).of[VALIDITY_KERNELS].reason,
              "differ by -5.0 % from one half of the re-timing's rounds to the other"),
       "the reason tells by how much the halves differ");
    is_int(c.pairs, 4, "neighbouring rounds of two sums");
    c = judged(DRIFT, 2, 1);
    ok(isnan(c.floor) && kernels(&c) == VERDICT_GATES_UNKNOWN && why(&c), "one round says nothing");
    c = judged(DRIFT, 0, 3);
    ok(isnan(c.floor) && kernels(&c) == VERDICT_GATES_UNKNOWN, "no sums say nothing");

    enum { SUMS = 400, ROUNDS = 3 };
    static double sums[SUMS * ROUNDS];
    struct rng rng;
    rng_seed(&rng, 11);
    random_data_ratios(&rng, 0, 0.01, sums, SUMS * ROUNDS);
    c = judged(sums, SUMS, ROUNDS);
    is_near(c.rounds, 1.96 * 0.01 * sqrt(2), 0.06,
            "two launches of 1 %% each differ by 1.4 %%, 95 %% of them within 2.8 %%");
    is_near(c.floor, c.rounds / sqrt(SUMS), 0.2,
            "means over 200 sums and two pairs of rounds differ by a twentieth of that");
    ok(kernels(&c) == VERDICT_GATES_PASSED, "noise alone passes the gates");
}

/* ---- more data ---- */

/* Share of simulated re-timings that are INVALID. Launches of a round share slow spells and a wandering machine, and
 * each sum has noise of its own. */
static double invalid_share(int nsums, int rounds)
{
    enum { RUNS = 250, MOST = 40 * 24 };
    static double sums[MOST];
    int failed = 0;
    struct rng rng;
    rng_seed(&rng, 61);
    for (int run = 0; run < RUNS; run++) {
        double level = 0;
        struct arena_mark mark = arena_mark(a);
        for (int r = 0; r < rounds; r++) {
            double spell = rng_unit(&rng) < 0.2 ? 0.03 : 0;
            level += 0.005 * random_data_normal(&rng);
            for (int c = 0; c < nsums; c++)
                sums[c * rounds + r] = exp(level + spell + 0.01 * random_data_normal(&rng));
        }
        failed += judged(sums, nsums, rounds).of[VALIDITY_KERNELS].gates == VERDICT_GATES_FAILED;
        arena_release(a, mark);
    }
    return (double)failed / RUNS;
}

static void test_more_data(void)
{
    enum { NROUNDS = 5, NSUMS = 3 };
    static const int ROUNDS[NROUNDS] = {2, 3, 6, 12, 24}, SUMS[NSUMS] = {5, 15, 40};
    const double slack = 0.06; /* Monte-Carlo: two errors of a share of 250 */
    double share[NSUMS][NROUNDS];
    for (int s = 0; s < NSUMS; s++)
        for (int r = 0; r < NROUNDS; r++) {
            share[s][r] = invalid_share(SUMS[s], ROUNDS[r]);
            ok(!r || share[s][r] <= share[s][r - 1] + slack, "%d rounds of %d sums are INVALID no more often (%.3f)",
               ROUNDS[r], SUMS[s], share[s][r]);
            ok(!s || share[s][r] <= share[s - 1][r] + slack, "%d sums in %d rounds are INVALID no more often (%.3f)",
               SUMS[s], ROUNDS[r], share[s][r]);
        }
    ok(share[1][0] > 0.2 && share[1][NROUNDS - 1] < 0.02, "24 rounds are valid where two often are not");
}

/* ---- the A/A test ---- */

static struct aa_reading reading(int program, int arm, int launch, double seconds)
{
    struct aa_reading r = {.program = program, .arm = arm, .launch = launch};
    r.sample.outcome = seconds > 0 ? OUTCOME_OK : OUTCOME_CRASHED;
    r.sample.nseconds = seconds > 0 ? 1 : 0;
    r.sample.seconds[0] = seconds;
    return r;
}

static void test_stage(void)
{
    /* Program 0: medians 1.00 and 1.02 of three launches. Program 1: a launch of A' failed, so that launch does not
     * count. */
    static const double TIMES[2][2][3] = {{{1.00, 0.99, 1.05}, {1.02, 1.01, 1.04}}, {{2.0, 2.2, 2.0}, {2.0, -1, 2.0}}};
    static struct aa_reading r[12];
    struct validity_stage s = {0};
    int n = 0;
    for (int l = 0; l < 3; l++)
        for (int t = 0; t < 2; t++)
            for (int arm = 0; arm < 2; arm++)
                r[n++] = reading(t, arm, l, TIMES[t][arm][l]);
    validity_stage_of(r, n, &s);
    is_int(s.pairs, 5, "five launches have a time of both arms");
    is_int(s.programs, 2, "two programs gave times");
    is_near(s.reading, 1.01 / 0.99 - 1, 1e-9, "the floor of a reading is the largest: 0.99 beside 1.01");
    double x = log(1.02), y = log(1.01 / 0.99), z = log(1.05 / 1.04);
    is_near(s.mean, expm1(2.570582 * sqrt((x * x + y * y + z * z) / 5) / sqrt(5)), 1e-6,
            "the floor of the mean is that of five pairs");
    is_near(s.times[0], (1.01 + 1.02) / 2, 1e-9, "a program's time is the median of both arms");
    validity_stage_of(r, 0, &s);
    ok(!s.measured && isnan(s.mean) && isnan(s.reading), "no readings give no floor");
}

/* Readings of eight kernels, three launches: a level, and noise of a known size. */
static struct validity_stage noisy(struct rng *rng, double level, double sd)
{
    enum { PROGRAMS = 8, LAUNCHES = 3 };
    static struct aa_reading r[PROGRAMS * 2 * LAUNCHES];
    double off[PROGRAMS * 2 * LAUNCHES];
    struct validity_stage s = {0};
    int n = 0;
    random_data_ratios(rng, 0, sd, off, PROGRAMS * 2 * LAUNCHES);
    for (int t = 0; t < PROGRAMS; t++)
        for (int arm = 0; arm < 2; arm++)
            for (int l = 0; l < LAUNCHES; l++, n++)
                r[n] = reading(t, arm, l, 0.001 * (t + 1) * level * off[n]);
    validity_stage_of(r, n, &s);
    s.peak_flops = 1e11;
    return s;
}

static struct validity with(struct validity_stage before, struct validity_stage after)
{
    struct validity c = validity_of(a, &(struct validity_sums){0});
    c.readings = 96;
    c.stages[AA_BEFORE] = before;
    c.stages[AA_AFTER] = after;
    return c;
}

static void refuses(struct validity c, enum validity_gates gate, const char *says)
{
    validity_judge(a, &c);
    int failed = 0;
    enum validity_about about = validity_gate_about(gate);
    for (int g = 0; g < GATE_COUNT; g++)
        failed += c.gate[g].state == VERDICT_GATES_FAILED;
    const char *reason = c.of[about].reason;
    ok(c.of[about].gates == VERDICT_GATES_FAILED && failed == 1 && c.gate[gate].state == VERDICT_GATES_FAILED,
       "gate '%s' alone fails: %s", validity_gate_word(gate), reason ? reason : "");
    ok(c.of[!about].gates != VERDICT_GATES_FAILED, "gate '%s' leaves the other claims alone", validity_gate_word(gate));
    if (!ok(reason && strstr(reason, says), "the reason says '%s'", says))
        diag("%s", reason ? reason : "nothing");
}

static void test_gates(void)
{
    struct rng rng;
    rng_seed(&rng, 7);
    struct validity_stage quiet = noisy(&rng, 1, 0.005), again = noisy(&rng, 1, 0.005),
                          slower = noisy(&rng, 1.3, 0.005), louder = noisy(&rng, 1, 0.2),
                          none = {.reading = NAN, .mean = NAN};
    struct validity c = with(quiet, again);
    validity_judge(a, &c);
    ok(kernels(&c) == VERDICT_GATES_PASSED && !why(&c), "two quiet stages pass");
    ok(c.floor == fmax(quiet.mean, again.mean) && c.floor > 0, "the wider of two means is the floor");
    ok(c.gate[GATE_HALVES].state == VERDICT_GATES_UNKNOWN, "rounds that were not read fail nothing");
    c = with(none, again);
    validity_judge(a, &c);
    ok(kernels(&c) == VERDICT_GATES_UNKNOWN && c.floor == again.mean && isnan(c.aa_drift),
       "a stage after alone gives a floor, but no drift was read");
    refuses(with(quiet, slower), GATE_AA_DRIFT, "drifted by +");
    c = with(slower, quiet);
    refuses(c, GATE_AA_DRIFT, "drifted by -");
    validity_judge(a, &c);
    ok(c.gate[GATE_AA_DRIFT].limit < 0 && c.gate[GATE_AA_DRIFT].value < c.gate[GATE_AA_DRIFT].limit,
       "the limit of a drift downwards is below 0");
    c = with(quiet, noisy(&rng, 1.05, 0.005));
    validity_judge(a, &c);
    ok(kernels(&c) == VERDICT_GATES_PASSED, "a drift of 5 %% is no other machine");
    refuses(with(louder, louder), GATE_FLOOR, "the noise floor is");
    c = with(quiet, again);
    c.failed = 6;
    refuses(c, GATE_FAILED, "6 of 96 readings");
    c = with(quiet, again);
    c.stages[AA_AFTER].peak_flops = 0.85e11;
    refuses(c, GATE_PEAK, "peak was 1e+11 FLOP/s before and 8.5e+10 after");
    c.stages[AA_AFTER].peak_flops = 1.2e11;
    refuses(c, GATE_PEAK, "peak was 1e+11 FLOP/s before and 1.2e+11 after");
    c = with(louder, louder);
    c.stages[AA_AFTER].peak_flops = 0.5e11;
    validity_judge(a, &c);
    ok(strstr(why(&c), "the noise floor is"), "of two gates that failed the first is told");
    c = with(quiet, again);
    c.stages[AA_AFTER].peak_flops = 0.95e11;
    validity_judge(a, &c);
    ok(kernels(&c) == VERDICT_GATES_PASSED, "a peak that is 5 %% lower passes");
    for (int g = 0; g < GATE_COUNT; g++)
        ok(*validity_gate_title((enum validity_gates)g), "gate '%s' says what it looks at",
           validity_gate_word((enum validity_gates)g));
}

static void test_search(void)
{
    struct rng rng;
    rng_seed(&rng, 8);
    struct validity_stage quiet = noisy(&rng, 1, 0.005), loud = noisy(&rng, 1, 0.3);
    struct validity c = with(quiet, quiet);
    validity_judge(a, &c);
    ok(c.of[VALIDITY_SEARCH].gates == VERDICT_GATES_UNKNOWN, "without phases of time, search time is not judged");
    c.wall_s = 100, c.booked_s = 99;
    validity_judge(a, &c);
    ok(c.of[VALIDITY_SEARCH].gates == VERDICT_GATES_UNKNOWN,
       "without what others took of the CPU time, search time is not judged");
    c.contention = (struct cpu_contention){.others_s = 15, .stolen_s = 5, .whole_s = 500};
    validity_judge(a, &c);
    ok(c.of[VALIDITY_SEARCH].gates == VERDICT_GATES_PASSED && c.gate[GATE_CONTENTION].value == 0.04,
       "phases that add up and 4 %% of the CPU time taken by others pass");
    struct validity noisy_kernels = with(loud, loud);
    noisy_kernels.wall_s = 100, noisy_kernels.booked_s = 100, noisy_kernels.contention = c.contention;
    validity_judge(a, &noisy_kernels);
    ok(kernels(&noisy_kernels) == VERDICT_GATES_FAILED &&
           noisy_kernels.of[VALIDITY_SEARCH].gates == VERDICT_GATES_PASSED,
       "a noise floor of kernels does not void search time");
    c.booked_s = 95;
    refuses(c, GATE_PHASES, "5.0 % of the searches' time is in no phase, more than 2 %");
    c.booked_s = 100, c.contention.others_s = 30;
    refuses(c, GATE_CONTENTION, "took 7.0 % of its CPU time during the searches");
    c.contention = (struct cpu_contention){.others_s = 1, .stolen_s = 40, .whole_s = 500};
    refuses(c, GATE_CONTENTION, "took 8.2 % of its CPU time");
    c.contention.stolen_s = 0, c.contention.others_s = -6; /* ticks are rounded */
    validity_judge(a, &c);
    ok(c.gate[GATE_CONTENTION].value == 0, "less than nothing taken by others counts as nothing");
}

static void test_reading(void)
{
    struct sample s = {.outcome = OUTCOME_OK, .nseconds = 3, .seconds = {1, 2, 6}};
    is_near(records_reading(&s), 2, 1e-15, "the reading of three repeats is their median");
    struct sample four = {.outcome = OUTCOME_OK, .nseconds = 4, .seconds = {9, 1, 400, 3}};
    is_near(records_reading(&four), 6, 1e-15, "the reading of four repeats is between the two in the middle");
    four.nseconds = 1;
    is_near(records_reading(&four), 9, 1e-15, "the reading of one repeat is it");
    s.outcome = OUTCOME_CRASHED;
    ok(isinf(records_reading(&s)), "the reading of a failed candidate is infinite");
}

/* Two arms of two kernels, and one that has records of the first only: rounds count up to the fewest launches that any
 * winner has. */
static void test_records(void)
{
    static char folder[] = "/tmp/raingauge-validity-XXXXXX";
    static const char *const ARMS[] = {"one", "two", "three"};
    static const int LAUNCHES[3][2] = {{3, 4}, {4, 2}, {3, 0}};
    struct store_fixture f = {.scale = 1, .dp_scale = 1};
    struct err err = {0};
    struct validity c;
    struct records records;
    if (!mkdtemp(folder))
        bug("mkdtemp");
    const char *dir = file_join(a, folder, "records");
    f.s = fixture_open(dir);
    for (int arm = 0; arm < 3; arm++) {
        fixture_cell(&f, "net", ARMS[arm], 1, false, 0);
        for (int t = 0; t < 2 && LAUNCHES[arm][t]; t++) {
            fixture_begin(&f, t, 1, t), fixture_trial(&f, t, 1, 1, 1), fixture_end(&f, t + 1);
            for (int l = 0; l < LAUNCHES[arm][t]; l++)
                fixture_again(&f, f.id[t], l, l < 2 ? 1 + 0.01 * l : 9);
        }
        fixture_done(&f, 2);
    }
    fixture_must(records_read(a, f.s, &records, &err) && validity_read(&records, &c, &err), &err);
    is_int(c.pairs, 3, "three arms have two rounds in common");
    is_near(c.drift, 1.01, 1e-9, "later launches have no part in the drift");
    is_int(c.readings, 16, "all launches are counted as readings");
    store_close(f.s);
    fixture_remove(dir);
    fixture_remove(folder);
}

int main(void)
{
    a = arena_open("test");
    test_records();
    test_reading();
    test_rounds();
    test_stage();
    test_more_data();
    test_gates();
    test_search();
    arena_close(a);
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* validity: each gate failed on purpose, and what is read of records. Null pairs are for tests/unit/stats/duel.c. */
#include "harness/report/data/validity.h"

#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

/* What became of the kernels' gates. */
static enum verdict_gates kernels(const struct validity *c)
{
    return c->of[VALIDITY_KERNELS].gates;
}

static const char *why(const struct validity *c)
{
    return c->of[VALIDITY_KERNELS].reason;
}

/* Duels whose null pairs have this interval. */
static struct validity with(double ratio, double half_width, bool awaited)
{
    struct duel_interval null = {.ratio = ratio,
                                 .low = ratio * exp(-half_width),
                                 .high = ratio * exp(half_width),
                                 .half_width = half_width,
                                 .kernels = 2};
    struct validity c = {.has_duels = true, .duels = {.processes = 96, .awaited = awaited}};
    c.duels.gate = duel_gate(arena, &null, 0.02, awaited);
    return c;
}

/* Several machines: the gate is handed in, the floor is the widest. */
static void test_nodes(void)
{
    struct validity c = with(1.005, 0.01, false), wide = with(1, 0.019, false);
    struct duel_node nodes[] = {{"a", c.duels.gate}, {"b", wide.duels.gate}};
    c.duels.nodes = nodes;
    c.duels.nnodes = 2;
    validity_judge(arena, &c);
    is_near(c.floor, expm1(0.019), 1e-12, "of several machines the noise floor is that of the worst");
    nodes[1].gate.null.half_width = NAN;
    is_near(duel_results_floor(&c.duels), expm1(0.01), 1e-12, "one without null pairs has none");
}

static void refuses(struct validity c, enum validity_gates gate, const char *says)
{
    validity_judge(arena, &c);
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
    struct validity c = with(1.005, 0.01, false);
    validity_judge(arena, &c);
    ok(kernels(&c) == VERDICT_GATES_PASSED && !why(&c), "null pairs whose interval holds 1 pass");
    is_near(c.floor, expm1(0.01), 1e-12, "the noise floor is half of their interval");
    refuses(with(1.05, 0.01, false), GATE_NULL, "programs against themselves differ by +5.00 %");
    c = with(1.005, 0.03, false);
    validity_judge(arena, &c);
    ok(kernels(&c) == VERDICT_GATES_UNKNOWN && strstr(why(&c), "was asked"),
       "an interval wider than was asked is not judged");
    c = with(1.005, 0.01, true);
    validity_judge(arena, &c);
    ok(kernels(&c) == VERDICT_GATES_UNKNOWN && strstr(why(&c), "not finished"), "duels that go on are not judged");
    c = with(1.005, 0.01, false);
    c.duels.failed = 5;
    refuses(c, GATE_FAILED, "5 of 96 readings");
    c.duels.failed = 4;
    validity_judge(arena, &c);
    ok(kernels(&c) == VERDICT_GATES_PASSED, "4 of 96 readings without a time pass");
    c = (struct validity){.has_duels = false};
    validity_judge(arena, &c);
    ok(kernels(&c) == VERDICT_GATES_UNKNOWN && isnan(c.floor) && c.gate[GATE_NULL].absent,
       "without a re-timing there is no floor and nothing is judged");
    for (int g = 0; g < GATE_COUNT; g++)
        ok(*validity_gate_title((enum validity_gates)g), "gate '%s' says what it looks at",
           validity_gate_word((enum validity_gates)g));
}

static void test_overlap(void)
{
    struct validity c = with(1, 0.01, false);
    c.wall_s = 100, c.booked_s = 99;
    c.contention = (struct cpu_contention){.others_s = 1, .stolen_s = 1, .whole_s = 500};
    validity_judge(arena, &c);
    ok(c.gate[GATE_OVERLAP].absent, "where nothing was built beside runs the gate of overlap is absent");
    c.overlap = (struct interval){.n = 900, .ratio = 1.001, .low = 1.001 / 1.002, .high = 1.001 * 1.002};
    validity_judge(arena, &c);
    ok(c.gate[GATE_OVERLAP].state == VERDICT_GATES_PASSED, "times that overlap changes by 0.1 +- 0.2 %% pass");
    c.overlap = (struct interval){.n = 30, .ratio = 1.02, .low = 1.02 / 1.03, .high = 1.02 * 1.03};
    validity_judge(arena, &c);
    ok(c.gate[GATE_OVERLAP].state == VERDICT_GATES_UNKNOWN, "2 +- 3 %% is not known to be too much, nor to be little");
    c.overlap = (struct interval){.n = 900, .ratio = 0.97, .low = 0.97 / 1.01, .high = 0.97 * 1.01};
    refuses(c, GATE_OVERLAP, "-3.0 % of their time while others were built (-4.0 to -2.0 %)");
}

static void test_search(void)
{
    struct validity c = with(1, 0.01, false);
    validity_judge(arena, &c);
    ok(c.of[VALIDITY_SEARCH].gates == VERDICT_GATES_UNKNOWN, "without phases of time, search time is not judged");
    c.wall_s = 100, c.booked_s = 99;
    validity_judge(arena, &c);
    ok(c.of[VALIDITY_SEARCH].gates == VERDICT_GATES_UNKNOWN,
       "without what others took of the CPU time, search time is not judged");
    c.contention = (struct cpu_contention){.others_s = 15, .stolen_s = 5, .whole_s = 500};
    validity_judge(arena, &c);
    ok(c.of[VALIDITY_SEARCH].gates == VERDICT_GATES_PASSED && c.gate[GATE_CONTENTION].value == 0.04,
       "phases that add up and 4 %% of the CPU time taken by others pass");
    struct validity noisy_kernels = with(1.3, 0.1, false);
    noisy_kernels.wall_s = 100, noisy_kernels.booked_s = 100, noisy_kernels.contention = c.contention;
    validity_judge(arena, &noisy_kernels);
    ok(kernels(&noisy_kernels) == VERDICT_GATES_FAILED &&
           noisy_kernels.of[VALIDITY_SEARCH].gates == VERDICT_GATES_PASSED,
       "null pairs that differ do not void search time");
    c.booked_s = 95;
    refuses(c, GATE_PHASES, "5.0 % of the searches' time is in no phase, more than 2 %");
    c.booked_s = 100, c.contention.others_s = 30;
    refuses(c, GATE_CONTENTION, "took 7.0 % of its CPU time during the searches");
    c.contention = (struct cpu_contention){.others_s = 1, .stolen_s = 40, .whole_s = 500};
    refuses(c, GATE_CONTENTION, "took 8.2 % of its CPU time");
    c.contention.stolen_s = 0, c.contention.others_s = -6; /* ticks are rounded */
    validity_judge(arena, &c);
    ok(c.gate[GATE_CONTENTION].value == 0, "less than nothing taken by others counts as nothing");
}

/* Two arms of one kernel: processes that gave no time are counted, and the highest peak on record is the machine's. */
static void test_records(void)
{
    struct store_fixture f = {.scale = 1, .dp_scale = 1};
    struct err err = {0};
    struct validity c;
    struct records records;
    f.s = fixture_open(fixture_path("records"));
    for (int arm = 0; arm < 2; arm++) {
        fixture_cell(&f, "net", arm ? "one" : "two", 1, false, 0);
        fixture_begin(&f, 0, 1, 0), fixture_trial(&f, 0, 1, 1, 1), fixture_end(&f, 1);
        for (int l = 0; l < 5; l++)
            fixture_again(&f, f.id[0], l, arm && l == 3 ? 0 : 1 + 0.01 * l);
        fixture_done(&f, 2);
    }
    fixture_must(duel_peak_put(f.s, 1e11, 0, &err) && duel_peak_put(f.s, 2.5e11, 0, &err) &&
                     duel_peak_put(f.s, 0, 0, &err) && records_read(arena, f.s, &records, &err) &&
                     validity_read(&records, &c, &err),
                 &err);
    is_int(c.duels.processes, 10, "every process of a launch is counted");
    is_int(c.duels.failed, 1, "one that gave no time is counted as failed");
    is_near(c.peak_flops, 2.5e11, 1, "the highest peak on record is the machine's");
    store_close(f.s);
}

int main(void)
{
    test_records();
    test_gates();
    test_nodes();
    test_overlap();
    test_search();
    return done_testing();
}

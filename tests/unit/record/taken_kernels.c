/* SPDX-License-Identifier: Apache-2.0 */
/* taken_kernels: the clock of a network that takes kernel a from another one, laid out by hand. Rounds, improvements in
 * ms:
 *
 *     net     a 0..10 s: 8, failed    b 10..30 s    a 30..36 s: 4, 2    clock 40 s
 *     other   a is net's              b 0..7 s: 9, 6                    clock 8 s
 *
 * In turn: a 0..10, b 10..17, a 17..23; the clock is 8 + 16 s. */
#include "harness/record/taken_kernels.h"

#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

static struct store *fill(void)
{
    struct store_fixture f = {.s = fixture_open(fixture_path("run")), .scale = 1, .dp_scale = 1};
    fixture_cell(&f, "net", "ansor", 1, false, 0);
    fixture_begin(&f, 0, 2, 0), fixture_trial(&f, 0, 8, 1, 5), fixture_trial(&f, 0, 0, 2, 4), fixture_end(&f, 10);
    fixture_begin(&f, 1, 1, 10), fixture_trial(&f, 1, 6, 1, 20), fixture_end(&f, 30);
    fixture_begin(&f, 0, 2, 30), fixture_trial(&f, 0, 4, 3, 3), fixture_trial(&f, 0, 2, 2, 3), fixture_end(&f, 36);
    fixture_done(&f, 40);
    fixture_cell(&f, "other", "ansor", 1, false, 0);
    fixture_seeded(&f, 0, 0, 0);
    fixture_begin(&f, 1, 2, 0), fixture_trial(&f, 1, 9, 1, 3), fixture_trial(&f, 1, 6, 1, 3), fixture_end(&f, 7);
    fixture_done(&f, 8);
    return f.s;
}

static void is_step(const struct scan_kernel *k, int i, int64_t ordinal, double elapsed_s, const char *what)
{
    ok(i < k->nsteps && k->steps[i].ordinal == ordinal, "%s: it is record %d of the network", what, (int)ordinal);
    is_near(i < k->nsteps ? k->steps[i].elapsed_s : -1, elapsed_s, 1e-9, "%s: it stands where its turn is", what);
}

int main(void)
{
    struct record_scan s;
    struct err err = {0};
    struct store *store = fill();
    fixture_must(record_scan_read(arena, store, NULL, 0, &s, &err), &err);
    ok(s.of[1].kernels[0].all.records == 0 && s.of[1].clock_s == 8, "the scan alone has what the cell measured");
    struct scan_place at = record_scan_measured(&s, 1, 0);
    ok(at.cell == 0 && at.task == 0, "a taken kernel was measured in the first network");
    taken_kernels_join(arena, &s);
    const struct scan_cell *c = &s.of[1];
    is_int(c->kernels[0].all.records, 4, "the network has all records of the kernel that it takes");
    is_near(c->kernels[0].all.cost_s, 8, 1e-9, "the costs of a taken kernel are added up");
    is_near(c->clock_s, 24, 1e-9, "the clock has the rounds of the taken kernel");
    is_near(c->cpu_s, 12, 1e-9, "the CPU time has its share of the first network's");
    is_int(c->nrounds, 3, "the rounds of both kernels are there");
    ok(c->rounds[0].task == 0 && c->rounds[1].task == 1 && c->rounds[2].task == 0,
       "the kernels have their rounds in turn");
    is_near(c->rounds[2].begin_s, 17, 1e-9, "a round begins where the one before it ends");
    is_step(&c->kernels[0], 0, 0, 5, "8 ms of a");
    is_step(&c->kernels[1], 0, 2, 13, "9 ms of b");
    is_step(&c->kernels[1], 1, 3, 16, "6 ms of b");
    is_step(&c->kernels[0], 1, 4, 19, "4 ms of a");
    is_step(&c->kernels[0], 2, 5, 22, "2 ms of a");
    is_near(record_scan_wall(&s, 1, 0, 3), 13, 1e-9, "the first three records of a took a round and half of one");
    is_near(s.of[0].clock_s, 40, 1e-9, "the first network keeps its clock");
    store_close(store);
    return done_testing();
}

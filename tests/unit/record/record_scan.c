/* SPDX-License-Identifier: Apache-2.0 */
/* record_scan: one pass over hand-made records says what the store's own queries say of them one by one (sums, the best
 * of all and of the first k, failures by reason), and where each kernel became faster. Milliseconds by kernel; every
 * trial takes a second:
 *
 *     explorer  a: 8, failed, 4 | b: 6, 6, 5 | a: 2      descents from the first 1 and 3; of b the second is shared
 */
#include "harness/record/record_scan.h"

#include "harness/record/database.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static void round_of(struct store_fixture *f, int task, int n, const double *ms)
{
    double begin = f->elapsed_s;
    fixture_begin(f, task, n, begin);
    for (int i = 0; i < n; i++)
        fixture_trial(f, task, ms[i], 0.5, 1);
    fixture_end(f, begin + n + 1); /* a second of training */
}

static void fill(struct store_fixture *f)
{
    fixture_cell(f, "net", "explorer", 1, false, 0);
    round_of(f, 0, 3, (const double[]){8, 0, 4});
    round_of(f, 1, 3, (const double[]){6, 6, 5});
    round_of(f, 0, 1, (const double[]){2});
    int64_t a = f->id[0], b = f->id[3];
    fixture_done(f, 10);
    f->home = 1;
    for (int k = 1; k <= 3; k += 2) {
        fixture_cell(f, "net", k == 1 ? "descent-1" : "descent-3", 1, false, k);
        fixture_seeded(f, 0, a, -1), fixture_seeded(f, 1, b, k == 1 ? -1 : 1);
        round_of(f, 0, 1, (const double[]){7});
        if (k == 1)
            round_of(f, 1, 1, (const double[]){5.5});
        fixture_done(f, 3);
    }
}

/* The sums of a task's first k records against the store's. */
static void same_sums(struct store *s, const struct record_scan *scan, int cell, int task, int64_t k)
{
    const struct scan_sums *got = record_scan_first(scan, record_scan_home(scan, cell, task), task, k);
    struct tally_sums want;
    struct record best;
    bool found;
    struct err err = {0};
    fixture_must(tally_sum(s, cell, task, k, &want, &err) &&
                     store_best(s, arena, (struct store_part){cell, task, k}, &best, &found, &err),
                 &err);
    ok(got->records == want.records && got->valid == want.valid, "cell %d, task %d, k = %d: counts are the store's",
       cell, task, (int)k);
    ok(fabs(got->cost_s - want.cost_s) < 1e-12 && fabs(got->wall_s - want.wall_s) < 1e-12 &&
           fabs(got->run_s - want.run_s) < 1e-12 && fabs(got->verify_s - want.verify_s) < 1e-12,
       "cell %d, task %d, k = %d: sums of seconds are the store's", cell, task, (int)k);
    /* NOLINTNEXTLINE(clang-analyzer-core.*): set where it is used */
    ok(found ? got->best == best.id && got->best_s == sample_mean(&best.sample) : got->best == 0 && isinf(got->best_s),
       "cell %d, task %d, k = %d: the best program is the store's", cell, task, (int)k);
}

static void test_steps(const struct record_scan *scan)
{
    const struct scan_kernel *a = &scan->of[0].kernels[0], *b = &scan->of[0].kernels[1];
    if (is_int(a->nsteps, 3, "kernel a became faster three times")) {
        is_near(a->steps[1].mean_s, 4e-3, 1e-12, "the second step of kernel a is at 4 ms");
        is_near(a->steps[1].elapsed_s, 3, 1e-12,
                "the second step of kernel a was measured three seconds into the cell");
        is_near(a->steps[2].wall_s, 4, 1e-12, "the last step of kernel a comes after four of its own trials");
        is_int(a->steps[2].ordinal, 6, "the last step of kernel a is the seventh trial of the cell");
    }
    is_int(b->nsteps, 2, "an equal time is no step");
    is_near(record_scan_wall(scan, 0, 0, 1), 4.0 / 3, 1e-12,
            "the first record has a third of its round's four seconds");
    is_near(record_scan_wall(scan, 0, 0, 4), 6, 1e-12, "four records have both rounds of their kernel");
}

static void test_spared(struct store *s)
{
    struct err err = {0};
    struct record_scan scan;
    double uncounted_s = NAN;
    fixture_must(record_scan_read(arena, s, NULL, 0, &scan, &err), &err);
    ok(scan.spared.trials == 10 && scan.spared.slow == 0 && isnan(scan.spared.bias) && scan.nalone == 0,
       "nothing is spared, checked or timed alone");
    fixture_must(database_script(store_database(s),
                                 "UPDATE trial SET computed_s = 2, spared_s = 3, full_s = id WHERE id IN (1, 2, 4);"
                                 "UPDATE trial SET cached_s = 0.5 WHERE id = 5;"
                                 "UPDATE trial SET alone_s = 4e-3 WHERE id IN (1, 2);"
                                 "INSERT INTO event VALUES(NULL, 0, 0, 'cached', '', 0.25, '', 0)",
                                 &err) &&
                     record_scan_read(arena, s, NULL, 0, &scan, &err) && tally_uncounted(s, &uncounted_s, &err),
                 &err);
    ok(scan.spared.slow == 3 && scan.spared.checked == 3 && scan.spared.spared_s == 9, "three trials are called less");
    ok(scan.spared.error_median == 0.5 && scan.spared.error_worst == 1, "half of a computed clock is off by more");
    is_near(scan.spared.bias, 6.0 / 7 - 1, 1e-12, "the bias is that of the sums");
    ok(scan.spared.cached == 1 && scan.spared.cached_s == 0.5 && scan.spared.cached_clock_s == 0.25,
       "a build that was found has its seconds, and those of the clock");
    if (is_int(scan.nalone, 1, "a failed program has no time beside builds"))
        is_near(scan.alone[0], 2, 1e-12, "the time beside builds is over that alone");
    is_near(uncounted_s, 9.25, 1e-12, "the clocks have both beyond what passed");
}

int main(void)
{
    struct err err = {0};
    struct record_scan scan;
    struct store_fixture f = {.scale = 1, .s = fixture_open(fixture_path("records"))};
    fill(&f);
    const int64_t asked[] = {4, 99};
    fixture_must(record_scan_read(arena, f.s, asked, 2, &scan, &err), &err);
    is_int(scan.ncells, 3, "three cells are read");
    is_int(scan.of[0].nk, 2, "the explorer's records are summed for the two k that are asked of it");
    for (int task = 0; task < 2; task++)
        for (int64_t k = 0; k <= 3; k += k ? 2 : 1)
            same_sums(f.s, &scan, 0, task, k);
    for (int cell = 1; cell < 3; cell++)
        for (int task = 0; task < 2; task++)
            same_sums(f.s, &scan, cell, task, 0);
    is_int(record_scan_home(&scan, 2, 1), 1, "a shared descent is found where it was run");
    test_steps(&scan);
    const struct scan_trial *t = record_scan_trial(&scan, 1);
    ok(t && t->cell == 0 && t->task == 0 && fabs(t->mean_s - 8e-3) < 1e-12, "the record a descent began from is known");
    ok(record_scan_trial(&scan, 4) && record_scan_trial(&scan, 4)->task == 1, "a record that was asked for is known");
    ok(!record_scan_trial(&scan, 99) && !record_scan_trial(&scan, 2), "a record that nobody asked for is not known");
    is_int(scan.nfailures, 1, "failures have one reason");
    is_int(scan.failures[0].count, 1, "the failures are of one candidate");
    ok(scan.failures[0].outcome == OUTCOME_BUILD_FAILED, "the failed candidate did not build");
    double repeats[SAMPLE_REPEATS];
    int n;
    fixture_must(record_scan_repeats(f.s, 1, repeats, &n, &err), &err);
    ok(n == 3 && fabs(repeats[0] - 7.2e-3) < 1e-12, "the repeats of a record are read");
    fixture_must(record_scan_repeats(f.s, 2, repeats, &n, &err), &err);
    is_int(n, 0, "a failed one has none");
    test_spared(f.s);
    fixture_must(database_run(store_database(f.s), &err, "UPDATE trial SET mean_s = -1 WHERE id = 1", ""), &err);
    ok(!record_scan_read(arena, f.s, asked, 2, &scan, &err) &&
           str_eq(err.text, "trial 1: the records are damaged, its time is -1 s"),
       "a damaged record is refused and is not the best of all: %s", err.text);
    store_close(f.s);
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* time_to_target and best_curve: hand-made records of two seeds; milliseconds and the clock at which they were
 * measured:
 *
 *     seed 1   a: 8 at 5 s, b: 6 at 10 s, a: 4 at 15 s, ends at 20 s     sums 14, then 10
 *     seed 2   a: 8 at 5 s, b: 4 at 10 s, ends at 20 s                   sum 12
 *
 * The target is 11 ms. Descents from the first record of each kernel (10 s of the explorer's clock) find 3 ms for a
 * after 2 s in seed 1, and fail in seed 2. A second network never has a valid b. */
#include "harness/report/data/time_to_target.h"

#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static void add_seed(struct store_fixture *f, int64_t seed)
{
    int64_t first[2];
    fixture_cell(f, "net", "ansor", seed, false, 0);
    fixture_round(f, 0, 8, 2.5);
    fixture_round(f, 1, seed == 1 ? 6 : 4, 2.5);
    if (seed == 1)
        fixture_round(f, 0, 4, 2.5);
    first[0] = f->id[0];
    first[1] = f->id[1];
    fixture_done(f, 20);
    f->home = f->cell;
    fixture_cell(f, "net", "dp-1", seed, false, 1);
    fixture_seeded(f, 0, first[0], -1);
    fixture_seeded(f, 1, first[1], -1);
    fixture_round(f, 0, seed == 1 ? 3 : 0, 1);
    fixture_done(f, 2);
    f->home = 0;
    fixture_cell(f, "bad", "ansor", seed, false, 0);
    fixture_round(f, 0, 8, 2.5);
    fixture_round(f, 1, 0, 2.5);
    fixture_done(f, 10);
}

static void test_curves(const struct results *r)
{
    int n;
    const struct best_curve_arm *arms = best_curves_make(r, 0, BEST_WALL, &n);
    ok(n == 2 && arms[0].n == 2 && arms[1].n == 2, "explorer and descent have curves of two seeds each");
    is_str(r->arms[arms[1].arm].label, "dp-1", "the second curve is the descent's");
    const struct best_curve *one = &arms[0].of[0], *descent = &arms[1].of[0];
    ok(isinf(best_curve_at(one, 9.9)), "there is no sum before both kernels have a record");
    is_near(best_curve_at(one, 10), 14e-3, 1e-12, "the sum is 14 ms at 10 s");
    is_near(best_curve_at(one, 14.9), 14e-3, 1e-12, "the sum is held until it falls");
    is_near(best_curve_at(one, 99), 10e-3, 1e-12, "the sum is 10 ms from 15 s on");
    is_near(best_curve_end(one), 20, 1e-12, "the curve goes to the end of the cell's clock");
    is_near(best_curve_reach(one, 10.5e-3), 15, 1e-12, "10.5 ms are reached after 15 s");
    ok(isinf(best_curve_reach(one, 9e-3)), "9 ms are never reached");
    is_near(best_curve_at(descent, 10), 14e-3, 1e-12, "a descent begins with its seeds, at their share of the clock");
    is_near(best_curve_reach(descent, 9.5e-3), 12, 1e-12, "a descent goes on by its own clock");
    struct best_band band = best_band_of(arena, &arms[0], 40);
    is_near(band.x[0], 10, 1e-12, "seeds are joined from when the last of them has a sum");
    is_near(band.median[0], 13e-3, 1e-12, "the line is the median of the seeds: 14 and 12 ms");
    is_near(band.low[0], 12e-3, 1e-12, "the band begins at the least of them");
    is_near(band.high[0], 14e-3, 1e-12, "the band ends at the largest");
    is_near(band.median[band.n - 1], 11e-3, 1e-12, "the last point is kept: the median of 10 and 12 ms");
    arms = best_curves_make(r, 1, BEST_WALL, &n);
    ok(arms[0].n == 2 && isinf(best_curve_last(&arms[0].of[0])), "a kernel without a record leaves no sum");
    is_int(best_band_of(arena, &arms[0], 40).n, 0, "such seeds have no band");
}

/* Of three seeds the second begins at 20 s, the third at 34 s: from 20 s on two of three are known. */
static void test_late_seeds(void)
{
    struct best_curve of[] = {{(double[]){5, 40}, (double[]){3, 2}, 2},
                              {(double[]){8, 20, 40}, (double[]){INFINITY, 4, 4}, 3},
                              {(double[]){34, 40}, (double[]){6, 1}, 2}};
    struct best_curve_arm arm = {.of = of, .n = 3};
    struct best_band band = best_band_of(arena, &arm, 40);
    is_near(band.x[0], 20, 1e-12, "a median begins when more than half of the seeds have a sum");
    is_near(band.median[0], 4, 1e-12, "the median of 3, 4 and none is 4");
    ok(isinf(band.high[0]), "the band is open above while a seed has no sum");
    is_near(band.high[1], 6, 1e-12, "the band has an upper end once every seed has a sum");
}

static void test_targets(const struct time_to_target_network *nets, int n)
{
    ok(n == 2 && nets[1].n == 0, "a network without sums has no target");
    const struct time_to_target_network *net = &nets[0];
    is_near(net->target_s, 11e-3, 1e-12, "the target is the median of 10 and 12 ms");
    const struct survival *explorer = &net->arms[0].of[3], *descent = &net->arms[1].of[3];
    is_near(time_to_target_q[3], 1.05, 1e-12, "the widest target is 1.05 times that");
    ok(explorer->n == 2 && explorer->reached == 1 && explorer->settled, "the explorer reaches it in one of two seeds");
    is_near(explorer->median, 15, 1e-12, "the explorer's median time is 15 s");
    is_near(explorer->expected, 35, 1e-12, "the explorer spends 35 s for one arrival");
    ok(descent->reached == 1, "the descent reaches it in one of two seeds, too");
    is_near(descent->expected, 24, 1e-12, "the descent spends 12 s in each seed");
    is_near(net->arms[1].p[3], 0.31731050786291415, 1e-9, "log-rank: one where a half was expected, variance 1/4");
    ok(isnan(net->arms[0].p[3]) && net->arms[1].holm[3] == net->arms[1].p[3], "one arm leaves nothing to correct");
}

int main(void)
{
    static const int64_t ks[] = {1};
    static struct plan_task rows[] = {{.weight = 1}, {.weight = 3}};
    static struct network nets[] = {{.name = "net", .nkernels = 2, .tasks = rows},
                                    {.name = "bad", .nkernels = 2, .tasks = rows}};
    static struct network *networks[] = {&nets[0], &nets[1]};
    static struct arm arms[] = {{.name = "ansor"}, {.name = "dp", .explore = "ansor", .k = ks, .nk = 1}};
    struct experiment e = {.stem = "t", .networks = networks, .nnetworks = 2, .arms = arms, .narms = 2, .seeds = 2};
    struct records records;
    struct results results;
    struct err err = {0};
    int n;
    struct store_fixture f = {.s = fixture_open(fixture_path("r")), .scale = 1};
    add_seed(&f, 1);
    add_seed(&f, 2);
    fixture_must(records_read(arena, f.s, &records, &err) && results_make(&records, &e, false, &results, &err), &err);
    test_late_seeds();
    test_curves(&results);
    const struct time_to_target_network *targets = time_to_target_make(&results, &n);
    test_targets(targets, n);
    const struct equal_quality *equal = equal_quality_make(&results, 0, &n);
    is_int(n, 3, "equal quality has a row over networks and one a network");
    is_near(equal[1].speedup.ratio, sqrt(20.0 / 12 * 10.0 / 12), 1e-12,
            "equal quality: 9 ms are never reached in 20 s against 12 s, 12 ms after 10 s against 12 s");
    ok(equal[1].runs == 2 && equal[1].reached == 1 && equal[2].runs == 0, "equal quality counts what is censored");
    e.seeds = 1;
    fixture_must(results_make(&records, &e, false, &results, &err), &err);
    (void)time_to_target_make(&results, &n);
    is_int(n, 0, "one seed has no time to target");
    store_close(f.s);
    return done_testing();
}

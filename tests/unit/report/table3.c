/* SPDX-License-Identifier: Apache-2.0 */
/* table3: a store of hand-made records gives the table computed by hand with the definitions of droplet.md 3.2: both
 * kernel sums, both clocks, the arm Ansor-k alone, shared descents, the shoot-out's times, and the means over networks
 * and seeds. Two kernels, a (called once) and b (three times). Milliseconds, costs and rounds of the Ansor log:
 *
 *     round 0, 0..10 s:  a: 8, failed      round 1, 10..30 s:  b: 6, 10, 12, 5     round 2, 30..36 s:  a: 4, 2
 *     costs              1, 2                                  1, 1, 1, 1                              3, 2
 *
 * 8 records, summed cost 12, mean cost 1.5; the cell's clock ends at 40 s (the last training is search time too). */
#include "harness/report/data/table3.h"

#include "harness/base/file.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct arena *arena;
static char folder[] = "/tmp/raingauge-test-XXXXXX";

/* The Ansor log above and two descents: from k = 1 (seeds 8 and 6) and from k = 3 (seeds 4 and 6: b's is the same). */
static void add_seed(struct store_fixture *f, int64_t seed, double scale, bool k_plus_one)
{
    int64_t log[16];
    int home;
    f->scale = scale;
    fixture_cell(f, "net", "ansor", seed, false, 0);
    fixture_begin(f, 0, 2, 0), fixture_trial(f, 0, 8, 1, 5), fixture_trial(f, 0, 0, 2, 4), fixture_end(f, 10);
    fixture_begin(f, 1, 4, 10);
    fixture_trial(f, 1, 6, 1, 6), fixture_trial(f, 1, 10, 1, 5), fixture_trial(f, 1, 12, 1, 5),
        fixture_trial(f, 1, 5, 1, 4), fixture_end(f, 30);
    fixture_begin(f, 0, 2, 30), fixture_trial(f, 0, 4, 3, 3), fixture_trial(f, 0, 2, 2, 3), fixture_end(f, 36);
    memcpy(log, f->id, sizeof log);
    fixture_again(f, log[7], 0, 2.2), fixture_again(f, log[7], 1, 2.0), fixture_again(f, log[7], 2, 2.9),
        fixture_again(f, log[5], 0, 5.5);
    fixture_again(f, log[2], 0, 6.6), fixture_again(f, log[0], 0, 8.8);
    fixture_done(f, 40);

    f->scale *= f->dp_scale;
    home = f->cell;
    fixture_cell(f, "net", "dp-1", seed, k_plus_one, 1);
    fixture_seeded(f, 0, log[0], -1), fixture_seeded(f, 1, log[2], -1);
    fixture_begin(f, 0, 2, 0), fixture_trial(f, 0, 6, 0.5, 0.7), fixture_trial(f, 0, 3, 0.5, 0.7), fixture_end(f, 1.4);
    fixture_begin(f, 1, 1, 1.4), fixture_trial(f, 1, 11, 2, 3), fixture_end(f, 4.4);
    fixture_again(f, f->id[1], 0, 3.3);
    fixture_done(f, 4.4);

    fixture_cell(f, "net", "dp-3", seed, k_plus_one, 3);
    fixture_seeded(f, 0, log[6], -1), fixture_seeded(f, 1, log[2], home);
    fixture_begin(f, 0, 2, 0), fixture_trial(f, 0, 3.5, 0.5, 0.5), fixture_trial(f, 0, 0, 0.25, 0.25),
        fixture_end(f, 0.75);
    f->cpu_share = 0.25;
    fixture_done(f, 0.75);
    f->cpu_share = 0;
}

static struct store *fill(const char *name, int64_t seeds, bool k_plus_one, bool late)
{
    static const double DP[] = {1, 1, 2 / 3., 4 / 3.}; /* of seeds 1 to 3 where there are three */
    struct store_fixture f = {.dp_scale = 1};
    f.s = fixture_open(file_join(arena, folder, name));
    for (int64_t i = 1; i <= seeds; i++) {
        f.dp_scale = seeds == 3 ? DP[i] : 1;
        add_seed(&f, i, (double)i, k_plus_one);
    }
    if (late) { /* begun, not done: must not count */
        fixture_cell(&f, "late", "ansor", 1, false, 0);
        fixture_begin(&f, 0, 1, 0), fixture_trial(&f, 0, 1, 1, 1), fixture_end(&f, 1);
    }
    return f.s;
}

static void make(struct store *s, int nnetworks, int64_t seeds, int ncells, struct table3 *t)
{
    static const int64_t ks[] = {1, 3};
    static struct arm arms[] = {{.name = "ansor"}, {.name = "dp", .explore = "ansor", .k = ks, .nk = 2}};
    static struct plan_task rows[] = {{.weight = 1}, {.weight = 3}};
    static struct network net = {.name = "net", .nkernels = 2, .tasks = rows},
                          late = {.name = "late", .nkernels = 2, .tasks = rows};
    static struct network *networks[] = {&net, &late};
    struct experiment e = {.stem = "t",
                           .networks = networks,
                           .nnetworks = nnetworks,
                           .arms = arms,
                           .narms = 2,
                           .seeds = seeds,
                           .plan = {.ncells = ncells}};
    struct err err = {0};
    fixture_must(table3_make(arena, &e, s, t, &err), &err);
}

#define NEAR(got, want, name) is_near(got, want, 1e-9, name)

static void test_ansor(const struct table3_network *n)
{
    is_int(n->kernels, 2, "K");
    is_int(n->calls, 4, "calls");
    is_int(n->ansor.trials, 8, "Ansor's trials");
    is_int(n->ansor.failed, 1, "one failed");
    NEAR(n->ansor.kernel_s[SUM_PLAIN], 7e-3, "2 + 5 ms");
    NEAR(n->ansor.kernel_s[SUM_CALLS], 17e-3, "2 + 3 x 5 ms");
    NEAR(n->ansor.search_s[CLOCK_WALL], 40, "the cell's clock");
    NEAR(n->ansor.search_s[CLOCK_RECORDS], 12, "8 records at 1.5 s");
    NEAR(n->ansor.search_s[CLOCK_SUM], 12, "the costs added up");
    NEAR(n->ansor.search_s[CLOCK_DEVICE], 6.8, "half of the costs ran, each of 8 was verified for 0.1 s");
    NEAR(n->ansor.search_s[CLOCK_CPU], 20, "the cell's CPU time");
    NEAR(n->ansor.retimed_s[SUM_PLAIN], 7.7e-3, "the median of the launches of each winner");
    NEAR(n->ansor.retimed_s[SUM_CALLS], 18.7e-3, "2.2 + 3 x 5.5 ms");
}

static void test_k(const struct table3_k *k)
{
    NEAR(k[0].ansor_k.kernel_s[SUM_PLAIN], 14e-3, "k = 1: seeds 8 + 6 ms");
    NEAR(k[0].ansor_k.kernel_s[SUM_CALLS], 26e-3, "by calls");
    NEAR(k[0].ansor_k.search_s[CLOCK_RECORDS], 3, "two records at the mean cost");
    NEAR(k[0].ansor_k.search_s[CLOCK_WALL], 10, "half of a's first round, a quarter of b's");
    NEAR(k[0].dpansor.kernel_s[SUM_PLAIN], 9e-3, "a improves to 3 ms, b keeps its seed");
    NEAR(k[0].dpansor.kernel_s[SUM_CALLS], 21e-3, "by calls");
    NEAR(k[0].dpansor.search_s[CLOCK_RECORDS], 8, "the seeds' 3 s, the descents' 3 s, the seed records 1 + 1 s");
    NEAR(k[0].dpansor.search_s[CLOCK_WALL], 14.4, "the seeds' 10 s and 0.7 + 0.7 + 3 s");
    is_int(k[0].dpansor.trials, 5, "two seeds' records and three of its own");
    NEAR(k[0].search_speedup[CLOCK_WALL], 40 / 14.4, "search speedup, wall");
    NEAR(k[0].search_speedup[CLOCK_RECORDS], 1.5, "search speedup, records");
    NEAR(k[0].kernel_speedup[SUM_PLAIN], 7.0 / 9, "kernel speedup, sum");
    NEAR(k[0].kernel_speedup[SUM_CALLS], 17.0 / 21, "kernel speedup, calls");
    NEAR(k[0].retimed_speedup[SUM_PLAIN], 7.7 / 9.9, "kernel speedup of the shoot-out");
    NEAR(k[0].ansor_k_kernel[SUM_PLAIN], 0.5, "Ansor-1 alone: kernels");
    NEAR(k[0].ansor_k_search[CLOCK_RECORDS], 4, "Ansor-1 alone: search");
    NEAR(k[0].seed_gain[SUM_PLAIN], 14.0 / 9, "what Droplet adds to its seed");
    is_int(k[0].shared, 0, "no descent is shared");
    NEAR(k[0].ansor_k.search_s[CLOCK_SUM], 2, "the costs of the two records themselves");
    NEAR(k[0].dpansor.search_s[CLOCK_SUM], 5, "and of the descents, the seeds' once");
    NEAR(k[0].dpansor.search_s[CLOCK_DEVICE], 3, "half of these, and 5 verifications");
    NEAR(k[0].ansor_k.search_s[CLOCK_CPU], 5, "CPU by the share of the wall clock");
    NEAR(k[0].dpansor.search_s[CLOCK_CPU], 7.2, "the descents' own added");
    is_int(table3_row_clocks(&k[0]), CLOCKS_SIZE, "2.78 on the wall, 1.5 of records: the clocks disagree in size");
    NEAR(k[0].timing_gain[SUM_PLAIN], 14 / 15.4, "the seeds re-timed: 8.8 + 6.6 ms, slower than recorded");
    NEAR(k[0].search_gain[SUM_PLAIN], 15.4 / 9.9, "what the descents found, both re-timed");

    NEAR(k[1].ansor_k.kernel_s[SUM_PLAIN], 10e-3, "k = 3: seeds 4 + 6 ms, the failed record counts as one of three");
    NEAR(k[1].ansor_k.search_s[CLOCK_RECORDS], 9, "six records");
    NEAR(k[1].ansor_k.search_s[CLOCK_WALL], 28, "a: 10 + 6/2, b: 20 x 3/4");
    NEAR(k[1].dpansor.kernel_s[SUM_PLAIN], 9.5e-3, "3.5 ms, and b's shared descent");
    NEAR(k[1].dpansor.search_s[CLOCK_RECORDS], 9 + 0.75 + 2 + 4, "a shared descent costs as if it had been run");
    NEAR(k[1].dpansor.search_s[CLOCK_WALL], 28 + 0.75 + 3, "on the wall too");
    is_int(k[1].shared, 1, "one descent is shared");
    NEAR(k[1].dpansor.search_s[CLOCK_CPU], 14 + 0.1875 + 1.5, "a shared descent has the CPU time of where it was run");
    is_int(table3_row_clocks(&k[1]), CLOCKS_DIRECTION, "40/31.75 on the wall, 12/15.75 of records: another side of 1");
    is_int(k[1].dpansor.failed, 1, "a failed candidate of the descent");
    ok(isnan(k[1].retimed_speedup[SUM_PLAIN]), "no shoot-out of 3.5 ms: no speedup of it");
}

/* Three seeds whose first descent ends at 3, 2 and 4 ms (times the seed's own scale): kernel ratios 7/9, 7/8, 7/10. The
 * interval by scipy's t quantile. */
static void test_interval(const struct table3 *t)
{
    const struct table3_k *k = &t->networks[0].k[0], *mean = &t->mean[0];
    is_int(k->nseeds, 3, "three seeds");
    NEAR(k->by_seed[1]->kernel_speedup[SUM_PLAIN], 7.0 / 8, "the second alone");
    NEAR(k->kernel_speedup[SUM_PLAIN], 0.7810051084291978, "geometric mean of the three");
    NEAR(k->low->kernel_speedup[SUM_PLAIN], 0.5918652019854541, "low end");
    NEAR(k->high->kernel_speedup[SUM_PLAIN], 1.0305876698719885, "high end");
    NEAR(k->p, 0.25, "three seeds of one sign: the least p there is");
    NEAR(k->holm, 0.25, "one network: nothing to correct");
    NEAR(mean->low->kernel_speedup[SUM_PLAIN], 0.5918652019854541, "the mean of one network has its interval");
    is_int(mean->nseeds, 3, "and its seeds");
    ok(isinf(mean->across_high->kernel_speedup[SUM_PLAIN]), "one network says nothing about others");
}

int main(void)
{
    struct table3 t;
    arena = arena_open("test");
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    struct store *s = fill("one", 1, false, false);
    make(s, 1, 1, 3, &t);
    ok(t.complete && t.cells_done == 3, "complete");
    test_ansor(&t.networks[0]);
    test_k(t.networks[0].k);
    NEAR(t.mean[0].kernel_speedup[SUM_PLAIN], 7.0 / 9, "the mean of one network is its own");
    ok(t.wins[0] == 0 && t.counted[0] == 1, "no win among one");
    ok(isinf(t.networks[0].k[0].high->kernel_speedup[SUM_PLAIN]) && isnan(t.networks[0].k[0].p),
       "one seed: no interval");
    store_close(s);

    s = fill("two", 2, false, true);
    make(s, 2, 2, 12, &t);
    const struct table3_network *n = &t.networks[0];
    ok(!t.complete && t.cells_done == 6, "6 of 12 cells are done");
    is_int(n->seeds, 2, "two seeds of net");
    NEAR(n->ansor.kernel_s[SUM_PLAIN], 10.5e-3, "times of seeds are averaged: 7 and 14 ms");
    NEAR(n->ansor.search_s[CLOCK_WALL], 40, "clocks too");
    is_int(n->ansor.trials, 16, "trials add up");
    NEAR(n->k[0].kernel_speedup[SUM_PLAIN], 7.0 / 9, "ratios by their geometric mean");
    NEAR(n->k[0].low->kernel_speedup[SUM_PLAIN], 7.0 / 9, "seeds that agree: an interval of width 0");
    is_int(t.networks[1].seeds, 0, "a network that is not done has no seeds");
    NEAR(t.mean[0].search_speedup[CLOCK_RECORDS], 1.5, "and no part in the mean");
    is_int(t.counted[0], 1, "nor in the count");
    store_close(s);

    s = fill("plus", 1, true, false);
    make(s, 1, 1, 3, &t);
    NEAR(t.networks[0].k[0].ansor_k.search_s[CLOCK_RECORDS], 6, "k_plus_one: four records (the authors' off-by-one)");
    NEAR(t.networks[0].k[1].ansor_k.kernel_s[SUM_PLAIN], 7e-3, "all of Ansor's at k = 3");
    store_close(s);

    s = fill("three", 3, false, false);
    make(s, 1, 3, 9, &t);
    test_interval(&t);
    store_close(s);

    static const char *const stores[] = {"one", "two", "plus", "three"};
    for (int i = 0; i < 4; i++)
        fixture_remove(file_join(arena, folder, stores[i]));
    fixture_remove(folder);
    arena_close(arena);
    return done_testing();
}

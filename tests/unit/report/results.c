/* SPDX-License-Identifier: Apache-2.0 */
/* results: a store of hand-made records gives the table computed by hand with the definitions of arXiv 2406.20037: both
 * kernel sums, all clocks, the explorer's first k records alone, shared descents, the re-timed times, and the means
 * over networks and seeds. Two kernels, a (called once) and b (three times). Milliseconds, costs and rounds of the
 * explorer:
 *
 *     round 0, 0..10 s:  a: 8, failed      round 1, 10..30 s:  b: 6, 10, 12, 5     round 2, 30..36 s:  a: 4, 2
 *     costs              1, 2                                  1, 1, 1, 1                              3, 2
 *
 * 8 records, summed cost 12, mean cost 1.5; the cell's clock ends at 40 s (the last training is search time too). */
#include "harness/report/data/results.h"

#include "harness/report/data/comparison.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

/* The Ansor log above and two descents: from k = 1 (seeds 8 and 6) and from k = 3 (seeds 4 and 6: b's is the same). */
static void add_seed(struct store_fixture *f, int64_t seed, double scale, bool k_plus_one)
{
    int64_t log[16];
    int home, from = f->cell;
    f->scale = scale;
    f->home = 0;
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
    f->home = from + 1;
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
    f.s = fixture_open(fixture_path("%s", name));
    for (int64_t i = 1; i <= seeds; i++) {
        f.dp_scale = seeds == 3 ? DP[i] : 1;
        add_seed(&f, i, (double)i, k_plus_one);
    }
    if (late) { /* begun, not done: must not count */
        f.home = 0;
        fixture_cell(&f, "late", "ansor", 1, false, 0);
        fixture_begin(&f, 0, 1, 0), fixture_trial(&f, 0, 1, 1, 1), fixture_end(&f, 1);
    }
    return f.s;
}

struct made {
    struct records records;
    struct results results;
    struct comparisons all;
};

static void make(struct store *s, int nnetworks, int64_t seeds, struct made *m)
{
    static const int64_t ks[] = {1, 3};
    static struct arm arms[] = {{.name = "ansor"}, {.name = "dp", .explore = "ansor", .k = ks, .nk = 2}};
    static struct plan_task rows[] = {{.weight = 1}, {.weight = 3}};
    static struct network net = {.name = "net", .nkernels = 2, .tasks = rows},
                          late = {.name = "late", .nkernels = 2, .tasks = rows};
    static struct network *networks[] = {&net, &late};
    struct experiment e = {
        .stem = "t", .networks = networks, .nnetworks = nnetworks, .arms = arms, .narms = 2, .seeds = seeds};
    const struct selection *kind = selection_find("table3");
    struct err err = {0};
    fixture_must(records_read(arena, s, &m->records, &err) &&
                     results_make(&m->records, &e, kind->seed_cost_again, &m->results, &err) &&
                     comparisons_make(&m->results, kind, 0.02, &m->all, &err),
                 &err);
}

#define NEAR(got, want, name) is_near(got, want, 1e-9, name)

static void test_explorer(const struct totals *t)
{
    is_int(t->trials, 8, "the explorer's trials are counted");
    is_int(t->failed, 1, "the failed trial of a cell is counted");
    NEAR(t->kernel_s[SUM_PLAIN], 7e-3, "the kernel sum of a cell is 2 + 5 ms");
    NEAR(t->kernel_s[SUM_CALLS], 17e-3, "the sum by calls of a cell is 2 + 3 x 5 ms");
    NEAR(t->search_s[CLOCK_WALL], 40, "the wall clock of a row is that of its cell");
    NEAR(t->search_s[CLOCK_RECORDS], 12, "the records clock of a cell is 8 records at 1.5 s");
    NEAR(t->search_s[CLOCK_SUM], 12, "the costs of a cell are added up");
    NEAR(t->search_s[CLOCK_DEVICE], 6.8, "half of the costs ran, each of 8 was verified for 0.1 s");
    NEAR(t->search_s[CLOCK_CPU], 20, "the CPU time of a row is that of its cell");
    NEAR(t->retimed_s[SUM_PLAIN], 7.7e-3, "re-timed it has the median of the launches of each program");
    NEAR(t->retimed_s[SUM_CALLS], 18.7e-3, "re-timed by calls: 2.2 + 3 x 5.5 ms");
}

static enum clocks_agree clocks(const struct comparison *c)
{
    return comparison_clocks(c->ratio[QUANTITY_SEARCH_WALL].ratio, c->ratio[QUANTITY_SEARCH_RECORDS].ratio);
}

static void test_k1(const struct comparison *c)
{
    const struct totals *seed = &c->of[PART_SEED], *kept = &c->of[PART_KEPT];
    NEAR(seed->kernel_s[SUM_PLAIN], 14e-3, "k = 1: the seeds take 8 + 6 ms");
    NEAR(seed->kernel_s[SUM_CALLS], 26e-3, "k = 1: the seeds by calls");
    NEAR(seed->search_s[CLOCK_RECORDS], 3, "k = 1: two records at the mean cost");
    NEAR(seed->search_s[CLOCK_WALL], 10, "k = 1: half of a's first round, a quarter of b's");
    NEAR(kept->kernel_s[SUM_PLAIN], 9e-3, "k = 1: a improves to 3 ms, b keeps its seed");
    NEAR(kept->kernel_s[SUM_CALLS], 21e-3, "k = 1: the same by calls");
    NEAR(kept->search_s[CLOCK_RECORDS], 8, "k = 1: the seeds' 3 s, the descents' 3 s, the seed records 1 + 1 s");
    NEAR(kept->search_s[CLOCK_WALL], 14.4, "k = 1: the seeds' 10 s and 0.7 + 0.7 + 3 s");
    is_int(kept->trials, 5, "k = 1: two seeds' records and three of its own");
    NEAR(c->ratio[QUANTITY_SEARCH_WALL].ratio, 40 / 14.4, "k = 1: search speedup on the wall");
    NEAR(c->ratio[QUANTITY_SEARCH_RECORDS].ratio, 1.5, "k = 1: search speedup of records");
    NEAR(c->ratio[QUANTITY_KERNEL].ratio, 7.0 / 9, "k = 1: kernel speedup of the sums");
    NEAR(c->ratio[QUANTITY_KERNEL_CALLS].ratio, 17.0 / 21, "k = 1: kernel speedup by calls");
    NEAR(c->ratio[QUANTITY_RETIMED].ratio, 7.7 / 9.9, "k = 1: kernel speedup of the re-timed programs");
    NEAR(c->ratio[QUANTITY_K_KERNEL].ratio, 0.5, "k = 1: kernels of the first records alone");
    NEAR(c->ratio[QUANTITY_K_SEARCH_RECORDS].ratio, 4, "k = 1: search of the first records alone");
    NEAR(c->ratio[QUANTITY_GAIN].ratio, 14.0 / 9, "k = 1: what the descent adds to its seed");
    is_int(c->shared, 0, "k = 1: no descent is shared");
    NEAR(seed->search_s[CLOCK_SUM], 2, "k = 1: the costs of the two records themselves");
    NEAR(kept->search_s[CLOCK_SUM], 5, "k = 1: and of the descents, the seeds' once");
    NEAR(kept->search_s[CLOCK_DEVICE], 3, "k = 1: half of these, and 5 verifications");
    NEAR(seed->search_s[CLOCK_CPU], 5, "k = 1: CPU by the share of the wall clock");
    NEAR(kept->search_s[CLOCK_CPU], 7.2, "k = 1: the descents' own CPU added");
    is_int(clocks(c), CLOCKS_SIZE, "2.78 on the wall, 1.5 of records: the clocks disagree in size");
    NEAR(c->ratio[QUANTITY_TIMING_GAIN].ratio, 14 / 15.4, "the seeds re-timed: 8.8 + 6.6 ms, slower than recorded");
    NEAR(c->ratio[QUANTITY_SEARCH_GAIN].ratio, 15.4 / 9.9, "what the descents found, both re-timed");
}

static void test_k3(const struct comparison *c)
{
    const struct totals *seed = &c->of[PART_SEED], *kept = &c->of[PART_KEPT];
    NEAR(seed->kernel_s[SUM_PLAIN], 10e-3, "k = 3: seeds 4 + 6 ms, the failed record counts as one of three");
    NEAR(seed->search_s[CLOCK_RECORDS], 9, "k = 3: six records at the mean cost");
    NEAR(seed->search_s[CLOCK_WALL], 28, "k = 3: of a 10 + 6/2 s, of b 20 x 3/4 s");
    NEAR(kept->kernel_s[SUM_PLAIN], 9.5e-3, "k = 3: 3.5 ms, and b's shared descent");
    NEAR(kept->search_s[CLOCK_RECORDS], 9 + 0.75 + 2 + 4, "k = 3: a shared descent costs as if it had been run");
    NEAR(kept->search_s[CLOCK_WALL], 28 + 0.75 + 3, "k = 3: on the wall too");
    is_int(c->shared, 1, "k = 3: one descent is shared");
    NEAR(kept->search_s[CLOCK_CPU], 14 + 0.1875 + 1.5, "a shared descent has the CPU time of where it was run");
    is_int(clocks(c), CLOCKS_DIRECTION, "40/31.75 on the wall, 12/15.75 of records: another side of 1");
    is_int(kept->failed, 1, "k = 3: a failed candidate of the descent");
    ok(isnan(c->ratio[QUANTITY_RETIMED].ratio), "3.5 ms was not re-timed: there is no speedup of it");
}

/* Three seeds whose first descent ends at 3, 2 and 4 ms (times the seed's own scale): kernel ratios 7/9, 7/8, 7/10. The
 * interval by scipy's t quantile. */
static void test_interval(const struct made *m)
{
    const struct estimate *e = &m->all.networks[0].ratio[QUANTITY_KERNEL],
                          *mean = &m->all.means[0].ratio[QUANTITY_KERNEL];
    const struct cell_result *second = results_cell(&m->results, m->all.arms[0], 0, 1);
    ok(e->over == ESTIMATE_SEEDS && e->n == 3, "the interval is over three seeds");
    NEAR(quantity_value(QUANTITY_KERNEL, second, second, -1), 7.0 / 8, "the second seed by itself");
    NEAR(e->ratio, 0.7810051084291978, "the geometric mean of three seeds");
    NEAR(e->low, 0.5918652019854541, "the low end over three seeds");
    NEAR(e->high, 1.0305876698719885, "the high end over three seeds");
    NEAR(m->all.networks[0].p, 0.25, "three seeds of one sign: the least p there is");
    NEAR(m->all.networks[0].p_holm, 0.25, "one network: nothing to correct");
    NEAR(mean->low, 0.5918652019854541, "the mean of one network has its interval");
    is_int(mean->n, 3, "the mean of one network has its seeds");
    ok(mean->rows.n == 1 && isinf(mean->rows.high), "one network says nothing about others");
}

static void test_two_seeds(const struct made *m)
{
    const struct comparison *c = &m->all.networks[0];
    is_int(c->seeds, 2, "two seeds of the network are done");
    NEAR(c->of[PART_EXPLORER].kernel_s[SUM_PLAIN], 10.5e-3, "times of seeds are averaged: 7 and 14 ms");
    NEAR(c->of[PART_EXPLORER].search_s[CLOCK_WALL], 40, "clocks of seeds are averaged too");
    is_int(c->of[PART_EXPLORER].trials, 16, "trials of seeds add up");
    NEAR(c->ratio[QUANTITY_KERNEL].ratio, 7.0 / 9, "ratios of seeds are joined by their geometric mean");
    NEAR(c->ratio[QUANTITY_KERNEL].low, 7.0 / 9, "seeds that agree have an interval of width 0");
    is_int(m->all.networks[1].seeds, 0, "a network that is not done has no seeds");
    NEAR(m->all.means[0].ratio[QUANTITY_SEARCH_RECORDS].ratio, 1.5,
         "a network that is not done has no part in the mean");
    is_int(m->all.means[0].counted, 1, "a network that is not done is not counted");
    is_int(m->all.means[0].seeds, 1, "one network is done");
}

int main(void)
{
    struct made m;
    struct store *s = fill("one", 1, false, false);
    make(s, 1, 1, &m);
    is_int(m.results.networks[0].kernels, 2, "the network has two kernels");
    is_int(m.results.networks[0].calls, 4, "the network calls them four times");
    test_explorer(&results_cell(&m.results, results_arm(&m.results, "ansor"), 0, 0)->of[PART_OWN]);
    test_explorer(&m.all.networks[0].of[PART_EXPLORER]);
    is_int(m.all.narms, 2, "the arm at two k is two rows");
    test_k1(&m.all.networks[0]);
    test_k3(&m.all.networks[1]);
    NEAR(m.all.means[0].ratio[QUANTITY_KERNEL].ratio, 7.0 / 9, "the mean of one network is its own");
    ok(m.all.means[0].wins == 0 && m.all.means[0].counted == 1, "no win among one network");
    const struct estimate *e = &m.all.networks[0].ratio[QUANTITY_KERNEL];
    ok(e->over == ESTIMATE_NOTHING && isnan(e->high) && isnan(m.all.networks[0].p), "one seed gives no interval");
    is_int(m.all.headline, QUANTITY_RETIMED, "re-timed programs stand for the kernels where there are some");
    store_close(s);

    s = fill("two", 2, false, true);
    make(s, 2, 2, &m);
    test_two_seeds(&m);
    store_close(s);

    s = fill("plus", 1, true, false);
    make(s, 1, 1, &m);
    NEAR(m.all.networks[0].of[PART_SEED].search_s[CLOCK_RECORDS], 6,
         "k_plus_one: four records (the authors' off-by-one)");
    NEAR(m.all.networks[1].of[PART_SEED].kernel_s[SUM_PLAIN], 7e-3, "k_plus_one: all of the explorer's at k = 3");
    store_close(s);

    s = fill("three", 3, false, false);
    make(s, 1, 3, &m);
    test_interval(&m);
    store_close(s);
    return done_testing();
}

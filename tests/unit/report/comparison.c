/* SPDX-License-Identifier: Apache-2.0 */
/* comparison: a store of hand-made records gives what is computed by hand: own records and what is kept, the arm's own
 * clocks, the tests over repeats and over launches, a kernel without a valid record, the first arm against the other.
 * Two kernels; milliseconds and costs of the explorer's log (every record's repeats are 0.9, 1 and 1.1 of its mean):
 *
 *     a: 8, failed, 4, 2        b: 6, 10, 12, 5       8 records, summed cost 12, mean cost 1.5
 *
 * p-values by the closed form of Student's distribution with 4 degrees of freedom. */
#include "harness/report/data/comparison.h"

#include "harness/report/data/pairwise.h"
#include "harness/report/data/report_column.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static void add_cell(struct store_fixture *f, const char *arm, int64_t seed, int explore, int64_t k)
{
    f->home = explore + 1;
    fixture_cell(f, "net", arm, seed, false, k);
}

static void done(struct store_fixture *f)
{
    fixture_done(f, f->elapsed_s);
}

static void seeded(struct store_fixture *f, int64_t a, int64_t b)
{
    fixture_seeded(f, 0, a, -1);
    fixture_seeded(f, 1, b, -1);
}

static void again(struct store_fixture *f, int64_t id, double first, double second, double third)
{
    const double ms[] = {first, second, third};
    for (int i = 0; i < 3 && ms[i] > 0; i++)
        fixture_again(f, id, i, ms[i]);
}

/* The explorer and two exploiters of its first record of each kernel (8 and 6 ms); rival finds nothing for b. In seed 2
 * all times are twice as long and the exploiter's first kernel takes 4 and not 3 ms. */
static void add_seed(struct store_fixture *f, int64_t seed)
{
    static const double a_ms[] = {8, 0, 4, 2}, b_ms[] = {6, 10, 12, 5}, a_cost[] = {1, 2, 3, 2};
    int64_t log[8];
    int home = f->cell;
    f->scale = (double)seed;
    add_cell(f, "ansor", seed, -1, 0);
    for (int i = 0; i < 4; i++)
        fixture_round(f, 0, a_ms[i], a_cost[i]);
    for (int i = 0; i < 4; i++)
        fixture_round(f, 1, b_ms[i], 1);
    for (int i = 0; i < 8; i++)
        log[i] = f->id[i];
    again(f, log[3], 2.2, 2.0, 2.4), again(f, log[7], 5.5, 0, 0), again(f, log[4], 6.6, 0, 0);
    done(f);

    add_cell(f, "droplet-1", seed, home, 1);
    seeded(f, log[0], log[4]);
    fixture_round(f, 0, 6, 0.5), fixture_round(f, 0, seed == 1 ? 3 : 4, 0.5), fixture_round(f, 1, 11, 2);
    again(f, f->id[1], 3.3, 3.1, 3.5);
    done(f);

    add_cell(f, "rival-1", seed, home, 1);
    seeded(f, log[0], log[4]);
    fixture_round(f, 0, 1, 0.25), fixture_round(f, 1, 0, 0.25);
    done(f);
}

static struct store *fill(const char *name, int64_t seeds)
{
    struct store_fixture f = {.s = fixture_open(fixture_path("%s", name))};
    for (int64_t i = 1; i <= seeds; i++)
        add_seed(&f, i);
    return f.s;
}

struct made {
    struct records records;
    struct results results;
    struct comparisons all;
};

static bool make(struct store *s, int64_t base, int64_t seeds, const char *kind, struct made *m, struct err *err)
{
    static const int64_t ks[] = {1};
    static struct plan_task rows[] = {{.weight = 1}, {.weight = 3}};
    static struct network net = {.name = "net", .nkernels = 2, .tasks = rows};
    static struct network *networks[] = {&net};
    struct arm arms[] = {{.name = "ansor"}, {.name = "droplet", .explore = "ansor", .k = ks, .nk = 1}};
    struct experiment e = {
        .stem = "t", .networks = networks, .nnetworks = 1, .arms = arms, .narms = 2, .seed_base = base, .seeds = seeds};
    return records_read(arena, s, &m->records, err) && results_make(&m->records, &e, false, &m->results, err) &&
           comparisons_make(&m->results, selection_find(kind), 0.02, &m->all, err);
}

#define NEAR(got, want, name) is_near(got, want, 1e-9, name)

static void test_droplet(const struct made *m)
{
    const struct comparison *c = &m->all.networks[0];
    const struct kernel_result *k = results_cell(&m->results, m->all.arms[0], 0, 0)->kernels;
    is_str(m->results.arms[m->all.arms[0]].label, "droplet-1", "the first arm is the experiment's");
    NEAR(c->of[PART_EXPLORER].kernel_s[0], 7e-3, "the explorer takes 2 + 5 ms");
    NEAR(c->of[PART_SEED].kernel_s[0], 14e-3, "the seeds take 8 + 6 ms");
    NEAR(c->of[PART_OWN].kernel_s[0], 14e-3, "the arm's own records take 3 + 11 ms");
    NEAR(c->of[PART_KEPT].kernel_s[0], 9e-3, "kept are 3 ms, and the seed's 6");
    NEAR(c->ratio[QUANTITY_OWN].ratio, 0.5, "speedup of own records");
    NEAR(c->ratio[QUANTITY_KERNEL].ratio, 7.0 / 9, "speedup of what is kept");
    NEAR(c->ratio[QUANTITY_RETIMED].ratio, 7.7 / 9.9, "speedup re-timed: 2.2 + 5.5 over 3.3 + 6.6");
    NEAR(c->ratio[QUANTITY_GAIN].ratio, 14.0 / 9, "gain over the seed");
    NEAR(c->of[PART_OWN].search_s[CLOCK_RECORDS], 3, "cost of the arm alone in records");
    NEAR(c->of[PART_OWN].search_s[CLOCK_WALL], 6, "cost of the arm alone on the wall");
    NEAR(c->ratio[QUANTITY_SEARCH_RECORDS].ratio, 12.0 / (3 + 3),
         "search speedup: 12 s over two first records at 1.5 s and the arm's 3 s");
    ok(c->of[PART_OWN].trials == 3 && c->of[PART_OWN].failed == 0 && c->found == 2,
       "the arm has three records and found both kernels");
    NEAR(k[0].p_repeats, 0.00862392918634014, "kernel a: 3 against 2 ms over repeats");
    NEAR(k[1].p_repeats, 0.0908479821381456, "kernel b: 6 against 5 ms over repeats");
    NEAR(k[0].p_launches, 0.0018678064661210583, "kernel a over launches, paired");
    ok(isnan(k[1].p_launches), "one launch each gives no test");
    ok(c->repeats.worse == 1 && c->repeats.open == 1 && c->repeats.better == 0,
       "over repeats one is worse, one is open");
    ok(c->launches.worse == 1 && c->launches.open == 1, "over launches one is worse, one is open");
    NEAR(c->spread_repeats, 0.1, "repeats at 0.9, 1 and 1.1 have a tenth of the mean as sd");
    NEAR(c->spread_launches, 0.2 / 3.3, "launches 3.1, 3.3, 3.5 ms have 0.2 ms as sd");
}

/* Its rounds are a record each, of twice its cost: 24 s for all, 2 and 2 s for the first of each kernel. */
static void test_clocks(const struct comparison *c)
{
    NEAR(c->of[PART_EXPLORER].search_s[CLOCK_WALL], 24, "the explorer takes 24 s on the wall");
    NEAR(c->of[PART_SEED].search_s[CLOCK_WALL], 4, "its first records take 4 s");
    NEAR(c->ratio[QUANTITY_SEARCH_WALL].ratio, 24.0 / (4 + 6), "search speedup on the wall");
    NEAR(c->ratio[QUANTITY_EACH].ratio, sqrt(2.0 / 3 * 5 / 6), "kernels alike: 2 over 3 and 5 over 6 ms");
    NEAR(c->ratio[QUANTITY_EACH_RETIMED].ratio, sqrt(2.2 / 3.3 * 5.5 / 6.6), "kernels alike, re-timed");
}

/* One seed: a network's sum has no interval, kernels have one: t (12.706) on ln 2/3 and ln 5/6. */
static void test_one_seed(const struct comparisons *all)
{
    const struct estimate *e = all->means[0].ratio;
    ok(e[QUANTITY_KERNEL].over == ESTIMATE_NOTHING && isnan(e[QUANTITY_KERNEL].low),
       "one seed of one network has no interval");
    ok(e[QUANTITY_EACH].over == ESTIMATE_ROWS && e[QUANTITY_EACH].n == 2,
       "the mean of kernels counted alike has an interval over two kernels");
    is_str(report_column_rows(COL_KERNEL_GEOMEAN), "kernels",
           "the mean of kernels counted alike is said to be over kernels");
    is_str(report_column_rows(COL_KERNEL_SPEEDUP), "networks", "the ratio of sums is said to be over networks");
    double half = 12.706204736174698 * fabs(log(2.0 / 3) - log(5.0 / 6)) / 2;
    NEAR(e[QUANTITY_EACH].low, sqrt(5.0 / 9) * exp(-half), "the low end over two kernels");
    NEAR(e[QUANTITY_EACH].high, sqrt(5.0 / 9) * exp(half), "the high end over two kernels");
    ok(e[QUANTITY_EACH].better.losses == 2, "both kernels are slower than the explorer's");
}

/* Two seeds: 7/9 and 14/20 of the first arm, 1 and 1 of the second. */
static void test_two_seeds(const struct comparisons *all)
{
    const struct estimate *e = &all->means[0].ratio[QUANTITY_KERNEL], *rival = &all->means[1].ratio[QUANTITY_KERNEL];
    ok(e->over == ESTIMATE_SEEDS && e->n == 2 && e->method == INTERVAL_POOLED && e->df == 1,
       "two seeds have an interval over seeds");
    NEAR(e->low, 0.3778111438575243, "the low end over two seeds");
    NEAR(e->high, 1.4410491942761723, "the high end over two seeds");
    NEAR(e->p, 0.10923711051903061, "two seeds have the p of scipy's t-test with one degree of freedom");
    NEAR(e->holm, 0.21847422103806122, "Holm corrects over two arms");
    ok(rival->better.ties == 2 && rival->better.share == 0.5, "the rival ties twice");
    const struct estimate *wall = &all->networks[0].ratio[QUANTITY_SEARCH_WALL];
    ok(wall->low == wall->high, "equal clocks have an interval that is a point");
}

static void test_rival(const struct made *m)
{
    const struct comparison *c = &m->all.networks[1], *mean = &m->all.means[1];
    const struct kernel_result *k = results_cell(&m->results, m->all.arms[1], 0, 0)->kernels;
    is_str(m->results.arms[m->all.arms[1]].label, "rival-1", "an arm that only the records know is there, too");
    ok(c->found == 1 && c->of[PART_OWN].failed == 1, "the rival found one kernel, one of its records failed");
    ok(isinf(c->of[PART_OWN].kernel_s[0]) && isnan(c->ratio[QUANTITY_OWN].ratio),
       "an arm without a kernel has no sum of its own records");
    NEAR(c->of[PART_KEPT].kernel_s[0], 7e-3, "the rival with its seed takes 1 + 6 ms");
    NEAR(c->ratio[QUANTITY_KERNEL].ratio, 1, "the rival with its seed is as fast as the explorer");
    ok(k[0].p_repeats <= COMPARISON_P && c->repeats.better == 1, "kernel a is better, 1 against 2 ms");
    ok(mean->seeds == 1 && mean->complete == 0 && mean->of[PART_OWN].kernel_s[0] == 0,
       "the network of the rival is not complete");
}

/* What is kept of the rival over what is kept of the first: 7 over 9 ms; its cost 0.5 over 3 s. */
static void test_pairwise(const struct comparisons *all)
{
    int n;
    const struct pairwise *p = pairwise_make(all, 0.02, &n);
    is_int(n, 1, "the first arm stands against one other");
    NEAR(p[0].ratio[PAIRWISE_RECORDS].ratio, 0.5 / 3, "cost of the arms alone in records");
    NEAR(p[0].ratio[PAIRWISE_WALL].ratio, 1.0 / 6, "cost of the arms alone on the wall");
    ok(isnan(p[0].ratio[PAIRWISE_KERNELS].ratio), "the rival was not re-timed: its kernels are not compared");
}

static void test_declared(const struct comparisons *all, const struct comparison *droplet)
{
    static const char *networks[] = {"net", "other"}, *names[] = {"rival-1"};
    struct experiment e = {.answer_networks = {networks, 1}, .answer_over = ""};
    int n;
    const struct pairwise *p = pairwise_declared(all, &e, 0.02, &n);
    is_int(n, 2, "every arm counts where none is named");
    NEAR(p[0].ratio[PAIRWISE_KERNELS].ratio, droplet->ratio[QUANTITY_RETIMED].ratio,
         "a declared arm is set against its explorer where no other is named");
    ok(isnan(p[1].ratio[PAIRWISE_KERNELS].ratio), "an arm that was not re-timed has no number where others were");
    e.answer_over = "rival-1"; /* an arm that only the records know has its label for a name */
    p = pairwise_declared(all, &e, 0.02, &n);
    is_str(n == 1 ? all->results->arms[p[0].other].label : "", "rival-1", "an arm is not set against itself");
    e = (struct experiment){.answer_networks = {networks, 2}, .answer_over = "", .answer_arms = {names, 1}};
    p = pairwise_declared(all, &e, 0.02, &n);
    ok(n == 1 && isnan(p[0].ratio[PAIRWISE_KERNELS].ratio),
       "a network that is not there leaves the arm without a number");
}

/* As if both arms measured their seeds again, the first under two conditions: it keeps 3 and 6 ms, the rival 1 and 6.
 */
static void test_conditions(struct made *m)
{
    struct result_arm *with = &m->results.arms[1], *without = &m->results.arms[2];
    int n;
    with->remeasures = without->remeasures = true;
    with->conditions = "threads=2, mcpu=x86-64";
    (void)pairwise_conditions(&m->all, 0.02, &n);
    is_int(n, 0, "arms that differ in two conditions say nothing of either");
    without->conditions = "threads=2";
    const struct condition_effect *e = pairwise_conditions(&m->all, 0.02, &n);
    is_str(n == 1 ? e[0].condition : "", "mcpu=x86-64", "arms that differ in one condition speak of it");
    is_int(e[0].pairs, 1, "two arms are one pair");
    NEAR(e[0].tuned.ratio, sqrt(1.0 / 3 * 6 / 6),
         "a condition's effect is the mean over kernels of the ratio of times");
    ok(e[0].tuned.over == ESTIMATE_ROWS && e[0].tuned.n == 2, "the interval of one seed is over the two kernels");
    without->conditions = "mcpu=x86-64";
    e = pairwise_conditions(&m->all, 0.02, &n);
    is_str(n == 1 ? e[0].condition : "", "threads=2", "the first condition of the text is found as well as the last");
}

int main(void)
{
    struct made m;
    struct err err = {0};
    struct store *s = fill("one", 1);
    fixture_must(make(s, 0, 1, "contest", &m, &err), &err);
    is_int(m.all.narms, 2, "two arms explore the first");
    test_droplet(&m);
    test_rival(&m);
    test_clocks(&m.all.networks[0]);
    test_one_seed(&m.all);
    test_pairwise(&m.all);
    test_declared(&m.all, &m.all.means[0]);
    is_int(m.all.headline, QUANTITY_RETIMED, "kernel sums, re-timed, stand for the kernels of a contest");
    fixture_must(make(s, 0, 1, "micro", &m, &err), &err);
    is_int(m.all.headline, QUANTITY_EACH_RETIMED, "every kernel alike stands for those of micro");
    test_conditions(&m);
    store_close(s);

    s = fill("two", 2);
    fixture_must(make(s, 0, 2, "contest", &m, &err), &err);
    const struct comparison *c = &m.all.networks[0];
    is_int(c->seeds, 2, "two seeds are done");
    NEAR(c->of[PART_KEPT].kernel_s[0], (9e-3 + 20e-3) / 2, "times of seeds are averaged: 9 and 20 ms");
    NEAR(c->ratio[QUANTITY_KERNEL].ratio, sqrt(7.0 / 9 * 14.0 / 20), "ratios of seeds by their geometric mean");
    ok(c->of[PART_OWN].trials == 6, "records of seeds add up");
    NEAR(m.all.means[0].ratio[QUANTITY_KERNEL].ratio, c->ratio[QUANTITY_KERNEL].ratio,
         "the mean of one network is its own");
    test_two_seeds(&m.all);
    fixture_must(make(s, 1, 1, "contest", &m, &err), &err);
    c = &m.all.networks[0];
    is_int(c->seeds, 1, "with first_seed 2 and one seed the second counts alone");
    NEAR(c->ratio[QUANTITY_KERNEL].ratio, 14.0 / 20, "its ratio is the second seed's");
    store_close(s);

    struct store_fixture alone = {.s = fixture_open(fixture_path("alone")), .scale = 1};
    add_cell(&alone, "ansor", 1, -1, 0);
    fixture_round(&alone, 0, 8, 1);
    done(&alone);
    struct results results;
    struct experiment none = {.stem = "t", .seeds = 1};
    fixture_must(
        records_read(arena, alone.s, &m.records, &err) && results_make(&m.records, &none, false, &results, &err), &err);
    ok(!comparisons_make(&results, selection_find("contest"), 0, &m.all, &err),
       "an experiment without an arm that explores is refused: %s", err.text);
    store_close(alone.s);

    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* race: search time until an arm is as good as the first is in the end, of hand-made records on two networks of two
 * kernels, a and b. Seconds are twice the costs; sums are of the best of each kernel, in ms.
 *
 *     net, seed 1: first  a 8, b 6, a 4, b 5 (1 s of cost each): ends with 9 after 8 s, re-timed 5 + 6 = 11
 *     net, seed 2: first  a 8, b 6, a 6, b 5: ends with 11 after 8 s, re-timed 6 + 7 = 13
 *     so the targets are 10 and, re-timed, 12
 *     net, seed 1: quick  a 5, b 5, a 4 (0.5 s each): 10 after 2 s, 9 after 3 s, re-timed 6 + 6 = 12
 *     net, seed 2: quick  a 9, b 9, a 8 (1 s each): ends with 17 after 6 s, re-timed 20
 *     net: slow           a 9, b 9 in both (8 s each): 18 after 32 s
 *     other: first a 8, b 6: 14 after 4 s; quick the same after 0.5 s; slow after 8 s */
#include "harness/report/data/race.h"

#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

#define NEAR(is, want, ...) ok(fabs((is) - (want)) <= 1e-9 * fabs((double)(want)), __VA_ARGS__)

static void cell(struct store_fixture *f, const char *network, const char *arm, int64_t seed)
{
    f->home = 0;
    fixture_cell(f, network, arm, seed, false, 0);
}

/* The fastest of both kernels, timed again. */
static void again(struct store_fixture *f, int a, double a_ms, int b, double b_ms)
{
    fixture_again(f, f->id[a], 0, a_ms);
    fixture_again(f, f->id[b], 0, b_ms);
}

static void add_net(struct store_fixture *f, int64_t seed)
{
    bool one = seed == 1;
    cell(f, "net", "first", seed);
    fixture_round(f, 0, 8, 1), fixture_round(f, 1, 6, 1), fixture_round(f, 0, one ? 4 : 6, 1),
        fixture_round(f, 1, 5, 1);
    again(f, 2, one ? 5 : 6, 3, one ? 6 : 7);
    fixture_done(f, f->elapsed_s);
    cell(f, "net", "quick", seed);
    fixture_round(f, 0, one ? 5 : 9, one ? 0.5 : 1), fixture_round(f, 1, one ? 5 : 9, one ? 0.5 : 1);
    fixture_round(f, 0, one ? 4 : 8, one ? 0.5 : 1);
    again(f, 2, one ? 6 : 10, 1, one ? 6 : 10);
    fixture_done(f, f->elapsed_s);
    cell(f, "net", "slow", seed);
    fixture_round(f, 0, 9, 8), fixture_round(f, 1, 9, 8);
    fixture_done(f, f->elapsed_s);
}

static void add_other(struct store_fixture *f, int64_t seed)
{
    static const char *const arms[] = {"first", "quick", "slow"};
    static const double cost[] = {1, 0.125, 2};
    for (int i = 0; i < 3; i++) {
        cell(f, "other", arms[i], seed);
        fixture_round(f, 0, 8, cost[i]), fixture_round(f, 1, 6, cost[i]);
        fixture_done(f, f->elapsed_s);
    }
}

static void make(struct store *s, struct race_results *out)
{
    static struct plan_task rows[] = {{.weight = 1}, {.weight = 3}};
    static struct network net = {.name = "net", .nkernels = 2, .tasks = rows},
                          other = {.name = "other", .nkernels = 2, .tasks = rows};
    static struct network *networks[] = {&net, &other};
    static struct records records;
    static struct results results;
    static struct comparisons all;
    struct arm arms[] = {{.name = "first"}, {.name = "quick"}, {.name = "slow"}};
    struct experiment e = {
        .stem = "t", .report = "race", .networks = networks, .nnetworks = 2, .arms = arms, .narms = 3, .seeds = 2};
    struct err err = {0};
    fixture_must(records_read(arena, s, &records, &err) && results_make(&records, &e, false, &results, &err) &&
                     results_race(&results, &err) &&
                     comparisons_make(&results, selection_find("race"), 0.02, &all, &err),
                 &err);
    race_make(&all, 0.02, out);
}

static const struct race_parity *row(const struct race_results *r, int arm, int network)
{
    for (int i = 0; i < r->narms; i++)
        if (r->parity[i].arm == arm && r->parity[i].network == network)
            return &r->parity[i];
    bug("no such row");
}

static void test_one_network(const struct race_results *r)
{
    const struct race_parity *quick = row(r, 1, 0), *slow = row(r, 2, 0);
    NEAR(quick->target_s, 10e-3, "the target is the median over seeds of what the first arm ends with");
    NEAR(quick->whole_s, 8, "the first arm's whole time counts, not the time until it has the target");
    is_int(quick->runs[RACE_TUNED], 2, "both seeds are runs");
    is_int(quick->reached[RACE_TUNED], 1, "one of them gets there");
    NEAR(quick->reach_s, 2, "its time is that until its sum is as low as the target");
    NEAR(quick->geometric[RACE_TUNED].ratio, sqrt(8. / 2 * 1),
         "a run that ends sooner and never gets there counts with 1 and not as a gain");
    NEAR(quick->arithmetic[RACE_TUNED].ratio, quick->geometric[RACE_TUNED].ratio, "one network has one mean");
    NEAR(slow->geometric[RACE_TUNED].ratio, 8. / 32,
         "a run that takes longer and never gets there counts with its time");
    is_int(slow->reached[RACE_TUNED], 0, "such a run is not among those that get there");
}

static void test_retimed(const struct race_results *r)
{
    const struct race_parity *quick = row(r, 1, 0), *slow = row(r, 2, 0);
    is_int(quick->runs[RACE_RETIMED], 2, "runs of re-timed programs are those of which all were");
    NEAR(quick->geometric[RACE_RETIMED].ratio, sqrt(8. / 3 * 1),
         "re-timed, sums on the way are scaled as the last one is, and the target is the first arm's re-timed one");
    is_int(slow->runs[RACE_RETIMED], 0, "an arm whose programs were not re-timed has no such number");
    ok(isnan(slow->geometric[RACE_RETIMED].ratio), "no number is made up for it");
}

static void test_means(const struct race_results *r)
{
    const struct race_parity *quick = row(r, 1, -1);
    const struct estimate *g = &quick->geometric[RACE_TUNED], *a = &quick->arithmetic[RACE_TUNED];
    is_int(quick->runs[RACE_TUNED], 4, "runs of networks add up");
    is_int(quick->reached[RACE_TUNED], 3, "runs that get there add up, too");
    NEAR(row(r, 1, 1)->geometric[RACE_TUNED].ratio, 8, "the other network is eight times as soon");
    NEAR(g->ratio, 4, "over networks the geometric mean of 2 and 8");
    NEAR(a->ratio, 5, "and the arithmetic mean, as published");
    NEAR(a->half, g->half * sqrt(2. * (4 + 64)) / 10, "its interval goes by the networks' weights in the mean");
    NEAR(a->low * a->high, 25, "to either side alike on the log scale");
    ok(isfinite(a->half) && a->df == g->df && a->over == ESTIMATE_SEEDS, "over as many degrees of freedom");
    ok(isnan(quick->target_s) && isnan(quick->reach_s), "times of networks are not averaged");
}

static void test_pairs(const struct race_results *r)
{
    if (!is_int(r->npairs, 1, "three arms make one pair without the first"))
        return;
    const struct race_parity *p = r->pairs;
    ok(p->arm == 2 && p->over == 1 && p->network == -1, "the later arm is set against the earlier one, over networks");
    is_int(p->networks, 2, "on both networks");
    is_int(p->runs[RACE_TUNED], 4, "in all runs");
    is_int(p->reached[RACE_TUNED], 2, "on the second network only the later one gets to what the earlier ends with");
    double net = sqrt(3. / 32 * 6 / 32), other = 0.5 / 8;
    NEAR(p->geometric[RACE_TUNED].ratio, sqrt(net * other), "the earlier arm's whole times count, not the first's");
    NEAR(p->arithmetic[RACE_TUNED].ratio, (net + other) / 2, "and the arithmetic mean is over networks, too");
}

int main(void)
{
    struct race_results r;
    struct store_fixture f = {.s = fixture_open(fixture_path("r")), .scale = 1};
    for (int64_t seed = 1; seed <= 2; seed++) {
        add_net(&f, seed);
        add_other(&f, seed);
    }
    make(f.s, &r);
    test_one_network(&r);
    test_retimed(&r);
    test_means(&r);
    test_pairs(&r);
    store_close(f.s);
    return done_testing();
}

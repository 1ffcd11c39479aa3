/* SPDX-License-Identifier: Apache-2.0 */
/* contest: a store of hand-made records gives what is computed by hand: own records and what is kept, exploitation's
 * own clocks, the tests over repeats and over launches, a kernel without a valid record. Two kernels; milliseconds and
 * costs of the explorer's log (every record's repeats are 0.9, 1 and 1.1 of its mean):
 *
 *     a: 8, failed, 4, 2        b: 6, 10, 12, 5       8 records, summed cost 12, mean cost 1.5
 *
 * p-values by the closed form of Student's distribution with 4 degrees of freedom. */
#include "harness/report/data/contest.h"

#include "harness/base/file.h"
#include "harness/report/data/confidence.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static struct arena *arena;
static char folder[] = "/tmp/raingauge-test-XXXXXX";

static void add_cell(struct store_fixture *f, const char *arm, int64_t seed, int explore, int64_t k)
{
    f->home = explore + 1;
    fixture_cell(f, "net", arm, seed, false, k);
}

/* A round of one record. ms 0: the candidate failed. */
static void trial(struct store_fixture *f, int task, double ms, double cost_s)
{
    fixture_begin(f, task, 1, f->elapsed_s);
    fixture_trial(f, task, ms, cost_s, 2 * cost_s);
    fixture_end(f, f->elapsed_s);
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
        trial(f, 0, a_ms[i], a_cost[i]);
    for (int i = 0; i < 4; i++)
        trial(f, 1, b_ms[i], 1);
    for (int i = 0; i < 8; i++)
        log[i] = f->id[i];
    again(f, log[3], 2.2, 2.0, 2.4), again(f, log[7], 5.5, 0, 0), again(f, log[4], 6.6, 0, 0);
    done(f);

    add_cell(f, "droplet-1", seed, home, 1);
    seeded(f, log[0], log[4]);
    trial(f, 0, 6, 0.5), trial(f, 0, seed == 1 ? 3 : 4, 0.5), trial(f, 1, 11, 2);
    again(f, f->id[1], 3.3, 3.1, 3.5);
    done(f);

    add_cell(f, "rival-1", seed, home, 1);
    seeded(f, log[0], log[4]);
    trial(f, 0, 1, 0.25), trial(f, 1, 0, 0.25);
    done(f);
}

static struct store *fill(const char *name, int64_t seeds)
{
    struct store_fixture f = {.s = fixture_open(file_join(arena, folder, name))};
    for (int64_t i = 1; i <= seeds; i++)
        add_seed(&f, i);
    return f.s;
}

static bool make(struct store *s, int64_t base, int64_t seeds, bool exploits, struct contest *c, struct err *err)
{
    static const int64_t ks[] = {1};
    static struct plan_task rows[] = {{.weight = 1}, {.weight = 3}};
    static struct network net = {.name = "net", .nkernels = 2, .tasks = rows};
    static struct network *networks[] = {&net};
    struct arm arms[] = {{.name = "ansor"},
                         {.name = "droplet", .explore = exploits ? "ansor" : NULL, .k = ks, .nk = 1}};
    struct experiment e = {
        .stem = "t", .networks = networks, .nnetworks = 1, .arms = arms, .narms = 2, .seed_base = base, .seeds = seeds};
    return contest_make(arena, &e, s, c, err);
}

#define NEAR(got, want, name) is_near(got, want, 1e-9, name)

static void test_droplet(const struct contest_entrant *e)
{
    const struct contest_sums *s = &e->rows[0].sums;
    const struct contest_kernel *k = e->rows[0].kernels[0];
    is_str(e->label, "droplet-1", "first entrant");
    NEAR(s->explorer_s, 7e-3, "explorer: 2 + 5 ms");
    NEAR(s->seed_s, 14e-3, "seeds: 8 + 6 ms");
    NEAR(s->own_s, 14e-3, "own records: 3 + 11 ms");
    NEAR(s->kept_s, 9e-3, "kept: 3 ms, and the seed's 6");
    NEAR(s->ratio[RATIO_OWN], 0.5, "speedup of own records");
    NEAR(s->ratio[RATIO_KEPT], 7.0 / 9, "of what is kept");
    NEAR(s->ratio[RATIO_AGAIN], 7.7 / 9.9, "of the shoot-out: 2.2 + 5.5 over 3.3 + 6.6");
    NEAR(s->ratio[RATIO_GAIN], 14.0 / 9, "gain over the seed");
    NEAR(s->cost_s, 3, "exploitation alone, records");
    NEAR(s->wall_s, 6, "on the wall");
    NEAR(s->ratio[RATIO_RECORDS], 12.0 / (3 + 3), "12 s over two first records at 1.5 s and the exploiter's 3 s");
    ok(s->records == 3 && s->failed == 0 && s->counted == 2, "three records, both kernels found");
    NEAR(k[0].p, 0.00862392918634014, "a: 3 against 2 ms over repeats");
    NEAR(k[1].p, 0.0908479821381456, "b: 6 against 5 ms");
    NEAR(k[0].p_again, 0.0025308078153822855, "a over launches");
    ok(isnan(k[1].p_again), "one launch each: no verdict");
    ok(s->sign[SIGN_WORSE] == 1 && s->sign[SIGN_OPEN] == 1 && s->sign[SIGN_BETTER] == 0,
       "repeats: one worse, one open");
    ok(s->sign_again[SIGN_WORSE] == 1 && s->sign_again[SIGN_OPEN] == 1, "launches: one worse, one open");
    NEAR(s->spread, 0.1, "repeats at 0.9, 1 and 1.1: sd a tenth of the mean");
    NEAR(s->spread_again, 0.2 / 3.3, "launches 3.1, 3.3, 3.5");
}

/* Its rounds are a record each, of twice its cost: 24 s for all, 2 and 2 s for the first of each kernel. */
static void test_clocks(const struct contest_entrant *e)
{
    const struct contest_sums *s = &e->rows[0].sums;
    NEAR(s->explorer_wall_s, 24, "explorer: 24 s on the wall");
    NEAR(s->seed_wall_s, 4, "first records: 4 s");
    NEAR(s->ratio[RATIO_WALL], 24.0 / (4 + 6), "search on the wall");
    NEAR(s->ratio[RATIO_EACH], sqrt(2.0 / 3 * 5 / 6), "kernels alike: 2 over 3 and 5 over 6 ms");
    NEAR(s->ratio[RATIO_EACH_AGAIN], sqrt(2.2 / 3.3 * 5.5 / 6.6), "in the shoot-out");
}

/* One seed: a network's sum has no interval, kernels have one: t (12.706) on ln 2/3 and ln 5/6. */
static void test_one_seed(struct contest *c)
{
    confidence_make(arena, c, 0.02);
    const struct estimate *e = c->entrants[0].estimate;
    ok(e[RATIO_KEPT].over == ESTIMATE_NOTHING && isnan(e[RATIO_KEPT].low), "one seed, one network: no interval");
    ok(e[RATIO_EACH].over == ESTIMATE_ROWS && e[RATIO_EACH].n == 2, "over two kernels");
    double half = 12.706204736174698 * fabs(log(2.0 / 3) - log(5.0 / 6)) / 2;
    NEAR(e[RATIO_EACH].low, sqrt(5.0 / 9) * exp(-half), "low");
    NEAR(e[RATIO_EACH].high, sqrt(5.0 / 9) * exp(half), "high");
    ok(e[RATIO_EACH].better.losses == 2, "both are slower than the explorer's");
}

/* Two seeds: 7/9 and 14/20 of the first entrant, 1 and 1 of the second. */
static void test_two_seeds(struct contest *c)
{
    confidence_make(arena, c, 0.02);
    const struct estimate *e = &c->entrants[0].estimate[RATIO_KEPT], *rival = &c->entrants[1].estimate[RATIO_KEPT];
    ok(e->over == ESTIMATE_SEEDS && e->n == 2 && e->method == INTERVAL_T, "over two seeds");
    NEAR(e->low, 0.3778111438575243, "low");
    NEAR(e->high, 1.4410491942761723, "high");
    NEAR(e->p, 0.5, "two of one sign: 2 of 4 patterns");
    NEAR(e->holm, 1, "two entrants");
    ok(rival->better.ties == 2 && rival->better.share == 0.5, "the rival ties twice");
    ok(c->entrants[0].rows[0].estimate[RATIO_WALL].low == c->entrants[0].rows[0].estimate[RATIO_WALL].high,
       "equal clocks: a point");
}

static void test_rival(const struct contest_entrant *e)
{
    const struct contest_sums *s = &e->rows[0].sums;
    ok(s->counted == 1 && s->failed == 1, "rival: one kernel found, one record failed");
    ok(isinf(s->own_s) && isnan(s->ratio[RATIO_OWN]), "no sum of its own records");
    NEAR(s->kept_s, 7e-3, "with the seed: 1 + 6 ms");
    NEAR(s->ratio[RATIO_KEPT], 1, "as fast as the explorer");
    ok(e->rows[0].kernels[0][0].p <= CONTEST_P && s->sign[SIGN_BETTER] == 1, "a: better, 1 against 2 ms");
    ok(e->all.networks == 1 && e->all.complete == 0 && e->all.own_s == 0, "the network is not complete");
}

int main(void)
{
    struct contest c;
    struct err err = {0};
    arena = arena_open("test");
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    struct store *s = fill("one", 1);
    fixture_must(make(s, 0, 1, true, &c, &err), &err);
    is_int(c.nentrants, 2, "two entrants");
    test_droplet(&c.entrants[0]);
    test_rival(&c.entrants[1]);
    test_clocks(&c.entrants[0]);
    test_one_seed(&c);
    ok(!make(s, 0, 1, false, &c, &err), "an experiment without exploiters: %s", err.text);
    store_close(s);

    s = fill("two", 2);
    fixture_must(make(s, 0, 2, true, &c, &err), &err);
    const struct contest_sums *sums = &c.entrants[0].rows[0].sums;
    is_int(c.entrants[0].rows[0].seeds, 2, "two seeds");
    NEAR(sums->kept_s, (9e-3 + 20e-3) / 2, "times of seeds are averaged: 9 and 20 ms");
    NEAR(sums->ratio[RATIO_KEPT], sqrt(7.0 / 9 * 14.0 / 20), "ratios by their geometric mean");
    ok(sums->records == 6, "records add up");
    NEAR(c.entrants[0].all.ratio[RATIO_KEPT], sums->ratio[RATIO_KEPT], "one network: the mean is its own");
    test_two_seeds(&c);
    fixture_must(make(s, 1, 1, true, &c, &err), &err);
    sums = &c.entrants[0].rows[0].sums;
    is_int(c.entrants[0].rows[0].seeds, 1, "first_seed 2, one seed: the second alone");
    NEAR(sums->ratio[RATIO_KEPT], 14.0 / 20, "its ratio");
    store_close(s);

    fixture_remove(file_join(arena, folder, "one"));
    fixture_remove(file_join(arena, folder, "two"));
    rmdir(folder);
    arena_close(arena);
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* duel: by hand where a few numbers say it, and against simulated truth: whole re-timings with the stop rule, on a
 * machine with slow spells, and the error of four ways of ordering readings. */
#include "harness/stats/duel.h"
#include "harness/stats/summary.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

/* ---- one duel ---- */

static void test_order(void)
{
    int turns[2 * DUEL_MIRRORS * DUEL_PROGRAMS], first[2] = {0, 0};
    bool mirrored = true, complete = true;
    for (uint64_t seed = 0; seed < 200; seed++) {
        duel_order(seed, 5, 2, turns);
        for (int m = 0; m < 2; m++) {
            int seen = 0;
            for (int i = 0; i < 5; i++) {
                mirrored = mirrored && turns[10 * m + i] == turns[10 * m + 9 - i];
                seen |= 1 << turns[10 * m + i];
            }
            complete = complete && seen == 31;
        }
        duel_order(seed, 2, 1, turns);
        mirrored = mirrored && turns[0] == turns[3] && turns[1] == turns[2] && turns[0] != turns[1];
        first[turns[0]]++;
    }
    ok(complete, "every program has a slice on the way there");
    ok(mirrored, "the way back is the mirror image of the way there");
    ok(first[0] > 70 && first[1] > 70, "either of two programs begins about as often");
}

static void test_mirrors(void)
{
    const struct duel_rules r = {.slice_ms = 5, .slice_calls = 1, .mirrors = 4, .launch_ms = 200};
    is_int(duel_mirrors(&r, 2, 1e-4), 4, "a launch of fast programs goes there and back as often as it may");
    is_int(duel_mirrors(&r, 2, 0.1), 1, "a launch of slow programs goes there and back once");
    is_int(duel_mirrors(&r, 2, 0.01), 2, "between these it is as often as fits into the time of a launch");
    is_int(duel_mirrors(&r, 12, 1e-4), 1, "many programs go there and back once");
}

static void test_ratio(void)
{
    const double logs[] = {0.0, 0.1, 0.5, 0.4, 0.2, NAN, 0.0, 0.3};
    const struct duel d = {.programs = 2, .launches = 4, .logs = logs};
    int n;
    is_near(duel_log_ratio(&d, 0, 1, &n), -0.1, 1e-12, "the ratio is the median of the paired log ratios");
    is_int(n, 3, "a launch in which one program failed has no ratio");
    is_near(duel_log_ratio(&d, 1, 0, NULL), 0.1, 1e-12, "the other way round the ratio is the inverse");
    ok(duel_log_ratio(&d, 1, 1, NULL) == 0, "a program against itself has the ratio 1 exactly");
    is_near(duel_seconds(&d, 0), exp(0.1), 1e-12, "a program's seconds are the median over launches");
    /* Of -0.1, 0.1, -0.3: t = -sqrt(0.75), and with two degrees of freedom p = 1 - |t| / sqrt(2 + t^2). */
    is_near(duel_p(&d, 0, 1), 1 - sqrt(0.75 / 2.75), 1e-9,
            "the test of the paired log ratios is Student's of one sample");
}

static void test_sums(void)
{
    const double one[] = {log(2.0), log(1.0)}, two[] = {log(1.0), log(3.0)};
    const struct duel duels[] = {{2, 1, one}, {2, 1, two}};
    const struct duel_term terms[] = {{0, 0, 2.0, 1, {{0, 0, 1}}}, {0, 0, 4.0, 0, {{0}}}, {0, 1, 1.0, 1, {{1, 0, 1}}}};
    const struct duel_set s = {duels, 2, terms, 3, 1, 2};
    struct duel_interval i;
    duel_intervals(arena, &s, 99, 1, &i);
    /* (2 + 4) / (1 + 4) in one network, 1 / 3 in the other. */
    is_near(i.ratio, sqrt(1.2 / 3), 1e-12, "a network is a ratio of sums, and networks have their geometric mean");
    ok(isnan(i.low) && isnan(i.half_width), "one launch of each has no interval");
    is_int(i.kernels, 3, "all kernels are counted");
    is_int(i.identical, 1, "a kernel with one program is counted as identical");
    is_int(i.launches, 2, "launches are counted of kernels with two programs");
    const struct duel_term through[] = {{0, 0, 1.0, 2, {{0, 0, 1}, {1, 0, 1}}}, {1, 1, 1.0, 1, {{-1, 0, 0}}}};
    const struct duel_set third = {duels, 2, through, 2, 2, 2};
    struct duel_interval two_legs[2];
    duel_intervals(arena, &third, 99, 1, two_legs);
    is_near(two_legs[0].ratio, 2.0 / 3, 1e-12, "programs that met a third one only have the product of both ratios");
    is_int(two_legs[1].missing, 1, "a kernel without a duel is counted as missing");
}

/* ---- a simulated machine ---- */

/* Slow spells come and go: share of the time 0.2, mean length 2 s, all slower by 1.5. Two programs read within one
 * spell are both slow. One slice in five is interrupted for up to a third of its length, whatever runs. */
struct slow_machine {
    struct rng rng;
    double now, until;
    bool slow;
};

static double draw_exponential(struct rng *rng, double mean)
{
    return -mean * log(1 - rng_unit(rng));
}

static void machine_pass(struct slow_machine *m, double s)
{
    m->now += s;
    while (m->now > m->until) {
        m->slow = !m->slow;
        m->until += draw_exponential(&m->rng, m->slow ? 2 : 8);
    }
}

/* Log of the seconds of a slice that begins now. layout: of the process. */
static double slice(struct slow_machine *m, double truth, double layout)
{
    double v = truth + layout + 0.01 * random_data_normal(&m->rng) + (m->slow ? log(1.5) : 0);
    v += rng_unit(&m->rng) < 0.2 ? log1p(rng_unit(&m->rng) / 3) : 0;
    machine_pass(m, 0.01);
    return v;
}

static struct slow_machine machine_of(uint64_t seed)
{
    struct slow_machine m = {.until = 1};
    rng_seed(&m.rng, seed);
    machine_pass(&m, 100);
    return m;
}

enum { NETWORK = 8, LAUNCHES = 5 };
enum protocol { ROUNDS, RANDOM_PAIRED, ADJACENT, MIRRORED, PROTOCOLS };

/* One launch of two equal programs under a protocol, as a paired log ratio. Between two launches 1 s passes. */
static void one_launch(struct slow_machine *m, enum protocol p, double *a, double *b)
{
    double la = 0.01 * random_data_normal(&m->rng), lb = 0.01 * random_data_normal(&m->rng);
    int turns[4];
    machine_pass(m, 1);
    if (p == MIRRORED) {
        double v[2][2], layout[2] = {la, lb};
        int n[2] = {0, 0};
        duel_order(rng_next(&m->rng), 2, 1, turns);
        for (int i = 0; i < 4; i++)
            v[turns[i]][n[turns[i]]++] = slice(m, 0, layout[turns[i]]);
        *a = fmin(v[0][0], v[0][1]);
        *b = fmin(v[1][0], v[1][1]);
        return;
    }
    *a = (slice(m, 0, la) + slice(m, 0, la)) / 2;
    machine_pass(m, p == ROUNDS ? 20 : p == RANDOM_PAIRED ? 1 : 0); /* others' launches between */
    *b = (slice(m, 0, lb) + slice(m, 0, lb)) / 2;
}

/* Log of the ratio of two network sums, equal in truth. Rounds: medians of each; else of the pairs. */
static double simulated_error(enum protocol p, uint64_t seed)
{
    struct slow_machine m = machine_of(seed);
    double over = 0, under = 0;
    for (int k = 0; k < NETWORK; k++) {
        double a[LAUNCHES], b[LAUNCHES], pairs[LAUNCHES];
        for (int i = 0; i < LAUNCHES; i++) {
            one_launch(&m, p, &a[i], &b[i]);
            pairs[i] = a[i] - b[i];
        }
        double ratio =
            p == ROUNDS ? summary_median(a, LAUNCHES) - summary_median(b, LAUNCHES) : summary_median(pairs, LAUNCHES);
        over += 1;
        under += exp(-ratio);
    }
    return log(over / under);
}

/* 95 of 100 errors are smaller. */
static double error_of(enum protocol p)
{
    enum { RUNS = 400 };
    double errors[RUNS];
    for (int i = 0; i < RUNS; i++)
        errors[i] = fabs(simulated_error(p, (uint64_t)i + 1));
    return summary_quantile(errors, RUNS, 0.95);
}

static void test_protocols(void)
{
    double e[PROTOCOLS];
    for (int p = 0; p < PROTOCOLS; p++)
        e[p] = error_of((enum protocol)p);
    diag("errors under slow spells: rounds %.2f %%, paired %.2f %%, adjacent %.2f %%, mirrored %.2f %%",
         100 * e[ROUNDS], 100 * e[RANDOM_PAIRED], 100 * e[ADJACENT], 100 * e[MIRRORED]);
    ok(e[RANDOM_PAIRED] < e[ROUNDS], "pairs of readings err less than rounds under slow spells");
    ok(e[ADJACENT] < e[RANDOM_PAIRED], "adjacent readings err less than distant ones");
    ok(e[MIRRORED] < e[ADJACENT], "ABBA with the least of two errs least");
}

/* ---- whole re-timings ---- */

enum { MOST = 30 };
static const struct duel_rules RULES = {.min_launches = 5, .max_launches = MOST, .half_width = 0.008, .mirrors = 1};

struct simulation {
    struct duel duels[NETWORK];
    double logs[NETWORK][2 * MOST];
    struct duel_term terms[NETWORK];
    struct duel_set set;
    int had[NETWORK];
};

/* Kernels of 1, 2, 3, ... ms; B is faster by exp(effect) in each. */
static void simulation_open(struct simulation *s)
{
    memset(s, 0, sizeof *s);
    for (int k = 0; k < NETWORK; k++) {
        s->duels[k] = (struct duel){.programs = 2, .logs = s->logs[k]};
        s->terms[k] = (struct duel_term){.seconds = 1e-3 * (k + 1), .nlegs = 1, .legs = {{k, 0, 1}}};
    }
    s->set = (struct duel_set){s->duels, NETWORK, s->terms, NETWORK, 1, 1};
}

static void simulation_launch(struct simulation *s, struct slow_machine *m, int k, double effect)
{
    double a, b, *to = s->logs[k] + 2 * s->had[k];
    one_launch(m, MIRRORED, &a, &b);
    to[0] = a;
    to[1] = b - effect;
    s->duels[k].launches = ++s->had[k];
}

static int simulation_run(struct arena *a, struct simulation *s, double effect, uint64_t seed, double *widest)
{
    struct slow_machine m = machine_of(seed);
    int k, n = 0;
    simulation_open(s);
    for (; (k = duel_next(a, &s->set, &RULES, s->had, seed, widest)) >= 0; n++)
        simulation_launch(s, &m, k, effect);
    return n;
}

static void test_coverage(void)
{
    enum { RUNS = 400 };
    static struct simulation s;
    int held = 0, narrow = 0, launches = 0, least = MOST, found = 0;
    for (int run = 0; run < RUNS; run++) {
        struct duel_interval i;
        double widest, effect = run % 2 ? 0.05 : 0;
        launches += simulation_run(arena, &s, effect, (uint64_t)run + 1, &widest);
        duel_intervals(arena, &s.set, DUEL_DRAWS, (uint64_t)run + 1, &i);
        held += i.low <= exp(effect) && exp(effect) <= i.high;
        found += effect > 0 && i.low > 1;
        narrow += i.half_width <= RULES.half_width;
        for (int k = 0; k < NETWORK; k++)
            least = s.had[k] < least ? s.had[k] : least;
    }
    diag("coverage %.1f %%, narrow %d, launches a kernel %.1f, planted found %d of %d", 100.0 * held / RUNS, narrow,
         (double)launches / RUNS / NETWORK, found, RUNS / 2);
    ok(held >= 0.93 * RUNS && held <= 0.99 * RUNS, "the interval holds the truth in 93 to 99 of 100 re-timings");
    ok(narrow >= 0.95 * RUNS, "a re-timing ends when its interval is as narrow as asked");
    ok(found == RUNS / 2, "a planted difference of 5 %% is found every time");
    is_int(least, 5, "no duel has fewer than the least number of launches");
}

/* Re-timings of equal programs with so many launches of each duel: those whose interval excludes 1, and those that are
 * a fault of null pairs. */
static void told_apart(int launches, int *excluded, int *failed)
{
    enum { RUNS = 400 };
    static struct simulation s;
    *excluded = *failed = 0;
    for (int run = 0; run < RUNS; run++) {
        struct slow_machine m = machine_of((uint64_t)run + 1);
        struct duel_interval i;
        simulation_open(&s);
        for (int l = 0; l < launches; l++)
            for (int k = 0; k < NETWORK; k++)
                simulation_launch(&s, &m, k, 0);
        duel_intervals(scratch, &s.set, 399, (uint64_t)run + 1, &i);
        *excluded += i.low > 1 || i.high < 1;
        *failed += duel_null_fails(&i, RULES.half_width);
        arena_reset(scratch);
    }
}

static void test_more_launches(void)
{
    static const int LAUNCHES_OF[] = {5, 10, 20, MOST};
    int excluded[4], failed[4];
    bool nominal = true, falls = true;
    for (int i = 0; i < 4; i++) {
        told_apart(LAUNCHES_OF[i], &excluded[i], &failed[i]);
        diag("%d launches: of 400 re-timings of equal programs %d exclude 1, %d are a fault", LAUNCHES_OF[i],
             excluded[i], failed[i]);
        nominal = nominal && excluded[i] <= 28;
        falls = falls && failed[i] <= failed[0];
    }
    ok(nominal, "equal programs are told apart in at most 7 of 100 re-timings");
    ok(falls, "more launches are never a fault of null pairs more often");
}

static void test_next(void)
{
    static struct simulation s;
    struct slow_machine m = machine_of(7);
    double widest;
    simulation_open(&s);
    int first = duel_next(arena, &s.set, &RULES, s.had, 3, &widest);
    ok(first >= 0 && isinf(widest), "before the first launch nothing is known");
    is_int(duel_next(arena, &s.set, &RULES, s.had, 3, &widest), first,
           "the next launch follows from what is on record");
    for (int k = 0; k < NETWORK; k++)
        for (int i = 0; i < 5; i++)
            simulation_launch(&s, &m, k, 0);
    for (int i = 0; i < 5; i++) {
        s.logs[0][2 * i] = s.logs[0][2 * i + 1]; /* the lightest kernel does not vary */
        s.logs[7][2 * i] += 0.2 * i;             /* the heaviest does by far */
    }
    is_int(duel_next(arena, &s.set, &RULES, s.had, 3, &widest), 7, "a heavy kernel that varies gets the next launch");
    for (int k = 0; k < NETWORK; k++)
        s.had[k] = MOST;
    is_int(duel_next(arena, &s.set, &RULES, s.had, 3, &widest), -1, "no duel gets more than the most launches");
    ok(widest > RULES.half_width, "a re-timing that ends at its most launches says how wide it is");
}

int main(void)
{
    test_order();
    test_mirrors();
    test_ratio();
    test_sums();
    test_next();
    test_protocols();
    test_coverage();
    test_more_launches();
    return done_testing();
}

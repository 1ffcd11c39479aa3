/* SPDX-License-Identifier: Apache-2.0 */
/* ansor: a round as seen from outside, by a model that notes every state it is shown: how the initial population is
 * gathered, and how programs are picked (harness/doc/ansor.md): the best of the heap first, then the random pool, which
 * is drawn with replacement and holds measured states, none ever measured again. Shares of picks are compared with
 * exact ones by the chi-square test. */
#include "harness/base/map.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model: a score is a number made of the identity; it notes what it has scored, each state once ---- */

enum { NOTES = 1 << 15 };
struct notes {
    int n, calls;
    uint64_t hash[NOTES];
    double sign; /* 0: the model can featurise nothing */
};

static double score_of(uint64_t hash)
{
    return (double)(1 + hash % 1000003) / 1000003;
}

static bool note(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                 struct err *err)
{
    struct notes *notes = self;
    (void)task, (void)err;
    notes->calls++;
    for (int i = 0; i < n && notes->n < NOTES; i++) {
        notes->hash[notes->n] = state_hash(states[i]);
        scores[i] = notes->sign == 0 ? -INFINITY : notes->sign * score_of(notes->hash[notes->n]);
        notes->n++;
    }
    return true;
}
static const struct model noting = {.name = "noting", .score = note}, randomly = {.name = "random", .score = note};

static int by_score(const void *a, const void *b)
{
    double x = score_of(*(const uint64_t *)a), y = score_of(*(const uint64_t *)b);
    return x > y ? -1 : x < y;
}

/* ---- a search ---- */

struct run {
    const struct searcher *searcher;
    struct searcher_env env;
    void *options, *self;
    struct notes *notes;
    struct arena *arena;
};

static void run_open(struct run *r, const char *spec, const char *settings, const struct model *model, uint64_t seed)
{
    struct err err = {0};
    *r = (struct run){.arena = arena_open("run")};
    r->searcher = fixture_searcher("ansor");
    r->self = arena_alloc(r->arena, r->searcher->state_size);
    r->notes = ARENA_NEW(r->arena, struct notes);
    r->notes->sign = 1;
    fixture_must(
        setting_options(r->arena, r->searcher->settings, r->searcher->options_size, settings, &r->options, &err), &err);
    r->env = (struct searcher_env){.options = r->options,
                                   .arena = r->arena,
                                   .task = fixture_task(r->arena, spec),
                                   .limits = limits_cpu(4),
                                   .model = {model, r->notes},
                                   .trials = 1000};
    rng_seed(&r->env.rng, seed);
    fixture_must(r->searcher->open(r->self, &r->env, &err), &err);
}

static void run_close(struct run *r)
{
    arena_close(r->arena);
}

static int run_ask(struct run *r, struct arena *a, int max, struct candidate *out)
{
    struct err err = {0};
    int n;
    r->notes->n = r->notes->calls = 0;
    fixture_must(r->searcher->ask(r->self, a, max, out, &n, &err), &err);
    return n;
}

static void run_tell(struct run *r, const struct candidate *c, int n)
{
    struct err err = {0};
    for (int i = 0; i < n; i++) {
        struct sample s = {.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {1 / score_of(c[i].hash)}};
        fixture_must(r->searcher->tell(r->self, &c[i], &s, 1, &err), &err);
    }
}

static const char conv[] = "conv2d n=1 ci=16 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8 bias=1 relu=1";

/* ---- a batch ---- */

/* Picks 0..most-1 are the best unmeasured ones of all that were scored, in order. */
static bool best_first(struct run *r, const struct candidate *c, int most, const struct map *measured)
{
    struct notes *notes = r->notes;
    int at = 0;
    qsort(notes->hash, (size_t)notes->n, sizeof *notes->hash, by_score);
    for (int i = 0; i < most; i++, at++) {
        while (at < notes->n && map_get(measured, notes->hash[at], NULL))
            at++;
        if (at == notes->n || c[i].hash != notes->hash[at])
            return false;
    }
    return true;
}

static void batches(void)
{
    struct run r;
    struct candidate c[64];
    struct map measured = {0};
    int repeated = 0;
    bool best = true, random = true;
    run_open(&r, conv, "evolutionary_search_population=200", &noting, 1);
    for (int round = 0; round < 4; round++) {
        is_int(run_ask(&r, r.arena, 64, c), 64, "round %d of ansor gives a batch of 64 programs", round);
        best = best && best_first(&r, c, 61, &measured);
        /* The heap's next in line would be picked if there were no random ones. */
        random = random && !best_first(&r, c, 64, &measured);
        for (int i = 0; i < 64; i++)
            repeated += !map_put(&measured, c[i].hash, 0);
        run_tell(&r, c, 64);
    }
    ok(best, "the first 61 of a batch are the best unmeasured programs scored, best first");
    ok(random, "the last 3 of a batch are random ones");
    is_int(repeated, 0, "no program is picked twice, in a batch or after it was measured");
    is_int(run_ask(&r, r.arena, 19, c), 19, "ansor gives the 19 programs asked for");
    ok(best_first(&r, c, 19, &measured), "a batch of 19 has no random ones, since int(0.05 * 19) is 0");
    is_int(run_ask(&r, r.arena, 20, c), 20, "ansor gives the 20 programs asked for");
    ok(best_first(&r, c, 19, &measured) && !best_first(&r, c, 20, &measured),
       "a batch of 20 has one random program, the last");
    map_free(&measured);
    run_close(&r);
}

/* ---- the random pool ---- */

/* Two picks a round, one of them random (a pool of 3); no generations, so that the population is all there is. It holds
 * m measured states and f new ones. The first pick is the best new one. The second is the first of the pool that is
 * neither measured nor the first pick, else the second best: chance q = ((m + 1) / (m + f))^3. */
static void pool_of(int m, int f, const char *what)
{
    enum { ROUNDS = 4000 };
    struct run r;
    struct candidate c[64];
    int64_t got[8] = {0};
    double share[8], fresh[8], distinct[8];
    int wrong = 0;
    run_open(&r, conv,
             arena_printf(scratch,
                          "evolutionary_search_population=%d,evolutionary_search_num_iters=0,eps_greedy=0.5,"
                          "sample_init_min_population=1,sample_init_use_measured_ratio=%.3f",
                          f, (m + 0.5) / f),
             &noting, 2);
    struct map measured = {0};
    for (int told = 0; told < m;) {
        int n = run_ask(&r, r.arena, 2, c);
        n = n < m - told ? n : m - told;
        for (int i = 0; i < n; i++)
            map_put(&measured, c[i].hash, 0);
        run_tell(&r, c, n);
        told += n;
    }
    for (int i = 0; i < ROUNDS; i++) {
        int n = run_ask(&r, scratch, 2, c), at = 0, fresh_ones = 0;
        struct notes *notes = r.notes;
        qsort(notes->hash, (size_t)notes->n, sizeof *notes->hash, by_score);
        for (int k = 0; k < notes->n; k++) {
            if (map_get(&measured, notes->hash[k], NULL))
                continue;
            at = n > 1 && notes->hash[k] == c[1].hash ? fresh_ones : at;
            wrong += fresh_ones == 0 && c[0].hash != notes->hash[k];
            fresh_ones++;
        }
        if (fresh_ones == f && notes->n == m + f && n == 2) /* now and then a draw is invalid or measured */
            got[at]++;
        arena_reset(scratch);
    }
    double q = pow((m + 1.) / (m + f), 3), ways = 1, all = 1;
    for (int i = 0; i < 3; i++) {
        ways *= m + 1 - i > 0 ? m + 1 - i : 0;
        all *= m + f - i;
    }
    for (int i = 0; i < f; i++) {
        share[i] = i == 0 ? 0 : (1 - q) / (f - 1) + (i == 1) * q;
        fresh[i] = i == 0 ? 0 : (1 - pow(1. / f, 3)) / (f - 1) + (i == 1) * pow(1. / f, 3);
        distinct[i] = i == 0 ? 0 : (1 - ways / all) / (f - 1) + (i == 1) * ways / all;
    }
    is_int(wrong, 0, "%s: the first pick is the best program", what);
    likely(got, share, f, "%s: the second pick comes from the random pool, else it is the second best", what);
    unlikely(got, fresh, f, "%s: the random pool without measured states", what);
    unlikely(got, distinct, f, "%s: the random pool drawn without replacement", what);
    map_free(&measured);
    run_close(&r);
}

/* ---- the initial population ---- */

/* How many numbers were taken from the stream: one a draw, and nothing else without a pool and generations. */
static int64_t numbers(struct rng before, const struct rng *after)
{
    int64_t n = 0;
    for (; memcmp(&before, after, sizeof before) != 0 && n < 1000000; n++)
        rng_next(&before);
    return n;
}

/* Batches of draws until 50 programs are there; five batches in a row without a new one halve that number. */
static void dry(const char *spec, int programs, int batches)
{
    struct run r;
    struct candidate c[19];
    run_open(&r, spec, "evolutionary_search_population=2000,evolutionary_search_num_iters=0", &noting, 3);
    struct rng before = r.env.rng;
    run_ask(&r, r.arena, 19, c);
    is_int(r.notes->n, programs, "%s: ansor gives %d programs", spec, programs);
    is_int(numbers(before, &r.env.rng), 2000 * batches, "%s: ansor draws %d batches of states", spec, batches);
    run_close(&r);
}

static void populations(void)
{
    struct run r;
    struct candidate c[19];
    run_open(&r, conv, "evolutionary_search_population=60,sample_init_min_population=50", &noting, 4);
    struct rng before = r.env.rng;
    int n = run_ask(&r, r.arena, 19, c);
    ok(n == 19 && numbers(before, &r.env.rng) >= 60 * 6,
       "a round draws at least one batch, then the seeds of the children");
    run_close(&r);
    run_open(&r, conv, "evolutionary_search_population=100", &noting, 5);
    run_ask(&r, r.arena, 19, c);
    is_int(r.notes->calls, 1 + 4, "a round scores the first population and four generations");
    run_close(&r);
    run_open(&r, conv, "evolutionary_search_population=100", &randomly, 5);
    run_ask(&r, r.arena, 19, c);
    is_int(r.notes->calls, 1 + 2, "with model random a round has two generations of mutation");
    run_close(&r);
    run_open(&r, conv, "evolutionary_search_population=100", &noting, 6);
    r.notes->sign = 0;
    before = r.env.rng;
    is_int(run_ask(&r, r.arena, 19, c), 0, "states that the model cannot featurise do not enter the population");
    is_int(numbers(before, &r.env.rng), 2 * 5 * 100,
           "a space without valid states costs five batches, and the round once more");
    run_close(&r);
    run_open(&r, conv, "evolutionary_search_population=100", &noting, 6);
    r.notes->sign = -1;
    is_int(run_ask(&r, r.arena, 19, c), 19, "states of negative score enter the population");
    run_close(&r);
}

int main(void)
{
    batches();
    pool_of(2, 3, "3 new programs, 2 measured");
    pool_of(2, 4, "4 new programs, 2 measured");
    populations();
    dry("dense n=2 ci=1 co=2", 84, 1);
    dry("pool2d c=1 hi=3 wi=3 kh=2 kw=2 ph=1 pw=1", 28, 1 + 5); /* 25 will do */
    dry("dense n=1 ci=1 co=2", 20, 1 + 10);                     /* 12 */
    dry("reduce n=2 m=4 by=sum", 4, 1 + 20);                    /* 3 */
    dry("map n=1 c=2 by=relu", 1, 1 + 25);                      /* 1 */
    return done_testing();
}

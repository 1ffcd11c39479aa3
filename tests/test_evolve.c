/* SPDX-License-Identifier: Apache-2.0 */
/* evolve: the heap of the best, parent selection with its quirk, and evolution under a model whose scores are known
 * (ansor.md 3.5): it scores four generations and the first, improves, and does not depend on the number of threads. */
#include "search/evolve.h"

#include "search/draw.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

static struct arena *arena;
static const struct space_options defaults = {
    .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};

static void elites(void)
{
    struct ledger ledger;
    struct elite e;
    ledger_open(&ledger);
    struct candidate known = {.hash = 77};
    struct sample s = {.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {0.5}};
    ledger_tell(&ledger, &known, &s, 1);
    elite_open(&e, arena, 3, &ledger);
    const double scores[] = {1, -INFINITY, 3, 0.5, 2, 3, 9, 2.5};
    const uint64_t hashes[] = {1, 2, 3, 4, 5, 3, 77, 6};
    for (int i = 0; i < 8; i++)
        elite_offer(&e, &(struct individual){.hash = hashes[i], .score = scores[i], .valid = true});
    elite_offer(&e, &(struct individual){.hash = 8, .score = 100, .valid = false});
    elite_sort(&e);
    is_int(e.n, 3, "the heap keeps its size");
    ok(e.heap[0].who.hash == 3 && e.heap[1].who.hash == 6 && e.heap[2].who.hash == 5,
       "the best three, no repeats, nothing measured, nothing invalid");
    elite_open(&e, arena, 3, NULL);
    elite_offer(&e, &(struct individual){.hash = 1, .score = -INFINITY, .valid = true});
    is_int(e.n, 1, "while there is room, even a score of -infinity is taken");
    ledger_close(&ledger);
}

static void ledgers(void)
{
    struct ledger l;
    struct candidate c[4] = {{.hash = 1}, {.hash = 2}, {.hash = 3}, {.hash = 1}};
    struct sample s[4] = {{.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {0.5}},
                          {.outcome = OUTCOME_CRASHED},
                          {.outcome = OUTCOME_OK, .nseconds = 2, .seconds = {0.1, 0.3}},
                          {.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {0.01}}};
    int best[4];
    ledger_open(&l);
    ledger_tell(&l, c, s, 4);
    is_int(l.n, 3, "a program told twice counts once");
    is_int(ledger_best(&l, 2, best), 2, "the best two");
    ok(best[0] == 2 && best[1] == 0, "by mean time");
    is_near(l.lines[2].throughput, 5, 1e-12, "throughput is 1 / mean");
    is_near(l.lines[1].throughput, 1e-10, 1e-12, "a failure has 1e-10");
    ledger_close(&l);
}

static void choice(void)
{
    const double prefix[] = {0, 1, 1, 4};
    is_int(evolve_choose(prefix, 4, 0), 0, "x = 0 takes the first, as lower_bound does");
    is_int(evolve_choose(prefix, 4, 0.2), 1, "a share of 1/4");
    is_int(evolve_choose(prefix, 4, 0.25), 1, "up to its end");
    is_int(evolve_choose(prefix, 4, 0.26), 3, "a share of 0 is passed over");
    is_int(evolve_choose(prefix, 4, 0.999), 3, "the last");
    is_int(evolve_choose((const double[]){0, 0, 0}, 3, 0.9), 0, "no positive score: always individual 0");
}

/* Likes long vector loops and many parallel parts: any smooth function of the state will do. */
struct toy {
    int states;
    bool refuse, fail;
};

static double toy_score(const struct state *s)
{
    double score = 0;
    for (int i = 0; i < s->nstages; i++)
        for (int k = 0; k < s->stages[i].nleaf; k++) {
            const struct ivar *v = stage_iter(&s->stages[i], k);
            if (v->annotation == ANN_VECTORIZE)
                score += log2((double)v->extent);
            else if (v->annotation == ANN_PARALLEL)
                score += 0.5 * log2((double)v->extent);
        }
    return score / 100;
}

static bool toy_run(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                    struct err *err)
{
    struct toy *t = self;
    (void)task;
    t->states += n;
    for (int i = 0; i < n; i++)
        scores[i] = t->refuse ? -INFINITY : toy_score(states[i]);
    return t->fail ? err_set(err, "toy failed") : true;
}

static const struct model toy_model = {.name = "toy", .score = toy_run};

struct outcome_of {
    bool good;
    double first, best;
    uint64_t digest;
    int states, elite;
};

static struct outcome_of run(const struct space *sp, int threads, struct toy toy)
{
    struct pool *pool = threads > 1 ? pool_open(threads) : NULL;
    struct crew crew;
    struct model_use model = {&toy_model, &toy};
    struct evolve e;
    struct elite elite;
    struct rng r;
    struct err err = {0};
    struct outcome_of o = {0};
    enum { N = 300 };
    uint64_t seeds[N];
    crew_open(&crew, pool, NULL);
    struct judge judge = {.space = sp, .crew = &crew, .model = &model};
    evolve_open(&e, arena, &judge, &(struct evolve_options){N, 4, 0.85}, N);
    elite_open(&elite, arena, 20, NULL);
    rng_seed(&r, 5);
    for (int i = 0; i < N; i++)
        seeds[i] = rng_next(&r);
    o.good = judge_draws(&judge, seeds, N, e.now.at, &err);
    e.now.n = N;
    for (int i = 0; i < N; i++)
        o.first = fmax(o.first, e.now.at[i].valid ? e.now.at[i].score : 0);
    o.good = o.good && evolve_run(&e, &r, &elite, &err);
    elite_sort(&elite);
    o.elite = elite.n;
    o.best = elite.n ? elite.heap[0].who.score : 0;
    for (int i = 0; i < elite.n; i++)
        o.digest = o.digest * 31 + elite.heap[i].who.hash;
    o.states = toy.states;
    judge_close(&judge);
    crew_close(&crew);
    pool_close(pool);
    return o;
}

int main(void)
{
    arena = arena_open("test");
    elites();
    ledgers();
    choice();
    struct space sp;
    struct task *t;
    struct err err = {0};
    struct limits limits = limits_cpu(8);
    if (!task_parse(arena, "conv2d n=1 ci=32 hi=28 wi=28 co=32 kh=3 kw=3 ph=1 pw=1 cib=8 cob=8 relu=1", &t, &err) ||
        !space_open(&sp, arena, t, &limits, &defaults, &err))
        bug("%s", err.text);
    struct outcome_of one = run(&sp, 1, (struct toy){0}), three = run(&sp, 3, (struct toy){0});
    ok(one.good && one.elite == 20, "evolution fills the heap");
    ok(one.best > one.first, "and improves on the first generation: %.4f after %.4f", one.best, one.first);
    ok(one.states <= 5 * 300 && one.states > 600, "%d states scored in 5 generations of 300", one.states);
    ok(one.digest == three.digest, "the same with three threads");
    struct outcome_of refused = run(&sp, 1, (struct toy){.refuse = true});
    ok(refused.good && refused.elite == 20, "states without features fill an empty heap, as in TVM");
    ok(!run(&sp, 1, (struct toy){.fail = true}).good, "a failing model is reported");
    arena_close(arena);
    return done_testing();
}

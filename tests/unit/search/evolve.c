/* SPDX-License-Identifier: Apache-2.0 */
/* evolve: ansor.md, "Evolution": the heap of the best, who has children and how (against exact shares), and evolution
 * under a model whose scores are known: it scores four generations and the first, improves, and does not depend on the
 * number of threads. */
#include "search/evolution/evolve.h"

#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static void best_programs(void)
{
    struct measured_set measured;
    struct top_k e;
    struct arena *a = arena_open("best programs");
    measured_set_open(&measured, a, 1);
    struct candidate known = {.hash = 77};
    struct sample s = {.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {0.5}};
    measured_set_tell(&measured, &known, &s, 1);
    top_k_open(&e, arena, 3, &measured);
    const double scores[] = {1, -INFINITY, 3, 0.5, 2, 3, 9, 2.5};
    const uint64_t hashes[] = {1, 2, 3, 4, 5, 3, 77, 6};
    for (int i = 0; i < 8; i++)
        top_k_offer(&e, &(struct individual){.hash = hashes[i], .score = scores[i], .valid = true});
    top_k_offer(&e, &(struct individual){.hash = 8, .score = 100, .valid = false});
    top_k_sort(&e);
    is_int(e.n, 3, "the heap keeps its size");
    ok(e.heap[0].individual.hash == 3 && e.heap[1].individual.hash == 6 && e.heap[2].individual.hash == 5,
       "the heap holds the best three, without repeats, measured or invalid ones");
    top_k_open(&e, arena, 3, NULL);
    top_k_offer(&e, &(struct individual){.hash = 1, .score = -INFINITY, .valid = true});
    is_int(e.n, 1, "the heap takes even a score of -infinity while there is room");
    top_k_open(&e, arena, 2, NULL);
    for (int i = 0; i < 4; i++)
        top_k_offer(&e, &(struct individual){.hash = 1 + i, .score = i == 1 ? 2 : 1, .valid = true});
    top_k_sort(&e);
    ok(e.heap[0].individual.hash == 2 && e.heap[1].individual.hash == 1,
       "a full heap does not take a score equal to its worst");
    arena_close(a);
}

static void measured_sets(void)
{
    struct measured_set l;
    struct candidate c[4] = {{.hash = 1}, {.hash = 2}, {.hash = 3}, {.hash = 1}};
    struct sample s[4] = {{.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {0.5}},
                          {.outcome = OUTCOME_CRASHED},
                          {.outcome = OUTCOME_OK, .nseconds = 2, .seconds = {0.1, 0.3}},
                          {.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {0.01}}};
    struct arena *a = arena_open("measured set");
    measured_set_open(&l, a, 2);
    measured_set_tell(&l, c, s, 4);
    is_int(l.n, 3, "a program told twice counts once");
    is_int(l.nbest, 2, "the measured set lists the number asked for");
    ok(l.best[0].hash == 3 && l.best[1].hash == 1, "the measured set lists the best by mean time");
    is_near(l.best[0].throughput, 5, 1e-12, "the throughput of a measured program is 1 / mean");
    struct measured_set failed;
    measured_set_open(&failed, a, 2);
    measured_set_tell(&failed, c + 1, s + 1, 1);
    is_near(failed.best[0].throughput, 1e-10, 1e-12, "the throughput of a failure is 1e-10");
    for (int i = 0; i < 1000; i++) { /* times that rise and fall, each twice */
        struct step steps[] = {{.kind = STEP_CI, .stage = i}};
        struct candidate one = {.hash = 100 + (uint64_t)i, .steps = steps, .nsteps = 1};
        struct sample slower = {.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {0.1 + 0.01 * ((i * 7) % 500)}};
        measured_set_tell(&failed, &one, &slower, 1);
    }
    ok(failed.n == 1001 && failed.copied <= 2 && arena_bytes(failed.steps) < 1024,
       "the measured set keeps the steps of the best only");
    ok(failed.nbest == 2 && failed.best[0].steps->stage == 0 && failed.best[1].steps->stage == 500,
       "of equals the measured set lists the one first told first");
    arena_close(a);
}

static void choice(void)
{
    const double prefix[] = {0, 1, 1, 4};
    is_int(evolve_choose(prefix, 4, 0), 0, "drawing at 0 takes the first individual, as lower_bound does");
    is_int(evolve_choose(prefix, 4, 0.2), 1, "drawing below 1/4 takes the individual with that share");
    is_int(evolve_choose(prefix, 4, 0.25), 1, "drawing at the end of a share takes its individual");
    is_int(evolve_choose(prefix, 4, 0.26), 3, "an individual with a share of 0 is passed over");
    is_int(evolve_choose(prefix, 4, 0.999), 3, "drawing near 1 takes the last individual");
    is_int(evolve_choose((const double[]){0, 0, 0}, 3, 0.9), 0,
           "without a positive score individual 0 is always drawn");
}

/* ---- who has children ---- */

enum { CHILDREN = 20000 };

/* One generation from the given parents; counts the children by hash (1 ..), others at [0]. */
static void breed(const struct space *sp, const struct individual *parents, int n, double mutation_prob, int64_t *count)
{
    struct worker_pool workers;
    struct evolve e;
    struct top_k top;
    struct rng r;
    struct err err = {0};
    worker_pool_open(&workers, NULL, NULL);
    struct evaluator evaluator = {.space = sp, .workers = &workers};
    evolve_open(&e, arena, &evaluator,
                &(struct evolve_options){.population = CHILDREN, .generations = 1, .mutation_prob = mutation_prob},
                CHILDREN);
    top_k_open(&top, arena, 10, NULL);
    memcpy(e.now.at, parents, sizeof *parents * (size_t)n);
    e.now.n = n;
    rng_seed(&r, 6);
    ok(evolve_run(&e, &r, &top, &err) && e.now.n == CHILDREN, "a generation has %d children", CHILDREN);
    memset(count, 0, sizeof *count * (size_t)(n + 1));
    for (int i = 0; i < e.now.n; i++)
        count[e.now.at[i].hash <= (uint64_t)n ? e.now.at[i].hash : 0]++;
    worker_pool_close(&workers);
}

static void roulette(const struct space *sp)
{
    enum { N = 6 };
    static const double score[N] = {0.5, 0, 0.25, -3, 0.15, 0.1}, lost[N] = {0, -1, -INFINITY, -0.5, 0, -2};
    struct individual who[N];
    int64_t got[N + 1];
    double share[N + 1] = {0}, shifted[N + 1] = {0};
    for (int i = 0; i < N; i++) {
        who[i] = (struct individual){.hash = 1 + (uint64_t)i, .score = score[i], .valid = true};
        share[1 + i] = fmax(score[i], 0);
        shifted[1 + i] = score[i] + 3;
    }
    breed(sp, who, N, 0, got);
    likely(got, share, N + 1, "parents are drawn in proportion to max(score, 0)");
    unlikely(got, shifted, N + 1, "parents drawn by scores above the least one");
    unlikely(got, (const double[]){0, 1, 0, 1, 0, 1, 1}, N + 1, "parents with positive scores drawn evenly");
    for (int i = 0; i < N; i++)
        who[i].score = lost[i];
    breed(sp, who, N, 0, got);
    is_int(got[1], CHILDREN, "without a positive score all children come from individual 0");
}

/* Two parents of equal score: one whose tile sizes can be mutated (the other three rules find nothing in it, so a
 * mutation succeeds with chance 0.9), one in which no rule finds anything. Failures are dropped, so that the second has
 * children by copying only. */
static void failures(const struct space *sp)
{
    static const int64_t lengths[] = {4, 2, 2};
    struct step split = {.kind = STEP_SP, .stage = 2, .iter = 1, .extent = 64, .list = lengths, .n = 3, .flag = true};
    struct individual who[2] = {{.genome = {&split, 1}, .hash = 1, .score = 1, .valid = true},
                                {.genome = {&split, 0}, .hash = 2, .score = 1, .valid = true}};
    int64_t got[3]; /* mutated, copies of the first, of the second */
    breed(sp, who, 2, 0.85, got);
    likely(got, (const double[]){0.85 * 0.9, 0.15, 0.15}, 3,
           "children are mutated at 0.85 and copied at 0.15, failures dropped");
    unlikely(got, (const double[]){0.85 * 0.9, 0.15 + 0.85 * 0.1, 1}, 3,
             "parents that are copied when the mutation fails");
    unlikely(got, (const double[]){0.85, 0.15, 0.15}, 3, "another mutation tried when one fails");
}

/* Likes long vector loops and many parallel parts: any smooth function of the state will do. */
struct fake_model {
    int states;
    bool refuse, fail;
};

static double fake_score(const struct state *s)
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

static bool fake_run(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                     struct err *err)
{
    struct fake_model *t = self;
    (void)task;
    t->states += n;
    for (int i = 0; i < n; i++)
        scores[i] = t->refuse ? -INFINITY : fake_score(states[i]);
    return t->fail ? err_set(err, "the model failed") : true;
}

static const struct model fake = {.name = "fake", .score = fake_run};

struct outcome_of {
    bool good, forgets;
    double first, best;
    uint64_t digest;
    int states, top;
};

static struct outcome_of run(const struct space *sp, int threads, struct fake_model state)
{
    struct pool *pool = threads > 1 ? pool_open(threads) : NULL;
    struct worker_pool workers;
    struct model_use model = {&fake, &state};
    struct evolve e;
    struct top_k top;
    struct rng r;
    struct err err = {0};
    struct outcome_of o = {0};
    enum { N = 300 };
    uint64_t seeds[N];
    worker_pool_open(&workers, pool, NULL);
    struct evaluator evaluator = {.space = sp, .workers = &workers, .model = &model};
    struct arena *round = arena_open("round");
    evaluator_begin(&evaluator, round);
    evolve_open(&e, arena, &evaluator,
                &(struct evolve_options){.population = N, .generations = 4, .mutation_prob = 0.85}, N);
    top_k_open(&top, arena, 20, NULL);
    rng_seed(&r, 5);
    for (int i = 0; i < N; i++)
        seeds[i] = rng_next(&r);
    o.good = evaluate_draws(&evaluator, seeds, N, e.now.at, &err);
    e.now.n = N;
    for (int i = 0; i < N; i++)
        o.first = fmax(o.first, e.now.at[i].valid ? e.now.at[i].score : 0);
    o.good = o.good && evolve_run(&e, &r, &top, &err);
    top_k_sort(&top);
    o.top = top.n;
    o.best = top.n ? top.heap[0].individual.score : 0;
    for (int i = 0; i < top.n; i++)
        o.digest = o.digest * 31 + top.heap[i].individual.hash;
    o.states = state.states;
    bool scored = evaluator.scores.n > 0;
    arena_close(round);
    o.forgets = scored && !evaluator.scores.cap;
    worker_pool_close(&workers);
    pool_close(pool);
    return o;
}

int main(void)
{
    best_programs();
    measured_sets();
    choice();
    struct space sp;
    share_test_space(&sp, arena, "dense n=4 ci=4 co=64", 8);
    roulette(&sp);
    failures(&sp);
    share_test_space(&sp, arena, "conv2d n=1 ci=32 hi=28 wi=28 co=32 kh=3 kw=3 ph=1 pw=1 cib=8 cob=8 relu=1", 8);
    struct outcome_of one = run(&sp, 1, (struct fake_model){0}), three = run(&sp, 3, (struct fake_model){0});
    ok(one.good && one.top == 20, "evolution fills the heap of best programs");
    ok(one.best > one.first, "evolution improves on the first generation: %.4f after %.4f", one.best, one.first);
    ok(one.states <= 5 * 300 && one.states > 600, "evolution scores %d states in 5 generations of 300", one.states);
    ok(one.forgets, "the scores of a round go with its arena");
    ok(one.digest == three.digest, "evolution gives the same with three threads");
    struct outcome_of refused = run(&sp, 1, (struct fake_model){.refuse = true});
    ok(refused.good && refused.top == 20, "states without features fill an empty heap, as in TVM");
    ok(!run(&sp, 1, (struct fake_model){.fail = true}).good, "evolution reports a model that fails");
    return done_testing();
}

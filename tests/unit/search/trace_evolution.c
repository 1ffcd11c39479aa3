/* SPDX-License-Identifier: Apache-2.0 */
/* trace_evolution: a round of MetaSchedule's search: who begins, how generations follow, what is picked. Scores come
 * from the hashes of the states, programs from small tasks. */
#include "search/trace/trace_evolution.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <string.h>

static struct arena *round_arena;

static double score_of(uint64_t hash)
{
    return 1 + (double)(hash % 1009) / 1009;
}

static bool hash_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                       struct err *err)
{
    (void)self, (void)task, (void)err;
    for (int i = 0; i < n; i++)
        scores[i] = score_of(state_hash(states[i]));
    return true;
}
static const struct model hash_model = {.name = "hash", .score = hash_score};
static const struct model_use hash_model_use = {&hash_model, NULL};

static const struct trace_evolution_options defaults = {.population = 64,
                                                        .init_unmeasured = 20,
                                                        .init_failures = 5,
                                                        .generations = 4,
                                                        .mutate_failures = 10,
                                                        .empty_rounds = 5,
                                                        .init_measured = 0.25,
                                                        .mutate_prob = 0.85,
                                                        .eps_greedy = 0.05};
struct fixture {
    struct trace_space traces;
    struct trace_evolution_options options;
    struct measured_set measured;
    struct worker_pool workers;
    struct evaluator evaluator;
    struct trace_evolution evolution;
    struct top_k top;
    struct rng rng;
};

static void fixture_open(struct fixture *b, const char *spec, const struct trace_evolution_options *o)
{
    memset(b, 0, sizeof *b);
    share_test_traces(&b->traces, arena, spec, 4);
    b->options = *o;
    round_arena = arena_open("round");
    measured_set_open(&b->measured, round_arena, (int)(o->init_measured * (double)o->population));
    worker_pool_open(&b->workers, NULL, NULL);
    b->evaluator = (struct evaluator){.space = &b->traces.space, .workers = &b->workers, .model = &hash_model_use};
    evaluator_begin(&b->evaluator, round_arena);
    trace_evolution_open(&b->evolution, round_arena, &b->traces, &b->options, &b->evaluator);
    rng_seed(&b->rng, 7);
}

static void fixture_close(struct fixture *b)
{
    worker_pool_close(&b->workers);
    arena_close(round_arena);
}

static void begin(struct fixture *b)
{
    bool enough;
    struct err err = {0};
    if (!trace_evolution_begin(&b->evolution, &b->measured, &b->rng, &enough, &err) || !enough)
        bug("no beginning: %s", err.text);
}

/* Tells the measured of a program: its time falls with its number; every third one failed. */
static void tell(struct fixture *b, const struct individual *individual, int number)
{
    struct candidate c = {.task = b->traces.space.task,
                          .steps = individual->genome.steps,
                          .nsteps = individual->genome.n,
                          .hash = individual->hash};
    struct sample s = {.outcome = number % 3 ? OUTCOME_OK : OUTCOME_CRASHED};
    if (number % 3) {
        s.nseconds = 1;
        s.seconds[0] = 1.0 / (1 + number);
    }
    measured_set_tell(&b->measured, &c, &s, 1);
}

static void beginnings(void)
{
    struct fixture b;
    fixture_open(&b, "conv2d ci=8 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8 bias=1 relu=1", &defaults);
    begin(&b);
    is_int(b.evolution.n, 64, "a population without measured programs is full");
    is_int(b.evolution.nunmeasured, 64, "a population without measured programs is all fresh");
    int scored = 0;
    for (int i = 0; i < b.evolution.n; i++)
        scored += b.evolution.now[i].individual.valid &&
                  b.evolution.now[i].individual.score == score_of(b.evolution.now[i].individual.hash);
    is_int(scored, 64, "every program of a fresh population is valid and scored");
    for (int i = 0; i < 30; i++)
        tell(&b, &b.evolution.now[i].individual, i);
    int ordered = 0, most = 0;
    for (int i = 0; i < b.measured.nbest; i++)
        most += b.measured.best[i].throughput > MEASURED_SET_FAILED;
    begin(&b);
    for (int i = 0; i < most; i++)
        ordered += b.evolution.now[i].individual.hash == b.measured.best[i].hash;
    ok(most > 0 && most <= 16, "some of the programs told are good");
    is_int(ordered, most, "the best measured programs begin a population, a quarter at most, failures never");
    is_int(b.evolution.n - b.evolution.nunmeasured, most,
           "a population has as many measured programs as the share allows");
    is_int(b.evolution.n, 64, "fresh programs make up the rest of a population");
    fixture_close(&b);
}

static int differing(const struct trace_space *tr, const struct trace *x, const struct trace *y)
{
    const struct trace_layout *o = &tr->layouts[x->layout];
    int n = 0;
    if (x->layout != y->layout)
        return 1000;
    for (int i = 0; i < o->sketch->nsplits; i++)
        n += memcmp(x->at + o->tile[i], y->at + o->tile[i], sizeof *x->at * (size_t)o->sketch->splits[i].schemes->n) !=
             0;
    for (int i = o->unroll; i < o->n; i++)
        n += x->at[i] != y->at[i];
    return n;
}

static void generations(void)
{
    struct fixture b;
    struct trace_evolution_options o = defaults;
    struct err err = {0};
    struct map hashes = {0};
    int children = 0, same = 0;
    o.generations = 1;
    o.mutate_prob = 0;
    o.mutate_failures = 1 << 20;
    fixture_open(&b, "dense n=16 ci=64 co=32 relu=1", &o);
    begin(&b);
    struct trace_individual *before = ARENA_DUP(arena, b.evolution.now, struct trace_individual, b.evolution.n);
    for (int i = 0; i < b.evolution.n; i++)
        map_put(&hashes, (uint64_t)(uintptr_t)b.evolution.now[i].trace.at, 0);
    top_k_open(&b.top, round_arena, 16, &b.measured);
    ok(trace_evolution_run(&b.evolution, &b.rng, &b.top, &err), "a generation without mutation is bred %s", err.text);
    for (int i = 0; i < b.evolution.n; i++)
        same += !map_put(&hashes, (uint64_t)(uintptr_t)b.evolution.now[i].trace.at, 1);
    is_int(same, 64, "a generation without mutation holds only copies");
    int copied = 0;
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 64; k++)
            copied += before[i].trace.at == b.evolution.now[k].trace.at;
    is_int(copied, 64, "a generation without mutation copies every parent once");
    map_free(&hashes);
    fixture_close(&b);

    o.mutate_prob = 1;
    o.mutate_failures = 10;
    fixture_open(&b, "dense n=16 ci=64 co=32 relu=1", &o);
    begin(&b);
    before = b.evolution.now;
    top_k_open(&b.top, round_arena, 16, &b.measured);
    ok(trace_evolution_run(&b.evolution, &b.rng, &b.top, &err), "a generation of mutations only is bred %s", err.text);
    for (int i = 0; i < b.evolution.n; i++) {
        bool found = false;
        for (int k = 0; k < 64 && !found; k++)
            found = differing(&b.traces, &b.evolution.now[i].trace, &before[k].trace) == 1;
        children += found;
    }
    is_int(children, 64, "each mutated child differs from a parent in one decision");
    fixture_close(&b);
}

static void shares_of_copies(void)
{
    enum { N = 40 };
    struct fixture b;
    struct trace_evolution_options o = defaults;
    struct err err = {0};
    int64_t got[2] = {0};
    o.generations = 1;
    o.population = 256;
    fixture_open(&b, "conv2d ci=8 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8", &o);
    begin(&b);
    struct map parents = {0};
    for (int i = 0; i < b.evolution.n; i++)
        map_put(&parents, (uint64_t)(uintptr_t)b.evolution.now[i].trace.at, 0);
    top_k_open(&b.top, round_arena, 16, &b.measured);
    ok(trace_evolution_run(&b.evolution, &b.rng, &b.top, &err), "a generation of mutations and copies is bred %s",
       err.text);
    for (int i = 0; i < b.evolution.n; i++)
        got[map_get(&parents, (uint64_t)(uintptr_t)b.evolution.now[i].trace.at, NULL)]++;
    /* Of 0.15 x 256 copies about a tenth are refused, since their parent has one, and mutate at the next try. */
    ok(got[1] >= 20 && got[1] <= N, "about 0.15 of the children of a generation are copies: %d of %d", (int)got[1],
       b.evolution.n);
    map_free(&parents);
    fixture_close(&b);
}

static void picking(void)
{
    enum { MAX = 40 };
    struct fixture b;
    struct err err = {0};
    static struct candidate out[256];
    fixture_open(&b, "conv2d ci=8 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8 bias=1 relu=1", &defaults);
    begin(&b);
    for (int i = 0; i < 10; i++)
        tell(&b, &b.evolution.now[i].individual, i);
    top_k_open(&b.top, round_arena, MAX, &b.measured);
    ok(trace_evolution_run(&b.evolution, &b.rng, &b.top, &err), "four generations are bred %s", err.text);
    top_k_sort(&b.top);
    int n = trace_evolution_pick(&b.evolution, &b.top, &b.rng, arena, MAX, out), best = 0, fresh = 0, known = 0;
    struct map seen = {0};
    for (int i = 0; i < n; i++) {
        best += i < 38 && out[i].hash == b.top.heap[i].individual.hash && (i == 0 || out[i].score <= out[i - 1].score);
        for (int k = 0; i >= 38 && k < b.evolution.nunmeasured; k++)
            if (b.evolution.unmeasured[k].individual.hash == out[i].hash) {
                fresh++;
                break;
            }
        known += measured_set_knows(&b.measured, out[i].hash) || !map_put(&seen, out[i].hash, 0);
    }
    is_int(best, 38, "38 of the 40 picks are the best programs met, best first");
    is_int(fresh, n - 38, "the other picks are fresh traces, %d", n - 38);
    ok(n > 38 && known == 0, "no pick is measured or there twice");
    map_free(&seen);

    b.options.eps_greedy = 1;
    int64_t got[64] = {0};
    double even[64] = {0};
    for (int i = 10; i < b.evolution.nunmeasured; i++) {
        even[i] = 1;
        for (int k = 10; k < i; k++) /* programs drawn twice count where they stand first */
            if (b.evolution.unmeasured[k].individual.hash == b.evolution.unmeasured[i].individual.hash) {
                even[k]++;
                even[i] = 0;
                break;
            }
        if (measured_set_knows(&b.measured, b.evolution.unmeasured[i].individual.hash))
            even[i] = 0;
    }
    for (int i = 0; i < 5000; i++)
        if (trace_evolution_pick(&b.evolution, &b.top, &b.rng, arena, 1, out) == 1)
            for (int k = 10; k < 64; k++)
                if (b.evolution.unmeasured[k].individual.hash == out[0].hash) {
                    got[k]++;
                    break;
                }
    likely(got, even, 64, "with eps_greedy 1 every fresh trace is as likely to be picked");
    for (int i = 0; i < b.evolution.nunmeasured; i++)
        tell(&b, &b.evolution.unmeasured[i].individual, i);
    b.top.n = 0;
    is_int(trace_evolution_pick(&b.evolution, &b.top, &b.rng, arena, MAX, out), 0,
           "nothing is picked where nothing is new");
    fixture_close(&b);
}

int main(void)
{
    beginnings();
    generations();
    shares_of_copies();
    picking();
    return done_testing();
}

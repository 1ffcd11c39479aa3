/* SPDX-License-Identifier: Apache-2.0 */
/* searchers: the contract of harness/plug/searcher.h over the whole table, with analytic costs: candidates apply and
 * carry their identity, explorers never repeat one, telling again and restoring the random state gives the same next
 * batch, threads change nothing, small spaces end. */
#include "search/searchers.h"
#include "harness/base/file.h"
#include "harness/base/map.h"
#include "harness/plug/recording_write.h"
#include "harness/program/lower/bound.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, BATCH = 24 };

static struct limits limits; /* of the device that is searched for */

static bool fake_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                       struct err *err)
{
    (void)task, (void)err;
    for (int i = 0; i < n; i++)
        scores[i] = self ? -INFINITY : (double)(state_hash(states[i]) % 1009) / 1009;
    return true;
}
static const struct model fake_model = {.name = "fake", .score = fake_score};

/* Every program's time follows from its identity; one in eight fails. */
static struct sample measure(const struct candidate *c)
{
    struct sample s = {.outcome = c->hash % 8 ? OUTCOME_OK : OUTCOME_CRASHED};
    if (s.outcome != OUTCOME_OK)
        return s;
    s.nseconds = 3;
    for (int i = 0; i < 3; i++)
        s.seconds[i] = 1e-4 * (1 + (double)(c->hash % 1000) / 100) * (1 + 0.001 * i);
    return s;
}

struct run {
    const struct searcher *searcher;
    struct searcher_env env;
    void *options, *self;
    struct candidate seed;
    struct sample seed_sample;
};

/* Gives searchers that refine one a seed: the first program of searcher random. */
static bool run_open(struct run *r, const struct searcher *s, const struct task *t, const char *settings, int threads,
                     const struct candidate *seed, struct err *err)
{
    *r = (struct run){.searcher = s};
    r->self = arena_alloc(arena, s->state_size + 1);
    if (!setting_options(arena, s->settings, s->options_size, settings, &r->options, err))
        return false;
    r->env = (struct searcher_env){.options = r->options,
                                   .arena = arena_open("searcher"),
                                   .task = t,
                                   .limits = limits,
                                   .pool = threads > 1 ? pool_open(threads) : NULL,
                                   .model = {&fake_model, NULL},
                                   .draft = {&fake_model, NULL},
                                   .parallel_builds = 2,
                                   .trials = ROUNDS * BATCH};
    rng_seed(&r->env.rng, 42);
    if (s->needs_seed) {
        r->seed = *seed;
        r->seed_sample = measure(seed);
        r->env.seed = &r->seed;
        r->env.seed_sample = &r->seed_sample;
    }
    return s->open(r->self, &r->env, err);
}

static void run_close(struct run *r)
{
    arena_close(r->env.arena);
    pool_close(r->env.pool);
}

struct round {
    struct rng before;
    struct candidate c[BATCH];
    struct sample s[BATCH];
    int n;
};

static bool run_round(struct run *r, struct round *out, int max)
{
    struct err err = {0};
    out->before = r->env.rng;
    if (!r->searcher->ask(r->self, arena, max, out->c, &out->n, &err)) {
        diag("%s", err.text);
        return false;
    }
    for (int i = 0; i < out->n; i++)
        out->s[i] = measure(&out->c[i]);
    return true;
}

static bool run_tell(struct run *r, const struct round *round)
{
    struct err err = {0};
    return r->searcher->tell(r->self, round->c, round->s, round->n, &err);
}

static bool same_round(const struct round *x, const struct round *y)
{
    bool same = x->n == y->n;
    for (int i = 0; same && i < x->n; i++)
        same = x->c[i].hash == y->c[i].hash;
    return same;
}

static void check_candidates(const struct searcher *s, const struct round *rounds, int n)
{
    int wrong = 0, repeats = 0, total = 0;
    struct map seen = {0};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < rounds[i].n; k++) {
            const struct candidate *c = &rounds[i].c[k];
            struct state *state;
            bool applies = state_replay(arena, c->task, c->steps, c->nsteps, &state, NULL) && bound_infer(state, NULL);
            wrong += applies ? state_hash(state) != c->hash : !s->needs_seed;
            repeats += !map_put(&seen, c->hash, 0);
            total++;
        }
    map_free(&seen);
    ok(str_eq(s->name, "imported") == (total == 0), "searcher %s gives %d candidates", s->name, total);
    is_int(wrong, 0, "the steps of searcher %s apply, and the hash is the state's", s->name);
    if (!s->needs_seed)
        is_int(repeats, 0, "searcher %s gives no program twice", s->name);
}

/* A fresh searcher that is told rounds 0..upto-1 and gets the random state of round upto asks what the first one asked.
 */
static bool resumes(const struct searcher *s, const struct task *t, const char *settings, const struct candidate *seed,
                    const struct round *rounds, int upto, int threads)
{
    struct run r;
    struct round again;
    struct err err = {0};
    bool good = run_open(&r, s, t, settings, threads, seed, &err);
    for (int i = 0; good && i < upto; i++)
        good = run_tell(&r, &rounds[i]);
    r.env.rng = rounds[upto].before;
    good = good && run_round(&r, &again, BATCH) && same_round(&again, &rounds[upto]);
    run_close(&r);
    return good;
}

static void contract(const struct searcher *s, const struct task *t, const char *settings, const struct candidate *seed)
{
    static struct round rounds[ROUNDS], none;
    struct run r;
    struct err err = {0};
    if (!ok(run_open(&r, s, t, settings, 1, seed, &err), "searcher %s opens %s", s->name, err.text))
        return;
    ok(run_round(&r, &none, 0) && none.n == 0, "searcher %s gives none when asked for none", s->name);
    int n = 0;
    for (; n < ROUNDS; n++) {
        if (!run_round(&r, &rounds[n], BATCH) || !run_tell(&r, &rounds[n])) {
            fail("searcher %s gives nothing in round %d", s->name, n);
            break;
        }
        if (rounds[n].n == 0)
            break;
    }
    run_close(&r);
    check_candidates(s, rounds, n);
    bool same = true, threads = true;
    for (int i = 0; i < n; i++) {
        same = same && resumes(s, t, settings, seed, rounds, i, 1);
        threads = threads && resumes(s, t, settings, seed, rounds, i, 3);
    }
    ok(same, "searcher %s, resumed after each of %d rounds, gives the same candidates", s->name, n);
    ok(threads, "searcher %s gives the same candidates with three threads", s->name);
}

/* All programs of a small space, as a sum of their hashes. */
static uint64_t exhaust(const char *name, const struct task *t, int *total)
{
    struct run r;
    static struct round round;
    struct err err = {0};
    uint64_t sum = 0;
    *total = 0;
    fixture_must(run_open(&r, fixture_searcher(name), t, "", 1, NULL, &err), &err);
    while (run_round(&r, &round, BATCH) && round.n > 0 && run_tell(&r, &round)) {
        *total += round.n;
        for (int i = 0; i < round.n; i++)
            sum += round.c[i].hash;
    }
    run_close(&r);
    return sum;
}

static void small_space(void)
{
    const struct task *t = fixture_task(arena, "dense n=1 ci=4 co=4");
    int ngrid, nrandom, nansor;
    uint64_t grid = exhaust("grid", t, &ngrid), random = exhaust("random", t, &nrandom);
    ok(ngrid > 100 && grid == random, "searchers grid and random exhaust the same %d programs (random: %d)", ngrid,
       nrandom);
    exhaust("ansor", t, &nansor);
    ok(nansor >= ngrid, "searcher ansor finds all programs of the grid, and %d by mutation", nansor);
    int nmeta; /* one parallel loop, nothing to tile or to move: only the unroll limit is open */
    exhaust("metaschedule", fixture_task(arena, "reduce n=4 m=3 by=sum"), &nmeta);
    is_int(nmeta, 4, "searcher metaschedule finds the four programs of a row sum and ends");
}

static void hopeless(void)
{
    struct run r;
    struct round round;
    struct err err = {0};
    fixture_must(run_open(&r, fixture_searcher("ansor"), fixture_task(arena, "dense n=4 ci=8 co=8"),
                          "evolutionary_search_population=64", 1, NULL, &err),
                 &err);
    r.env.model.self = &r; /* the fake model then refuses every state */
    ok(run_round(&r, &round, BATCH) && round.n == 0, "searcher ansor ends where a task has no usable program");
    run_close(&r);
}

static void refusals(void)
{
    struct run r;
    struct err err = {0};
    const struct task *t = fixture_task(arena, "conv2d n=1 ci=16 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4");
    ok(!run_open(&r, fixture_searcher("grid"), t, "", 1, NULL, &err) && strstr(err.text, "points"),
       "searcher grid refuses a space that is too large: %s", err.text);
    run_close(&r);
    err = (struct err){0};
    ok(!run_open(&r, fixture_searcher("ansor"), t, "cpu_multi_level_tiling_structure=SXS", 1, NULL, &err),
       "searcher ansor refuses a tile structure with an X: %s", err.text);
    run_close(&r);
}

/* A measurable program that an explorer asks first. */
static struct candidate seed_from(const char *name, const struct task *t)
{
    static struct round first;
    struct run r;
    struct err err = {0};
    if (!run_open(&r, fixture_searcher(name), t, "", 1, NULL, &err) || !run_round(&r, &first, BATCH) || first.n == 0)
        bug("no seed: %s", err.text);
    run_close(&r);
    for (int i = first.n - 1; i > 0; i--)
        if (first.c[i].hash % 8)
            return first.c[i];
    return first.c[0];
}

/* The setting of searcher exec: a program in sh that draws what it is asked for and asks for more in tell. */
static const char *write_program(void)
{
    static const char program[] = "read -r hello; echo '{\"raingauge\":1}'\n"
                                  "while read -r line; do case $line in\n"
                                  "'{\"ask\"'*) n=${line#*:}; echo \"{\\\"draw\\\":${n%%,*}}\"; read -r states\n"
                                  "echo \"{\\\"submit\\\":${states#*:}\" ;;\n"
                                  "*) echo '{\"mutate\":[0]}'; read -r state\n"
                                  "echo '{\"done\":true}' ;; esac; done\n";
    const char *file = fixture_path("program");
    struct err err = {0};
    fixture_must(file_write(file, program, sizeof program - 1, &err), &err);
    return arena_printf(arena, "command=\"sh %s\"", file);
}

/* The searchers that know GPUs, on a task with a sketch that reduces across threads and one that is tiled. */
static void gpus(void)
{
    limits = limits_cuda();
    const struct task *t = fixture_task(arena, "dense n=4 ci=256 co=48 relu=1");
    struct candidate seed = seed_from("random", t);
    contract(fixture_searcher("random"), t, "", NULL);
    contract(fixture_searcher("ansor"), t, "evolutionary_search_population=256", NULL);
    contract(fixture_searcher("pruner"), t, "evolutionary_search_population=256,potential_space_iter=3", NULL);
    contract(fixture_searcher("droplet"), t, "", &seed);
    contract(fixture_searcher("grid"), fixture_task(arena, "map n=64 c=32 by=relu"), "", NULL);
    contract(fixture_searcher("metaschedule"), t, "population_size=128", NULL);
    contract(fixture_searcher("exec"), t, write_program(), NULL);
}

/* A recording of some programs of searcher random, for searcher pool; its setting. */
static const char *record_pool(const struct task *t)
{
    static struct round round;
    const char *file = fixture_path("pool");
    struct run r;
    struct err err = {0};
    struct recording_writer *w;
    const struct recording_task task = {t->spec, 1};
    const struct recording_head head = {"fake", "fake", "random", "", limits, 0, &task, 1};
    fixture_must(recording_create(file, &head, 0, &w, &err) &&
                     run_open(&r, fixture_searcher("random"), t, "", 1, NULL, &err),
                 &err);
    for (int k = 0; k < ROUNDS + 1 && run_round(&r, &round, BATCH) && run_tell(&r, &round); k++)
        for (int i = 0; i < round.n; i++)
            fixture_must(recording_put(w, 0, round.c[i].steps, round.c[i].nsteps, &round.s[i], &err), &err);
    run_close(&r);
    fixture_must(recording_finish(w, &err), &err);
    recording_close(w);
    return arena_printf(arena, "recording=%s", file);
}

/* All of a pool is asked for, once, the best by the model first; other kernels and no file are refused. */
static void pools(const struct task *t)
{
    static struct round round;
    struct run r;
    struct err err = {0};
    const char *setting = record_pool(t);
    int total = 0, falls = 0;
    fixture_must(run_open(&r, fixture_searcher("pool"), t, arena_printf(arena, "%s,eps=0", setting), 1, NULL, &err),
                 &err);
    for (double last = INFINITY; run_round(&r, &round, BATCH) && round.n > 0 && run_tell(&r, &round);)
        for (int i = 0; i < round.n; i++, total++) {
            falls += round.c[i].score > last;
            last = round.c[i].score;
        }
    run_close(&r);
    is_int(total, (ROUNDS + 1) * BATCH, "searcher pool asks for every recorded program once and ends");
    is_int(falls, 0, "the program with the highest score is asked for first");
    err = (struct err){0};
    ok(!run_open(&r, fixture_searcher("pool"), fixture_task(arena, "dense n=4 ci=16 co=32"), setting, 1, NULL, &err) &&
           strstr(err.text, "another task set"),
       "searcher pool refuses a recording without its kernel: %s", err.text);
    run_close(&r);
    err = (struct err){0};
    ok(!run_open(&r, fixture_searcher("pool"), t, "", 1, NULL, &err) && strstr(err.text, "needs a recording"),
       "searcher pool without a recording is refused: %s", err.text);
    run_close(&r);
}

int main(void)
{
    static const struct {
        const char *name, *settings;
    } quick[] = {{"ansor", "evolutionary_search_population=256"},
                 {"pruner", "evolutionary_search_population=256,potential_space_size=64"}};
    limits = limits_cpu(4);
    const struct task *t = fixture_task(arena, "dense n=4 ci=16 co=16 relu=1");
    struct candidate seed = seed_from("random", t), traced = seed_from("metaschedule", t);
    const char *pool = record_pool(t), *program = write_program();
    for (const struct searcher *const *s = searchers_table(); *s; s++) {
        const char *of = str_eq((*s)->name, "pool") ? pool : str_eq((*s)->name, "exec") ? program : "";
        for (int i = 0; i < 2; i++)
            of = str_eq((*s)->name, quick[i].name) ? quick[i].settings : of;
        contract(*s, t, of, &seed);
    }
    pools(t);
    contract(fixture_searcher("pruner"), t, "evolutionary_search_population=128,potential_space_size=48,loop=published",
             NULL);
    contract(fixture_searcher("pruner"), t,
             "evolutionary_search_population=128,potential_space_size=48,draft_only=true", NULL);
    contract(fixture_searcher("pruner"), t, "evolutionary_search_population=128,draft=\"\",potential_space_iter=3",
             NULL);
    contract(fixture_searcher("droplet"), t, "variant=metaschedule", &traced);
    contract(fixture_searcher("metaschedule"), fixture_task(arena, "softmax n=8 c=64"), "population_size=64", NULL);
    contract(fixture_searcher("ansor"), t, "version=v0.7,evolutionary_search_population=128", NULL);
    small_space();
    hopeless();
    refusals();
    gpus();
    return done_testing();
}

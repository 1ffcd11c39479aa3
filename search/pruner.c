/* SPDX-License-Identifier: Apache-2.0 */
/* pruner: draft, then verify (Pruner, arXiv 2402.02361; its repository qiaolian9/Pruner at 0760c3f, sketch_policy.cc
 * and search_policy.py): a few generations of evolution under a formula draft some hundred programs, and the learned
 * model chooses from them. `loop` says whose: what the authors released, which goes on with the learned model for a
 * generation, or what they published. harness/doc/pruner.md has both, step by step, and every deviation.
 *
 * The drafted programs are kept for some rounds. They are a function of the task's random stream, the round and what
 * was measured before it, so that a resumed search drafts them again. */
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/base/vec.h"
#include "harness/plug/searcher.h"
#include "search/evolution/evolve.h"

#include <math.h>

enum pruner_loop { LOOP_RELEASED, LOOP_PUBLISHED };
struct pruner_options {
    struct space_options space;
    int loop;
    bool draft_only, tile_only;
    double eps_greedy, use_measured_ratio, mutation_prob;
    int64_t population, min_population, retry, draft_generations, model_generations, drafted, drafted_rounds,
        random_states;
    const char *draft, *draft_settings;
};

static const char *const loops[] = {"released", "published", NULL};
static const struct setting settings[] = {
    SPACE_SETTINGS(struct pruner_options, space),
    ENUM_SETTING("loop", struct pruner_options, loop, "released", loops,
                 "the authors' released code (sketch_policy.cc), or their paper's Algorithms 1 and 2; -1 below: the "
                 "loop's value"),
    BOOL_SETTING("draft_only", struct pruner_options, draft_only, "false",
                 "the learned model scores the drafted programs and random_states, and nothing else (ours: what the "
                 "paper claims of a round)"),
    STRING_SETTING("draft", struct pruner_options, draft, "sa",
                   "model that drafts: one whose score is a function of the program; \"\": nothing is drafted (the "
                   "paper's ablation without LSE)"),
    STRING_SETTING("draft_settings", struct pruner_options, draft_settings, "", "its settings: \"variant=paper\""),
    INT_SETTING("evolutionary_search_population", struct pruner_options, population, "1536", 1, 1 << 20,
                "states per generation (search_policy.py)"),
    INT_SETTING("draft_generations", struct pruner_options, draft_generations, "2", 0, 1000,
                "generations of mutation under the draft (search_policy.py; the paper's nSteps has no value)"),
    INT_SETTING("evolutionary_search_num_iters", struct pruner_options, model_generations, "-1", -1, 1000,
                "generations of mutation under the learned model (released 1, search_policy.py; published 0)"),
    INT_SETTING("potential_space_size", struct pruner_options, drafted, "512", 0, 1 << 16,
                "drafted programs (search_policy.py; the paper's Table 10)"),
    INT_SETTING("potential_space_iter", struct pruner_options, drafted_rounds, "-1", -1, 1 << 20,
                "rounds of the task that drafted programs serve (released 2, search_policy.py; published 1)"),
    INT_SETTING("random_states", struct pruner_options, random_states, "-1", -1, 1 << 20,
                "random states that join the drafted ones (released: all that were drawn; published, and with "
                "draft_only: 50, ours)"),
    REAL_SETTING("eps_greedy", struct pruner_options, eps_greedy, "-1", -1, 1,
                 "share of a batch drawn from the first population (released 0.1, search_policy.py; published 0)"),
    REAL_SETTING("sample_init_use_measured_ratio", struct pruner_options, use_measured_ratio, "-1", -1, 1,
                 "measured states added, as a share of the population (released 0.1, search_policy.py; published, and "
                 "with draft_only: 0)"),
    REAL_SETTING("evolutionary_search_mutation_prob", struct pruner_options, mutation_prob, "0.85", 0, 1,
                 "chance that a child is mutated and not copied (search_policy.py)"),
    BOOL_SETTING("tile_only", struct pruner_options, tile_only, "false",
                 "the draft mutates nothing but tile sizes; always so in the published loop"),
    INT_SETTING("sample_init_min_population", struct pruner_options, min_population, "50", 1, 1 << 20,
                "valid states an initial population must have (search_policy.py)"),
    INT_SETTING("retry_search_one_round_on_empty", struct pruner_options, retry, "1", 0, 1000,
                "searches repeated when nothing new was found (search_policy.py)"),
    {0},
};

struct pruner {
    struct searcher_env *env;
    struct pruner_options options; /* those of the loop resolved */
    struct arena *round, *kept;
    uint64_t stream; /* of the task: what is drawn in a round follows from it and the round */
    VEC(int) rounds; /* told so far: how many were measured before each of them */
    struct space space;
    struct measured_set measured;
    struct worker_pool workers;
    struct evaluator draft, model;
    struct genome *drafted;   /* in kept */
    int ndrafted, drafted_in; /* the round that they were drafted in; -1: none yet */
};

static void resolve(struct pruner_options *o)
{
    bool published = o->loop == LOOP_PUBLISHED, lean = published || o->draft_only;
    if (o->model_generations < 0)
        o->model_generations = published ? 0 : 1;
    if (o->draft_only)
        o->model_generations = 0;
    if (o->drafted_rounds < 0)
        o->drafted_rounds = published ? 1 : 2;
    if (o->drafted_rounds < 1)
        o->drafted_rounds = 1;
    if (o->random_states < 0)
        o->random_states = lean ? 50 : o->population + o->min_population;
    if (o->eps_greedy < 0)
        o->eps_greedy = published ? 0 : 0.1;
    if (o->use_measured_ratio < 0)
        o->use_measured_ratio = lean ? 0 : 0.1;
    o->tile_only = o->tile_only || published;
}

/* Does the learned model see programs that no one drafted beyond a few? Then it also says which draws are usable, as
 * the released code has it; else the draft does. */
static bool model_sees_all(const struct pruner *p)
{
    return p->options.loop == LOOP_RELEASED && !p->options.draft_only;
}

static const char *pruner_draft(const void *options, const char **draft_settings)
{
    const struct pruner_options *o = options;
    *draft_settings = o->draft_settings ? o->draft_settings : "";
    return o->draft && *o->draft ? o->draft : NULL;
}

static bool pruner_open(void *self, struct searcher_env *env, struct err *err)
{
    struct pruner *p = self;
    struct rng stream = env->rng;
    *p = (struct pruner){.env = env, .options = *(const struct pruner_options *)env->options, .drafted_in = -1};
    resolve(&p->options);
    p->stream = rng_next(&stream);
    if (!env->model.plug)
        return err_set(err, "searcher 'pruner' needs a model");
    const char *ignored;
    if (pruner_draft(&p->options, &ignored) && !env->draft.plug)
        return err_set(err, "searcher 'pruner' was given no model that drafts");
    if (env->draft.plug && (env->draft.plug->save || str_eq(env->draft.plug->name, "random")))
        return err_set(err, "model '%s' cannot draft: its scores are no function of the program alone",
                       env->draft.plug->name);
    if (!env->draft.plug && !model_sees_all(p))
        return err_set(err, "searcher 'pruner' without a draft has nothing to choose from: loop=released, "
                            "draft_only=false");
    p->kept = arena_within(env->arena, "drafted");
    measured_set_open(&p->measured, env->arena, (int)(p->options.use_measured_ratio * (double)p->options.population));
    vec_defer(env->arena, &p->rounds);
    if (!space_open(&p->space, env->arena, env->task, &env->limits, &p->options.space, err))
        return false;
    p->draft = (struct evaluator){.space = &p->space, .workers = &p->workers, .model = &env->draft, .drafts = true};
    p->model = (struct evaluator){.space = &p->space, .workers = &p->workers, .model = &env->model};
    return true;
}

/* How many random states are wanted, and how many are drawn at a time. */
struct sample_size {
    int64_t target;
    int batch;
};

/* The random states of a round and attempt: batches until enough of them are usable, duplicates and all. Five
 * populations in a row that bring nothing halve the number, as in ansor. */
static bool draw_sample(struct pruner *p, struct evolve *e, struct evaluator *by, struct sample_size size, int round,
                        int64_t attempt, struct err *err)
{
    struct rng r;
    int64_t target = size.target, empty = 0;
    int batch = size.batch;
    rng_seed(&r, hash_mix(hash_mix(p->stream, (uint64_t)round), (uint64_t)attempt));
    e->now.n = 0;
    while (e->now.n < target && e->now.n + batch <= e->cap) {
        struct individual *drawn = e->next.at; /* free until the first breeding */
        int before = e->now.n;
        for (int i = 0; i < batch; i++)
            e->seeds[i] = rng_next(&r);
        if (!evaluate_draws(by, e->seeds, batch, drawn, err))
            return false;
        for (int i = 0; i < batch; i++) {
            by->asked += by == &p->model && (drawn[i].valid || drawn[i].refused);
            if (drawn[i].valid && drawn[i].score > -1e10)
                e->now.at[e->now.n++] = drawn[i];
        }
        empty = e->now.n > before ? 0 : empty + batch;
        if (empty < 5 * p->options.population)
            continue;
        if (e->now.n == 0)
            break;
        target = target > 1 ? target / 2 : 1;
        empty = 0;
    }
    return true;
}

/* A whole population, of which so many must be usable. */
static struct sample_size whole_sample(const struct pruner *p)
{
    return (struct sample_size){p->options.min_population, (int)p->options.population};
}

static int population_cap(const struct pruner *p)
{
    return (int)(p->options.population + p->options.min_population);
}

/* Drafts the programs of the round that the present one belongs to, unless they are at hand. */
static bool draft(struct pruner *p, struct err *err)
{
    const struct pruner_options *o = &p->options;
    int round = p->rounds.n - p->rounds.n % (int)o->drafted_rounds;
    struct evolve_options eo = {.population = o->population,
                                .generations = o->draft_generations,
                                .mutation_prob = o->mutation_prob,
                                .only = o->tile_only ? &mutations[0] : NULL,
                                .any_parent = true};
    struct evolve e;
    struct top_k top;
    struct rng r;
    if (p->drafted_in == round || !p->env->draft.plug)
        return true;
    evolve_open(&e, p->round, &p->draft, &eo, population_cap(p));
    top_k_open(&top, p->round, (int)o->drafted, &p->measured);
    top.measured_first = round < p->rounds.n ? p->rounds.at[round] : p->measured.n;
    rng_seed(&r, hash_mix(hash_mix(p->stream, (uint64_t)round), hash_str("draft")));
    if (!draw_sample(p, &e, &p->draft, whole_sample(p), round, 0, err) || !evolve_run(&e, &r, &top, err))
        return false;
    top_k_sort(&top);
    arena_reset(p->kept);
    p->drafted = ARENA_ARRAY(p->kept, struct genome, top.n + 1);
    for (int i = 0; i < top.n; i++) {
        const struct genome *g = &top.heap[i].individual.genome;
        p->drafted[i] = (struct genome){steps_copy(p->kept, g->steps, g->n), g->n};
    }
    p->ndrafted = top.n;
    p->drafted_in = round;
    return true;
}

/* Appends programs that are to be scored by the learned model. */
static void append(struct evolve *e, struct genome genome, int *nfresh)
{
    struct individual *individual = &e->now.at[e->now.n++];
    *individual = (struct individual){.genome = genome};
    e->fresh[(*nfresh)++] = individual;
}

/* The first population of the learned model: drafted programs, random states, measured ones. */
static bool gather(struct pruner *p, struct evolve *e, int64_t attempt, struct err *err)
{
    const struct pruner_options *o = &p->options;
    bool all = model_sees_all(p);
    int nfresh = 0;
    struct sample_size few = {o->random_states,
                              (int)(o->random_states < o->population ? o->random_states : o->population)};
    if (!draw_sample(p, e, all ? &p->model : &p->draft, all ? whole_sample(p) : few, p->rounds.n, attempt, err))
        return false;
    e->now.n = e->now.n < o->random_states ? e->now.n : (int)o->random_states;
    for (int i = 0; !all && i < e->now.n; i++) /* scored by the draft so far */
        e->fresh[nfresh++] = &e->now.at[i];
    for (int i = 0; i < p->ndrafted; i++)
        append(e, p->drafted[i], &nfresh);
    for (int i = 0; i < p->measured.nbest; i++)
        append(e, (struct genome){p->measured.best[i].steps, p->measured.best[i].nsteps}, &nfresh);
    return evaluate_genomes(&p->model, e->fresh, nfresh, err);
}

struct batch { /* what is asked for */
    struct arena *arena;
    int max;
    struct candidate *out;
};

static bool one_round(struct pruner *p, int64_t attempt, const struct batch *b, int *n, struct err *err)
{
    const struct pruner_options *o = &p->options;
    struct evolve_options eo = {.population = o->population,
                                .generations = o->model_generations,
                                .mutation_prob = o->mutation_prob,
                                .any_parent = true};
    struct random_pool pool = {.wanted = (int)(o->eps_greedy * b->max)};
    struct evolve e;
    struct top_k top;
    evaluator_begin(&p->draft, p->round);
    evaluator_begin(&p->model, p->round);
    if (!draft(p, err))
        return false;
    evolve_open(&e, p->round, &p->model, &eo,
                population_cap(p) + p->ndrafted + (int)(o->use_measured_ratio * (double)o->population));
    top_k_open(&top, p->round, 2 * b->max, &p->measured);
    if (!gather(p, &e, attempt, err))
        return false;
    pool.n = e.now.n > 0 ? 3 * pool.wanted : 0;
    pool.at = ARENA_ARRAY(p->round, struct individual, pool.n + 1);
    for (int i = 0; i < pool.n; i++)
        pool.at[i] = e.now.at[rng_below(&p->env->rng, (uint64_t)e.now.n)];
    if (!evolve_run(&e, &p->env->rng, &top, err))
        return false;
    top_k_sort(&top);
    *n = top_k_choose(&top, &pool, p->env->task, b->arena, b->max, b->out);
    return true;
}

static bool pruner_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct pruner *p = self;
    const struct batch b = {a, max, out};
    *n = 0;
    if (max <= 0 || p->space.nsketches == 0)
        return true;
    enum phase before = phases_enter(p->env->phases, PHASE_sample);
    bool good = true;
    worker_pool_open(&p->workers, p->env->pool, p->env->phases);
    p->round = arena_open("round");
    for (int64_t tries = 0; good && *n == 0 && tries <= p->options.retry; tries++) {
        good = one_round(p, tries, &b, n, err);
        worker_pool_reset(&p->workers);
        arena_reset(p->round);
    }
    evaluator_count(&p->draft, p->env->evaluations);
    evaluator_count(&p->model, p->env->evaluations);
    arena_close(p->round);
    worker_pool_close(&p->workers);
    phases_enter(p->env->phases, before);
    if (good && *n == 0)
        log_info("pruner: no new candidate for '%s' after %d measured", p->env->task->spec, p->measured.n);
    return good;
}

static bool pruner_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct pruner *p = self;
    (void)err;
    vec_push(&p->rounds, p->measured.n);
    measured_set_tell(&p->measured, c, s, n);
    return true;
}

const struct searcher searcher_pruner = {
    .name = "pruner",
    .summary = "Pruner: evolution under a formula drafts programs, a learned model chooses from them",
    .settings = settings,
    .options_size = sizeof(struct pruner_options),
    .state_size = sizeof(struct pruner),
    .needs_model = true,
    .draft = pruner_draft,
    .open = pruner_open,
    .ask = pruner_ask,
    .tell = pruner_tell,
};

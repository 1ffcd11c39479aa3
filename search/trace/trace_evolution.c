/* SPDX-License-Identifier: Apache-2.0 */
/* trace_evolution: kept from TVM v0.16: a population need not hold different programs; scores
 * below 0 count as 0, and where none is above it individual 0 is every child's parent; a parent is copied unchanged at
 * most once a generation; a child gets a new parent with each try, and after the last one is a copy of it.
 *
 * Deviations: children are made in parallel, each with a random stream of its own; individual may be the one copy of a
 * parent is settled in the order of the children, so results do not depend on threads. Measured programs come back from
 * their steps (trace_find). Scores are remembered for the round (evaluate.h). */
#include "search/trace/trace_evolution.h"

#include "harness/base/log.h"
#include "search/evolution/evolve.h"

#include <math.h>

void trace_evolution_open(struct trace_evolution *e, struct arena *a, const struct trace_space *ts,
                          const struct trace_evolution_options *o, struct evaluator *evaluator)
{
    int population = (int)o->population, cap = population + (int)o->init_unmeasured;
    *e = (struct trace_evolution){.traces = ts, .options = o, .evaluator = evaluator, .arena = a, .cap = cap};
    e->now = ARENA_ARRAY(a, struct trace_individual, cap);
    e->next = ARENA_ARRAY(a, struct trace_individual, cap);
    e->unmeasured = ARENA_ARRAY(a, struct trace_individual, cap);
}

/* Replays a trace; what it gives lives in the thread's keep. False: invalid. */
static bool replay_individual(const struct trace_space *ts, struct search_thread *thread, const struct trace *t,
                              struct rng *r, struct trace_individual *out)
{
    struct trace own = trace_copy(ts, thread->work, t);
    struct state *s = trace_replay(ts, thread->work, &own, r, &thread->bounds_s, NULL);
    if (!s)
        return false;
    *out = (struct trace_individual){.individual.genome = {steps_copy(thread->keep, s->steps, s->nsteps), s->nsteps},
                                     .trace = trace_copy(ts, thread->keep, &own)};
    return true;
}

/* Scores of the given individuals, none below 0. */
static bool evaluate_individuals(struct trace_evolution *e, struct trace_individual *c, int n, struct err *err)
{
    struct arena_mark mark = arena_mark(e->arena);
    struct individual **list = ARENA_ARRAY(e->arena, struct individual *, n + 1);
    for (int i = 0; i < n; i++)
        list[i] = &c[i].individual;
    bool good = evaluate_genomes(e->evaluator, list, n, err);
    for (int i = 0; i < n; i++)
        c[i].individual.score = fmax(c[i].individual.score, 0);
    arena_release(e->arena, mark);
    return good;
}

/* ---- the initial population ---- */

struct replay_batch {
    struct trace_evolution *e;
    const uint64_t *seeds; /* fresh traces */
    const struct measured_program *measured;
    struct trace_individual *out;
    bool *made;
};

static void fresh_item(void *ctx, int item, struct search_thread *thread)
{
    struct replay_batch *b = ctx;
    const struct trace_space *ts = b->e->traces;
    struct arena_mark mark = arena_mark(thread->work);
    struct rng r;
    rng_seed(&r, b->seeds[item]);
    struct trace t = trace_fresh(ts, thread->work, (int)rng_below(&r, (uint64_t)ts->space.nsketches));
    b->made[item] = replay_individual(ts, thread, &t, &r, &b->out[item]);
    arena_release(thread->work, mark);
}

static void measured_item(void *ctx, int item, struct search_thread *thread)
{
    struct replay_batch *b = ctx;
    const struct measured_program *p = &b->measured[item];
    struct arena_mark mark = arena_mark(thread->work);
    struct trace t;
    b->made[item] = trace_find(b->e->traces, thread->work, p->steps, p->nsteps, &t) &&
                    replay_individual(b->e->traces, thread, &t, NULL, &b->out[item]);
    arena_release(thread->work, mark);
}

/* Runs work on n items and keeps what was made, from *to on. */
static int run_batch(struct trace_evolution *e, struct replay_batch *b, int n,
                     void (*work)(void *, int, struct search_thread *), struct trace_individual *to, int room)
{
    int kept = 0;
    b->e = e;
    b->out = ARENA_ARRAY(e->arena, struct trace_individual, n + 1);
    b->made = ARENA_ARRAY(e->arena, bool, n + 1);
    worker_pool_for(e->evaluator->workers, n, work, b);
    worker_pool_clear(e->evaluator->workers);
    for (int i = 0; i < n; i++)
        if (b->made[i] && kept < room)
            to[kept++] = b->out[i];
    return kept;
}

static void add_measured(struct trace_evolution *e, const struct measured_set *measured)
{
    struct replay_batch b = {.measured = measured->best};
    int n = 0;
    while (n < measured->nbest && measured->best[n].throughput > MEASURED_SET_FAILED)
        n++;
    e->n = run_batch(e, &b, n, measured_item, e->now, e->cap);
    if (e->n < n)
        log_warn("%d of %d measured programs are no traces of the space", n - e->n, n);
}

static void add_fresh(struct trace_evolution *e, struct rng *r, int n)
{
    int room = e->cap - e->n;
    uint64_t *seeds = ARENA_ARRAY(e->arena, uint64_t, n + 1);
    struct replay_batch b = {.seeds = seeds};
    for (int failures = 0;
         e->nunmeasured < e->options->init_unmeasured && failures < e->options->init_failures && room > 0;) {
        for (int i = 0; i < n; i++)
            seeds[i] = rng_next(r);
        int kept = run_batch(e, &b, n, fresh_item, e->unmeasured + e->nunmeasured, room);
        failures += kept == 0;
        e->nunmeasured += kept;
        room -= kept;
    }
}

bool trace_evolution_begin(struct trace_evolution *e, const struct measured_set *measured, struct rng *r, bool *enough,
                           struct err *err)
{
    e->n = e->nunmeasured = 0;
    add_measured(e, measured);
    add_fresh(e, r, (int)e->options->population - e->n);
    *enough = e->nunmeasured > 0 && e->nunmeasured >= e->options->init_unmeasured;
    if (!evaluate_individuals(e, e->unmeasured, e->nunmeasured, err) || !evaluate_individuals(e, e->now, e->n, err))
        return false;
    for (int i = 0; i < e->nunmeasured; i++)
        e->now[e->n++] = e->unmeasured[i];
    return true;
}

/* ---- generations ---- */

struct attempt { /* of one child */
    struct rng rng;
    int tries, parent;
    enum { TRYING, MUTATED, WANTS_COPY, DONE } at;
    struct trace_individual child;
};
struct breeding {
    struct trace_evolution *e;
    const double *prefix;
    struct attempt *attempts;
    const int *open; /* attempts still trying */
};

/* Tries until a mutated parent replays or a parent is to be copied. */
static void attempt_item(void *ctx, int item, struct search_thread *thread)
{
    struct breeding *b = ctx;
    const struct trace_evolution *e = b->e;
    struct attempt *at = &b->attempts[b->open[item]];
    for (; at->at == TRYING && at->tries <= e->options->mutate_failures; at->tries++) {
        at->parent = evolve_choose(b->prefix, e->n, rng_unit(&at->rng));
        if (rng_unit(&at->rng) >= e->options->mutate_prob) {
            at->at = WANTS_COPY;
            continue;
        }
        struct arena_mark mark = arena_mark(thread->work);
        struct trace child;
        const struct trace_mutator *m = trace_mutator_draw(e->traces, &at->rng);
        if (m->apply(e->traces, thread->work, thread->work, &at->rng, &e->now[at->parent].trace, &child) &&
            replay_individual(e->traces, thread, &child, NULL, &at->child))
            at->at = MUTATED;
        arena_release(thread->work, mark);
    }
    if (at->at == TRYING) { /* out of tries */
        at->child = e->now[at->parent];
        at->at = DONE;
    }
}

/* Grants copies in order; those refused go on trying. Returns how many do, listed in open. */
static int grant_copies(struct breeding *b, int population, bool *copied, int *open)
{
    int n = 0;
    for (int i = 0; i < population; i++) {
        struct attempt *at = &b->attempts[i];
        if (at->at != WANTS_COPY)
            continue;
        if (!copied[at->parent] || at->tries > b->e->options->mutate_failures) {
            copied[at->parent] = true;
            at->child = b->e->now[at->parent];
            at->at = DONE;
        } else {
            at->at = TRYING;
            open[n++] = i;
        }
    }
    return n;
}

static bool trace_evolution_breed(struct trace_evolution *e, struct rng *r, struct err *err)
{
    struct arena_mark mark = arena_mark(e->arena);
    int population = (int)e->options->population, n = population, fresh = 0;
    double *prefix = ARENA_ARRAY(e->arena, double, e->n + 1), sum = 0;
    bool *copied = ARENA_ARRAY(e->arena, bool, e->n + 1);
    int *open = ARENA_ARRAY(e->arena, int, population);
    struct breeding b = {e, prefix, ARENA_ARRAY(e->arena, struct attempt, population), open};
    for (int i = 0; i < e->n; i++)
        prefix[i] = sum += e->now[i].individual.score;
    for (int i = 0; i < population; i++) {
        rng_seed(&b.attempts[i].rng, rng_next(r));
        open[i] = i;
    }
    while (n > 0) {
        worker_pool_for(e->evaluator->workers, n, attempt_item, &b);
        worker_pool_clear(e->evaluator->workers);
        n = grant_copies(&b, population, copied, open);
    }
    for (int i = 0; i < population; i++) /* mutated ones first: only they must be evaluated */
        if (b.attempts[i].at == MUTATED)
            e->next[fresh++] = b.attempts[i].child;
    bool good = evaluate_individuals(e, e->next, fresh, err);
    for (int i = 0, m = fresh; i < population; i++)
        if (b.attempts[i].at == DONE)
            e->next[m++] = b.attempts[i].child;
    arena_release(e->arena, mark);
    struct trace_individual *swap = e->now;
    e->now = e->next;
    e->next = swap;
    e->n = population;
    return good;
}

bool trace_evolution_run(struct trace_evolution *e, struct rng *r, struct top_k *top, struct err *err)
{
    for (int64_t k = 0;; k++) {
        for (int i = 0; i < e->n; i++)
            top_k_offer(top, &e->now[i].individual);
        if (k == e->options->generations || e->n == 0)
            return true;
        if (!trace_evolution_breed(e, r, err))
            return false;
    }
}

/* ---- picking ---- */

int trace_evolution_pick(const struct trace_evolution *e, const struct top_k *top, struct rng *r, struct arena *a,
                         int max, struct candidate *out)
{
    struct map picked = {0};
    int *order = ARENA_ARRAY(e->arena, int, e->nunmeasured + 1);
    int nbest = max - (int)(e->options->eps_greedy * max), n = 0, best = 0, fresh = 0;
    for (int i = 0; i < e->nunmeasured; i++)
        order[i] = i;
    rng_shuffle(r, order, e->nunmeasured);
    for (int i = 0; i < max && (best < top->n || fresh < e->nunmeasured); i++) {
        bool good = i < nbest ? best < top->n : fresh >= e->nunmeasured;
        top_k_pick(top, good ? &top->heap[best++].individual : &e->unmeasured[order[fresh++]].individual,
                   e->traces->space.task, a, &picked, out, &n);
    }
    map_free(&picked);
    return n;
}

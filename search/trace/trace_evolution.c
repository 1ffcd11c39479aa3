/* SPDX-License-Identifier: Apache-2.0 */
/* trace_evolution: see trace_evolution.h. Kept from TVM v0.16: a population need not hold different programs; scores
 * below 0 count as 0, and where none is above it individual 0 is every child's parent; a parent is copied unchanged at
 * most once a generation; a child gets a new parent with each try, and after the last one is a copy of it.
 *
 * Deviations: children are made in parallel, each with a random stream of its own; who may be the one copy of a parent
 * is settled in the order of the children, so results do not depend on threads. Measured programs come back from their
 * steps (trace_find). Scores are remembered for the round (evaluate.h). */
#include "search/trace/trace_evolution.h"

#include "harness/base/log.h"
#include "search/evolution/evolve.h"

#include <math.h>

void trace_evolution_open(struct trace_evolution *l, struct arena *a, const struct trace_space *tr,
                          const struct trace_evolution_options *o, struct evaluator *judge)
{
    int population = (int)o->population, cap = population + (int)o->init_unmeasured;
    *l = (struct trace_evolution){.tracer = tr, .options = o, .judge = judge, .arena = a, .cap = cap};
    l->now = ARENA_ARRAY(a, struct trace_individual, cap);
    l->next = ARENA_ARRAY(a, struct trace_individual, cap);
    l->unmeasured = ARENA_ARRAY(a, struct trace_individual, cap);
}

/* Replays a trace; what it gives lives in the hand's keep. False: invalid. */
static bool creature_make(const struct trace_space *tr, struct worker_pool_thread *hand, const struct trace *t,
                          struct rng *r, struct trace_individual *out)
{
    struct trace own = trace_copy(tr, hand->work, t);
    struct state *s = trace_replay(tr, hand->work, &own, r, &hand->bounds_s, NULL);
    if (!s)
        return false;
    *out = (struct trace_individual){.who.genome = {steps_copy(hand->keep, s->steps, s->nsteps), s->nsteps},
                                     .trace = trace_copy(tr, hand->keep, &own)};
    return true;
}

/* Scores of the given creatures, none below 0. */
static bool trace_evolution_judge(struct trace_evolution *l, struct trace_individual *c, int n, struct err *err)
{
    struct arena_mark mark = arena_mark(l->arena);
    struct individual **who = ARENA_ARRAY(l->arena, struct individual *, n + 1);
    for (int i = 0; i < n; i++)
        who[i] = &c[i].who;
    bool good = evaluate_genomes(l->judge, who, n, err);
    for (int i = 0; i < n; i++)
        c[i].who.score = fmax(c[i].who.score, 0);
    arena_release(l->arena, mark);
    return good;
}

/* ---- the initial population ---- */

struct batch {
    struct trace_evolution *l;
    const uint64_t *seeds;                  /* fresh traces */
    const struct measured_set_line **lines; /* measured ones */
    struct trace_individual *out;
    bool *made;
};

static void fresh_item(void *ctx, int item, struct worker_pool_thread *hand)
{
    struct batch *b = ctx;
    const struct trace_space *tr = b->l->tracer;
    struct arena_mark mark = arena_mark(hand->work);
    struct rng r;
    rng_seed(&r, b->seeds[item]);
    struct trace t = trace_fresh(tr, hand->work, (int)rng_below(&r, (uint64_t)tr->space.nsketches));
    b->made[item] = creature_make(tr, hand, &t, &r, &b->out[item]);
    arena_release(hand->work, mark);
}

static void measured_item(void *ctx, int item, struct worker_pool_thread *hand)
{
    struct batch *b = ctx;
    const struct measured_set_line *line = b->lines[item];
    struct arena_mark mark = arena_mark(hand->work);
    struct trace t;
    b->made[item] = trace_find(b->l->tracer, hand->work, line->steps, line->nsteps, &t) &&
                    creature_make(b->l->tracer, hand, &t, NULL, &b->out[item]);
    arena_release(hand->work, mark);
}

/* Runs work on n items and keeps what was made, from *to on. */
static int batch_run(struct trace_evolution *l, struct batch *b, int n,
                     void (*work)(void *, int, struct worker_pool_thread *), struct trace_individual *to, int room)
{
    int kept = 0;
    b->l = l;
    b->out = ARENA_ARRAY(l->arena, struct trace_individual, n + 1);
    b->made = ARENA_ARRAY(l->arena, bool, n + 1);
    worker_pool_for(l->judge->workers, n, work, b);
    worker_pool_clear(l->judge->workers);
    for (int i = 0; i < n; i++)
        if (b->made[i] && kept < room)
            to[kept++] = b->out[i];
    return kept;
}

static void add_measured(struct trace_evolution *l, const struct measured_set *measured)
{
    int most = (int)(l->options->init_measured * (double)l->options->population), n = 0;
    int *best = ARENA_ARRAY(l->arena, int, most + 1), found = measured_set_best(measured, most, best);
    struct batch b = {.lines = ARENA_ARRAY(l->arena, const struct measured_set_line *, most + 1)};
    for (int i = 0; i < found; i++)
        if (measured->lines[best[i]].throughput > MEASURED_SET_FAILED)
            b.lines[n++] = &measured->lines[best[i]];
    l->n = batch_run(l, &b, n, measured_item, l->now, l->cap);
    if (l->n < n)
        log_warn("%d of %d measured programs are no traces of the space", n - l->n, n);
}

static void add_fresh(struct trace_evolution *l, struct rng *r, int n)
{
    int room = l->cap - l->n;
    uint64_t *seeds = ARENA_ARRAY(l->arena, uint64_t, n + 1);
    struct batch b = {.seeds = seeds};
    for (int failures = 0;
         l->nunmeasured < l->options->init_unmeasured && failures < l->options->init_failures && room > 0;) {
        for (int i = 0; i < n; i++)
            seeds[i] = rng_next(r);
        int kept = batch_run(l, &b, n, fresh_item, l->unmeasured + l->nunmeasured, room);
        failures += kept == 0;
        l->nunmeasured += kept;
        room -= kept;
    }
}

bool trace_evolution_begin(struct trace_evolution *l, const struct measured_set *measured, struct rng *r, bool *enough,
                           struct err *err)
{
    l->n = l->nunmeasured = 0;
    add_measured(l, measured);
    add_fresh(l, r, (int)l->options->population - l->n);
    *enough = l->nunmeasured > 0 && l->nunmeasured >= l->options->init_unmeasured;
    if (!trace_evolution_judge(l, l->unmeasured, l->nunmeasured, err) || !trace_evolution_judge(l, l->now, l->n, err))
        return false;
    for (int i = 0; i < l->nunmeasured; i++)
        l->now[l->n++] = l->unmeasured[i];
    return true;
}

/* ---- generations ---- */

struct attempt { /* of one child */
    struct rng rng;
    int tries, parent;
    enum { TRYING, MUTATED, WANTS_COPY, DONE } at;
    struct trace_individual child;
};
struct brood {
    struct trace_evolution *l;
    const double *prefix;
    struct attempt *attempts;
    const int *open; /* attempts still trying */
};

/* Tries until a mutated parent replays or a parent is to be copied. */
static void brood_item(void *ctx, int item, struct worker_pool_thread *hand)
{
    struct brood *b = ctx;
    const struct trace_evolution *l = b->l;
    struct attempt *at = &b->attempts[b->open[item]];
    for (; at->at == TRYING && at->tries <= l->options->mutate_failures; at->tries++) {
        at->parent = evolve_choose(b->prefix, l->n, rng_unit(&at->rng));
        if (rng_unit(&at->rng) >= l->options->mutate_prob) {
            at->at = WANTS_COPY;
            continue;
        }
        struct arena_mark mark = arena_mark(hand->work);
        struct trace child;
        if (trace_mutator_apply(l->tracer, hand->work, hand->work, &at->rng, &l->now[at->parent].trace, &child, NULL) &&
            creature_make(l->tracer, hand, &child, NULL, &at->child))
            at->at = MUTATED;
        arena_release(hand->work, mark);
    }
    if (at->at == TRYING) { /* out of tries */
        at->child = l->now[at->parent];
        at->at = DONE;
    }
}

/* Grants copies in order; those refused go on trying. Returns how many do, listed in open. */
static int brood_settle(struct brood *b, int population, bool *copied, int *open)
{
    int n = 0;
    for (int i = 0; i < population; i++) {
        struct attempt *at = &b->attempts[i];
        if (at->at != WANTS_COPY)
            continue;
        if (!copied[at->parent] || at->tries > b->l->options->mutate_failures) {
            copied[at->parent] = true;
            at->child = b->l->now[at->parent];
            at->at = DONE;
        } else {
            at->at = TRYING;
            open[n++] = i;
        }
    }
    return n;
}

static bool trace_evolution_breed(struct trace_evolution *l, struct rng *r, struct err *err)
{
    struct arena_mark mark = arena_mark(l->arena);
    int population = (int)l->options->population, n = population, fresh = 0;
    double *prefix = ARENA_ARRAY(l->arena, double, l->n + 1), sum = 0;
    bool *copied = ARENA_ARRAY(l->arena, bool, l->n + 1);
    int *open = ARENA_ARRAY(l->arena, int, population);
    struct brood b = {l, prefix, ARENA_ARRAY(l->arena, struct attempt, population), open};
    for (int i = 0; i < l->n; i++)
        prefix[i] = sum += l->now[i].who.score;
    for (int i = 0; i < population; i++) {
        rng_seed(&b.attempts[i].rng, rng_next(r));
        open[i] = i;
    }
    while (n > 0) {
        worker_pool_for(l->judge->workers, n, brood_item, &b);
        worker_pool_clear(l->judge->workers);
        n = brood_settle(&b, population, copied, open);
    }
    for (int i = 0; i < population; i++) /* mutated ones first: only they must be judged */
        if (b.attempts[i].at == MUTATED)
            l->next[fresh++] = b.attempts[i].child;
    bool good = trace_evolution_judge(l, l->next, fresh, err);
    for (int i = 0, m = fresh; i < population; i++)
        if (b.attempts[i].at == DONE)
            l->next[m++] = b.attempts[i].child;
    arena_release(l->arena, mark);
    struct trace_individual *swap = l->now;
    l->now = l->next;
    l->next = swap;
    l->n = population;
    return good;
}

bool trace_evolution_run(struct trace_evolution *l, struct rng *r, struct top_k *top, struct err *err)
{
    for (int64_t k = 0;; k++) {
        for (int i = 0; i < l->n; i++)
            top_k_offer(top, &l->now[i].who);
        if (k == l->options->generations || l->n == 0)
            return true;
        if (!trace_evolution_breed(l, r, err))
            return false;
    }
}

/* ---- picking ---- */

int trace_evolution_pick(const struct trace_evolution *l, const struct top_k *top, struct rng *r, struct arena *a,
                         int max, struct candidate *out)
{
    struct map picked = {0};
    int *order = ARENA_ARRAY(l->arena, int, l->nunmeasured + 1);
    int nbest = max - (int)(l->options->eps_greedy * max), n = 0, best = 0, fresh = 0;
    for (int i = 0; i < l->nunmeasured; i++)
        order[i] = i;
    rng_shuffle(r, order, l->nunmeasured);
    for (int i = 0; i < max && (best < top->n || fresh < l->nunmeasured); i++) {
        bool good = i < nbest ? best < top->n : fresh >= l->nunmeasured;
        top_k_pick(top, good ? &top->heap[best++].who : &l->unmeasured[order[fresh++]].who, l->tracer->space.task, a,
                   &picked, out, &n);
    }
    map_free(&picked);
    return n;
}

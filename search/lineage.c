/* SPDX-License-Identifier: Apache-2.0 */
/* lineage: see lineage.h. Kept from TVM v0.16: a population need not hold different programs; scores below 0 count as
 * 0, and where none is above it individual 0 is every child's parent; a parent is copied unchanged at most once a
 * generation; a child gets a new parent with each try, and after the last one is a copy of it.
 *
 * Deviations: children are made in parallel, each with a random stream of its own; who may be the one copy of a parent
 * is settled in the order of the children, so results do not depend on threads. Measured programs come back from their
 * steps (trace_find). Scores are remembered for the round (judge.h). */
#include "search/lineage.h"

#include "harness/base/log.h"
#include "search/evolve.h"

#include <math.h>

void lineage_open(struct lineage *l, struct arena *a, const struct tracer *tr, const struct lineage_options *o,
                  struct judge *judge)
{
    int population = (int)o->population, cap = population + (int)o->init_unmeasured;
    *l = (struct lineage){.tracer = tr, .options = o, .judge = judge, .arena = a, .cap = cap};
    l->now = ARENA_ARRAY(a, struct creature, cap);
    l->next = ARENA_ARRAY(a, struct creature, cap);
    l->unmeasured = ARENA_ARRAY(a, struct creature, cap);
}

/* Replays a trace; what it gives lives in the hand's keep. False: invalid. */
static bool creature_make(const struct tracer *tr, struct crew_hand *hand, const struct trace *t, struct rng *r,
                          struct creature *out)
{
    struct trace own = trace_copy(tr, hand->work, t);
    struct state *s = trace_replay(tr, hand->work, &own, r, &hand->bounds_s, NULL);
    if (!s)
        return false;
    *out = (struct creature){.who.genome = {steps_copy(hand->keep, s->steps, s->nsteps), s->nsteps},
                             .trace = trace_copy(tr, hand->keep, &own)};
    return true;
}

/* Scores of the given creatures, none below 0. */
static bool lineage_judge(struct lineage *l, struct creature *c, int n, struct err *err)
{
    struct arena_mark mark = arena_mark(l->arena);
    struct individual **who = ARENA_ARRAY(l->arena, struct individual *, n + 1);
    for (int i = 0; i < n; i++)
        who[i] = &c[i].who;
    bool good = judge_genomes(l->judge, who, n, err);
    for (int i = 0; i < n; i++)
        c[i].who.score = fmax(c[i].who.score, 0);
    arena_release(l->arena, mark);
    return good;
}

/* ---- the initial population ---- */

struct batch {
    struct lineage *l;
    const uint64_t *seeds;            /* fresh traces */
    const struct ledger_line **lines; /* measured ones */
    struct creature *out;
    bool *made;
};

static void fresh_item(void *ctx, int item, struct crew_hand *hand)
{
    struct batch *b = ctx;
    const struct tracer *tr = b->l->tracer;
    struct arena_mark mark = arena_mark(hand->work);
    struct rng r;
    rng_seed(&r, b->seeds[item]);
    struct trace t = trace_fresh(tr, hand->work, (int)rng_below(&r, (uint64_t)tr->space.nsketches));
    b->made[item] = creature_make(tr, hand, &t, &r, &b->out[item]);
    arena_release(hand->work, mark);
}

static void measured_item(void *ctx, int item, struct crew_hand *hand)
{
    struct batch *b = ctx;
    const struct ledger_line *line = b->lines[item];
    struct arena_mark mark = arena_mark(hand->work);
    struct trace t;
    b->made[item] = trace_find(b->l->tracer, hand->work, line->steps, line->nsteps, &t) &&
                    creature_make(b->l->tracer, hand, &t, NULL, &b->out[item]);
    arena_release(hand->work, mark);
}

/* Runs work on n items and keeps what was made, from *to on. */
static int batch_run(struct lineage *l, struct batch *b, int n, void (*work)(void *, int, struct crew_hand *),
                     struct creature *to, int room)
{
    int kept = 0;
    b->l = l;
    b->out = ARENA_ARRAY(l->arena, struct creature, n + 1);
    b->made = ARENA_ARRAY(l->arena, bool, n + 1);
    crew_for(l->judge->crew, n, work, b);
    crew_clear(l->judge->crew);
    for (int i = 0; i < n; i++)
        if (b->made[i] && kept < room)
            to[kept++] = b->out[i];
    return kept;
}

static void add_measured(struct lineage *l, const struct ledger *ledger)
{
    int most = (int)(l->options->init_measured * (double)l->options->population), n = 0;
    int *best = ARENA_ARRAY(l->arena, int, most + 1), found = ledger_best(ledger, most, best);
    struct batch b = {.lines = ARENA_ARRAY(l->arena, const struct ledger_line *, most + 1)};
    for (int i = 0; i < found; i++)
        if (ledger->lines[best[i]].throughput > LEDGER_FAILED)
            b.lines[n++] = &ledger->lines[best[i]];
    l->n = batch_run(l, &b, n, measured_item, l->now, l->cap);
    if (l->n < n)
        log_warn("%d of %d measured programs are no traces of the space", n - l->n, n);
}

static void add_fresh(struct lineage *l, struct rng *r, int n)
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

bool lineage_begin(struct lineage *l, const struct ledger *ledger, struct rng *r, bool *enough, struct err *err)
{
    l->n = l->nunmeasured = 0;
    add_measured(l, ledger);
    add_fresh(l, r, (int)l->options->population - l->n);
    *enough = l->nunmeasured > 0 && l->nunmeasured >= l->options->init_unmeasured;
    if (!lineage_judge(l, l->unmeasured, l->nunmeasured, err) || !lineage_judge(l, l->now, l->n, err))
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
    struct creature child;
};
struct brood {
    struct lineage *l;
    const double *prefix;
    struct attempt *attempts;
    const int *open; /* attempts still trying */
};

/* Tries until a mutated parent replays or a parent is to be copied. */
static void brood_item(void *ctx, int item, struct crew_hand *hand)
{
    struct brood *b = ctx;
    const struct lineage *l = b->l;
    struct attempt *at = &b->attempts[b->open[item]];
    for (; at->at == TRYING && at->tries <= l->options->mutate_failures; at->tries++) {
        at->parent = evolve_choose(b->prefix, l->n, rng_unit(&at->rng));
        if (rng_unit(&at->rng) >= l->options->mutate_prob) {
            at->at = WANTS_COPY;
            continue;
        }
        struct arena_mark mark = arena_mark(hand->work);
        struct trace child;
        if (mutator_apply(l->tracer, hand->work, hand->work, &at->rng, &l->now[at->parent].trace, &child, NULL) &&
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

static bool lineage_breed(struct lineage *l, struct rng *r, struct err *err)
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
        crew_for(l->judge->crew, n, brood_item, &b);
        crew_clear(l->judge->crew);
        n = brood_settle(&b, population, copied, open);
    }
    for (int i = 0; i < population; i++) /* mutated ones first: only they must be judged */
        if (b.attempts[i].at == MUTATED)
            l->next[fresh++] = b.attempts[i].child;
    bool good = lineage_judge(l, l->next, fresh, err);
    for (int i = 0, m = fresh; i < population; i++)
        if (b.attempts[i].at == DONE)
            l->next[m++] = b.attempts[i].child;
    arena_release(l->arena, mark);
    struct creature *swap = l->now;
    l->now = l->next;
    l->next = swap;
    l->n = population;
    return good;
}

bool lineage_run(struct lineage *l, struct rng *r, struct elite *elite, struct err *err)
{
    for (int64_t k = 0;; k++) {
        for (int i = 0; i < l->n; i++)
            elite_offer(elite, &l->now[i].who);
        if (k == l->options->generations || l->n == 0)
            return true;
        if (!lineage_breed(l, r, err))
            return false;
    }
}

/* ---- picking ---- */

int lineage_pick(const struct lineage *l, const struct elite *elite, struct rng *r, struct arena *a, int max,
                 struct candidate *out)
{
    struct map picked = {0};
    int *order = ARENA_ARRAY(l->arena, int, l->nunmeasured + 1);
    int nbest = max - (int)(l->options->eps_greedy * max), n = 0, best = 0, fresh = 0;
    for (int i = 0; i < l->nunmeasured; i++)
        order[i] = i;
    rng_shuffle(r, order, l->nunmeasured);
    for (int i = 0; i < max && (best < elite->n || fresh < l->nunmeasured); i++) {
        bool good = i < nbest ? best < elite->n : fresh >= l->nunmeasured;
        elite_pick(elite, good ? &elite->heap[best++].who : &l->unmeasured[order[fresh++]].who, l->tracer->space.task,
                   a, &picked, out, &n);
    }
    map_free(&picked);
    return n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* evolve: TVM v0.16's evolutionary search (harness/doc/ansor.md, "Evolution"). Kept: no crossover; failed mutations are
 * dropped, not retried on that parent; when no score is positive, individual 0 is the parent of all (TVM's sums are NaN
 * there). Deviations: attempts run in parallel, each with its own seed, so the result does not depend on the number of
 * threads; a generation with no valid state ends the search where TVM aborts the process; where mutation_prob is 1 and
 * nothing can be mutated, it ends too. */
#include "search/evolution/evolve.h"

#include <math.h>
#include <string.h>

void evolve_open(struct evolve *e, struct arena *a, struct evaluator *evaluator, const struct evolve_options *options,
                 int cap)
{
    *e = (struct evolve){.evaluator = evaluator, .options = *options, .cap = cap};
    e->now.at = ARENA_ARRAY(a, struct individual, cap);
    e->next.at = ARENA_ARRAY(a, struct individual, cap);
    e->prefix = ARENA_ARRAY(a, double, cap);
    e->fresh = ARENA_ARRAY(a, struct individual *, cap);
    e->seeds = ARENA_ARRAY(a, uint64_t, cap);
    e->children = ARENA_ARRAY(a, struct genome, cap);
    e->parents = ARENA_ARRAY(a, int, cap);
}

int evolve_choose(const double *prefix, int n, double x)
{
    int lo = 0, hi = n - 1;
    double want = x * prefix[n - 1];
    if (!(prefix[n - 1] > 0))
        return 0;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (prefix[mid] < want)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void evolve_prefix_sums(struct evolve *e)
{
    double sum = 0;
    for (int i = 0; i < e->now.n; i++)
        e->prefix[i] = sum += fmax(e->now.at[i].score, 0);
    for (int i = 0; e->options.any_parent && !(sum > 0) && i < e->now.n; i++)
        e->prefix[i] = i + 1;
}

static void evolve_attempt(void *ctx, int item, struct search_thread *thread)
{
    struct evolve *e = ctx;
    struct rng r;
    rng_seed(&r, e->seeds[item]);
    int parent = evolve_choose(e->prefix, e->now.n, rng_unit(&r));
    e->children[item].n = 0;
    e->parents[item] = parent;
    if (rng_unit(&r) >= e->options.mutation_prob) {
        e->parents[item] = -1 - parent;
        return;
    }
    struct arena_mark mark = arena_mark(thread->work);
    struct genome child;
    const struct space *sp = e->evaluator->space;
    const struct mutation *mutation = e->options.only ? e->options.only : mutation_draw(sp, &r);
    if (mutation->apply(sp, thread->keep, thread->work, &r, e->now.at[parent].genome, &child))
        e->children[item] = child;
    arena_release(thread->work, mark);
}

/* Fills next with n-th batches of attempts; nfresh: how many of them are new and must be evaluated. */
static int evolve_breed(struct evolve *e, struct rng *r)
{
    int nfresh = 0, empty = 0;
    e->next.n = 0;
    while (e->next.n < e->options.population && empty < 16) {
        int n = (int)e->options.population - e->next.n, before = e->next.n;
        for (int i = 0; i < n; i++)
            e->seeds[i] = rng_next(r);
        worker_pool_for(e->evaluator->workers, n, evolve_attempt, e);
        for (int i = 0; i < n; i++) {
            struct individual *child = &e->next.at[e->next.n];
            if (e->parents[i] < 0) {
                *child = e->now.at[-1 - e->parents[i]];
                e->next.n++;
            } else if (e->children[i].n > 0) {
                *child = (struct individual){.genome = e->children[i]};
                e->fresh[nfresh++] = child;
                e->next.n++;
            }
        }
        empty = e->next.n == before ? empty + 1 : 0;
    }
    return nfresh;
}

static void population_prune(struct population *p)
{
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (p->at[i].valid)
            p->at[n++] = p->at[i];
    p->n = n;
}

bool evolve_run(struct evolve *e, struct rng *r, struct top_k *top, struct err *err)
{
    for (int64_t k = 0;; k++) {
        for (int i = 0; i < e->now.n; i++)
            e->evaluator->asked += e->now.at[i].valid || e->now.at[i].refused;
        population_prune(&e->now);
        for (int i = 0; i < e->now.n; i++)
            top_k_offer(top, &e->now.at[i]);
        if (k == e->options.generations || e->now.n == 0)
            return true;
        evolve_prefix_sums(e);
        int nfresh = evolve_breed(e, r);
        if (!evaluate_genomes(e->evaluator, e->fresh, nfresh, err))
            return false;
        struct population swap = e->now;
        e->now = e->next;
        e->next = swap;
    }
}

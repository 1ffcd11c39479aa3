/* SPDX-License-Identifier: Apache-2.0 */
/* evolve: one evolutionary search over a population (harness/doc/ansor.md, "Evolution"). */
#pragma once
#include "search/evolution/top_k.h"

struct evolve_options {
    int64_t population, generations; /* evolutionary_search_population, evolutionary_search_num_iters */
    double mutation_prob;
    const struct mutation *only; /* the one mutation there is; NULL: drawn by weight */
    bool any_parent; /* without a positive score parents are drawn evenly; else individual 0 is the only one */
};

/* Two generations in turn; capacity as given to evolve_open. */
struct population {
    struct individual *at;
    int n;
};
struct evolve {
    struct evaluator *evaluator;
    struct evolve_options options;
    struct population now, next;
    double *prefix;            /* selection: prefix sums of max(score, 0) */
    struct individual **fresh; /* mutated ones to be evaluated */
    uint64_t *seeds;
    struct genome *children; /* attempts of one batch; n 0: the mutation failed */
    int *parents;            /* the chosen parent of an attempt; -1 - i: parent i is copied */
    int cap;
};

/* a: memory for the life of e; cap: individuals in the first generation at most (at least options.population). */
void evolve_open(struct evolve *e, struct arena *a, struct evaluator *evaluator, const struct evolve_options *options,
                 int cap);
/* From e->now (evaluated) on: offers every generation to the top. False: the model failed. An empty generation ends it.
 */
MUST_CHECK bool evolve_run(struct evolve *e, struct rng *r, struct top_k *top, struct err *err);
/* An index drawn by the prefix sums of weights max(w, 0): the first whose share of the sum reaches x in [0, 1). */
int evolve_choose(const double *prefix, int n, double x);

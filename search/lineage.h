/* SPDX-License-Identifier: Apache-2.0 */
/* lineage: one round of MetaSchedule's evolutionary search over traces (ansor.md section 11; TVM v0.16
 * evolutionary_search.cc): an initial population of the best measured and of fresh traces, generations of mutation
 * without crossover, the best unmeasured programs met. */
#pragma once
#include "search/elite.h"
#include "search/mutator.h"

struct lineage_options {
    int64_t population, init_unmeasured, init_failures, generations, mutate_failures, empty_rounds;
    double init_measured, mutate_prob, eps_greedy;
};
struct creature {
    struct individual who; /* its genome is what the trace replays to */
    struct trace trace;
};
struct lineage {
    const struct tracer *tracer;
    const struct lineage_options *options;
    struct judge *judge;
    struct arena *arena; /* of the round */
    struct creature *now, *next;
    int n, cap;
    struct creature *unmeasured; /* the fresh ones of the initial population */
    int nunmeasured;
};

/* a: memory of the round; judge: of the same space as the tracer. */
void lineage_open(struct lineage *l, struct arena *a, const struct tracer *tr, const struct lineage_options *o,
                  struct judge *judge);
/* The initial population: the ledger's best, then fresh traces until enough replay. *enough is false when too few did.
 * False: the model failed. */
MUST_CHECK bool lineage_begin(struct lineage *l, const struct ledger *ledger, struct rng *r, bool *enough,
                              struct err *err);
/* All generations; offers each to the elite. */
MUST_CHECK bool lineage_run(struct lineage *l, struct rng *r, struct elite *elite, struct err *err);
/* Up to max candidates (steps in a): the elite's best (sorted), the last int(eps_greedy * max) draws from the fresh
 * traces in random order, each list filling in for the other. A draw that is known or was picked is lost, not made up
 * for. Returns their number. */
int lineage_pick(const struct lineage *l, const struct elite *elite, struct rng *r, struct arena *a, int max,
                 struct candidate *out);

/* SPDX-License-Identifier: Apache-2.0 */
/* trace_evolution: one round of MetaSchedule's evolutionary search over traces (harness/doc/metaschedule.md, "One
 * round"; TVM v0.16 evolutionary_search.cc): an initial population of the best measured and of fresh traces,
 * generations of mutation without crossover, the best unmeasured programs met. */
#pragma once
#include "search/evolution/top_k.h"
#include "search/trace/trace_mutator.h"

struct trace_evolution_options {
    int64_t population, init_unmeasured, init_failures, generations, mutate_failures, empty_rounds;
    double init_measured, mutate_prob, eps_greedy;
};
struct trace_individual {
    struct individual individual; /* its genome is what the trace replays to */
    struct trace trace;
};
struct trace_evolution {
    const struct trace_space *traces;
    const struct trace_evolution_options *options;
    struct evaluator *evaluator;
    struct arena *arena; /* of the round */
    struct trace_individual *now, *next;
    int n, cap;
    struct trace_individual *unmeasured; /* the fresh ones of the initial population */
    int nunmeasured;
};

/* a: memory of the round; evaluator: over the same space. */
void trace_evolution_open(struct trace_evolution *e, struct arena *a, const struct trace_space *ts,
                          const struct trace_evolution_options *o, struct evaluator *evaluator);
/* The initial population: the measured's best, then fresh traces until enough replay. *enough is false when too few
 * did. False: the model failed. */
MUST_CHECK bool trace_evolution_begin(struct trace_evolution *e, const struct measured_set *measured, struct rng *r,
                                      bool *enough, struct err *err);
/* All generations; offers each to the top. */
MUST_CHECK bool trace_evolution_run(struct trace_evolution *e, struct rng *r, struct top_k *top, struct err *err);
/* Up to max candidates (steps in a): the top's best (sorted), the last int(eps_greedy * max) draws from the fresh
 * traces in random order, each list filling in for the other. A draw that is known or was picked is lost, not made up
 * for. Returns their number. */
int trace_evolution_pick(const struct trace_evolution *e, const struct top_k *top, struct rng *r, struct arena *a,
                         int max, struct candidate *out);

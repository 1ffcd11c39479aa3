/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_decision: what a trace for GPUs samples besides tiles and the unroll limit (TVM v0.16's DefaultCUDA): threads
 * that share a reduction, lanes of a fetch into shared memory, threads of a stage that is not tiled. And the
 * postprocessors that make threads and pragmas of it. */
#pragma once
#include "search/trace/trace.h"

#define GPU_DECISION_STRUCTURE "SSSRRSRS"

/* Adds the decisions to the layout of a sketch. */
void gpu_decision_layout(struct arena *a, const struct limits *limits, struct trace_layout *o);
/* The number of the cross-thread split that step of the sketch is, or -1. */
int gpu_decision_is_across(const struct trace_layout *o, int step);
/* Samples what is open of the threads that share reductions, and puts it into the sketch's steps. */
void gpu_decision_across(const struct trace_layout *o, struct trace *t, struct step *steps, struct rng *r);
/* Samples what is open of lanes and threads. */
void gpu_decision_bind(const struct trace_layout *o, struct trace *t, struct rng *r);
/* The postprocessors: s has bounds, which must be inferred again afterwards. False: threads or virtual threads that no
 * block may have. */
MUST_CHECK bool gpu_decision_apply(const struct space *sp, const struct trace_layout *o, struct state *s,
                                   const struct trace *t, struct err *err);
/* Fills lanes and threads from the steps after the sketch's; a stage without such a split gets the least choice. */
void gpu_decision_read(const struct trace_layout *o, const struct step *steps, int n, struct trace *t);
/* Another choice for the threads of a plain stage or of a shared reduction (MutateThreadBinding). False: there is none.
 */
bool gpu_decision_mutate(const struct trace_layout *o, struct trace *t, struct rng *r);

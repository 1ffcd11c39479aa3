/* SPDX-License-Identifier: Apache-2.0 */
/* annotate: the init rules that mark loops (harness/doc/ansor.md, "Random annotation"): parallel, unroll, vectorise.
 * Each applies steps to a state whose extents are known (bounds inferred); afterwards the bounds must be inferred
 * again. */
#pragma once
#include "harness/base/rng.h"
#include "search/sketch/space.h"

MUST_CHECK bool annotate_parallel(const struct space *sp, struct state *s, struct err *err);
/* values: one per stage with a reduction, in stage order, used instead of drawing when given (r may then be NULL). */
MUST_CHECK bool annotate_unroll(const struct space *sp, struct state *s, struct rng *r, const int64_t *values,
                                struct err *err);
/* r NULL: the longest choice instead of a random one. */
MUST_CHECK bool annotate_vectorize(const struct space *sp, struct state *s, struct rng *r, struct err *err);
/* Stages that annotate_unroll marks. */
int annotate_unrollable(const struct state *s);

/* SPDX-License-Identifier: Apache-2.0 */
/* draw: one random state of the space: a sketch, tile sizes, compute locations, annotations (harness/doc/ansor.md,
 * "Random annotation"). */
#pragma once
#include "search/sketch/space.h"

/* A state in a with bounds inferred, or NULL when the draw is invalid. bounds_s, reason: as in space.h. */
struct state *draw_state(const struct space *sp, struct arena *a, struct rng *r, double *bounds_s, struct err *reason);

/* The same without chance, for enumeration: sketch k, scheme scheme[i] for its i-th slot, the given unroll limit for
 * the i-th reduction; compute locations as the sketch has them, the longest vector loops. */
struct state *draw_chosen(const struct space *sp, struct arena *a, const struct sketch *k, const int64_t *scheme,
                          const int64_t *unroll, double *bounds_s, struct err *reason);

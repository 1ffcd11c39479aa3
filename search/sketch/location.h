/* SPDX-License-Identifier: Apache-2.0 */
/* location: where a stage may be computed (harness/doc/ansor.md, "Random annotation"), and the random choice among the
 * places.
 */
#pragma once
#include "harness/base/rng.h"
#include "harness/program/schedule/schedule.h"

struct place {
    int stage, iter; /* target stage and its iterator */
};
#define LOCATION_MAX 128

/* Stages the search may move: computed, not inlined, neither tiled nor in need of tiling. */
bool location_is_free(const struct state *s, int stage);
/* The places in order, outer to inner; returns their number. Iterators of unknown extent count as longer than 1. */
int location_places(const struct state *s, int stage, struct place out[LOCATION_MAX]);
/* The init rule: for each free stage, last to first, leave or inline it, compute it at root, or at one of its places.
 */
MUST_CHECK bool location_draw(struct state *s, struct rng *r, struct err *err);

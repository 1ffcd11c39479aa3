/* SPDX-License-Identifier: Apache-2.0 */
/* bound: bound inference (harness/doc/ansor.md, "Bound inference"): the region of each attached stage that its
 * consumers need, by interval analysis over affine indices with the loops outside the attach point symbolic. Exact for
 * affine accesses, conservative otherwise. */
#pragma once
#include "harness/program/schedule/schedule.h"

/* Makes s->atoms and fills min, extent and atom of every var of every live stage. False: the state is invalid. */
MUST_CHECK bool bound_infer(struct state *s, struct err *err);
/* Where a stage is stored: 0 global memory, 1 shared memory of a block, 2 local memory of a thread; by the scope that a
 * step gave it, or by the bound loops that it is computed in. */
int bound_storage_rank(const struct state *s, int stage);

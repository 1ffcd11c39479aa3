/* SPDX-License-Identifier: Apache-2.0 */
/* register_tile: keeps the elements that a reduction updates in registers while it runs. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

/* Emits n with its accumulators in registers when that is possible and worth it; false: nothing was done. */
bool register_tile_emit(struct emitter *em, const struct loop_node *n);
/* Estimated cycles of the update below the loop n, which runs steps times, as a register tile; below 0: n is no place
 * for one. Emits nothing. */
double register_tile_cost(struct emitter *em, const struct loop_node *n, double steps);
#define REGISTER_TILE_MEMORY 3.0 /* cycles of one update in memory: it waits for the one before */
/* This loop must be unrolled because the tile in force is indexed by it. */
bool register_tile_holds(const struct emitter *em, const struct loop_node *loop);
/* The tile in force holds single elements: no vector code for them. */
bool register_tile_scalar(const struct emitter *em);
/* The tile in force is of this tensor. */
bool register_tile_owns(const struct emitter *em, const struct buffer *b);
/* The tile in force has checked this guard for all its elements at once. */
bool register_tile_proven(const struct emitter *em, const struct guard *g);
/* Load or store of an element that is in a register now. False: it is not. */
bool register_tile_get(struct emitter *em, const struct buffer *b, const struct form *f, struct cell *out);
bool register_tile_set(struct emitter *em, const struct buffer *b, const struct form *f, struct cell value);

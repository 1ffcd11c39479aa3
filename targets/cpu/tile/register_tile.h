/* SPDX-License-Identifier: Apache-2.0 */
/* register_tile: decides where the elements that a reduction updates are kept in registers while it runs, and in tiles
 * of which shape. Emits nothing (emit/emit_tile.c does). */
#pragma once
#include "targets/cpu/tile/unroll_jam.h"

struct register_tile {
    struct tile_analysis analysis;
    bool is_cut; /* the loops run as jam says; else as planned, since all elements have room in registers */
    struct unroll_jam jam;
};
/* A tile for the statements below n. False: it is not possible or does not pay. */
bool register_tile_plan(struct emitter *em, const struct loop_node *n, struct register_tile *out);
/* Estimated cycles of the update below the loop n, which runs steps times, as a register tile. Below 0: n is no place
 * for one. */
double register_tile_cost(struct emitter *em, const struct loop_node *n, double steps);
#define UPDATE_IN_MEMORY 3.0 /* cycles of one update in memory: it waits for the one before */

/* SPDX-License-Identifier: Apache-2.0 */
/* unroll_jam: plans how the loops around one store run in a register tile (unroll and jam): reduce loops outside,
 * spatial loops unrolled inside, in the order that suits registers. */
#pragma once
#include "targets/cpu/tile/tile_analysis.h"

struct tile_dim { /* a spatial loop */
    const struct loop_node *loop;
    int64_t count;   /* its iterations within the tile (registers, for a vector loop) */
    int64_t outside; /* tiles of it; 1: all of it is inside */
    int step;        /* elements per iteration: more than 1 for a loop that is fused with the vector loop */
    bool free;       /* no reduce loop stands around it */
};
struct unroll_jam {
    const struct loop_node *root; /* guards stand between it and the store */
    const struct stmt *store;
    struct tile_dim dims[MOST_CHAIN];
    const struct loop_node *reduce[MOST_CHAIN];
    int64_t unroll[MOST_CHAIN]; /* iterations of that reduce loop emitted in a row */
    int ndims, nreduce;
    int order[MOST_CHAIN]; /* of the dims, outermost first */
    int fused, outer;      /* as tile_analysis has them; outer: the loop's atom */
};

/* Of the update of a tile. */
void unroll_jam_plan(const struct tile_analysis *a, struct unroll_jam *out);
/* Of an init within a tile whose registers hold `fused` iterations of the loop outer (NULL: 1). */
void unroll_jam_init(struct emitter *em, const struct store_nest *init, const struct loop_node *outer, int fused,
                     struct unroll_jam *out);
/* Of the init a->init, in the shape of the update's plan. Its loops' bindings are to be those of their partners. */
void unroll_jam_mirror(const struct tile_analysis *a, const struct unroll_jam *update, struct unroll_jam *out);
/* Chooses how much of each spatial loop is inside, at most budget registers. exchange: loops that stand within reduce
 * loops may be cut, too. False: there is no such shape. */
bool unroll_jam_cut(struct emitter *em, struct unroll_jam *u, int64_t budget, bool exchange);
/* Estimated cycles of one reduction step for each register of the tile as it is cut. */
double unroll_jam_cost(struct emitter *em, const struct unroll_jam *u);
/* After the cut: decides the order of the spatial loops and the unrolling of the reduce loops. */
void unroll_jam_finish(struct unroll_jam *u);

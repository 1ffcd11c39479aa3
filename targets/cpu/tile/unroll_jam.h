/* SPDX-License-Identifier: Apache-2.0 */
/* unroll_jam: a nest of loops around one store, in the order that suits registers: reduce loops outside, spatial loops
 * unrolled inside (unroll and jam). */
#pragma once
#include "targets/cpu/tile/tile_analysis.h"

struct dim { /* a spatial loop */
    const struct loop_node *loop;
    int64_t count;   /* turns within the tile (registers, for a vector loop) */
    int64_t outside; /* tiles of it; 1: all of it is inside */
    int step;        /* elements per turn: more than 1 for the outer part of a fused vector loop */
    bool free;       /* no reduce loop stands around it */
};
struct unroll_jam {
    struct dim dims[MOST_CHAIN];
    const struct loop_node *reduce[MOST_CHAIN];
    int64_t unroll[MOST_CHAIN]; /* turns of that reduce loop emitted in a row */
    int ndims, nreduce, order[MOST_CHAIN];
    const struct loop_node *root; /* guards stand between it and the store */
    const struct stmt *store;
    int fuse, outer; /* turns of the outer vector loop in one register; its atom */
    int turns;       /* of it in the register at hand: the last one may hold fewer */
    int at;          /* recursion */
};

void unroll_jam_plan(struct emitter *em, const struct tile_analysis *v, const struct loop_node *n,
                     struct unroll_jam *j); /* of the update */
void unroll_jam_init(struct emitter *em, const struct loop_node *n, const struct stmt *store,
                     const struct loop_node *const *loops, int nloops, const struct loop_node *outer, int fuse,
                     struct unroll_jam *j);
/* The init of v->init in the shape of the update's jam; its loops' bindings are to be those of their partners. */
void unroll_jam_mirror(struct emitter *em, const struct tile_analysis *v, const struct unroll_jam *update,
                       struct unroll_jam *j);
/* Chooses how much of each spatial loop is inside, at most budget registers. exchange: loops that stand within reduce
 * loops may be cut as well. False: there is no such shape. */
bool unroll_jam_cut(struct emitter *em, struct unroll_jam *j, int64_t budget, bool exchange);
/* Estimated cycles of one reduction step for each register of the tile as it is cut. */
double unroll_jam_cost(struct emitter *em, struct unroll_jam *j);
void unroll_jam_finish(struct unroll_jam *j);                          /* after the cut: decides order and unrolling */
void unroll_jam_emit(struct emitter *em, struct unroll_jam *j, int k); /* from reduce loop k on; 0: all */

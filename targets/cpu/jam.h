/* SPDX-License-Identifier: Apache-2.0 */
/* jam: a nest of loops around one store, in the order that suits registers: reduce loops outside, spatial loops
 * unrolled inside (unroll and jam). */
#pragma once
#include "targets/cpu/survey.h"

struct dim { /* a spatial loop */
    const struct node *loop;
    int64_t count;   /* turns within the tile (registers, for a vector loop) */
    int64_t outside; /* tiles of it; 1: all of it is inside */
    int step;        /* elements per turn: more than 1 for the outer part of a fused vector loop */
    bool free;       /* no reduce loop stands around it */
};
struct jam {
    struct dim dims[MOST_CHAIN];
    const struct node *reduce[MOST_CHAIN];
    int64_t unroll[MOST_CHAIN]; /* turns of that reduce loop emitted in a row */
    int ndims, nreduce, order[MOST_CHAIN];
    const struct node *root; /* guards stand between it and the store */
    const struct stmt *store;
    int fuse, outer; /* turns of the outer vector loop in one register; its atom */
    int turns;       /* of it in the register at hand: the last one may hold fewer */
    int at;          /* recursion */
};

void jam_plan(struct emitter *em, const struct survey *v, const struct node *n, struct jam *j); /* of the update */
void jam_plan_init(struct emitter *em, const struct node *n, const struct stmt *store, const struct node *const *loops,
                   int nloops, const struct node *outer, int fuse, struct jam *j);
/* The init of v->init in the shape of the update's jam; its loops' bindings are to be those of their partners. */
void jam_mirror(struct emitter *em, const struct survey *v, const struct jam *update, struct jam *j);
/* Chooses how much of each spatial loop is inside, at most budget registers. exchange: loops that stand within reduce
 * loops may be cut as well. False: there is no such shape. */
bool jam_cut(struct emitter *em, struct jam *j, int64_t budget, bool exchange);
/* Estimated cycles of one reduction step for each register of the tile as it is cut. */
double jam_cost(struct emitter *em, struct jam *j);
void jam_finish(struct jam *j);                          /* after the cut: decides order and unrolling */
void jam_emit(struct emitter *em, struct jam *j, int k); /* from reduce loop k on; 0: all */

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
};
struct jam {
    struct dim dims[MOST_CHAIN];
    const struct node *reduce[MOST_CHAIN];
    int64_t unroll[MOST_CHAIN]; /* turns of that reduce loop emitted in a row */
    int ndims, nreduce, order[MOST_CHAIN];
    const struct node *root; /* guards stand between it and the store */
    const struct stmt *store;
    int fuse, outer; /* turns of the outer vector loop in one register; its atom */
    int at;          /* recursion */
};

void jam_plan(struct emitter *em, const struct survey *v, const struct node *n, struct jam *j); /* of the update */
void jam_plan_init(struct emitter *em, const struct node *n, const struct stmt *store, const struct node *const *loops,
                   int nloops, const struct node *outer, int fuse, struct jam *j);
/* Takes from the outer spatial loops until the rest fits budget registers; false when even the lanes do not. */
bool jam_cut(struct jam *j, int64_t budget);
void jam_finish(struct jam *j);                          /* after the cut: decides order and unrolling */
void jam_emit(struct emitter *em, struct jam *j, int k); /* from reduce loop k on; 0: all */

/* SPDX-License-Identifier: Apache-2.0 */
/* tile_analysis: what stands below a node: one update of a reduction and how it is reached. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

#define MOST_CHAIN 64
#define MOST_GUARDS 16

struct tile_analysis {
    struct emitter *em;
    const struct loop_node *root; /* where the search began */
    const struct stmt *update;
    const struct loop_node *path[MOST_CHAIN], *chain[MOST_CHAIN]; /* loops around the place; around the update */
    int depth, depth_broken, nchain;
    int solid;                    /* from this loop of the chain on there is nothing but loops and guards */
    bool plain;                   /* that is all of it */
    bool jammable;                /* or the init stands in front of it: loops may be exchanged */
    int split;                    /* loops of the chain around both, when there is an init */
    const struct loop_node *init; /* NULL: no init below */
    const struct loop_node *partner[MOST_CHAIN]; /* by place in the chain: the loop of the init that does the same */
    bool fits;
    const struct guard *guards[MOST_GUARDS]; /* to be proven for the tile as a whole */
    int nguards;
    int64_t elements;              /* registers that all elements need */
    int64_t lanes;                 /* extent of the update's vector loop; 0: none */
    int64_t steps;                 /* product of the reduce loops around the update */
    int fuse;                      /* turns of the loop outer that share a register with the vector loop; 1: none */
    const struct loop_node *outer; /* when fuse > 1 */
};

/* False: there is no such update, or something forbids a tile. inside: within a tile already, where a nest without
 * reduce loops counts too. fuse: small vector loops may be widened. */
bool tile_analysis_make(struct emitter *em, const struct loop_node *n, bool inside, bool fuse, struct tile_analysis *v);
/* Elements of the stored tensor between neighbours in the loop; only for loops that move straight through it. */
int64_t tile_analysis_stride(const struct stmt *store, int atom);
bool tile_analysis_uses(const struct emitter *em, const struct value *load,
                        int atom); /* the load's index contains the loop */
/* Among the loops of an init store, the one that stands for v->outer; NULL: none. */
const struct loop_node *tile_analysis_partner(const struct tile_analysis *v, const struct stmt *store,
                                              const struct loop_node *const *loops, int n);
/* True at run time when all guards hold for the whole tile. NULL: always; a constant: never. */
LLVMValueRef tile_analysis_condition(struct emitter *em, const struct tile_analysis *v);

/* SPDX-License-Identifier: Apache-2.0 */
/* tile_analysis: what a register tile needs to know of the statements below a node: the one update of a reduction in
 * them, the loops and guards around it, its init, how many registers its elements take. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

#define MOST_CHAIN 64
#define MOST_GUARDS 16

struct tile_analysis {
    struct emitter *em;
    const struct loop_node *root; /* the node itself */
    const struct stmt *update;
    const struct loop_node *chain[MOST_CHAIN]; /* loops from the root down to the update */
    int nchain;
    int solid;         /* from this loop of the chain on, only loops and guards stand around the update */
    bool only_update;  /* that is so from the root on */
    bool exchangeable; /* that is so, or an init stands in front of the update: loops may be exchanged */
    /* The init in front of the update, NULL: there is none. */
    const struct loop_node *init;
    int split;                                   /* loops of the chain around both init and update */
    const struct loop_node *partner[MOST_CHAIN]; /* by place in the chain: the init's loop over the same elements */
    /* Guards that must be proven for the tile as a whole. */
    const struct guard *guards[MOST_GUARDS];
    int nguards;
    int64_t registers; /* that all elements of the tile take */
    int64_t lanes;     /* extent of the update's vector loop; 0: it has none */
    int64_t steps;     /* product of the extents of the reduce loops around the update */
    /* Iterations of the loop `outer` that share a register with the vector loop. 1: none, and outer is NULL. */
    int fused;
    const struct loop_node *outer;
};

enum tile_place {
    TILE_OPENS, /* a new tile: only a reduction pays */
    TILE_INSIDE /* in an open tile: a nest without reduce loops counts, too */
};
/* False: there is no such update below n, or something forbids a tile. fuse: another loop may be fused with a vector
 * loop that is shorter than a register. */
bool tile_analysis_make(struct emitter *em, const struct loop_node *n, enum tile_place place, bool fuse,
                        struct tile_analysis *out);

struct store_nest { /* loops and guards around one store, nothing else */
    const struct loop_node *root;
    const struct stmt *store;
    const struct loop_node *loops[MOST_CHAIN]; /* outermost first */
    int nloops;
};
/* Among the loops of an init's store, the one over the same elements as a->outer; NULL: none. */
const struct loop_node *tile_analysis_partner(const struct tile_analysis *a, const struct store_nest *init);

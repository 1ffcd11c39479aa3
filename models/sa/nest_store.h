/* SPDX-License-Identifier: Apache-2.0 */
/* nest_store: what an analytic model of latency sees of a lowered nest: for each store the loops around it, what it
 * reads and writes, and in which of these loops each access moves. All further numbers are functions of that. */
#pragma once
#include "harness/program/ir/nest.h"

enum { NEST_STORE_LOOPS = 64 }; /* loops around a store, at most: sets of loops are 64-bit masks */

struct nest_store_loop {
    int64_t extent;
    enum annotation kind;
};
/* All accesses of one buffer in one store. The first is the written buffer, read too or not; the others are read, in
 * order. Bit i of a mask: loop i, the outermost is 0. */
struct nest_store_access {
    const struct buffer *buffer;
    uint64_t loops;   /* whose variable occurs in an index */
    uint64_t in_last; /* whose variable occurs in the index of the last dimension */
};
struct nest_store {
    const struct stmt *store;
    const struct nest_store_loop *loops; /* outermost first; those of extent 1 that nothing is bound to are left out */
    int nloops;
    const struct nest_store_access *accesses;
    int naccesses;
    int ops; /* float additions, subtractions, multiplications, divisions and remainders of one turn; comparisons,
                functions and casts do not count, index arithmetic neither */
};
struct nest_stores {
    int n;
    const struct nest_store *at; /* in the order of the nest */
};

/* All in a, which the result shares with n. A nest for GPUs is to be in the form of cross_thread.h. Fails on nests
 * deeper than NEST_STORE_LOOPS only. */
MUST_CHECK bool nest_stores_find(struct arena *a, const struct nest *n, struct nest_stores *out, struct err *err);
/* Product of the extents of the loops of a mask. */
double nest_store_turns(const struct nest_store *s, uint64_t loops);

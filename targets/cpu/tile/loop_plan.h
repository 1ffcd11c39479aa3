/* SPDX-License-Identifier: Apache-2.0 */
/* loop_plan: decides for every loop of a nest how it runs, before anything is emitted. */
#pragma once
#include "targets/cpu/emit/emitter.h"

enum how { HOW_LOOP, HOW_UNROLL, HOW_LANES, HOW_PARALLEL };
struct loop_node { /* one statement with the decision */
    const struct stmt *s;
    enum how how;
    struct loop_node **kids;
    int nkids;
    int64_t stores; /* store statements emitted for the subtree (vector loops count as registers) */
};

/* The loop holds nothing but a vector loop of less than a register around one store, and both can run as one vector
 * loop. */
bool loop_plan_merges(const struct emitter *em, const struct loop_node *outer);
struct loop_node *loop_plan(struct emitter *em);
bool loop_plan_uses(const struct emitter *em, const struct stmt *store, int atom); /* atom is in the store's index */
/* Elements between b[index] of neighbouring turns of the loop; STRIDE_ODD when that is not one number. */
enum { STRIDE_ODD = 1 << 30 };
int64_t loop_plan_stride(const struct emitter *em, const struct buffer *b, const struct affine *index, int atom);
/* Registers that a vector loop of this extent takes; full: the machine's width. */
int loop_plan_pieces(const struct emitter *em, int64_t extent);

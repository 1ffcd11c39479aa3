/* SPDX-License-Identifier: Apache-2.0 */
/* loop_plan: decides for every loop of a nest how it runs, before anything is emitted. */
#pragma once
#include "targets/cpu/emitter.h"

enum loop_mode { LOOP_SERIAL, LOOP_UNROLLED, LOOP_VECTOR, LOOP_PARALLEL };
struct loop_node { /* one statement with the decision */
    const struct stmt *s;
    enum loop_mode mode;
    struct loop_node **kids;
    int nkids;
    int64_t stores; /* store statements emitted for the subtree; a vector loop counts one per register */
};

struct loop_node *loop_plan(struct emitter *em);
/* The loop holds nothing but a vector loop of less than a register around one store, and both can run as one vector
 * loop. */
bool loop_plan_merges(const struct emitter *em, const struct loop_node *outer);
/* Registers that a vector loop of this extent takes. */
int loop_plan_registers(const struct emitter *em, int64_t extent);

/* The loop's atom is in the index of the store, or of the load. */
bool loop_plan_uses(const struct emitter *em, const struct stmt *store, int atom);
bool loop_plan_load_uses(const struct emitter *em, const struct value *load, int atom);
/* Elements between b[index] of one iteration of the loop and the next; STRIDE_VARIES if that is not one number. */
enum { STRIDE_VARIES = 1 << 30 };
int64_t loop_plan_stride(const struct emitter *em, const struct buffer *b, const struct affine *index, int atom);

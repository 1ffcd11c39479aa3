/* SPDX-License-Identifier: Apache-2.0 */
/* emit_loop: the frames of statements as LLVM blocks: loops, vector loops, guards. What stands in them is emitted by
 * the body that the caller gives. */
#pragma once
#include "targets/cpu/emitter.h"

typedef void emit_body_fn(struct emitter *em, const void *ctx);

struct emitted_loop { /* for i = from; i != to; i++ */
    int atom;         /* its variable */
    int64_t extent;   /* i is below it */
    LLVMValueRef from, to;
    const char *name; /* of the header block */
};
/* A loop that runs at least once. body is called once. Afterwards the atom's binding is as before. */
void emit_loop_range(struct emitter *em, const struct emitted_loop *l, emit_body_fn *body, const void *ctx);
/* The same from 0 to extent. */
void emit_loop(struct emitter *em, int atom, int64_t extent, emit_body_fn *body, const void *ctx);
/* A vector loop: calls body once for each register, with the lanes and the atom's binding set. If there are many
 * registers, one call is for a loop over the whole ones. */
void emit_vector_loop(struct emitter *em, int atom, int64_t extent, emit_body_fn *body, const void *ctx);
/* Code under the guards of a GUARD statement. body is not called if they never hold. Guards that were proven for the
 * open tile (tile_registers.h) are left out. */
void emit_guard(struct emitter *em, const struct stmt *s, emit_body_fn *body, const void *ctx);
/* The register that holds count lanes: a power of two. */
int register_width(int count);
#define MOST_STRAIGHT_REGISTERS 8 /* registers of a vector loop emitted one after the other, outside of tiles */

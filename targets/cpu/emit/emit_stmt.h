/* SPDX-License-Identifier: Apache-2.0 */
/* emit_stmt: loops, guards, allocations and stores of a planned nest as LLVM blocks. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

void emit_stmt(struct emitter *em, const struct loop_node *n);
/* A loop that runs extent times, its variable bound to atom; body is called once. */
void emit_loop(struct emitter *em, int atom, int64_t extent, void (*body)(struct emitter *em, void *ctx), void *ctx);
/* Calls body with the lanes and the atom set for each register's worth of a vector loop; long ones run as a loop. */
void emit_lanes(struct emitter *em, int atom, int64_t extent, void (*body)(struct emitter *em, void *ctx), void *ctx);
void emit_store_stmt(struct emitter *em, const struct stmt *s);
/* Code under the guards of a GUARD statement; body is not called when they never hold. Guards that the tile in force
 * has proven (register_tile.h) are left out. */
void emit_guard(struct emitter *em, const struct stmt *s, void (*body)(struct emitter *em, void *ctx), void *ctx);

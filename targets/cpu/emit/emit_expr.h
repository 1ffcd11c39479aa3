/* SPDX-License-Identifier: Apache-2.0 */
/* emit_expr: expressions of the nest, and the stores that take them, as LLVM values. What is the same in all lanes
 * stays scalar as long as it can. */
#pragma once
#include "targets/cpu/emitter.h"

/* lo <= index < hi; INT64_MIN, INT64_MAX: no bound on that side. *known: 1 or 0 if the ranges decide (then there is no
 * value), else -1. */
struct lane_value emit_guard_mask(struct emitter *em, struct affine index, int64_t lo, int64_t hi, int *known);
/* A store statement: its value, stored to its element. */
void emit_store_stmt(struct emitter *em, const struct stmt *s);

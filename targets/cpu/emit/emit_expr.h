/* SPDX-License-Identifier: Apache-2.0 */
/* emit_expr: scalar expressions of the nest as LLVM values. What is equal in all lanes stays scalar as long as it can.
 */
#pragma once
#include "targets/cpu/emit/emitter.h"

struct cell emit_expr(struct emitter *em, const struct value *v);
/* lo <= form < hi; INT64_MIN, INT64_MAX: that side holds. *known: 1 or 0 when the ranges decide (then no value), else
 * -1. */
struct cell emit_guard_mask(struct emitter *em, struct affine form, int64_t lo, int64_t hi, int *known);

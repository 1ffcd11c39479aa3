/* SPDX-License-Identifier: Apache-2.0 */
/* lane: scalar expressions of the nest as LLVM values. What is equal in all lanes stays scalar as long as it can. */
#pragma once
#include "targets/cpu/emitter.h"

struct cell lane_value(struct emitter *em, const struct value *v);
/* lo <= form < hi; INT64_MIN, INT64_MAX: that side holds. *known: 1 or 0 when the ranges decide (then no value), else
 * -1. */
struct cell lane_guard(struct emitter *em, struct affine form, int64_t lo, int64_t hi, int *known);

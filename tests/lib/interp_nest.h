/* SPDX-License-Identifier: Apache-2.0 */
/* interp_nest: runs a scheduled nest statement by statement, to check that a schedule computes what the graph
 * computes. */
#pragma once
#include "harness/program/ir/nest.h"

/* args: one pointer per argument, output last, packed weights already packed (layout.h). Bounds of every access are
 * checked: false with the place when a load or store leaves its buffer. limit: most statements executed (0: none).
 * Arithmetic is double, stores round to the buffer's type; parallel, vector and thread loops run as plain loops.
 * Storage is filled with NaN where it is allocated. */
MUST_CHECK bool interp_nest(const struct nest *n, void *const *args, int64_t limit, struct err *err);

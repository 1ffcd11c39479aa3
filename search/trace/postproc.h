/* SPDX-License-Identifier: Apache-2.0 */
/* postproc: MetaSchedule's rewrite-parallel-vectorize-unroll (TVM v0.16), as steps of ours. */
#pragma once
#include "harness/program/schedule/schedule.h"

/* s: bounds inferred; afterwards they must be inferred again. parallel, vector: extents at most (elements); unroll: the
 * pragma's limit, 0 none. */
MUST_CHECK bool postproc_apply(struct state *s, int64_t parallel, int64_t vector, int64_t unroll, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite: the three stage-adding steps on a dag (CHR, CHW, RF). Results are cached in the source dag by
 * argument, so that replaying a known history costs a look-up; safe to call from several threads. */
#pragma once
#include "harness/base/err.h"
#include "harness/program/ir/dag.h"

/* New stage at position+1 that copies op position; readers (positions before insertion) read the copy instead. */
MUST_CHECK bool rewrite_cache_read(const struct dag *d, int position, const char *scope, const int *readers,
                                   int nreaders, const struct dag **out, struct err *err);
/* New compute stage at position ("name.scope") with the body; the original, now at position+1, copies it. */
MUST_CHECK bool rewrite_cache_write(const struct dag *d, int position, const char *scope, const struct dag **out,
                                    struct err *err);
/* Reduction factoring. The op's reduce domain has been fused and split into an outer part of extent outer and an inner
 * part of extent inner (fused over the reduce axes listed in order). keep_outer: the outer part becomes the new spatial
 * axis of the partial result "name.rf" (inserted at position, axis at factor_axis), else the inner part does. The final
 * reduction ("name.repl" in printed loops) stands at position+1. guard: outer*inner exceeds the domain, so the body is
 * predicated. */
struct rf_split {
    int factor_axis;
    int64_t outer, inner;
    bool keep_outer, guard;
    const int *reduce_axes; /* positions among the op's axes, the fused ones, outer to inner */
    int nreduce_axes;
};
MUST_CHECK bool rewrite_rfactor(const struct dag *d, int position, const struct rf_split *split, const struct dag **out,
                                struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: a schedule is a list of steps; applying it to a task's dag gives a state (state.h). */
#pragma once
#include "harness/base/err.h"
#include "harness/program/schedule/state.h"
#include "harness/program/schedule/state_text.h"

/* Checks that the step applies, applies it, appends a copy. On failure the state is unusable. Bounds must be inferred
 * again afterwards (atoms = NULL). */
MUST_CHECK bool state_apply(struct state *s, const struct step *step, struct err *err);
MUST_CHECK bool state_replay(struct arena *a, const struct task *task, const struct step *steps, int n,
                             struct state **out, struct err *err);

/* Step makers that apply at once; thin wrappers over state_apply used by sketch rules. */
MUST_CHECK bool state_split(struct state *s, int stage, int iter, const int64_t *lengths, int n, bool inner_to_outer,
                            struct err *err);
MUST_CHECK bool state_follow_split(struct state *s, int stage, int iter, int source_step, int n_split, struct err *err);
MUST_CHECK bool state_follow_fused_split(struct state *s, int stage, int iter, const int *source_steps, int n,
                                         int level, struct err *err); /* the length at that level is the inner part's */
MUST_CHECK bool state_fuse(struct state *s, int stage, int first_iter, int n, struct err *err);
MUST_CHECK bool state_reorder(struct state *s, int stage, const int *order, int n, struct err *err);
MUST_CHECK bool state_annotate(struct state *s, int stage, int iter, enum annotation ann, struct err *err);
MUST_CHECK bool state_pragma_unroll(struct state *s, int stage, int iter, int64_t value, struct err *err);
MUST_CHECK bool state_compute_at(struct state *s, int stage, int target, int iter, struct err *err);
MUST_CHECK bool state_compute_inline(struct state *s, int stage, struct err *err);
MUST_CHECK bool state_compute_root(struct state *s, int stage, struct err *err);
MUST_CHECK bool state_cache_read(struct state *s, int stage, const char *scope, int reader, struct err *err);
MUST_CHECK bool state_cache_write(struct state *s, int stage, const char *scope, struct err *err);
MUST_CHECK bool state_reindex(struct state *s, int stage, int64_t tile, struct err *err);
MUST_CHECK bool state_rfactor(struct state *s, int stage, int iter, int factor_axis, struct err *err);

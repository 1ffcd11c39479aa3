/* SPDX-License-Identifier: Apache-2.0 */
/* lower: state (bounds inferred) -> nest. The loop order, producer placement, init and update nests of reductions are
 * TVM's. */
#pragma once
#include "harness/program/ir/nest.h"
#include "harness/program/lower/layout_rewrite.h"
#include "harness/program/schedule/schedule.h"

/* a: holds the nest; it refers to names in s, which must outlive it. */
MUST_CHECK bool lower(struct arena *a, const struct state *s, enum layout_mode mode, struct nest **out,
                      struct err *err);
/* The nest that s keeps, else its nest without a layout, made in a. NULL: s has no bounds, or cannot be lowered. */
const struct nest *lower_kept(struct arena *a, const struct state *s);
/* Replay, infer bounds, lower: candidate to nest in one go. */
MUST_CHECK bool lower_steps(struct arena *a, const struct task *t, const struct step *steps, int n,
                            enum layout_mode mode, struct nest **out, struct err *err);

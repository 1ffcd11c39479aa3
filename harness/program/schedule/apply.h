/* SPDX-License-Identifier: Apache-2.0 */
/* apply: the steps that change one stage's loops or place: AN FU PR RE SP FSP FFSP SA CA CI CR. Called by
 * state_apply. */
#pragma once
#include "harness/base/err.h"
#include "harness/program/schedule/state.h"

MUST_CHECK bool apply_step(struct state *s, const struct step *step, struct err *err);
/* The stage if it computes something, else NULL and a message. */
struct stage *apply_target(struct state *s, int stage, struct err *err);

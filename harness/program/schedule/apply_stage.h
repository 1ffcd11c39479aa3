/* SPDX-License-Identifier: Apache-2.0 */
/* apply_stage: the steps that add stages: CHR CHW RF RI. Called by state_apply. */
#pragma once
#include "harness/base/err.h"
#include "harness/program/schedule/state.h"

MUST_CHECK bool apply_stage_step(struct state *s, const struct step *step, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* graft: the steps that add stages: CHR CHW RF. Called by state_apply. */
#pragma once
#include "harness/program/schedule.h"

MUST_CHECK bool graft_step(struct state *s, const struct step *step, struct err *err);

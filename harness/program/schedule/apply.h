/* SPDX-License-Identifier: Apache-2.0 */
/* apply: the steps that change one stage's loops or place: AN FU PR RE SP FSP FFSP SA CA CI CR. Called by
 * state_apply. */
#pragma once
#include "harness/program/schedule/schedule.h"

MUST_CHECK bool apply_step(struct state *s, const struct step *step, struct err *err);
/* The stage if it is a compute stage that is not inlined, else NULL and a message. */
struct stage *apply_stage(struct state *s, int stage, struct err *err);

/* For apply and graft: a stage in its first form (loops = the op's axes), and room for one more entry in a growing
 * array of n entries (see schedule.c). */
void stage_init(struct arena *a, struct stage *st, const struct op *op);
void *array_grow(struct arena *a, void *at, int n, size_t size);

/* SPDX-License-Identifier: Apache-2.0 */
/* forecast: how long a campaign is expected to take, before it runs and while it does. An expectation for planning an
 * afternoon, not a measurement: two AVX-512 cores are assumed until there are records. */
#pragma once
#include "harness/tune/plan.h"

/* Seconds of one call of a middling candidate of this kernel. */
double forecast_call(const struct task *t);
/* Seconds of a trial from end to end: search, build, verification, timing. */
double forecast_trial(const struct task *t, const struct regime *r);
/* Mean over the cell's kernels, as their trials are shared evenly at first. */
double forecast_cell(const struct cell_plan *c, const struct regime *r);
/* Mean seconds of one reading of the shoot-out over the cell's kernels, its reference being there already. */
double forecast_reading(const struct cell_plan *c, const struct regime *r);
/* Seconds of the shoot-out, at most: every finalist of each kernel and every seed of a descent in each launch, once
 * more for counters, and each kernel's reference once. */
double forecast_winners(const struct plan *p);
/* Seconds of the A/A floor, before and after together (aa_run.h). */
double forecast_rehearsal(const struct plan *p);

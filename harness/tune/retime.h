/* SPDX-License-Identifier: Apache-2.0 */
/* retime: the shoot-out after a campaign: every kernel that a report will name is timed again in fresh processes, all
 * under one regime (harness/doc/measurement.md, "Re-timing"; the authors timed seed and descent under different ones).
 * With more than one finalist a kernel, what an arm lost by choosing by its own readings can be told
 * (experiment/regret.h). */
#pragma once
#include "harness/tune/cell.h"

/* Are all readings of the shoot-out on record such as the plan's has? Those with fewer launches are: they can be added.
 */
MUST_CHECK bool retime_fits(const struct cell_env *env, bool *fit, struct err *err);
/* Then each is run once more for its counters, where there are collectors.
 * Times what has fewer than plan->launches launches so far; so a resume goes on where it stopped. */
MUST_CHECK bool retime_run(const struct cell_env *env, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* conditions: under which an arm's programs are built and timed, and the timing protocols of experiments. */
#pragma once
#include "harness/experiment/layers.h"
#include "harness/plug/target.h"
#include "harness/tune/plan.h"

/* The name of a preset, or a map of its name and of settings that change it: those of *out where no preset is named.
 * Maps of upper layers change what lower ones give, unless they name a preset of their own. */
MUST_CHECK bool conditions_regime(const struct layers *l, const char *key, struct regime *out, struct err *err);
/* What the layers of an arm say: keys layout, threads, target_settings and regime, read into `own` but for the regime.
 * *out is NULL where they say nothing that the plan does not; its regime and target are known. In the layers' arena. */
MUST_CHECK bool conditions_read(const struct layers *l, const struct conditions *own, const struct plan *p,
                                const struct target *t, const struct conditions **out, struct err *err);

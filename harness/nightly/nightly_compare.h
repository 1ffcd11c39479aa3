/* SPDX-License-Identifier: Apache-2.0 */
/* nightly_compare: a night against the good nights before it, from the history alone. */
#pragma once
#include "harness/nightly/finding.h"

/* window: nights of the same experiment, the latest first. Per series they reach back to the last night that was found
 * faster, so that a gain is not lost again unseen. The A/A floor of a series is what its window shows: ratios of one
 * night to the next, and of every second launch to the rest for pinned programs. A series of the latest good night that
 * this one does not have is "missing". Reruns are taken from the history. When it is time and the night has nothing
 * else to answer for (there is one rerun a night), the step fit looks at all of window (drift.h). */
MUST_CHECK bool nightly_compare(struct arena *a, struct history *h, const struct night *night,
                                const struct night *window, int nwindow, struct findings *out, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* nightly_compare: a night against the good nights before it, from the history alone. */
#pragma once
#include "harness/nightly/finding.h"

/* The window of a series is the last HISTORY_WINDOW good nights that have it. It reaches back at most to the last night
 * that was found faster, so that a gain is not lost again unseen. The noise floor of a series is what its window shows:
 * ratios of one night to the next, and for pinned programs of every second launch to the rest. A series of the latest
 * good night that this one does not have is "missing". Reruns are taken from the history. Every DRIFT_EVERY good
 * nights, when nothing else is found (there is one rerun a night), the step fit looks at all good nights (drift.h). */
MUST_CHECK bool nightly_compare(const struct tonight *t, struct findings *out, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* climb: best-so-far curves of one network over the wall clock (harness/experiment/trace.h) as a chart: with several
 * seeds their median, and their range as a band. */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/report.h"

/* False on errors of the store. A line of text when nothing is done. */
MUST_CHECK bool climb_draw(const struct report *r, const char *network, struct text *t, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* curve_chart: best-so-far curves of one network over the wall clock (harness/report/data/best_curve.h) as a chart:
 * with several seeds their median, and their range as a band. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/render/report.h"

/* False on errors of the store. A line of text when nothing is done. */
MUST_CHECK bool curve_chart_draw(const struct report *r, const char *network, struct text *t, struct err *err);

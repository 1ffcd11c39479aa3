/* SPDX-License-Identifier: Apache-2.0 */
/* comparison_charts: the figures of a contest on the page, from the very data that gnuplot is handed (the kind's
 * figure()), so that both show the same. contest: kernel speedup against the cost of exploitation, arm by arm; micro:
 * kernel speedup by k; variance: kernel by kernel, search records beside launches. Ratios stand on logarithmic axes,
 * intervals are drawn. */
#pragma once
#include "harness/report/render/report.h"

/* A section, id figures. Nothing for the kind of Table 3, which html_report.c draws. */
void comparison_charts_html(const struct report *r, struct text *t);

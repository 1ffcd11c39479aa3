/* SPDX-License-Identifier: Apache-2.0 */
/* chart: a line chart as inline SVG for the HTML report, so that the page needs neither gnuplot nor a script. Colours
 * are the page's CSS classes s0 ... s9; the legend is HTML, which wraps on a phone. */
#pragma once
#include "harness/base/text.h"

enum { CHART_COLOURS = 10 };
/* points joined; each held until the next (best so far); not joined */
enum chart_form { CHART_LINE, CHART_STEPS, CHART_POINTS };

struct chart_series {
    const char *name;
    const double *x, *y;       /* n of them; what is not finite, or not above 0 on a log axis, is left out */
    const double *low, *high;  /* ends of intervals of y: bars at points, a band along steps; NULL: none */
    const char *const *labels; /* of points; NULL: none */
    int n, colour;
    enum chart_form form;
    bool dots, dashed, bold;
};
struct chart {
    const char *title, *x_label, *y_label; /* plain text */
    bool x_log, y_log;
    bool x_one, y_one; /* a line at 1, and 1 is in the range */
    const struct chart_series *series;
    int n;
};
/* A <figure>. Without a point that can be drawn: a line that says so. */
void chart_draw(const struct chart *c, struct text *t);

#define CHART_TICKS 16
/* Round values within [low, high], at most CHART_TICKS, about five; returns how many. */
int chart_ticks(double low, double high, bool is_log, double *out);

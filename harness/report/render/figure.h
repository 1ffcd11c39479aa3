/* SPDX-License-Identifier: Apache-2.0 */
/* figure: pictures by gnuplot: data is written from a document, a script of plots/ draws it. An experiment without a
 * script of its own is drawn by that of its kind of report. */
#pragma once
#include "harness/report/data/document.h"

struct figure_files {
    const char *script; /* plots/<stem>.gp */
    const char *data;
    const char *out; /* gnuplot writes <out>.svg, and <out>.png unless svg_only */
    const char *heading;
    const char *stamp;   /* written large and light across the figure; "": nothing */
    int coloured, paper; /* blocks of the data that are coloured, and then published; the rest is grey */
    int panels;          /* each has a block for its name and the coloured ones; 0: one panel */
    bool page;           /* SVG alone, without title, with labels to the points */
};
/* Paths and words reach gnuplot as arguments (ARG1 ...), so they may hold anything. false: there is no gnuplot, or it
 * failed. */
MUST_CHECK bool figure_draw(struct arena *a, const struct figure_files *f, struct err *err);

/* name: "figure" or "curves". Writes <dir>/<experiment>.svg and .png, or <experiment>-curves, and their data
 * <name>.dat.
 */
MUST_CHECK bool figure_write(const struct document *d, const char *name, const char *dir, const char *plots,
                             struct err *err);
/* The SVG for a page: no version, no size, ids that are unique there. */
MUST_CHECK bool figure_inline(const struct document *d, const char *name, const char *plots, struct text *out,
                              struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* figure: pictures by gnuplot: data is written from a document, a script of plots/ draws it. An experiment without a
 * script of its own is drawn by that of its kind of report. */
#pragma once
#include "harness/report/data/document.h"

/* name: "figure" or "curves". Writes <dir>/<experiment>.svg and .png, or <experiment>-curves, and their data
 * <name>.dat.
 */
MUST_CHECK bool figure_write(const struct document *d, const char *name, const char *dir, const char *plots,
                             struct err *err);
/* The SVG for a page: no version, no size, ids that are unique there. */
MUST_CHECK bool figure_inline(const struct document *d, const char *name, const char *plots, struct text *out,
                              struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* figure_data: what a figure draws, from a document: blocks with a name, two blank lines between them. Each kind of
 * report has columns of its own, listed in figure_data.c and in its script. */
#pragma once
#include "harness/report/data/document.h"
#include "harness/report/data/selection.h"

struct figure_data {
    struct text text;
    int coloured, paper, panels; /* as in figure.h */
    int points;                  /* 0: there is nothing to draw */
};
/* name: "figure" or "curves". Free text. */
void figure_data_make(const struct document *d, const char *name, struct figure_data *out);
/* What it shows, in words: its caption, and what a screen reader says. */
const char *figure_caption(const struct document *d, const char *name);
/* The script that draws it, where the experiment has none of its own: its file's name without suffix. */
const char *figure_script(const struct document *d, const char *name);

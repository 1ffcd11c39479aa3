/* SPDX-License-Identifier: Apache-2.0 */
/* text_report: a document for a terminal, and its spreadsheet. */
#pragma once
#include "harness/report/render/grid.h"

void text_report_print(const struct document *d,
                       struct text *out); /* lines of at most 100 columns where tables allow */
/* The three lines; next: the third of them. */
void text_report_summary(const struct document *d, const char *next, struct text *out);
/* Any three lines, as the summary's. */
void text_report_lines(const char *found, const char *validity, const char *next, struct text *out);
/* After an empty line: caption, heads, rows with their groups and notes. Scratch memory from a. */
void text_report_grid(struct arena *a, const struct grid *g, struct text *out);
/* One cell of a spreadsheet. */
void text_report_sheet_text(struct text *out, const char *s);
void text_report_sheet_number(struct text *out, double v);
/* A table, tab-separated: a head, then its rows; a ratio has its ends, chance, p and Holm's p beside it. What is not
 * known is empty; tabs and line ends in names become spaces. */
void text_report_sheet(const struct document *d, enum report_table table, struct text *out);

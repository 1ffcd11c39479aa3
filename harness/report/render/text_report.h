/* SPDX-License-Identifier: Apache-2.0 */
/* text_report: a document for a terminal, and its spreadsheet. */
#pragma once
#include "harness/report/data/document.h"

void text_report_print(const struct document *d,
                       struct text *out); /* lines of at most 100 columns where tables allow */
/* The three lines; next: the third of them. */
void text_report_summary(const struct document *d, const char *next, struct text *out);
/* Any three lines, as the summary's. */
void text_report_lines(const char *found, const char *validity, const char *next, struct text *out);
/* A table, tab-separated: a head, then its rows; a ratio has its ends, chance, p and Holm's p beside it. What is not
 * known is empty; tabs and line ends in names become spaces. */
void text_report_sheet(const struct document *d, enum report_table table, struct text *out);

/* SPDX-License-Identifier: Apache-2.0 */
/* confidence: how sure a contest is of its ratios: intervals, the chance to win, sign-flip tests with Holm's correction
 * over the entrants (harness/stats/estimate.h), and whether the paper's clock and the wall clock agree. Printed beside
 * the tables of report_contest.c in every form. */
#pragma once
#include "harness/report/render/report.h"

/* Fills the estimates of all rows and entrants; margin: of ties. */
void confidence_make(struct arena *a, struct contest *c, double margin);
/* The ratio that stands for the kernels: of the shoot-out where the winners were timed again; each kernel alike where
 * the report is about kernels (micro). */
enum contest_ratio confidence_headline(const struct report *r);

void confidence_text(const struct report *r, struct text *t);
void confidence_html(const struct report *r, struct text *t); /* a section, id standing */
/* ", "stats": {...}, "by_seed": [...]" of a row; row NULL: of the entrant over networks, without by_seed. */
void confidence_json(const struct report *r, const struct contest_entrant *e, const struct contest_row *row,
                     struct text *t);
/* An estimate in a column of text, its interval in a cell of a page, all of it as a JSON object; over: what the
 * interval is over. */
void confidence_cell(const struct estimate *e, const char *over, int digits, struct text *t);
void confidence_interval(const struct estimate *e, const char *over, struct text *t);
void confidence_estimate(const struct estimate *e, const char *over, struct text *t);
extern const char confidence_columns[]; /* of the spreadsheet, each with a tab before it */
void confidence_tsv(const struct contest_row *row, struct text *t);

/* SPDX-License-Identifier: Apache-2.0 */
/* report_summary: the three lines that every report begins with and every run ends with: what was found, whether it is
 * valid and why not, what to do next. What an invalid run shows is not worded as a finding. */
#pragma once
#include "harness/report/data/document.h"

/* By the rule that the experiment declared (keys answer_*): what d->found begins with; NULL: it declared none. */
const char *report_summary_answer(const struct document *d, const struct experiment *e);
/* That rule, in words; NULL: none. In a. */
const char *report_summary_rule(struct arena *a, const struct experiment *e);
/* " 19 of 38 kernels ...", what found ends with: "" where no kernel is taken from another network. In d's arena. */
const char *report_summary_sharing(const struct document *d);
/* Fills found, validity and next from the tables. */
void report_summary_fill(struct document *d);
/* The column that stands for the kernels. */
enum report_column report_summary_headline(const struct document *d);
/* The column that stands for what a condition does, in a row of the effects: launches, else as tuned. */
enum report_column report_summary_effect(const struct document *d, int row);
/* The arm that all others are set against: their explorer, or the first of a race; "its explorer": not one arm for all.
 */
const char *report_summary_explorer(const struct document *d);
/* A ratio of times as a person says it: 1.25 is "20 % less", 0.8 "25 % more"; 0 and infinity "any". In a. */
const char *report_summary_change(struct arena *a, double speedup);
/* What would make gates that failed pass, with the command; in d's arena. */
const char *report_summary_cure(const struct document *d, enum validity_about about);
/* Where slow programs were called less: that search times are computed, of how many trials, and how well; NULL: none
 * were. In d's arena. */
const char *report_summary_computed(const struct document *d);

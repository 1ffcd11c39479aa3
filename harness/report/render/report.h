/* SPDX-License-Identifier: Apache-2.0 */
/* report: the results of an experiment for people, for spreadsheets and for programs: one document in four forms, and
 * the files of a results folder. */
#pragma once
#include "harness/plug/registry.h"
#include "harness/report/data/document.h"

/* From the records of the experiment's results folder, or from the report.json there; with the verdicts on claims.
 * registry, folder: the plug-ins and the folder of experiments, for the commands that would measure a claim. All in a.
 */
MUST_CHECK bool report_open(struct arena *a, const struct registry *registry, const struct experiment *e,
                            const char *folder, struct document *out, struct err *err);
/* format: "text", "tsv", "json" or "html". plots: the folder of the scripts of figures. */
MUST_CHECK bool report_print(const struct document *d, const char *format, const char *plots, struct text *out,
                             struct err *err);
/* summary.tsv (a row for each arm on each network), kernels.tsv (for each arm on each kernel), report.txt, report.json,
 * report.html, host.json (from records) and the figures into dir. Without gnuplot the figures are left out. *note says
 * what became of them. */
MUST_CHECK bool report_write(const struct document *d, const char *dir, const char *plots, char **note,
                             struct err *err);

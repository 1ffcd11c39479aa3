/* SPDX-License-Identifier: Apache-2.0 */
/* report: Table 3 for people, for spreadsheets, for programs, and as a figure. */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/calm.h"
#include "harness/experiment/control.h"
#include "harness/experiment/published.h"
#include "harness/experiment/table3.h"

struct report {
    const struct experiment *experiment;
    struct store *store;
    struct arena *arena;
    struct table3 table;
    struct control control;
    const struct published *published; /* NULL: nothing stands beside ours */
    struct calm calm;
    char claims_hash[65]; /* of the file of the paper's claims; "" when it has none */
};
/* Reads the results folder of the experiment. */
MUST_CHECK bool report_open(struct arena *a, const struct experiment *e, const char *folder, struct report *out,
                            struct err *err);
void report_close(struct report *r);
MUST_CHECK bool report_text(const struct report *r, struct text *out, struct err *err);
MUST_CHECK bool report_json(const struct report *r, struct text *out, struct err *err);
void report_tsv(const struct report *r, struct text *out);
/* summary.tsv, report.txt, report.json, host.json and the figure (table3.svg, .png by gnuplot and plots/<stem>.gp) into
 * the results folder. Without gnuplot the figure is left out and *note says so. */
MUST_CHECK bool report_write(const struct report *r, const char *plots, char **note, struct err *err);

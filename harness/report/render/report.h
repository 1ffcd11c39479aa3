/* SPDX-License-Identifier: Apache-2.0 */
/* report: the results of an experiment for people, for spreadsheets, for programs, and as a figure. What is computed
 * and shown is the kind that the experiment names ('report: table3'); all kinds share the head and the tail: failures,
 * phases, counters. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/data/contest.h"
#include "harness/report/data/control_arms.h"
#include "harness/report/data/few_records.h"
#include "harness/report/data/mean_confidence.h"
#include "harness/report/data/pairwise.h"
#include "harness/report/data/published.h"
#include "harness/report/data/selection_loss.h"
#include "harness/report/data/table3.h"
#include "harness/report/data/time_to_target.h"
#include "harness/report/data/validity.h"

struct report;
struct report_kind { /* one row of the table in report.c */
    const char *name;
    MUST_CHECK bool (*make)(struct report *r, struct err *err); /* from r->store */
    void (*text)(const struct report *r, struct text *t);
    void (*json)(const struct report *r, struct text *t); /* members, each with ", " before it */
    void (*tsv)(const struct report *r, struct text *t);
    void (*figure)(const struct report *r, struct text *t); /* data of plots/<stem>.gp */
};
struct report {
    const struct report_kind *kind;
    const struct experiment *experiment;
    struct store *store;
    struct arena *arena;
    bool complete; /* every cell is done, and the shoot-out */
    int cells_done, cells;
    struct table3 table;                 /* kind table3 */
    struct control_arms control;         /* kind table3 */
    const struct mean_confidence *assay; /* kind table3: table.nk of them */
    struct contest contest;              /* kinds contest, micro, variance */
    struct pairwises duels;              /* of contest */
    const struct published *published;   /* kind table3; NULL: nothing stands beside ours */
    const struct published_rows *rows;   /* the other kinds; NULL: nothing */
    struct time_to_target chase;         /* time to target, with two seeds or more */
    struct validity calm;
    struct selection_loss regret;
    struct few_records shortage;
    char claims_hash[65]; /* of the file of the paper's claims; "" when it has none */
};
/* Reads the results folder of the experiment. */
MUST_CHECK bool report_open(struct arena *a, const struct experiment *e, const char *folder, struct report *out,
                            struct err *err);
void report_close(struct report *r);
const char *report_missing(const struct report *r); /* what is done of what; NULL when it is complete */
MUST_CHECK bool report_text(const struct report *r, struct text *out, struct err *err);
MUST_CHECK bool report_json(const struct report *r, struct text *out, struct err *err);
/* A time or a ratio in a column of the text forms: a dash when there is none, or none above 0. */
void report_cell(struct text *t, int width, int digits, double v);
void report_tsv(const struct report *r, struct text *out);
/* summary.tsv, report.txt, report.json, report.html, host.json and the figure (<stem>.svg, .png by gnuplot and
 * plots/<stem>.gp) into the results folder; folder: of experiments. Without gnuplot the figure is left out and *note
 * says so. */
MUST_CHECK bool report_write(const struct report *r, const char *folder, const char *plots, char **note,
                             struct err *err);

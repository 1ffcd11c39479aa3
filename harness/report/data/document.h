/* SPDX-License-Identifier: Apache-2.0 */
/* document: a report in memory: head, summary, and tables of typed cells whose columns are those of report_column.h.
 * Everything that a report shows is in it, so that text, TSV, JSON, page, figures and claims are made of it and of
 * nothing else, whether it was made from records or read back from a report.json. */
#pragma once
#include "harness/report/data/report_column.h"
#include "harness/report/data/validity.h"

enum document_kind {
    CELL_MISSING,
    CELL_TEXT,
    CELL_COUNT,
    CELL_NUMBER,
    CELL_RATIO,
    CELL_RANGE,
    CELL_SERIES,
    CELL_TRUTH
};
struct document_cell {
    enum document_kind kind;
    union {
        const char *text;
        int64_t count;
        double number;
        const struct estimate *ratio;
        struct {
            double low, high; /* not finite: that end is open */
        } range;
        struct {
            const double *at;
            int n;
        } series;
        bool truth;
    };
};
struct document_table {
    struct document_cell *cells; /* [row * columns of the table + column] */
    int nrows, cap;
};
struct document {
    struct arena *a;
    const char *experiment, *title, *paper, *report, *tier, *hash;
    const char *files;        /* " NAME SHA-256" of those that settings name; "": none */
    const char *claims_hash;  /* of the file of the paper's claims; "" when it has none */
    const char *claims_begun; /* claims_fingerprint (harness/claims/claims.h) of when the run began; "": not recorded */
    const char *asked;  /* how a command names the experiment: its name, or the path of its file; NULL: its name */
    const char *budget; /* name of an experiment_budget; "": not given */
    const char *claims_since; /* how the claims of the experiment changed since then, one sentence without its point */
    const char *claims_now;   /* of the file by which the verdicts are; NULL: there are none */
    const char *revision;     /* of raingauge, that made the records */
    const char *measured;     /* the day the records were begun; "" on virtual targets */
    const char *machine, *target, *target_settings, *regime;
    const char *headline;                /* name of the column that stands for the kernels */
    const char *headline_arm;            /* whose number stands for the experiment; "": none was declared */
    const char *published;               /* whose published ratios stand beside ours; "" none */
    const char *answer;                  /* what the rule says that the experiment declared; NULL: it did not */
    const char *answer_rule;             /* that rule; NULL: none */
    const char *missing;                 /* what is done of what; NULL: it is complete */
    const char *invalid;                 /* why kernels or search time are not valid; NULL: both are */
    const char *unjudged;                /* why there are no verdicts on claims; NULL: there are */
    const char *found, *validity, *next; /* the summary's three lines */
    int64_t threads, layout, seeds, retime_top, programs_counted;
    int64_t trials_measured;        /* of all searches, each once though several arms may share it */
    int64_t kernels, taken_kernels; /* of an arm's searches, and those taken from an earlier network */
    double design_effect; /* of means over networks that share kernels (harness/stats/design_effect.h); else 1, or 0 */
    bool is_virtual, complete, valid;
    const char *environment; /* as the records have it, JSON; NULL in one read back */
    bool from_file;          /* read back from a report.json: the records are not here */
    struct document_table tables[REPORT_TABLES];
};

/* Does its validity matter: a budget that shows the mechanics judges nothing. */
bool document_judges(const struct document *d);
/* Is it valid, or is nothing judged by it? False: err has the reason and EXIT_INVALID. */
MUST_CHECK bool document_valid(const struct document *d, struct err *err);
/* What the gates say of kernels or of search time, and why they have not passed (NULL: they have). */
enum verdict_gates document_gates(const struct document *d, enum validity_about about, const char **reason);
/* Is it complete, and do the gates of kernels pass, whatever those of search time say? Then what `found` words as a
 * finding is one. */
bool document_kernels_stand(const struct document *d);
/* Of the whole: "VALID", "INVALID", "VALID FOR KERNELS" where search time alone is INVALID, or "NOT JUDGED" where the
 * gates of kernels or of search time say neither. */
const char *document_standing(const struct document *d);
/* Which code generator of target cpu the programs were searched with: "tvm" or "fast", NULL for other targets. Claims
 * of papers are about "tvm" only. */
const char *document_codegen(const struct document *d);
/* A fact of where it ran, of part "host", "target", "versions", "shards" or "records"; NULL: not known. */
const char *document_fact(const struct document *d, const char *part, const char *name);
/* Which facts of the machines differ between shards that were merged all the same; NULL: none do. */
const char *document_unlike_machines(const struct document *d);
/* The processor, the GPU, or on a virtual target the file of the machine that it stands for. */
const char *document_machine(const struct document *d);

/* Kernels (of a network's seeds; network "": of all) for which the arm ends in the very program of the arm that it is
 * set against, of how many; 0, 0: no duels say. */
void document_ties(const struct document *d, const char *arm, const char *network, int *ties, int *pairs);

/* ---- writing ---- */

struct document_row { /* of a table, where the next values go */
    struct document *d;
    enum report_table table;
    int row;
};
struct document_row document_add(struct document *d, enum report_table table); /* all its cells are missing */
/* Values are copied. A text that is NULL and a number that is not finite are missing. A column that the table lacks is
 * a defect. */
void document_text(struct document_row r, enum report_column c, const char *s);
void document_count(struct document_row r, enum report_column c, int64_t v);
void document_number(struct document_row r, enum report_column c, double v);
void document_ratio(struct document_row r, enum report_column c, const struct estimate *e);
void document_range(struct document_row r, enum report_column c, double low, double high);
void document_series(struct document_row r, enum report_column c, const double *v, int n);
void document_truth(struct document_row r, enum report_column c, bool v);
bool document_has(enum report_table table, enum report_column c);

/* ---- reading ---- */

int document_rows(const struct document *d, enum report_table table);
/* Of a column or row that the table lacks a missing cell. */
const struct document_cell *document_at(const struct document *d, enum report_table table, int row,
                                        enum report_column c);
/* Which of n words is in the cell; n: another one. */
int document_word_at(const struct document *d, enum report_table table, int row, enum report_column c,
                     const char *const *words, int n);
const char *document_text_at(const struct document *d, enum report_table table, int row, enum report_column c); /* "" */
/* A count, a number or a ratio's value; NAN. */
double document_number_at(const struct document *d, enum report_table table, int row, enum report_column c);
const struct estimate *document_ratio_at(const struct document *d, enum report_table table, int row,
                                         enum report_column c); /* NULL */

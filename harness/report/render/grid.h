/* SPDX-License-Identifier: Apache-2.0 */
/* grid: a table of a document as people see it: chosen columns and rows, cells as text. Text form and page print the
 * same grids. Columns in which nothing is known are left out. */
#pragma once
#include "harness/report/data/document.h"

enum grid_aspect { /* of a ratio; of other values only SHOW_VALUE */
                   SHOW_VALUE,
                   SHOW_INTERVAL,
                   SHOW_WINS /* of COL_WINS: "6 of 20" */
};
struct grid_choice {
    enum report_column column;
    enum grid_aspect aspect;
    const char *head; /* NULL: the column's */
};
#define SHOW(column) {COL_##column, SHOW_VALUE, NULL}
#define HEADED(column, head) {COL_##column, SHOW_VALUE, head}
#define WITH_INTERVAL(column)                                                                                          \
    SHOW(column),                                                                                                      \
    {                                                                                                                  \
        COL_##column, SHOW_INTERVAL, NULL                                                                              \
    }
struct grid_column {
    const char *head, *unit, *help;
    bool is_text; /* set to the left, may be broken between words */
};
struct grid {
    const char *caption;               /* NULL: none */
    const struct grid_column *columns; /* ncolumns of them */
    const char *const *cells;          /* [row * ncolumns + column]; NULL: not known */
    const char *const *groups; /* by row: what stands above it, where a new group begins; NULL: nothing; or no groups */
    const char *const *notes;  /* by row: what stands below it; NULL: nothing; or no notes */
    const bool *bad;           /* by row: a gate or claim that failed */
    int ncolumns, nrows;
};
struct grid_request {
    const struct document *d;
    enum report_table table;
    const char *caption;
    const struct grid_choice *columns;
    int ncolumns;
    enum report_column group; /* rows stand below what they have there, and its column is not shown; COL_COUNT: none */
    bool (*keep)(const struct document *d, enum report_table table, int row); /* NULL: all rows */
};
/* A number, an interval as people see them; of an interval that has no end NULL. In a. */
const char *grid_number(struct arena *a, double v, int digits);
const char *grid_range(struct arena *a, double low, double high, int digits);
/* Rows to keep: those over networks; those of one network. */
bool grid_over_networks(const struct document *d, enum report_table table, int row);
bool grid_of_network(const struct document *d, enum report_table table, int row);
/* All in the document's arena. nrows 0: there is nothing to show. */
struct grid grid_of(const struct grid_request *r);
/* Columns of a table that a view shows. */
struct grid grid_view(const struct document *d, enum report_table table, enum report_view view, const char *caption);
/* Ratios of some rows, one below the other: value, 95 %, what it is over, chance to be above 1, p, Holm. */
struct grid grid_ratios(const struct grid_request *r);

/* SPDX-License-Identifier: Apache-2.0 */
/* column: lines of published tables, cut into cells and turned into numbers. Shared by the parsers of the two forms. */
#pragma once
#include "harness/released/droplet/release.h"

enum { COLUMN_MOST = 48 };

/* The next line of *text (its end becomes 0, a carriage return goes), or NULL at the end. *text moves on. */
char *column_line(char **text);
/* Cuts a line at sep into cells without blanks around them; how many there are (cells beyond most are counted only). */
int column_split(char *line, char sep, char **cells, int most);

/* What a head may call a column. Tables of names end with {0}. */
struct column_name {
    const char *name;
    int measure;  /* enum measure, or a key of the parser, below 0 */
    double scale; /* to seconds */
};
/* Where a cell's number goes. */
struct column {
    const char *name;  /* as the head says, for messages */
    int measure;       /* enum measure, or -1: not read */
    double scale;      /* to seconds */
    int method;        /* which block of the table: a table of the exploiters can hold two methods */
    bool may_be_empty; /* the compact form */
};
/* Takes measure and scale from the row of that name; false: there is none. */
bool column_find(const struct column_name *names, const char *name, struct column *c);
/* Reads the cells of a row into rows[method].v (all NaN before); false: a problem was noted. line is for messages. */
bool column_row(struct release *r, const char *file, int line, const struct column *columns, int n, char *const *cells,
                struct release_row *rows);

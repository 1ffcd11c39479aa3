/* SPDX-License-Identifier: Apache-2.0 */
/* tsv_table: a tab-separated table with one head line, cells with the place they stand at. Columns are asked for by
 * name, in any order. What is broken becomes a problem with file:line:column. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/vec.h"
#include "harness/released/released_paper.h"

struct tsv_problems {
    struct arena *arena;
    VEC(struct release_problem) all; /* freed with the arena (tsv_problems_open) */
};
struct tsv_problems *tsv_problems_open(struct arena *a);
void tsv_problem(struct tsv_problems *p, const char *file, int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

struct tsv_row {
    int line;
    char **cells; /* as many as the head names */
    int *places;  /* character at which each begins, from 1 */
};
struct tsv_table {
    const char *file;
    struct tsv_problems *problems;
    char **heads;
    int nheads;
    struct tsv_row *rows; /* those with as many cells as the head names; the others are problems */
    int n;
};
/* text is changed. needed: names of columns that must be there, up to NULL. False: the head lacks one (a problem). */
bool tsv_table_read(struct tsv_problems *p, const char *file, char *text, const char *const *needed,
                    struct tsv_table *out);
/* A cell; "" where the table has no such column. */
const char *tsv_text(const struct tsv_table *t, int row, const char *head);
/* A number from low on. Empty: NAN, and true only where it may be. False: it is none, which is a problem. */
bool tsv_number(const struct tsv_table *t, int row, const char *head, double low, bool may_be_empty, double *out);
/* One of n words; -1: none of them, which is a problem. */
int tsv_word(const struct tsv_table *t, int row, const char *head, const char *const *words, int n);
/* A problem with this cell. */
void tsv_cell_problem(const struct tsv_table *t, int row, const char *head, const char *what);

/* SPDX-License-Identifier: Apache-2.0 */
/* tsv_table: the text is cut in place. */
#include "harness/released/tsv_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct tsv_problems *tsv_problems_open(struct arena *a)
{
    struct tsv_problems *p = ARENA_NEW(a, struct tsv_problems);
    p->arena = a;
    vec_defer(a, &p->all);
    return p;
}

void tsv_problem(struct tsv_problems *p, const char *file, int line, int column, const char *fmt, ...)
{
    char text[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    vec_push(&p->all, (struct release_problem){file, line, column, arena_str(p->arena, text)});
}

static int count(const char *line, char c)
{
    int n = 0;
    for (; *line; line++)
        n += *line == c;
    return n;
}

/* Cuts a line into its cells. */
static int cut(struct arena *a, char *line, struct tsv_row *row)
{
    int n = count(line, '\t') + 1;
    row->cells = ARENA_ARRAY(a, char *, n);
    row->places = ARENA_ARRAY(a, int, n);
    char *at = line;
    for (int i = 0; i < n; i++) {
        char *end = at + strcspn(at, "\t");
        row->cells[i] = at;
        row->places[i] = (int)(at - line) + 1;
        *end = 0;
        at = end + 1;
    }
    return n;
}

static int head_of(const struct tsv_table *t, const char *head)
{
    for (int i = 0; i < t->nheads; i++)
        if (str_eq(t->heads[i], head))
            return i;
    return -1;
}

bool tsv_table_read(struct tsv_problems *p, const char *file, char *text, const char *const *needed,
                    struct tsv_table *out)
{
    struct arena *a = p->arena;
    struct tsv_row head = {0};
    bool whole = true;
    int line = 0;
    *out = (struct tsv_table){.file = file, .problems = p};
    out->rows = ARENA_ARRAY(a, struct tsv_row, count(text, '\n') + 2);
    for (char *at = text; *at; line++) {
        char *start = at, *end = at + strcspn(at, "\n");
        at = *end ? end + 1 : end;
        *end = 0;
        if (end > start && end[-1] == '\r')
            end[-1] = 0;
        struct tsv_row row = {.line = line + 1};
        int n = cut(a, start, &row);
        if (line == 0) {
            head = row;
            out->heads = head.cells;
            out->nheads = n;
        } else if (n == out->nheads) {
            out->rows[out->n++] = row;
        } else {
            tsv_problem(p, file, row.line, 0, "%d fields, the head names %d", n, out->nheads);
        }
    }
    for (int i = 0; needed[i]; i++)
        if (head_of(out, needed[i]) < 0) {
            tsv_problem(p, file, 1, 0, "the head has no column '%s'", needed[i]);
            whole = false;
        }
    return whole;
}

const char *tsv_text(const struct tsv_table *t, int row, const char *head)
{
    int i = head_of(t, head);
    return i < 0 ? "" : t->rows[row].cells[i];
}

void tsv_cell_problem(const struct tsv_table *t, int row, const char *head, const char *what)
{
    int i = head_of(t, head);
    tsv_problem(t->problems, t->file, t->rows[row].line, i < 0 ? 0 : t->rows[row].places[i],
                "column '%s' is '%.40s', %s", head, tsv_text(t, row, head), what);
}

bool tsv_number(const struct tsv_table *t, int row, const char *head, double low, bool may_be_empty, double *out)
{
    const char *cell = tsv_text(t, row, head);
    *out = NAN;
    if (!*cell && may_be_empty)
        return true;
    if (str_real(cell, out) && *out >= low)
        return true;
    char what[60];
    snprintf(what, sizeof what, "not a number from %g on", low);
    tsv_cell_problem(t, row, head, what);
    return false;
}

int tsv_word(const struct tsv_table *t, int row, const char *head, const char *const *words, int n)
{
    const char *cell = tsv_text(t, row, head), *near = str_nearest(cell, words, n);
    for (int i = 0; i < n; i++)
        if (str_eq(words[i], cell))
            return i;
    char what[80];
    snprintf(what, sizeof what, near ? "which is unknown: did you mean '%.40s'?" : "which is unknown", near);
    tsv_cell_problem(t, row, head, what);
    return -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/answer.h"

#include "harness/base/json.h"
#include "harness/base/vec.h"
#include "harness/record/sql_answer.h"

#include <stdio.h>
#include <string.h>

struct answer {
    struct cli *c;
    enum answer_format format;
    struct text out; /* CSV and JSON go out as they come */
    const char *const *names;
    int columns;
    int64_t rows;
    VEC(const char *) cells; /* of a table, which is aligned when all is known; numbers begin with a tab */
};

enum { TABLE_CELLS_MOST = 2000000 }; /* of a table, which is held whole: 64 MiB or so */

static bool flushed(struct answer *x)
{
    if (x->out.len > 1 << 16)
        cli_print(&x->out);
    return !ferror(stdout);
}

/* RFC 4180. */
static void csv_cell(struct text *t, const char *s)
{
    if (!strpbrk(s, ",\"\r\n")) {
        text_add(t, s);
        return;
    }
    text_char(t, '"');
    for (size_t n; *s; s += n) {
        n = strcspn(s, "\"");
        text_addn(t, n ? s : "\"\"", n ? n : 2);
        n += n == 0;
    }
    text_char(t, '"');
}

static void number(struct text *t, const struct sql_value *v)
{
    if (v->kind == SQL_INTEGER)
        text_int(t, v->integer);
    else
        text_number(t, v->real);
}

static bool head(void *ctx, const char *const *names, int n)
{
    struct answer *x = ctx;
    const char **kept = ARENA_ARRAY(x->c->arena, const char *, n + 1);
    for (int i = 0; i < n; i++)
        kept[i] = arena_str(x->c->arena, names[i]);
    x->names = kept;
    x->columns = n;
    if (x->format == ANSWER_JSON)
        text_char(&x->out, '[');
    else if (x->format == ANSWER_CSV) {
        for (int i = 0; i < n; i++) {
            text_add(&x->out, i ? "," : "");
            csv_cell(&x->out, names[i]);
        }
        text_add(&x->out, "\r\n");
    }
    return true;
}

static void json_row(struct answer *x, const struct sql_value *v, int n)
{
    cJSON *o = json_object();
    for (int i = 0; i < n; i++)
        if (v[i].kind == SQL_INTEGER)
            json_put_int(o, x->names[i], v[i].integer);
        else if (v[i].kind == SQL_REAL)
            json_put_number(o, x->names[i], v[i].real);
        else
            json_put_str(o, x->names[i], v[i].text); /* NULL of SQL is null */
    text_add(&x->out, x->rows ? ",\n" : "");
    json_print(o, &x->out);
}

static void csv_row(struct answer *x, const struct sql_value *v, int n)
{
    for (int i = 0; i < n; i++) {
        text_add(&x->out, i ? "," : "");
        if (v[i].kind == SQL_TEXT)
            csv_cell(&x->out, v[i].text);
        else if (v[i].kind != SQL_NULL)
            number(&x->out, &v[i]);
    }
    text_add(&x->out, "\r\n");
}

static void table_row(struct answer *x, const struct sql_value *v, int n)
{
    for (int i = 0; i < n; i++) {
        struct text t = {0};
        if (v[i].kind == SQL_INTEGER || v[i].kind == SQL_REAL) {
            text_char(&t, '\t');
            number(&t, &v[i]);
        } else {
            text_utf8(&t, v[i].kind == SQL_NULL ? "-" : v[i].text);
        }
        vec_push(&x->cells, text_keep(&t, x->c->arena));
    }
}

static bool row(void *ctx, const struct sql_value *values, int n)
{
    struct answer *x = ctx;
    if (x->format == ANSWER_JSON)
        json_row(x, values, n);
    else if (x->format == ANSWER_CSV)
        csv_row(x, values, n);
    else
        table_row(x, values, n);
    x->rows++;
    return flushed(x) && x->cells.n < TABLE_CELLS_MOST;
}

/* Columns that the eye reads as such; a bytes' count is near enough to a width. */
static void table_line(struct answer *x, const char *const *cells, const int *widths)
{
    for (int i = 0; i < x->columns; i++) {
        bool right = cells[i][0] == '\t', last = i == x->columns - 1;
        int pad = widths[i] - (int)strlen(cells[i] + right);
        text_printf(&x->out, "%s%*s%s%*s", i ? "  " : "", right ? pad : 0, "", cells[i] + right,
                    right || last ? 0 : pad, "");
    }
    text_char(&x->out, '\n');
}

static void table_end(struct answer *x)
{
    int *widths = ARENA_ARRAY(x->c->arena, int, x->columns + 1);
    for (int i = 0; i < x->columns; i++)
        widths[i] = (int)strlen(x->names[i]);
    for (int i = 0; i < x->cells.n; i++) {
        const char *cell = x->cells.at[i] + (x->cells.at[i][0] == '\t');
        int width = (int)strlen(cell), column = i % x->columns;
        widths[column] = width > widths[column] ? width : widths[column];
    }
    table_line(x, x->names, widths);
    for (int i = 0; i + x->columns <= x->cells.n && flushed(x); i += x->columns)
        table_line(x, &x->cells.at[i], widths);
}

bool answer_print(struct cli *c, const char *dir, const char *sql, enum answer_format format, struct err *err)
{
    struct answer x = {.c = c, .format = format};
    const struct sql_reader to = {.head = head, .row = row, .ctx = &x};
    bool fine = sql_answer(dir, sql, &to, err) &&
                (x.cells.n < TABLE_CELLS_MOST ||
                 err_set(err, "SQL: %lld rows and more are no table: add LIMIT, or take --format csv or --json",
                         (long long)x.rows));
    if (fine && format == ANSWER_JSON)
        text_add(&x.out, "]\n");
    else if (fine && format == ANSWER_TABLE)
        table_end(&x);
    if (fine)
        cli_print(&x.out);
    text_free(&x.out);
    vec_free(&x.cells);
    return fine;
}

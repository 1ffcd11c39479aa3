/* SPDX-License-Identifier: Apache-2.0 */
/* query: a SELECT on the records of a folder. Without one: the views that can be asked, with their columns. */
#include "harness/base/json.h"
#include "harness/base/vec.h"
#include "harness/cli/cli.h"
#include "harness/record/sql_answer.h"
#include "harness/record/views.h"

#include <stdio.h>
#include <string.h>

enum format { FORMAT_TABLE, FORMAT_CSV };
struct verb_query_options {
    enum format format;
};
static const char *const formats[] = {[FORMAT_TABLE] = "table", [FORMAT_CSV] = "csv", NULL};
static const struct setting options[] = {ENUM_SETTING("--format", struct verb_query_options, format, "table", formats,
                                                      "what is printed", .group = GROUP_OUTPUT),
                                         {0}};

struct answer {
    struct cli *c;
    enum format format;
    struct text out; /* CSV and JSON go out as they come */
    const char *const *names;
    int columns;
    int64_t rows;
    VEC(const char *) cells; /* of a table, which is aligned when all is known; numbers begin with a tab */
};

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
    for (; *s; s++)
        text_addn(t, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
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
    if (x->c->json)
        text_char(&x->out, '[');
    else if (x->format == FORMAT_CSV) {
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
    if (x->c->json)
        json_row(x, values, n);
    else if (x->format == FORMAT_CSV)
        csv_row(x, values, n);
    else
        table_row(x, values, n);
    x->rows++;
    return flushed(x);
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

static void list_views(struct cli *c)
{
    struct text t = {0};
    cJSON *list = json_array();
    for (const struct record_view *v = views; v->name; v++) {
        text_printf(&t, "%s%s: a row is %s\n", v == views ? "" : "\n", v->name, v->help);
        for (const struct view_column *k = v->columns; k->name; k++) {
            cJSON *o = json_put_object(list, NULL);
            json_put_str(o, "view", v->name);
            json_put_str(o, "column", k->name);
            json_put_str(o, "help", k->help);
            text_printf(&t, "  %-12s %s\n", k->name, k->help);
        }
    }
    if (c->json) {
        cli_print_json(list);
    } else {
        cli_print(&t);
        cJSON_Delete(list);
    }
    text_free(&t);
}

static bool run(struct cli *c, struct err *err)
{
    const struct verb_query_options *o = c->options;
    struct answer x = {.c = c, .format = o->format};
    const struct sql_reader to = {.head = head, .row = row, .ctx = &x};
    if (c->nwords < 2) {
        list_views(c);
        return true;
    }
    bool fine = sql_answer(c->words[0], c->words[1], &to, err);
    if (fine && c->json)
        text_add(&x.out, "]\n");
    else if (fine && x.format == FORMAT_TABLE)
        table_end(&x);
    if (fine)
        cli_print(&x.out);
    text_free(&x.out);
    vec_free(&x.cells);
    return fine;
}

static const struct json_member members[] = {
    MEMBER_MAYBE("{column}", "any", "A column of the answer, as the statement names it; rows are in its order."), {0}};
static const struct json_member view_members[] = {MEMBER("view", "text", "A view that can be asked."),
                                                  MEMBER("column", "text", "One of its columns."),
                                                  MEMBER("help", "text", "What it holds, with its unit."),
                                                  {0}};
static const struct json_form forms[] = {
    JSON_FORM_LIST("raingauge query DIR SQL", members), JSON_FORM_LIST("raingauge query DIR", view_members), {0}};
static const struct verb_exit exits[] = {{EXIT_USAGE, "wrong SQL, or no records there"}, {0}};

const struct verb verb_query = {.name = "query",
                                .arguments = "RESULTS [SQL]",
                                .summary =
                                    "a SELECT on recorded trials, kernels, rounds and re-timings; without one, the "
                                    "views and columns",
                                .asks = "which results folder?",
                                .needed = 1,
                                .words = 2,
                                VERB_OPTIONS(struct verb_query_options),
                                .exits = exits,
                                .json = forms,
                                .run = run};

/* SPDX-License-Identifier: Apache-2.0 */
/* document_json: one table of the head's members serves both ways. A member that a reader does not know is passed over,
 * so that reports of a newer raingauge can be read. */
#include "harness/report/data/document_json.h"

#include "harness/base/json.h"

#include <math.h>
#include <string.h>

enum head_type { HEAD_TEXT, HEAD_MAYBE, HEAD_COUNT, HEAD_NUMBER, HEAD_TRUTH }; /* MAYBE: a text that may be NULL */
struct head_member {
    const char *name;
    enum head_type type;
    size_t offset;
};
#define HEAD(name, type) {#name, type, offsetof(struct document, name)}
static const struct head_member head[] = {
    HEAD(experiment, HEAD_TEXT),
    HEAD(title, HEAD_TEXT),
    HEAD(paper, HEAD_TEXT),
    HEAD(report, HEAD_TEXT),
    HEAD(tier, HEAD_TEXT),
    HEAD(hash, HEAD_TEXT),
    HEAD(files, HEAD_TEXT),
    HEAD(claims_hash, HEAD_TEXT),
    HEAD(claims_begun, HEAD_TEXT),
    HEAD(budget, HEAD_TEXT),
    HEAD(revision, HEAD_TEXT),
    HEAD(measured, HEAD_TEXT),
    HEAD(machine, HEAD_TEXT),
    HEAD(target, HEAD_TEXT),
    HEAD(target_settings, HEAD_TEXT),
    HEAD(is_virtual, HEAD_TRUTH),
    HEAD(threads, HEAD_COUNT),
    HEAD(layout, HEAD_COUNT),
    HEAD(regime, HEAD_TEXT),
    HEAD(seeds, HEAD_COUNT),
    HEAD(retime_top, HEAD_COUNT),
    HEAD(programs_counted, HEAD_COUNT),
    HEAD(trials_measured, HEAD_COUNT),
    HEAD(kernels, HEAD_COUNT),
    HEAD(taken_kernels, HEAD_COUNT),
    HEAD(design_effect, HEAD_NUMBER),
    HEAD(headline, HEAD_TEXT),
    HEAD(headline_arm, HEAD_TEXT),
    HEAD(published, HEAD_TEXT),
    HEAD(complete, HEAD_TRUTH),
    HEAD(missing, HEAD_MAYBE),
    HEAD(valid, HEAD_TRUTH),
    HEAD(invalid, HEAD_MAYBE),
};
static const struct head_member summary[] = {HEAD(found, HEAD_TEXT), HEAD(validity, HEAD_TEXT), HEAD(next, HEAD_TEXT)};
enum { HEADS = sizeof head / sizeof *head, SUMMARIES = sizeof summary / sizeof *summary };

/* ---- writing ---- */

static void put_members(cJSON *in, const struct document *d, const struct head_member *m, int n)
{
    for (int i = 0; i < n; i++) {
        const char *at = (const char *)d + m[i].offset;
        if (m[i].type == HEAD_TEXT || m[i].type == HEAD_MAYBE)
            json_put_str(in, m[i].name, *(const char *const *)at);
        else if (m[i].type == HEAD_COUNT)
            json_put_int(in, m[i].name, *(const int64_t *)at);
        else if (m[i].type == HEAD_NUMBER)
            json_put_number(in, m[i].name, *(const double *)at);
        else
            json_put_bool(in, m[i].name, *(const bool *)at);
    }
}

static void put_ratio(cJSON *row, enum report_column c, const struct estimate *e)
{
    cJSON *o = json_put_object(row, report_columns[c].name);
    json_put_number(o, "ratio", e->ratio);
    json_put_str(o, "over", estimate_over_word(e, report_column_rows(c)));
    json_put_int(o, "n", e->n);
    if (e->over != ESTIMATE_NOTHING) {
        json_put_str(o, "method", interval_words[e->method]);
        json_put_range(o, "interval", e->low, e->high);
        json_put_number(o, "half_width", e->half);
        json_put_number(o, "p", e->p);
        json_put_number(o, "p_holm", e->holm);
    }
    if (e->df > 0)
        json_put_number(o, "df", e->df);
    if (e->rows.n > 1) {
        json_put_int(o, "rows", e->rows.n);
        json_put_range(o, "interval_rows", e->rows.low, e->rows.high);
    }
    json_put_number(o, "beats", e->better.share);
    json_put_range(o, "beats_interval", e->better.low, e->better.high);
    json_put_int(o, "wins", e->better.wins);
    json_put_int(o, "ties", e->better.ties);
    json_put_int(o, "losses", e->better.losses);
}

static void put_cell(cJSON *row, enum report_column c, const struct document_cell *cell)
{
    const char *name = report_columns[c].name;
    cJSON *list;
    switch (cell->kind) {
    case CELL_TEXT:
        json_put_str(row, name, cell->text);
        return;
    case CELL_COUNT:
        json_put_int(row, name, cell->count);
        return;
    case CELL_NUMBER: /* a ratio that nothing is estimated of */
        if (report_columns[c].kind == VALUE_RATIO)
            json_put_number(json_put_object(row, name), "ratio", cell->number);
        else
            json_put_number(row, name, cell->number);
        return;
    case CELL_RATIO:
        put_ratio(row, c, cell->ratio);
        return;
    case CELL_RANGE:
        json_put_range(row, name, cell->range.low, cell->range.high);
        return;
    case CELL_SERIES:
        list = json_put_array(row, name);
        for (int i = 0; i < cell->series.n; i++)
            json_put_number(list, NULL, cell->series.at[i]);
        return;
    case CELL_TRUTH:
        json_put_bool(row, name, cell->truth);
        return;
    default:
        json_put_str(row, name, NULL);
    }
}

/* A row is kept as its text: as members, the rows of a large report take four times the memory. */
static void put_row(cJSON *rows, const struct document *d, int table, int row, struct text *t)
{
    const struct report_table_info *is = &report_tables[table];
    cJSON *members = json_object();
    for (int c = 0; c < is->n; c++)
        put_cell(members, is->columns[c], &d->tables[table].cells[(int64_t)row * is->n + c]);
    text_clear(t);
    json_print(members, t);
    json_put(rows, NULL, cJSON_CreateRaw(text_str(t)));
}

void document_json_print(const struct document *d, struct text *out)
{
    struct text row = {0};
    cJSON *root = json_object();
    put_members(root, d, head, HEADS);
    put_members(json_put_object(root, "summary"), d, summary, SUMMARIES);
    cJSON *tables = json_put_object(root, "tables");
    for (int t = 0; t < REPORT_TABLES; t++) {
        cJSON *rows = json_put_array(tables, report_tables[t].id);
        for (int r = 0; r < d->tables[t].nrows; r++)
            put_row(rows, d, t, r, &row);
    }
    text_free(&row);
    json_print(root, out);
    text_char(out, '\n');
}

/* ---- reading ---- */

struct reader {
    struct document *d;
    const char *name;
    struct err *err;
};

static bool get_members(const struct reader *r, const cJSON *from, const struct head_member *m, int n)
{
    for (int i = 0; i < n; i++) {
        const cJSON *v = json_get(from, m[i].name);
        char *at = (char *)r->d + m[i].offset;
        if (m[i].type == HEAD_TEXT || m[i].type == HEAD_MAYBE)
            *(const char **)at = cJSON_IsString(v)        ? arena_str(r->d->a, v->valuestring)
                                 : m[i].type == HEAD_TEXT ? ""
                                                          : NULL;
        else if (m[i].type == HEAD_TRUTH)
            *(bool *)at = cJSON_IsTrue(v);
        else if (m[i].type == HEAD_NUMBER)
            *(double *)at = json_num(from, m[i].name, 0);
        else if (v && !json_int(v, (int64_t *)at))
            return err_set(r->err, "'%s': '%s' is no whole number", r->name, m[i].name);
    }
    return true;
}

static void get_range(const cJSON *pair, double *low, double *high)
{
    const cJSON *a = cJSON_GetArrayItem(pair, 0), *b = cJSON_GetArrayItem(pair, 1);
    *low = cJSON_IsNumber(a) ? a->valuedouble : NAN;
    *high = cJSON_IsNumber(b) ? b->valuedouble : NAN;
}

static void get_ratio(struct document_row to, enum report_column c, const cJSON *o)
{
    const char *over = json_str(o, "over", NULL);
    if (!over) {
        document_number(to, c, json_num(o, "ratio", NAN));
        return;
    }
    struct estimate e = {.ratio = json_num(o, "ratio", NAN),
                         .n = (int)json_num(o, "n", 0),
                         .p = json_num(o, "p", NAN),
                         .holm = json_num(o, "p_holm", NAN),
                         .better = {.wins = (int)json_num(o, "wins", 0),
                                    .ties = (int)json_num(o, "ties", 0),
                                    .losses = (int)json_num(o, "losses", 0),
                                    .share = json_num(o, "beats", NAN)},
                         .rows = {.n = (int)json_num(o, "rows", 1)}};
    e.over = str_eq(over, "none") ? ESTIMATE_NOTHING : str_eq(over, "seeds") ? ESTIMATE_SEEDS : ESTIMATE_ROWS;
    for (int m = INTERVAL_NONE; m < INTERVAL_METHODS; m++)
        if (str_eq(json_str(o, "method", "none"), interval_words[m]))
            e.method = (enum interval_method)m;
    get_range(json_get(o, "interval"), &e.low, &e.high);
    if (e.low > e.ratio || e.high < e.ratio) { /* edited by hand: nothing may rest on it */
        document_number(to, c, e.ratio);
        return;
    }
    e.half = json_num(o, "half_width", log(e.high / e.low) / 2);
    e.df = json_num(o, "df", 0);
    get_range(json_get(o, "interval_rows"), &e.rows.low, &e.rows.high);
    get_range(json_get(o, "beats_interval"), &e.better.low, &e.better.high);
    document_ratio(to, c, &e);
}

static void get_series(struct document_row to, enum report_column c, const cJSON *list)
{
    double *v = ARENA_ARRAY(to.d->a, double, cJSON_GetArraySize(list) + 1);
    int n = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, list) v[n++] = cJSON_IsNumber(one) ? one->valuedouble : NAN;
    document_series(to, c, v, n);
}

static void get_cell(struct document_row to, enum report_column c, const cJSON *v)
{
    int64_t count;
    double low, high;
    if (cJSON_IsString(v))
        document_text(to, c, arena_str(to.d->a, v->valuestring));
    else if (cJSON_IsBool(v))
        document_truth(to, c, cJSON_IsTrue(v));
    else if (cJSON_IsObject(v))
        get_ratio(to, c, v);
    else if (cJSON_IsArray(v) && report_columns[c].kind == VALUE_SERIES)
        get_series(to, c, v);
    else if (cJSON_IsArray(v)) {
        get_range(v, &low, &high);
        document_range(to, c, low, high);
    } else if (report_columns[c].kind == VALUE_COUNT && json_int(v, &count))
        document_count(to, c, count);
    else if (cJSON_IsNumber(v))
        document_number(to, c, v->valuedouble);
}

static void get_table(struct document *d, const cJSON *list)
{
    int table = report_table_find(list->string);
    const cJSON *row, *cell;
    if (table < 0)
        return;
    cJSON_ArrayForEach(row, list)
    {
        struct document_row to = document_add(d, (enum report_table)table);
        cJSON_ArrayForEach(cell, row)
        {
            int column = report_column_find(cell->string ? cell->string : "");
            if (column >= 0 && document_has((enum report_table)table, (enum report_column)column))
                get_cell(to, (enum report_column)column, cell);
        }
    }
}

bool document_json_read(struct arena *a, const char *text, size_t n, const char *name, struct document *out,
                        struct err *err)
{
    *out = (struct document){.a = a, .from_file = true};
    struct reader r = {out, name, err};
    cJSON *root = json_parse(text, n, name, err);
    const cJSON *tables = json_get(root, "tables"), *list;
    if (!root)
        return false;
    bool fine = cJSON_IsObject(tables) || err_set(err, "'%s' is no report of raingauge: it has no tables", name);
    fine = fine && get_members(&r, root, head, HEADS) && get_members(&r, json_get(root, "summary"), summary, SUMMARIES);
    if (fine)
        cJSON_ArrayForEach(list, tables) get_table(out, list);
    cJSON_Delete(root);
    return fine;
}

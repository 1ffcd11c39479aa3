/* SPDX-License-Identifier: Apache-2.0 */
/* document: tables grow in the document's arena. */
#include "harness/report/data/document.h"

#include "harness/record/keys.h"

#include <math.h>
#include <string.h>

bool document_judges(const struct document *d)
{
    return d->budget && *d->budget ? !str_eq(d->budget, experiment_budgets[BUDGET_MECHANICS])
                                   : !str_eq(d->tier, "smoke");
}

bool document_valid(const struct document *d, struct err *err)
{
    if (d->valid || !document_judges(d))
        return true;
    err->code = EXIT_INVALID;
    return err_set(err, "INVALID: %s", d->invalid);
}

const char *document_codegen(const struct document *d)
{
    return keys_codegen(d->target, d->target_settings);
}

const char *document_fact(const struct document *d, const char *part, const char *name)
{
    for (int i = 0; i < document_rows(d, TABLE_ENVIRONMENT); i++)
        if (str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_PART), part) &&
            str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_NAME), name))
            return document_text_at(d, TABLE_ENVIRONMENT, i, COL_TEXT_VALUE);
    return NULL;
}

const char *document_unlike_machines(const struct document *d)
{
    return document_fact(d, "shards", "unlike");
}

const char *document_machine(const struct document *d)
{
    static const char *const facts[][2] = {{"target", "gpu"}, {"target", "device"}, {"host", "cpu"}};
    const char *own = d->is_virtual ? document_fact(d, "target", "recorded_machine") : NULL;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !own && !d->is_virtual; i++)
        own = document_fact(d, facts[i][0], facts[i][1]);
    return own && *own ? own : d->machine;
}

enum verdict_gates document_gates(const struct document *d, enum validity_about about, const char **reason)
{
    bool search = about == VALIDITY_SEARCH;
    *reason = document_text_at(d, TABLE_NOISE, 0, search ? COL_SEARCH_REASON : COL_REASON);
    *reason = **reason ? *reason : NULL;
    return (enum verdict_gates)document_word_at(d, TABLE_NOISE, 0, search ? COL_SEARCH_STATE : COL_STATE,
                                                validity_words, VERDICT_GATES_UNKNOWN);
}

bool document_kernels_stand(const struct document *d)
{
    const char *why;
    return d->complete && (d->valid || document_gates(d, VALIDITY_KERNELS, &why) == VERDICT_GATES_PASSED);
}

const char *document_standing(const struct document *d)
{
    const char *why;
    bool judged = document_gates(d, VALIDITY_KERNELS, &why) == VERDICT_GATES_PASSED &&
                  document_gates(d, VALIDITY_SEARCH, &why) == VERDICT_GATES_PASSED;
    if (!d->valid)
        return document_kernels_stand(d) ? "VALID FOR KERNELS" : "INVALID";
    return judged ? "VALID" : "NOT JUDGED";
}

void document_ties(const struct document *d, const char *arm, const char *network, int *ties, int *pairs)
{
    *ties = *pairs = 0;
    for (int i = 0; i < document_rows(d, TABLE_DUELS) && !*pairs; i++) {
        double all = document_number_at(d, TABLE_DUELS, i, COL_KERNELS);
        if (!(all > 0) || !str_eq(document_text_at(d, TABLE_DUELS, i, COL_NETWORK), network) ||
            !str_eq(document_text_at(d, TABLE_DUELS, i, COL_ARM), arm))
            continue;
        *ties = (int)document_number_at(d, TABLE_DUELS, i, COL_IDENTICAL);
        *pairs = (int)all;
    }
}

static int place_of(enum report_table table, enum report_column c)
{
    for (int i = 0; i < report_tables[table].n; i++)
        if (report_tables[table].columns[i] == c)
            return i;
    return -1;
}

bool document_has(enum report_table table, enum report_column c)
{
    return place_of(table, c) >= 0;
}

struct document_row document_add(struct document *d, enum report_table table)
{
    struct document_table *t = &d->tables[table];
    int n = report_tables[table].n;
    if (t->nrows == t->cap) {
        struct document_cell *more = ARENA_ARRAY(d->a, struct document_cell, (int64_t)n * (2 * t->cap + 8));
        if (t->nrows)
            memcpy(more, t->cells, sizeof *more * (size_t)n * (size_t)t->nrows);
        t->cells = more;
        t->cap = 2 * t->cap + 8;
    }
    return (struct document_row){d, table, t->nrows++};
}

static void put_cell(struct document_row r, enum report_column c, struct document_cell cell)
{
    int at = place_of(r.table, c);
    if (at < 0)
        bug("table '%s' has no column '%s'", report_tables[r.table].id, report_columns[c].name);
    r.d->tables[r.table].cells[(int64_t)r.row * report_tables[r.table].n + at] = cell;
}

void document_text(struct document_row r, enum report_column c, const char *s)
{
    if (s)
        put_cell(r, c, (struct document_cell){CELL_TEXT, .text = arena_str(r.d->a, s)});
}

void document_count(struct document_row r, enum report_column c, int64_t v)
{
    put_cell(r, c, (struct document_cell){CELL_COUNT, .count = v});
}

void document_number(struct document_row r, enum report_column c, double v)
{
    if (isfinite(v))
        put_cell(r, c, (struct document_cell){CELL_NUMBER, .number = v});
}

void document_ratio(struct document_row r, enum report_column c, const struct estimate *e)
{
    struct estimate *copy = ARENA_DUP(r.d->a, e, struct estimate, 1);
    estimate_drop_widthless(copy);
    if (isfinite(e->ratio))
        put_cell(r, c, (struct document_cell){CELL_RATIO, .ratio = copy});
}

void document_range(struct document_row r, enum report_column c, double low, double high)
{
    if (isfinite(low) || isfinite(high))
        put_cell(r, c, (struct document_cell){CELL_RANGE, .range = {low, high}});
}

void document_series(struct document_row r, enum report_column c, const double *v, int n)
{
    put_cell(r, c, (struct document_cell){CELL_SERIES, .series = {ARENA_DUP(r.d->a, v, double, n), n}});
}

void document_truth(struct document_row r, enum report_column c, bool v)
{
    put_cell(r, c, (struct document_cell){CELL_TRUTH, .truth = v});
}

int document_rows(const struct document *d, enum report_table table)
{
    return d->tables[table].nrows;
}

const struct document_cell *document_at(const struct document *d, enum report_table table, int row,
                                        enum report_column c)
{
    static const struct document_cell missing = {CELL_MISSING, .count = 0};
    int at = place_of(table, c);
    return at < 0 || row >= d->tables[table].nrows
               ? &missing
               : &d->tables[table].cells[(int64_t)row * report_tables[table].n + at];
}

int document_word_at(const struct document *d, enum report_table table, int row, enum report_column c,
                     const char *const *words, int n)
{
    int at = 0;
    while (at < n && !str_eq(document_text_at(d, table, row, c), words[at]))
        at++;
    return at;
}

const char *document_text_at(const struct document *d, enum report_table table, int row, enum report_column c)
{
    const struct document_cell *cell = document_at(d, table, row, c);
    return cell->kind == CELL_TEXT ? cell->text : "";
}

double document_number_at(const struct document *d, enum report_table table, int row, enum report_column c)
{
    const struct document_cell *cell = document_at(d, table, row, c);
    return cell->kind == CELL_COUNT    ? (double)cell->count
           : cell->kind == CELL_NUMBER ? cell->number
           : cell->kind == CELL_RATIO  ? cell->ratio->ratio
                                       : NAN;
}

const struct estimate *document_ratio_at(const struct document *d, enum report_table table, int row,
                                         enum report_column c)
{
    const struct document_cell *cell = document_at(d, table, row, c);
    return cell->kind == CELL_RATIO ? cell->ratio : NULL;
}

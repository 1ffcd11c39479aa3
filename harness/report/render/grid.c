/* SPDX-License-Identifier: Apache-2.0 */
/* grid: how a value is shown follows from its column alone. */
#include "harness/report/render/grid.h"

#include <math.h>

/* ---- one cell ---- */

const char *grid_number(struct arena *a, double v, int digits)
{
    double least = pow(10, -digits); /* what is not 0 does not read as 0 */
    return fabs(v) >= 1e7           ? arena_printf(a, "%.3g", v)
           : v > 0 && v < least / 2 ? arena_printf(a, "<%.*f", digits, least)
                                    : arena_printf(a, "%.*f", digits, v);
}

static const char *end_of_range(struct arena *a, double v, int digits)
{
    return isfinite(v) ? grid_number(a, v, digits) : "open";
}

const char *grid_range(struct arena *a, double low, double high, int digits)
{
    if (!isfinite(low) && !isfinite(high))
        return NULL;
    return arena_printf(a, "[%s, %s]", end_of_range(a, low, digits), end_of_range(a, high, digits));
}

/* A name may hold tabs and line ends. */
static const char *one_line(struct arena *a, const char *s)
{
    char *plain = arena_str(a, s);
    for (char *c = plain; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    return plain;
}

static const char *value(struct arena *a, const struct document_cell *cell, enum report_column c)
{
    const struct report_column_info *info = &report_columns[c];
    switch (cell->kind) {
    case CELL_TEXT:
        return one_line(a, cell->text);
    case CELL_COUNT:
        return arena_printf(a, "%lld", (long long)cell->count);
    case CELL_NUMBER:
        return grid_number(a, info->kind == VALUE_PERCENT ? 100 * cell->number : cell->number, info->digits);
    case CELL_RATIO:
        return grid_number(a, cell->ratio->ratio, info->digits);
    case CELL_RANGE:
        return grid_range(a, cell->range.low, cell->range.high, info->digits);
    case CELL_TRUTH:
        return cell->truth ? "yes" : "no";
    case CELL_SERIES:
        return arena_printf(a, "%d points", cell->series.n);
    default:
        return NULL;
    }
}

static const char *interval(struct arena *a, const struct document_cell *cell, enum report_column c)
{
    const struct estimate *e = cell->kind == CELL_RATIO ? cell->ratio : NULL;
    return e && e->over != ESTIMATE_NOTHING ? grid_range(a, e->low, e->high, report_columns[c].digits) : NULL;
}

static const char *show(const struct grid_request *r, int row, const struct grid_choice *choice)
{
    const struct document_cell *cell = document_at(r->d, r->table, row, choice->column);
    if (choice->aspect == SHOW_WINS)
        return arena_printf(r->d->a, "%.0f of %.0f", document_number_at(r->d, r->table, row, COL_WINS),
                            document_number_at(r->d, r->table, row, COL_COUNTED));
    return choice->aspect == SHOW_INTERVAL ? interval(r->d->a, cell, choice->column)
                                           : value(r->d->a, cell, choice->column);
}

/* ---- rows ---- */

bool grid_over_networks(const struct document *d, enum report_table table, int row)
{
    return !*document_text_at(d, table, row, COL_NETWORK);
}

bool grid_of_network(const struct document *d, enum report_table table, int row)
{
    return !grid_over_networks(d, table, row);
}

struct rows {
    int *at; /* n of them */
    int n;
};

static struct rows rows_of(const struct grid_request *r)
{
    int all = document_rows(r->d, r->table);
    struct rows out = {.at = ARENA_ARRAY(r->d->a, int, all + 1)};
    for (int i = 0; i < all; i++)
        if (!r->keep || r->keep(r->d, r->table, i))
            out.at[out.n++] = i;
    return out;
}

static bool is_bad(const struct grid_request *r, int row)
{
    const char *state = document_text_at(r->d, r->table, row, COL_STATE),
               *verdict = document_text_at(r->d, r->table, row, COL_VERDICT);
    return (r->table == TABLE_GATES && str_eq(state, "failed")) || str_eq(verdict, "INVALID") ||
           str_eq(verdict, "NOT REPRODUCED");
}

static const char *group_of(const struct grid_request *r, int row)
{
    const char *name = document_text_at(r->d, r->table, row, r->group);
    return *name ? name : "over networks";
}

static void group(const struct grid_request *r, const struct rows *rows, struct grid *g)
{
    const char **groups = ARENA_ARRAY(r->d->a, const char *, rows->n + 1), *last = "";
    bool *bad = ARENA_ARRAY(r->d->a, bool, rows->n + 1);
    for (int i = 0; i < rows->n; i++) {
        bad[i] = is_bad(r, rows->at[i]);
        if (r->group != COL_COUNT && !str_eq(group_of(r, rows->at[i]), last))
            groups[i] = last = group_of(r, rows->at[i]);
    }
    g->groups = groups;
    g->bad = bad;
}

/* ---- grids ---- */

static struct grid_column column_of(const struct grid_choice *c)
{
    const struct report_column_info *info = &report_columns[c->column];
    const char *head = c->head ? c->head : c->aspect == SHOW_INTERVAL ? "95 %" : info->head;
    return (struct grid_column){.head = head,
                                .unit = str_eq(info->unit, "ratio") ? "" : info->unit,
                                .help = info->help,
                                .is_text = info->kind == VALUE_TEXT};
}

struct grid grid_of(const struct grid_request *r)
{
    struct arena *a = r->d->a;
    struct rows rows = rows_of(r);
    struct grid g = {.caption = r->caption, .nrows = rows.n};
    struct grid_column *columns = ARENA_ARRAY(a, struct grid_column, r->ncolumns + 1);
    const char **cells = ARENA_ARRAY(a, const char *, rows.n * r->ncolumns + 1);
    const struct grid_choice **kept = ARENA_ARRAY(a, const struct grid_choice *, r->ncolumns + 1);
    for (int c = 0; c < r->ncolumns; c++) {
        bool any = false;
        for (int i = 0; i < rows.n && !any; i++)
            any = show(r, rows.at[i], &r->columns[c]) != NULL;
        if (!any || r->columns[c].column == r->group)
            continue;
        kept[g.ncolumns] = &r->columns[c];
        columns[g.ncolumns++] = column_of(&r->columns[c]);
    }
    for (int i = 0; i < rows.n; i++)
        for (int c = 0; c < g.ncolumns; c++)
            cells[i * g.ncolumns + c] = show(r, rows.at[i], kept[c]);
    g.columns = columns;
    g.cells = cells;
    group(r, &rows, &g);
    return g;
}

struct grid grid_view(const struct document *d, enum report_table table, enum report_view view, const char *caption)
{
    struct grid_choice *columns = ARENA_ARRAY(d->a, struct grid_choice, report_tables[table].n + 1);
    int n = 0;
    for (int i = 0; i < report_tables[table].n; i++)
        if (report_columns[report_tables[table].columns[i]].views & view)
            columns[n++] = (struct grid_choice){.column = report_tables[table].columns[i]};
    return grid_of(
        &(struct grid_request){.d = d,
                               .table = table,
                               .caption = caption,
                               .columns = columns,
                               .ncolumns = n,
                               .group = report_tables[table].columns[0] == COL_NETWORK ? COL_NETWORK : COL_COUNT});
}

/* Who a row is about: its network and arm, or of pairs the rival, or its k, as far as the table has them. */
static const char *who(const struct grid_request *r, int row)
{
    struct arena *a = r->d->a;
    const char *network = document_text_at(r->d, r->table, row, COL_NETWORK),
               *arm = document_text_at(r->d, r->table, row, COL_ARM),
               *over = r->table == TABLE_PAIRWISE ? document_text_at(r->d, r->table, row, COL_OVER) : "";
    if (*over)
        return over;
    if (!*arm)
        return arena_printf(a, "k = %.0f", document_number_at(r->d, r->table, row, COL_K));
    return *network ? arena_printf(a, "%s %s", network, arm) : arm;
}

static void ratio_row(const struct grid_request *r, int row, enum report_column c, const char **cells)
{
    struct arena *a = r->d->a;
    const struct estimate *e = document_ratio_at(r->d, r->table, row, c);
    bool several = e->over != ESTIMATE_NOTHING;
    cells[0] = who(r, row);
    cells[1] = grid_number(a, e->ratio, report_columns[c].digits);
    cells[2] = several ? grid_range(a, e->low, e->high, report_columns[c].digits) : "none";
    cells[3] = several && isfinite(e->half) ? grid_number(a, 100 * expm1(e->half), 1) : NULL;
    cells[4] = several ? arena_printf(a, "%d %s", e->n, estimate_over_word(e, report_column_rows(c))) : "one value";
    cells[5] = e->df > 0 ? grid_number(a, e->df, 0) : NULL;
    cells[6] = isfinite(e->better.share) ? grid_number(a, e->better.share, 2) : NULL;
    cells[7] = isfinite(e->p) ? grid_number(a, e->p, 4) : NULL;
    cells[8] = isfinite(e->holm) ? grid_number(a, e->holm, 4) : NULL;
}

struct grid grid_ratios(const struct grid_request *r)
{
    static const struct grid_column columns[] = {
        {"arm", "", "The arm, its rival, or its k.", true},
        {"value", "", "Geometric mean.", false},
        {"95 %", "", "Its interval: pooled within networks to 6 seeds, t of the means to 19, BCa bootstrap from there.",
         false},
        {"+- %", "", "Half its width on the log scale, in percent: a verdict takes the claim's tolerance at most.",
         false},
        {"over", "", "What the interval is over: seeds, or with one seed networks or kernels like these.", true},
        {"df", "", "Degrees of freedom of the spread between seeds: a verdict takes 15.", false},
        {"beats", "", "Chance to be above 1; ties, inside the larger of 2 % and twice the noise floor, count half.",
         false},
        {"p", "", "Test that the ratio is 1: t where the interval is pooled, else sign flips.", false},
        {"Holm", "", "p after Holm's correction.", false},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct arena *a = r->d->a;
    struct rows rows = rows_of(r);
    const char **cells = ARENA_ARRAY(a, const char *, rows.n * r->ncolumns * COLUMNS + 1);
    const char **groups = ARENA_ARRAY(a, const char *, rows.n * r->ncolumns + 1);
    struct grid g = {.caption = r->caption, .columns = columns, .ncolumns = COLUMNS, .cells = cells, .groups = groups};
    g.bad = ARENA_ARRAY(a, bool, rows.n * r->ncolumns + 1);
    for (int c = 0; c < r->ncolumns; c++)
        for (int i = 0, first = 1; i < rows.n; i++) {
            if (!document_ratio_at(r->d, r->table, rows.at[i], r->columns[c].column))
                continue;
            groups[g.nrows] = first ? report_columns[r->columns[c].column].head : NULL;
            ratio_row(r, rows.at[i], r->columns[c].column, cells + g.nrows++ * COLUMNS);
            first = 0;
        }
    return g;
}

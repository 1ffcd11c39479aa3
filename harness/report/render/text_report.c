/* SPDX-License-Identifier: Apache-2.0 */
/* text_report: columns are as wide as what stands in them; heads are broken between words, and so are columns of text
 * where a line would be too long. */
#include "harness/report/render/text_report.h"

#include "harness/report/render/report_sections.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 2, GAP = 2, LEAST_TEXT = 16, GRID_COLUMNS = 64 };

/* ---- words ---- */

/* Columns that a text takes: bytes of UTF-8 that begin a character. */
static int width_of(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static void pad(struct text *t, int n)
{
    for (; n > 0; n--)
        text_char(t, ' ');
}

/* Bytes of s that fit in a line of so many columns, broken at a space or after a comma where there is one. */
static size_t fitting(const char *s, int columns)
{
    size_t i = 0, space = 0;
    int n = 0;
    for (; s[i] && n < columns; i++) {
        if (s[i] == ' ')
            space = i;
        else if (s[i] == ',' && s[i + 1] != ' ')
            space = i + 1;
        n += ((unsigned char)s[i + 1] & 0xC0) != 0x80;
    }
    return !s[i] || s[i] == ' ' || !space ? i : space;
}

/* Words in lines, each but the first after `indent` spaces. */
static void wrapped(struct text *t, const char *s, int indent, int columns)
{
    for (bool first = true; *s; first = false) {
        size_t n = fitting(s, columns);
        if (!first) {
            text_char(t, '\n');
            pad(t, indent);
        }
        text_addn(t, s, n);
        for (s += n; *s == ' ';)
            s++;
    }
}

/* ---- grids ---- */

/* Line number `line` of s, broken to so many columns; NULL: it has no such line. */
static const char *line_of(const char *s, int columns, int line, int *bytes)
{
    while (*s) {
        *bytes = (int)fitting(s, columns);
        if (line-- == 0)
            return s;
        for (s += *bytes; *s == ' ';)
            s++;
    }
    return NULL;
}

static int lines_of(const char *s, int columns)
{
    int n = 0, bytes;
    while (line_of(s, columns, n, &bytes))
        n++;
    return n;
}

/* Of a head's words, where "95 %" and "share %" are one. */
static int longest_word(const char *head)
{
    int longest = 1;
    while (*head) {
        size_t n = strcspn(head, " ");
        if (head[n] == ' ' && head[n + 1] == '%')
            n += 2;
        longest = (int)n > longest ? (int)n : longest;
        head += n + (head[n] == ' ');
    }
    return longest;
}

struct layout { /* of a grid */
    const struct grid *g;
    const char *const *heads;
    int width[GRID_COLUMNS];
};

static const char *cell_of(const struct layout *l, int row, int column)
{
    const char *cell = row < 0 ? l->heads[column] : l->g->cells[row * l->g->ncolumns + column];
    return cell ? cell : "-";
}

/* Columns of text give way where the lines would be too long, the widest first. */
static void narrow(struct layout *l, int all)
{
    while (all > WIDTH) {
        int widest = -1;
        for (int c = 0; c < l->g->ncolumns; c++)
            if (l->g->columns[c].is_text && l->width[c] > LEAST_TEXT && (widest < 0 || l->width[c] >= l->width[widest]))
                widest = c;
        if (widest < 0)
            return;
        l->width[widest]--;
        all--;
    }
}

static void measure(struct layout *l)
{
    int all = INDENT - GAP;
    for (int c = 0; c < l->g->ncolumns; c++) {
        l->width[c] = longest_word(l->heads[c]);
        for (int r = 0; r < l->g->nrows; r++) {
            int n = width_of(cell_of(l, r, c));
            l->width[c] = n > l->width[c] ? n : l->width[c];
        }
        all += l->width[c] + GAP;
    }
    narrow(l, all);
}

static void put(struct text *t, const char *s, int bytes, int width, bool left)
{
    int columns = 0;
    for (int i = 0; i < bytes; i++)
        columns += ((unsigned char)s[i] & 0xC0) != 0x80;
    if (!left)
        pad(t, width - columns);
    text_addn(t, s, (size_t)bytes);
    if (left)
        pad(t, width - columns);
}

/* Spaces at a line's end say nothing. */
static void end_line(struct text *t)
{
    while (t->len && t->s[t->len - 1] == ' ')
        t->s[--t->len] = 0;
    text_char(t, '\n');
}

/* row -1: the heads, which all end on the last line. */
static void print_row(const struct layout *l, int row, struct text *t)
{
    int lines = 1;
    for (int c = 0; c < l->g->ncolumns; c++) {
        int n = lines_of(cell_of(l, row, c), l->width[c]);
        lines = n > lines ? n : lines;
    }
    for (int line = 0; line < lines; line++) {
        pad(t, INDENT - GAP);
        for (int c = 0; c < l->g->ncolumns; c++) {
            const char *cell = cell_of(l, row, c), *from = NULL;
            int bytes = 0, at = row < 0 ? line - (lines - lines_of(cell, l->width[c])) : line;
            if (at >= 0)
                from = line_of(cell, l->width[c], at, &bytes);
            pad(t, GAP);
            put(t, from ? from : "", from ? bytes : 0, l->width[c], l->g->columns[c].is_text);
        }
        end_line(t);
    }
}

void text_report_grid(struct arena *a, const struct grid *g, struct text *t)
{
    const char *heads[GRID_COLUMNS];
    struct layout l = {.g = g, .heads = heads};
    if (g->ncolumns > GRID_COLUMNS)
        bug("a table of %d columns", g->ncolumns);
    for (int c = 0; c < g->ncolumns; c++)
        heads[c] =
            *g->columns[c].unit ? arena_printf(a, "%s %s", g->columns[c].head, g->columns[c].unit) : g->columns[c].head;
    text_char(t, '\n');
    if (g->caption)
        text_printf(t, "  %s\n", g->caption);
    measure(&l);
    print_row(&l, -1, t);
    for (int r = 0; r < g->nrows; r++) {
        if (g->groups[r])
            text_printf(t, " %s\n", g->groups[r]);
        print_row(&l, r, t);
        if (g->notes && g->notes[r]) {
            pad(t, 2 * INDENT);
            wrapped(t, g->notes[r], 2 * INDENT, WIDTH - 2 * INDENT);
            text_char(t, '\n');
        }
    }
}

/* ---- the whole ---- */

void text_report_lines(const char *found, const char *validity, const char *next, struct text *t)
{
    wrapped(t, found, INDENT, WIDTH - INDENT);
    text_char(t, '\n');
    wrapped(t, validity, INDENT, WIDTH - INDENT);
    text_printf(t, "\n%s\n", next); /* a command is not broken */
}

void text_report_summary(const struct document *d, const char *next, struct text *t)
{
    text_report_lines(d->found, d->validity, next, t);
}

void text_report_print(const struct document *d, struct text *t)
{
    const char *names[SECTIONS_FACTS], *values[SECTIONS_FACTS];
    struct report_sections s = report_sections_make(d);
    int n = report_sections_facts(d, names, values);
    text_report_summary(d, d->next, t);
    text_char(t, '\n');
    wrapped(t, report_sections_title(d), INDENT, WIDTH - INDENT);
    text_char(t, '\n');
    for (int i = 0; i < n; i++) {
        text_printf(t, "  %-11s", names[i]);
        wrapped(t, values[i], INDENT + 11, WIDTH - INDENT - 11);
        text_char(t, '\n');
    }
    if (d->missing)
        text_printf(t, "NOT COMPLETE: %s\n", d->missing);
    for (int i = 0; i < s.n; i++) {
        const struct report_section *one = &s.at[i];
        bool drawn = one->figure && !one->ngrids; /* it is about a figure, which only the page has */
        if (one->page_only || drawn || (!one->ngrids && !one->nparagraphs))
            continue;
        text_printf(t, "\n%s\n", one->title);
        for (int k = 0; k < one->nparagraphs; k++) {
            pad(t, INDENT);
            wrapped(t, one->paragraphs[k], INDENT, WIDTH - INDENT);
            text_char(t, '\n');
        }
        for (int k = 0; k < one->ngrids; k++)
            text_report_grid(d->a, &one->grids[k], t);
    }
}

/* ---- spreadsheet ---- */

void text_report_sheet_text(struct text *t, const char *s)
{
    for (; *s; s++)
        text_char(t, *s == '\t' || *s == '\n' || *s == '\r' ? ' ' : *s);
}

void text_report_sheet_number(struct text *t, double v)
{
    if (isfinite(v))
        text_printf(t, "%.6g", v);
}

static void sheet_ratio(struct text *t, const struct estimate *e)
{
    const double beside[] = {e ? e->low : NAN, e ? e->high : NAN, e ? e->better.share : NAN, e ? e->p : NAN,
                             e ? e->holm : NAN};
    for (int i = 0; i < 5; i++) {
        text_char(t, '\t');
        text_report_sheet_number(t, beside[i]);
    }
}

static bool is_estimate(const struct report_column_info *c)
{
    return c->source == SOURCE_QUANTITY && quantity_is_main((enum quantity)c->what);
}

void text_report_sheet(const struct document *d, enum report_table of, struct text *t)
{
    const struct report_table_info *table = &report_tables[of];
    for (int row = -1; row < document_rows(d, of); row++) {
        bool first = true;
        for (int i = 0; i < table->n; i++) {
            enum report_column c = table->columns[i];
            const struct report_column_info *info = &report_columns[c];
            if (!(info->views & VIEW_SHEET))
                continue;
            text_add(t, first ? "" : "\t");
            first = false;
            if (row < 0) {
                text_add(t, info->name);
                if (is_estimate(info))
                    text_printf(t, "\t%s_low\t%s_high\t%s_beats\t%s_p\t%s_holm", info->name, info->name, info->name,
                                info->name, info->name);
                continue;
            }
            if (info->kind == VALUE_TEXT)
                text_report_sheet_text(t, document_text_at(d, of, row, c));
            else
                text_report_sheet_number(t, document_number_at(d, of, row, c));
            if (is_estimate(info))
                sheet_ratio(t, document_ratio_at(d, of, row, c));
        }
        text_char(t, '\n');
    }
}

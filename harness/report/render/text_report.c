/* SPDX-License-Identifier: Apache-2.0 */
/* text_report: columns are as wide as what stands in them; heads are broken between words, and so is the last column
 * when it is text. */
#include "harness/report/render/text_report.h"

#include "harness/report/render/report_sections.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 2, GAP = 2, HEAD_LINES = 3, LEAST_TEXT = 24 };

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

/* "search, records" over at most HEAD_LINES lines: where line i begins, and how long it is. */
static int head_line(const char *head, int line, const char **from)
{
    for (int i = 0;; i++) {
        const char *space = strchr(head, ' ');
        space = space && space[1] == '%' ? NULL : space; /* "95 %" is one word */
        size_t n = space && i + 1 < HEAD_LINES ? (size_t)(space - head) : strlen(head);
        if (i == line) {
            *from = head;
            return (int)n;
        }
        if (!space || i + 1 >= HEAD_LINES)
            return 0;
        head = space + 1;
    }
}

static const char *head_of(struct arena *a, const struct grid_column *c)
{
    return *c->unit ? arena_printf(a, "%s %s", c->head, c->unit) : c->head;
}

struct layout { /* of a grid */
    const struct grid *g;
    struct arena *a;
    int width[64], lines; /* lines: of the head */
};

static void measure(struct layout *l)
{
    const struct grid *g = l->g;
    int all = INDENT - GAP, last = g->ncolumns - 1;
    for (int c = 0; c < g->ncolumns; c++) {
        const char *from, *head = head_of(l->a, &g->columns[c]);
        l->width[c] = 1;
        for (int i = 0, n; (n = head_line(head, i, &from)); i++) {
            l->width[c] = n > l->width[c] ? n : l->width[c];
            l->lines = i + 1 > l->lines ? i + 1 : l->lines;
        }
        for (int r = 0; r < g->nrows; r++) {
            const char *cell = g->cells[r * g->ncolumns + c];
            int n = cell ? width_of(cell) : 1;
            l->width[c] = n > l->width[c] ? n : l->width[c];
        }
        all += l->width[c] + GAP;
    }
    if (all > WIDTH && g->columns[last].is_text) {
        int room = WIDTH - (all - l->width[last]);
        l->width[last] = room > LEAST_TEXT ? room : LEAST_TEXT;
    }
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

static void heads(const struct layout *l, struct text *t)
{
    for (int line = 0; line < l->lines; line++) {
        pad(t, INDENT - GAP);
        for (int c = 0; c < l->g->ncolumns; c++) {
            const char *from, *head = head_of(l->a, &l->g->columns[c]);
            int all = 0, n;
            while (head_line(head, all, &from))
                all++;
            int at = line - (l->lines - all); /* heads stand on the same last line */
            n = at >= 0 ? head_line(head, at, &from) : 0;
            pad(t, GAP);
            put(t, n ? from : "", n, l->width[c], l->g->columns[c].is_text);
        }
        end_line(t);
    }
}

static void row(const struct layout *l, int r, struct text *t)
{
    const struct grid *g = l->g;
    int at = INDENT - GAP;
    pad(t, at);
    for (int c = 0; c < g->ncolumns; c++) {
        const char *cell = g->cells[r * g->ncolumns + c];
        pad(t, GAP);
        at += GAP;
        if (cell && c + 1 == g->ncolumns && g->columns[c].is_text)
            wrapped(t, cell, at, l->width[c]);
        else
            put(t, cell ? cell : "-", cell ? (int)strlen(cell) : 1, l->width[c], g->columns[c].is_text);
        at += l->width[c];
    }
    end_line(t);
}

static void print_grid(struct arena *a, const struct grid *g, struct text *t)
{
    struct layout l = {.g = g, .a = a};
    text_char(t, '\n');
    if (g->caption)
        text_printf(t, "  %s\n", g->caption);
    if (g->ncolumns > (int)(sizeof l.width / sizeof *l.width))
        bug("a table of %d columns", g->ncolumns);
    measure(&l);
    heads(&l, t);
    for (int r = 0; r < g->nrows; r++) {
        if (g->groups[r])
            text_printf(t, " %s\n", g->groups[r]);
        row(&l, r, t);
    }
}

/* ---- the whole ---- */

void text_report_summary(const struct document *d, struct text *t)
{
    const char *const lines[] = {d->found, d->validity, d->next};
    for (int i = 0; i < 3; i++) {
        wrapped(t, lines[i], INDENT, WIDTH - INDENT);
        text_char(t, '\n');
    }
}

void text_report_print(const struct document *d, struct text *t)
{
    const char *names[SECTIONS_FACTS], *values[SECTIONS_FACTS];
    struct report_sections s = report_sections_make(d);
    int n = report_sections_facts(d, names, values);
    text_report_summary(d, t);
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
        if (one->page_only || (!one->ngrids && !one->nparagraphs))
            continue;
        text_printf(t, "\n%s\n", one->title);
        for (int k = 0; k < one->nparagraphs; k++) {
            pad(t, INDENT);
            wrapped(t, one->paragraphs[k], INDENT, WIDTH - INDENT);
            text_char(t, '\n');
        }
        for (int k = 0; k < one->ngrids; k++)
            print_grid(d->a, &one->grids[k], t);
    }
}

/* ---- spreadsheet ---- */

static void sheet_text(struct text *t, const char *s)
{
    for (; *s; s++)
        text_char(t, *s == '\t' || *s == '\n' || *s == '\r' ? ' ' : *s);
}

static void sheet_number(struct text *t, double v)
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
        sheet_number(t, beside[i]);
    }
}

static bool is_estimate(const struct report_column_info *c)
{
    return c->source == SOURCE_QUANTITY && quantity_is_main((enum quantity)c->what);
}

void text_report_sheet(const struct document *d, struct text *t)
{
    const struct report_table_info *table = &report_tables[TABLE_NETWORKS];
    for (int row = -1; row < document_rows(d, TABLE_NETWORKS); row++) {
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
                sheet_text(t, document_text_at(d, TABLE_NETWORKS, row, c));
            else
                sheet_number(t, document_number_at(d, TABLE_NETWORKS, row, c));
            if (is_estimate(info))
                sheet_ratio(t, document_ratio_at(d, TABLE_NETWORKS, row, c));
        }
        text_char(t, '\n');
    }
}

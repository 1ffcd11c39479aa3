/* SPDX-License-Identifier: Apache-2.0 */
/* comparison_charts: reads the blocks of figure data (a name in quotes, then rows of numbers, one of which may be a
 * quoted label; two blank lines between) and draws each as a chart. The columns are told where they are written, in
 * report_contest.c. */
#include "harness/report/render/comparison_charts.h"

#include "harness/report/render/chart.h"
#include "harness/report/render/report_contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 };

struct block {
    const char *name;
    double *column[COLUMNS]; /* n each; NaN where a row has none, or a label */
    const char **labels;     /* "" where a row has none */
    int n;
};

/* ---- reading ---- */

static const char *quoted(struct arena *a, const char **at)
{
    const char *from = *at + 1, *to = strchr(from, '"');
    *at = to ? to + 1 : from + strlen(from);
    return arena_strn(a, from, (size_t)((to ? to : *at) - from));
}

static void read_row(struct arena *a, struct block *b, const char *at)
{
    for (int c = 0; c < COLUMNS; c++)
        b->column[c][b->n] = NAN;
    b->labels[b->n] = "";
    for (int c = 0; c < COLUMNS && *at; c++) {
        while (*at == ' ')
            at++;
        if (*at == '"') {
            b->labels[b->n] = quoted(a, &at);
            continue;
        }
        char *end;
        double v = strtod(at, &end);
        if (end == at)
            break;
        b->column[c][b->n] = v;
        at = end;
    }
    b->n++;
}

/* Every line of the data makes at most one row, so lines bound all that is kept. */
static int read_blocks(struct arena *a, const char *data, struct block **out)
{
    int lines = 1, n = 0;
    for (const char *c = data; *c; c++)
        lines += *c == '\n';
    struct block *all = ARENA_ARRAY(a, struct block, lines);
    for (const char *line = data; *line; lines--) {
        const char *end = strchr(line, '\n');
        size_t len = end ? (size_t)(end - line) : strlen(line);
        const char *row = arena_strn(a, line, len);
        if (*row == '"') {
            struct block *b = &all[n++];
            b->name = quoted(a, &row);
            b->labels = ARENA_ARRAY(a, const char *, lines);
            for (int c = 0; c < COLUMNS; c++)
                b->column[c] = ARENA_ARRAY(a, double, lines);
        } else if (len && n) {
            read_row(a, &all[n - 1], row);
        }
        line += len + (end != NULL);
    }
    *out = all;
    return n;
}

/* ---- the three kinds ---- */

/* "droplet" of "droplet-300"; k: where the number begins. */
static size_t arm_of(const char *label, const char **k)
{
    const char *dash = strrchr(label, '-');
    *k = dash ? dash + 1 : "";
    return dash ? (size_t)(dash - label) : strlen(label);
}

static bool same_arm(const char *one, const char *other)
{
    const char *k;
    size_t n = arm_of(one, &k);
    return n == arm_of(other, &k) && !strncmp(one, other, n);
}

/* Rows of an arm follow each other, one for each k. */
static struct chart_series arm(struct arena *a, const struct block *b, int from, int to)
{
    const char **labels = ARENA_ARRAY(a, const char *, to - from), *k;
    for (int i = from; i < to; i++) {
        arm_of(b->labels[i], &k);
        labels[i - from] = arena_printf(a, "k=%s", k);
    }
    return (struct chart_series){.name = arena_strn(a, b->labels[from], arm_of(b->labels[from], &k)),
                                 .x = b->column[0] + from,
                                 .y = b->column[1] + from,
                                 .low = b->column[4] + from,
                                 .high = b->column[5] + from,
                                 .labels = to - from > 1 ? labels : NULL,
                                 .n = to - from,
                                 .dots = true};
}

/* Speedups on two logarithmic axes. */
static void draw(const char *title, const char *x_label, const struct chart_series *s, int n, struct text *t)
{
    struct chart c = {.title = title,
                      .x_label = x_label,
                      .y_label = "kernel speedup (log)",
                      .x_log = true,
                      .y_log = true,
                      .y_one = true,
                      .series = s,
                      .n = n};
    chart_draw(&c, t);
}

static void trade(struct arena *a, const struct block *b, struct text *t)
{
    struct chart_series *s = ARENA_ARRAY(a, struct chart_series, b->n + 1);
    int n = 0;
    for (int from = 0, to; from < b->n; from = to) {
        for (to = from + 1; to < b->n && same_arm(b->labels[from], b->labels[to]);)
            to++;
        s[n] = arm(a, b, from, to);
        s[n].colour = n;
        n++;
    }
    draw(arena_printf(a,
                      "%s: kernel speedup over the explorer's full run against the cost of exploitation alone; left is "
                      "less search, up is faster; bars: 95 %%",
                      b->name),
         "summed record cost of exploitation, s (log)", s, n, t);
}

static void by_k(struct arena *a, const struct block *b, int n, struct text *t)
{
    struct chart_series *s = ARENA_ARRAY(a, struct chart_series, n + 1);
    for (int i = 0; i < n; i++)
        s[i] = (struct chart_series){.name = b[i].name,
                                     .x = b[i].column[0],
                                     .y = b[i].column[1],
                                     .low = b[i].column[3],
                                     .high = b[i].column[4],
                                     .n = b[i].n,
                                     .colour = i,
                                     .dashed = i >= CHART_COLOURS,
                                     .dots = true};
    draw("Kernel speedup over the explorer's full run by k, as tuned; bars: 95 % over seeds",
         "k, records of the kernel seen (log)", s, n, t);
}

static void by_kernel(struct arena *a, const struct block *b, struct text *t)
{
    double *told = ARENA_ARRAY(a, double, b->n + 1), *open = ARENA_ARRAY(a, double, b->n + 1);
    for (int i = 0; i < b->n; i++) {
        bool apart = b->column[3][i] > 0;
        told[i] = apart ? b->column[2][i] : (double)NAN;
        open[i] = apart ? (double)NAN : b->column[2][i];
    }
    struct chart_series s[] = {
        {.name = "search records", .y = b->column[1], .colour = 6},
        {.name = "launches, not told apart", .y = open, .colour = 1},
        {.name = "launches, p at most 0.05", .y = told, .colour = 0, .bold = true},
    };
    for (int i = 0; i < 3; i++) {
        s[i].x = b->column[0];
        s[i].n = b->n;
        s[i].form = CHART_POINTS;
        s[i].dots = true;
    }
    struct chart c = {.title = arena_printf(a,
                                            "%s: the explorer's winner over the exploiter's, each seed a point; up: "
                                            "the exploiter's is faster",
                                            b->name),
                      .x_label = "kernel",
                      .y_label = "ratio of times (log)",
                      .y_log = true,
                      .y_one = true,
                      .series = s,
                      .n = 3};
    chart_draw(&c, t);
}

void comparison_charts_html(const struct report *r, struct text *t)
{
    if (!r->contest.nentrants)
        return;
    struct text data = {0};
    struct block *b;
    r->kind->figure(r, &data);
    int n = read_blocks(r->arena, text_str(&data), &b);
    text_free(&data);
    text_add(t, "<section id=\"figures\"><h2>Figures</h2>\n<div class=\"figs\">");
    if (r->kind == &report_contest_micro)
        by_k(r->arena, b, n, t);
    for (int i = 0; i < n && r->kind == &report_contest_variance; i++)
        by_kernel(r->arena, &b[i], t);
    /* The first block is of all networks: of one alone it is the same. */
    for (int i = 0; i < (n > 2 ? n : 1) && r->kind == &report_contest_contest; i++)
        trade(r->arena, &b[i], t);
    text_add(t, "</div></section>\n");
}

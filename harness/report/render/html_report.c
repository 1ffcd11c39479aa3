/* SPDX-License-Identifier: Apache-2.0 */
/* html_report: head, style, the summary as cards, and the sections. Nothing of this process or of today goes in (no
 * time, no folder). Red is INVALID or failed, and nothing else is red. */
#include "harness/report/render/html_report.h"

#include "harness/report/render/figure.h"
#include "harness/report/render/markup.h"
#include "harness/report/render/report_sections.h"

static const char style[] =
    "*{box-sizing:border-box}:root{--ink:#1b1b1b;--paper:#fff;--quiet:#555;--line:#ddd;--shade:#f4f4f4;--link:#0b57a4;"
    "--bad:#b3001b;--badshade:#fdecee}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#161616;--quiet:#a8a8a8;--line:#3a3a3a;"
    "--shade:#222;--link:#7db8f0;--bad:#ff8080;--badshade:#3a1a1d}}"
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--paper);max-width:64rem;margin:0 auto;padding:1rem;overflow-wrap:break-word}"
    "h1{font-size:1.4rem;line-height:1.25;margin:.2rem 0 .6rem}h2{font-size:1.15rem;margin:1.8rem 0 .4rem}"
    "p,li{max-width:46rem;margin:.4rem 0}.note,caption{color:var(--quiet);font-size:.9rem}"
    ".cards{display:grid;gap:.6rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));margin:.8rem 0}"
    ".card{border:1px solid var(--line);border-radius:.4rem;padding:.6rem .8rem;background:var(--shade)}"
    ".t{display:block;font-size:.8rem;color:var(--quiet);font-weight:600}"
    ".bad{border-color:var(--bad);background:var(--badshade)}.bad .t,td.bad,strong{color:var(--bad)}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}dt{color:var(--quiet)}"
    "dd{margin:0;overflow-wrap:anywhere}"
    ".scroll{overflow-x:auto;margin:.5rem 0}table{border-collapse:collapse;font-size:.875rem;"
    "font-variant-numeric:tabular-nums}caption{text-align:left;padding:.2rem 0}"
    "th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}"
    "th{font-weight:600;vertical-align:bottom;line-height:1.2}td{white-space:nowrap}"
    "th.l,td.l{text-align:left}td.w{white-space:normal;min-width:14rem}"
    "tr.group th{text-align:left;background:var(--shade)}.unit{font-weight:400;color:var(--quiet)}"
    "details{border-top:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer;font-weight:600;padding:.2rem 0}"
    "figure{margin:.6rem 0;background:#fff;border:1px solid var(--line);border-radius:.4rem;padding:.4rem;"
    "max-width:48rem}figure>svg{width:100%;height:auto;display:block}"
    "@media(max-width:40rem){body{padding:.6rem;font-size:15px}dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}"
    "th,td{padding:.2rem .3rem}#table table{font-size:.75rem}#table th,#table td{padding:.2rem .15rem}}"
    "@media print{@page{size:A4;margin:14mm}body{max-width:none;padding:0;font-size:10pt}"
    "table{font-size:7.5pt}th,td{padding:.1rem .25rem}td,td.w{white-space:normal;min-width:0}.scroll{overflow:visible}"
    "details::details-content{content-visibility:visible;display:block}details>*{display:block}"
    "h2,summary{break-after:avoid}tr,figure{break-inside:avoid}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

/* Words between two pieces of markup. */
static void tagged(struct text *t, const char *before, const char *words, const char *after)
{
    text_add(t, before);
    markup_text(t, words);
    text_add(t, after);
}

static void head(const struct document *d, struct text *t)
{
    text_add(t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                "content=\"width=device-width,initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light "
                "dark\"/>\n");
    tagged(t, "<title>", arena_printf(d->a, "%s %s: raingauge", d->experiment, d->tier), "</title>\n");
    text_printf(t, "<style>%s</style></head>\n<body>\n", style);
}

static void card(struct text *t, const char *title, const char *words, bool bad)
{
    text_printf(t, "<div class=\"card%s\"><span class=\"t\">%s", bad ? " bad" : "", title);
    tagged(t, "</span>", words, "</div>\n");
}

static void header(const struct document *d, struct text *t)
{
    tagged(t, "<header><h1>", d->title, "</h1>\n");
    tagged(t, "<p class=\"note\">", arena_printf(d->a, "%s%s%s", d->experiment, *d->tier ? ", tier " : "", d->tier),
           "</p>\n<div class=\"cards\">\n");
    card(t, d->valid ? "What was found" : "As measured", d->found, false);
    card(t, "Is it valid", d->validity, !d->valid);
    card(t, "What next", d->next, false);
    text_add(t, "</div>\n");
    if (d->missing)
        tagged(t, "<p><b>NOT COMPLETE</b>: ", d->missing, "</p>\n");
    text_add(t, "</header>\n");
}

/* ---- grids ---- */

static void grid_head(const struct grid *g, struct text *t)
{
    text_add(t, "<div class=\"scroll\"><table>");
    if (g->caption)
        tagged(t, "<caption>", g->caption, "</caption>");
    text_add(t, "<thead><tr>");
    for (int c = 0; c < g->ncolumns; c++) {
        text_printf(t, "<th scope=\"col\"%s", g->columns[c].is_text ? " class=\"l\"" : "");
        tagged(t, " title=\"", g->columns[c].help, "\">");
        markup_text(t, g->columns[c].head);
        if (*g->columns[c].unit)
            tagged(t, " <span class=\"unit\">", g->columns[c].unit, "</span>");
        text_add(t, "</th>");
    }
    text_add(t, "</tr></thead>\n<tbody>\n");
}

/* Long text may be broken, so that a table stays readable. */
static bool is_long(const struct grid *g, int column)
{
    enum { LONG = 30 };
    for (int r = 0; r < g->nrows && g->columns[column].is_text; r++) {
        const char *cell = g->cells[r * g->ncolumns + column];
        for (int n = 0; cell && cell[n]; n++)
            if (n == LONG)
                return true;
    }
    return false;
}

static void print_grid(const struct grid *g, struct text *t)
{
    grid_head(g, t);
    for (int r = 0; r < g->nrows; r++) {
        if (g->groups[r]) {
            text_printf(t, "<tr class=\"group\"><th colspan=\"%d", g->ncolumns);
            tagged(t, "\">", g->groups[r], "</th></tr>\n");
        }
        text_add(t, "<tr>");
        for (int c = 0; c < g->ncolumns; c++) {
            const char *cell = g->cells[r * g->ncolumns + c];
            text_printf(t, "<td%s%s%s%s>", g->columns[c].is_text || g->bad[r] ? " class=\"" : "",
                        g->columns[c].is_text ? is_long(g, c) ? "l w" : "l" : "",
                        g->bad[r] ? g->columns[c].is_text ? " bad" : "bad" : "",
                        g->columns[c].is_text || g->bad[r] ? "\"" : "");
            if (cell)
                markup_text(t, cell);
            else
                text_add(t, "&#8211;");
        } /* HTML lets the ends of cells and rows be left out: large tables stay a tenth smaller */
        text_add(t, "\n");
    }
    text_add(t, "</tbody></table></div>\n");
}

/* ---- sections ---- */

static void print_figure(const struct document *d, const struct report_section *s, const char *plots, struct text *t)
{
    struct err why = {0};
    struct text svg = {0};
    if (figure_inline(d, s->figure, plots, &svg, &why)) {
        tagged(t, "<figure aria-label=\"", s->title, "\">");
        text_addn(t, text_str(&svg), svg.len);
        text_add(t, "</figure>\n");
    } else {
        tagged(t, "<p class=\"note\">", why.text, ".</p>\n");
    }
    text_free(&svg);
}

static void print_section(const struct document *d, const struct report_section *s, const char *plots, struct text *t)
{
    text_printf(t, "<%s id=\"%s\">", s->folded ? "details" : "section", s->id);
    tagged(t, s->folded ? "<summary>" : "<h2>", s->title, s->folded ? "</summary>\n" : "</h2>\n");
    for (int i = 0; i < s->nparagraphs; i++) {
        bool bad = i == 0 && s->bad;
        tagged(t, bad ? "<p><strong>" : "<p>", s->paragraphs[i], bad ? "</strong></p>\n" : "</p>\n");
    }
    if (s->figure)
        print_figure(d, s, plots, t);
    for (int i = 0; i < s->ngrids; i++)
        print_grid(&s->grids[i], t);
    text_add(t, s->folded ? "</details>\n" : "</section>\n");
}

static void about(const struct document *d, struct text *t)
{
    const char *names[SECTIONS_FACTS], *values[SECTIONS_FACTS];
    int n = report_sections_facts(d, names, values);
    text_add(t, "<details id=\"about\"><summary>What was run</summary>\n<dl>");
    for (int i = 0; i < n; i++) {
        text_printf(t, "<dt>%s</dt>", names[i]);
        tagged(t, "<dd>", values[i], "</dd>");
    }
    text_add(t, "</dl></details>\n");
}

void html_report_print(const struct document *d, const char *plots, struct text *t)
{
    struct report_sections s = report_sections_make(d);
    head(d, t);
    header(d, t);
    for (int i = 0; i < s.n; i++)
        if (!s.at[i].folded)
            print_section(d, &s.at[i], plots, t);
    about(d, t);
    for (int i = 0; i < s.n; i++)
        if (s.at[i].folded)
            print_section(d, &s.at[i], plots, t);
    text_add(t, "</body></html>\n");
}

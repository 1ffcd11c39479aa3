/* SPDX-License-Identifier: Apache-2.0 */
/* html_report: head, style, the table and the figures; html_sections.c has what follows them, provenance.c where the
 * numbers come from. Nothing of this process or of today goes in (no time, no folder), so that a run on a virtual
 * target gives the same bytes each time. */
#include "harness/report/render/html_report.h"

#include "harness/report/data/confidence.h"
#include "harness/report/data/mean_confidence.h"
#include "harness/report/data/pairwise.h"
#include "harness/report/data/search_cost.h"
#include "harness/report/render/chart.h"
#include "harness/report/render/comparison_charts.h"
#include "harness/report/render/curve_chart.h"
#include "harness/report/render/html_sections.h"
#include "harness/report/render/markup.h"
#include "harness/report/render/provenance.h"
#include "harness/report/render/validity_text.h"

#include <math.h>
#include <string.h>

static const char style[] =
    "*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
    "Sans',sans-serif;color:#1b1b1b;background:#fff;"
    "max-width:72rem;margin:0 auto;padding:1rem}"
    "h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 .6rem}h2{font-size:1.2rem;margin:2.2rem 0 .5rem;"
    "border-bottom:2px solid #d8d8d8}h3{font-size:1rem;margin:1.4rem 0 .3rem}"
    "p,li{max-width:46rem}.note{color:#555;font-size:.9rem}.warn{background:#fff3d6;border-left:4px solid #c77700;"
    "padding:.4rem .7rem}nav{display:flex;flex-wrap:wrap;gap:.1rem .9rem}a{color:#0b57a4}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}dt{color:#555}"
    "dd{margin:0;overflow-wrap:anywhere}"
    ".scroll{overflow-x:auto;margin:.5rem 0}table{border-collapse:collapse;font-size:.875rem;"
    "font-variant-numeric:tabular-nums}th,td{padding:.2rem .55rem;text-align:right;border-bottom:1px solid #e3e3e3;"
    "white-space:nowrap}th{font-weight:600;vertical-align:bottom;background:#f4f4f4;white-space:normal;line-height:1.2}"
    "th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:#f8f8f8}"
    "td.l,th.l{text-align:left;white-space:normal;min-width:12rem}tr.far td{background:#fff3d6}"
    "code,pre{font:.8rem/1.4 ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere;white-space:pre-wrap}"
    ".figs{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}"
    "figure{margin:.5rem 0;min-width:0;max-width:40rem;break-inside:avoid}figcaption{font-size:.875rem;color:#555}"
    "figure>svg{width:100%;height:auto;display:block}svg text{font-size:11px;fill:#333}svg .mid{text-anchor:middle}"
    "svg .end{text-anchor:end}.grid{stroke:#e6e6e6;stroke-width:1}.one{stroke:#777;stroke-width:1.2;stroke-dasharray:3 "
    "3}"
    ".box{fill:none;stroke:#999}svg path{fill:none;stroke-width:1.6}svg path.bold{stroke-width:2.8}"
    "svg path.dash{stroke-dasharray:6 3}svg path.bar{stroke-width:1.2}svg path.band{stroke:none;fill-opacity:.16}"
    ".legend{list-style:none;padding:0;margin:.2rem 0;display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.8rem}"
    ".legend "
    "svg{vertical-align:middle}.share{display:inline-block;height:.7rem;background:#4477aa;vertical-align:middle}"
    "pre.plain{white-space:pre}.v{font-weight:600;white-space:nowrap}"
    "@media(max-width:40rem){body{padding:.6rem;font-size:15px}dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}"
    "th,td{padding:.2rem .35rem}}"
    "@media print{@page{size:A4 landscape;margin:12mm}body{max-width:none;padding:0;font-size:10pt}nav{display:none}"
    "table{font-size:7.5pt}th,td{padding:.1rem "
    ".3rem}.scroll{overflow:visible}h2,h3{break-after:avoid}tr{break-inside:avoid}"
    "th:first-child,td:first-child{position:static}a{color:inherit;text-decoration:none}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

/* Colours that people with any colour vision tell apart (P. Tol's bright and muted sets). */
static const char *const colours[CHART_COLOURS] = {"#bb2200", "#4477aa", "#228833", "#aa3377", "#997700",
                                                   "#117799", "#666666", "#882255", "#44aa99", "#332288"};

static void head(const struct report *r, struct text *t)
{
    text_add(t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                "content=\"width=device-width,initial-scale=1\"/>\n<title>");
    markup_printf(t, "%s %s: raingauge", r->experiment->stem, r->experiment->tier);
    text_printf(t, "</title>\n<style>%s", style);
    for (int i = 0; i < CHART_COLOURS; i++)
        text_printf(t, ".s%d{stroke:%s}.d%d,svg path.d%d{fill:%s}svg text.t%d{fill:%s}", i, colours[i], i, i,
                    colours[i], i, colours[i]);
    text_add(t, "</style></head>\n<body>\n");
}

bool html_report_is_table3(const struct report *r)
{
    return r->table.mean != NULL;
}

static void term(struct text *t, const char *name, const char *value)
{
    text_add(t, "<dt>");
    markup_text(t, name);
    text_add(t, "</dt><dd>");
    markup_text(t, value);
    text_add(t, "</dd>");
}

static void header(const struct report *r, struct text *t)
{
    const struct experiment *e = r->experiment;
    const struct store_campaign *c = store_campaign(r->store);
    struct arena *a = r->arena;
    text_add(t, "<header><h1>");
    markup_text(t, *e->title ? e->title : e->stem);
    text_add(t, "</h1>\n<dl>");
    term(t, "experiment", *e->tier ? arena_printf(a, "%s, tier %s", e->stem, e->tier) : e->stem);
    term(t, "machine", c->machine);
    term(t, "target",
         arena_printf(a, "%s {%s}, %s threads, layout mode %d", c->target, c->target_settings,
                      c->threads ? arena_printf(a, "%d", c->threads) : "all", c->layout));
    term(t, "regime", c->regime);
    term(t, "seeds", arena_printf(a, "%lld", (long long)e->seeds));
    term(t, "experiment hash", c->experiment_hash);
    term(t, "raingauge", c->revision);
    text_add(t, "</dl>\n");
    if (report_missing(r))
        text_printf(t, "<p class=\"warn\">Not complete: %s.</p>\n", report_missing(r));
    if (validity_invalid(r)) {
        text_add(t, "<p class=\"warn\"><strong>");
        markup_text(t, validity_invalid(r));
        text_add(t, "</strong></p>\n");
    }
    if (e->seeds < 5)
        text_add(t, "<p class=\"warn\">Fewer than five seeds: an indication, not a verdict.</p>\n");
    if (c->is_virtual)
        text_add(t, "<p class=\"warn\">The target is virtual: times come from a formula, nothing ran.</p>\n");
    text_add(t, "<nav><a href=\"#table\">Table</a>");
    if (html_report_is_table3(r))
        text_add(t, "<a href=\"#figures\">Figures</a><a href=\"#networks\">Networks</a><a href=\"#clocks\">Clocks</a>"
                    "<a href=\"#controls\">Controls</a>");
    else
        text_add(t, "<a href=\"#standing\">How sure</a><a href=\"#figures\">Figures</a>");
    text_add(t, "<a href=\"#curves\">Best so far</a>");
    if (r->chase.n)
        text_add(t, "<a href=\"#targets\">Time to target</a>");
    text_add(t, "<a href=\"#noise\">Noise</a><a href=\"#verdicts\">Verdicts</a><a href=\"#time\">Time</a><a "
                "href=\"#failures\">Failures</a><a href=\"#environment\">Environment</a>"
                "<a href=\"#origin\">Provenance</a></nav></header>\n");
}

/* ---- the table ---- */

/* The last one stands over the means only. */
static const char *const ratio_heads[] = {"k",
                                          "search, paper's clock",
                                          "search, wall clock",
                                          "clocks",
                                          "kernels, sum",
                                          "95 %",
                                          "by calls",
                                          "re-timed",
                                          "95 %",
                                          "Ansor-k: kernels",
                                          "Ansor-k: search",
                                          "gain over seed",
                                          "paper: kernels",
                                          "paper: search",
                                          NULL,
                                          "networks at least as fast, re-timed",
                                          NULL};

static void ratio_head(bool mean, struct text *t)
{
    const char *heads[sizeof ratio_heads / sizeof *ratio_heads];
    int n = 0;
    for (size_t i = 0; i < sizeof ratio_heads / sizeof *ratio_heads; i++)
        if (ratio_heads[i] && (i + 2 < sizeof ratio_heads / sizeof *ratio_heads || mean))
            heads[n++] = ratio_heads[i];
    heads[n] = NULL;
    markup_table(t, heads);
}

static void interval_cell(const struct table3_k *k, bool retimed, struct text *t)
{
    double from, to;
    if (table3_interval(k, retimed, &from, &to))
        text_printf(t, "<td>%.3f&#8211;%.3f%s</td>", from, to, k->nseeds > 1 ? "" : " (networks)");
    else
        text_add(t, "<td>&#8211;</td>");
}

/* Without the end of the row, for what a table adds. */
static void ratio_row(const struct table3_k *k, double paper_kernel, double paper_search, struct text *t)
{
    enum table3_clocks clocks = table3_row_clocks(k);
    text_printf(t, "<tr%s><td>%lld</td>", clocks == CLOCKS_AGREE ? "" : " class=\"far\"", (long long)k->k);
    markup_cell(t, 2, k->search_speedup[CLOCK_RECORDS]);
    markup_cell(t, 2, k->search_speedup[CLOCK_WALL]);
    text_printf(t, "<td>%s</td>",
                clocks == CLOCKS_AGREE  ? "agree"
                : clocks == CLOCKS_SIZE ? "differ in size"
                                        : "differ in direction");
    markup_cell(t, 3, k->kernel_speedup[SUM_PLAIN]);
    interval_cell(k, false, t);
    markup_cell(t, 3, k->kernel_speedup[SUM_CALLS]);
    markup_cell(t, 3, k->retimed_speedup[SUM_PLAIN]);
    interval_cell(k, true, t);
    markup_cell(t, 3, k->ansor_k_kernel[SUM_PLAIN]);
    markup_cell(t, 2, k->ansor_k_search[CLOCK_WALL]);
    markup_cell(t, 3, k->seed_gain[SUM_PLAIN]);
    markup_cell(t, 2, paper_kernel);
    markup_cell(t, 2, paper_search);
}

static void mean_table(const struct report *r, struct text *t)
{
    const struct table3 *m = &r->table;
    text_printf(t,
                "<section id=\"table\"><h2>Geometric means over %s networks</h2>\n<p>Above 1 favours DPAnsor: Droplet "
                "started from the best of Ansor's first k records of each kernel, against the full Ansor run. ",
                table3_spread(r->arena, m));
    struct search_cost c = search_cost_of(m);
    struct text sentence = {0};
    search_cost_sentence(&c, &sentence);
    markup_text(t, text_str(&sentence));
    text_free(&sentence);
    text_add(t, "</p>\n");
    ratio_head(true, t);
    for (int i = 0; i < m->nk; i++) {
        int at = published_k(r->published, m->ks[i]);
        ratio_row(&m->mean[i], at >= 0 ? r->published->mean_kernel[at] : NAN,
                  at >= 0 ? r->published->mean_search[at] : NAN, t);
        text_printf(t, "<td>%d of %d</td></tr>\n", m->wins[i], m->counted[i]);
    }
    markup_table_end(t);
    text_add(
        t,
        "<p class=\"note\">sum: every distinct kernel once, as the authors count; by calls: as "
        "often as the network calls it; re-timed: the winners measured again in fresh processes, the speedup to go by. "
        "95 %: interval of the kernel speedup before it over seeds, these networks; of one seed over networks, others "
        "like these.");
    if (r->published) {
        text_add(t, " Paper: ");
        markup_text(t, r->published->title);
        text_add(t, ", rebuilt from the authors' released results.");
    }
    text_add(t, "</p>\n");
    mean_confidence_html(r, t);
    text_add(t, "</section>\n");
}

/* ---- the figures ---- */

enum figure_kind { TRADE, BY_K };

static struct chart_series ours(struct arena *a, const struct table3_k *k, int n, enum figure_kind kind)
{
    double *v = ARENA_ARRAY(a, double, 4 * n + 1), *x = v, *y = v + n, *low = v + 2 * n, *high = v + 3 * n;
    const char **labels = ARENA_ARRAY(a, const char *, n + 1);
    bool intervals = false;
    for (int i = 0; i < n; i++) {
        x[i] = kind == TRADE ? k[i].search_speedup[CLOCK_WALL] : (double)k[i].k;
        y[i] = table3_speedup(&k[i]);
        bool known = table3_interval(&k[i], table3_is_retimed(&k[i]), &low[i], &high[i]);
        intervals = intervals || known;
        low[i] = known ? low[i] : (double)NAN;
        labels[i] = arena_printf(a, "k=%lld", (long long)k[i].k);
    }
    return (struct chart_series){.x = x,
                                 .y = y,
                                 .low = intervals ? low : NULL,
                                 .high = intervals ? high : NULL,
                                 .labels = kind == TRADE ? labels : NULL,
                                 .n = n,
                                 .dots = true};
}

static struct chart_series papers(struct arena *a, const struct published *p, enum figure_kind kind)
{
    double *x = ARENA_ARRAY(a, double, p->nk + 1);
    for (int i = 0; i < p->nk; i++)
        x[i] = kind == TRADE ? p->mean_search[i] : (double)p->k[i];
    return (struct chart_series){.name = arena_printf(a, "paper, %s", p->title),
                                 .x = x,
                                 .y = p->mean_kernel,
                                 .n = p->nk,
                                 .colour = 6,
                                 .dashed = true,
                                 .dots = true};
}

static void figure(const struct report *r, enum figure_kind kind, struct text *t)
{
    struct arena *a = r->arena;
    const struct table3 *m = &r->table;
    struct chart_series *s = ARENA_ARRAY(a, struct chart_series, m->nnetworks + 2);
    int n = 0;
    for (int i = 0; i < m->nnetworks; i++) {
        s[n] = ours(a, m->networks[i].k, m->nk, kind);
        s[n].name = m->networks[i].name;
        s[n].labels = NULL;
        s[n].low = kind == TRADE ? NULL : s[n].low;
        s[n].colour = 1 + i % (CHART_COLOURS - 1);
        s[n++].dashed = i >= CHART_COLOURS - 1;
    }
    if (r->published)
        s[n++] = papers(a, r->published, kind);
    s[n] = ours(a, m->mean, m->nk, kind);
    s[n].name = "geometric mean, this machine";
    s[n++].bold = true;
    struct chart c = {
        .title = kind == TRADE
                     ? "Kernel speedup against search speedup (this machine: wall clock; paper: its "
                       "own clock); right is less search, up is faster"
                     : "Kernel speedup by k; bars: 95 % intervals over seeds, of a mean of one seed over networks",
        .x_label = kind == TRADE ? "search speedup (log)" : "k, records of each kernel seen (log)",
        .y_label = "kernel speedup, re-timed (log)",
        .x_log = true,
        .y_log = true,
        .x_one = kind == TRADE,
        .y_one = true,
        .series = s,
        .n = n};
    chart_draw(&c, t);
}

/* ---- networks ---- */

static void network(const struct report *r, const struct table3_network *n, struct text *t)
{
    const struct published_network *p = published_network(r->published, n->name);
    text_add(t, "<h3>");
    markup_text(t, n->name);
    text_printf(t, "</h3>\n<p class=\"note\">%d kernels, %d calls. Ansor: %lld trials, %lld failed", n->kernels,
                n->calls, (long long)n->ansor.trials, (long long)n->ansor.failed);
    if (!n->seeds) {
        text_add(t, "; not finished yet</p>\n");
        return;
    }
    text_printf(
        t, "; search %.1f s on the wall, %.1f s on the paper's clock; kernels %.3f ms (sum), %.3f ms (by calls).</p>\n",
        n->ansor.search_s[CLOCK_WALL], n->ansor.search_s[CLOCK_RECORDS], 1e3 * n->ansor.kernel_s[SUM_PLAIN],
        1e3 * n->ansor.kernel_s[SUM_CALLS]);
    ratio_head(false, t);
    for (int i = 0; i < r->table.nk; i++) {
        int at = published_k(r->published, n->k[i].k);
        ratio_row(&n->k[i], p && at >= 0 ? p->kernel[at] : NAN, p && n->k[i].k == 300 ? p->search : NAN, t);
        text_add(t, "</tr>\n");
    }
    markup_table_end(t);
}

static void table3_sections(const struct report *r, struct text *t)
{
    mean_table(r, t);
    text_add(t, "<section id=\"figures\"><h2>Figures</h2>\n<div class=\"figs\">");
    figure(r, TRADE, t);
    figure(r, BY_K, t);
    text_add(t, "</div></section>\n<section id=\"networks\"><h2>Networks</h2>\n");
    for (int i = 0; i < r->table.nnetworks; i++)
        network(r, &r->table.networks[i], t);
    text_add(t, "</section>\n");
}

/* The tables of the other kinds, as their text form has them; what it says before the first of them wraps, for phones.
 */
static void text_section(const struct report *r, struct text *t)
{
    struct text plain = {0};
    r->kind->text(r, &plain);
    const char *from = text_str(&plain), *to;
    from += strspn(from, "\n");
    to = strstr(from, "\n\n");
    text_add(t, "<section id=\"table\"><h2>Tables</h2>\n<p>");
    if (to)
        markup_text(t, arena_strn(r->arena, from, (size_t)(to - from)));
    text_add(t, "</p>\n<div class=\"scroll\"><pre class=\"plain\">");
    markup_text(t, to ? to + 2 : from);
    text_add(t, "</pre></div></section>\n");
    text_free(&plain);
    confidence_html(r, t);
    pairwises_html(r, t);
    comparison_charts_html(r, t);
}

bool html_report_html(const struct report *r, const char *folder, struct text *t, struct err *err)
{
    head(r, t);
    header(r, t);
    if (html_report_is_table3(r))
        table3_sections(r, t);
    else
        text_section(r, t);
    text_add(t, "<section id=\"curves\"><h2>Best so far</h2>\n<div class=\"figs\">");
    for (int i = 0; i < r->experiment->nnetworks; i++)
        if (!curve_chart_draw(r, r->experiment->networks[i]->name, t, err))
            return false;
    text_add(t, "</div></section>\n");
    time_to_target_html(&r->chase, t);
    if (!html_sections_html(r, folder, t, err) || !provenance_html(r, t, err))
        return false;
    text_add(t, "</body></html>\n");
    return true;
}

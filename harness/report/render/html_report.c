/* SPDX-License-Identifier: Apache-2.0 */
/* html_report: head, style, the summary as cards, and the sections. Nothing of this process or of today goes in (no
 * time, no folder). Words carry a verdict and its colour repeats it. Without its script the page is whole: the script
 * adds sorting, and labels that a keyboard reaches. */
#include "harness/report/render/html_report.h"

#include "harness/report/render/figure.h"
#include "harness/report/render/markup.h"
#include "harness/report/render/report_sections.h"

#include <string.h>

static const char style[] =
    "*{box-sizing:border-box}:root{--ink:#1b1b1b;--paper:#fff;--quiet:#555;--line:#ddd;--shade:#f4f4f4;--link:#0b57a4;"
    "--bad:#b3001b;--badshade:#fdecee;--good:#12652f;--goodshade:#e4f4e9;--open:#6b4a00;--openshade:#fbf1d9}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#161616;--quiet:#a8a8a8;--line:#3a3a3a;"
    "--shade:#222;--link:#7db8f0;--bad:#ff8f8f;--badshade:#3a1a1d;--good:#7fd69a;--goodshade:#14301d;--open:#e8c170;"
    "--openshade:#33290f}figure>svg{filter:invert(.9) hue-rotate(180deg)}}"
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--paper);max-width:64rem;margin:0 auto;padding:1rem;overflow-wrap:break-word}"
    "h1{font-size:1.4rem;line-height:1.25;margin:.2rem 0 .6rem}h2{font-size:1.15rem;margin:1.8rem 0 .4rem}"
    "p,li{max-width:46rem;margin:.4rem 0}.note,caption{color:var(--quiet);font-size:.9rem}"
    ".cards{display:grid;gap:.6rem;grid-template-columns:3fr 2fr;margin:.8rem 0}"
    ".card:first-child p:first-of-type{font-size:1.05rem}"
    ".next{grid-column:1/-1}.q{color:var(--quiet)}a{color:var(--link)}"
    ".verdict{border-radius:.3rem;padding:0 .35rem;font-weight:600;white-space:normal;display:inline-block}"
    ".good{color:var(--good);background:var(--goodshade)}.not{color:var(--bad);background:var(--badshade)}"
    ".open{color:var(--open);background:var(--openshade)}"
    ".card{border:1px solid var(--line);border-radius:.4rem;padding:.6rem .8rem;background:var(--shade)}"
    ".t{display:block;font-size:.8rem;color:var(--quiet);font-weight:600}"
    ".bad{border-color:var(--bad);background:var(--badshade)}.bad .t,.bad td,.bad th,strong{color:var(--bad)}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}dt{color:var(--quiet)}"
    "dd{margin:0;overflow-wrap:anywhere}"
    ".scroll{overflow-x:auto;margin:.5rem 0}table{border-collapse:collapse;font-size:.875rem;"
    "font-variant-numeric:tabular-nums}caption{text-align:left;padding:.2rem 0}"
    "th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}"
    "thead th{font-weight:600;vertical-align:bottom;line-height:1.2}tbody "
    "th{font-weight:400}td,th.l{white-space:nowrap}"
    "th button{font:inherit;color:inherit;background:none;border:0;padding:0;text-align:inherit;cursor:pointer}"
    "th[aria-sort=ascending] button::after{content:' \\25B2'}th[aria-sort=descending] button::after{content:' \\25BC'}"
    ":focus-visible{outline:2px solid var(--link);outline-offset:1px}"
    ".p{fill:transparent;stroke:none}.p:hover,.p:focus{stroke:var(--link);stroke-width:2;outline:0}"
    "svg rect,svg text{stroke:none}svg text{font-family:sans-serif}svg g:not([fill])>text{fill:currentColor}"
    "#tip{position:fixed;left:.5rem;right:.5rem;bottom:.5rem;margin:auto;width:fit-content;max-width:40rem;"
    "padding:.3rem .6rem;border:1px solid var(--line);border-radius:.3rem;background:var(--paper);color:var(--ink)}"
    "#tip[hidden]{display:none}"
    "th.l,td.l{text-align:left}th.w,td.w,tr.more td{white-space:normal}td.w,th.w{min-width:14rem}"
    "tr.more td{text-align:left;color:var(--quiet);padding-bottom:.5rem}.noted tr:not(.more)>*{border-bottom:0}"
    "tr.group th{text-align:left;font-weight:600;background:var(--shade)}.unit{font-weight:400;color:var(--quiet)}"
    "details{border-top:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer;font-weight:600;padding:.2rem 0}"
    "figure{margin:.6rem 0;background:var(--paper);border:1px solid var(--line);border-radius:.4rem;padding:.4rem;"
    "max-width:48rem}figure>svg{width:100%;height:auto;display:block}";
static const char style_media[] =
    "@media(max-width:40rem){body{padding:.6rem;font-size:15px}.cards{grid-template-columns:1fr}dl{grid-template-"
    "columns:1fr;gap:0}dt{margin-top:.4rem}"
    "th,td{padding:.2rem .3rem}section table{font-size:.75rem}td.l,th.l{white-space:normal}section th,section "
    "td{padding:.2rem .15rem}}"
    "@media print{#tip{display:none}@page{size:A4;margin:14mm}body{max-width:none;padding:0;font-size:10pt}"
    "table{font-size:7.5pt}th,td{padding:.1rem .25rem}td,td.w{white-space:normal;min-width:0}.scroll{overflow:visible}"
    "details::details-content{content-visibility:visible;display:block}details>*{display:block}"
    "h2,summary{break-after:avoid}tr,figure{break-inside:avoid}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

/* Headers become buttons that sort the rows of each group, what stands below a row with it. The points of a figure are
 * one stop of the keyboard, with arrows between them; a label is shown on focus and hidden by Escape. The last line
 * marks that all of it ran. */
static const char script[] =
    "(()=>{const "
    "all=(s,e=document)=>[...e.querySelectorAll(s)],tip=document.body.appendChild(document.createElement('div'));"
    "tip.id='tip';tip.hidden=true;tip.setAttribute('role','status');"
    "const value=(row,i)=>{const c=row.cells[i],s=c?c.textContent.trim():'';const "
    "n=parseFloat(s.replace(/^[^\\d.-]+(?=[\\d.])/,''));"
    "return{s,n,none:s===''||s==='\u2013'}};"
    "all('table').forEach(t=>{const heads=all('thead th',t);heads.forEach((h,i)=>{"
    "if(t.tBodies.length===1&&all('tr:not(.more)',t.tBodies[0]).length<2)return;"
    "const b=document.createElement('button');b.type='button';b.append(...h.childNodes);h.append(b);"
    "b.onclick=()=>{const down=h.getAttribute('aria-sort')==='ascending',text=h.classList.contains('l');"
    "heads.forEach(x=>x.removeAttribute('aria-sort'));h.setAttribute('aria-sort',down?'descending':'ascending');"
    "[...t.tBodies].forEach(body=>{const rows=[];[...body.rows].forEach(r=>{if(r.className==='group')return;"
    "r.classList.contains('more')&&rows.length?rows[rows.length-1].push(r):rows.push([r])});"
    "rows.sort((a,b)=>{const x=value(a[0],i),y=value(b[0],i);if(x.none||y.none)return x.none-y.none;"
    "const d=!text&&!isNaN(x.n)&&!isNaN(y.n)?x.n-y.n:x.s.localeCompare(y.s,'en',{numeric:true});return down?-d:d});"
    "rows.flat().forEach(r=>body.append(r))})}})});"
    "const show=e=>{const w=e.target.closest?.('.p,th[title]');tip.hidden=!w;if(w)tip.textContent=w.matches('.p')?"
    "w.querySelector('title').textContent:w.title};"
    "document.addEventListener('focusin',show);document.addEventListener('focusout',()=>tip.hidden=true);"
    "all('figure>svg').forEach(f=>{const points=all('.p',f);if(!points.length)return;f.setAttribute('role','group');"
    "all('text',f).forEach(t=>t.setAttribute('aria-hidden','true'));"
    "points.forEach((p,i)=>{p.setAttribute('tabindex',i?-1:0);p.setAttribute('role','img');"
    "p.setAttribute('aria-label',p.querySelector('title').textContent);p.onclick=()=>p.focus();"
    "p.onkeydown=e=>{const d={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1}[e.key];if(!d)return;e.preventDefault();"
    "const q=points[(i+d+points.length)%points.length];p.tabIndex=-1;q.tabIndex=0;q.focus()}})});"
    "document.addEventListener('keydown',e=>{if(e.key==='Escape')tip.hidden=true});"
    "document.documentElement.dataset.script='ran'})()";

/* Words between two pieces of markup. */
static void tagged(struct text *t, const char *before, const char *words, const char *after)
{
    text_add(t, before);
    markup_text(t, words);
    text_add(t, after);
}

void html_report_head(struct text *t, const char *title)
{
    text_add(t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                "content=\"width=device-width,initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light "
                "dark\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src "
                "'unsafe-inline';script-src 'unsafe-inline'\"/>\n");
    tagged(t, "<title>", title, "</title>\n");
    text_printf(t, "<style>%s%s</style></head>\n<body>\n", style, style_media);
}

/* A paragraph a sentence; what stands in brackets is quiet. */
static void sentences(struct arena *a, const char *at, struct text *t)
{
    int depth = 0;
    text_add(t, "<p>");
    while (*at) {
        size_t n = strcspn(at, "().");
        markup_text(t, arena_strn(a, at, n));
        at += n;
        text_add(t, *at == '(' && depth++ == 0 ? "<span class=\"q\">" : "");
        text_addn(t, at, *at != 0);
        text_add(t, *at == ')' && depth == 1 ? "</span>" : "");
        depth -= *at == ')' && depth > 0;
        text_add(t, *at == '.' && at[1] == ' ' && !depth ? "</p>\n<p>" : "");
        at += *at != 0;
    }
    text_add(t, depth ? "</span></p>" : "</p>");
}

static void card(const struct document *d, const char *kind, const char *title, const char *words, struct text *t)
{
    text_printf(t, "<div class=\"card%s\"><span class=\"t\">%s</span>", kind, title);
    sentences(d->a, words, t);
    text_add(t, "</div>\n");
}

/* The class of the colour of a verdict, or of what document_standing says. */
static const char *colour_of(const char *verdict)
{
    static const char *const begins[][2] = {{"NOT MEASURED", "open"}, {"NOT JUDGED", "open"}, {"NO", "not"},
                                            {"INVALID", "not"},       {"SIZE", "not"},        {"TRANSFERRED", "good"},
                                            {"REPRODUCED", "good"},   {"VALID FOR", "open"},  {"VALID", "good"}};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (str_starts(verdict, begins[i][0]))
            return begins[i][1];
    return "open";
}

static void header(const struct document *d, struct text *t)
{
    const char *standing = document_standing(d);
    bool stands = !str_eq(standing, "INVALID");
    tagged(t, "<header><h1>", d->title, "</h1>\n");
    tagged(t, "<p class=\"note\">", arena_printf(d->a, "%s%s%s", d->experiment, *d->tier ? ", tier " : "", d->tier),
           "</p>\n<div class=\"cards\">\n");
    card(d, "", stands ? "What was found" : "As measured", d->found, t);
    card(d, stands ? "" : " bad",
         arena_printf(d->a, "Whether to believe it: <span class=\"verdict %s\">%s</span>", colour_of(standing),
                      standing),
         d->validity, t);
    card(d, " next", "What next", d->next + (str_starts(d->next, "Next: ") ? 6 : 0), t);
    text_add(t, "</div>\n");
    if (d->missing)
        tagged(t, "<p><b>NOT COMPLETE</b>: ", d->missing, "</p>\n");
    text_add(t, "</header>\n");
}

/* ---- grids ---- */

static void grid_head(const struct grid *g, struct text *t)
{
    text_printf(t, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table%s>",
                g->notes ? " class=\"noted\"" : "");
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
    text_add(t, "</tr></thead>\n");
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

/* The first column heads its row. HTML lets the ends of cells and rows be left out: large tables stay a tenth smaller.
 */
static void print_cell(const struct grid *g, int row, int c, struct text *t)
{
    const char *cell = g->cells[row * g->ncolumns + c];
    text_add(t, c ? "<td" : "<th scope=\"row\"");
    text_add(t, !g->columns[c].is_text ? ">" : is_long(g, c) ? " class=\"l w\">" : " class=\"l\">");
    if (cell && str_eq(g->columns[c].head, "verdict")) {
        text_printf(t, "<span class=\"verdict %s\">", colour_of(cell));
        tagged(t, "", cell, "</span>");
    } else if (cell) {
        markup_text(t, cell);
    } else {
        text_add(t, "&#8211;");
    }
}

static void print_grid(const struct grid *g, struct text *t)
{
    grid_head(g, t);
    for (int r = 0; r < g->nrows; r++) {
        text_add(t, r == 0 ? "<tbody>\n" : g->groups[r] ? "</tbody><tbody>\n" : "");
        if (g->groups[r]) {
            text_printf(t, "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%d", g->ncolumns);
            tagged(t, "\">", g->groups[r], "</th></tr>\n");
        }
        text_add(t, g->bad[r] ? "<tr class=\"bad\">" : "<tr>");
        for (int c = 0; c < g->ncolumns; c++)
            print_cell(g, r, c, t);
        text_add(t, "\n");
        if (g->notes && g->notes[r]) {
            text_printf(t, "<tr class=\"more\"><td colspan=\"%d", g->ncolumns);
            tagged(t, "\">", g->notes[r], "\n");
        }
    }
    text_add(t, "</tbody></table></div>\n");
}

/* ---- sections ---- */

static void print_figure(const struct document *d, const struct report_section *s, const char *plots, struct text *t)
{
    struct err why = {0};
    struct text svg = {0};
    if (figure_inline(d, s->figure, plots, &svg, &why)) {
        text_printf(t, "<figure role=\"group\" aria-labelledby=\"%s-caption\">", s->figure);
        text_addn(t, text_str(&svg), svg.len);
        text_printf(t, "<figcaption class=\"note\" id=\"%s-caption\">", s->figure);
        tagged(t, "", s->nparagraphs ? s->paragraphs[0] : s->title, "</figcaption></figure>\n");
    } else {
        tagged(t, "<p class=\"note\">", why.text, ".</p>\n");
    }
    text_free(&svg);
}

static void print_section(const struct document *d, const struct report_section *s, const char *plots, struct text *t)
{
    text_printf(t, "<%s id=\"%s\">", s->folded ? "details" : "section", s->id);
    tagged(t, s->folded ? "<summary>" : "<h2>", s->title, s->folded ? "</summary>\n" : "</h2>\n");
    bool first = !s->folded && !s->bad; /* the table, and then what its words mean */
    for (int i = 0; i < s->ngrids && first; i++)
        print_grid(&s->grids[i], t);
    for (int i = s->figure != NULL; i < s->nparagraphs; i++) { /* the first is the caption of a figure */
        bool bad = i == 0 && s->bad;
        tagged(t,
               bad     ? "<p><strong>"
               : first ? "<p class=\"note\">"
                       : "<p>",
               s->paragraphs[i], bad ? "</strong></p>\n" : "</p>\n");
    }
    if (s->figure)
        print_figure(d, s, plots, t);
    for (int i = 0; i < s->ngrids && !first; i++)
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
    html_report_head(t, arena_printf(d->a, "%s %s: raingauge", d->experiment, d->tier));
    header(d, t);
    for (int i = 0; i < s.n; i++)
        if (!s.at[i].folded)
            print_section(d, &s.at[i], plots, t);
    about(d, t);
    for (int i = 0; i < s.n; i++)
        if (s.at[i].folded)
            print_section(d, &s.at[i], plots, t);
    text_printf(t, "<script>%s</script></body></html>\n", script);
}

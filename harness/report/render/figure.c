/* SPDX-License-Identifier: Apache-2.0 */
/* figure: gnuplot is started without a shell and without the user's start-up file. For a page it works in a temporary
 * folder. */
#include "harness/report/render/figure.h"

#include "harness/base/file.h"
#include "harness/base/process.h"
#include "harness/report/render/figure_data.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that begins with '<' or '|' would be a command to gnuplot. */
static char *plain_path(struct arena *a, const char *path)
{
    return *path == '/' ? arena_str(a, path) : arena_printf(a, "./%s", path);
}

struct figure_files {
    const char *script; /* plots/<stem>.gp */
    const char *data;
    const char *out; /* gnuplot writes <out>.svg, and <out>.png unless svg_only */
    const char *heading;
    const char *stamp;   /* written large and light across the figure; "": nothing */
    int coloured, paper; /* blocks of the data that are coloured, and then published; the rest is grey */
    int panels;          /* each has a block for its name and the coloured ones; 0: one panel */
    bool page;           /* SVG alone, without title, with labels to the points */
};

/* Paths and words reach gnuplot as arguments (ARG1 ...), so they may hold anything. false: there is no gnuplot, or it
 * failed. */
static bool figure_draw(struct arena *a, const struct figure_files *f, struct err *err)
{
    struct process gnuplot;
    const char *const argv[] = {"gnuplot",
                                "-d",
                                "-c",
                                plain_path(a, f->script),
                                plain_path(a, f->data),
                                plain_path(a, f->out),
                                f->heading,
                                plain_path(a, file_folder(a, f->script)),
                                f->stamp,
                                arena_printf(a, "%d", f->coloured),
                                arena_printf(a, "%d", f->paper),
                                arena_printf(a, "%d", f->panels),
                                f->page ? "page" : "svg png",
                                NULL};
    if (process_run(&(struct process_spec){.argv = argv}, INFINITY, &gnuplot, err))
        return true;
    return gnuplot.state == PROCESS_NOT_STARTED ? err_set(err, "no figure: gnuplot is not installed")
                                                : err_set(err, "no figure: gnuplot failed on '%s'", f->script);
}

/* ---- of a document ---- */

static char *script_of(const struct document *d, const char *name, const char *plots)
{
    bool curves = str_eq(name, "curves");
    char *own = file_join(d->a, plots, arena_printf(d->a, "%s.gp", curves ? name : d->experiment));
    return curves || file_exists(own) ? own
                                      : file_join(d->a, plots, arena_printf(d->a, "%s.gp", figure_script(d, name)));
}

/* out: without the suffix. */
static bool draw(const struct document *d, const char *name, const char *plots, const char *data, const char *out,
                 bool page, struct err *err)
{
    struct figure_data made;
    const char *standing = document_standing(d);
    struct figure_files f = {.script = script_of(d, name, plots),
                             .data = data,
                             .out = out,
                             .heading = page       ? ""
                                        : *d->tier ? arena_printf(d->a, "%s %s", d->experiment, d->tier)
                                                   : d->experiment,
                             .stamp = str_eq(standing, "VALID") ? "" : standing,
                             .page = page};
    figure_data_make(d, name, &made);
    f.coloured = made.coloured;
    f.paper = made.paper;
    f.panels = made.panels;
    bool fine = made.points || err_set(err, "no figure: there is nothing to draw yet");
    fine = fine && file_write(data, text_str(&made.text), made.text.len, err);
    text_free(&made.text);
    if (!fine)
        return false;
    if (!file_exists(f.script))
        return err_set(err, "no figure: there is no '%s'", f.script);
    return figure_draw(d->a, &f, err);
}

bool figure_write(const struct document *d, const char *name, const char *dir, const char *plots, struct err *err)
{
    bool curves = str_eq(name, "curves");
    char *stem = file_join(d->a, dir, curves ? arena_printf(d->a, "%s-curves", d->experiment) : d->experiment);
    return draw(d, name, plots, file_join(d->a, dir, arena_printf(d->a, "%s.dat", name)), stem, false, err);
}

/* ---- in a page ---- */

/* Copies a tag or text from *at, with a prefix in the names that a page must not hold twice. */
static const char *prefixed(const char *at, const char *prefix, struct text *out)
{
    static const char *const names[] = {" id=\"", " id='", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_starts(at, names[i])) {
            text_printf(out, "%s%s-", names[i], prefix);
            return at + strlen(names[i]);
        }
    text_char(out, *at);
    return at + 1;
}

#define BASE " fill=\"none\" color=\"black\"" /* of most groups: the whole figure has it */
#define LINE " stroke=\"currentColor\" stroke-width=\"1"

/* Past what says nothing: a group without content, attributes as they are anyway, names that nothing asks for; at
 * itself if it says something. */
static const char *past_nothing(const char *at)
{
    static const char *const defaults[] = {BASE,
                                           (LINE ".00\""),
                                           " stroke-linecap=\"butt\"",
                                           " stroke-linejoin=\"miter\"",
                                           " stroke=\"none\" fill=\"black\"",
                                           " font-family=\"Helvetica\"",
                                           " class=\"gridline\""};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (str_starts(at, defaults[i]))
            return at + strlen(defaults[i]);
    if (str_starts(at, " id=\"gnuplot_plot_"))
        return at + strlen(" id=\"") + strcspn(at + strlen(" id=\""), "\"") + 1;
    const char *end = str_starts(at, "<g ") ? strchr(at, '>') : NULL;
    const char *next = end ? end + 1 + strspn(end + 1, "\n\t ") : "";
    return str_starts(next, "</g>") ? next + 4 : at;
}

/* Copies a number of a tag; lengths, which have two decimals, with one: a twentieth of a unit is not seen. */
static const char *number(const char *at, struct text *out)
{
    char *end;
    size_t whole = strspn(at, "0123456789"), decimals = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
    if (decimals != 2) {
        text_addn(out, at, whole + (decimals ? decimals + 1 : 0));
        return at + whole + (decimals ? decimals + 1 : 0);
    }
    char one[32];
    snprintf(one, sizeof one, "%.1f", strtod(at, &end));
    text_addn(out, one, strlen(one) - (str_ends(one, ".0") ? 2 : 0));
    return end;
}

/* The way from one point to another, in tenths of a unit; letter M: where a line begins, absolute. */
static void put_way(const long from[2], const long to[2], char letter, struct text *out)
{
    double x = 0.1 * (double)(to[0] - from[0]), y = 0.1 * (double)(to[1] - from[1]);
    if (letter == 'M')
        text_printf(out, "M%.10g,%.10g", 0.1 * (double)to[0], 0.1 * (double)to[1]);
    else if (from[1] == to[1])
        text_printf(out, "h%.10g", x);
    else if (from[0] == to[0])
        text_printf(out, "v%.10g", y);
    else
        text_printf(out, "l%.10g,%.10g", x, y);
}

/* Is the middle one of three points on the straight way from the first to the last? */
static bool is_between(const long first[2], const long middle[2], const long last[2])
{
    long x1 = middle[0] - first[0], y1 = middle[1] - first[1], x2 = last[0] - middle[0], y2 = last[1] - middle[1];
    return x1 * y2 == y1 * x2 && x1 * x2 + y1 * y2 >= 0;
}

#define AREA " points = '"

/* Copies a line or an area without the points on the straight way from the one before to the next, which steps have
 * many of; at itself where it is neither, or has other than points. */
static const char *outline(const char *at, struct text *out)
{
    bool area = str_starts(at, AREA);
    const char *p = at + (area                      ? strlen(AREA)
                          : str_starts(at, " d='M") ? strlen(" d='")
                                                    : 0),
               *end = p == at || p[strspn(p, "ML-.0123456789, \n\t")] != '\'' ? NULL : strchr(p, '\'');
    long last[2] = {0}, held[2] = {0}; /* written, and not yet */
    char letter = 0;                   /* of the one that is held */
    if (!end)
        return at;
    text_add(out, " d='");
    for (p += strspn(p, " \n\t"); p < end; p += strspn(p, " \n\t")) {
        char *next, to = area ? (letter ? 'L' : 'M') : *p++;
        long point[2] = {lround(10 * strtod(p, &next))};
        point[1] = lround(10 * strtod(next + 1, &next));
        p = next;
        bool straight = letter == 'L' && to == 'L' && is_between(last, held, point);
        if (letter && !straight) {
            put_way(last, held, letter, out);
            memcpy(last, held, sizeof last);
        }
        letter = to;
        memcpy(held, point, sizeof held);
    }
    put_way(last, held, letter, out);
    text_add(out, area ? "z" : "");
    return end;
}

#define HYPERTEXT "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'"

/* A point with gnuplot's script to show its label becomes one with a title; at itself where there is none. */
static const char *labelled(const char *at, struct text *out)
{
    const char *label = at + strlen(HYPERTEXT), *end = str_starts(at, HYPERTEXT) ? strstr(label, "')\"") : NULL,
               *place = end ? strstr(end, "translate(") : NULL, *past = place ? strstr(place, "</g>") : NULL;
    char *y;
    if (!past)
        return at;
    double x = strtod(place + strlen("translate("), &y);
    text_printf(out, "<circle class=\"p\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"><title>", x, strtod(y + 1, NULL));
    text_addn(out, label, (size_t)(end - label));
    text_add(out, "</title></circle>");
    return past + strlen("</g>");
}

/* From its view box on: what stands before that is of a file of its own, titles name the version, white space between
 * elements says nothing. In a tag it separates numbers. */
static void scrub(const char *svg, const char *prefix, struct text *out)
{
    const char *box = strstr(svg, "viewBox=\""), *at = box ? strchr(box, '>') : NULL;
    bool tag = true;
    if (!at)
        return;
    text_printf(out, "<svg role=\"img\" aria-labelledby=\"%s-caption\" ", prefix);
    text_addn(out, box, strcspn(box + 9, "\"") + 10);
    text_add(out, BASE LINE "\"");
    while (*at) {
        const char *end = str_starts(at, "<desc>") ? "</desc>" : str_starts(at, "<title>") ? "</title>" : NULL;
        const char *past = labelled(at, out);
        if (past != at) {
            at = past;
            tag = false;
            continue;
        }
        if (str_starts(at, "<polygon")) {
            text_add(out, "<path");
            at += strlen("<polygon");
            tag = true;
        }
        at = tag ? outline(at, out) : at;
        tag = *at == '<' || (tag && *at != '>');
        if (end && strstr(at, end)) {
            at = strstr(at, end) + strlen(end);
            tag = false;
        } else if (*at == '\n' || *at == '\t') {
            at += strspn(at, "\n\t ");
            text_add(out, tag ? " " : "");
        } else if (past_nothing(at) != at) {
            tag = tag && *at != '<';
            at = past_nothing(at);
        } else if (tag && *at >= '0' && *at <= '9' && (at[-1] < 'A' || at[-1] == 'L' || at[-1] == 'M'))
            at = number(at, out);
        else if (tag && *at == ' ' && strchr(" ,(", at[-1]))
            at++;
        else
            at = prefixed(at, prefix, out);
    }
}

bool figure_inline(const struct document *d, const char *name, const char *plots, struct text *out, struct err *err)
{
    const char *base = getenv("TMPDIR");
    char *dir = file_join(d->a, base && *base ? base : "/tmp", "raingauge-figure-XXXXXX"), *svg;
    size_t n;
    if (!mkdtemp(dir))
        return err_set(err, "no figure: cannot make '%s': %s", dir, strerror(errno));
    char *stem = file_join(d->a, dir, name), *data = arena_printf(d->a, "%s.dat", stem),
         *path = arena_printf(d->a, "%s.svg", stem);
    bool fine = draw(d, name, plots, data, stem, true, err) && file_read(d->a, path, 64 << 20, &svg, &n, err);
    if (fine)
        scrub(svg, name, out);
    unlink(data);
    unlink(path);
    rmdir(dir);
    return fine;
}

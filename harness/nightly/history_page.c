/* SPDX-License-Identifier: Apache-2.0 */
/* history_page: a figure's height is logarithmic in time, its width goes by the numbers of nights. A word on every mark
 * is in its title, which browsers show at the pointer. */
#include "harness/nightly/history_page.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/nightly/level_steps.h"
#include "harness/nightly/machine_changes.h"
#include "harness/report/render/html_report.h"
#include "harness/report/render/markup.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 150, LEFT = 70, RIGHT = 700, TOP = 24, BOTTOM = 130 };

struct machine_nights { /* of one machine file, whole ones, in order */
    struct arena *a;
    struct night *all;
    int n;
    const char **changes; /* of the machine since the night before; "": none */
    bool *moved;          /* its hardware is another than in the night before */
};

static const char *day(struct arena *a, const struct night *n)
{
    char date[32];
    clock_iso(n->begun_unix, date);
    return arena_printf(a, "night %lld, %.10s", (long long)n->number, date);
}

static void read_changes(struct machine_nights *m)
{
    m->changes = ARENA_ARRAY(m->a, const char *, m->n);
    m->moved = ARENA_ARRAY(m->a, bool, m->n);
    for (int i = 0; i < m->n; i++) {
        struct text t = {0};
        if (i)
            machine_changes(&m->all[i - 1], &m->all[i], &t);
        m->moved[i] = i && !str_eq(m->all[i - 1].identity, m->all[i].identity);
        m->changes[i] = text_keep(&t, m->a);
    }
}

/* ---- one series ---- */

struct scale {
    double first, last, low, high; /* numbers of nights; seconds */
};

static double across(const struct scale *s, const struct night *n)
{
    double span = s->last > s->first ? s->last - s->first : 1;
    return LEFT + (RIGHT - LEFT) * ((double)n->number - s->first) / span;
}

static double down(const struct scale *s, double seconds)
{
    return TOP + (BOTTOM - TOP) * (1 - log(seconds / s->low) / log(s->high / s->low));
}

static struct scale scale_of(const struct machine_nights *m, const struct level_history *l)
{
    struct scale s = {(double)m->all[0].number, (double)m->all[m->n - 1].number, INFINITY, 0};
    for (int i = 0; i < l->n; i++) {
        s.low = fmin(s.low, l->levels[i]);
        s.high = fmax(s.high, l->levels[i]);
    }
    double widen = fmax(1.02, sqrt(1.1 * s.low / s.high)); /* at least 10 % are seen */
    s.low /= widen;
    s.high *= widen;
    return s;
}

static void title(struct text *t, const char *words)
{
    text_add(t, "<title>");
    markup_text(t, words);
    text_add(t, "</title>");
}

static void upright(struct text *t, double x, const char *style, const char *words)
{
    text_printf(t, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke-width=\"2\" %s>", x, x, TOP, BOTTOM,
                style);
    title(t, words);
    text_add(t, "</line>\n");
}

static void draw_changes(const struct machine_nights *m, const struct scale *s, struct text *t)
{
    for (int i = 0; i < m->n; i++) {
        const struct night *n = &m->all[i];
        double x = across(s, n) - 3;
        if (*m->changes[i])
            upright(t, x, m->moved[i] ? "stroke=\"#d08000\"" : "stroke=\"#d08000\" stroke-dasharray=\"2 3\"",
                    arena_printf(m->a, "%s: %s: %s", day(m->a, n),
                                 m->moved[i] ? "other hardware" : "the machine changed", m->changes[i]));
        if (n->accepted)
            upright(t, x, "stroke=\"#909090\"", arena_printf(m->a, "%s, accepted: %s", day(m->a, n), n->accepted));
    }
}

static void draw_nights(const struct machine_nights *m, const struct level_history *l, const struct scale *s,
                        struct text *t)
{
    static const struct {
        const char *state, *colour;
    } COLOURS[] = {{NIGHT_GOOD, "#1f6fb4"}, {"confirmed", "#c00000"}, {"machine changed", "#d08000"}};
    for (int i = 0; i < l->n; i++) {
        const char *colour = "#606060";
        for (size_t k = 0; k < sizeof COLOURS / sizeof *COLOURS; k++)
            colour = str_eq(l->nights[i]->state, COLOURS[k].state) ? COLOURS[k].colour : colour;
        text_printf(t, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\">", across(s, l->nights[i]),
                    down(s, l->levels[i]), colour);
        title(t,
              arena_printf(m->a, "%s: %.5g ms, %s", day(m->a, l->nights[i]), 1e3 * l->levels[i], l->nights[i]->state));
        text_add(t, "</circle>\n");
    }
}

/* The level of each part between two steps, and over each step its ratio. */
static void draw_steps(const struct level_history *l, const struct scale *s, struct text *t)
{
    for (int i = 0, from = 0, step = 0; i < l->n; i++) {
        bool ends = step < l->nsteps && i + 1 == l->steps[step].at;
        if (!ends && i + 1 < l->n && level_comparable(l->nights[i], l->nights[i + 1]))
            continue;
        double y = down(s, summary_geomean(l->levels + from, i + 1 - from));
        text_printf(t, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#808080\"/>\n",
                    across(s, l->nights[from]), across(s, l->nights[i]), y, y);
        if (ends)
            text_printf(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">&#9660; %.3f</text>\n",
                        across(s, l->nights[i + 1]), TOP - 8, l->steps[step++].ratio);
        from = i + 1;
    }
}

/* What else was new in the nights from a step's last night before it to its first one. */
static const char *cause(const struct machine_nights *m, const struct night *before, const struct night *after)
{
    for (const struct night *n = before + 1; n <= after; n++)
        if (*m->changes[n - m->all])
            return arena_printf(m->a, "the machine changed: %s", m->changes[n - m->all]);
    return str_eq(before->binary, after->binary)
               ? "the same binary on a machine without a change that raingauge can see"
               : arena_printf(m->a, "another binary: %s is now %s", before->revision, after->revision);
}

static void print_series(const struct machine_nights *m, const struct level_history *l, struct text *t)
{
    struct scale s = scale_of(m, l);
    text_add(t, "<h3>");
    markup_text(t, l->series);
    text_printf(t,
                "</h3>\n<figure><svg role=\"img\" viewBox=\"0 0 %d %d\" font-size=\"11\" "
                "font-family=\"sans-serif\">\n<text x=\"2\" y=\"%d\">%.4g ms</text><text x=\"2\" y=\"%d\">%.4g "
                "ms</text>\n",
                WIDTH, HEIGHT, TOP + 4, 1e3 * s.high, BOTTOM, 1e3 * s.low);
    draw_changes(m, &s, t);
    draw_steps(l, &s, t);
    draw_nights(m, l, &s, t);
    text_add(t, "</svg></figure>\n<ul>\n");
    for (int i = 0; i < l->nsteps; i++) {
        const struct level_step *step = &l->steps[i];
        text_printf(t, "<li>From %s on %.4f of the time before (p %.2g); ", day(m->a, l->nights[step->at]), step->ratio,
                    step->p);
        markup_text(t, cause(m, l->nights[step->at - 1], l->nights[step->at]));
        text_add(t, ".</li>\n");
    }
    text_add(t, l->nsteps ? "</ul>\n" : "<li>No change point.</li></ul>\n");
}

/* ---- one machine file ---- */

/* Its processor and the compilers of programs and of raingauge, as far as they are known. */
static const char *description(struct arena *a, const struct night *n)
{
    struct err ignored = {0};
    cJSON *identity = json_parse(n->identity, strlen(n->identity), "identity", &ignored),
          *environment = json_parse(n->environment, strlen(n->environment), "environment", &ignored);
    const cJSON *versions = json_get(environment, "versions");
    const char *words = arena_printf(a, "%s, LLVM %s, built by %s", json_str(identity, "cpu", "unknown processor"),
                                     json_str(versions, "llvm", "unknown"), json_str(versions, "compiler", "unknown"));
    cJSON_Delete(identity);
    cJSON_Delete(environment);
    return words;
}

static void print_machine(const struct machine_nights *m, struct text *t)
{
    const struct night *last = &m->all[m->n - 1];
    text_add(t, "<h2>machine ");
    markup_text(t, last->machine);
    text_printf(t, "</h2>\n<p>%d whole nights, from %s to %s.</p>\n<ul>\n<li>%s: ", m->n, day(m->a, &m->all[0]),
                day(m->a, last), day(m->a, &m->all[0]));
    markup_text(t, description(m->a, &m->all[0]));
    text_add(t, "</li>\n");
    for (int i = 1; i < m->n; i++) {
        if (!*m->changes[i])
            continue;
        text_printf(t, "<li>%s: %s: ", day(m->a, &m->all[i]),
                    m->moved[i] ? "<b>other hardware</b>, earlier times are not compared" : "the machine changed");
        markup_text(t, m->changes[i]);
        text_add(t, "</li>\n");
    }
    text_add(t, "</ul>\n");
}

static bool add_machine(struct machine_nights *m, struct history *h, struct text *out, struct err *err)
{
    struct level_history *levels;
    int n;
    read_changes(m);
    if (!level_steps_read(m->a, h, m->all, m->n, &levels, &n, err))
        return false;
    print_machine(m, out);
    for (int i = 0; i < n; i++)
        if (levels[i].n)
            print_series(m, &levels[i], out);
    return true;
}

static bool print_page(struct arena *a, struct history *h, const char *machine, struct text *out, struct err *err)
{
    struct night *all;
    int n;
    bool fine = history_nights(h, a, machine, &all, &n, err);
    html_report_head(out, "raingauge nightly");
    text_add(out,
             "<h1>raingauge nightly</h1>\n<p>Times of each series, night by night, up is slower. Blue: good; "
             "red: confirmed slower; orange: the machine changed; grey: not confirmed or not judged. An orange "
             "line: the machine has changed, dashed when its hardware is the same. A grey line: an accepted night. "
             "&#9660;: a change point, with its ratio.</p>\n");
    for (int i = 0; fine && i < n; i++) {
        bool seen = false;
        for (int k = 0; k < i && !seen; k++)
            seen = str_eq(all[k].machine, all[i].machine);
        struct machine_nights m = {.a = a, .all = ARENA_ARRAY(a, struct night, n)};
        for (int k = i; k < n && !seen; k++)
            if (str_eq(all[k].machine, all[i].machine) && night_is_whole(&all[k]))
                m.all[m.n++] = all[k];
        fine = m.n == 0 || add_machine(&m, h, out, err);
    }
    text_add(out, "</body></html>\n");
    return fine;
}

bool history_page_write(struct arena *a, struct history *h, const char *machine, const char *path, struct err *err)
{
    struct text t = {0};
    bool fine = print_page(a, h, machine, &t, err) && file_write(path, text_str(&t), t.len, err);
    text_free(&t);
    return fine;
}

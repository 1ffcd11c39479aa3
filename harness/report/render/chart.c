/* SPDX-License-Identifier: Apache-2.0 */
/* chart: everything is drawn in a box of 480 by 300 units, which a phone shows at three quarters of its size; so texts
 * are 11 units high. Coordinates have one digit: what would not move the pen is left out. */
#include "harness/report/render/chart.h"

#include "harness/report/render/markup.h"

#include <math.h>

enum { WIDTH = 480, HEIGHT = 300, LEFT = 52, RIGHT = 468, TOP = 12, BOTTOM = 252 };

#define BAR_FACTOR 1.5 /* as in plots/exploiters.gp */

struct axis {
    double low, high;
    bool is_log;
};
struct frame {
    struct axis x, y;
    struct text *t;
};

/* ---- axes ---- */

static int log_ticks(double low, double high, const double *steps, int nsteps, double *out)
{
    int n = 0;
    for (int e = (int)floor(log10(low)) - 1; e <= (int)ceil(log10(high)); e++)
        for (int i = 0; i < nsteps; i++) {
            double v = steps[i] * pow(10, e);
            if (v < low * (1 - 1e-9) || v > high * (1 + 1e-9))
                continue;
            if (n == CHART_TICKS)
                return CHART_TICKS + 1;
            out[n++] = v;
        }
    return n;
}

static int even_ticks(double low, double high, double *out)
{
    double raw = (high - low) / 5, unit = pow(10, floor(log10(raw))), step = unit * 10;
    int n = 0;
    for (int i = 3; i > 0; i--)
        if (unit * (i == 3 ? 5 : i) >= raw)
            step = unit * (i == 3 ? 5 : i);
    for (double v = ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step && n < CHART_TICKS; v += step)
        out[n++] = fabs(v) < 1e-9 * step ? 0 : v;
    return n;
}

int chart_ticks(double low, double high, bool is_log, double *out)
{
    static const double steps[][6] = {{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}};
    static const int counts[] = {1, 2, 3, 6};
    if (!(high > low))
        return 0;
    for (int i = 0; i < 4 && is_log; i++) {
        int n = log_ticks(low, high, steps[i], counts[i], out);
        if (n >= 4 && n <= 9)
            return n;
    }
    return even_ticks(low, high, out);
}

static bool fits(const struct axis *a, double v)
{
    return isfinite(v) && (!a->is_log || v > 0);
}

static void widen(struct axis *a, double v)
{
    if (!fits(a, v))
        return;
    a->low = v < a->low ? v : a->low;
    a->high = v > a->high ? v : a->high;
}

static void pad(struct axis *a, double part)
{
    double low = a->is_log ? log(a->low) : a->low, high = a->is_log ? log(a->high) : a->high;
    double by = high > low ? part * (high - low) : a->is_log ? 0.1 : fabs(high) * 0.1 + 1e-9;
    a->low = a->is_log ? exp(low - by) : low - by;
    a->high = a->is_log ? exp(high + by) : high + by;
}

static bool has_band(const struct chart_series *s)
{
    return s->form == CHART_STEPS && s->low && s->high;
}

/* Bars at points; of few seeds they may be so wide that nothing else could be read: they are cut beyond a factor. */
static void widen_bars(const struct chart *c, struct axis *y)
{
    double least = y->low / BAR_FACTOR, most = y->high * BAR_FACTOR;
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->series[i].n && c->series[i].low && c->series[i].high; k++) {
            double low = c->series[i].low[k], high = c->series[i].high[k];
            if (!fits(y, c->series[i].y[k]) || !fits(y, low) || !fits(y, high))
                continue;
            widen(y, low < least ? least : low);
            widen(y, high > most ? most : high);
        }
}

static bool measure(const struct chart *c, struct frame *f)
{
    f->x = (struct axis){INFINITY, -INFINITY, c->x_log};
    f->y = (struct axis){INFINITY, -INFINITY, c->y_log};
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->series[i].n; k++) {
            const struct chart_series *s = &c->series[i];
            if (!fits(&f->x, s->x[k]) || !fits(&f->y, s->y[k]))
                continue;
            widen(&f->x, s->x[k]);
            widen(&f->y, s->y[k]);
            if (has_band(s)) {
                widen(&f->y, s->low[k]);
                widen(&f->y, s->high[k]);
            }
        }
    if (!(f->x.high >= f->x.low))
        return false;
    if (f->y.is_log)
        widen_bars(c, &f->y);
    if (c->x_one)
        widen(&f->x, 1);
    if (c->y_one)
        widen(&f->y, 1);
    pad(&f->x, 0.05);
    pad(&f->y, 0.08);
    return true;
}

static double place(const struct axis *a, double v)
{
    double low = a->low, high = a->high;
    if (a->is_log) {
        v = log(v);
        low = log(low);
        high = log(high);
    }
    v = (v - low) / (high - low);
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static double left(const struct frame *f, double v)
{
    return LEFT + place(&f->x, v) * (RIGHT - LEFT);
}

static double down(const struct frame *f, double v)
{
    return BOTTOM - place(&f->y, v) * (BOTTOM - TOP);
}

static void line(struct text *t, const char *class, double x1, double y1, double x2, double y2)
{
    text_printf(t, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", class, x1, y1, x2, y2);
}

static void draw_axes(const struct chart *c, const struct frame *f)
{
    double at[CHART_TICKS + 1];
    int n = chart_ticks(f->x.low, f->x.high, f->x.is_log, at);
    for (int i = 0; i < n; i++) {
        line(f->t, "grid", left(f, at[i]), TOP, left(f, at[i]), BOTTOM);
        text_printf(f->t, "<text class=\"mid\" x=\"%.1f\" y=\"%d\">%g</text>", left(f, at[i]), BOTTOM + 15, at[i]);
    }
    n = chart_ticks(f->y.low, f->y.high, f->y.is_log, at);
    for (int i = 0; i < n; i++) {
        line(f->t, "grid", LEFT, down(f, at[i]), RIGHT, down(f, at[i]));
        text_printf(f->t, "<text class=\"end\" x=\"%d\" y=\"%.1f\">%g</text>", LEFT - 5, down(f, at[i]) + 4, at[i]);
    }
    if (c->x_one)
        line(f->t, "one", left(f, 1), TOP, left(f, 1), BOTTOM);
    if (c->y_one)
        line(f->t, "one", LEFT, down(f, 1), RIGHT, down(f, 1));
    text_printf(f->t, "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", LEFT, TOP, RIGHT - LEFT,
                BOTTOM - TOP);
    text_printf(f->t, "<text class=\"mid\" x=\"%d\" y=\"%d\">", (LEFT + RIGHT) / 2, HEIGHT - 10);
    markup_text(f->t, c->x_label);
    text_printf(f->t, "</text><text class=\"mid\" transform=\"translate(12 %d) rotate(-90)\">", (TOP + BOTTOM) / 2);
    markup_text(f->t, c->y_label);
    text_add(f->t, "</text>\n");
}

/* ---- series ---- */

/* Steps along one end of the band, rightwards or back; points that would not move the pen are left out, but the last.
 */
static void band_edge(const struct chart_series *s, const double *end, bool back, const struct frame *f)
{
    double x = NAN, y = NAN;
    for (int k = 0; k < s->n; k++) {
        int i = back ? s->n - 1 - k : k;
        double nx = left(f, s->x[i]), ny = down(f, end[i]);
        if (k > 0 && k + 1 < s->n && fabs(nx - x) < 0.4 && fabs(ny - y) < 0.4)
            continue;
        if (k == 0)
            text_printf(f->t, "%s%.1f %.1f", back ? "L" : "M", nx, ny);
        else if (back)
            text_printf(f->t, "V%.1fH%.1f", ny, nx);
        else
            text_printf(f->t, "H%.1fV%.1f", nx, ny);
        x = nx;
        y = ny;
    }
}

/* All its points can be placed, as best-so-far curves begin where every seed has a value. */
static void draw_band(const struct chart_series *s, const struct frame *f)
{
    for (int i = 0; i < s->n; i++)
        if (!fits(&f->x, s->x[i]) || !fits(&f->y, s->low[i]) || !fits(&f->y, s->high[i]))
            return;
    if (s->n < 2)
        return;
    text_printf(f->t, "<path class=\"band d%d\" d=\"", s->colour % CHART_COLOURS);
    band_edge(s, s->high, false, f);
    band_edge(s, s->low, true, f);
    text_add(f->t, "Z\"/>");
}

/* The best so far is held until the next point comes. */
static void draw_path(const struct chart_series *s, const struct frame *f)
{
    double x = NAN, y = NAN;
    bool down_yet = false;
    text_printf(f->t, "<path class=\"s%d%s%s\" d=\"", s->colour % CHART_COLOURS, s->dashed ? " dash" : "",
                s->bold ? " bold" : "");
    for (int i = 0; i < s->n; i++) {
        if (!fits(&f->x, s->x[i]) || !fits(&f->y, s->y[i]))
            continue;
        double nx = left(f, s->x[i]), ny = down(f, s->y[i]);
        bool still = down_yet && i + 1 < s->n && fabs(nx - x) < 0.4 && fabs(ny - y) < 0.4;
        if (still)
            continue;
        if (!down_yet)
            text_printf(f->t, "M%.1f %.1f", nx, ny);
        else if (s->form == CHART_STEPS)
            text_printf(f->t, "H%.1fV%.1f", nx, ny);
        else
            text_printf(f->t, "L%.1f %.1f", nx, ny);
        down_yet = true;
        x = nx;
        y = ny;
    }
    text_add(f->t, "\"/>");
}

static void draw_points(const struct chart_series *s, const struct frame *f)
{
    for (int i = 0; i < s->n; i++) {
        if (!fits(&f->x, s->x[i]) || !fits(&f->y, s->y[i]))
            continue;
        double x = left(f, s->x[i]), y = down(f, s->y[i]);
        int c = s->colour % CHART_COLOURS;
        if (!has_band(s) && s->low && s->high && fits(&f->y, s->low[i]) && fits(&f->y, s->high[i]))
            text_printf(f->t, "<path class=\"s%d bar\" d=\"M%.1f %.1fV%.1f\"/>", c, x, down(f, s->low[i]),
                        down(f, s->high[i]));
        if (s->dots)
            text_printf(f->t, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>", c, x, y,
                        s->bold ? "4" : "2.6");
        if (!s->labels)
            continue;
        text_printf(f->t, "<text class=\"mid t%d\" x=\"%.1f\" y=\"%.1f\">", c, x, s->bold ? y - 8 : y + 15);
        markup_text(f->t, s->labels[i]);
        text_add(f->t, "</text>");
    }
    text_char(f->t, '\n');
}

static void draw_legend(const struct chart *c, struct text *t)
{
    text_add(t, "<ul class=\"legend\">");
    for (int i = 0; i < c->n; i++) {
        text_printf(
            t, "<li><svg viewBox=\"0 0 22 8\" width=\"22\" height=\"8\"><path class=\"s%d%s%s\" d=\"M1 4H21\"/></svg> ",
            c->series[i].colour % CHART_COLOURS, c->series[i].dashed ? " dash" : "", c->series[i].bold ? " bold" : "");
        markup_text(t, c->series[i].name);
        text_add(t, "</li>");
    }
    text_add(t, "</ul>\n");
}

void chart_draw(const struct chart *c, struct text *t)
{
    struct frame f = {.t = t};
    text_add(t, "<figure>\n");
    if (measure(c, &f)) {
        text_printf(t, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
        markup_text(t, c->title);
        text_add(t, "\">");
        draw_axes(c, &f);
        for (int i = 0; i < c->n; i++)
            if (has_band(&c->series[i]))
                draw_band(&c->series[i], &f);
        for (int i = 0; i < c->n; i++) {
            if (c->series[i].form != CHART_POINTS)
                draw_path(&c->series[i], &f);
            draw_points(&c->series[i], &f);
        }
        text_add(t, "</svg>\n");
        draw_legend(c, t);
    } else {
        text_add(t, "<p class=\"none\">nothing to draw yet</p>\n");
    }
    text_add(t, "<figcaption>");
    markup_text(t, c->title);
    text_add(t, "</figcaption></figure>\n");
}

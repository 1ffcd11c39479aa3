/* SPDX-License-Identifier: Apache-2.0 */
/* figure_data: one function a kind of picture. Intervals are in columns low and high, which are the value itself where
 * there is none. Search times and speedups are on the wall clock; what is published is on the authors'. */
#include "harness/report/render/figure_data.h"

#include "harness/report/data/report_summary.h"
#include "harness/stats/geometric_mean.h"

#include <math.h>
#include <string.h>

struct maker {
    const struct document *d;
    struct figure_data *out;
    enum report_column headline;
};

/* ---- writing ---- */

/* gnuplot ends a name at a quote. */
static void block(struct maker *m, const char *name)
{
    struct text *t = &m->out->text;
    text_add(t, t->len ? "\n\n\"" : "\"");
    for (; *name; name++)
        text_char(t, *name == '"' || (unsigned char)*name < ' ' ? '\'' : *name);
    text_add(t, "\"\n");
}

static void values(struct maker *m, const double *v, int n)
{
    for (int i = 0; i < n; i++)
        text_printf(&m->out->text, isfinite(v[i]) ? "%s%.6g" : "%sNaN", i ? " " : "", isfinite(v[i]) ? v[i] : 0);
    text_char(&m->out->text, '\n');
    m->out->points++;
}

/* x, y, low, high, k; low and high NAN: none. What cannot stand on logarithmic axes is left out. */
static void place(struct maker *m, double x, double y, double low, double high, double k)
{
    if (x > 0 && y > 0 && isfinite(x) && isfinite(y))
        values(m, (const double[]){x, y, low > 0 ? low : y, isfinite(high) ? high : y, k}, 5);
}

/* Of a row; y is the headline. */
static void point(struct maker *m, enum report_table table, int row, double x)
{
    const struct estimate *e = document_ratio_at(m->d, table, row, m->headline);
    bool several = e && e->over != ESTIMATE_NOTHING;
    place(m, x, document_number_at(m->d, table, row, m->headline), several ? e->low : NAN, several ? e->high : NAN,
          document_number_at(m->d, table, row, COL_K));
}

static double at(const struct maker *m, enum report_table table, int row, enum report_column c)
{
    return document_number_at(m->d, table, row, c);
}

static const char *text_of(const struct maker *m, enum report_table table, int row, enum report_column c)
{
    return document_text_at(m->d, table, row, c);
}

/* A block of each network. */
static void networks(struct maker *m, enum report_column x)
{
    const char *last = "";
    for (int i = 0; i < document_rows(m->d, TABLE_NETWORKS); i++) {
        if (!str_eq(text_of(m, TABLE_NETWORKS, i, COL_NETWORK), last))
            block(m, last = text_of(m, TABLE_NETWORKS, i, COL_NETWORK));
        point(m, TABLE_NETWORKS, i, at(m, TABLE_NETWORKS, i, x));
    }
}

/* ---- speedup against search: one pair of arms ---- */

static void paper(struct maker *m, bool by_k)
{
    if (!*m->d->published)
        return;
    block(m, arena_printf(m->d->a, "paper, %s%s", m->d->published, by_k ? "" : " (its own clock)"));
    for (int i = 0; i < document_rows(m->d, TABLE_PUBLISHED); i++) {
        double k = at(m, TABLE_PUBLISHED, i, COL_K);
        place(m, by_k ? k : at(m, TABLE_PUBLISHED, i, COL_PAPER_SEARCH), at(m, TABLE_PUBLISHED, i, COL_PAPER_KERNEL),
              NAN, NAN, k);
    }
    m->out->paper = 1;
}

static void one_pair(struct maker *m)
{
    block(m, "this machine, geometric mean");
    for (int i = 0; i < document_rows(m->d, TABLE_MEANS); i++)
        point(m, TABLE_MEANS, i, at(m, TABLE_MEANS, i, COL_SEARCH_SPEEDUP_WALL));
    m->out->coloured = 1;
    paper(m, false);
    networks(m, COL_SEARCH_SPEEDUP_WALL);
}

/* ---- speedup against the arm's own search time ---- */

/* "droplet" of "droplet-300". */
static const char *arm_of(const struct maker *m, enum report_table table, int row)
{
    const char *label = text_of(m, table, row, COL_ARM), *dash = strrchr(label, '-');
    return dash ? arena_strn(m->d->a, label, (size_t)(dash - label)) : label;
}

/* Geometric mean over networks, so that a mean stands among its networks. */
static double mean_time(const struct maker *m, const char *label)
{
    struct geometric_mean mean = {0};
    for (int i = 0; i < document_rows(m->d, TABLE_NETWORKS); i++)
        if (str_eq(text_of(m, TABLE_NETWORKS, i, COL_ARM), label))
            geometric_mean_take(&mean, at(m, TABLE_NETWORKS, i, COL_EXPLOIT_WALL_S));
    return geometric_mean_of(&mean);
}

static void several(struct maker *m)
{
    const char *last = "";
    for (int i = 0; i < document_rows(m->d, TABLE_MEANS); i++) {
        if (!str_eq(arm_of(m, TABLE_MEANS, i), last)) {
            block(m, last = arm_of(m, TABLE_MEANS, i));
            m->out->coloured++;
        }
        point(m, TABLE_MEANS, i, mean_time(m, text_of(m, TABLE_MEANS, i, COL_ARM)));
    }
    networks(m, COL_EXPLOIT_WALL_S);
}

/* ---- speedup by k, kernel by kernel ---- */

/* The explorer's time over the arm's of one kernel, geometric mean over seeds. */
static double kernel_ratio(const struct maker *m, const char *kernel, const char *arm)
{
    bool retimed = m->headline == COL_KERNEL_GEOMEAN_RETIMED;
    struct geometric_mean mean = {0};
    for (int i = 0; i < document_rows(m->d, TABLE_KERNELS); i++)
        if (str_eq(text_of(m, TABLE_KERNELS, i, COL_KERNEL), kernel) &&
            str_eq(text_of(m, TABLE_KERNELS, i, COL_ARM), arm))
            geometric_mean_take(&mean,
                                at(m, TABLE_KERNELS, i, retimed ? COL_EXPLORER_RETIMED_MS : COL_EXPLORER_KERNEL_MS) /
                                    at(m, TABLE_KERNELS, i, retimed ? COL_RETIMED_MS : COL_KERNEL_MS));
    return geometric_mean_of(&mean);
}

static bool told_before(const struct maker *m, int row)
{
    for (int i = 0; i < row; i++)
        if (str_eq(text_of(m, TABLE_KERNELS, i, COL_KERNEL), text_of(m, TABLE_KERNELS, row, COL_KERNEL)))
            return true;
    return false;
}

static void by_k(struct maker *m)
{
    block(m, "this machine, geometric mean over kernels");
    for (int i = 0; i < document_rows(m->d, TABLE_MEANS); i++)
        point(m, TABLE_MEANS, i, at(m, TABLE_MEANS, i, COL_K));
    m->out->coloured = 1;
    paper(m, true);
    for (int i = 0; i < document_rows(m->d, TABLE_KERNELS); i++) {
        const char *kernel = text_of(m, TABLE_KERNELS, i, COL_KERNEL);
        if (told_before(m, i))
            continue;
        block(m, kernel);
        for (int k = 0; k < document_rows(m->d, TABLE_MEANS); k++) {
            double x = at(m, TABLE_MEANS, k, COL_K);
            place(m, x, kernel_ratio(m, kernel, text_of(m, TABLE_MEANS, k, COL_ARM)), NAN, NAN, x);
        }
    }
}

/* ---- programs kernel by kernel: number, explorer over arm by records, by launches, 1 when distinguished ---- */

static void by_kernel(struct maker *m)
{
    const char *network = "", *arm = "";
    double seed = NAN;
    int number = 0;
    for (int i = 0; i < document_rows(m->d, TABLE_KERNELS); i++) {
        if (!str_eq(text_of(m, TABLE_KERNELS, i, COL_NETWORK), network))
            block(m, arena_printf(m->d->a, "%s: search records", network = text_of(m, TABLE_KERNELS, i, COL_NETWORK)));
        bool same = at(m, TABLE_KERNELS, i, COL_SEED) == seed && str_eq(text_of(m, TABLE_KERNELS, i, COL_ARM), arm);
        number = same ? number + 1 : 1;
        arm = text_of(m, TABLE_KERNELS, i, COL_ARM);
        seed = at(m, TABLE_KERNELS, i, COL_SEED);
        double recorded = at(m, TABLE_KERNELS, i, COL_EXPLORER_KERNEL_MS) / at(m, TABLE_KERNELS, i, COL_KERNEL_MS),
               retimed = at(m, TABLE_KERNELS, i, COL_EXPLORER_RETIMED_MS) / at(m, TABLE_KERNELS, i, COL_RETIMED_MS);
        if (recorded > 0)
            values(m,
                   (const double[]){number, recorded, retimed, at(m, TABLE_KERNELS, i, COL_P_LAUNCHES) <= COMPARISON_P},
                   4);
    }
}

/* ---- best so far: seconds or trials, ms, low, high; a panel a network ---- */

/* As steps: what holds at a point holds until the next. */
static void steps(struct maker *m, const struct document_cell *const column[4], bool band)
{
    int n = column[0]->series.n;
    for (int i = 0; i < 2 * n - 1 && i < 400; i++) {
        double v[4];
        for (int c = 0; c < 4; c++)
            v[c] = column[c == 0 || band ? c : 1]->series.at[c == 0 ? (i + 1) / 2 : i / 2];
        values(m, v, 4);
    }
}

static void curves(struct maker *m, enum report_table table, enum report_column x)
{
    const char *network = "", *panels = "";
    int n = 0;
    for (int i = 0; i < document_rows(m->d, table); i++) {
        const struct document_cell *column[] = {
            document_at(m->d, table, i, x), document_at(m->d, table, i, COL_CURVE_MS),
            document_at(m->d, table, i, COL_CURVE_LOW), document_at(m->d, table, i, COL_CURVE_HIGH)};
        const char *arm = text_of(m, table, i, COL_ARM);
        bool first = !str_eq(text_of(m, table, i, COL_NETWORK), network), whole = true;
        for (int c = 0; c < 2; c++)
            whole = whole && column[c]->kind == CELL_SERIES && column[c]->series.n == column[0]->series.n;
        if (!whole)
            continue;
        bool band = column[2]->kind == CELL_SERIES && column[3]->kind == CELL_SERIES &&
                    column[2]->series.n == column[0]->series.n && column[3]->series.n == column[0]->series.n;
        if (first) {
            panels = n ? arena_printf(m->d->a, "%s%d ", panels, n) : panels;
            network = text_of(m, table, i, COL_NETWORK);
            n = 0;
        }
        n++;
        block(m, first ? arena_printf(m->d->a, "%s: %s", network, arm) : arm);
        steps(m, column, band);
    }
    m->out->panels = n ? arena_printf(m->d->a, "%s%d", panels, n) : "";
}

void figure_data_make(const struct document *d, const char *name, struct figure_data *out)
{
    const struct selection *kind = selection_find(d->report);
    struct maker m = {d, out, report_summary_headline(d)};
    *out = (struct figure_data){.panels = ""};
    if (str_eq(name, "curves"))
        curves(&m, TABLE_CURVES, COL_CURVE_SECONDS);
    else if (kind && kind->race)
        curves(&m, TABLE_CURVES_TRIALS, COL_CURVE_TRIALS);
    else if (kind && kind->one_pair)
        one_pair(&m);
    else if (kind && kind->by_kernel)
        by_k(&m);
    else if (kind && kind->tests)
        by_kernel(&m);
    else
        several(&m);
    text_char(&out->text, '\n');
}

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

/* gnuplot ends a name at a quote and reads a backslash; a label becomes an argument between single quotes. */
static void quoted(struct text *t, const char *name)
{
    text_char(t, '"');
    for (; *name; name++)
        if (*name == '"' || *name == '\'')
            text_add(t, "\xE2\x80\x99");
        else
            text_char(t, *name == '\\' ? '/' : (unsigned char)*name < ' ' ? ' ' : *name);
    text_char(t, '"');
}

static void block(struct maker *m, const char *name)
{
    struct text *t = &m->out->text;
    text_add(t, t->len ? "\n\n" : "");
    quoted(t, name);
    text_char(t, '\n');
}

/* label: what a page says of the point; NULL: nothing. */
static void values(struct maker *m, const double *v, int n, const char *label)
{
    struct text *t = &m->out->text;
    for (int i = 0; i < n; i++)
        text_printf(t, isfinite(v[i]) ? "%s%.6g" : "%sNaN", i ? " " : "", isfinite(v[i]) ? v[i] : 0);
    if (label) {
        text_char(t, ' ');
        quoted(t, label);
    }
    text_char(t, '\n');
    m->out->points++;
}

/* x, y, low, high, k, arm; low and high NAN: none. What cannot stand on logarithmic axes is left out. */
static void place(struct maker *m, const double v[6], const char *label)
{
    if (v[0] > 0 && v[1] > 0 && isfinite(v[0]) && isfinite(v[1]))
        values(m, (const double[]){v[0], v[1], v[2] > 0 ? v[2] : v[1], isfinite(v[3]) ? v[3] : v[1], v[4], v[5]}, 6,
               label);
}

/* Of a row; y is the headline. about: what x is, for the label. */
static void point(struct maker *m, enum report_table table, int row, double x, int arm, const char *about)
{
    const struct document *d = m->d;
    const struct estimate *e = document_ratio_at(d, table, row, m->headline);
    bool several = e && e->over != ESTIMATE_NOTHING;
    double y = document_number_at(d, table, row, m->headline);
    const char *network = table == TABLE_NETWORKS ? document_text_at(d, table, row, COL_NETWORK) : "all networks",
               *range = several ? arena_printf(d->a, " [%.3f, %.3f]", e->low, e->high) : "";
    place(m,
          (const double[]){x, y, several ? e->low : NAN, several ? e->high : NAN,
                           document_number_at(d, table, row, COL_K), arm},
          arena_printf(d->a, "%s, %s: kernels %.3f%s, %s %.3g", network, document_text_at(d, table, row, COL_ARM), y,
                       range, about, x));
}

static double at(const struct maker *m, enum report_table table, int row, enum report_column c)
{
    return document_number_at(m->d, table, row, c);
}

static const char *text_of(const struct maker *m, enum report_table table, int row, enum report_column c)
{
    return document_text_at(m->d, table, row, c);
}

/* "droplet" of "droplet-300". */
static const char *arm_of(const struct maker *m, enum report_table table, int row)
{
    const char *label = text_of(m, table, row, COL_ARM), *dash = strrchr(label, '-');
    return dash ? arena_strn(m->d->a, label, (size_t)(dash - label)) : label;
}

/* Its number among the arms of the means, from 1. */
static int arm_number(const struct maker *m, enum report_table table, int row)
{
    const char *arm = arm_of(m, table, row), *last = "";
    int n = 0;
    for (int i = 0; i < document_rows(m->d, TABLE_MEANS); i++) {
        n += !str_eq(arm_of(m, TABLE_MEANS, i), last);
        last = arm_of(m, TABLE_MEANS, i);
        if (str_eq(last, arm))
            return n;
    }
    return n + 1;
}

/* A block of each network. */
static void networks(struct maker *m, enum report_column x, const char *about)
{
    const char *last = "";
    for (int i = 0; i < document_rows(m->d, TABLE_NETWORKS); i++) {
        if (!str_eq(text_of(m, TABLE_NETWORKS, i, COL_NETWORK), last))
            block(m, last = text_of(m, TABLE_NETWORKS, i, COL_NETWORK));
        point(m, TABLE_NETWORKS, i, at(m, TABLE_NETWORKS, i, x), arm_number(m, TABLE_NETWORKS, i), about);
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
        double x = by_k ? k : at(m, TABLE_PUBLISHED, i, COL_PAPER_SEARCH),
               y = at(m, TABLE_PUBLISHED, i, COL_PAPER_KERNEL);
        place(m, (const double[]){x, y, NAN, NAN, k, 0},
              arena_printf(m->d->a, "paper, %s, k = %g: kernels %.3f", m->d->published, k, y));
    }
    m->out->paper = 1;
}

static void one_pair(struct maker *m)
{
    block(m, "measured here, geometric mean");
    for (int i = 0; i < document_rows(m->d, TABLE_MEANS); i++)
        point(m, TABLE_MEANS, i, at(m, TABLE_MEANS, i, COL_SEARCH_SPEEDUP_WALL), 1, "search");
    m->out->coloured = 1;
    paper(m, false);
    networks(m, COL_SEARCH_SPEEDUP_WALL, "search");
}

/* ---- speedup against the arm's own search time ---- */

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
        point(m, TABLE_MEANS, i, mean_time(m, text_of(m, TABLE_MEANS, i, COL_ARM)), m->out->coloured,
              arena_printf(m->d->a, "%s {%s}, seconds", text_of(m, TABLE_MEANS, i, COL_SEARCHER),
                           text_of(m, TABLE_MEANS, i, COL_SETTINGS)));
    }
    networks(m, COL_EXPLOIT_WALL_S, "seconds");
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

static bool drawn_before(const struct maker *m, int row)
{
    for (int i = 0; i < row; i++)
        if (str_eq(text_of(m, TABLE_KERNELS, i, COL_KERNEL), text_of(m, TABLE_KERNELS, row, COL_KERNEL)))
            return true;
    return false;
}

static void by_k(struct maker *m)
{
    block(m, "measured here, geometric mean over kernels");
    for (int i = 0; i < document_rows(m->d, TABLE_MEANS); i++)
        point(m, TABLE_MEANS, i, at(m, TABLE_MEANS, i, COL_K), 1, "k");
    m->out->coloured = 1;
    paper(m, true);
    for (int i = 0; i < document_rows(m->d, TABLE_KERNELS); i++) {
        const char *kernel = text_of(m, TABLE_KERNELS, i, COL_KERNEL);
        if (drawn_before(m, i))
            continue;
        block(m, kernel);
        for (int k = 0; k < document_rows(m->d, TABLE_MEANS); k++) {
            double x = at(m, TABLE_MEANS, k, COL_K), y = kernel_ratio(m, kernel, text_of(m, TABLE_MEANS, k, COL_ARM));
            place(m, (const double[]){x, y, NAN, NAN, x, 0},
                  arena_printf(m->d->a, "%s, k = %g: kernels %.3f", kernel, x, y));
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
                   4,
                   arena_printf(m->d->a, "%s, %s, seed %g: %s: records %.3f, launches %.3f", network, arm, seed,
                                text_of(m, TABLE_KERNELS, i, COL_KERNEL), recorded, retimed));
    }
}

/* ---- what conditions do to the same programs: a block a condition; speedup, low, high, 1: launches ---- */

static void by_condition(struct maker *m)
{
    const struct document *d = m->d;
    for (int i = 0; i < document_rows(d, TABLE_EFFECTS); i++) {
        enum report_column c = report_summary_effect(d, i);
        const struct estimate *e = document_ratio_at(d, TABLE_EFFECTS, i, c);
        if (!e || !isfinite(e->ratio))
            continue;
        bool ranged = isfinite(e->low) && isfinite(e->high);
        const char *condition = text_of(m, TABLE_EFFECTS, i, COL_CONDITION);
        block(m, condition);
        values(m, (const double[]){e->ratio, ranged ? e->low : e->ratio, ranged ? e->high : e->ratio, c != COL_EFFECT},
               4,
               ranged ? arena_printf(d->a, "%s: kernels %.3f [%.3f, %.3f]", condition, e->ratio, e->low, e->high)
                      : arena_printf(d->a, "%s: kernels %.3f", condition, e->ratio));
    }
}

/* ---- best so far: seconds or trials, ms, low, high; a panel a network ---- */

/* As steps: what holds at a point holds until the next. The last is labelled. */
static void steps(struct maker *m, const struct document_cell *const column[4], const char *network, const char *arm)
{
    int n = column[0]->series.n;
    for (int i = 0; i < 2 * n - 1 && i < 400; i++) {
        double v[5] = {[4] = 1};
        bool last = i == 2 * n - 2;
        for (int c = 0; c < 4; c++)
            v[c] = column[c]->series.at[c == 0 ? (i + 1) / 2 : i / 2];
        values(m, v, last ? 5 : 4,
               last ? arena_printf(m->d->a, "%s, %s: %.4g ms at the end", network, arm, v[1]) : NULL);
    }
}

/* An arm in a network, its range where there is one; a line of nothing where it has no curve. */
static void curve(struct maker *m, enum report_table table, enum report_column x, const char *network, const char *arm)
{
    const struct document *d = m->d;
    block(m, arm);
    for (int i = 0; i < document_rows(d, table); i++) {
        const struct document_cell *column[] = {document_at(d, table, i, x), document_at(d, table, i, COL_CURVE_MS),
                                                document_at(d, table, i, COL_CURVE_LOW),
                                                document_at(d, table, i, COL_CURVE_HIGH)};
        for (int c = 2; c < 4; c++)
            column[c] = column[c]->kind == CELL_SERIES ? column[c] : column[1];
        bool whole = str_eq(text_of(m, table, i, COL_NETWORK), network) && str_eq(text_of(m, table, i, COL_ARM), arm);
        for (int c = 0; c < 4; c++)
            whole = whole && column[c]->kind == CELL_SERIES && column[c]->series.n == column[0]->series.n;
        if (whole) {
            steps(m, column, network, arm);
            return;
        }
    }
    text_add(&m->out->text, "NaN NaN NaN NaN\n");
}

/* What the first arm ends with, in the median of its seeds; NAN: not known. */
static double target_of(const struct maker *m, const char *network)
{
    for (int i = 0; i < document_rows(m->d, TABLE_TARGETS); i++)
        if (str_eq(text_of(m, TABLE_TARGETS, i, COL_NETWORK), network) && at(m, TABLE_TARGETS, i, COL_Q) == 1)
            return at(m, TABLE_TARGETS, i, COL_TARGET_MS);
    return NAN;
}

/* Of each network its name with the target, then every arm. */
static void curves(struct maker *m, enum report_table table, enum report_column x)
{
    struct arena *a = m->d->a;
    int rows = document_rows(m->d, table), n[2] = {0};
    const char **names[] = {ARENA_ARRAY(a, const char *, rows + 1), ARENA_ARRAY(a, const char *, rows + 1)};
    for (int i = 0; i < 2 * rows; i++) {
        int of = i % 2, k = 0;
        const char *name = text_of(m, table, i / 2, of ? COL_ARM : COL_NETWORK);
        while (k < n[of] && !str_eq(names[of][k], name))
            k++;
        names[of][k] = name;
        n[of] += k == n[of];
    }
    for (int i = 0; i < n[0]; i++) {
        double target = target_of(m, names[0][i]);
        block(m, isnan(target) ? names[0][i] : arena_printf(a, "%s: %.3g ms", names[0][i], target));
        text_printf(&m->out->text, "1 %.6g\n", isnan(target) ? 0 : target);
        for (int k = 0; k < n[1]; k++)
            curve(m, table, x, names[0][i], names[1][k]);
    }
    m->out->coloured = n[1];
    m->out->panels = n[0];
}

#define BEST_SO_FAR                                                                                                    \
    "Sum of the best kernels so far, as tuned; of several seeds the median, from when most of them have a program of " \
    "every kernel, and the range. The dotted line is what the first arm ends with. "

const char *figure_script(const struct document *d, const char *name)
{
    return str_eq(name, "curves") ? name : document_rows(d, TABLE_EFFECTS) ? "effects" : d->report;
}

const char *figure_caption(const struct document *d, const char *name)
{
    const struct selection *kind = selection_find(d->report);
    return str_eq(name, "curves") ? BEST_SO_FAR
           : document_rows(d, TABLE_EFFECTS)
               ? "Kernel speedup of the same programs under each condition, all else equal: the mean over kernels and "
                 "its interval. Filled: by fresh launches; hollow: as tuned, where the programs are the same."
           : kind->race      ? BEST_SO_FAR "By trials."
           : kind->by_kernel ? "Kernel speedup over the explorer's full run, by k. Each grey line is a kernel, which "
                               "its points name; a circle is where it begins late: at lower k the arm has no program."
           : kind->one_pair
               ? "Kernel speedup over the explorer's full run, by search speedup and by k. Red: the mean and its "
                 "interval; each grey line is a network, which its points name."
           : kind->tests ? "Kernel speedup of each program by its search record and by fresh launches; its points name "
                           "the kernel."
                         : "Kernel speedup over the explorer's full run, by the arm's own search time. Large: an arm's "
                           "mean and interval; small: each network, in the arm's colour. Points name arm and network; "
                           "'What the arms run' has the arms' settings.";
}

void figure_data_make(const struct document *d, const char *name, struct figure_data *out)
{
    const struct selection *kind = selection_find(d->report);
    struct maker m = {d, out, report_summary_headline(d)};
    *out = (struct figure_data){0};
    if (str_eq(name, "curves"))
        curves(&m, TABLE_CURVES, COL_CURVE_SECONDS);
    else if (document_rows(d, TABLE_EFFECTS))
        by_condition(&m);
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

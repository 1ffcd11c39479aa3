/* SPDX-License-Identifier: Apache-2.0 */
/* curve_chart: one chart a network. Several seeds become their median and range, from when all of them have a program
 * for every kernel: before that a median would be of those that began early. */
#include "harness/report/render/curve_chart.h"

#include "harness/report/data/best_curve.h"
#include "harness/report/render/chart.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* All x of the seeds, in order, without those before the last seed begins. */
static int common_points(const struct best_curve_entrant *e, double *x)
{
    int all = 0, n = 0;
    double begin = 0;
    for (int s = 0; s < e->n; s++) {
        double first = INFINITY;
        for (int i = 0; i < e->of[s].x.n; i++) {
            x[all++] = e->of[s].x.at[i];
            if (isfinite(e->of[s].y.at[i]))
                first = fmin(first, e->of[s].x.at[i]);
        }
        begin = fmax(begin, first);
    }
    qsort(x, (size_t)all, sizeof *x, by_value);
    for (int i = 0; i < all; i++)
        if (x[i] >= begin && (n == 0 || x[i] > x[n - 1]))
            x[n++] = x[i];
    return n;
}

/* Seconds to milliseconds. A kernel without a valid record keeps a sum infinite; such points are not drawn. */
static struct chart_series series_of(struct arena *a, const struct best_curve_entrant *e, int number)
{
    int most = 1, n;
    for (int s = 0; s < e->n; s++)
        most += e->of[s].x.n;
    double *x = ARENA_ARRAY(a, double, 4 * most), *y = x + most, *low = y + most, *high = low + most;
    double *v = ARENA_ARRAY(a, double, e->n + 1);
    n = common_points(e, x);
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < e->n; s++)
            v[s] = 1e3 * best_curve_at(&e->of[s], x[i]);
        qsort(v, (size_t)e->n, sizeof *v, by_value);
        y[i] = summary_median(v, e->n);
        low[i] = v[0];
        high[i] = v[e->n - 1];
    }
    return (struct chart_series){.name = e->name,
                                 .x = x,
                                 .y = y,
                                 .low = e->n > 1 ? low : NULL,
                                 .high = e->n > 1 ? high : NULL,
                                 .n = n,
                                 .colour = number ? 1 + (number - 1) % (CHART_COLOURS - 1) : 0,
                                 .form = CHART_STEPS,
                                 .bold = number == 0,
                                 .dashed = number && number % 2 == 0};
}

bool curve_chart_draw(const struct report *r, const char *network, struct text *t, struct err *err)
{
    struct arena *a = arena_open("climb");
    struct best_curves traces;
    bool fine = best_curves_read(a, r->store, r->experiment, network, &traces, err);
    struct chart_series *series = ARENA_ARRAY(a, struct chart_series, traces.n + 1);
    int n = 0, seeds = traces.n ? traces.all[0].n : 0;
    for (int i = 0; i < traces.n && fine; i++)
        if (traces.all[i].n)
            series[n++] = series_of(a, &traces.all[i], i);
    const char *of = seeds > 1    ? arena_printf(a, ", median and range of %d seeds", seeds)
                     : seeds == 1 ? arena_printf(a, ", seed %lld", (long long)traces.all[0].of[0].seed)
                                  : "";
    struct chart chart = {.title = arena_printf(a, "%s: best so far over the wall clock%s", network, of),
                          .x_label = "wall clock, s (log)",
                          .y_label = "sum of the best kernels, ms (log)",
                          .x_log = true,
                          .y_log = true,
                          .series = series,
                          .n = n};
    if (fine)
        chart_draw(&chart, t);
    best_curves_free(&traces);
    arena_close(a);
    return fine;
}

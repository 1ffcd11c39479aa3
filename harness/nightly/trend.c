/* SPDX-License-Identifier: Apache-2.0 */
/* trend: gnuplot's data: one block a series, a row a night: night, ratio, state (0 good, 1 confirmed slower, 2 machine
 * changed, 3 other), date, panel (1 pinned programs, 2 searches and what they cost), 1 where the night was accepted. A
 * series begins anew where the experiment or the machine's hardware does. */
#include "harness/nightly/trend.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/report/render/figure.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <string.h>

enum { NIGHTS_MOST = 90 }; /* drawn */

static int state_of(const struct night *n)
{
    return str_eq(n->state, NIGHT_GOOD)          ? 0
           : str_eq(n->state, "confirmed")       ? 1
           : str_eq(n->state, "machine changed") ? 2
                                                 : 3;
}

static bool block(struct arena *a, struct history *h, const struct night *nights, int n, const char *series,
                  struct text *t, struct err *err)
{
    double first = NAN;
    text_printf(t, "%s\"%s\"\n", t->len ? "\n\n" : "", series);
    for (int i = 0; i < n; i++) {
        double *v;
        int nv;
        char date[32];
        if (!history_values(h, a, &(struct night_series){nights[i].number, series, ""}, &v, &nv, err))
            return false;
        if (i && (!str_eq(nights[i].experiment_hash, nights[i - 1].experiment_hash) ||
                  !str_eq(nights[i].identity, nights[i - 1].identity))) {
            text_char(t, '\n');
            first = NAN;
        }
        if (nv == 0)
            continue;
        double level = summary_geomean(v, nv);
        first = isnan(first) ? level : first;
        clock_iso(nights[i].begun_unix, date);
        text_printf(t, "%lld %.6g %d %.10s %d %d\n", (long long)nights[i].number, level / first, state_of(&nights[i]),
                    date, str_starts(series, "program ") ? 1 : 2, nights[i].accepted != NULL);
    }
    return true;
}

/* "host, 2026-11-01 to 2026-11-21" */
static const char *heading(struct arena *a, const char *machine, const struct night *first, const struct night *last)
{
    char from[32], to[32];
    clock_iso(first->begun_unix, from);
    clock_iso(last->begun_unix, to);
    return str_starts(from, arena_strn(a, to, 10)) ? arena_printf(a, "%s, %.10s", machine, to)
                                                   : arena_printf(a, "%s, %.10s to %.10s", machine, from, to);
}

bool trend_draw(struct arena *a, struct history *h, const char *dir, const char *machine, const char *plots,
                char **note, struct err *err)
{
    struct night *nights;
    struct text t = {0};
    const char **series;
    int n, nseries = 0;
    bool made = false;
    struct err why = {0};
    if (!history_nights(h, a, machine, &nights, &n, err))
        return false;
    if (n > NIGHTS_MOST) {
        nights += n - NIGHTS_MOST;
        n = NIGHTS_MOST;
    }
    bool fine = n == 0 || history_series(h, a, nights[n - 1].number, &series, &nseries, err);
    for (int i = 0; fine && i < nseries; i++)
        fine = block(a, h, nights, n, series[i], &t, err);
    char *stem = file_join(a, dir, arena_printf(a, "trend-%s", machine)), *data = arena_printf(a, "%s.dat", stem);
    fine = fine && file_write(data, text_str(&t), t.len, err);
    text_free(&t);
    if (!fine)
        return false;
    char *script = file_join(a, plots, "trend.gp");
    if (nseries == 0)
        err_set(&why, "no trend: nothing is measured yet");
    else if (!file_exists(script))
        err_set(&why, "no figure: there is no '%s'", script);
    else
        made = figure_draw(a,
                           &(struct figure_files){.script = script,
                                                  .data = data,
                                                  .out = stem,
                                                  .heading = heading(a, machine, &nights[0], &nights[n - 1]),
                                                  .stamp = "",
                                                  .panels = ""},
                           &why);
    *note = made ? arena_printf(a, "trend: %s.svg and .png", stem) : arena_str(a, why.text);
    return true;
}

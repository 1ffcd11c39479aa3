/* SPDX-License-Identifier: Apache-2.0 */
/* nightly_compare: pools the window, measures its noise floor, applies the rule. */
#include "harness/nightly/nightly_compare.h"

#include "harness/nightly/drift.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

#include <math.h>

enum { RATIOS_MOST = 2 * HISTORY_WINDOW + 2 };

struct series_window { /* the window of one series */
    VEC(double) pooled;
    double ratios[RATIOS_MOST]; /* of the same thing timed twice */
    int nratios, nights;
    double later; /* geometric mean of the night after */
};

/* Every second launch against the rest: the same binary, the same minutes. Seeds are no launches: they differ. */
static void add_halves(struct series_window *w, const char *series, const double *v, int n)
{
    double even[64], odd[64];
    int neven = 0, nodd = 0;
    if (!str_starts(series, "program ") || n < 4)
        return;
    for (int i = 0; i < n && i < 128; i++)
        if (i % 2)
            odd[nodd++] = v[i];
        else
            even[neven++] = v[i];
    if (w->nratios < RATIOS_MOST)
        w->ratios[w->nratios++] = summary_geomean(odd, nodd) / summary_geomean(even, neven);
}

/* *more: earlier nights may be added too. */
static bool add_night(const struct tonight *t, const struct night *n, const char *series, struct series_window *w,
                      bool *more, struct err *err)
{
    double *v;
    int nv;
    struct night_verdict *found;
    if (!history_values(t->history, t->arena, &(struct night_series){n->number, series, ""}, &v, &nv, err) ||
        !history_verdict(t->history, t->arena, n->number, series, &found, err))
        return false;
    for (int i = 0; i < nv; i++)
        vec_push(&w->pooled, v[i]);
    if (nv == 0)
        return true;
    double level = summary_geomean(v, nv);
    add_halves(w, series, v, nv);
    if (w->nights > 0 && w->nratios < RATIOS_MOST)
        w->ratios[w->nratios++] = w->later / level;
    w->later = level;
    w->nights++;
    *more = !(found && str_eq(found->kind, regression_words[REGRESSION_FASTER]));
    return true;
}

static bool compare_series(const struct tonight *t, const char *series, struct findings *out, struct err *err)
{
    struct series_window w = {0};
    struct regression_input in = {.same_binary = t->ngood && str_eq(t->good[0].binary, t->night->binary),
                                  .can_rerun = true};
    double *fresh, *old, *new;
    int nold;
    bool more = true, fine = true;
    for (int i = 0; fine && more && i < t->ngood && w.nights < HISTORY_WINDOW; i++)
        fine = add_night(t, &t->good[i], series, &w, &more, err);
    fine = fine && tonight_values(t, series, "", &fresh, &in.nfresh, err) &&
           tonight_values(t, series, "old", &old, &nold, err) &&
           tonight_values(t, series, "new", &new, &in.npairs, err);
    if (fine) {
        add_halves(&w, series, fresh, in.nfresh);
        in.window = w.pooled.at;
        in.nwindow = w.pooled.n;
        in.fresh = fresh;
        in.noise = noise_floor_of(w.ratios, w.nratios);
        in.old_again = old;
        in.new_again = new;
        in.npairs = nold < in.npairs ? nold : in.npairs;
        struct finding f = finding_of(series, &in);
        vec_push(&out->all, f);
    }
    vec_free(&w.pooled);
    return fine;
}

static bool add_missing(const struct tonight *t, struct findings *out, struct err *err)
{
    const char **names;
    int n, had = out->all.n;
    if (!history_series(t->history, t->arena, t->good[0].number, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        bool here = false;
        for (int k = 0; k < had && !here; k++)
            here = str_eq(out->all.at[k].v.series, names[i]);
        if (!here)
            vec_push(&out->all,
                     (struct finding){.v = {names[i], "missing", NAN, NAN, NAN, NAN, NAN, NAN}, .seconds = NAN});
    }
    return true;
}

bool nightly_compare(const struct tonight *t, struct findings *out, struct err *err)
{
    const char **names;
    int n;
    out->all.n = 0;
    if (!history_series(t->history, t->arena, t->night->number, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++)
        if (!compare_series(t, names[i], out, err))
            return false;
    if (t->ngood && !add_missing(t, out, err))
        return false;
    bool quiet = findings_code(out) == EXIT_FINE && !findings_count(out, regression_words[REGRESSION_NOT_CONFIRMED]);
    return !quiet || !drift_due(t->ngood) || drift_find(t, out, err);
}

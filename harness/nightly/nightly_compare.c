/* SPDX-License-Identifier: Apache-2.0 */
/* nightly_compare: pools the window, measures its floor, asks the rule. */
#include "harness/nightly/nightly_compare.h"

#include "harness/nightly/drift.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

#include <math.h>

enum { RATIOS_MOST = 2 * HISTORY_WINDOW + 2 };

struct bench_side { /* the window of one series */
    VEC(double) pooled;
    double ratios[RATIOS_MOST]; /* A/A */
    int nratios, nights;
    double later; /* geometric mean of the night after */
};

/* Every second launch against the rest: the same binary, the same minutes. Seeds are no launches: they differ. */
static void halves(struct bench_side *b, const char *series, const double *v, int n)
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
    if (b->nratios < RATIOS_MOST)
        b->ratios[b->nratios++] = summary_geomean(odd, nodd) / summary_geomean(even, neven);
}

static bool add_night(struct arena *a, struct history *h, const struct night *n, const char *series,
                      struct bench_side *b, bool *more, struct err *err)
{
    double *v;
    int nv;
    struct night_verdict *said;
    if (!history_values(h, a, n->number, series, "", &v, &nv, err) ||
        !history_verdict(h, a, n->number, series, &said, err))
        return false;
    for (int i = 0; i < nv; i++)
        vec_push(&b->pooled, v[i]);
    if (nv == 0)
        return true;
    double level = summary_geomean(v, nv);
    halves(b, series, v, nv);
    if (b->nights > 0 && b->nratios < RATIOS_MOST)
        b->ratios[b->nratios++] = b->later / level;
    b->later = level;
    b->nights++;
    *more = !(said && str_eq(said->kind, regression_word(REGRESSION_FASTER)));
    return true;
}

static bool nightly_compare_series(struct arena *a, struct history *h, const struct night *night,
                                   const struct night *window, int nwindow, const char *series, struct findings *out,
                                   struct err *err)
{
    struct bench_side b = {0};
    struct regression_input in = {.same_binary = nwindow && str_eq(window[0].binary, night->binary), .can_rerun = true};
    double *fresh, *old, *new;
    int nold;
    bool more = true, fine = true;
    for (int i = 0; fine && more && i < nwindow && b.nights < HISTORY_WINDOW; i++)
        fine = add_night(a, h, &window[i], series, &b, &more, err);
    fine = fine && history_values(h, a, night->number, series, "", &fresh, &in.nfresh, err) &&
           history_values(h, a, night->number, series, "old", &old, &nold, err) &&
           history_values(h, a, night->number, series, "new", &new, &in.npairs, err);
    if (fine) {
        halves(&b, series, fresh, in.nfresh);
        in.window = b.pooled.at;
        in.nwindow = b.pooled.n;
        in.fresh = fresh;
        in.noise = noise_floor_of(b.ratios, b.nratios);
        in.old_again = old;
        in.new_again = new;
        in.npairs = nold < in.npairs ? nold : in.npairs;
        struct finding f = finding_of(series, &in);
        vec_push(&out->all, f);
    }
    vec_free(&b.pooled);
    return fine;
}

static bool add_missing(struct arena *a, struct history *h, const struct night *latest, struct findings *out,
                        struct err *err)
{
    const char **names;
    int n, had = out->all.n;
    if (!history_series(h, a, latest->number, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        bool here = false;
        for (int k = 0; k < had && !here; k++)
            here = str_eq(out->all.at[k].v.series, names[i]);
        if (!here)
            vec_push(&out->all, (struct finding){.v = {names[i], "missing", NAN, NAN, NAN, NAN, NAN, NAN}});
    }
    return true;
}

bool nightly_compare(struct arena *a, struct history *h, const struct night *night, const struct night *window,
                     int nwindow, struct findings *out, struct err *err)
{
    const char **names;
    int n;
    out->all.n = 0;
    if (!history_series(h, a, night->number, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++)
        if (!nightly_compare_series(a, h, night, window, nwindow, names[i], out, err))
            return false;
    if (nwindow && !add_missing(a, h, &window[0], out, err))
        return false;
    bool quiet = findings_code(out) == EXIT_FINE && !findings_count(out, regression_word(REGRESSION_NOT_CONFIRMED));
    return !quiet || !drift_due(nwindow) || drift_find(a, h, night, window, nwindow, out, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* level_steps: binary segmentation by the step fit. */
#include "harness/nightly/level_steps.h"

#include "harness/base/text.h"
#include "harness/base/vec.h"
#include "harness/nightly/drift.h"
#include "harness/stats/change_point.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

#include <math.h>

bool level_comparable(const struct night *a, const struct night *b)
{
    return str_eq(a->experiment_hash, b->experiment_hash) && str_eq(a->identity, b->identity);
}

struct steps {
    VEC(struct level_step) all;
};

/* Steps of the levels from..to-1, in order. */
static void split(const struct level_history *l, int from, int to, struct steps *out)
{
    if (to - from < 2 * REGRESSION_LEAST)
        return;
    struct change_point found = change_point_of(l->levels + from, to - from, REGRESSION_LEAST);
    if (found.at == 0 || !(found.p < REGRESSION_ALPHA) ||
        !(fabs(log(found.ratio)) > log(1 + noise_floor_alarm(drift_floor(l->levels + from, to - from)))))
        return;
    split(l, from, from + found.at, out);
    vec_push(&out->all, (struct level_step){from + found.at, found.p, found.ratio});
    split(l, from + found.at, to, out);
}

/* A split's ratio is of all before and after it; a step's is of the levels up to its neighbours. */
static void split_stretch(const struct level_history *l, int from, int to, struct steps *out)
{
    int first = out->all.n;
    split(l, from, to, out);
    for (int i = first; i < out->all.n; i++) {
        int at = out->all.at[i].at, before = i > first ? out->all.at[i - 1].at : from,
            after = i + 1 < out->all.n ? out->all.at[i + 1].at : to;
        out->all.at[i].ratio =
            summary_geomean(l->levels + at, after - at) / summary_geomean(l->levels + before, at - before);
    }
}

static bool read_levels(struct arena *a, struct history *h, const struct night *nights, int n, struct level_history *l,
                        struct err *err)
{
    struct steps steps = {0};
    l->nights = ARENA_ARRAY(a, const struct night *, n);
    l->levels = ARENA_ARRAY(a, double, n);
    for (int i = 0; i < n; i++) {
        double *level = &l->levels[l->n];
        if (!night_is_whole(&nights[i]))
            continue;
        if (!history_level(h, a, nights[i].number, l->series, level, err))
            return false;
        if (!isnan(*level))
            l->nights[l->n++] = &nights[i];
    }
    for (int i = 0, from = 0; i < l->n; i++)
        if (i + 1 == l->n || !level_comparable(l->nights[i], l->nights[i + 1])) {
            split_stretch(l, from, i + 1, &steps);
            from = i + 1;
        }
    vec_keep(a, &steps.all, &l->steps, &l->nsteps);
    return true;
}

bool level_steps_read(struct arena *a, struct history *h, const struct night *nights, int n, struct level_history **out,
                      int *count, struct err *err)
{
    VEC(struct level_history) all = {0};
    bool fine = true;
    for (int i = 0; fine && i < n; i++) {
        const char **names;
        int nnames = 0;
        fine = !night_is_whole(&nights[i]) || history_series(h, a, nights[i].number, &names, &nnames, err);
        for (int k = 0; k < nnames; k++) {
            bool known = false;
            for (int j = 0; j < all.n && !known; j++)
                known = str_eq(all.at[j].series, names[k]);
            if (!known)
                vec_push(&all, (struct level_history){.series = names[k]});
        }
    }
    for (int i = 0; fine && i < all.n; i++)
        fine = read_levels(a, h, nights, n, &all.at[i], err);
    vec_keep(a, &all, out, count);
    return fine;
}

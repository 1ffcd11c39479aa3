/* SPDX-License-Identifier: Apache-2.0 */
/* drift: levels of nights in the order of time, the step fit, the rule. */
#include "harness/nightly/drift.h"

#include "harness/stats/change_point.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

#include <math.h>

struct level_series { /* a series' level in each night, the earliest first */
    int n;
    double level[DRIFT_NIGHTS + 1];
    const struct night *night[DRIFT_NIGHTS + 1];
};

bool drift_due(int ngood)
{
    return (ngood + 1) % DRIFT_EVERY == 0;
}

static bool add_level(const struct tonight *t, const struct night *night, const char *series, struct level_series *s,
                      struct err *err)
{
    if (!history_level(t->history, t->arena, night->number, series, &s->level[s->n], err))
        return false;
    if (!isnan(s->level[s->n]))
        s->night[s->n++] = night;
    return true;
}

/* Back to the last night that was found faster: what came before is no measure any more. */
static bool read_levels(const struct tonight *t, const char *series, struct level_series *s, struct err *err)
{
    int first = 0;
    struct night_verdict *found;
    while (first < t->ngood && first < DRIFT_NIGHTS) {
        if (!history_verdict(t->history, t->arena, t->good[first].number, series, &found, err))
            return false;
        first++;
        if (found && str_eq(found->kind, regression_words[REGRESSION_FASTER]))
            break;
    }
    s->n = 0;
    for (int i = first - 1; i >= 0; i--)
        if (!add_level(t, &t->good[i], series, s, err))
            return false;
    return add_level(t, t->night, series, s, err);
}

double drift_floor(const double *levels, int n)
{
    double ratios[DRIFT_NIGHTS];
    int first = n > DRIFT_NIGHTS ? n - DRIFT_NIGHTS : 1;
    for (int i = first; i < n; i++)
        ratios[i - first] = levels[i] / levels[i - 1];
    return noise_floor_of(ratios, n - first) / sqrt(REGRESSION_LEAST);
}

static bool judge(const struct tonight *t, const struct level_series *s, struct finding *f, struct err *err)
{
    struct change_point step = change_point_of(s->level, s->n, REGRESSION_LEAST);
    if (step.at == 0)
        return true;
    struct regression_input in = {.window = s->level,
                                  .nwindow = step.at,
                                  .fresh = s->level + step.at,
                                  .nfresh = s->n - step.at,
                                  .noise = drift_floor(s->level, s->n),
                                  .step_p = step.p,
                                  .same_binary = str_eq(s->night[step.at - 1]->binary, t->night->binary),
                                  .can_rerun = true};
    double *old, *new, now = s->level[s->n - 1] / summary_geomean(s->level, step.at);
    int nold;
    if (!(fmin(step.ratio, now) > 1 + noise_floor_alarm(in.noise)))
        return true;
    if (!tonight_values(t, f->v.series, "old", &old, &nold, err) ||
        !tonight_values(t, f->v.series, "new", &new, &in.npairs, err))
        return false;
    in.old_again = old;
    in.new_again = new;
    in.npairs = nold < in.npairs ? nold : in.npairs;
    struct finding found = finding_of(f->v.series, &in);
    if (!finding_is(&found, REGRESSION_NONE) && !finding_is(&found, REGRESSION_NOISY)) {
        found.since = s->night[step.at]->number;
        found.seconds = f->seconds;
        *f = found;
    }
    return true;
}

bool drift_find(const struct tonight *t, struct findings *out, struct err *err)
{
    struct level_series s;
    for (int i = 0; i < out->all.n; i++) {
        struct finding *f = &out->all.at[i];
        bool open = finding_is(f, REGRESSION_NONE) || finding_is(f, REGRESSION_NOISY) || f->since;
        if (open && (!read_levels(t, f->v.series, &s, err) || !judge(t, &s, f, err)))
            return false;
    }
    return true;
}

int64_t drift_since(const struct findings *f)
{
    int64_t first = 0;
    for (int i = 0; i < f->all.n; i++)
        if (f->all.at[i].since && (!first || f->all.at[i].since < first))
            first = f->all.at[i].since;
    return first;
}

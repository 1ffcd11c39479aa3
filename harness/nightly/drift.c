/* SPDX-License-Identifier: Apache-2.0 */
/* drift: levels of nights in the order of time, the step fit, the rule. */
#include "harness/nightly/drift.h"

#include "harness/stats/change_point.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

#include <math.h>

struct course { /* of one series */
    int n;
    double level[DRIFT_NIGHTS + 1];
    const struct night *night[DRIFT_NIGHTS + 1];
};

bool drift_due(int ngood)
{
    return (ngood + 1) % DRIFT_EVERY == 0;
}

static bool add(struct arena *a, struct history *h, const struct night *night, const char *series, struct course *c,
                struct err *err)
{
    double *v;
    int n;
    if (!history_values(h, a, night->number, series, "", &v, &n, err))
        return false;
    if (n) {
        c->level[c->n] = summary_geomean(v, n);
        c->night[c->n++] = night;
    }
    return true;
}

/* Back to the last night that was found faster: what came before is no measure any more. */
static bool read_course(struct arena *a, struct history *h, const struct night *tonight, const struct night *good,
                        int ngood, const char *series, struct course *c, struct err *err)
{
    int first = 0;
    struct night_verdict *said;
    while (first < ngood && first < DRIFT_NIGHTS) {
        if (!history_verdict(h, a, good[first].number, series, &said, err))
            return false;
        first++;
        if (said && str_eq(said->kind, regression_word(REGRESSION_FASTER)))
            break;
    }
    c->n = 0;
    for (int i = first - 1; i >= 0; i--)
        if (!add(a, h, &good[i], series, c, err))
            return false;
    return add(a, h, tonight, series, c, err);
}

static double floor_of_week(const struct course *c)
{
    double ratios[DRIFT_NIGHTS];
    for (int i = 1; i < c->n; i++)
        ratios[i - 1] = c->level[i] / c->level[i - 1];
    return noise_floor_of(ratios, c->n - 1) / sqrt(REGRESSION_LEAST);
}

static bool judge(struct arena *a, struct history *h, const struct night *tonight, const struct course *c,
                  struct finding *f, struct err *err)
{
    struct change_point s = change_point_of(c->level, c->n, REGRESSION_LEAST);
    if (s.at == 0)
        return true;
    struct regression_input in = {.window = c->level,
                                  .nwindow = s.at,
                                  .fresh = c->level + s.at,
                                  .nfresh = c->n - s.at,
                                  .noise = floor_of_week(c),
                                  .step_p = s.p,
                                  .same_binary = str_eq(c->night[s.at - 1]->binary, tonight->binary),
                                  .can_rerun = true};
    double *old, *new, now = c->level[c->n - 1] / summary_geomean(c->level, s.at);
    int nold;
    if (!(fmin(s.ratio, now) > 1 + noise_floor_alarm(in.noise)))
        return true;
    if (!history_values(h, a, tonight->number, f->v.series, "old", &old, &nold, err) ||
        !history_values(h, a, tonight->number, f->v.series, "new", &new, &in.npairs, err))
        return false;
    in.old_again = old;
    in.new_again = new;
    in.npairs = nold < in.npairs ? nold : in.npairs;
    struct finding found = finding_of(f->v.series, &in);
    if (!finding_is(&found, REGRESSION_NONE) && !finding_is(&found, REGRESSION_NOISY)) {
        found.since = c->night[s.at]->number;
        *f = found;
    }
    return true;
}

bool drift_find(struct arena *a, struct history *h, const struct night *night, const struct night *good, int ngood,
                struct findings *out, struct err *err)
{
    struct course c;
    for (int i = 0; i < out->all.n; i++) {
        struct finding *f = &out->all.at[i];
        bool open = finding_is(f, REGRESSION_NONE) || finding_is(f, REGRESSION_NOISY) || f->since;
        if (open && (!read_course(a, h, night, good, ngood, f->v.series, &c, err) || !judge(a, h, night, &c, f, err)))
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

/* SPDX-License-Identifier: Apache-2.0 */
/* survival: at one and the same time, arrivals come before stops: a run stopped at t was still at risk at t. */
#include "harness/stats/survival.h"

#include "harness/base/err.h"
#include "harness/stats/chi_square.h"
#include "harness/stats/normal.h"

#include <math.h>
#include <stdlib.h>

static int earlier(const void *a, const void *b)
{
    const struct survival_run *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    if (!p)
        bug("out of memory for %zu runs", n);
    return p;
}

int survival_curve(const struct survival_run *runs, int n, struct survival_step *steps)
{
    struct survival_run *sorted = room((size_t)n, sizeof *sorted);
    int nsteps = 0;
    double share = 1, greenwood = 0;
    for (int i = 0; i < n; i++)
        sorted[i] = runs[i];
    qsort(sorted, (size_t)n, sizeof *sorted, earlier);
    for (int i = 0; i < n;) {
        double time = sorted[i].time, risk = n - i;
        int events = 0, at = i;
        for (; i < n && sorted[i].time == time; i++)
            events += sorted[i].reached;
        if (!events)
            continue;
        share *= 1 - events / risk;
        greenwood += events / (risk * (risk - events)); /* infinite at the last arrival, where S is 0 */
        steps[nsteps++] = (struct survival_step){
            .time = time,
            .at_risk = n - at,
            .events = events,
            .share = share,
            .error = share > 0 ? share * sqrt(greenwood) : 0,
        };
    }
    free(sorted);
    return nsteps;
}

/* Area under the curve, and its standard error: sum over steps of (area still to come)^2 d / (r (r - d)). */
static void restricted(const struct survival_step *s, int n, struct survival *out)
{
    double area = 0, variance = 0, end = out->horizon;
    for (int i = n - 1; i >= -1; i--) {
        double from = i < 0 ? 0 : s[i].time, share = i < 0 ? 1 : s[i].share;
        if (from < end)
            area += share * (end - from), end = from;
        if (i < 0 || s[i].time > out->horizon)
            continue;
        double risk = s[i].at_risk, left = risk - s[i].events;
        if (left > 0)
            variance += area * area * s[i].events / (risk * left);
    }
    out->mean = area;
    out->mean_error = sqrt(variance);
}

/* The times at which "the share is a half" is not refuted on the scale ln(-ln S). */
static void middle(const struct survival_step *s, int n, struct survival *out)
{
    double z = normal_two_sided(0.95);
    out->median = out->low = out->high = INFINITY;
    for (int i = n - 1; i >= 0; i--) {
        if (s[i].share <= 0.5 + 1e-12)
            out->median = s[i].time;
        double low = 0, high = 0; /* of S(t) */
        if (s[i].share > 0) {
            double log_share = log(s[i].share), width = z * s[i].error / (s[i].share * fabs(log_share));
            low = exp(log_share * exp(width));
            high = exp(log_share * exp(-width));
        }
        if (low <= 0.5)
            out->low = s[i].time;
        if (high <= 0.5)
            out->high = s[i].time;
    }
}

struct survival survival_of(const struct survival_run *runs, int n, double horizon)
{
    struct survival out = {.n = n, .share = NAN, .median = NAN, .low = NAN, .high = NAN, .mean = NAN};
    out.mean_error = out.horizon = out.expected = NAN;
    if (n < 1)
        return out;
    double total = 0, longest = 0;
    for (int i = 0; i < n; i++) {
        total += runs[i].time;
        longest = fmax(longest, runs[i].time);
        out.reached += runs[i].reached;
    }
    struct survival_step *steps = room((size_t)n, sizeof *steps);
    int nsteps = survival_curve(runs, n, steps);
    out.share = (double)out.reached / n;
    out.settled = 2 * out.reached >= n;
    out.horizon = horizon > 0 ? horizon : longest;
    out.expected = out.reached ? total / out.reached : INFINITY;
    restricted(steps, nsteps, &out);
    middle(steps, nsteps, &out);
    free(steps);
    return out;
}

/* Runs of one side at risk at `time` and arriving at it. */
static void count(const struct survival_run *runs, int n, double time, double *risk, double *events)
{
    *risk = *events = 0;
    for (int i = 0; i < n; i++) {
        *risk += runs[i].time >= time;
        *events += runs[i].time == time && runs[i].reached;
    }
}

struct logrank survival_logrank(const struct survival_run *a, int na, const struct survival_run *b, int nb)
{
    struct logrank out = {.chi2 = NAN, .p = NAN};
    struct survival_run *both = room((size_t)na + (size_t)nb, sizeof *both);
    struct survival_step *steps = room((size_t)na + (size_t)nb, sizeof *steps);
    double variance = 0;
    for (int i = 0; i < na + nb; i++)
        both[i] = i < na ? a[i] : b[i - na];
    int n = survival_curve(both, na + nb, steps);
    for (int i = 0; i < n; i++) {
        double risk_a, events_a, risk = steps[i].at_risk, events = steps[i].events;
        count(a, na, steps[i].time, &risk_a, &events_a);
        out.observed_a += events_a;
        out.expected_a += events * risk_a / risk;
        if (risk > 1)
            variance += events * (risk_a / risk) * (1 - risk_a / risk) * (risk - events) / (risk - 1);
    }
    if (variance > 0) {
        double off = out.observed_a - out.expected_a;
        out.chi2 = off * off / variance;
        out.p = chi_square_p(out.chi2, 1);
    }
    free(steps);
    free(both);
    return out;
}

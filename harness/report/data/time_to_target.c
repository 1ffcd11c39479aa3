/* SPDX-License-Identifier: Apache-2.0 */
/* time_to_target: the target is one for all seeds of a network, the median of the explorer's last sums, so that an
 * explorer's seed may miss it too and is censored like the rest. */
#include "harness/report/data/time_to_target.h"

#include "harness/stats/permutation.h"
#include "harness/stats/summary.h"

#include <math.h>

const double time_to_target_q[TIME_TO_TARGET_TARGETS] = {1.00, 1.01, 1.02, 1.05};

static struct survival_run run_of(const struct best_curve *c, double target)
{
    double at = best_curve_reach(c, target * (1 + 1e-9)); /* a sum of the same kernels in another order */
    bool reached = isfinite(at);
    return (struct survival_run){reached ? at : best_curve_end(c), reached};
}

static struct survival_run *runs_of(struct arena *a, const struct best_curve_arm *arm, double target)
{
    struct survival_run *runs = ARENA_ARRAY(a, struct survival_run, arm->n + 1);
    for (int s = 0; s < arm->n; s++)
        runs[s] = run_of(&arm->of[s], target);
    return runs;
}

static double target_of(struct arena *a, const struct best_curve_arm *explorer)
{
    double *v = ARENA_ARRAY(a, double, explorer->n + 1);
    int n = 0;
    for (int s = 0; s < explorer->n; s++)
        if (isfinite(best_curve_last(&explorer->of[s])))
            v[n++] = best_curve_last(&explorer->of[s]);
    return n ? summary_median(v, n) : NAN;
}

/* Over trials every arm of a race has a curve; where some arms start from others' records none is told. */
static bool all_have(const struct best_curve_arm *trials, int n)
{
    for (int i = 0; i < n; i++)
        if (!trials[i].n)
            return false;
    return true;
}

static void one_target(struct arena *a, const struct best_curve_arm *curves, const struct best_curve_arm *trials, int q,
                       struct time_to_target_network *out)
{
    double target = time_to_target_q[q] * out->target_s, *p = ARENA_ARRAY(a, double, out->n + 1);
    struct survival_run *base = runs_of(a, &curves[0], target);
    for (int i = 0; i < out->n; i++) {
        struct survival_run *runs = runs_of(a, &curves[i], target);
        out->arms[i].arm = curves[i].arm;
        out->arms[i].of[q] = survival_of(runs, curves[i].n, 0);
        out->arms[i].trials[q] =
            survival_of(runs_of(a, &trials[i], target), all_have(trials, out->n) ? trials[i].n : 0, 0);
        p[i] = i && curves[i].n ? survival_logrank(runs, curves[i].n, base, curves[0].n).p : (double)NAN;
        out->arms[i].p[q] = p[i];
    }
    permutation_holm(p, out->n, p);
    for (int i = 0; i < out->n; i++)
        out->arms[i].holm[q] = p[i];
}

struct time_to_target_network *time_to_target_make(const struct results *r, int *n)
{
    struct arena *a = r->records->a;
    struct time_to_target_network *all = ARENA_ARRAY(a, struct time_to_target_network, r->nnetworks + 1);
    *n = 0;
    for (int i = 0; i < r->nnetworks && r->seeds > 1; i++) {
        int ncurves;
        struct best_curve_arm *curves = best_curves_make(r, i, BEST_WALL, &ncurves),
                              *trials = best_curves_make(r, i, BEST_TRIALS, &ncurves);
        if (!ncurves)
            continue;
        struct time_to_target_network *out = &all[(*n)++];
        *out = (struct time_to_target_network){.network = i, .target_s = target_of(a, &curves[0])};
        out->n = isfinite(out->target_s) ? ncurves : 0;
        out->arms = ARENA_ARRAY(a, struct time_to_target_arm, ncurves);
        for (int q = 0; q < TIME_TO_TARGET_TARGETS && out->n; q++)
            one_target(a, curves, trials, q, out);
    }
    return all;
}

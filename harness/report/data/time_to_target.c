/* SPDX-License-Identifier: Apache-2.0 */
/* time_to_target: the target is one for all seeds of a network, the median of the explorer's last sums, so that an
 * explorer's seed may miss it too and is censored like the rest. */
#include "harness/report/data/time_to_target.h"

#include "harness/stats/design_effect.h"
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

/* Over trials every arm of a race has a curve; where some arms start from others' records there is none. */
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

/* ---- equal quality ---- */

/* The explorer's clock over the arm's, seed by seed; NAN: not known. */
static void equal_row(const struct results *r, const struct best_curve_arm *explorer, const struct equal_quality *of,
                      int network, double *v, int *reached)
{
    int at = 0;
    for (int s = 0; s < r->seeds; s++) {
        const struct cell_result *c = results_cell(r, of->arm, network, s);
        v[s] = NAN;
        if (!results_cell(r, explorer->arm, network, s))
            continue;
        const struct best_curve *curve = &explorer->of[at++];
        double sum = c ? c->of[PART_KEPT].kernel_s[SUM_PLAIN] : INFINITY;
        if (!isfinite(sum) || !isfinite(best_curve_last(curve)))
            continue;
        struct survival_run run = run_of(curve, sum);
        v[s] = run.time / c->of[PART_KEPT].search_s[CLOCK_WALL];
        *reached += run.reached;
    }
}

static void equal_one(const struct results *r, struct best_curve_arm *const *curves, double margin,
                      struct equal_quality *out)
{
    struct arena *a = r->records->a;
    double *v = ARENA_ARRAY(a, double, (int64_t)r->nnetworks * r->seeds + 1);
    int rows = 0;
    for (int n = 0; n < r->nnetworks; n++)
        if (out->network < 0 || out->network == n)
            equal_row(r, &curves[n][0], out, n, v + (int64_t)rows++ * r->seeds, &out->reached);
    for (int i = 0; i < rows * r->seeds; i++)
        out->runs += isfinite(v[i]);
    estimate_of(a, v, rows, r->seeds, margin, &out->speedup);
    design_effect_widen(&out->speedup, out->network < 0 ? r->design : 1);
}

struct equal_quality *equal_quality_make(const struct results *r, double margin, int *n)
{
    struct arena *a = r->records->a;
    struct best_curve_arm **curves = ARENA_ARRAY(a, struct best_curve_arm *, r->nnetworks + 1);
    struct equal_quality *all = ARENA_ARRAY(a, struct equal_quality, r->narms * (r->nnetworks + 1) + 1);
    int ncurves = 0;
    *n = 0;
    for (int i = 0; i < r->nnetworks; i++)
        curves[i] = best_curves_make(r, i, BEST_WALL, &ncurves);
    for (int network = -1; network < r->nnetworks && ncurves; network++)
        for (int i = 0; i < r->narms; i++) {
            const struct result_arm *arm = &r->arms[i];
            if (arm->explorer < 0 || arm->remeasures || arm->explorer != curves[0][0].arm)
                continue;
            all[*n] = (struct equal_quality){.arm = i, .network = network};
            equal_one(r, curves, margin, &all[(*n)++]);
        }
    return all;
}

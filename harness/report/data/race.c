/* SPDX-License-Identifier: Apache-2.0 */
/* race: made of the best-so-far curves and of the cells. */
#include "harness/report/data/race.h"

#include "harness/report/data/best_curve.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/geometric_mean.h"
#include "harness/stats/pooled.h"
#include "harness/stats/summary.h"

#include <math.h>

struct maker {
    const struct results *r;
    struct arena *a;
    double margin;
    struct race_results *out;
    struct curves { /* of one network, over seconds and over trials */
        const struct best_curve_arm *of[2];
        int n;
    } *curves;
};

/* ---- the common target ---- */

struct reach { /* of two arms on one network; seeds entries, NAN: not known */
    double *arm[2], *base[2], target_s;
};

/* A seed's curve: those of an arm are of the seeds that are done, in order. NULL: not done. */
static const struct best_curve *curve_of(const struct maker *m, int network, int axis, int arm, int seed)
{
    const struct curves *c = &m->curves[network];
    int at = 0;
    if (!results_cell(m->r, arm, network, seed))
        return NULL;
    for (int s = 0; s < seed; s++)
        at += results_cell(m->r, arm, network, s) != NULL;
    for (int i = 0; i < c->n; i++)
        if (c->of[axis][i].arm == arm)
            return at < c->of[axis][i].n ? &c->of[axis][i].of[at] : NULL;
    return NULL;
}

/* The slowest last sum of both arms; NAN: there is none. */
static double target_of(const struct maker *m, int network, int arm, int over)
{
    double target = NAN;
    for (int s = 0; s < m->r->seeds; s++)
        for (int side = 0; side < 2; side++) {
            const struct best_curve *c = curve_of(m, network, BEST_WALL, side ? over : arm, s);
            double last = c ? best_curve_last(c) : INFINITY;
            if (isfinite(last) && !(target >= last))
                target = last;
        }
    return target;
}

static double reach_of(const struct best_curve *c, double target)
{
    double at = c ? best_curve_reach(c, target * (1 + 1e-9)) : INFINITY; /* sums of the same in another order */
    return isfinite(at) ? at : NAN;
}

static struct reach reaches(const struct maker *m, int network, int arm, int over)
{
    struct reach out = {.target_s = target_of(m, network, arm, over)};
    for (int axis = 0; axis < 2; axis++) {
        out.arm[axis] = ARENA_ARRAY(m->a, double, m->r->seeds + 1);
        out.base[axis] = ARENA_ARRAY(m->a, double, m->r->seeds + 1);
        for (int s = 0; s < m->r->seeds; s++) {
            out.arm[axis][s] = reach_of(curve_of(m, network, axis, arm, s), out.target_s);
            out.base[axis][s] = reach_of(curve_of(m, network, axis, over, s), out.target_s);
        }
    }
    return out;
}

static double geomean(const double *v, int n)
{
    struct geometric_mean mean = {0};
    for (int i = 0; i < n; i++)
        geometric_mean_take(&mean, v[i]);
    return geometric_mean_of(&mean);
}

static void race_one(const struct maker *m, int arm, int network, const struct reach *of, int rows,
                     struct race_arm *out)
{
    int seeds = m->r->seeds;
    *out = (struct race_arm){.arm = arm, .network = network, .target_s = NAN};
    out->wall_s = out->base_wall_s = out->trials = out->base_trials = NAN;
    for (int axis = 0; axis < 2; axis++) {
        double *v = ARENA_ARRAY(m->a, double, (int64_t)rows *seeds + 1);
        for (int i = 0; i < rows * seeds; i++) {
            const struct reach *r = &of[i / seeds];
            v[i] = r->base[axis][i % seeds] / r->arm[axis][i % seeds];
            out->runs += axis == BEST_WALL && ratio_usable(v[i]);
        }
        struct estimate *e = axis == BEST_WALL ? &out->wall : &out->in_trials;
        estimate_of(m->a, v, rows, seeds, m->margin, e);
        design_effect_widen(e, network < 0 ? m->r->design : 1);
    }
    if (network < 0)
        return;
    out->target_s = of->target_s;
    out->wall_s = geomean(of->arm[BEST_WALL], seeds);
    out->base_wall_s = geomean(of->base[BEST_WALL], seeds);
    out->trials = geomean(of->arm[BEST_TRIALS], seeds);
    out->base_trials = geomean(of->base[BEST_TRIALS], seeds);
}

/* Of the n rows of one network, or over networks. */
static void correct(const struct maker *m, struct race_arm *rows, int n)
{
    struct estimate **wall = ARENA_ARRAY(m->a, struct estimate *, n + 1);
    struct estimate **trials = ARENA_ARRAY(m->a, struct estimate *, n + 1);
    for (int i = 0; i < n; i++) {
        wall[i] = &rows[i].wall;
        trials[i] = &rows[i].in_trials;
    }
    estimate_correct(m->a, wall, n);
    estimate_correct(m->a, trials, n);
}

static void race_arms(const struct maker *m, const struct comparisons *c)
{
    int networks = m->r->nnetworks, n = c->narms;
    struct race_results *out = m->out;
    struct reach *of = ARENA_ARRAY(m->a, struct reach, networks + 1);
    out->narms = n * (networks + 1);
    out->arms = ARENA_ARRAY(m->a, struct race_arm, out->narms + 1);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < networks; k++) {
            of[k] = reaches(m, k, c->arms[i], 0);
            race_one(m, c->arms[i], k, &of[k], 1, &out->arms[(k + 1) * n + i]);
        }
        race_one(m, c->arms[i], -1, of, networks, &out->arms[i]);
    }
    for (int k = 0; k <= networks; k++)
        correct(m, &out->arms[k * n], n);
}

/* ---- parity ---- */

/* Of one network; seeds entries each. */
struct parity {
    double *ratio[RACE_SUMS], *reach_s, *whole_s;
    double target_s;
    int runs[RACE_SUMS], reached[RACE_SUMS];
};

/* What re-timing made of a run's last sum: re-timed over as tuned. NAN: not all of its programs were re-timed. */
static double bias_of(const struct maker *m, int arm, int network, int seed)
{
    const struct cell_result *c = results_cell(m->r, arm, network, seed);
    const struct totals *t = c ? &c->of[PART_KEPT] : NULL;
    double bias = t ? t->retimed_s[SUM_PLAIN] / t->kernel_s[SUM_PLAIN] : NAN;
    return ratio_usable(bias) ? bias : NAN;
}

/* Median over seeds of the last sums of the arm that others are set against; NAN: it has none. */
static double parity_target(const struct maker *m, int over, int network, enum race_sum sum)
{
    double *v = ARENA_ARRAY(m->a, double, m->r->seeds + 1);
    int n = 0;
    for (int s = 0; s < m->r->seeds; s++) {
        const struct best_curve *c = curve_of(m, network, BEST_WALL, over, s);
        double last = c ? best_curve_last(c) * (sum == RACE_RETIMED ? bias_of(m, over, network, s) : 1) : NAN;
        if (ratio_usable(last))
            v[n++] = last;
    }
    return n ? summary_median(v, n) : NAN;
}

/* One seed, by sums of one kind. */
static void parity_seed(const struct maker *m, const struct race_parity *who, int s, enum race_sum sum, double target,
                        struct parity *out)
{
    int arm = who->arm, network = who->network;
    const struct best_curve *c = curve_of(m, network, BEST_WALL, arm, s),
                            *base = curve_of(m, network, BEST_WALL, who->over, s);
    double bias = sum == RACE_RETIMED ? bias_of(m, arm, network, s) : 1;
    bool known = c && base && ratio_usable(bias) && ratio_usable(target) && isfinite(best_curve_last(c));
    double whole = known ? best_curve_end(base) : NAN, at = known ? reach_of(c, target / bias) : NAN;
    out->ratio[sum][s] = ratio_usable(at) ? whole / at : known ? fmin(whole / best_curve_end(c), 1) : NAN;
    out->runs[sum] += ratio_usable(out->ratio[sum][s]);
    out->reached[sum] += ratio_usable(out->ratio[sum][s]) && ratio_usable(at);
    if (sum == RACE_TUNED) {
        out->whole_s[s] = whole;
        out->reach_s[s] = at;
    }
}

/* who: the arms and the network. */
static struct parity parity_of(const struct maker *m, const struct race_parity *who)
{
    int seeds = m->r->seeds;
    struct parity out = {.reach_s = ARENA_ARRAY(m->a, double, seeds + 1),
                         .whole_s = ARENA_ARRAY(m->a, double, seeds + 1)};
    for (int sum = 0; sum < RACE_SUMS; sum++) {
        double target = parity_target(m, who->over, who->network, (enum race_sum)sum);
        out.ratio[sum] = ARENA_ARRAY(m->a, double, seeds + 1);
        out.target_s = sum == RACE_TUNED ? target : out.target_s;
        for (int s = 0; s < seeds; s++)
            parity_seed(m, who, s, (enum race_sum)sum, target, &out);
    }
    return out;
}

/* The arithmetic mean over rows, whose logs vary by seeds as those of the geometric mean do. */
static struct estimate arithmetic_of(const double *v, int rows, int seeds, const struct estimate *geometric)
{
    double sum = 0, squares = 0, wide;
    struct estimate out = *geometric;
    int n = 0;
    for (int i = 0; i < rows; i++) {
        double mean = geomean(v + (int64_t)i * seeds, seeds);
        sum += ratio_usable(mean) ? mean : 0;
        squares += ratio_usable(mean) ? mean * mean : 0;
        n += ratio_usable(mean);
    }
    if (n < 2)
        return out;
    wide = sqrt((double)n * squares) / sum;
    out.ratio = sum / n;
    out.p = out.holm = NAN;
    out.rows = (struct interval){.ratio = NAN, .low = NAN, .high = NAN};
    out.half = out.over == ESTIMATE_SEEDS ? geometric->half * wide : (double)NAN;
    out.over = isnan(out.half) ? ESTIMATE_NOTHING : out.over;
    out.low = out.ratio * exp(-out.half);
    out.high = out.ratio * exp(out.half);
    return out;
}

/* out: says which arms and which network. */
static void parity_one(const struct maker *m, const struct parity *of, int rows, struct race_parity *out)
{
    int seeds = m->r->seeds, network = out->network;
    double *v = ARENA_ARRAY(m->a, double, (int64_t)rows *seeds + 1);
    out->target_s = out->whole_s = out->reach_s = NAN;
    for (int i = 0; i < rows; i++)
        out->networks += of[i].runs[RACE_TUNED] > 0;
    for (int sum = 0; sum < RACE_SUMS; sum++) {
        for (int i = 0; i < rows * seeds; i++)
            v[i] = of[i / seeds].ratio[sum][i % seeds];
        for (int i = 0; i < rows; i++) {
            out->runs[sum] += of[i].runs[sum];
            out->reached[sum] += of[i].reached[sum];
        }
        estimate_of(m->a, v, rows, seeds, m->margin, &out->geometric[sum]);
        design_effect_widen(&out->geometric[sum], network < 0 ? m->r->design : 1);
        out->arithmetic[sum] = arithmetic_of(v, rows, seeds, &out->geometric[sum]);
    }
    if (network < 0)
        return;
    out->target_s = of->target_s;
    out->whole_s = geomean(of->whole_s, seeds);
    out->reach_s = geomean(of->reach_s, seeds);
}

static void parity_correct(const struct maker *m, struct race_parity *rows, int n)
{
    struct estimate **family = ARENA_ARRAY(m->a, struct estimate *, n + 1);
    for (int sum = 0; sum < RACE_SUMS; sum++) {
        for (int i = 0; i < n; i++)
            family[i] = &rows[i].geometric[sum];
        estimate_correct(m->a, family, n);
    }
}

static void race_parities(const struct maker *m, const struct comparisons *c)
{
    int networks = m->r->nnetworks, n = c->narms;
    struct parity *of = ARENA_ARRAY(m->a, struct parity, networks + 1);
    m->out->parity = ARENA_ARRAY(m->a, struct race_parity, m->out->narms + 1);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < networks; k++) {
            struct race_parity *one = &m->out->parity[(k + 1) * n + i];
            *one = (struct race_parity){.arm = c->arms[i], .network = k};
            of[k] = parity_of(m, one);
            parity_one(m, &of[k], 1, one);
        }
        m->out->parity[i] = (struct race_parity){.arm = c->arms[i], .network = -1};
        parity_one(m, of, networks, &m->out->parity[i]);
    }
    for (int k = 0; k <= networks; k++)
        parity_correct(m, &m->out->parity[k * n], n);
}

/* One family for each arm that others are set against, as above. */
static void race_pairs(const struct maker *m, const struct comparisons *c)
{
    int networks = m->r->nnetworks, n = c->narms;
    struct parity *of = ARENA_ARRAY(m->a, struct parity, networks + 1);
    struct reach *to = ARENA_ARRAY(m->a, struct reach, networks + 1);
    struct race_parity *at = m->out->pairs = ARENA_ARRAY(m->a, struct race_parity, n * n + 1);
    for (int over = 0; over < n; over++) {
        struct race_parity *first = at;
        for (int i = over + 1; i < n; i++, at++) {
            for (int k = 0; k < networks; k++)
                of[k] = parity_of(m, &(struct race_parity){.arm = c->arms[i], .over = c->arms[over], .network = k});
            *at = (struct race_parity){.arm = c->arms[i], .over = c->arms[over], .network = -1};
            parity_one(m, of, networks, at);
            for (int k = 0; k < networks; k++)
                to[k] = reaches(m, k, c->arms[i], c->arms[over]);
            struct race_arm common;
            race_one(m, c->arms[i], -1, to, networks, &common);
            at->common = common.wall;
        }
        parity_correct(m, first, (int)(at - first));
    }
    m->out->npairs = (int)(at - m->out->pairs);
}

/* ---- kernels ---- */

/* Logs of the seconds, [kernel * seeds + seed]; NAN: none. */
static double *times_of(const struct maker *m, int arm, int network)
{
    int kernels = m->r->networks[network].kernels, seeds = m->r->seeds;
    double *logs = ARENA_ARRAY(m->a, double, (int64_t)kernels *seeds + 1);
    for (int i = 0; i < kernels * seeds; i++) {
        const struct cell_result *c = results_cell(m->r, arm, network, i % seeds);
        const struct kernel_result *k = c ? &c->kernels[i / seeds] : NULL;
        double s = !k ? NAN : m->out->retimed ? k->retimed_s[PART_KEPT] : k->kernel_s[PART_KEPT];
        logs[i] = ratio_usable(s) ? log(s) : NAN;
    }
    return logs;
}

static const struct cell_result *any_cell(const struct maker *m, int arm, int network)
{
    for (int s = 0; s < m->r->seeds; s++)
        if (results_cell(m->r, arm, network, s))
            return results_cell(m->r, arm, network, s);
    return NULL;
}

static void race_kernels_of(const struct maker *m, int arm, int network, int place)
{
    int kernels = m->r->networks[network].kernels;
    const struct cell_result *cell = any_cell(m, arm, network);
    struct pooled_row *rows = ARENA_ARRAY(m->a, struct pooled_row, kernels + 1);
    pooled_rows(times_of(m, arm, network), kernels, m->r->seeds, ESTIMATE_CONFIDENCE, rows);
    for (int t = 0; t < kernels && cell; t++) {
        double gflop = m->r->records->scan.cells[cell->cell].tasks[t].flops / 1e9, half = rows[t].half;
        struct race_kernel *k = &m->out->kernels[m->out->nkernels + t * m->r->narms + place];
        *k = (struct race_kernel){.arm = arm, .network = network, .name = cell->kernels[t].name, .runs = rows[t].n};
        k->kernel_s = exp(rows[t].mean);
        k->gflops = gflop / k->kernel_s;
        k->low = isfinite(half) ? k->gflops * exp(-half) : NAN;
        k->high = isfinite(half) ? k->gflops * exp(half) : NAN;
    }
}

static void race_kernels(const struct maker *m)
{
    int most = 0;
    for (int n = 0; n < m->r->nnetworks; n++)
        most += m->r->networks[n].kernels * m->r->narms;
    m->out->kernels = ARENA_ARRAY(m->a, struct race_kernel, most + 1);
    for (int n = 0; n < m->r->nnetworks; n++) {
        for (int i = 0; i < m->r->narms; i++)
            race_kernels_of(m, i, n, i);
        m->out->nkernels += m->r->networks[n].kernels * m->r->narms;
    }
}

void race_make(const struct comparisons *c, double margin, struct race_results *out)
{
    const struct results *r = c->results;
    struct maker m = {.r = r, .a = r->records->a, .margin = margin, .out = out};
    *out = (struct race_results){.retimed = quantity_is_retimed(c->headline)};
    m.curves = ARENA_ARRAY(m.a, struct curves, r->nnetworks + 1);
    for (int n = 0; n < r->nnetworks; n++)
        for (int axis = 0; axis < 2; axis++)
            m.curves[n].of[axis] = best_curves_make(r, n, (enum best_axis)axis, &m.curves[n].n);
    race_arms(&m, c);
    race_parities(&m, c);
    race_pairs(&m, c);
    race_kernels(&m);
}

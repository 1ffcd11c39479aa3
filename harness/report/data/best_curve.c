/* SPDX-License-Identifier: Apache-2.0 */
/* best_curve: made of the improvements that the scan kept, so no record is read again. */
#include "harness/report/data/best_curve.h"

#include "harness/base/vec.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

struct points {
    VEC(double) x, y;
};

static void add(struct points *p, double x, double y)
{
    vec_push(&p->x, x);
    vec_push(&p->y, y);
}

static struct best_curve keep(struct arena *a, struct points *p)
{
    struct best_curve c;
    vec_keep(a, &p->x, &c.x, &c.n);
    vec_keep(a, &p->y, &c.y, &c.n);
    return c;
}

/* ---- one cell ---- */

struct found { /* an improvement, and the task it is of */
    const struct scan_step *step;
    int task;
};

static int by_ordinal(const void *a, const void *b)
{
    int64_t x = ((const struct found *)a)->step->ordinal, y = ((const struct found *)b)->step->ordinal;
    return x < y ? -1 : x > y;
}

static struct best_curve explored(struct arena *a, const struct record_scan *s, int cell, enum best_axis x)
{
    int ntasks = s->cells[cell].ntasks, n = 0;
    int64_t trials = 0;
    struct points p = {0};
    for (int t = 0; t < ntasks; t++) {
        n += s->of[cell].kernels[t].nsteps;
        trials += s->of[cell].kernels[t].all.records;
    }
    struct found *all = ARENA_ARRAY(a, struct found, n + 1);
    double *best = ARENA_ARRAY(a, double, ntasks + 1);
    n = 0;
    for (int t = 0; t < ntasks; t++) {
        best[t] = INFINITY;
        for (int i = 0; i < s->of[cell].kernels[t].nsteps; i++)
            all[n++] = (struct found){&s->of[cell].kernels[t].steps[i], t};
    }
    qsort(all, (size_t)n, sizeof *all, by_ordinal);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        best[all[i].task] = all[i].step->mean_s;
        for (int t = 0; t < ntasks; t++)
            sum += best[t];
        if (isfinite(sum) && (!p.y.n || sum < vec_last(&p.y)))
            add(&p, x == BEST_WALL ? all[i].step->elapsed_s : (double)all[i].step->ordinal + 1, sum);
    }
    if (p.y.n)
        add(&p, x == BEST_WALL ? s->of[cell].clock_s : (double)trials, vec_last(&p.y));
    return keep(a, &p);
}

/* Kernel after kernel: from the seed's time down (where the seed is measured again: from its own first time); the clock
 * goes on by what its trials took. */
static struct best_curve exploited(struct arena *a, const struct record_scan *s, const struct cell_result *c)
{
    double clock = c->of[PART_SEED].search_s[CLOCK_WALL], sum = c->of[PART_SEED].kernel_s[SUM_PLAIN];
    struct points p = {0};
    add(&p, clock, sum);
    for (int t = 0; t < c->nkernels; t++) {
        const struct scan_kernel *k = &s->of[record_scan_home(s, c->cell, t)].kernels[t];
        const struct scan_trial *seed = record_scan_trial(s, s->cells[c->cell].tasks[t].seed_trial);
        double best = seed ? seed->mean_s : INFINITY;
        bool trusted = records_keeps_seed(s, c->cell);
        for (int i = 0; i < k->nsteps; i++) {
            if (!(k->steps[i].mean_s < best) && (trusted || i))
                continue;
            sum = isfinite(sum) ? sum + k->steps[i].mean_s - best : INFINITY;
            best = k->steps[i].mean_s;
            add(&p, clock + k->steps[i].wall_s, sum);
        }
        clock += k->all.wall_s;
    }
    add(&p, clock, sum);
    return keep(a, &p);
}

/* ---- arms ---- */

static int first_base(const struct results *r)
{
    for (int i = 0; i < r->narms; i++)
        if (r->arms[i].base >= 0 && !r->arms[i].remeasures)
            return r->arms[i].base;
    return -1;
}

static struct best_curve_arm arm_of(const struct results *r, int arm, int network, enum best_axis x)
{
    struct arena *a = r->records->a;
    struct best_curve_arm out = {.arm = arm, .of = ARENA_ARRAY(a, struct best_curve, r->seeds + 1)};
    bool explores = r->arms[arm].explorer < 0;
    for (int s = 0; s < r->seeds && (explores || x == BEST_WALL); s++) {
        const struct cell_result *c = results_cell(r, arm, network, s);
        if (c)
            out.of[out.n++] =
                explores ? explored(a, &r->records->scan, c->cell, x) : exploited(a, &r->records->scan, c);
    }
    return out;
}

struct best_curve_arm *best_curves_make(const struct results *r, int network, enum best_axis x, int *n)
{
    int base = first_base(r);
    struct best_curve_arm *all = ARENA_ARRAY(r->records->a, struct best_curve_arm, r->narms + 1);
    *n = 0;
    if (base < 0)
        return all;
    all[(*n)++] = arm_of(r, base, network, x);
    for (int i = 0; i < r->narms; i++)
        if (r->arms[i].base == base && !r->arms[i].remeasures)
            all[(*n)++] = arm_of(r, i, network, x);
    return all;
}

double best_curve_at(const struct best_curve *c, double x)
{
    int low = 0, high = c->n; /* points up to x */
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->x[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? c->y[low - 1] : INFINITY;
}

double best_curve_reach(const struct best_curve *c, double y)
{
    for (int i = 0; i < c->n; i++)
        if (c->y[i] <= y)
            return c->x[i];
    return INFINITY;
}

double best_curve_end(const struct best_curve *c)
{
    return c->n ? c->x[c->n - 1] : 0;
}

double best_curve_last(const struct best_curve *c)
{
    return c->n ? c->y[c->n - 1] : INFINITY;
}

/* ---- seeds joined ---- */

/* All x of the seeds, in order, without those before most of the seeds begin. */
static int common_points(const struct best_curve_arm *arm, double *x, double *begins)
{
    int all = 0, n = 0;
    for (int s = 0; s < arm->n; s++) {
        begins[s] = INFINITY;
        for (int i = 0; i < arm->of[s].n; i++) {
            x[all++] = arm->of[s].x[i];
            if (isfinite(arm->of[s].y[i]))
                begins[s] = fmin(begins[s], arm->of[s].x[i]);
        }
    }
    qsort(begins, (size_t)arm->n, sizeof *begins, summary_ascending);
    qsort(x, (size_t)all, sizeof *x, summary_ascending);
    for (int i = 0; i < all; i++)
        if (x[i] >= begins[arm->n / 2] && (n == 0 || x[i] > x[n - 1]))
            x[n++] = x[i];
    return n;
}

/* How far two points lie apart on a page with logarithmic axes. */
static double apart(double x1, double y1, double x2, double y2)
{
    return fabs(log(x2 / x1)) + 4 * fabs(log(y2 / y1));
}

struct best_band best_band_of(struct arena *a, const struct best_curve_arm *arm, int most)
{
    int points = 1, n;
    struct best_band b = {0};
    for (int s = 0; s < arm->n; s++)
        points += arm->of[s].n;
    double *x = ARENA_ARRAY(a, double, 4 * points), *y = x + points, *low = y + points, *high = low + points;
    double *v = ARENA_ARRAY(a, double, arm->n + 1), length = 0, gone = 0;
    n = common_points(arm, x, v);
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < arm->n; s++)
            v[s] = best_curve_at(&arm->of[s], x[i]);
        qsort(v, (size_t)arm->n, sizeof *v, summary_ascending);
        y[i] = summary_median(v, arm->n);
        low[i] = v[0];
        high[i] = v[arm->n - 1];
        length += i ? apart(x[i - 1], y[i - 1], x[i], y[i]) : 0;
    }
    for (int i = 0; i < n; i++) {
        gone += i ? apart(x[i - 1], y[i - 1], x[i], y[i]) : 0;
        if (i && i + 1 < n && gone < length / most)
            continue;
        gone = 0;
        x[b.n] = x[i], y[b.n] = y[i], low[b.n] = low[i], high[b.n++] = high[i];
    }
    b.x = x, b.median = y, b.low = low, b.high = high;
    return b;
}

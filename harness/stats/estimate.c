/* SPDX-License-Identifier: Apache-2.0 */
/* estimate: joins intervals, tests and superiority of the same ratios. */
#include "harness/stats/estimate.h"

#include "harness/stats/geometric_mean.h"
#include "harness/stats/permutation.h"
#include "harness/stats/pooled.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>

/* n values, `step` apart; the usable ones into out. */
static int pick(const double *v, int n, int step, double *out)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (ratio_usable(v[i * step]))
            out[count++] = v[i * step];
    return count;
}

/* Means over seeds of each row that has one; *most: seeds of the row that has most. */
static int row_means(const double *v, int rows, int seeds, double *spare, double *out, int *most)
{
    int n = 0;
    *most = 0;
    for (int r = 0; r < rows; r++) {
        int count = pick(v + r * seeds, seeds, 1, spare);
        if (count)
            out[n++] = summary_geomean(spare, count);
        *most = count > *most ? count : *most;
    }
    return n;
}

/* Means over rows with `most` seeds, of each seed that they have. */
static int seed_means(const double *v, int rows, int seeds, int most, double *spare, double *out)
{
    int n = 0;
    for (int s = 0; s < seeds; s++) {
        int count = 0;
        for (int r = 0; r < rows; r++)
            if (ratio_usable(v[r * seeds + s]) && pick(v + r * seeds, seeds, 1, spare + rows) == most)
                spare[count++] = v[r * seeds + s];
        if (count)
            out[n++] = summary_geomean(spare, count);
    }
    return n;
}

static double test(const double *ratios, int n, double *logs)
{
    for (int i = 0; i < n; i++)
        logs[i] = log(ratios[i]);
    return n > 1 ? permutation_signs(logs, n, ESTIMATE_DRAWS, PERMUTATION_SEED).p : NAN;
}

/* Of the seeds' spread within rows. */
static struct pooled pool(const double *v, int rows, int seeds, double *logs)
{
    for (int i = 0; i < rows * seeds; i++)
        logs[i] = ratio_usable(v[i]) ? log(v[i]) : NAN;
    return pooled_mean(logs, rows, seeds, ESTIMATE_CONFIDENCE);
}

static void take_pooled(const struct pooled *p, int seeds, struct estimate *out)
{
    out->over = ESTIMATE_SEEDS;
    out->method = INTERVAL_POOLED;
    out->n = seeds;
    out->half = p->half;
    out->low = exp(p->mean - p->half);
    out->high = exp(p->mean + p->half);
    out->p = out->holm = p->error > 0 ? t_test_p(p->mean / p->error, p->df) : p->mean != 0 ? 0 : 1;
}

/* Over seeds' means, or over rows of one seed; i: their interval. */
static void take_values(const double *v, const struct interval *i, enum estimate_over over, double *spare,
                        struct estimate *out)
{
    out->over = over;
    out->low = i->low;
    out->high = i->high;
    out->half = log(i->high / i->low) / 2;
    out->method = i->method;
    out->n = i->n;
    out->p = out->holm = test(v, i->n, spare);
}

void estimate_of(struct arena *a, const double *v, int rows, int seeds, double margin, struct estimate *out)
{
    int all = rows * seeds, most, nrows, nseeds;
    double *spare = ARENA_ARRAY(a, double, all + rows + seeds + 1);
    double *by_row = ARENA_ARRAY(a, double, rows + 1), *by_seed = ARENA_ARRAY(a, double, seeds + 1);
    nrows = row_means(v, rows, seeds, spare, by_row, &most);
    nseeds = seed_means(v, rows, seeds, most, spare, by_seed);
    *out = (struct estimate){.ratio = summary_geomean(by_row, nrows), .low = NAN, .high = NAN, .n = nseeds};
    out->p = out->holm = out->half = NAN;
    out->rows = interval_ratios(by_row, nrows, ESTIMATE_CONFIDENCE);
    out->better = superiority_paired(spare, pick(v, all, 1, spare), margin, ESTIMATE_CONFIDENCE);
    struct pooled within = pool(v, rows, seeds, spare);
    out->df = within.df;
    if (within.df > 0 && nseeds < POOLED_SEEDS)
        take_pooled(&within, nseeds, out);
    else if (nseeds > 1) {
        struct interval of_seeds = interval_ratios(by_seed, nseeds, ESTIMATE_CONFIDENCE);
        take_values(by_seed, &of_seeds, ESTIMATE_SEEDS, spare, out);
    } else if (nrows > 1)
        take_values(by_row, &out->rows, ESTIMATE_ROWS, spare, out);
}

void estimate_drop_widthless(struct estimate *e)
{
    if (e->over == ESTIMATE_NOTHING || e->high > e->low || e->ratio != 1)
        return;
    e->over = ESTIMATE_NOTHING;
    e->low = e->high = e->half = e->p = e->holm = NAN;
    e->df = 0;
}

const char *estimate_over_word(const struct estimate *e, const char *rows)
{
    return e->over == ESTIMATE_NOTHING ? "none" : e->over == ESTIMATE_SEEDS ? "seeds" : rows;
}

void estimate_correct(struct arena *a, struct estimate *const *family, int n)
{
    double *p = ARENA_ARRAY(a, double, n + 1);
    for (int i = 0; i < n; i++)
        p[i] = family[i]->p;
    permutation_holm(p, n, p);
    for (int i = 0; i < n; i++)
        family[i]->holm = p[i];
}

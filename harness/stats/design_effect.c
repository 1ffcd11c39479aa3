/* SPDX-License-Identifier: Apache-2.0 */
/* design_effect: parts are sorted, so that equal ones stand side by side. */
#include "harness/stats/design_effect.h"

#include "harness/stats/t_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int by_part(const void *a, const void *b)
{
    const struct design_part *x = a, *y = b;
    return (x->part > y->part) - (x->part < y->part);
}

static bool counts(const struct design_part *p)
{
    return p->weight > 0 && isfinite(p->weight);
}

/* The parts that count, each with its share of its row, by part; how many. */
static int shares_of(struct arena *a, const struct design_part *parts, int n, struct design_part *out)
{
    int rows = 0, m = 0;
    for (int i = 0; i < n; i++)
        rows = parts[i].row >= rows ? parts[i].row + 1 : rows;
    double *sum = ARENA_ARRAY(a, double, rows + 1);
    for (int i = 0; i < n; i++)
        sum[parts[i].row] += counts(&parts[i]) ? parts[i].weight : 0;
    for (int i = 0; i < n; i++)
        if (counts(&parts[i])) {
            out[m] = parts[i];
            out[m++].weight /= sum[parts[i].row];
        }
    if (m)
        qsort(out, (size_t)m, sizeof *out, by_part);
    return m;
}

double design_effect(struct arena *a, const struct design_part *parts, int n)
{
    struct arena_mark mark = arena_mark(a);
    struct design_part *of = ARENA_ARRAY(a, struct design_part, n + 1);
    double together = 0, apart = 0;
    int m = shares_of(a, parts, n, of);
    for (int i = 0, end; i < m; i = end) {
        double sum = 0;
        for (end = i; end < m && of[end].part == of[i].part; end++) {
            sum += of[end].weight;
            apart += of[end].weight * of[end].weight;
        }
        together += sum * sum;
    }
    arena_release(a, mark);
    return apart > 0 ? fmax(1, together / apart) : 1;
}

double design_effect_df(double rows, double seeds, double design)
{
    return fmax(seeds - 1, rows * (seeds - 1) / fmax(1, design));
}

static void set_half(double half, double *low, double *high)
{
    double middle = (log(*low) + log(*high)) / 2;
    *low = exp(middle - half);
    *high = exp(middle + half);
}

static void widen_pooled(struct estimate *e, double design)
{
    double error = e->half / t_test_quantile(ESTIMATE_CONFIDENCE, e->df) * sqrt(design);
    double middle = (log(e->low) + log(e->high)) / 2;
    e->df = fmin(e->df, fmax(e->n - 1, e->df / design));
    e->half = t_test_quantile(ESTIMATE_CONFIDENCE, e->df) * error;
    set_half(e->half, &e->low, &e->high);
    if (error > 0)
        e->p = e->holm = t_test_p(middle / error, e->df);
}

void design_effect_widen(struct estimate *e, double design)
{
    bool known = isfinite(e->half) && e->low > 0 && e->high > 0;
    if (!(design > 1))
        return;
    if (e->rows.low > 0 && isfinite(e->rows.high))
        set_half(log(e->rows.high / e->rows.low) / 2 * sqrt(design), &e->rows.low, &e->rows.high);
    if (e->over == ESTIMATE_SEEDS && e->method == INTERVAL_POOLED && known)
        widen_pooled(e, design);
    else if (e->over == ESTIMATE_SEEDS)
        e->df = fmin(e->df, fmax(e->n - 1, e->df / design));
    if (e->over == ESTIMATE_ROWS && known) {
        e->half *= sqrt(design);
        set_half(e->half, &e->low, &e->high);
        e->p = e->holm = NAN;
    }
}

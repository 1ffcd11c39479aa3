/* SPDX-License-Identifier: Apache-2.0 */
/* comparison: what is one value has no interval and says so. With one seed a network's sums are one value, and the mean
 * over networks has an interval over networks; a quantity by kernel has one over kernels. */
#include "harness/report/data/comparison.h"

#include "harness/base/text.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/geometric_mean.h"
#include "harness/stats/permutation.h"
#include "harness/stats/summary.h"

#include <math.h>

struct maker {
    const struct results *r;
    struct arena *a;
    struct comparisons *out;
    double margin;
};

/* ---- estimates ---- */

/* Rows of v, each of r->seeds values: a network, or each of its kernels; how many. */
static int add_rows(const struct results *r, enum quantity q, int over, int under, int network, double *v)
{
    int n = quantity_by_kernel(q) ? r->networks[network].kernels : 1;
    for (int i = 0; i < n; i++)
        for (int s = 0; s < r->seeds; s++) {
            const struct cell_result *x = results_cell(r, over, network, s), *y = results_cell(r, under, network, s);
            v[i * r->seeds + s] = x && y ? quantity_value(q, x, y, quantity_by_kernel(q) ? i : -1) : (double)NAN;
        }
    return n;
}

/* The geometric mean over rows of that over seeds, without interval or test. */
static double mean_ratio(const double *v, int rows, int seeds)
{
    struct geometric_mean mean = {0};
    for (int i = 0; i < rows; i++) {
        struct geometric_mean of_row = {0};
        for (int s = 0; s < seeds; s++)
            geometric_mean_take(&of_row, v[i * seeds + s]);
        geometric_mean_take(&mean, geometric_mean_of(&of_row));
    }
    return geometric_mean_of(&mean);
}

void comparison_estimate(const struct results *r, enum quantity q, int over, int under, int network, double margin,
                         struct estimate *out)
{
    struct arena *a = r->records->a;
    struct arena_mark mark = arena_mark(a);
    int most = 1, rows = 0;
    for (int n = 0; n < r->nnetworks; n++)
        most += r->networks[n].kernels + 1;
    double *v = ARENA_ARRAY(a, double, (int64_t)most * r->seeds);
    for (int n = 0; n < r->nnetworks; n++)
        if (network < 0 || n == network)
            rows += add_rows(r, q, over, under, n, v + (int64_t)rows * r->seeds);
    if (quantity_is_main(q)) {
        estimate_of(a, v, rows, r->seeds, margin, out);
        design_effect_widen(out, network >= 0 ? 1 : quantity_by_kernel(q) ? r->kernels_design : r->design);
    } else
        *out =
            (struct estimate){.ratio = mean_ratio(v, rows, r->seeds), .low = NAN, .high = NAN, .p = NAN, .holm = NAN};
    arena_release(a, mark);
}

static bool estimates(const struct maker *m, enum quantity q)
{
    return m->out->selection->each || !quantity_by_kernel(q);
}

/* ---- one network ---- */

static void count_test(struct test_counts *t, double p, double ours, double theirs)
{
    bool differs = p <= COMPARISON_P; /* false for NAN */
    t->open += !differs;
    t->better += differs && ours < theirs;
    t->worse += differs && !(ours < theirs);
}

static void add_counts(struct test_counts *to, const struct test_counts *one)
{
    to->better += one->better;
    to->worse += one->worse;
    to->open += one->open;
}

static double median_of(const double *v, int n)
{
    return n ? summary_median(v, n) : NAN;
}

/* Tests and spreads of the kernels of one seed. */
static void add_kernels(struct maker *m, struct comparison *c, const struct cell_result *cell, double *repeats,
                        double *launches)
{
    struct arena_mark mark = arena_mark(m->a);
    double *v = ARENA_ARRAY(m->a, double, 2 * cell->nkernels + 1), *w = v + cell->nkernels;
    int nv = 0, nw = 0;
    int64_t found = 0;
    for (int i = 0; i < cell->nkernels; i++) {
        const struct kernel_result *k = &cell->kernels[i];
        count_test(&c->repeats, k->p_repeats, k->kernel_s[PART_KEPT], k->kernel_s[PART_EXPLORER]);
        count_test(&c->launches, k->p_launches, k->retimed_s[PART_KEPT], k->retimed_s[PART_EXPLORER]);
        found += isfinite(k->kernel_s[PART_OWN]);
        if (k->spread_repeats > 0)
            v[nv++] = k->spread_repeats;
        if (k->spread_launches > 0)
            w[nw++] = k->spread_launches;
    }
    c->found = found < c->found ? found : c->found;
    *repeats = median_of(v, nv);
    *launches = median_of(w, nw);
    arena_release(m->a, mark);
}

static void join_seeds(struct maker *m, struct comparison *c)
{
    const struct results *r = m->r;
    double *repeats = ARENA_ARRAY(m->a, double, r->seeds + 1), *launches = ARENA_ARRAY(m->a, double, r->seeds + 1);
    int nrepeats = 0, nlaunches = 0;
    c->kernels = c->found = r->networks[c->network].kernels;
    for (int s = 0; s < r->seeds; s++)
        c->seeds += results_cell(r, c->arm, c->network, s) != NULL;
    c->found = c->seeds ? c->found : 0;
    for (int s = 0; s < r->seeds; s++) {
        const struct cell_result *cell = results_cell(r, c->arm, c->network, s);
        if (!cell)
            continue;
        for (int p = 0; p < PART_COUNT; p++)
            totals_add(&c->of[p], &cell->of[p], 1.0 / c->seeds);
        add_kernels(m, c, cell, &repeats[nrepeats], &launches[nlaunches]);
        nrepeats += !isnan(repeats[nrepeats]);
        nlaunches += !isnan(launches[nlaunches]);
        c->shared += cell->shared;
    }
    c->spread_repeats = median_of(repeats, nrepeats);
    c->spread_launches = median_of(launches, nlaunches);
}

/* Of kernel sums, re-timed where they were. */
static double speedup_of(const struct comparison *c)
{
    double retimed = c->ratio[QUANTITY_RETIMED].ratio;
    return ratio_usable(retimed) ? retimed : c->ratio[QUANTITY_KERNEL].ratio;
}

static double test_seeds(struct maker *m, const struct comparison *c)
{
    double *logs = ARENA_ARRAY(m->a, double, m->r->seeds + 1);
    int n = 0;
    for (int s = 0; s < m->r->seeds; s++) {
        const struct cell_result *cell = results_cell(m->r, c->arm, c->network, s);
        double retimed = cell ? quantity_value(QUANTITY_RETIMED, cell, cell, -1) : NAN;
        double v = isnan(retimed) && cell ? quantity_value(QUANTITY_KERNEL, cell, cell, -1) : retimed;
        if (!isnan(v))
            logs[n++] = log(v);
    }
    return n > 1 ? permutation_signs(logs, n, PERMUTATION_DRAWS, PERMUTATION_SEED).p : NAN;
}

static void make_network(struct maker *m, int arm, int network, struct comparison *c)
{
    *c = (struct comparison){.arm = arm, .network = network};
    join_seeds(m, c);
    for (int q = 0; q < QUANTITY_OF_ARM; q++) {
        c->ratio[q].ratio = NAN;
        if (estimates(m, (enum quantity)q))
            comparison_estimate(m->r, (enum quantity)q, arm, arm, network, m->margin, &c->ratio[q]);
    }
    c->p = c->p_holm = test_seeds(m, c);
}

/* ---- over networks ---- */

static void make_mean(struct maker *m, int arm, const struct comparison *networks, struct comparison *c)
{
    *c = (struct comparison){.arm = arm, .network = -1, .p = NAN, .p_holm = NAN};
    c->spread_repeats = c->spread_launches = NAN;
    for (int i = 0; i < m->r->nnetworks; i++) {
        const struct comparison *n = &networks[i];
        double speedup = speedup_of(n);
        c->counted += ratio_usable(speedup);
        c->wins += ratio_usable(speedup) && speedup >= 1;
        if (!n->seeds)
            continue;
        bool complete = n->found == n->kernels;
        for (int p = 0; p < PART_COUNT; p++) {
            struct totals one = n->of[p];
            for (int k = 0; k < SUM_COUNT && p == PART_OWN && !complete; k++)
                one.kernel_s[k] = 0;
            totals_add(&c->of[p], &one, 1);
        }
        c->seeds++;
        c->complete += complete;
        c->kernels += n->kernels;
        c->found += n->found;
        c->shared += n->shared;
        add_counts(&c->repeats, &n->repeats);
        add_counts(&c->launches, &n->launches);
    }
    for (int q = 0; q < QUANTITY_OF_ARM; q++) {
        c->ratio[q].ratio = NAN;
        if (estimates(m, (enum quantity)q))
            comparison_estimate(m->r, (enum quantity)q, arm, arm, -1, m->margin, &c->ratio[q]);
    }
}

/* ---- corrections ---- */

static void correct_family(struct maker *m, struct comparison **rows, int n)
{
    struct estimate **family = ARENA_ARRAY(m->a, struct estimate *, n + 1);
    double *p = ARENA_ARRAY(m->a, double, n + 1);
    for (int q = 0; q < QUANTITY_OF_ARM; q++) {
        if (!quantity_is_main((enum quantity)q) || !estimates(m, (enum quantity)q))
            continue;
        for (int i = 0; i < n; i++)
            family[i] = &rows[i]->ratio[q];
        estimate_correct(m->a, family, n);
    }
    for (int i = 0; i < n; i++)
        p[i] = rows[i]->p;
    permutation_holm(p, n, p);
    for (int i = 0; i < n; i++)
        rows[i]->p_holm = p[i];
}

static void correct(struct maker *m)
{
    struct comparisons *c = m->out;
    int networks = m->r->nnetworks, most = c->narms > networks ? c->narms : networks;
    struct comparison **rows = ARENA_ARRAY(m->a, struct comparison *, most + 1);
    for (int i = 0; i < c->narms; i++)
        rows[i] = &c->means[i];
    correct_family(m, rows, c->narms);
    for (int i = 0; i < (c->selection->holm_networks ? c->narms : networks); i++) {
        int n = c->selection->holm_networks ? networks : c->narms;
        for (int j = 0; j < n; j++)
            rows[j] = c->selection->holm_networks ? &c->networks[i * networks + j] : &c->networks[j * networks + i];
        correct_family(m, rows, n);
    }
}

/* ---- all ---- */

static bool choose_arms(struct maker *m, struct err *err)
{
    struct comparisons *c = m->out;
    const char *first = NULL;
    c->arms = ARENA_ARRAY(m->a, int, m->r->narms + 1);
    for (int i = 0; i < m->r->narms; i++) {
        const struct result_arm *a = &m->r->arms[i];
        if (a->base < 0)
            continue;
        if (c->selection->one_pair && (a->remeasures || (first && !str_eq(first, a->name))))
            continue;
        first = first ? first : a->name;
        c->arms[c->narms++] = i;
    }
    return c->narms > 0 || c->selection->race || /* a log that was imported may be alone */
           err_set(err, "no arm explores another: there is nothing to compare");
}

static enum quantity headline(const struct comparisons *c)
{
    bool retimed = false;
    for (int i = 0; i < c->narms; i++)
        retimed = retimed || ratio_usable(c->means[i].ratio[QUANTITY_RETIMED].ratio);
    return c->selection->by_kernel ? retimed ? QUANTITY_EACH_RETIMED : QUANTITY_EACH
           : retimed               ? QUANTITY_RETIMED
                                   : QUANTITY_KERNEL;
}

bool comparisons_make(const struct results *r, const struct selection *s, double margin, struct comparisons *out,
                      struct err *err)
{
    struct maker m = {.r = r, .a = r->records->a, .out = out, .margin = margin};
    *out = (struct comparisons){.results = r, .selection = s};
    if (!choose_arms(&m, err))
        return false;
    out->means = ARENA_ARRAY(m.a, struct comparison, out->narms + 1);
    out->networks = ARENA_ARRAY(m.a, struct comparison, out->narms * r->nnetworks + 1);
    for (int i = 0; i < out->narms; i++) {
        struct comparison *networks = out->networks + i * r->nnetworks;
        for (int n = 0; n < r->nnetworks; n++)
            make_network(&m, out->arms[i], n, &networks[n]);
        make_mean(&m, out->arms[i], networks, &out->means[i]);
    }
    correct(&m);
    out->headline = headline(out);
    return true;
}

/* ---- the two clocks ---- */

enum clocks_agree comparison_clocks(double wall, double records)
{
    if (!ratio_usable(wall) || !ratio_usable(records))
        return CLOCKS_AGREE;
    if ((wall > 1) != (records > 1) && fabs(log(wall / records)) > 1e-9)
        return CLOCKS_DIRECTION;
    return fabs(log(wall / records)) > log(COMPARISON_CLOCKS) ? CLOCKS_SIZE : CLOCKS_AGREE;
}

const char *const comparison_clocks_words[] = {"agree", "size", "direction"};

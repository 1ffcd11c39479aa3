/* SPDX-License-Identifier: Apache-2.0 */
/* released_value: one function a table of the files. */
#include "harness/released/droplet/released_value.h"

#include "harness/base/text.h"
#include "harness/stats/geometric_mean.h"

#include <math.h>

/* Networks with a whole block; the released resnet152 was a second run of resnet101 (harness/doc/droplet.md, "Defects
 * of the released files"). */
static double models_of(const struct sweep_cell *cell)
{
    int n = 0, pair = 0;
    for (int i = 0; i < cell->nnetworks; i++) {
        n += cell->networks[i].whole;
        pair += cell->networks[i].whole &&
                (str_eq(cell->networks[i].network, "resnet101") || str_eq(cell->networks[i].network, "resnet152"));
    }
    return n - (pair == 2);
}

static double sweep_value(const struct reanalysis *x, const struct released_query *q)
{
    const struct sweep_cell *cell = reanalysis_cell(x, q->machine, q->k);
    if (!cell || !cell->counted)
        return NAN;
    if (str_eq(q->column, "networks"))
        return models_of(cell);
    if (str_eq(q->column, "usual"))
        return 2.0 * cell->wins / cell->counted;
    return str_eq(q->column, "exec")              ? cell->exec
           : str_eq(q->column, "explorer")        ? cell->seed
           : str_eq(q->column, "explorer_search") ? cell->seed_search
                                                  : cell->search[SWEEP_APPORTIONED];
}

/* One network of the sweep. */
static const struct sweep_network *network_of(const struct reanalysis *x, const struct released_query *q)
{
    const struct sweep_cell *cell = reanalysis_cell(x, q->machine, q->k);
    for (int i = 0; cell && i < cell->nnetworks; i++)
        if (cell->networks[i].whole && str_eq(cell->networks[i].network, q->network))
            return &cell->networks[i];
    return NULL;
}

static double network_value(const struct reanalysis *x, const struct released_query *q)
{
    const struct sweep_network *n = network_of(x, q);
    return !n ? NAN : str_eq(q->column, "exec") ? n->exec_x : n->search_x[SWEEP_APPORTIONED];
}

static double meta_value(const struct reanalysis *x, const struct released_query *q)
{
    for (int i = 0; i < x->nmeta; i++)
        if (str_eq(x->meta[i].machine, q->machine) && x->meta[i].k == q->k)
            return x->meta[i].of[str_eq(q->column, "exec_all")].exec;
    return NAN;
}

/* Geometric mean over the machine's kernels at that k. */
static double micro_value(const struct reanalysis *x, const struct released_query *q)
{
    struct geometric_mean mean = {0};
    for (int i = 0; i < x->nmicro; i++)
        if (str_eq(x->micro[i].machine, q->machine) && x->micro[i].k == q->k)
            geometric_mean_take(&mean, x->micro[i].exec_x);
    return geometric_mean_of(&mean);
}

/* Of several runs the last, as released. */
static double variance_value(const struct reanalysis *x, const struct released_query *q)
{
    const struct sweep_network *of = NULL;
    for (int i = 0; i < x->nvariance; i++)
        if (str_eq(x->variance[i].block->machine, q->machine) && x->variance[i].block->k == q->k &&
            str_eq(x->variance[i].network, q->network))
            of = &x->variance[i];
    return !of                           ? NAN
           : str_eq(q->column, "exec")   ? of->exec_x
           : str_eq(q->column, "better") ? of->significance.better
           : str_eq(q->column, "worse")  ? of->significance.worse
                                         : of->search_x[SWEEP_APPORTIONED];
}

static const struct {
    const char *table;
    double (*value)(const struct reanalysis *x, const struct released_query *q); /* NAN: not in these files */
} released[] = {{"sweep", sweep_value},
                {"network", network_value},
                {"meta", meta_value},
                {"micro", micro_value},
                {"variance", variance_value}};

double released_value(const struct reanalysis *x, const struct released_query *q)
{
    for (size_t i = 0; i < sizeof released / sizeof *released; i++)
        if (str_eq(released[i].table, q->table))
            return released[i].value(x, q);
    return NAN;
}

/* ---- doubts ---- */

static const double DOUBT = 0.005; /* of a log ratio: what fewer kernels than that change is let pass */

static int fast_kernels(const struct sweep_cell *cell)
{
    int n = 0;
    for (int i = 0; i < cell->nnetworks; i++)
        for (int k = 0; k < cell->networks[i].block->rows.n; k++)
            n += cell->networks[i].whole && sweep_fast(&cell->networks[i].block->rows.at[k]);
    return n;
}

static const char *fast_caveat(struct arena *a, const struct sweep_cell *cell)
{
    int fast = fast_kernels(cell);
    return !fast || fabs(log(cell->sane / cell->exec)) < DOUBT
               ? NULL
               : arena_printf(a,
                              "with the %d kernels that are 3 times faster replaced by their seeds %.3f, and %d of "
                              "%d networks",
                              fast, cell->sane, cell->sane_wins, cell->counted);
}

static const char *search_caveat(struct arena *a, const struct sweep_cell *cell)
{
    const char *below = sweep_slower_searches(a, cell);
    return *below ? arena_printf(a, "more search time, not less, for %s", below) : NULL;
}

const char *released_value_caveat(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    if (!str_eq(q->table, "sweep"))
        return NULL;
    const struct sweep_cell *cell = reanalysis_cell(x, q->machine, q->k);
    if (!cell || !cell->counted)
        return NULL;
    if (str_eq(q->column, "search"))
        return q->above ? search_caveat(a, cell) : NULL;
    return str_eq(q->column, "exec") || str_eq(q->column, "usual") ? fast_caveat(a, cell) : NULL;
}

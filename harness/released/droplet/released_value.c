/* SPDX-License-Identifier: Apache-2.0 */
/* released_value: one function a table of the files. */
#include "harness/released/droplet/released_value.h"

#include "harness/base/text.h"
#include "harness/stats/geometric_mean.h"
#include "harness/stats/verdict.h"

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
enum { ANSOR_TRIALS = 10000 };     /* k from which nothing of Ansor's search is left out */

static int fast_kernels(const struct sweep_cell *cell)
{
    int n = 0;
    for (int i = 0; i < cell->nnetworks; i++)
        for (int k = 0; k < cell->networks[i].block->rows.n; k++)
            n += cell->networks[i].whole && sweep_fast(&cell->networks[i].block->rows.at[k]);
    return n;
}

/* Each gives "" where it does not apply. */
static const char *of_fast(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    const struct sweep_cell *cell = reanalysis_cell(x, q->machine, q->k);
    int fast = cell ? fast_kernels(cell) : 0;
    return !fast || fabs(log(cell->sane / cell->exec)) < DOUBT
               ? ""
               : arena_printf(a,
                              "with the %d kernels that are 3 times faster replaced by their seeds %.3f, and %d of "
                              "%d networks",
                              fast, cell->sane, cell->sane_wins, cell->counted);
}

static const char *of_searches(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    const struct sweep_cell *cell = reanalysis_cell(x, q->machine, q->k);
    const char *below = cell && q->above ? sweep_slower_searches(a, cell) : "";
    return *below ? arena_printf(a, "more search time, not less, for %s", below) : "";
}

/* A gain where most seeds are what Ansor ends with: stopping it at k left little out. */
static const char *of_start(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    const struct sweep_cell *cell = reanalysis_cell(x, q->machine, q->k);
    const struct sweep_network *n = *q->network ? network_of(x, q) : NULL;
    if (!cell || (*q->network && !n) || q->k >= ANSOR_TRIALS)
        return "";
    double start = n ? n->seed_x : cell->seed, gain = n ? n->gain_x : cell->gain.ratio;
    int last = n ? n->seeds_last : cell->seeds_last, kernels = n ? n->kernels : cell->kernels;
    return 2 * last > kernels && gain > 1 + VERDICT_MARGIN
               ? arena_printf(a,
                              "it is %.3f of the seeds times %.3f of Droplet, and %d of %d seeds are Ansor's last "
                              "best already",
                              start, gain, last, kernels)
               : "";
}

static const char *of_repeats(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    const char *apart = repeats_apart(a, x->repeats, x->nrepeats, q->machine, q->k, *q->network ? q->network : NULL);
    return *apart ? arena_printf(a, "Droplet run again from the same seeds gives %s", apart) : "";
}

static const char *of_schedules(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    const char *apart = schedules_apart(a, x->schedules, x->nschedules, q->machine, q->network);
    return *apart ? arena_printf(a, "in the published schedules %s", apart) : "";
}

/* Networks whose baseline spreads by more than the least effect that counts. */
static const char *of_spread(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    const char *out = "";
    for (int i = 0; i < x->nvariance; i++) {
        const struct sweep_network *n = &x->variance[i];
        if (n->base_spread_x > VERDICT_MARGIN && str_eq(n->block->machine, q->machine) &&
            (!*q->network || str_eq(n->network, q->network)))
            out = arena_printf(a, "%s%s%.0f %% on %s (Droplet's %.1f %%)", out, *out ? ", " : "",
                               100 * n->base_spread_x, n->network, 100 * n->spread_x);
    }
    return *out ? arena_printf(a, "the repeats of Ansor's best spread by %s", out) : "";
}

static const struct {
    const char *table, *columns[4];
    const char *(*doubt)(struct arena *a, const struct reanalysis *x, const struct released_query *q);
} doubts[] = {{"sweep", {"exec", "usual"}, of_fast},
              {"sweep", {"search"}, of_searches},
              {"sweep", {"exec", "usual"}, of_start},
              {"network", {"exec"}, of_start},
              {"sweep", {"exec", "usual"}, of_repeats},
              {"network", {"exec"}, of_repeats},
              {"sweep", {"exec", "usual"}, of_schedules},
              {"network", {"exec"}, of_schedules},
              {"variance", {"exec", "better", "worse"}, of_schedules},
              {"sweep", {"exec", "usual"}, of_spread},
              {"network", {"exec"}, of_spread},
              {"variance", {"exec", "better", "worse"}, of_spread}};

const char *released_value_caveat(struct arena *a, const struct reanalysis *x, const struct released_query *q)
{
    struct released_query of = *q;
    const char *out = "";
    of.network = q->network ? q->network : "";
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        for (int k = 0; k < 4 && doubts[i].columns[k]; k++)
            if (str_eq(doubts[i].table, q->table) && str_eq(doubts[i].columns[k], q->column)) {
                const char *doubt = doubts[i].doubt(a, x, &of);
                out = *doubt ? arena_printf(a, "%s%s%s", out, *out ? "; " : "", doubt) : out;
            }
    return *out ? out : NULL;
}

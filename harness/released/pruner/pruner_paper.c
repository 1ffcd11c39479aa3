/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_paper: the list of numbers is the paper's data. */
#include "harness/released/pruner/pruner_paper.h"

#include "harness/released/pruner/pruner_json.h"
#include "harness/released/pruner/pruner_open.h"
#include "harness/released/pruner/pruner_reanalysis.h"
#include "harness/released/pruner/pruner_text.h"

#include <math.h>

static const struct released_table tables[] = {
    {"parity",
     {"pruner", "moa_pruner", "pruner_offline", "pruner_offline_tlp", "pruner_geomean", "moa_pruner_geomean",
      "pruner_offline_geomean", "pruner_offline_tlp_geomean", "pruner_least", "moa_pruner_least",
      "pruner_offline_least", "pruner_offline_tlp_least"},
     true,
     false,
     false},
    {"parity_network", {"pruner", "moa_pruner", "pruner_offline", "pruner_offline_tlp"}, true, true, false},
    {"latency",
     {"pruner", "moa_pruner", "moa_over_pruner", "tensetmlp", "pruner_offline", "pruner_wins", "moa_pruner_wins",
      "moa_over_pruner_wins", "tensetmlp_wins", "pruner_offline_wins"},
     true,
     false,
     false},
    {"printed",
     {"exploration_share", "t5_better",        "t5_cost_least",
      "t5_cost_most",      "t5_over_transfer", "t5_quicker",
      "t6_lowest",         "t6_roller",        "t7_pruner",
      "t7_moa_pruner",     "t7_pruner_mean",   "t7_moa_pruner_mean",
      "t8_wins",           "t9_mean",          "t10_compute_memory",
      "t11_t4_tensetmlp",  "t11_t4_tlp",       "t11_k80_tensetmlp",
      "t11_k80_tlp",       "t12_lse",          "t12_statement",
      "t12_dataflow",      "t12_moa",          "t12_finetune",
      "t12_lowest",        "t13_ms",           "t13_minutes",
      "memory_tensetmlp",  "memory_tlp"},
     false,
     false,
     false},
    {"printed_network", {"exploration_share", "unaccounted_share"}, false, true, false},
    {"curve",
     {"pruner", "moa_pruner", "pruner_offline", "pruner_offline_tensetmlp", "tensetmlp_never", "pruner_trials",
      "moa_pruner_trials", "ansor_end_ms", "pruner_end_ms", "moa_pruner_end_ms", "tensetmlp_offline_end_ms",
      "pruner_offline_end_ms", "ansor_end_s", "pruner_end_s", "moa_pruner_end_s", "tensetmlp_offline_end_s",
      "pruner_offline_end_s"},
     false,
     false,
     false},
};

static bool open(struct arena *a, const char *dir, struct released_results *out, bool *none, struct err *err)
{
    struct pruner_release *r;
    struct pruner_numbers *x = ARENA_NEW(a, struct pruner_numbers);
    if (!pruner_release_open(a, dir, &r, none, err))
        return false;
    pruner_reanalysis_make(a, r, x);
    out->problems = r->problems->all.at;
    out->nproblems = r->problems->all.n;
    out->data = x;
    return true;
}

static void print(struct arena *a, const struct released_results *r, const char *folder, int64_t k, struct text *t)
{
    (void)a, (void)folder, (void)k;
    pruner_text_print(r->data, r->dir, t);
}

static cJSON *json(struct arena *a, const struct released_results *r, const char *folder)
{
    (void)a, (void)folder;
    return pruner_json(r->data, r->dir);
}

static double value(const struct released_results *r, const struct released_query *q)
{
    return pruner_numbers_value(r->data, q->table, q->machine, q->network, q->column);
}

/* An arithmetic mean of ratios is above their geometric mean. */
static const char *mean_caveat(struct arena *a, const struct pruner_numbers *x, const struct released_query *q)
{
    double mean = pruner_numbers_value(x, "parity", q->machine, NULL, q->column),
           geomean = pruner_numbers_value(x, "parity", q->machine, NULL, arena_printf(a, "%s_geomean", q->column)),
           least = pruner_numbers_value(x, "parity", q->machine, NULL, arena_printf(a, "%s_least", q->column));
    if (isnan(geomean))
        return NULL;
    const char *worst = isnan(least) ? "" : arena_printf(a, ", of the worst network %.2f", least);
    return arena_printf(a, "an arithmetic mean of ratios of single runs, read from bars: %.3f; geometric mean %.3f%s",
                        mean, geomean, worst);
}

/* The same cell by another run of the authors. */
static const char *run_caveat(struct arena *a, const struct pruner_numbers *x, const struct released_query *q)
{
    double bars = pruner_numbers_value(x, "parity_network", "a100", "resnet50", q->column);
    return isnan(bars) ? NULL : arena_printf(a, "one run; that of the paper's figures gives %.2f", bars);
}

static const char *caveat(struct arena *a, const struct released_results *r, const struct released_query *q)
{
    const struct pruner_numbers *x = r->data;
    if (str_eq(q->table, "parity"))
        return mean_caveat(a, x, q);
    if (str_eq(q->table, "curve"))
        return run_caveat(a, x, q);
    return str_starts(q->table, "printed") ? "arithmetic on numbers that the paper prints, of single runs" : NULL;
}

const struct released_paper pruner_paper = {
    .name = "pruner",
    .files = "search_time.tsv, final_latency.tsv, published.tsv, resnet50_a100/, or scripts/res/ of its repository",
    .tables = tables,
    .ntables = sizeof tables / sizeof *tables,
    .open = open,
    .print = print,
    .json = json,
    .value = value,
    .caveat = caveat};

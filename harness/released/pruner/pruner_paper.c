/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_paper: the list of numbers is the paper's data. For people: the headline first, then its parts, the other
 * tables, the one run, and what should be doubted. For scripts: the list, the curves as points, the problems. */
#include "harness/released/pruner/pruner_paper.h"

#include "harness/released/pruner/pruner_numbers.h"

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

/* ---- for people ---- */

static const char *const comparisons[] = {"pruner", "moa_pruner", "pruner_offline", "pruner_offline_tlp"},
                         *const against[] = {"Ansor", "Ansor", "TenSetMLP", "TLP"};
enum { COMPARISONS = 4 };

static void print_read(const struct pruner_numbers *x, const char *dir, struct text *t)
{
    const struct pruner_release *r = x->release;
    int curves = 0;
    for (int m = 0; m < PRUNER_METHODS; m++)
        curves += r->curves[m].n > 0;
    text_printf(t, "public results of Pruner (arXiv 2402.02361) in %s\n", dir);
    text_printf(t, "  %d bars of search time, %d latencies, %d printed numbers, %d curves of ResNet-50%s\n", r->bars,
                r->latencies, r->printed.n, curves, r->authors ? " (the authors' own files)" : "");
    if (r->problems->all.n)
        text_printf(t, "  broken: %d rows or files left out, named on stderr\n", r->problems->all.n);
}

static double parity(const struct pruner_numbers *x, const char *platform, int comparison, const char *of)
{
    return pruner_numbers_value(x, "parity", platform, NULL,
                                arena_printf(x->arena, "%s%s", comparisons[comparison], of));
}

static double printed_of(const struct pruner_numbers *x, const char *platform, const char *column)
{
    for (int i = 0; i < x->all.n; i++)
        if (str_eq(x->all.at[i].table, "parity") && str_eq(x->all.at[i].machine, platform) &&
            str_eq(x->all.at[i].column, column))
            return x->all.at[i].printed;
    return NAN;
}

static void print_parity_row(const struct pruner_numbers *x, const char *platform, int i, struct text *t)
{
    double mean = parity(x, platform, i, "");
    if (isnan(mean))
        return;
    text_printf(t, "%-19s %-10s %-7s", comparisons[i], against[i], platform);
    text_cell(t, 8, 2, printed_of(x, platform, comparisons[i]));
    text_cell(t, 10, 3, mean);
    text_cell(t, 6, 3, parity(x, platform, i, "_error"));
    text_cell(t, 9, 3, parity(x, platform, i, "_geomean"));
    text_cell(t, 7, 3, parity(x, platform, i, "_sums"));
    text_cell(t, 7, 2, parity(x, platform, i, "_least"));
    text_cell(t, 7, 2, parity(x, platform, i, "_most"));
    text_cell(t, 9, 0, parity(x, platform, i, "_networks"));
    text_char(t, '\n');
}

static void print_parity(const struct pruner_numbers *x, struct text *t)
{
    text_heading(t, "search time to parity: a baseline's whole run of 2,000 trials / the time to be as good");
    text_add(t, "The paper's averages are arithmetic means of ratios. +-: what half a pixel of every bar is worth.\n"
                "method              against    on       printed  arithmetic    +-  geometric   sums  worst    best "
                "networks\n");
    for (int i = 0; i < COMPARISONS; i++) {
        for (int p = 0; p < PRUNER_PLATFORMS; p++)
            print_parity_row(x, pruner_platforms[p], i, t);
        print_parity_row(x, "all", i, t);
    }
}

static void print_networks(const struct pruner_numbers *x, struct text *t)
{
    text_heading(t, "by network: A100, Orin, Titan V");
    text_add(t, "network        ");
    for (int i = 0; i < COMPARISONS; i++)
        text_printf(t, "  %-20s", comparisons[i]);
    text_char(t, '\n');
    for (int k = 0; k < PRUNER_NETWORKS; k++) {
        text_printf(t, "%-15s", pruner_networks[k]);
        for (int i = 0; i < COMPARISONS; i++) {
            for (int p = 0; p < PRUNER_PLATFORMS; p++)
                text_cell(
                    t, 6, 2,
                    pruner_numbers_value(x, "parity_network", pruner_platforms[p], pruner_networks[k], comparisons[i]));
            text_char(t, ' ');
        }
        text_char(t, '\n');
    }
}

/* The numbers of a table, a line each. */
static void print_list(const struct pruner_numbers *x, const char *table, const char *title, struct text *t)
{
    bool any = false;
    for (int i = 0; i < x->all.n; i++) {
        const struct pruner_number *n = &x->all.at[i];
        if (!str_eq(n->table, table))
            continue;
        if (!any)
            text_heading(t, title);
        any = true;
        text_cell(t, 10, n->value == floor(n->value) ? 0 : 3, n->value);
        text_printf(t, "  %s%s%s%s%s", n->machine, *n->machine ? ": " : "", n->network, *n->network ? ": " : "",
                    n->title);
        if (!isnan(n->printed))
            text_printf(t, " (the paper says %.4g)", n->printed);
        text_char(t, '\n');
    }
}

static void print_curves(const struct pruner_numbers *x, struct text *t)
{
    static const int trials[] = {270, 300, 400, 500, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000};
    const struct pruner_curve *c = x->release->curves;
    bool any = false;
    for (int m = 0; m < PRUNER_METHODS; m++)
        any = any || c[m].n;
    if (!any)
        return;
    text_heading(t, "the run whose curves are public: ResNet-50, A100 of 40 GB, estimated ms @ s");
    text_add(t, "trials");
    for (int m = 0; m < PRUNER_METHODS; m++)
        if (c[m].n)
            text_printf(t, " %17s", pruner_methods[m]);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        text_printf(t, "\n%6d", trials[i]);
        for (int m = 0; m < PRUNER_METHODS; m++) {
            const struct pruner_point *p = pruner_curve_at(&c[m], trials[i]);
            if (p)
                text_printf(t, "    %7.3f @ %4.0f", p->ms, p->seconds);
            else if (c[m].n)
                text_printf(t, " %17s", "-");
        }
    }
    text_char(t, '\n');
    print_list(x, "curve", "what follows from it (one run each; not the run of the paper's figures)", t);
}

/* The same cell by two runs of the authors, and an outlier among the measured latencies. */
static void print_doubts(const struct pruner_numbers *x, struct text *t)
{
    double once = pruner_numbers_value(x, "curve", NULL, NULL, "pruner"),
           paper = pruner_numbers_value(x, "parity_network", "a100", "resnet50", "pruner"),
           moa = pruner_numbers_value(x, "curve", NULL, NULL, "moa_pruner"),
           moa_paper = pruner_numbers_value(x, "parity_network", "a100", "resnet50", "moa_pruner"),
           end = pruner_numbers_value(x, "curve", NULL, NULL, "ansor_end_ms"),
           measured = pruner_numbers_value(x, "curve", NULL, NULL, "ansor_measured_ms");
    text_heading(t, "what should be doubted");
    text_add(t,
             "No result has a repetition: every bar and curve is one run. Ansor is here the fork with an MLP trained "
             "while searching.\n");
    if (!isnan(once) && !isnan(paper))
        text_printf(t,
                    "The same cell twice, ResNet-50 on the A100: Pruner %.2f by the public run, %.2f by the paper's "
                    "bars; MoA-Pruner %.2f and %.2f.\n",
                    once, paper, moa, moa_paper);
    if (measured > 1.5 * end)
        text_printf(t, "Ansor's latency measured end to end, %.3f ms, is %.1f times its estimate: not used.\n",
                    measured, measured / end);
    for (int p = 0; p < PRUNER_PLATFORMS; p++) {
        double n = parity(x, pruner_platforms[p], COMPARISONS - 1, "_networks");
        if (n < PRUNER_NETWORKS)
            text_printf(t, "On %s %g of %d networks have no TLP entry: the authors left them out.\n",
                        pruner_platforms[p], PRUNER_NETWORKS - n, PRUNER_NETWORKS);
    }
}

static void print_all(const struct pruner_numbers *x, const char *dir, struct text *t)
{
    print_read(x, dir, t);
    if (x->release->bars) {
        print_parity(x, t);
        print_networks(x, t);
    }
    print_list(x, "latency", "latency after 2,000 trials, geometric mean of ratios over networks", t);
    print_list(x, "printed", "what follows from the printed tables", t);
    print_list(x, "printed_network", "the same, by network", t);
    print_curves(x, t);
    print_doubts(x, t);
}

/* ---- for scripts ---- */

struct method {
    const char *name;
};
const struct json_member pruner_members[] = {
    MEMBER("dir", "text", "The folder, as it was named."),
    MEMBER("paper", "text", "pruner."),
    MEMBER("form", "text", "authors: their own files of the curves; compact: tables."),
    FIELD_MAYBE("numbers[].table", struct pruner_number, 0, table, "text",
                "parity, parity_network, latency, printed, printed_network or curve: as claims name it."),
    FIELD_MAYBE("numbers[].machine", struct pruner_number, 0, machine, "text",
                "a100, orin, titanv, all (a mean over them); null: of none."),
    FIELD_MAYBE("numbers[].network", struct pruner_number, 0, network, "text", "Network; null: over networks."),
    FIELD_MAYBE("numbers[].column", struct pruner_number, 0, column, "text", "Name of the number in its table."),
    FIELD_MAYBE("numbers[].value", struct pruner_number, 0, value, "number", "What the files give."),
    FIELD_MAYBE("numbers[].printed", struct pruner_number, 0, printed, "number",
                "What the paper says of it; null: nothing."),
    FIELD_MAYBE("numbers[].title", struct pruner_number, 0, title, "text",
                "What it is, with its unit where it is no ratio or count."),
    FIELD_MAYBE("curves[].method", struct method, 1, name, "text", "Of a point of a curve: what searched."),
    FIELD_MAYBE("curves[].trials", struct pruner_point, 0, trials, "count", "Trials so far."),
    FIELD_MAYBE("curves[].seconds", struct pruner_point, 0, seconds, "seconds", "Since the search began."),
    FIELD_MAYBE("curves[].ms", struct pruner_point, 0, ms, "milliseconds",
                "Estimated latency; null: a task has no valid program yet."),
    FIELD_MAYBE("problems[].file", struct release_problem, 0, file, "text", "File with a row that was left out."),
    FIELD_MAYBE("problems[].line", struct release_problem, 0, line, "count", "Its line; 0: the whole file."),
    FIELD_MAYBE("problems[].column", struct release_problem, 0, column, "count",
                "The character where its cell begins; 0: the whole line."),
    FIELD_MAYBE("problems[].reason", struct release_problem, 0, text, "text", "Why."),
    {0}};

static cJSON *json_all(const struct pruner_numbers *x, const char *dir)
{
    const struct tsv_problems *p = x->release->problems;
    cJSON *out = json_object();
    json_put_str(out, "dir", dir);
    json_put_str(out, "paper", "pruner");
    json_put_str(out, "form", x->release->authors ? "authors" : "compact");
    json_put_rows(out, pruner_members, "numbers", x->all.at, x->all.n, sizeof *x->all.at);
    cJSON *list = json_put_array(out, "curves");
    for (int m = 0; m < PRUNER_METHODS; m++)
        for (int i = 0; i < x->release->curves[m].n; i++)
            json_put_fields(json_put_object(list, NULL), pruner_members, "curves[].",
                            (const void *[]){&x->release->curves[m].at[i], &(struct method){pruner_methods[m]}});
    json_put_rows(out, pruner_members, "problems", p->all.at, p->all.n, sizeof *p->all.at);
    return out;
}

/* ---- the paper ---- */

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
    print_all(r->data, r->dir, t);
}

static cJSON *json(struct arena *a, const struct released_results *r, const char *folder)
{
    (void)a, (void)folder;
    return json_all(r->data, r->dir);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_numbers: a list in the order in which it is filled: comparisons in the order of the paper's abstract, then its
 * tables by formula, then the curves. */
#include "harness/released/pruner/pruner_numbers.h"

#include "harness/stats/geometric_mean.h"

#include <math.h>
#include <string.h>

/* of, what: put behind the column and the title. A NAN is not added. */
static void add(struct pruner_numbers *x, struct pruner_number n, const char *of, const char *what)
{
    n.machine = n.machine ? n.machine : "";
    n.network = n.network ? n.network : "";
    n.column = arena_printf(x->arena, "%s%s", n.column, of);
    n.title = arena_printf(x->arena, "%s%s", n.title, what);
    if (!isnan(n.value))
        vec_push(&x->all, n);
}

double pruner_numbers_value(const struct pruner_numbers *x, const char *table, const char *machine, const char *network,
                            const char *column)
{
    for (int i = 0; i < x->all.n; i++) {
        const struct pruner_number *n = &x->all.at[i];
        if (str_eq(n->table, table) && str_eq(n->column, column) && str_eq(n->machine, machine ? machine : "") &&
            str_eq(n->network, network ? network : ""))
            return n->value;
    }
    return NAN;
}

/* ---- search time to parity ---- */

/* Error of a bar's length: half a pixel of the pictures, 17 s a pixel online and 11 s offline. */
static const double PIXEL_ONLINE_S = 8.5, PIXEL_OFFLINE_S = 5.5;

static const struct against {
    int baseline, method;
    const char *column, *row, *title; /* row: of table "text" of published.tsv */
} comparisons[] = {
    {PRUNER_ANSOR, PRUNER_PRUNER, "pruner", "pruner_vs_ansor", "Ansor / Pruner"},
    {PRUNER_ANSOR, PRUNER_MOA, "moa_pruner", "moa_pruner_vs_ansor", "Ansor / MoA-Pruner"},
    {PRUNER_TENSETMLP, PRUNER_OFFLINE, "pruner_offline", "pruner_offline_vs_tensetmlp", "TenSetMLP / Pruner, offline"},
    {PRUNER_TLP, PRUNER_OFFLINE, "pruner_offline_tlp", "pruner_offline_vs_tlp", "TLP / Pruner, offline"},
};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* What the text of the paper says: the platforms are not named in it but in this order. */
static double text_of(const struct pruner_release *r, const struct against *c, int platform)
{
    static const char *const columns[] = {"platform1", "platform2", "platform3"};
    double v = pruner_printed(r, "text", c->row, columns[platform]);
    return isnan(v) && platform == PRUNER_A100 ? pruner_printed(r, "text", c->row, "a100") : v;
}

/* The bar over the other, of every network that has both. */
static void add_cell(struct pruner_numbers *x, const struct against *c, int platform)
{
    const char *at = pruner_platforms[platform];
    const double *whole = x->release->bar_s[PRUNER_WHOLE_RUN][platform][c->baseline][c->baseline],
                 *reached = x->release->bar_s[PRUNER_TO_PARITY][platform][c->baseline][c->method];
    double pixel = c->baseline == PRUNER_ANSOR ? PIXEL_ONLINE_S : PIXEL_OFFLINE_S;
    double sum = 0, wholes = 0, reaches = 0, least = INFINITY, most = 0, error = 0;
    struct geometric_mean logs = {0};
    for (int k = 0; k < PRUNER_NETWORKS; k++) {
        double ratio = whole[k] / reached[k];
        if (isnan(ratio))
            continue;
        sum += ratio;
        wholes += whole[k];
        reaches += reached[k];
        least = fmin(least, ratio);
        most = fmax(most, ratio);
        error += pow(ratio * hypot(pixel / whole[k], pixel / reached[k]), 2);
        geometric_mean_add(&logs, ratio);
        add(x, (struct pruner_number){"parity_network", at, pruner_networks[k], c->column, c->title, ratio, NAN}, "",
            "");
    }
    const struct {
        const char *of, *title;
        double value;
    } row[] = {
        {"", ", arithmetic mean", sum / logs.n},
        {"_geomean", ", geometric mean", geometric_mean_of(&logs)},
        {"_sums", ", ratio of sums", wholes / reaches},
        {"_least", ", of the worst network", least},
        {"_most", ", of the best network", most},
        {"_error", ", what half a pixel of every bar is worth in the arithmetic mean", sqrt(error) / logs.n},
        {"_networks", ", networks that have both bars", logs.n},
    };
    for (size_t i = 0; logs.n && i < sizeof row / sizeof *row; i++)
        add(x,
            (struct pruner_number){"parity", at, NULL, c->column, c->title, row[i].value,
                                   i ? (double)NAN : text_of(x->release, c, platform)},
            row[i].of, row[i].title);
}

/* The mean over platforms of the means over networks, as the abstract says it. Where every platform has all networks.
 */
static void add_all(struct pruner_numbers *x, const struct against *c)
{
    double sum = 0, logs = 0;
    for (int p = 0; p < PRUNER_PLATFORMS; p++) {
        const char *at = pruner_platforms[p], *count = arena_printf(x->arena, "%s_networks", c->column),
                   *geomean = arena_printf(x->arena, "%s_geomean", c->column);
        if (pruner_numbers_value(x, "parity", at, NULL, count) != PRUNER_NETWORKS)
            return;
        sum += pruner_numbers_value(x, "parity", at, NULL, c->column);
        logs += log(pruner_numbers_value(x, "parity", at, NULL, geomean));
    }
    struct pruner_number mean = {"parity",
                                 "all",
                                 NULL,
                                 c->column,
                                 c->title,
                                 sum / PRUNER_PLATFORMS,
                                 pruner_printed(x->release, "text", c->row, "mean")};
    add(x, mean, "", ", arithmetic mean");
    mean.value = exp(logs / PRUNER_PLATFORMS);
    mean.printed = NAN;
    add(x, mean, "_geomean", ", geometric mean");
}

/* ---- latencies ---- */

static const struct {
    int baseline, method;
    const char *column, *title;
} ends[] = {
    {PRUNER_ANSOR, PRUNER_PRUNER, "pruner", "Ansor / Pruner"},
    {PRUNER_ANSOR, PRUNER_MOA, "moa_pruner", "Ansor / MoA-Pruner"},
    {PRUNER_PRUNER, PRUNER_MOA, "moa_over_pruner", "Pruner / MoA-Pruner"},
    {PRUNER_ANSOR, PRUNER_TENSETMLP, "tensetmlp", "Ansor / TenSetMLP"},
    {PRUNER_TENSETMLP, PRUNER_OFFLINE, "pruner_offline", "TenSetMLP / Pruner offline"},
};

static void add_end(struct pruner_numbers *x, int platform, size_t which)
{
    const double(*ms)[PRUNER_NETWORKS] = x->release->latency_ms[PRUNER_DIGITISED][platform];
    struct geometric_mean logs = {0};
    int wins = 0;
    for (int k = 0; k < PRUNER_NETWORKS; k++) {
        double ratio = ms[ends[which].baseline][k] / ms[ends[which].method][k];
        if (isnan(ratio))
            continue;
        geometric_mean_add(&logs, ratio);
        wins += ratio > 1;
    }
    struct pruner_number n = {"latency",         pruner_platforms[platform], NULL, ends[which].column,
                              ends[which].title, geometric_mean_of(&logs),   NAN};
    add(x, n, "", "");
    n.value = logs.n ? wins : (double)NAN;
    add(x, n, "_wins", arena_printf(x->arena, ", networks above 1 of %d", logs.n));
}

/* A printed latency and the curve's end that it should be. */
static void add_gaps(struct pruner_numbers *x)
{
    static const double SAME_MS = 0.005;
    const double *end = &x->release->latency_ms[PRUNER_DIGITISED][0][0][0],
                 *ms = &x->release->latency_ms[PRUNER_PRINTED][0][0][0];
    int same = 0, n = 0;
    for (int i = 0; i < PRUNER_PLATFORMS * PRUNER_METHODS * PRUNER_NETWORKS; i++) {
        n += !isnan(end[i] - ms[i]);
        same += fabs(end[i] - ms[i]) <= SAME_MS;
    }
    if (!n)
        return;
    add(x, (struct pruner_number){"latency", "all", NULL, "printed", "latencies in tables", n, NAN}, "", "");
    add(x,
        (struct pruner_number){"latency", "all", NULL, "printed_agree",
                               "of them, those within 0.005 ms of the curve's end", same, NAN},
        "", "");
}

/* ---- what follows from the printed tables ---- */

static double at(const struct pruner_numbers *x, const char *table, const char *row, const char *column)
{
    return pruner_printed(x->release, table, row, column);
}

static void add_printed(struct pruner_numbers *x, const char *column, const char *title, double value, double printed)
{
    add(x, (struct pruner_number){"printed", NULL, NULL, column, title, value, printed}, "", "");
}

/* Ansor's minutes by what they were spent on. */
static void table1(struct pruner_numbers *x)
{
    static const struct {
        const char *column;
        int network;
    } of[] = {{"R50", 0}, {"DeTR", 6}, {"I-V3", 4}};
    double shares = 0;
    for (int i = 0; i < 3; i++) {
        double explore = at(x, "T1", "exploration", of[i].column),
               sum = explore + at(x, "T1", "training", of[i].column) + at(x, "T1", "measurement", of[i].column),
               orin_s = x->release->bar_s[PRUNER_WHOLE_RUN][PRUNER_ORIN][PRUNER_ANSOR][PRUNER_ANSOR][of[i].network];
        const char *network = pruner_networks[of[i].network];
        shares += explore / sum;
        add(x,
            (struct pruner_number){"printed_network", NULL, network, "exploration_share",
                                   "Table 1, exploration as a share of the three phases", explore / sum, NAN},
            "", "");
        add(x,
            (struct pruner_number){"printed_network", NULL, network, "unaccounted_share",
                                   "Table 1, share of Orin's whole run that is in none of the phases",
                                   1 - sum / (orin_s / 60), NAN},
            "", "");
    }
    add_printed(x, "exploration_share", "Table 1, exploration as a share of the three phases, mean", shares / 3,
                at(x, "text", "exploration_share", "ansor_orin") / 100);
}

static void table9(struct pruner_numbers *x)
{
    static const char *const columns[] = {"Bert-Tiny", "Bert-Base", "GPT-2", "Llama", "OPT", "Mistral"};
    struct geometric_mean logs = {0};
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        double v = at(x, "T9", i < 6 ? "bs1" : "bs4", columns[i % 6]);
        sum += v;
        geometric_mean_add(&logs, v);
    }
    add_printed(x, "t9_mean", "Table 9, search time of MetaSchedule / Pruner, arithmetic mean of 12", sum / 12,
                at(x, "text", "pruner_vs_metaschedule", "a100_tensorcore"));
    add_printed(x, "t9_geomean", "Table 9, the same, geometric mean", geometric_mean_of(&logs), NAN);
}

/* The draft: what it loses with and without penalties. */
static void table10(struct pruner_numbers *x)
{
    double whole = at(x, "T10", "lse", "512"), compute = at(x, "T10", "without_compute_penalties", "512"),
           memory = at(x, "T10", "without_memory_penalties", "512");
    add_printed(x, "t10_loss", "Table 10, best program lost by a draft of 512", 1 - whole, NAN);
    add_printed(x, "t10_compute_memory", "Table 10, loss without the compute penalties / without the memory penalties",
                (whole - compute) / (whole - memory), NAN);
}

struct keys { /* rows of a table, whose columns a formula names; or columns, whose rows it names */
    bool rows;
    const char *at[6];
};
static const struct keys T5 = {true, {"ResNet50", "Inception-v3", "Bert-Base", "Bert-Tiny"}},
                         T6 = {true, {"ResNet50 1x3x224x224", "ResNet50 128x3x224x224", "Bert-Large 1x128"}},
                         T7 = {false, {"R50", "I-V3", "ViT", "Dl-V3", "B-base"}},
                         T8 = {true,
                               {"1x128x768 * 768x2304", "1x128x768 * 768x768", "1x128x768 * 768x3072",
                                "1x128x3072 * 3072x768"}},
                         T11_T4 = {false, {"t4_top1"}}, T11_K80 = {false, {"k80_top1"}},
                         T12 = {false, {"R50", "I-V3", "ViT", "Dl-V3", "B-tiny"}},
                         MEMORY = {true, {"gpu_memory_batch4096"}};

enum fold { SUMS, MEAN, GEOMEAN, LEAST, MOST, LOWEST }; /* of b / a; LOWEST: how often a is below every b */
static const struct formula {
    const char *column, *title;
    enum fold fold;
    const char *table;
    const struct keys *keys;
    const char *a, *b;   /* b: several of them have a blank between */
    const char *percent; /* column of row compile_time_share of the text, which prints it in percent; NULL: none does */
} formulas[] = {
    /* 2,000 trials of MoA-Pruner against long runs of Ansor and TenSet's transfer */
    {"t5_better", "Table 5, networks of 4 where 2,000 trials of MoA-Pruner beat long Ansor runs", LOWEST, "T5", &T5,
     "moa_pruner_perf", "ansor_perf", NULL},
    {"t5_cost_least", "Table 5, long Ansor run / MoA-Pruner in minutes, least", LEAST, "T5", &T5, "moa_pruner_cost",
     "ansor_cost", NULL},
    {"t5_cost_most", "Table 5, long Ansor run / MoA-Pruner in minutes, most", MOST, "T5", &T5, "moa_pruner_cost",
     "ansor_cost", NULL},
    {"t5_over_transfer", "Table 5, networks of 4 where MoA-Pruner is faster than TenSet's transfer", LOWEST, "T5", &T5,
     "moa_pruner_perf", "tenset_transfer_perf", NULL},
    {"t5_quicker", "Table 5, networks of 4 where its search is shorter than that of TenSet's transfer", LOWEST, "T5",
     &T5, "moa_pruner_cost", "tenset_transfer_cost", NULL},
    {"t6_lowest", "Table 6, cases of 3 where MoA-Pruner is the fastest", LOWEST, "T6", &T6, "moa_pruner",
     "roller ansor pytorch", NULL},
    {"t6_roller", "Table 6, Roller / MoA-Pruner, geometric mean", GEOMEAN, "T6", &T6, "moa_pruner", "roller", NULL},
    /* minutes of 2,000 trials: below 1 is less */
    {"t7_pruner", "Table 7, Pruner's, sums", SUMS, "T7", &T7, "ansor", "pruner", "pruner"},
    {"t7_pruner_mean", "Table 7, Pruner's, mean of shares", MEAN, "T7", &T7, "ansor", "pruner", "pruner"},
    {"t7_moa_pruner", "Table 7, MoA-Pruner's time as a share of Ansor's, sums", SUMS, "T7", &T7, "ansor", "moa_pruner",
     "moa_pruner"},
    {"t7_moa_pruner_mean", "Table 7, MoA-Pruner's, mean of shares", MEAN, "T7", &T7, "ansor", "moa_pruner",
     "moa_pruner"},
    {"t8_wins", "Table 8, operators of 4 where Pruner is faster than the vendor's library", LOWEST, "T8", &T8, "pruner",
     "cudalib", NULL},
    {.table = "T9"},
    {.table = "T10"},
    {"t11_t4_tensetmlp", "Table 11, Top-1 on the T4, PaCM / TenSetMLP", SUMS, "T11", &T11_T4, "tensetmlp", "pacm",
     NULL},
    {"t11_t4_tlp", "Table 11, Top-1 on the T4, PaCM / TLP", SUMS, "T11", &T11_T4, "tlp", "pacm", NULL},
    {"t11_k80_tensetmlp", "Table 11, Top-1 on the K80, PaCM / TenSetMLP", SUMS, "T11", &T11_K80, "tensetmlp", "pacm",
     NULL},
    {"t11_k80_tlp", "Table 11, Top-1 on the K80, PaCM / TLP", SUMS, "T11", &T11_K80, "tlp", "pacm", NULL},
    /* what leaving a part out costs: latency of the variant / of MoA-Pruner */
    {"t12_lse", "Table 12, without the draft / MoA-Pruner, geometric mean of latencies", GEOMEAN, "T12", &T12,
     "moa_pruner", "without_lse", NULL},
    {"t12_statement", "Table 12, without statement features / MoA-Pruner", GEOMEAN, "T12", &T12, "moa_pruner",
     "without_statement_features", NULL},
    {"t12_dataflow", "Table 12, without dataflow features / MoA-Pruner", GEOMEAN, "T12", &T12, "moa_pruner",
     "without_dataflow_features", NULL},
    {"t12_moa", "Table 12, without MoA / MoA-Pruner", GEOMEAN, "T12", &T12, "moa_pruner", "without_moa", NULL},
    {"t12_finetune", "Table 12, online fine-tuning in place of MoA / MoA-Pruner", GEOMEAN, "T12", &T12, "moa_pruner",
     "online_finetune", NULL},
    {"t12_lowest", "Table 12, networks of 5 where no part can be left out without loss", LOWEST, "T12", &T12,
     "moa_pruner", "without_lse without_statement_features without_dataflow_features without_moa online_finetune",
     NULL},
    {"t13_ms", "Table 13, offline without the draft / with it, geometric mean of latencies", GEOMEAN, "T13", &T5,
     "pruner_offline_perf", "without_lse_perf", NULL},
    {"t13_minutes", "Table 13, the same of minutes", GEOMEAN, "T13", &T5, "pruner_offline_cost", "without_lse_cost",
     NULL},
    {"memory_tensetmlp", "text, GPU memory of PaCM / TenSetMLP, batch 4096", SUMS, "text", &MEMORY, "tensetmlp_ansor",
     "pacm", NULL},
    {"memory_tlp", "text, GPU memory of TLP / PaCM", SUMS, "text", &MEMORY, "pacm", "tlp", NULL},
};

static double cell(const struct pruner_numbers *x, const struct formula *f, int key, const char *name)
{
    const char *k = f->keys->at[key];
    return f->keys->rows ? at(x, f->table, k, name) : at(x, f->table, name, k);
}

/* NAN where the files lack one of its numbers. */
static double formula_value(const struct pruner_numbers *x, const struct formula *f)
{
    double sum_a = 0, sum_b = 0, mean = 0, least = INFINITY, most = 0, lowest = 0;
    struct geometric_mean logs = {0};
    int n = 0;
    while (n < 6 && f->keys->at[n])
        n++;
    for (int i = 0; i < n; i++) {
        double a = cell(x, f, i, f->a);
        bool below = true;
        for (const char *name = f->b; *name; name += strcspn(name, " "), name += *name == ' ') {
            double b = cell(x, f, i, arena_strn(x->arena, name, strcspn(name, " ")));
            if (isnan(b / a))
                return NAN;
            sum_b += b;
            mean += b / a / n;
            least = fmin(least, b / a);
            most = fmax(most, b / a);
            geometric_mean_add(&logs, b / a);
            below = below && a < b;
        }
        sum_a += a;
        lowest += below;
    }
    return (const double[]){sum_b / sum_a, mean, geometric_mean_of(&logs), least, most, lowest}[f->fold];
}

static void add_formulas(struct pruner_numbers *x)
{
    table1(x);
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        const struct formula *f = &formulas[i];
        if (f->column)
            add_printed(x, f->column, f->title, formula_value(x, f),
                        f->percent ? at(x, "text", "compile_time_share", f->percent) / 100 : (double)NAN);
        else if (str_eq(f->table, "T9"))
            table9(x);
        else
            table10(x);
    }
}

/* ---- the one run whose curves are public ---- */

static const struct {
    int baseline, method;
    const char *column, *title;
} races[] = {
    {PRUNER_ANSOR, PRUNER_PRUNER, "pruner", "Pruner to Ansor's end"},
    {PRUNER_ANSOR, PRUNER_MOA, "moa_pruner", "MoA-Pruner to Ansor's end"},
    {PRUNER_ANSOR, PRUNER_OFFLINE, "pruner_offline", "Pruner offline to Ansor's end"},
    {PRUNER_ANSOR, PRUNER_TENSETMLP, "tensetmlp", "TenSetMLP to Ansor's end"},
    {PRUNER_TENSETMLP, PRUNER_OFFLINE, "pruner_offline_tensetmlp", "Pruner offline to TenSetMLP's end"},
};

static void add_race(struct pruner_numbers *x, size_t which)
{
    const struct pruner_curve *c = x->release->curves;
    const struct pruner_point *end = pruner_curve_end(&c[races[which].baseline]),
                              *reach = end ? pruner_curve_reach(&c[races[which].method], end->ms) : NULL;
    struct pruner_number n = {"curve", NULL, NULL, races[which].column, races[which].title, 1, NAN};
    if (!end || !c[races[which].method].n)
        return;
    if (!reach) {
        add(x, n, "_never", ": never");
        return;
    }
    n.value = end->seconds / reach->seconds;
    add(x, n, "", ", times sooner");
    n.value = reach->seconds;
    add(x, n, "_s", ", seconds");
    n.value = reach->trials;
    add(x, n, "_trials", ", trials");
}

static void add_curve(struct pruner_numbers *x, int method)
{
    const struct pruner_curve *c = &x->release->curves[method];
    const struct pruner_point *end = pruner_curve_end(c);
    if (!end)
        return;
    const struct {
        const char *of, *title;
        double value;
    } row[] = {{"_end_ms", ", estimated latency at the end, ms", end->ms},
               {"_end_s", ", search time, s", end->seconds},
               {"_round_s", ", seconds of a round", pruner_curve_round_s(c)},
               {"_measured_ms", ", latency measured end to end, ms", c->measured_ms}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        add(x,
            (struct pruner_number){"curve", NULL, NULL, pruner_methods[method], pruner_methods[method], row[i].value,
                                   NAN},
            row[i].of, row[i].title);
}

void pruner_reanalysis_make(struct arena *a, const struct pruner_release *r, struct pruner_numbers *out)
{
    *out = (struct pruner_numbers){.release = r, .arena = a};
    vec_defer(a, &out->all);
    for (int i = 0; i < COMPARISONS; i++) {
        for (int p = 0; p < PRUNER_PLATFORMS; p++)
            add_cell(out, &comparisons[i], p);
        add_all(out, &comparisons[i]);
    }
    for (int p = 0; p < PRUNER_PLATFORMS; p++)
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            add_end(out, p, i);
    add_gaps(out);
    add_formulas(out);
    for (size_t i = 0; i < sizeof races / sizeof *races; i++)
        add_race(out, i);
    for (int m = 0; m < PRUNER_METHODS; m++)
        add_curve(out, m);
}

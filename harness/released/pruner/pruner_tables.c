/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_tables: one function a table of the paper. */
#include "harness/released/pruner/pruner_tables.h"

#include "harness/released/geometric_mean.h"

#include <math.h>

static void add(struct pruner_numbers *x, const char *column, const char *title, double value, double printed)
{
    pruner_numbers_add(x, (struct pruner_number){"printed", NULL, NULL, column, title, value, printed});
}

static void add_of(struct pruner_numbers *x, const char *network, const char *column, const char *title, double value)
{
    pruner_numbers_add(x, (struct pruner_number){"printed_network", NULL, network, column, title, value, NAN});
}

static double at(const struct pruner_numbers *x, const char *table, const char *row, const char *column)
{
    return pruner_printed(x->release, table, row, column);
}

/* The whole run of Ansor on Orin, by the bars, minutes. */
static double orin_minutes(const struct pruner_numbers *x, int network)
{
    for (int i = 0; i < x->release->bars.n; i++) {
        const struct pruner_bar *b = &x->release->bars.at[i];
        if (b->whole_run && b->platform == PRUNER_ORIN && b->baseline == PRUNER_ANSOR && b->network == network)
            return b->seconds / 60;
    }
    return NAN;
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
               sum = explore + at(x, "T1", "training", of[i].column) + at(x, "T1", "measurement", of[i].column);
        const char *network = pruner_networks[of[i].network];
        shares += explore / sum;
        add_of(x, network, "exploration_share", "Table 1, exploration as a share of the three phases", explore / sum);
        add_of(x, network, "unaccounted_share", "Table 1, share of Orin's whole run that is in none of the phases",
               1 - sum / orin_minutes(x, of[i].network));
    }
    add(x, "exploration_share", "Table 1, exploration as a share of the three phases, mean", shares / 3,
        at(x, "text", "exploration_share", "ansor_orin") / 100);
}

/* 2,000 trials of MoA-Pruner against long runs of Ansor and TenSet's transfer. */
static void table5(struct pruner_numbers *x)
{
    static const char *const rows[] = {"ResNet50", "Inception-v3", "Bert-Base", "Bert-Tiny"};
    double better = 0, over = 0, quicker = 0, least = INFINITY, most = 0;
    for (int i = 0; i < 4; i++) {
        double ms = at(x, "T5", rows[i], "moa_pruner_perf"), minutes = at(x, "T5", rows[i], "moa_pruner_cost"),
               cheaper = at(x, "T5", rows[i], "ansor_cost") / minutes;
        if (isnan(ms) || isnan(cheaper))
            return;
        better += ms < at(x, "T5", rows[i], "ansor_perf");
        over += ms < at(x, "T5", rows[i], "tenset_transfer_perf");
        quicker += minutes < at(x, "T5", rows[i], "tenset_transfer_cost");
        least = fmin(least, cheaper);
        most = fmax(most, cheaper);
    }
    add(x, "t5_better", "Table 5, networks of 4 where 2,000 trials of MoA-Pruner beat long Ansor runs", better, NAN);
    add(x, "t5_cost_least", "Table 5, long Ansor run / MoA-Pruner in minutes, least", least, NAN);
    add(x, "t5_cost_most", "Table 5, long Ansor run / MoA-Pruner in minutes, most", most, NAN);
    add(x, "t5_over_transfer", "Table 5, networks of 4 where MoA-Pruner is faster than TenSet's transfer", over, NAN);
    add(x, "t5_quicker", "Table 5, networks of 4 where its search is shorter than that of TenSet's transfer", quicker,
        NAN);
}

static void table6(struct pruner_numbers *x)
{
    static const char *const rows[] = {"ResNet50 1x3x224x224", "ResNet50 128x3x224x224", "Bert-Large 1x128"};
    struct geometric_mean logs = {0};
    double lowest = 0;
    for (int i = 0; i < 3; i++) {
        double moa = at(x, "T6", rows[i], "moa_pruner"), roller = at(x, "T6", rows[i], "roller");
        if (isnan(moa) || isnan(roller))
            return;
        geometric_mean_add(&logs, roller / moa);
        lowest += moa < roller && moa < at(x, "T6", rows[i], "ansor") && moa < at(x, "T6", rows[i], "pytorch");
    }
    add(x, "t6_lowest", "Table 6, cases of 3 where MoA-Pruner is the fastest", lowest, NAN);
    add(x, "t6_roller", "Table 6, Roller / MoA-Pruner, geometric mean", geometric_mean_of(&logs), NAN);
}

/* Minutes of 2,000 trials as a share of Ansor's: below 1 is less. */
static void table7(struct pruner_numbers *x)
{
    static const char *const columns[] = {"R50", "I-V3", "ViT", "Dl-V3", "B-base"}, *const methods[] = {"pruner",
                                                                                                        "moa_pruner"};
    for (int m = 0; m < 2; m++) {
        double ansor = 0, mine = 0, ratios = 0;
        for (int i = 0; i < 5; i++) {
            double a = at(x, "T7", "ansor", columns[i]), b = at(x, "T7", methods[m], columns[i]);
            ansor += a;
            mine += b;
            ratios += b / a / 5;
        }
        double printed = at(x, "text", "compile_time_share", methods[m]) / 100;
        add(x, m ? "t7_moa_pruner" : "t7_pruner",
            m ? "Table 7, MoA-Pruner's time as a share of Ansor's, sums" : "Table 7, Pruner's, sums", mine / ansor,
            printed);
        add(x, m ? "t7_moa_pruner_mean" : "t7_pruner_mean",
            m ? "Table 7, MoA-Pruner's, mean of shares" : "Table 7, Pruner's, mean of shares", ratios, printed);
    }
}

static void table8(struct pruner_numbers *x)
{
    static const char *const rows[] = {"1x128x768 * 768x2304", "1x128x768 * 768x768", "1x128x768 * 768x3072",
                                       "1x128x3072 * 3072x768"};
    double wins = 0;
    for (int i = 0; i < 4; i++) {
        if (isnan(at(x, "T8", rows[i], "pruner")))
            return;
        wins += at(x, "T8", rows[i], "pruner") < at(x, "T8", rows[i], "cudalib");
    }
    add(x, "t8_wins", "Table 8, operators of 4 where Pruner is faster than the vendor's library", wins, NAN);
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
    add(x, "t9_mean", "Table 9, search time of MetaSchedule / Pruner, arithmetic mean of 12", sum / 12,
        at(x, "text", "pruner_vs_metaschedule", "a100_tensorcore"));
    add(x, "t9_geomean", "Table 9, the same, geometric mean", geometric_mean_of(&logs), NAN);
}

/* The draft: what it loses with and without penalties. */
static void table10(struct pruner_numbers *x)
{
    double whole = at(x, "T10", "lse", "512"), compute = at(x, "T10", "without_compute_penalties", "512"),
           memory = at(x, "T10", "without_memory_penalties", "512");
    add(x, "t10_loss", "Table 10, best program lost by a draft of 512", 1 - whole, NAN);
    add(x, "t10_compute_memory", "Table 10, loss without the compute penalties / without the memory penalties",
        (whole - compute) / (whole - memory), NAN);
}

static void table11(struct pruner_numbers *x)
{
    static const struct {
        const char *column, *row, *of, *title;
    } cells[] = {{"t11_t4_tensetmlp", "tensetmlp", "t4_top1", "Table 11, Top-1 on the T4, PaCM / TenSetMLP"},
                 {"t11_t4_tlp", "tlp", "t4_top1", "Table 11, Top-1 on the T4, PaCM / TLP"},
                 {"t11_k80_tensetmlp", "tensetmlp", "k80_top1", "Table 11, Top-1 on the K80, PaCM / TenSetMLP"},
                 {"t11_k80_tlp", "tlp", "k80_top1", "Table 11, Top-1 on the K80, PaCM / TLP"}};
    for (int i = 0; i < 4; i++)
        add(x, cells[i].column, cells[i].title,
            at(x, "T11", "pacm", cells[i].of) / at(x, "T11", cells[i].row, cells[i].of), NAN);
}

/* What leaving a part out costs: latency of the variant / of MoA-Pruner. */
static void table12(struct pruner_numbers *x)
{
    static const char *const columns[] = {"R50", "I-V3", "ViT", "Dl-V3", "B-tiny"};
    static const struct {
        const char *row, *column, *title;
    } parts[] = {
        {"without_lse", "t12_lse", "Table 12, without the draft / MoA-Pruner, geometric mean of latencies"},
        {"without_statement_features", "t12_statement", "Table 12, without statement features / MoA-Pruner"},
        {"without_dataflow_features", "t12_dataflow", "Table 12, without dataflow features / MoA-Pruner"},
        {"without_moa", "t12_moa", "Table 12, without MoA / MoA-Pruner"},
        {"online_finetune", "t12_finetune", "Table 12, online fine-tuning in place of MoA / MoA-Pruner"},
    };
    double lowest = 0;
    bool beaten[5] = {false};
    for (int p = 0; p < 5; p++) {
        struct geometric_mean logs = {0};
        for (int i = 0; i < 5; i++) {
            double v = at(x, "T12", parts[p].row, columns[i]), whole = at(x, "T12", "moa_pruner", columns[i]);
            if (isnan(v) || isnan(whole))
                return;
            geometric_mean_add(&logs, v / whole);
            beaten[i] = beaten[i] || v <= whole;
        }
        add(x, parts[p].column, parts[p].title, geometric_mean_of(&logs), NAN);
    }
    for (int i = 0; i < 5; i++)
        lowest += !beaten[i];
    add(x, "t12_lowest", "Table 12, networks of 5 where no part can be left out without loss", lowest, NAN);
}

static void table13(struct pruner_numbers *x)
{
    static const char *const rows[] = {"ResNet50", "Inception-v3", "Bert-Base", "Bert-Tiny"};
    struct geometric_mean ms = {0}, minutes = {0};
    for (int i = 0; i < 4; i++) {
        double perf = at(x, "T13", rows[i], "without_lse_perf") / at(x, "T13", rows[i], "pruner_offline_perf"),
               cost = at(x, "T13", rows[i], "without_lse_cost") / at(x, "T13", rows[i], "pruner_offline_cost");
        if (isnan(perf) || isnan(cost))
            return;
        geometric_mean_add(&ms, perf);
        geometric_mean_add(&minutes, cost);
    }
    add(x, "t13_ms", "Table 13, offline without the draft / with it, geometric mean of latencies",
        geometric_mean_of(&ms), NAN);
    add(x, "t13_minutes", "Table 13, the same of minutes", geometric_mean_of(&minutes), NAN);
}

void pruner_tables_add(struct pruner_numbers *x)
{
    table1(x);
    table5(x);
    table6(x);
    table7(x);
    table8(x);
    table9(x);
    table10(x);
    table11(x);
    table12(x);
    table13(x);
    double pacm = at(x, "text", "gpu_memory_batch4096", "pacm");
    add(x, "memory_tensetmlp", "text, GPU memory of PaCM / TenSetMLP, batch 4096",
        pacm / at(x, "text", "gpu_memory_batch4096", "tensetmlp_ansor"), NAN);
    add(x, "memory_tlp", "text, GPU memory of TLP / PaCM", at(x, "text", "gpu_memory_batch4096", "tlp") / pacm, NAN);
}

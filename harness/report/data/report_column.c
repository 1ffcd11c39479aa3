/* SPDX-License-Identifier: Apache-2.0 */
/* report_column: the columns of the header as an array, and the tables that are made of them. */
#include "harness/report/data/report_column.h"

#define NONE SOURCE_NOTHING, PART_KEPT, 0
#define Q(quantity) SOURCE_QUANTITY, PART_KEPT, QUANTITY_##quantity
#define MS(part, sum) SOURCE_KERNEL, PART_##part, SUM_##sum
#define RE(part, sum) SOURCE_RETIMED, PART_##part, SUM_##sum
#define S(part, clock) SOURCE_SEARCH, PART_##part, CLOCK_##clock
#define TRIALS(part) SOURCE_TRIALS, PART_##part, 0
#define FAILED(part) SOURCE_FAILED, PART_##part, 0
#define X(id, kind, digits, views, got, name, head, unit, help)                                                        \
    [COL_##id] = {name, head, unit, help, VALUE_##kind, digits, views, got},

const struct report_column_info report_columns[COL_COUNT] = {REPORT_COLUMNS(X)};

#undef X

int report_column_find(const char *name)
{
    for (int i = 0; i < COL_COUNT; i++)
        if (str_eq(report_columns[i].name, name))
            return i;
    return -1;
}

const char *report_column_rows(enum report_column c)
{
    bool by_kernel =
        c == COL_PAIR_EACH || c == COL_EFFECT || c == COL_EFFECT_RETIMED ||
        (report_columns[c].source == SOURCE_QUANTITY && quantity_by_kernel((enum quantity)report_columns[c].what));
    return by_kernel ? "kernels" : "networks";
}

/* ---- tables ---- */

#define COMPARED                                                                                                       \
    COL_SEARCH_SPEEDUP_WALL, COL_SEARCH_SPEEDUP_RECORDS, COL_SEARCH_SPEEDUP_SUM, COL_SEARCH_SPEEDUP_DEVICE,            \
        COL_SEARCH_SPEEDUP_CPU, COL_CLOCKS, COL_KERNEL_SPEEDUP, COL_KERNEL_SPEEDUP_CALLS, COL_KERNEL_SPEEDUP_RETIMED,  \
        COL_KERNEL_SPEEDUP_RETIMED_CALLS, COL_KERNEL_GEOMEAN, COL_KERNEL_GEOMEAN_RETIMED, COL_OWN_SPEEDUP,             \
        COL_PAPER_KERNEL, COL_PAPER_SEARCH, COL_SEED_GAIN, COL_SEED_GAIN_CALLS, COL_TIMING_GAIN,                       \
        COL_TIMING_GAIN_CALLS, COL_SEARCH_GAIN, COL_SEARCH_GAIN_CALLS, COL_K_KERNEL_SPEEDUP,                           \
        COL_K_KERNEL_SPEEDUP_CALLS, COL_K_SEARCH_SPEEDUP_WALL, COL_K_SEARCH_SPEEDUP_RECORDS, COL_K_SEARCH_SPEEDUP_SUM, \
        COL_K_SEARCH_SPEEDUP_DEVICE, COL_K_SEARCH_SPEEDUP_CPU, COL_EXPLORER_KERNEL_MS, COL_EXPLORER_RETIMED_MS,        \
        COL_SEED_KERNEL_MS, COL_SEED_KERNEL_CALLS_MS, COL_SEED_RETIMED_MS, COL_SEED_RETIMED_CALLS_MS,                  \
        COL_OWN_KERNEL_MS, COL_KERNEL_MS, COL_KERNEL_CALLS_MS, COL_RETIMED_MS, COL_RETIMED_CALLS_MS,                   \
        COL_SEARCH_WALL_S, COL_SEARCH_RECORDS_S, COL_SEARCH_SUM_S, COL_SEARCH_DEVICE_S, COL_SEARCH_CPU_S,              \
        COL_SEARCH_TRIALS, COL_SEED_SEARCH_WALL_S, COL_SEED_SEARCH_RECORDS_S, COL_SEED_SEARCH_SUM_S,                   \
        COL_SEED_SEARCH_DEVICE_S, COL_SEED_SEARCH_CPU_S, COL_SEED_TRIALS, COL_SEED_FAILED, COL_EXPLOIT_WALL_S,         \
        COL_EXPLOIT_RECORDS_S, COL_REPEATS_BETTER, COL_REPEATS_WORSE, COL_REPEATS_OPEN, COL_LAUNCHES_BETTER,           \
        COL_LAUNCHES_WORSE, COL_LAUNCHES_OPEN
#define TABLE(...)                                                                                                     \
    (const enum report_column[]){__VA_ARGS__},                                                                         \
        (int)(sizeof((const enum report_column[]){__VA_ARGS__}) / sizeof(enum report_column))

const struct report_table_info report_tables[REPORT_TABLES] = {
    [TABLE_MEANS] = {"means",
                     "Each arm over networks: ratios are geometric means over networks, times and trials are sums.",
                     TABLE(COL_ARM, COL_OVER, COL_K, COL_SEARCHER, COL_SETTINGS, COL_NETWORKS, COL_COMPLETE,
                           COL_KERNELS, COL_FOUND, COL_TRIALS, COL_FAILED, COL_SHARED, COL_WINS, COL_COUNTED, COMPARED,
                           COL_UNLIKE)},
    [TABLE_NETWORKS] = {"networks",
                        "Each arm on each network. Over seeds, ratios are geometric means, times means, trials sums.",
                        TABLE(COL_NETWORK, COL_ARM, COL_K, COL_SEEDS, COL_KERNELS, COL_CALLS, COL_FOUND, COL_TRIALS,
                              COL_FAILED, COL_SHARED, COMPARED, COL_P, COL_P_HOLM, COL_SPREAD_REPEATS,
                              COL_SPREAD_LAUNCHES, COL_UNLIKE)},
    [TABLE_EXPLORERS] = {"explorers", "Each arm that searches by itself, on each network: means over its seeds.",
                         TABLE(COL_NETWORK, COL_ARM, COL_SEEDS, COL_KERNELS, COL_CALLS, COL_TRIALS, COL_FAILED,
                               COL_KERNEL_MS, COL_KERNEL_CALLS_MS, COL_RETIMED_MS, COL_RETIMED_CALLS_MS,
                               COL_SEARCH_WALL_S, COL_SEARCH_RECORDS_S, COL_SEARCH_SUM_S, COL_SEARCH_DEVICE_S,
                               COL_SEARCH_CPU_S)},
    [TABLE_PAIRWISE] = {"pairwise", "The first arm against each other one at the same k: above 1 favours the first.",
                        TABLE(COL_ARM, COL_OVER, COL_PAIR_KERNELS, COL_PAIR_EACH, COL_PAIR_RECORDS, COL_PAIR_WALL,
                              COL_UNLIKE)},
    [TABLE_DECLARED] = {"declared", "The arms that the experiment's answer was declared by, over its networks.",
                        TABLE(COL_ARM, COL_OVER, COL_PAIR_KERNELS, COL_UNLIKE)},
    [TABLE_EFFECTS] = {"effects", "What each condition does to the same programs, every kernel alike.",
                       TABLE(COL_CONDITION, COL_PAIRS, COL_EFFECT, COL_EFFECT_RETIMED)},
    [TABLE_SEEDS] = {"seeds", "Each arm on each network in each seed, by itself.",
                     TABLE(COL_NETWORK, COL_ARM, COL_SEED, COL_KERNEL_SPEEDUP, COL_KERNEL_SPEEDUP_RETIMED,
                           COL_KERNEL_GEOMEAN, COL_KERNEL_GEOMEAN_RETIMED, COL_OWN_SPEEDUP, COL_SEED_GAIN,
                           COL_SEARCH_SPEEDUP_RECORDS, COL_SEARCH_SPEEDUP_WALL, COL_EXPLORER_KERNEL_MS, COL_KERNEL_MS,
                           COL_EXPLOIT_WALL_S, COL_EXPLOIT_RECORDS_S, COL_UNLIKE)},
    [TABLE_EXPLORER_SEEDS] = {"explorer_seeds", "Each arm that searches by itself, on each network in each seed.",
                              TABLE(COL_NETWORK, COL_ARM, COL_SEARCHER, COL_SEED, COL_KERNELS, COL_TRIALS, COL_FAILED,
                                    COL_KERNEL_MS, COL_RETIMED_MS, COL_SEARCH_WALL_S, COL_TIME_SPREAD)},
    [TABLE_KERNELS] = {"kernels", "Each kernel of each arm, network and seed.",
                       TABLE(COL_NETWORK, COL_ARM, COL_SEED, COL_KERNEL, COL_TRIALS, COL_FAILED, COL_EXPLORER_KERNEL_MS,
                             COL_SEED_KERNEL_MS, COL_OWN_KERNEL_MS, COL_KERNEL_MS, COL_EXPLORER_RETIMED_MS,
                             COL_RETIMED_MS, COL_P_REPEATS, COL_P_LAUNCHES)},
    [TABLE_SEPARATE] = {"separate_runs",
                        "The first k records of the one long log (cut) beside a run of its own with k trials a kernel.",
                        TABLE(COL_NETWORK, COL_K, COL_CUT_KERNEL_MS, COL_SEPARATE_KERNEL_MS, COL_SEPARATE_KERNEL,
                              COL_CUT_SEARCH_S, COL_SEPARATE_SEARCH_S, COL_SEPARATE_SEARCH, COL_SEPARATE_DESCENT,
                              COL_UNLIKE)},
    [TABLE_REMEASURED] = {"remeasured_seeds",
                          "The seeds measured again under the same regime: how much of a gain is measuring, how much "
                          "searching.",
                          TABLE(COL_NETWORK, COL_K, COL_SEED_KERNEL_MS, COL_REMEASURED_MS, COL_KERNEL_MS,
                                COL_REMEASURE_GAIN, COL_FOUND_GAIN, COL_UNLIKE)},
    [TABLE_CURVES] = {"curves", "Best so far over the wall clock, as the figures draw it: steps, thinned out.",
                      TABLE(COL_NETWORK, COL_ARM, COL_SEEDS, COL_CURVE_SECONDS, COL_CURVE_MS, COL_CURVE_LOW,
                            COL_CURVE_HIGH)},
    [TABLE_TARGETS] = {"time_to_target",
                       "Time and trials until the sum is at most q times the explorer's (or first arm's) last median.",
                       TABLE(COL_NETWORK, COL_Q, COL_TARGET_MS, COL_ARM, COL_RUNS, COL_REACHED, COL_SHARE, COL_MEDIAN_S,
                             COL_MEDIAN_INTERVAL, COL_MEAN_S, COL_MEAN_ERROR_S, COL_EXPECTED_S, COL_MEDIAN_TRIALS,
                             COL_MEDIAN_TRIALS_INTERVAL, COL_EXPECTED_TRIALS, COL_P, COL_P_HOLM)},
    [TABLE_CURVES_TRIALS] = {"curves_trials", "Best so far over trials, of a race: steps, thinned out.",
                             TABLE(COL_NETWORK, COL_ARM, COL_SEEDS, COL_CURVE_TRIALS, COL_CURVE_MS, COL_CURVE_LOW,
                                   COL_CURVE_HIGH)},
    [TABLE_RACE] = {"race",
                    "Arms of a race against the first, until the slowest sum that any run of the two ends with.",
                    TABLE(COL_NETWORK, COL_ARM, COL_OVER, COL_RUNS, COL_TARGET_MS, COL_REACH_WALL_S, COL_BASE_WALL_S,
                          COL_REACH_TRIALS, COL_BASE_TRIALS, COL_SOONER_WALL, COL_SOONER_TRIALS, COL_UNLIKE)},
    [TABLE_PARITY] = {"parity", "Arms of a race: how much sooner they are as good as the first is in the end.",
                      TABLE(COL_NETWORK, COL_ARM, COL_OVER, COL_RUNS, COL_REACHED, COL_PARITY_NEVER, COL_TARGET_MS,
                            COL_BASE_WHOLE_S, COL_REACH_WALL_S, COL_PARITY_MEAN, COL_PARITY, COL_PARITY_RETIMED_RUNS,
                            COL_PARITY_RETIMED_REACHED, COL_PARITY_RETIMED_MEAN, COL_PARITY_RETIMED, COL_UNLIKE)},
    [TABLE_PARITY_PAIRS] = {"parity_pairs",
                            "Arms of a race, over networks: the same with an arm before them in the first one's place.",
                            TABLE(COL_ARM, COL_OVER, COL_NETWORKS, COL_RUNS, COL_REACHED, COL_PARITY_NEVER,
                                  COL_SOONER_WALL, COL_PARITY_MEAN, COL_PARITY, COL_PARITY_RETIMED_RUNS,
                                  COL_PARITY_RETIMED_REACHED, COL_PARITY_RETIMED_MEAN, COL_PARITY_RETIMED, COL_UNLIKE)},
    [TABLE_RACE_KERNELS] =
        {"race_kernels", "Arms of a race, kernel by kernel: geometric means over seeds, re-timed where kernels were.",
         TABLE(COL_NETWORK, COL_KERNEL, COL_ARM, COL_SEEDS, COL_KERNEL_MS, COL_GFLOPS, COL_GFLOPS_INTERVAL,
               COL_SHARE_OF_PEAK, COL_SHARE_OF_PEAK_INTERVAL)},
    [TABLE_EQUAL_QUALITY] = {"equal_quality",
                             "When the explorer alone has what an arm ends with. The first rows are over networks.",
                             TABLE(COL_NETWORK, COL_ARM, COL_RUNS, COL_EQUAL_REACHED, COL_EQUAL_QUALITY)},
    [TABLE_FEW_RECORDS] = {"few_records",
                           "Arms whose explorer has fewer than k records of some kernels: those start from all there "
                           "are.",
                           TABLE(COL_ARM, COL_K, COL_KERNELS, COL_FEW, COL_FEWEST, COL_KERNEL, COL_NETWORK)},
    [TABLE_LOSS] = {"selection_loss", "What the arms lost, by re-timed times: geometric means over kernels and seeds.",
                    TABLE(COL_NETWORK, COL_ARM, COL_KERNELS, COL_PROGRAMS, COL_SELECTION_LOSS, COL_EXPLORATION_LOSS,
                          COL_WHOLE_LOSS)},
    [TABLE_NOISE] = {"noise", "The noise floor and what it rests on; one row.",
                     TABLE(COL_NOISE_FLOOR, COL_READINGS, COL_READINGS_FAILED, COL_STATE, COL_REASON, COL_SEARCH_STATE,
                           COL_SEARCH_REASON)},
    [TABLE_DUELS] = {"duels", "Arms against each other by paired launches, and the null pairs.",
                     TABLE(COL_NETWORK, COL_ARM, COL_OVER, COL_FASTER, COL_FASTER_INTERVAL, COL_HALF_WIDTH,
                           COL_FASTER_CALLS, COL_FASTER_CALLS_INTERVAL, COL_KERNELS, COL_IDENTICAL, COL_NOT_TIMED,
                           COL_LAUNCHES, COL_UNLIKE)},
    [TABLE_GATES] = {"gates", "The gates of validity.",
                     TABLE(COL_GATE, COL_ABOUT, COL_STATE, COL_VALUE, COL_LIMIT, COL_TITLE)},
    [TABLE_VERDICTS] = {"verdicts", "The claims that this experiment tests, judged by the numbers of this report.",
                        TABLE(COL_CLAIM, COL_SAYS, COL_VERDICT, COL_VALUE, COL_INTERVAL, COL_INTERVAL_OTHERS, COL_PAPER,
                              COL_CLOCK, COL_WALL, COL_SEEDS, COL_DF, COL_INTERVAL_HALF, COL_CHANGED, COL_DOUBT,
                              COL_MEASUREMENT, COL_REASON)},
    [TABLE_PUBLISHED] = {"published", "Published numbers that stand beside ours; ratios by k where there are some.",
                         TABLE(COL_SOURCE, COL_LABEL, COL_NUMBERS, COL_K, COL_PAPER_KERNEL, COL_PAPER_SEARCH)},
    [TABLE_FAILURES] = {"failures", "Failed candidates by outcome and message, the most frequent first.",
                        TABLE(COL_OUTCOME, COL_CANDIDATES, COL_MESSAGE)},
    [TABLE_COMPUTED_CLOCK] =
        {"computed_clock", "How well search times are computed where slow programs were called less. One row, or none.",
         TABLE(COL_SLOW_TRIALS, COL_OF_TRIALS, COL_SPARED_S, COL_CHECKED, COL_CLOCK_ERROR, COL_CLOCK_ERROR_MEDIAN,
               COL_CLOCK_ERROR_WORST)},
    [TABLE_OBJECT_CACHE] =
        {"object_cache",
         "Builds whose object an earlier one had made: searches are charged for them. One row, or none.",
         TABLE(COL_CACHED_TRIALS, COL_OF_TRIALS, COL_CACHED_S, COL_CACHED_CLOCK_S)},
    [TABLE_PHASES] = {"phases", "Where the time of complete rounds went.",
                      TABLE(COL_PHASE, COL_SECONDS, COL_SHARE_OF_WALL)},
    [TABLE_TIME_SPLIT] =
        {"time_split",
         "Where the rounds of each arm went: means of a run, first over networks; each where it was made.",
         TABLE(COL_NETWORK, COL_ARM, COL_RUNS, COL_EXPLORATION_S, COL_TRAINING_S, COL_MEASUREMENT_S, COL_OTHER_S,
               COL_ROUNDS_S, COL_EXPLORATION_SHARE)},
    [TABLE_EVALUATIONS] = {"evaluations", "How often searchers had programs scored: means of a round, by arm.",
                           TABLE(COL_ARM, COL_ROUNDS, COL_DRAFT_ASKED, COL_DRAFT_SCORED, COL_MODEL_ASKED,
                                 COL_MODEL_SCORED)},
    [TABLE_ANSWERS] = {"answers", "What a recorded device was asked, by arm: target replay.",
                       TABLE(COL_ARM, COL_CANDIDATES, COL_RECORDED, COL_NEAREST, COL_REFUSED, COL_SHARE_RECORDED)},
    [TABLE_COUNTERS] = {"counters", "Hardware counters of the best programs, from counted runs of their own.",
                        TABLE(COL_COUNTER, COL_PRESENT, COL_PROGRAMS, COL_REASON)},
    [TABLE_ENVIRONMENT] = {"environment", "The machine, the target and the versions.",
                           TABLE(COL_PART, COL_NAME, COL_TEXT_VALUE)},
    [TABLE_CELLS] = {"cells", "The cells of records.db: runs of one arm on one network with one seed.",
                     TABLE(COL_CELL, COL_NETWORK, COL_ARM, COL_SEED, COL_STATE)},
};

int report_table_find(const char *id)
{
    for (int i = 0; i < REPORT_TABLES; i++)
        if (str_eq(report_tables[i].id, id))
            return i;
    return -1;
}

/* ---- the reference ---- */

static const char *type_of(enum report_kind_of_value kind)
{
    static const char *const words[] = {"text",  "whole number", "number",          "number, a share",
                                        "ratio", "[low, high]",  "list of numbers", "true or false"};
    return words[kind];
}

/* What document_json prints of an estimate. */
static void ratio_reference(struct text *t)
{
    static const char *const members[][2] = {
        {"ratio", "The geometric mean."},
        {"over", "What its interval is over: seeds, networks or kernels; none: it is one value."},
        {"n", "How many of these."},
        {"method", "Of the interval: pooled (spread within networks), t or bca."},
        {"interval", "95 %."},
        {"half_width", "Half of it, on the log scale: 0.05 is about 5 %."},
        {"df", "Degrees of freedom of the spread between seeds; not there with one seed."},
        {"p", "Test that the ratio is 1: t where the interval is pooled, else sign flips."},
        {"p_holm", "The same after Holm's correction."},
        {"rows", "Networks or kernels, where there are several."},
        {"interval_rows", "95 % over others like these."},
        {"beats", "Chance to be above 1; ties count half."},
        {"beats_interval", "Wilson's 95 % of it."},
        {"wins", "Pairs above 1."},
        {"ties", "Pairs within the larger of 2 % and twice the noise floor."},
        {"losses", "Pairs below 1."},
    };
    text_add(t, "### A ratio\n\nA value of type `ratio` is an object. What it has depends on what is estimated.\n\n"
                "| member | what it is |\n|---|---|\n");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        text_printf(t, "| `%s` | %s |\n", members[i][0], members[i][1]);
}

void column_reference(struct text *t)
{
    for (int i = 0; i < REPORT_TABLES; i++) {
        const struct report_table_info *table = &report_tables[i];
        text_printf(t, "### `%s`\n\n%s\n\n| member | type | unit | what it is |\n|---|---|---|---|\n", table->id,
                    table->help);
        for (int k = 0; k < table->n; k++) {
            const struct report_column_info *c = &report_columns[table->columns[k]];
            bool share = c->kind == VALUE_PERCENT;
            text_printf(t, "| `%s` | %s | %s | %s |\n", c->name, type_of(c->kind), share ? "" : c->unit, c->help);
        }
        text_char(t, '\n');
    }
    ratio_reference(t);
}

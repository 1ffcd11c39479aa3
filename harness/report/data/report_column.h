/* SPDX-License-Identifier: Apache-2.0 */
/* report_column: the one table of what reports show: a row is a column's name (JSON member, TSV head, what claims
 * name), its head for people, unit, digits, the views that show it, how it is got from a comparison, and one sentence
 * of help. A second table says which columns make up which table of a report. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/data/comparison.h"

/* id, kind of value, digits, views, how it is got from a comparison, name, head for people, unit, help. */
#define REPORT_COLUMNS(X)                                                                                              \
    X(NETWORK, TEXT, 0, VIEW_HEADLINE | VIEW_FULL | VIEW_TIMES | VIEW_COST | VIEW_GAIN | VIEW_TESTS | VIEW_SHEET,      \
      NONE, "network", "network", "", "The network; null in a row over networks.")                                     \
    X(ARM, TEXT, 0, VIEW_HEADLINE | VIEW_FULL | VIEW_TIMES | VIEW_COST | VIEW_GAIN | VIEW_TESTS | VIEW_SHEET, NONE,    \
      "arm", "arm", "", "The arm, with its k: `droplet-300`.")                                                         \
    X(OVER, TEXT, 0, VIEW_FULL, NONE, "over", "against", "", "The arm that it is set against.")                        \
    X(UNLIKE, TEXT, 0, VIEW_HEADLINE | VIEW_FULL, NONE, "unlike", "unlike", "",                                        \
      "Under which conditions the arm was built and timed, and the one that it is set against was not.")               \
    X(K, COUNT, 0, VIEW_SHEET, NONE, "k", "k", "",                                                                     \
      "How many of a kernel's first records of the explorer the arm may see.")                                         \
    X(SEED, COUNT, 0, VIEW_FULL | VIEW_SHEET, NONE, "seed", "seed", "", "The number of the repetition.")               \
    X(KERNEL, TEXT, 0, VIEW_FULL | VIEW_SHEET, NONE, "kernel", "kernel", "",                                           \
      "The kernel, by its name in the network.")                                                                       \
    X(SEARCHER, TEXT, 0, VIEW_NONE, NONE, "searcher", "searcher", "", "The plug-in that searches.")                    \
    X(SETTINGS, TEXT, 0, VIEW_NONE, NONE, "settings", "settings", "", "Its settings.")                                 \
    X(SEEDS, COUNT, 0, VIEW_SHEET, NONE, "seeds", "seeds", "", "Seeds that are done.")                                 \
    X(NETWORKS, COUNT, 0, VIEW_NONE, NONE, "networks", "networks", "", "Networks that are done.")                      \
    X(COMPLETE, COUNT, 0, VIEW_NONE, NONE, "networks_complete", "complete", "",                                        \
      "Networks of which the arm has a valid record of its own for every kernel.")                                     \
    X(KERNELS, COUNT, 0, VIEW_SHEET, NONE, "kernels", "kernels", "",                                                   \
      "Distinct kernels; in a table of losses or few records also times seeds.")                                       \
    X(CALLS, COUNT, 0, VIEW_SHEET, NONE, "calls", "calls", "", "How often the network calls them altogether.")         \
    X(FOUND, COUNT, 0, VIEW_TIMES | VIEW_SHEET, NONE, "kernels_found", "found", "",                                    \
      "Kernels of which the arm has a valid record of its own, in every seed.")                                        \
    X(TRIALS, COUNT, 0, VIEW_FULL | VIEW_SHEET, TRIALS(OWN), "trials", "trials", "",                                   \
      "Records of the arm itself, all seeds.")                                                                         \
    X(FAILED, COUNT, 0, VIEW_FULL | VIEW_SHEET, FAILED(OWN), "failed", "failed", "",                                   \
      "Records of the arm itself that are not valid.")                                                                 \
    X(SHARED, COUNT, 0, VIEW_NONE, NONE, "shared_descents", "shared", "",                                              \
      "Kernels whose descent was run for another k and serves here too.")                                              \
    X(SEARCH_SPEEDUP_WALL, RATIO, 2, VIEW_HEADLINE | VIEW_FULL | VIEW_SHEET, Q(SEARCH_WALL), "search_speedup_wall",    \
      "search", "ratio",                                                                                               \
      "Search time of the explorer's full run over that of the seeds and the arm, on the wall clock.")                 \
    X(SEARCH_SPEEDUP_RECORDS, RATIO, 2, VIEW_FULL | VIEW_SHEET, Q(SEARCH_RECORDS), "search_speedup_records",           \
      "search, records", "ratio",                                                                                      \
      "Search time of the explorer's full run over that of the seeds and the arm, on the authors' clock of records.")  \
    X(SEARCH_SPEEDUP_SUM, RATIO, 2, VIEW_NONE, Q(SEARCH_SUM), "search_speedup_sum", "search, sum", "ratio",            \
      "Search time of the explorer's full run over that of the seeds and the arm, by build and run costs added up.")   \
    X(SEARCH_SPEEDUP_DEVICE, RATIO, 2, VIEW_NONE, Q(SEARCH_DEVICE), "search_speedup_device", "search, device",         \
      "ratio",                                                                                                         \
      "Search time of the explorer's full run over that of the seeds and the arm, by the time that the device was "    \
      "held.")                                                                                                         \
    X(SEARCH_SPEEDUP_CPU, RATIO, 2, VIEW_NONE, Q(SEARCH_CPU), "search_speedup_cpu", "search, cpu", "ratio",            \
      "Search time of the explorer's full run over that of the seeds and the arm, by CPU time of the searching "       \
      "process.")                                                                                                      \
    X(CLOCKS, TEXT, 0, VIEW_FULL | VIEW_SHEET, NONE, "clocks", "clocks", "",                                           \
      "Do wall clock and records clock agree on the search speedup; else they differ in size (by more than 1.25) or "  \
      "in direction.")                                                                                                 \
    X(KERNEL_SPEEDUP, RATIO, 3, VIEW_FULL | VIEW_SHEET, Q(KERNEL), "kernel_speedup", "as tuned", "ratio",              \
      "Kernel time of the explorer's full run over that of the arm (its best or its seed), as tuned, each kernel "     \
      "once.")                                                                                                         \
    X(KERNEL_SPEEDUP_CALLS, RATIO, 3, VIEW_FULL | VIEW_SHEET, Q(KERNEL_CALLS), "kernel_speedup_calls", "by calls",     \
      "ratio", "The same, each kernel as often as the network calls it.")                                              \
    X(KERNEL_SPEEDUP_RETIMED, RATIO, 3, VIEW_FULL | VIEW_SHEET, Q(RETIMED), "kernel_speedup_retimed", "re-timed",      \
      "ratio", "The same of the re-timed programs, each kernel once: the number to go by.")                            \
    X(KERNEL_SPEEDUP_RETIMED_CALLS, RATIO, 3, VIEW_NONE, Q(RETIMED_CALLS), "kernel_speedup_retimed_calls",             \
      "re-timed, by calls", "ratio", "The same of the re-timed programs, by calls.")                                   \
    X(KERNEL_GEOMEAN, RATIO, 3, VIEW_SHEET, Q(EACH), "kernel_geomean", "each kernel alike", "ratio",                   \
      "Geometric mean over kernels of the kernel speedup as tuned.")                                                   \
    X(KERNEL_GEOMEAN_RETIMED, RATIO, 3, VIEW_SHEET, Q(EACH_RETIMED), "kernel_geomean_retimed", "each alike, re-timed", \
      "ratio", "Geometric mean over kernels of the re-timed kernel speedup.")                                          \
    X(OWN_SPEEDUP, RATIO, 3, VIEW_TIMES | VIEW_SHEET, Q(OWN), "own_speedup", "own records only", "ratio",              \
      "Kernel speedup of the arm's own records, without its seeds; of networks where it found all kernels.")           \
    X(PAPER_KERNEL, NUMBER, 3, VIEW_HEADLINE | VIEW_FULL | VIEW_SHEET, NONE, "paper_kernel_speedup", "paper", "ratio", \
      "Kernel speedup published for this k on the machine that the report names.")                                     \
    X(PAPER_SEARCH, NUMBER, 2, VIEW_FULL | VIEW_SHEET, NONE, "paper_search_speedup", "paper, search", "ratio",         \
      "Search speedup published for it, on the authors' clock.")                                                       \
    X(WINS, COUNT, 0, VIEW_HEADLINE, NONE, "wins", "wins", "",                                                         \
      "Networks whose kernel sums are at least as fast, re-timed where they were.")                                    \
    X(COUNTED, COUNT, 0, VIEW_HEADLINE, NONE, "counted", "of", "", "Networks that have such a ratio.")                 \
    X(P, NUMBER, 4, VIEW_NONE, NONE, "p", "p", "",                                                                     \
      "Sign-flip test over seeds that the kernel speedup is 1, re-timed in the seeds that were.")                      \
    X(P_HOLM, NUMBER, 4, VIEW_NONE, NONE, "p_holm", "Holm", "",                                                        \
      "The same after Holm's correction over networks (table3) or arms.")                                              \
    X(SEED_GAIN, RATIO, 3, VIEW_FULL | VIEW_GAIN | VIEW_SHEET, Q(GAIN), "seed_gain", "gain over seed", "ratio",        \
      "Kernel time of the seeds over that of the arm, as tuned.")                                                      \
    X(SEED_GAIN_CALLS, RATIO, 3, VIEW_NONE, Q(GAIN_CALLS), "seed_gain_calls", "gain, by calls", "ratio",               \
      "The same by calls.")                                                                                            \
    X(TIMING_GAIN, RATIO, 3, VIEW_GAIN, Q(TIMING_GAIN), "timing_gain", "timing the seed again", "ratio",               \
      "Seeds as recorded over the same seeds re-timed: below 1 where the record read too low.")                        \
    X(TIMING_GAIN_CALLS, RATIO, 3, VIEW_NONE, Q(TIMING_GAIN_CALLS), "timing_gain_calls", "timing, by calls", "ratio",  \
      "The same by calls.")                                                                                            \
    X(SEARCH_GAIN, RATIO, 3, VIEW_GAIN, Q(SEARCH_GAIN), "search_gain", "searching", "ratio",                           \
      "Seeds over the arm's programs, both re-timed: what searching added.")                                           \
    X(SEARCH_GAIN_CALLS, RATIO, 3, VIEW_NONE, Q(SEARCH_GAIN_CALLS), "search_gain_calls", "searching, by calls",        \
      "ratio", "The same by calls.")                                                                                   \
    X(K_KERNEL_SPEEDUP, RATIO, 3, VIEW_GAIN, Q(K_KERNEL), "explorer_k_kernel_speedup", "explorer-k, kernels", "ratio", \
      "Kernel time of the explorer's full run over that of its first k records.")                                      \
    X(K_KERNEL_SPEEDUP_CALLS, RATIO, 3, VIEW_NONE, Q(K_KERNEL_CALLS), "explorer_k_kernel_speedup_calls",               \
      "explorer-k, by calls", "ratio", "The same by calls.")                                                           \
    X(K_SEARCH_SPEEDUP_WALL, RATIO, 2, VIEW_GAIN, Q(K_SEARCH_WALL), "explorer_k_search_speedup_wall",                  \
      "explorer-k, search", "ratio",                                                                                   \
      "Search time of the explorer's full run over that of its first k records, clock `wall`.")                        \
    X(K_SEARCH_SPEEDUP_RECORDS, RATIO, 2, VIEW_NONE, Q(K_SEARCH_RECORDS), "explorer_k_search_speedup_records",         \
      "explorer-k, records", "ratio",                                                                                  \
      "Search time of the explorer's full run over that of its first k records, clock `records`.")                     \
    X(K_SEARCH_SPEEDUP_SUM, RATIO, 2, VIEW_NONE, Q(K_SEARCH_SUM), "explorer_k_search_speedup_sum", "explorer-k, sum",  \
      "ratio", "Search time of the explorer's full run over that of its first k records, clock `sum`.")                \
    X(K_SEARCH_SPEEDUP_DEVICE, RATIO, 2, VIEW_NONE, Q(K_SEARCH_DEVICE), "explorer_k_search_speedup_device",            \
      "explorer-k, device", "ratio",                                                                                   \
      "Search time of the explorer's full run over that of its first k records, clock `device`.")                      \
    X(K_SEARCH_SPEEDUP_CPU, RATIO, 2, VIEW_NONE, Q(K_SEARCH_CPU), "explorer_k_search_speedup_cpu", "explorer-k, cpu",  \
      "ratio", "Search time of the explorer's full run over that of its first k records, clock `cpu`.")                \
    X(EXPLORER_KERNEL_MS, NUMBER, 3, VIEW_TIMES | VIEW_SHEET, MS(EXPLORER, PLAIN), "explorer_kernel_ms", "explorer",   \
      "ms", "Kernel time of the explorer's full run, each kernel once.")                                               \
    X(EXPLORER_RETIMED_MS, NUMBER, 3, VIEW_SHEET, RE(EXPLORER, PLAIN), "explorer_kernel_retimed_ms",                   \
      "explorer, re-timed", "ms", "The same programs re-timed.")                                                       \
    X(SEED_KERNEL_MS, NUMBER, 3, VIEW_TIMES | VIEW_SHEET, MS(SEED, PLAIN), "seed_kernel_ms", "seed", "ms",             \
      "Kernel time of the best of the explorer's first k records.")                                                    \
    X(SEED_KERNEL_CALLS_MS, NUMBER, 3, VIEW_NONE, MS(SEED, CALLS), "seed_kernel_calls_ms", "seed, by calls", "ms",     \
      "The same by calls.")                                                                                            \
    X(SEED_RETIMED_MS, NUMBER, 3, VIEW_NONE, RE(SEED, PLAIN), "seed_kernel_retimed_ms", "seed, re-timed", "ms",        \
      "The same programs re-timed.")                                                                                   \
    X(SEED_RETIMED_CALLS_MS, NUMBER, 3, VIEW_NONE, RE(SEED, CALLS), "seed_kernel_retimed_calls_ms",                    \
      "seed, re-timed, by calls", "ms", "The same by calls.")                                                          \
    X(OWN_KERNEL_MS, NUMBER, 3, VIEW_TIMES | VIEW_SHEET, NONE, "own_kernel_ms", "own", "ms",                           \
      "Kernel time of the arm's own records; over networks of those where it found all kernels.")                      \
    X(KERNEL_MS, NUMBER, 3, VIEW_TIMES | VIEW_SHEET, MS(KEPT, PLAIN), "kernel_ms", "best", "ms",                       \
      "Kernel time of the better of these two: what one would use.")                                                   \
    X(KERNEL_CALLS_MS, NUMBER, 3, VIEW_SHEET, MS(KEPT, CALLS), "kernel_calls_ms", "best, by calls", "ms",              \
      "The same by calls.")                                                                                            \
    X(RETIMED_MS, NUMBER, 3, VIEW_TIMES | VIEW_SHEET, RE(KEPT, PLAIN), "kernel_retimed_ms", "best, re-timed", "ms",    \
      "The same programs re-timed.")                                                                                   \
    X(RETIMED_CALLS_MS, NUMBER, 3, VIEW_NONE, RE(KEPT, CALLS), "kernel_retimed_calls_ms", "re-timed, by calls", "ms",  \
      "The same by calls.")                                                                                            \
    X(SEARCH_WALL_S, NUMBER, 1, VIEW_COST | VIEW_SHEET, S(KEPT, WALL), "search_wall_s", "wall", "s",                   \
      "Search time of seeds and arm: the clock on the wall, training and waiting included.")                           \
    X(SEARCH_RECORDS_S, NUMBER, 1, VIEW_COST | VIEW_SHEET, S(KEPT, RECORDS), "search_records_s", "records", "s",       \
      "Search time of seeds and arm: the authors' clock: records times mean cost of the explorer's log, and the "      \
      "summed cost of a descent; in table3 its seeds' once more.")                                                     \
    X(SEARCH_SUM_S, NUMBER, 1, VIEW_COST, S(KEPT, SUM), "search_sum_s", "sum", "s",                                    \
      "Search time of seeds and arm: build and run costs of these very records, added up.")                            \
    X(SEARCH_DEVICE_S, NUMBER, 1, VIEW_COST, S(KEPT, DEVICE), "search_device_s", "device", "s",                        \
      "Search time of seeds and arm: seconds that the device was held, for running and verifying.")                    \
    X(SEARCH_CPU_S, NUMBER, 1, VIEW_COST, S(KEPT, CPU), "search_cpu_s", "cpu", "s",                                    \
      "Search time of seeds and arm: CPU time of the searching process, without its workers, by its share of the "     \
      "wall clock.")                                                                                                   \
    X(SEARCH_TRIALS, COUNT, 0, VIEW_COST, TRIALS(KEPT), "search_trials", "trials", "", "Records of seeds and arm.")    \
    X(SEED_SEARCH_WALL_S, NUMBER, 1, VIEW_NONE, S(SEED, WALL), "seed_search_wall_s", "seeds, wall", "s",               \
      "The seeds' share of it, clock `wall`.")                                                                         \
    X(SEED_SEARCH_RECORDS_S, NUMBER, 1, VIEW_NONE, S(SEED, RECORDS), "seed_search_records_s", "seeds, records", "s",   \
      "The seeds' share of it, clock `records`.")                                                                      \
    X(SEED_SEARCH_SUM_S, NUMBER, 1, VIEW_NONE, S(SEED, SUM), "seed_search_sum_s", "seeds, sum", "s",                   \
      "The seeds' share of it, clock `sum`.")                                                                          \
    X(SEED_SEARCH_DEVICE_S, NUMBER, 1, VIEW_NONE, S(SEED, DEVICE), "seed_search_device_s", "seeds, device", "s",       \
      "The seeds' share of it, clock `device`.")                                                                       \
    X(SEED_SEARCH_CPU_S, NUMBER, 1, VIEW_NONE, S(SEED, CPU), "seed_search_cpu_s", "seeds, cpu", "s",                   \
      "The seeds' share of it, clock `cpu`.")                                                                          \
    X(SEED_TRIALS, COUNT, 0, VIEW_NONE, TRIALS(SEED), "seed_trials", "trials of seeds", "",                            \
      "Records of the explorer that the arm may see.")                                                                 \
    X(SEED_FAILED, COUNT, 0, VIEW_NONE, FAILED(SEED), "seed_failed", "failed", "", "Those that are not valid.")        \
    X(EXPLOIT_WALL_S, NUMBER, 1, VIEW_TIMES | VIEW_SHEET, S(OWN, WALL), "exploit_wall_s", "arm alone, wall", "s",      \
      "Search time of the arm alone on the wall clock.")                                                               \
    X(EXPLOIT_RECORDS_S, NUMBER, 1, VIEW_TIMES | VIEW_SHEET, S(OWN, RECORDS), "exploit_records_s",                     \
      "arm alone, records", "s", "Search time of the arm alone, summed cost of its records.")                          \
    X(REPEATS_BETTER, COUNT, 0, VIEW_TESTS | VIEW_SHEET, NONE, "repeats_better", "better, repeats", "",                \
      "Kernels (times seeds) that are better than the explorer's at p <= 0.05, t-test over the repeats of the two "    \
      "records, the authors' test.")                                                                                   \
    X(REPEATS_WORSE, COUNT, 0, VIEW_TESTS | VIEW_SHEET, NONE, "repeats_worse", "worse, repeats", "",                   \
      "Kernels (times seeds) that are worse than the explorer's at p <= 0.05, t-test over the repeats of the two "     \
      "records, the authors' test.")                                                                                   \
    X(REPEATS_OPEN, COUNT, 0, VIEW_TESTS | VIEW_SHEET, NONE, "repeats_open", "open, repeats", "",                      \
      "Kernels that this test does not distinguish.")                                                                  \
    X(SPREAD_REPEATS, PERCENT, 1, VIEW_TESTS, NONE, "spread_repeats", "sd, repeats", "%",                              \
      "Median over kernels of sd / mean over repeats.")                                                                \
    X(LAUNCHES_BETTER, COUNT, 0, VIEW_TESTS | VIEW_SHEET, NONE, "launches_better", "better, launches", "",             \
      "Kernels (times seeds) that are better than the explorer's at p <= 0.05, t-test over launches of fresh "         \
      "processes.")                                                                                                    \
    X(LAUNCHES_WORSE, COUNT, 0, VIEW_TESTS | VIEW_SHEET, NONE, "launches_worse", "worse, launches", "",                \
      "Kernels (times seeds) that are worse than the explorer's at p <= 0.05, t-test over launches of fresh "          \
      "processes.")                                                                                                    \
    X(LAUNCHES_OPEN, COUNT, 0, VIEW_TESTS | VIEW_SHEET, NONE, "launches_open", "open, launches", "",                   \
      "Kernels that this test does not distinguish.")                                                                  \
    X(SPREAD_LAUNCHES, PERCENT, 1, VIEW_TESTS, NONE, "spread_launches", "sd, launches", "%",                           \
      "Median over kernels of sd / mean over launches.")                                                               \
    X(P_REPEATS, NUMBER, 4, VIEW_FULL | VIEW_SHEET, NONE, "p_repeats", "p, repeats", "",                               \
      "t-test of the kernel against the explorer's, over the repeats of the two records.")                             \
    X(P_LAUNCHES, NUMBER, 4, VIEW_FULL | VIEW_SHEET, NONE, "p_launches", "p, launches", "",                            \
      "t-test of the kernel against the explorer's, over launches of fresh processes.")                                \
    X(PAIR_KERNELS, RATIO, 3, VIEW_FULL, NONE, "kernels_ratio", "kernels", "ratio",                                    \
      "The other's kernel sums over the arm's, re-timed where the report's headline is.")                              \
    X(PAIR_EACH, RATIO, 3, VIEW_FULL, NONE, "kernels_each_ratio", "each kernel alike", "ratio",                        \
      "The same, geometric mean over kernels.")                                                                        \
    X(PAIR_RECORDS, RATIO, 2, VIEW_FULL, NONE, "exploit_records_ratio", "search, records", "ratio",                    \
      "The other's own search time over the arm's, summed cost of records.")                                           \
    X(PAIR_WALL, RATIO, 2, VIEW_FULL, NONE, "exploit_wall_ratio", "search, wall", "ratio",                             \
      "The same on the wall clock.")                                                                                   \
    X(CONDITION, TEXT, 0, VIEW_FULL, NONE, "condition", "condition", "",                                               \
      "A condition that arms were built and timed under, where not the experiment's.")                                 \
    X(PAIRS, COUNT, 0, VIEW_FULL, NONE, "pairs", "pairs", "",                                                          \
      "Pairs of arms that measure the same programs and differ in that condition alone.")                              \
    X(EFFECT, RATIO, 3, VIEW_FULL, NONE, "effect", "as tuned", "ratio",                                                \
      "Time of a kernel not under the condition over that under it, each under its own regime; above 1 it is "         \
      "faster under it.")                                                                                              \
    X(EFFECT_RETIMED, RATIO, 3, VIEW_FULL, NONE, "effect_retimed", "re-timed", "ratio",                                \
      "The same in duels, which have one regime for all programs.")                                                    \
    X(CUT_KERNEL_MS, NUMBER, 3, VIEW_FULL, NONE, "cut_kernel_ms", "cut", "ms",                                         \
      "Kernel time of the first k records of the long log.")                                                           \
    X(SEPARATE_KERNEL_MS, NUMBER, 3, VIEW_FULL, NONE, "separate_kernel_ms", "own run", "ms",                           \
      "Kernel time of a run of its own with k trials a kernel.")                                                       \
    X(SEPARATE_KERNEL, RATIO, 3, VIEW_FULL, NONE, "separate_kernel_ratio", "kernels", "ratio",                         \
      "Cut over own run: above 1 the own run found faster kernels.")                                                   \
    X(CUT_SEARCH_S, NUMBER, 1, VIEW_FULL, NONE, "cut_search_s", "cut", "s", "Wall clock of the first k records.")      \
    X(SEPARATE_SEARCH_S, NUMBER, 1, VIEW_FULL, NONE, "separate_search_s", "own run", "s",                              \
      "Wall clock of the run of its own.")                                                                             \
    X(SEPARATE_SEARCH, RATIO, 2, VIEW_FULL, NONE, "separate_search_ratio", "search", "ratio",                          \
      "Cut over own run: above 1 the own run was cheaper.")                                                            \
    X(SEPARATE_DESCENT, RATIO, 3, VIEW_FULL, NONE, "separate_descent_ratio", "descents", "ratio",                      \
      "Kernel time of the descent from the cut over that of the descent from the own run.")                            \
    X(REMEASURED_MS, NUMBER, 3, VIEW_FULL, NONE, "remeasured_ms", "measured again", "ms",                              \
      "The seeds measured once more under the same regime.")                                                           \
    X(REMEASURE_GAIN, RATIO, 3, VIEW_FULL, NONE, "remeasure_gain", "measuring", "ratio",                               \
      "Seeds as recorded over seeds measured again.")                                                                  \
    X(FOUND_GAIN, RATIO, 3, VIEW_FULL, NONE, "remeasured_search_gain", "searching", "ratio",                           \
      "Seeds measured again over the arm's programs.")                                                                 \
    X(CURVE_SECONDS, SERIES, 4, VIEW_FULL, NONE, "seconds", "", "s", "Wall clock of each point.")                      \
    X(CURVE_MS, SERIES, 4, VIEW_FULL, NONE, "ms", "", "ms",                                                            \
      "Kernel sum of the best programs so far, median over seeds; it holds until the next point.")                     \
    X(CURVE_LOW, SERIES, 4, VIEW_FULL, NONE, "low_ms", "", "ms", "The least of the seeds.")                            \
    X(CURVE_HIGH, SERIES, 4, VIEW_FULL, NONE, "high_ms", "", "ms", "The largest of the seeds.")                        \
    X(Q, NUMBER, 2, VIEW_FULL, NONE, "q", "q", "",                                                                     \
      "The target as a multiple of the median of the explorer's last kernel sums.")                                    \
    X(TARGET_MS, NUMBER, 3, VIEW_FULL, NONE, "target_ms", "target", "ms", "The target.")                               \
    X(RUNS, COUNT, 0, VIEW_NONE, NONE, "runs", "runs", "", "Seeds that are done.")                                     \
    X(REACHED, COUNT, 0, VIEW_FULL, NONE, "reached", "reached", "", "Those that reached the target.")                  \
    X(SHARE, PERCENT, 0, VIEW_FULL, NONE, "share", "share", "%", "Their share.")                                       \
    X(MEDIAN_S, NUMBER, 1, VIEW_FULL, NONE, "median_s", "median", "s",                                                 \
      "Kaplan-Meier median of the time; null where fewer than half arrive.")                                           \
    X(MEDIAN_INTERVAL, RANGE, 1, VIEW_FULL, NONE, "median_interval", "95 %", "s",                                      \
      "Its 95 % interval; a null end: longer than any run.")                                                           \
    X(MEAN_S, NUMBER, 1, VIEW_FULL, NONE, "mean_s", "mean", "s",                                                       \
      "Mean time up to the longest run; null where fewer than half arrive.")                                           \
    X(MEAN_ERROR_S, NUMBER, 1, VIEW_NONE, NONE, "mean_error_s", "error", "s", "Its standard error.")                   \
    X(EXPECTED_S, NUMBER, 1, VIEW_FULL, NONE, "expected_s", "expected", "s", "Time of all runs over arrivals.")        \
    X(FEW, COUNT, 0, VIEW_FULL, NONE, "kernels_few", "with fewer", "",                                                 \
      "Kernels of which the explorer has fewer than k records.")                                                       \
    X(FEWEST, COUNT, 0, VIEW_FULL, NONE, "fewest", "fewest", "", "The fewest records of one kernel.")                  \
    X(PROGRAMS, NUMBER, 1, VIEW_FULL, NONE, "programs", "programs", "",                                                \
      "Own programs that were re-timed, mean per kernel.")                                                             \
    X(SELECTION_LOSS, NUMBER, 4, VIEW_FULL, NONE, "selection_loss", "selection", "ratio",                              \
      "Program chosen over the best of the arm's own re-timed programs: lost by choosing by own readings.")            \
    X(EXPLORATION_LOSS, NUMBER, 4, VIEW_FULL, NONE, "exploration_loss", "exploration", "ratio",                        \
      "That best over the best of all arms, seeds and networks on the same kernel: lost by not finding better.")       \
    X(WHOLE_LOSS, NUMBER, 4, VIEW_FULL, NONE, "whole_loss", "whole", "ratio", "Both together.")                        \
    X(NOISE_FLOOR, PERCENT, 2, VIEW_FULL, NONE, "noise_floor", "noise floor", "%",                                     \
      "Noise floor of kernels: no effect below it gives a verdict.")                                                   \
    X(READINGS, COUNT, 0, VIEW_FULL, NONE, "readings", "readings", "", "Readings in fresh processes.")                 \
    X(READINGS_FAILED, COUNT, 0, VIEW_FULL, NONE, "readings_failed", "failed", "", "Those that gave no time.")         \
    X(SEARCH_STATE, TEXT, 0, VIEW_NONE, NONE, "search_state", "search time", "",                                       \
      "What the gates say of search time: passed, failed or unknown.")                                                 \
    X(SEARCH_REASON, TEXT, 0, VIEW_NONE, NONE, "search_reason", "because", "", "Why its gates have not passed.")       \
    X(ABOUT, TEXT, 0, VIEW_FULL, NONE, "about", "about", "",                                                           \
      "What the gate is about: kernels or search time. Claims about the other do not hang on it.")                     \
    X(GATE, TEXT, 0, VIEW_FULL, NONE, "gate", "gate", "",                                                              \
      "A limit that makes what it is about INVALID when it is exceeded.")                                              \
    X(STATE, TEXT, 0, VIEW_FULL, NONE, "state", "state", "",                                                           \
      "Of a gate, and of the kernels' gates together: passed, failed or unknown (not measured). Of a cell: done or "   \
      "not.")                                                                                                          \
    X(VALUE, NUMBER, 4, VIEW_FULL, NONE, "value", "value", "", "What was measured.")                                   \
    X(LIMIT, NUMBER, 4, VIEW_FULL, NONE, "limit", "limit", "", "The limit.")                                           \
    X(TITLE, TEXT, 0, VIEW_FULL, NONE, "title", "what it looks at", "", "What the gate looks at.")                     \
    X(CLAIM, TEXT, 0, VIEW_FULL, NONE, "claim", "claim", "", "The claim's id in experiments/papers/.")                 \
    X(SAYS, TEXT, 0, VIEW_FULL, NONE, "says", "says", "", "What the paper says.")                                      \
    X(VERDICT, TEXT, 0, VIEW_FULL, NONE, "verdict", "verdict", "", "What became of it.")                               \
    X(INTERVAL, RANGE, 3, VIEW_FULL, NONE, "interval", "95 %", "", "95 % over seeds; with one seed [0, null].")        \
    X(INTERVAL_OTHERS, RANGE, 3, VIEW_FULL, NONE, "interval_others", "others like these", "",                          \
      "95 % over other networks or kernels like these; verdicts do not use it.")                                       \
    X(DF, NUMBER, 0, VIEW_FULL, NONE, "df", "df", "",                                                                  \
      "Degrees of freedom of the spread between seeds; of a share, of its networks.")                                  \
    X(INTERVAL_HALF, NUMBER, 3, VIEW_FULL, NONE, "interval_half_width", "half width", "log ratio",                     \
      "Half the interval over seeds, on the log scale: 0.05 is about 5 %.")                                            \
    X(CHANGED, TEXT, 0, VIEW_FULL, NONE, "changed", "claim", "",                                                       \
      "Where the claim was another one (changed) or not there (new) when the run began.")                              \
    X(PAPER, NUMBER, 3, VIEW_FULL, NONE, "paper", "paper", "", "The paper's value.")                                   \
    X(CLOCK, TEXT, 0, VIEW_FULL, NONE, "clock", "clock", "", "The clock that the claim is about.")                     \
    X(WALL, NUMBER, 3, VIEW_FULL, NONE, "wall", "on the wall", "",                                                     \
      "Of a search claim on another clock: the same ratio on the wall clock.")                                         \
    X(DOUBT, TEXT, 0, VIEW_FULL, NONE, "doubtful", "doubtful", "",                                                     \
      "What speaks against the number; missing: nothing.")                                                             \
    X(MEASUREMENT, TEXT, 0, VIEW_NONE, NONE, "measurement", "measurement", "",                                         \
      "What is measured: claims of one measurement are not independent.")                                              \
    X(REASON, TEXT, 0, VIEW_FULL, NONE, "reason", "because", "", "Why.")                                               \
    X(OUTCOME, TEXT, 0, VIEW_FULL, NONE, "outcome", "outcome", "", "What became of the candidate.")                    \
    X(CANDIDATES, COUNT, 0, VIEW_FULL, NONE, "count", "candidates", "", "How many.")                                   \
    X(MESSAGE, TEXT, 0, VIEW_FULL, NONE, "message", "reason", "", "The message.")                                      \
    X(ROUNDS, COUNT, 0, VIEW_FULL, NONE, "rounds", "rounds", "", "Rounds of the arm that counted.")                    \
    X(DRAFT_ASKED, NUMBER, 1, VIEW_FULL, NONE, "draft_asked", "draft, as published", "",                               \
      "Scorings by the model that drafts, as often as the original algorithm makes them.")                             \
    X(DRAFT_SCORED, NUMBER, 1, VIEW_FULL, NONE, "draft_scored", "draft", "",                                           \
      "Different programs that it was given: scores are remembered within a round.")                                   \
    X(MODEL_ASKED, NUMBER, 1, VIEW_FULL, NONE, "model_asked", "model, as published", "",                               \
      "Scorings by the model that learns, as often as the original algorithm makes them.")                             \
    X(MODEL_SCORED, NUMBER, 1, VIEW_FULL, NONE, "model_scored", "model", "", "Different programs that it was given.")  \
    X(RECORDED, COUNT, 0, VIEW_FULL, NONE, "recorded", "recorded", "", "Candidates whose own row answered.")           \
    X(NEAREST, COUNT, 0, VIEW_FULL, NONE, "nearest", "nearest", "",                                                    \
      "Candidates that were not recorded and got the time of the nearest row: nobody measured it.")                    \
    X(REFUSED, COUNT, 0, VIEW_FULL, NONE, "refused", "refused", "",                                                    \
      "Candidates that were not recorded and failed for it.")                                                          \
    X(SHARE_RECORDED, PERCENT, 1, VIEW_FULL, NONE, "share_recorded", "recorded", "%",                                  \
      "Part of the candidates whose own row answered.")                                                                \
    X(PHASE, TEXT, 0, VIEW_FULL, NONE, "phase", "phase", "", "A phase of the rounds; `wall`: their whole wall time.")  \
    X(SECONDS, NUMBER, 1, VIEW_FULL, NONE, "phase_s", "seconds", "s", "Time spent in it.")                             \
    X(EXPLORATION_S, NUMBER, 1, VIEW_FULL, NONE, "exploration_s", "exploration", "s",                                  \
      "Drawing, mutating, lowering and scoring programs, the draft's scores, too.")                                    \
    X(TRAINING_S, NUMBER, 1, VIEW_FULL, NONE, "training_s", "training", "s", "Training the cost model.")               \
    X(MEASUREMENT_S, NUMBER, 1, VIEW_FULL, NONE, "measurement_s", "measurement", "s",                                  \
      "Building, running and verifying programs.")                                                                     \
    X(OTHER_S, NUMBER, 1, VIEW_FULL, NONE, "other_s", "other", "s", "The rest of the rounds.")                         \
    X(ROUNDS_S, NUMBER, 1, VIEW_FULL, NONE, "rounds_s", "whole", "s", "Wall time of the rounds.")                      \
    X(EXPLORATION_SHARE, RATIO, 3, VIEW_FULL, NONE, "exploration_share", "share of exploration", "ratio",              \
      "Exploration over exploration, training and measurement, as Pruner's Table 1 has it: geometric mean.")           \
    X(SHARE_OF_WALL, PERCENT, 1, VIEW_FULL, NONE, "share_of_wall", "of wall", "%",                                     \
      "Its share of the rounds' wall time.")                                                                           \
    X(SLOW_TRIALS, COUNT, 0, VIEW_FULL, NONE, "slow_trials", "called less", "",                                        \
      "Trials of slow programs that were called less than the regime says (`patience`).")                              \
    X(OF_TRIALS, COUNT, 0, VIEW_FULL, NONE, "of_trials", "of trials", "", "All trials of the searches.")               \
    X(SPARED_S, NUMBER, 1, VIEW_FULL, NONE, "spared_s", "spared", "s",                                                 \
      "What the full timing would have taken more; every clock of a search has it, computed.")                         \
    X(CACHED_TRIALS, COUNT, 0, VIEW_FULL, NONE, "cached_trials", "not built again", "",                                \
      "Trials whose emitted code was that of an earlier build of this campaign.")                                      \
    X(CACHED_S, NUMBER, 1, VIEW_FULL, NONE, "cached_s", "their builds", "s",                                           \
      "What building them took the first time, less what finding them took; in every cost.")                           \
    X(CACHED_CLOCK_S, NUMBER, 1, VIEW_FULL, NONE, "cached_clock_s", "of the clocks", "s",                              \
      "What that adds to the clocks of the searches, where several builds go on at once.")                             \
    X(CHECKED, COUNT, 0, VIEW_FULL, NONE, "checked", "checked", "",                                                    \
      "Of these trials those that were timed in full, too.")                                                           \
    X(CLOCK_ERROR, PERCENT, 2, VIEW_FULL, NONE, "clock_error", "error", "%",                                           \
      "Summed computed timing of the checked over the measured one, less 1: what a clock is off by.")                  \
    X(CLOCK_ERROR_MEDIAN, PERCENT, 2, VIEW_FULL, NONE, "clock_error_median", "median", "%",                            \
      "Median of the absolute errors of single trials.")                                                               \
    X(CLOCK_ERROR_WORST, PERCENT, 1, VIEW_FULL, NONE, "clock_error_worst", "worst", "%", "The largest of them.")       \
    X(COUNTER, TEXT, 0, VIEW_FULL, NONE, "counter", "counter", "", "A hardware counter.")                              \
    X(PRESENT, TRUTH, 0, VIEW_FULL, NONE, "present", "present", "", "Some program has it.")                            \
    X(SOURCE, TEXT, 0, VIEW_FULL, NONE, "source", "published in", "", "Where the numbers come from.")                  \
    X(LABEL, TEXT, 0, VIEW_FULL, NONE, "label", "what", "", "The row of the published table.")                         \
    X(NUMBERS, TEXT, 0, VIEW_FULL, NONE, "numbers", "numbers", "", "Its numbers, by name.")                            \
    X(PART, TEXT, 0, VIEW_FULL, NONE, "part", "part", "", "host, target, versions, shards or records.")                \
    X(NAME, TEXT, 0, VIEW_FULL, NONE, "name", "name", "", "Name of the fact.")                                         \
    X(TEXT_VALUE, TEXT, 0, VIEW_FULL, NONE, "text", "value", "", "The value as text.")                                 \
    X(TIME_SPREAD, NUMBER, 1, VIEW_FULL, NONE, "time_spread", "p90 / p10", "ratio",                                    \
      "Of searcher `random`: p90 over p10 of the times of a kernel's valid records, geometric mean over kernels.")     \
    X(FASTER, NUMBER, 4, VIEW_FULL, NONE, "faster", "faster", "ratio",                                                 \
      "Kernel time of the arm against over that of the arm, each kernel once, from paired launches.")                  \
    X(FASTER_INTERVAL, RANGE, 4, VIEW_FULL, NONE, "faster_interval", "95 % of launches", "ratio",                      \
      "What timing leaves open, by a bootstrap of launches, without the spread between seeds.")                        \
    X(HALF_WIDTH, PERCENT, 2, VIEW_FULL, NONE, "half_width", "half width", "%", "Half of its width, of the log.")      \
    X(FASTER_CALLS, NUMBER, 4, VIEW_FULL, NONE, "faster_calls", "by calls", "ratio",                                   \
      "The same ratio, each kernel as often as its network calls it.")                                                 \
    X(FASTER_CALLS_INTERVAL, RANGE, 4, VIEW_NONE, NONE, "faster_calls_interval", "95 %, by calls", "ratio",            \
      "Its interval.")                                                                                                 \
    X(IDENTICAL, COUNT, 0, VIEW_FULL, NONE, "identical", "same program", "",                                           \
      "Kernels of which both arms have the same program: their ratio is 1 and was not timed.")                         \
    X(NOT_TIMED, COUNT, 0, VIEW_FULL, NONE, "not_timed", "without a time", "",                                         \
      "Kernels that are left out because a program failed or one arm has none.")                                       \
    X(LAUNCHES, COUNT, 0, VIEW_FULL, NONE, "launches", "launches", "",                                                 \
      "Launches in which both programs of a kernel gave a time, added up.")                                            \
    X(CURVE_TRIALS, SERIES, 0, VIEW_NONE, NONE, "curve_trials", "trials", "", "Records so far, failed ones too.")      \
    X(MEDIAN_TRIALS, NUMBER, 0, VIEW_FULL, NONE, "median_trials", "median trials", "",                                 \
      "Median trials until the target.")                                                                               \
    X(MEDIAN_TRIALS_INTERVAL, RANGE, 0, VIEW_FULL, NONE, "median_trials_interval", "95 % of trials", "",               \
      "Its interval.")                                                                                                 \
    X(EXPECTED_TRIALS, NUMBER, 0, VIEW_FULL, NONE, "expected_trials", "expected trials", "",                           \
      "Trials of all runs over arrivals.")                                                                             \
    X(REACH_WALL_S, NUMBER, 1, VIEW_FULL, NONE, "reach_wall_s", "arm", "s",                                            \
      "Wall clock until the arm has the target.")                                                                      \
    X(BASE_WALL_S, NUMBER, 1, VIEW_FULL, NONE, "base_wall_s", "first arm", "s",                                        \
      "Wall clock until the first arm has it.")                                                                        \
    X(REACH_TRIALS, NUMBER, 0, VIEW_FULL, NONE, "reach_trials", "arm, trials", "",                                     \
      "Trials until the arm has the target.")                                                                          \
    X(BASE_TRIALS, NUMBER, 0, VIEW_FULL, NONE, "base_trials", "first arm, trials", "",                                 \
      "Trials until the first arm has it.")                                                                            \
    X(SOONER_WALL, RATIO, 2, VIEW_FULL, NONE, "sooner_wall", "sooner, wall", "ratio",                                  \
      "Wall clock of the first arm over that of the arm until the common target: above 1 the arm is sooner.")          \
    X(SOONER_TRIALS, RATIO, 2, VIEW_FULL, NONE, "sooner_trials", "sooner, trials", "ratio",                            \
      "Trials of the first arm over those of the arm until the common target.")                                        \
    X(BASE_WHOLE_S, NUMBER, 1, VIEW_FULL, NONE, "base_whole_s", "first arm, whole", "s",                               \
      "Wall clock of the first arm's whole run.")                                                                      \
    X(PARITY_NEVER, PERCENT, 0, VIEW_FULL, NONE, "never", "never", "%",                                                \
      "Share of the runs that never are as good as the first arm is in the end.")                                      \
    X(PARITY_MEAN, RATIO, 2, VIEW_FULL, NONE, "parity_mean", "to parity, arithmetic", "ratio",                         \
      "The first arm's whole wall clock over the arm's until it is as good as the first arm is in the end; over "      \
      "networks the arithmetic mean, as arXiv 2402.02361 has it. A run that never is counts with 1 at most.")          \
    X(PARITY, RATIO, 2, VIEW_FULL, NONE, "parity", "to parity, geometric", "ratio",                                    \
      "The same by the geometric mean over networks.")                                                                 \
    X(PARITY_RETIMED_RUNS, COUNT, 0, VIEW_FULL, NONE, "retimed_runs", "runs, re-timed", "",                            \
      "Runs of both arms whose programs were all re-timed.")                                                           \
    X(PARITY_RETIMED_REACHED, COUNT, 0, VIEW_FULL, NONE, "retimed_reached", "reached, re-timed", "",                   \
      "Those that get there by re-timed sums.")                                                                        \
    X(PARITY_RETIMED_MEAN, RATIO, 2, VIEW_FULL, NONE, "parity_retimed_mean", "re-timed, arithmetic", "ratio",          \
      "As parity_mean, where target and sums are those of re-timed programs: each run's sums times what re-timing "    \
      "made of its last one.")                                                                                         \
    X(PARITY_RETIMED, RATIO, 2, VIEW_FULL, NONE, "parity_retimed", "re-timed, geometric", "ratio",                     \
      "The same by the geometric mean over networks.")                                                                 \
    X(GFLOPS, NUMBER, 2, VIEW_FULL, NONE, "gflops", "speed", "GFLOP/s", "Arithmetic of the kernel over its time.")     \
    X(GFLOPS_INTERVAL, RANGE, 2, VIEW_FULL, NONE, "gflops_interval", "95 %", "GFLOP/s",                                \
      "95 % over seeds, whose spread is pooled over the network's kernels.")                                           \
    X(SHARE_OF_PEAK, PERCENT, 1, VIEW_FULL, NONE, "share_of_peak", "of peak", "%", "Of the machine's measured peak.")  \
    X(SHARE_OF_PEAK_INTERVAL, RANGE, 3, VIEW_FULL, NONE, "share_of_peak_interval", "95 % of the share", "",            \
      "Its interval over seeds, as shares of 1.")                                                                      \
    X(EQUAL_QUALITY, RATIO, 2, VIEW_FULL, NONE, "equal_quality_speedup", "equal quality", "ratio",                     \
      "The explorer's wall clock until it has what the arm ends with, over the arm's whole time; where it never has, " \
      "its whole clock counts: a lower bound.")                                                                        \
    X(EQUAL_REACHED, COUNT, 0, VIEW_FULL, NONE, "equal_quality_reached", "explorer got there", "",                     \
      "Runs in which the explorer ever has it; the others are right-censored.")                                        \
    X(CELL, COUNT, 0, VIEW_FULL, NONE, "cell", "cell", "", "Number of the cell in records.db.")

enum report_column {
#define X(id, ...) COL_##id,
    REPORT_COLUMNS(X)
#undef X
        COL_COUNT
};
enum report_kind_of_value {
    VALUE_TEXT,
    VALUE_COUNT, /* a whole number */
    VALUE_NUMBER,
    VALUE_PERCENT, /* stored as a share, shown in percent */
    VALUE_RATIO,   /* an estimate, or its value alone where nothing is estimated */
    VALUE_RANGE,   /* low and high end */
    VALUE_SERIES,  /* numbers of a curve */
    VALUE_TRUTH
};
enum report_view { /* who shows a column of the comparisons */
                   VIEW_NONE = 0,
                   VIEW_HEADLINE = 1,
                   VIEW_FULL = 2,
                   VIEW_TIMES = 4,
                   VIEW_COST = 8,
                   VIEW_GAIN = 16,
                   VIEW_TESTS = 32,
                   VIEW_SHEET = 64
};
enum report_source { /* how a column is got from a comparison; NOTHING: it is not, or by code of its own */
                     SOURCE_NOTHING,
                     SOURCE_QUANTITY, /* what: enum quantity */
                     SOURCE_KERNEL,   /* ms of part; what: enum kernel_sum */
                     SOURCE_RETIMED,  /* likewise, re-timed */
                     SOURCE_SEARCH,   /* s of part; what: enum search_clock */
                     SOURCE_TRIALS,   /* of part */
                     SOURCE_FAILED
};
struct report_column_info {
    const char *name, *head, *unit, *help;
    enum report_kind_of_value kind;
    int digits;     /* after the point; of a ratio those of the value, its p has 4 */
    unsigned views; /* enum report_view */
    enum report_source source;
    enum part part;
    int what;
};
extern const struct report_column_info report_columns[COL_COUNT];
int report_column_find(const char *name); /* -1: there is none */
/* What the interval of a ratio is over when it is not over seeds: "networks" or "kernels". */
const char *report_column_rows(enum report_column c);

enum report_table {
    TABLE_MEANS,
    TABLE_NETWORKS,
    TABLE_EXPLORERS,
    TABLE_PAIRWISE,
    TABLE_DECLARED,
    TABLE_EFFECTS,
    TABLE_SEEDS,
    TABLE_EXPLORER_SEEDS,
    TABLE_KERNELS,
    TABLE_SEPARATE,
    TABLE_REMEASURED,
    TABLE_CURVES,
    TABLE_TARGETS,
    TABLE_CURVES_TRIALS,
    TABLE_RACE,
    TABLE_PARITY,
    TABLE_PARITY_PAIRS,
    TABLE_RACE_KERNELS,
    TABLE_EQUAL_QUALITY,
    TABLE_FEW_RECORDS,
    TABLE_LOSS,
    TABLE_NOISE,
    TABLE_DUELS,
    TABLE_GATES,
    TABLE_VERDICTS,
    TABLE_PUBLISHED,
    TABLE_FAILURES,
    TABLE_COMPUTED_CLOCK,
    TABLE_OBJECT_CACHE,
    TABLE_PHASES,
    TABLE_TIME_SPLIT,
    TABLE_EVALUATIONS,
    TABLE_ANSWERS,
    TABLE_COUNTERS,
    TABLE_ENVIRONMENT,
    TABLE_CELLS,
    REPORT_TABLES
};
struct report_table_info {
    const char *id, *help;
    const enum report_column *columns; /* n of them */
    int n;
};
extern const struct report_table_info report_tables[REPORT_TABLES];
int report_table_find(const char *id); /* -1: there is none */
/* The reference of all tables and columns, for harness/doc/json.md. */
void column_reference(struct text *markdown);

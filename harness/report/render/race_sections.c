/* SPDX-License-Identifier: Apache-2.0 */
/* race_sections: one function a section. */
#include "harness/report/render/race_sections.h"

#include "harness/report/data/report_summary.h"

static bool over_networks(const struct document *d, int row)
{
    return !*document_text_at(d, TABLE_RACE, row, COL_NETWORK);
}

static bool of_network(const struct document *d, int row)
{
    return !over_networks(d, row);
}

static void race(struct section_maker *m)
{
    const char *first = document_text_at(m->d, TABLE_EXPLORERS, 0, COL_ARM);
    enum report_column c = report_summary_headline(m->d);
    struct grid_request rows = section_request(
        m, TABLE_RACE, "Until the common target",
        CHOICES({COL_ARM, 0, NULL}, {COL_RUNS, 0, NULL}, {COL_TARGET_MS, 0, NULL}, {COL_REACH_WALL_S, 0, NULL},
                {COL_BASE_WALL_S, 0, first}, {COL_SOONER_WALL, SHOW_VALUE, NULL},
                {COL_SOONER_WALL, SHOW_INTERVAL, NULL}, {COL_REACH_TRIALS, 0, NULL},
                {COL_BASE_TRIALS, 0, arena_printf(m->a, "%s, trials", first)}, {COL_SOONER_TRIALS, SHOW_VALUE, NULL},
                {COL_SOONER_TRIALS, SHOW_INTERVAL, NULL}));
    struct grid_request sure = section_request(m, TABLE_RACE, "Over networks",
                                               CHOICES({COL_SOONER_WALL, 0, NULL}, {COL_SOONER_TRIALS, 0, NULL}));
    section_begin(m, "table", "The race", false);
    section_say(m,
                "Each arm against %s, the first; ratios above 1 favour the arm. The common target of a network is the "
                "slowest kernel sum, as tuned, that any run of the two arms ends with, so every run has it at some "
                "time. sooner: time or trials of %s until then over those of the arm: 2 is half of them.",
                first, first);
    rows.group = COL_NETWORK;
    rows.keep = of_network;
    section_add(m, grid_of(&rows));
    sure.keep = over_networks;
    section_add(m, grid_ratios(&sure));
    section_chosen(m, TABLE_MEANS, "At the end",
                   CHOICES({COL_ARM, SHOW_VALUE, NULL}, {c, SHOW_VALUE, "kernels"}, {c, SHOW_INTERVAL, NULL},
                           {COL_SEARCH_SPEEDUP_WALL, SHOW_VALUE, NULL}, {COL_SEARCH_SPEEDUP_WALL, SHOW_INTERVAL, NULL},
                           {COL_WINS, SHOW_WINS, NULL}));
    section_say(m,
                "At the end: %s's kernel time over the arm's, %s; search: time of the whole searches; wins: networks "
                "whose kernels are at least as fast. 95 %%: %s. How the winners do in paired launches stands under "
                "noise and gates.",
                first,
                quantity_is_retimed((enum quantity)report_columns[c].what)
                    ? "of programs re-timed in fresh processes after all searches"
                    : "as tuned, as they were not re-timed",
                m->d->seeds > 1
                    ? "over seeds, the same networks searched again"
                    : "over networks, as there is one seed: others like these, not the same searched again");
    section_end(m);
}

/* Search time until an arm is as good as the first is in the end. */
static void parity(struct section_maker *m)
{
    const char *first = document_text_at(m->d, TABLE_EXPLORERS, 0, COL_ARM);
    struct grid_request r = section_request(
        m, TABLE_PARITY, NULL,
        CHOICES({COL_ARM, 0, NULL}, {COL_RUNS, 0, NULL}, {COL_PARITY_NEVER, 0, NULL},
                {COL_BASE_WHOLE_S, 0, arena_printf(m->a, "%s, whole", first)}, {COL_REACH_WALL_S, 0, NULL},
                {COL_PARITY_MEAN, SHOW_VALUE, NULL}, {COL_PARITY_MEAN, SHOW_INTERVAL, NULL},
                {COL_PARITY, SHOW_VALUE, NULL}, {COL_PARITY, SHOW_INTERVAL, NULL},
                {COL_PARITY_RETIMED_MEAN, SHOW_VALUE, NULL}, {COL_PARITY_RETIMED_MEAN, SHOW_INTERVAL, NULL}));
    if (!document_rows(m->d, TABLE_PARITY))
        return;
    section_begin(m, "parity", "Search time to parity", false);
    section_say(m,
                "The time of %s's whole run over the time until the arm is as good as %s is in the end (median over "
                "seeds), as arXiv 2402.02361 counts search speedups. never: runs that do not get there; such a run "
                "counts with 1 at most, another with 1 or more. So the number is above 1 for two arms of one searcher, "
                "too: it describes, and no verdict rests on it. The first rows are over networks.",
                first, first);
    r.group = COL_NETWORK;
    section_add(m, grid_of(&r));
    section_end(m);
}

/* The same, in place of the first another arm. */
static void parity_pairs(struct section_maker *m)
{
    if (!document_rows(m->d, TABLE_PARITY_PAIRS))
        return;
    section_begin(m, "parity_pairs", "Search time to parity with other arms", true);
    section_say(m, "The same, over networks: the time of the whole run of another arm in place of the first, over the "
                   "time until the arm is as good as that one is in the end. Only arms that stand before the arm.");
    section_chosen(m, TABLE_PARITY_PAIRS, NULL,
                   CHOICES({COL_ARM, 0, NULL}, {COL_OVER, 0, "as good as"}, {COL_RUNS, 0, NULL},
                           {COL_PARITY_NEVER, 0, NULL}, {COL_PARITY_MEAN, SHOW_VALUE, NULL},
                           {COL_PARITY_MEAN, SHOW_INTERVAL, NULL}, {COL_PARITY, SHOW_VALUE, NULL},
                           {COL_PARITY, SHOW_INTERVAL, NULL}, {COL_PARITY_RETIMED_MEAN, SHOW_VALUE, NULL},
                           {COL_PARITY_RETIMED_MEAN, SHOW_INTERVAL, NULL}));
    section_end(m);
}

static void kernels(struct section_maker *m)
{
    enum { MOST = 150 };
    struct grid_request r =
        section_request(m, TABLE_RACE_KERNELS, NULL,
                        CHOICES({COL_ARM, 0, NULL}, {COL_SEEDS, 0, NULL}, {COL_KERNEL_MS, 0, "time"},
                                {COL_GFLOPS, 0, NULL}, {COL_GFLOPS_INTERVAL, 0, NULL}, {COL_SHARE_OF_PEAK, 0, NULL},
                                {COL_SHARE_OF_PEAK_INTERVAL, 0, NULL}, {COL_KERNEL, 0, NULL}));
    int n = document_rows(m->d, TABLE_RACE_KERNELS);
    bool retimed = quantity_is_retimed((enum quantity)report_columns[report_summary_headline(m->d)].what);
    section_begin(m, "race_kernels", "GFLOP/s by kernel", true);
    r.group = COL_NETWORK;
    if (n > MOST)
        section_say(m, "%d rows are in report.json.", n);
    else
        section_add(m, grid_of(&r));
    if (n)
        section_say(m,
                    "Geometric means over seeds, %s; with fewer than seven seeds the spread of seeds is pooled over a "
                    "network's kernels. of peak: of the peak that was measured beside the duels; none where there were "
                    "none or the target is virtual.",
                    retimed ? "re-timed" : "as tuned");
    section_end(m);
}

static bool split_over_networks(const struct document *d, int row)
{
    return !*document_text_at(d, TABLE_TIME_SPLIT, row, COL_NETWORK);
}

static bool split_of_network(const struct document *d, int row)
{
    return !split_over_networks(d, row);
}

static void time_split(struct section_maker *m)
{
    struct grid_request r = section_request(
        m, TABLE_TIME_SPLIT, "Over networks: means of a run",
        CHOICES({COL_ARM, 0, NULL}, {COL_RUNS, 0, NULL}, {COL_EXPLORATION_S, 0, NULL}, {COL_TRAINING_S, 0, NULL},
                {COL_MEASUREMENT_S, 0, NULL}, {COL_OTHER_S, 0, NULL}, {COL_ROUNDS_S, 0, NULL},
                {COL_EXPLORATION_SHARE, SHOW_VALUE, NULL}, {COL_EXPLORATION_SHARE, SHOW_INTERVAL, NULL}));
    section_begin(m, "time_split", "What the searches spent their time on", false);
    r.keep = split_over_networks;
    section_add(m, grid_of(&r));
    r.caption = "By network";
    r.group = COL_NETWORK;
    r.keep = split_of_network;
    section_add(m, grid_of(&r));
    if (m->now->ngrids)
        section_say(m, "exploration: drawing, mutating, lowering and scoring programs, those of the draft, too; "
                       "measurement: building, running and verifying. The share of exploration leaves out the rest.");
    section_end(m);
}

void race_sections_add(struct section_maker *m)
{
    race(m);
    parity(m);
    parity_pairs(m);
    kernels(m);
    time_split(m);
}

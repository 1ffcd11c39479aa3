/* SPDX-License-Identifier: Apache-2.0 */
/* race_sections: one function a section. */
#include "harness/report/render/race_sections.h"

#include "harness/report/data/report_summary.h"

static void race(struct section_maker *m)
{
    const char *first = document_text_at(m->d, TABLE_EXPLORERS, 0, COL_ARM);
    enum report_column c = report_summary_headline(m->d);
    struct grid_request over =
        section_request(m, TABLE_RACE, "Until the common target, over networks",
                        CHOICES(SHOW(ARM), WITH_INTERVAL(SOONER_WALL), WITH_INTERVAL(SOONER_TRIALS)));
    struct grid_request rows = section_request(
        m, TABLE_RACE, NULL,
        CHOICES(SHOW(ARM), SHOW(RUNS), SHOW(TARGET_MS), SHOW(REACH_WALL_S), HEADED(BASE_WALL_S, first),
                WITH_INTERVAL(SOONER_WALL), SHOW(REACH_TRIALS),
                HEADED(BASE_TRIALS, arena_printf(m->a, "%s, trials", first)), WITH_INTERVAL(SOONER_TRIALS)));
    struct grid_request sure =
        section_request(m, TABLE_RACE, "Over networks", CHOICES(SHOW(SOONER_WALL), SHOW(SOONER_TRIALS)));
    over.keep = grid_over_networks;
    section_begin(m, "table", "The race", false);
    section_say(m,
                "Each arm against %s, the first; ratios above 1 favour the arm. The common target of a network is the "
                "slowest kernel sum, as tuned, that any run of the two arms ends with, so every run has it at some "
                "time. sooner: time or trials of %s until then over those of the arm: 2 is half of them.",
                first, first);
    section_add(m, grid_of(&over));
    section_chosen(m, TABLE_MEANS, "At the end",
                   CHOICES(SHOW(ARM), {c, SHOW_VALUE, "kernels"}, {c, SHOW_INTERVAL, NULL},
                           WITH_INTERVAL(SEARCH_SPEEDUP_WALL), {COL_WINS, SHOW_WINS, NULL}));
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
    section_begin(m, "race_networks", "The race, network by network", true);
    rows.group = COL_NETWORK;
    rows.keep = grid_of_network;
    section_add(m, grid_of(&rows));
    sure.keep = grid_over_networks;
    section_add(m, grid_ratios(&sure));
    section_end(m);
}

/* Search time until an arm is as good as the first is in the end. */
static void parity(struct section_maker *m)
{
    const char *first = document_text_at(m->d, TABLE_EXPLORERS, 0, COL_ARM);
    struct grid_request r =
        section_request(m, TABLE_PARITY, NULL,
                        CHOICES(SHOW(ARM), SHOW(RUNS), SHOW(PARITY_NEVER),
                                HEADED(BASE_WHOLE_S, arena_printf(m->a, "%s, whole", first)), SHOW(REACH_WALL_S),
                                WITH_INTERVAL(PARITY_MEAN), WITH_INTERVAL(PARITY), WITH_INTERVAL(PARITY_RETIMED_MEAN)));
    if (!document_rows(m->d, TABLE_PARITY))
        return;
    section_begin(m, "parity", "Search time to parity", true);
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
                   CHOICES(SHOW(ARM), HEADED(OVER, "as good as"), SHOW(RUNS), SHOW(PARITY_NEVER),
                           WITH_INTERVAL(PARITY_MEAN), WITH_INTERVAL(PARITY), WITH_INTERVAL(PARITY_RETIMED_MEAN)));
    section_end(m);
}

static void kernels(struct section_maker *m)
{
    enum { MOST = 150 };
    struct grid_request r =
        section_request(m, TABLE_RACE_KERNELS, NULL,
                        CHOICES(SHOW(ARM), SHOW(SEEDS), HEADED(KERNEL_MS, "time"), SHOW(GFLOPS), SHOW(GFLOPS_INTERVAL),
                                SHOW(SHARE_OF_PEAK), SHOW(SHARE_OF_PEAK_INTERVAL), SHOW(KERNEL)));
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

static void time_split(struct section_maker *m)
{
    struct grid_request r =
        section_request(m, TABLE_TIME_SPLIT, "Over networks: means of a run",
                        CHOICES(SHOW(ARM), SHOW(RUNS), SHOW(EXPLORATION_S), SHOW(TRAINING_S), SHOW(MEASUREMENT_S),
                                SHOW(OTHER_S), SHOW(ROUNDS_S), WITH_INTERVAL(EXPLORATION_SHARE)));
    section_begin(m, "time_split", "What the searches spent their time on", true);
    r.keep = grid_over_networks;
    section_add(m, grid_of(&r));
    r.caption = "By network";
    r.group = COL_NETWORK;
    r.keep = grid_of_network;
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

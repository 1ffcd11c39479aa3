/* SPDX-License-Identifier: Apache-2.0 */
/* report_sections: a section that has nothing to say is left out. */
#include "harness/report/render/report_sections.h"

#include "harness/report/data/report_summary.h"
#include "harness/report/render/figure_data.h"
#include "harness/report/render/race_sections.h"

#include <math.h>

/* ---- the comparison ---- */

static const char *explorer(const struct section_maker *m)
{
    return report_summary_explorer(m->d);
}

static int count_networks(const struct section_maker *m)
{
    int n = 0;
    const char *last = "";
    for (int i = 0; i < document_rows(m->d, TABLE_NETWORKS); i++) {
        const char *network = document_text_at(m->d, TABLE_NETWORKS, i, COL_NETWORK);
        if (document_number_at(m->d, TABLE_NETWORKS, i, COL_SEEDS) > 0 && !str_eq(network, last))
            last = network, n++;
    }
    return n;
}

/* Where the clocks of networks disagree. */
static void say_clocks(struct section_maker *m)
{
    int rows = 0, size = 0, direction = 0, worst = -1;
    double most = -1;
    for (int i = 0; i < document_rows(m->d, TABLE_NETWORKS); i++) {
        double gap = fabs(log(document_number_at(m->d, TABLE_NETWORKS, i, COL_SEARCH_SPEEDUP_WALL) /
                              document_number_at(m->d, TABLE_NETWORKS, i, COL_SEARCH_SPEEDUP_RECORDS)));
        int clocks = document_word_at(m->d, TABLE_NETWORKS, i, COL_CLOCKS, comparison_clocks_words, CLOCKS_COUNT);
        if (!isfinite(gap))
            continue;
        rows++;
        size += clocks == CLOCKS_SIZE;
        direction += clocks == CLOCKS_DIRECTION;
        worst = gap > most ? i : worst;
        most = fmax(most, gap);
    }
    if (!rows)
        return;
    if (size + direction == 0)
        section_say(m, "The paper's clock (records) and the wall clock agree in all %d rows within a factor of %g.",
                    rows, COMPARISON_CLOCKS);
    else
        section_say(
            m,
            "The paper's clock (records) and the wall clock disagree in %d of %d rows: %d by more than a factor of %g, "
            "%d about which side is faster. They are furthest apart at %s on %s: %.2f on the wall, %.2f of records.",
            size + direction, rows, size, COMPARISON_CLOCKS, direction,
            document_text_at(m->d, TABLE_NETWORKS, worst, COL_ARM),
            document_text_at(m->d, TABLE_NETWORKS, worst, COL_NETWORK),
            document_number_at(m->d, TABLE_NETWORKS, worst, COL_SEARCH_SPEEDUP_WALL),
            document_number_at(m->d, TABLE_NETWORKS, worst, COL_SEARCH_SPEEDUP_RECORDS));
}

/* How many kernels an interval cannot speak of. */
static void say_ties(struct section_maker *m)
{
    const char *all = "";
    for (int i = 0; i < document_rows(m->d, TABLE_MEANS); i++) {
        const char *arm = document_text_at(m->d, TABLE_MEANS, i, COL_ARM);
        int ties, pairs;
        document_ties(m->d, arm, "", &ties, &pairs);
        if (pairs)
            all = arena_printf(m->a, "%s%s%s %d of %d", all, *all ? ", " : "", arm, ties, pairs);
    }
    if (*all)
        section_say(m,
                    "Kernels (of each network and seed) that end in the same program as the full run, so that "
                    "their ratio is 1: %s.",
                    all);
}

static void means(struct section_maker *m)
{
    enum report_column c = report_summary_headline(m->d);
    int networks = count_networks(m);
    section_begin(m, "table", networks == 1 ? "The result" : arena_printf(m->a, "Means over %d networks", networks),
                  false);
    section_say(m,
                "Each arm starts from %s's first k records of each kernel; k is the number in its name. Ratios are "
                "time of %s's "
                "full run over that of the arm: 2 is half the time. search: search time on the wall clock. kernels: "
                "kernel time "
                "of the programs that one would use, %s.",
                explorer(m), explorer(m),
                quantity_is_retimed((enum quantity)report_columns[c].what)
                    ? "re-timed in fresh processes after all searches"
                    : "as tuned: they were not re-timed");
    say_ties(m);
    section_say(m, "95 %%: interval of the kernels, %s.%s%s%s",
                m->d->seeds > 1
                    ? "over seeds: the same networks searched again"
                    : "over networks or kernels, as there is one seed: others like these, not the same searched again",
                *m->d->published ? " paper: " : "", m->d->published,
                *m->d->published ? ", as the authors released it." : "");
    section_chosen(m, TABLE_MEANS, NULL,
                   CHOICES(SHOW(ARM), SHOW(SEARCH_SPEEDUP_WALL), {c, SHOW_VALUE, "kernels"}, {c, SHOW_INTERVAL, NULL},
                           SHOW(PAPER_KERNEL), {COL_WINS, SHOW_WINS, NULL}, SHOW(UNLIKE)));
    if (networks > 1)
        section_say(m, "wins: networks whose kernels are at least as fast.");
    section_end(m);
}

static void arms(struct section_maker *m)
{
    if (m->kind->race || !document_rows(m->d, TABLE_MEANS))
        return; /* arms of a race differ by their models, too */
    section_begin(m, "arms", "What the arms run", true);
    section_say(m, "`raingauge list searchers NAME` explains a searcher's settings.");
    section_chosen(m, TABLE_MEANS, NULL, CHOICES(SHOW(ARM), SHOW(SEARCHER), SHOW(SETTINGS)));
    section_end(m);
}

static void certainty(struct section_maker *m)
{
    const struct grid_choice main[] = {SHOW(KERNEL_SPEEDUP_RETIMED), SHOW(KERNEL_SPEEDUP),
                                       SHOW(KERNEL_GEOMEAN_RETIMED), SHOW(KERNEL_GEOMEAN),
                                       SHOW(SEARCH_SPEEDUP_WALL),    SHOW(SEARCH_SPEEDUP_RECORDS)};
    struct grid_request r = section_request(m, TABLE_MEANS, NULL, main, sizeof main / sizeof *main);
    section_begin(m, "certainty", "How sure these means are", true);
    section_add(m, grid_ratios(&r));
    if (m->d->seeds > 1 && count_networks(m) > 1) {
        const struct grid_choice few[] = {{report_summary_headline(m->d), 0, NULL}, SHOW(SEARCH_SPEEDUP_WALL)};
        r = section_request(m, TABLE_NETWORKS, "Of each network (the other ratios are in summary.tsv)", few, 2);
        section_add(m, grid_ratios(&r));
    }
    if (m->now->ngrids) {
        section_say(
            m,
            "beats: the chance to be above 1; ties, inside the larger of 2 %% and twice the noise floor, count half. "
            "p: test that the ratio is 1; Holm: corrected for the number of comparisons. +- %%: half the interval, df: "
            "degrees of freedom of the spread between seeds; a verdict in full takes 15, and +- the claim's "
            "tolerance.");
        if (m->d->seeds == 1)
            section_say(m, "one seed: a network's ratio has no interval, as the spread between seeds is not known.");
    }
    section_end(m);
}

static void networks(struct section_maker *m)
{
    section_begin(m, "networks", "Networks", true);
    section_add(m, grid_view(m->d, TABLE_NETWORKS, VIEW_FULL, NULL));
    section_add(m, grid_view(m->d, TABLE_NETWORKS, VIEW_TIMES, "Kernel times and the arm's own cost"));
    if (m->now->ngrids)
        section_say(
            m,
            "as tuned, re-timed: every distinct kernel once, as the authors count; by calls: as often as the network "
            "calls it. %s",
            m->kind->race ? "The explorer is here the first arm."
                          : "gain over seed: what the arm added to the record that it started from.");
    section_end(m);
}

static void kernels(struct section_maker *m)
{
    enum { MOST = 120 };
    struct grid_request r =
        section_request(m, TABLE_KERNELS, NULL,
                        CHOICES(SHOW(ARM), SHOW(SEED), SHOW(EXPLORER_KERNEL_MS), SHOW(SEED_KERNEL_MS),
                                SHOW(OWN_KERNEL_MS), SHOW(KERNEL_MS), SHOW(RETIMED_MS), SHOW(KERNEL)));
    r.group = COL_NETWORK;
    int rows = document_rows(m->d, TABLE_KERNELS);
    section_begin(m, "kernels", "Kernels", true);
    if (rows > MOST)
        section_say(m, "%d rows are in report.json.", rows);
    else
        section_add(m, grid_of(&r));
    section_end(m);
}

static void tests(struct section_maker *m)
{
    if (!m->kind->tests)
        return;
    section_begin(m, "tests", "Do the programs differ from the explorer's", false);
    section_say(
        m,
        "Kernels, all seeds, by a two-sided t-test: better or worse at p <= %.2f, else open. repeats: between the "
        "repeats "
        "of the two search records, the authors' test, which leaves out how searches and processes differ. launches: "
        "between fresh processes of the re-timing. sd: median over kernels of sd / mean.",
        COMPARISON_P);
    section_add(m, grid_view(m->d, TABLE_NETWORKS, VIEW_TESTS, NULL));
    if (m->d->seeds > 1)
        section_chosen(m, TABLE_SEEDS, "Each seed by itself",
                       CHOICES(SHOW(NETWORK), SHOW(ARM), SHOW(SEED), SHOW(EXPLORER_KERNEL_MS), SHOW(KERNEL_MS),
                               SHOW(KERNEL_SPEEDUP), SHOW(KERNEL_SPEEDUP_RETIMED)));
    section_end(m);
}

static void pairwise(struct section_maker *m)
{
    const struct grid_choice all[] = {SHOW(PAIR_KERNELS), SHOW(PAIR_EACH), SHOW(PAIR_RECORDS), SHOW(PAIR_WALL)};
    struct grid_request r = section_request(m, TABLE_PAIRWISE, NULL, all, sizeof all / sizeof *all);
    if (!document_rows(m->d, TABLE_PAIRWISE))
        return;
    section_begin(
        m, "pairwise",
        arena_printf(m->a, "%s against each of the others", document_text_at(m->d, TABLE_PAIRWISE, 0, COL_ARM)), true);
    section_say(
        m, "They start from the same records, so what the explorer found drops out. Above 1 favours the first. search: "
           "of the arm alone, without its seeds.");
    section_add(m, grid_ratios(&r));
    section_end(m);
}

static void effects(struct section_maker *m)
{
    section_begin(m, "effects", "What the conditions do to the same programs", false);
    section_chosen(m, TABLE_EFFECTS, NULL,
                   CHOICES(SHOW(CONDITION), SHOW(PAIRS), SHOW(EFFECT), {COL_EFFECT, SHOW_INTERVAL, NULL},
                           SHOW(EFFECT_RETIMED), {COL_EFFECT_RETIMED, SHOW_INTERVAL, NULL}));
    if (m->now->ngrids)
        section_say(
            m, "Time of a kernel without the condition over that with it, geometric means over kernels and over "
               "pairs of arms that differ in it alone: above 1 it is faster under it. As tuned each is timed under "
               "its arm's regime; re-timing has one regime for all.");
    section_end(m);
}

static void published(struct section_maker *m)
{
    struct grid_request r = section_request(
        m, TABLE_PUBLISHED, NULL,
        CHOICES(SHOW(LABEL), HEADED(PAPER_KERNEL, "kernels"), HEADED(PAPER_SEARCH, "search"), SHOW(NUMBERS)));
    section_begin(m, "published", "Published numbers", true);
    r.group = COL_SOURCE;
    section_add(m, grid_of(&r));
    section_end(m);
}

/* ---- the cost ---- */

static void cost(struct section_maker *m)
{
    section_begin(m, "cost", "What searching cost, on every clock", true);
    section_chosen(m, TABLE_EXPLORERS, "Arms that search by themselves",
                   CHOICES(SHOW(NETWORK), SHOW(ARM), SHOW(SEARCH_WALL_S), SHOW(SEARCH_RECORDS_S), SHOW(SEARCH_SUM_S),
                           SHOW(SEARCH_DEVICE_S), SHOW(SEARCH_CPU_S), SHOW(TRIALS), SHOW(FAILED),
                           HEADED(KERNEL_MS, "kernels"), HEADED(RETIMED_MS, "re-timed")));
    if (!m->kind->race)
        section_add(m, grid_view(m->d, TABLE_NETWORKS, VIEW_COST, "Arms that start from their records: both together"));
    if (m->now->ngrids) {
        say_clocks(m);
        if (report_summary_computed(m->d))
            section_say(m, "%s", report_summary_computed(m->d));
        section_say(
            m,
            "wall: the clock on the wall, training and waiting included. records: the authors' clock, records times "
            "mean cost of the explorer's log and the summed cost of a descent%s. sum: build and run costs of these "
            "very records. device: time that the device was held, for running and verifying. cpu: CPU time of the "
            "searching process, without its workers, by its share of the wall clock.",
            m->kind->seed_cost_again ? ", its seeds' once more" : "");
    }
    section_end(m);
}

static void controls(struct section_maker *m)
{
    bool separate = document_rows(m->d, TABLE_SEPARATE) > 0, again = document_rows(m->d, TABLE_REMEASURED) > 0;
    section_begin(m, "controls", "What of the gain is searching", true);
    section_say(
        m, "The gain of an arm over its seeds, taken apart by re-timing (geometric means): timing the seed again, and "
           "searching. explorer-k: the explorer stopped after k records, without the arm.");
    section_add(m, grid_view(m->d, TABLE_MEANS, VIEW_GAIN, NULL));
    if (separate) {
        struct grid_request r =
            section_request(m, TABLE_SEPARATE, "Cut over own run",
                            CHOICES(SHOW(SEPARATE_KERNEL), SHOW(SEPARATE_SEARCH), SHOW(SEPARATE_DESCENT)));
        r.keep = grid_over_networks;
        section_all(m, TABLE_SEPARATE,
                    "The first k records of the long log, beside a run of its own with k trials a kernel");
        section_add(m, grid_ratios(&r));
    }
    if (again) {
        struct grid_request r = section_request(m, TABLE_REMEASURED, "Seeds measured again",
                                                CHOICES(SHOW(REMEASURE_GAIN), SHOW(FOUND_GAIN)));
        r.keep = grid_over_networks;
        section_all(m, TABLE_REMEASURED, "The seeds measured again under the same regime");
        section_add(m, grid_ratios(&r));
    }
    section_end(m);
}

static bool is_shown(const struct document *d, enum report_table table, int row)
{
    double q = document_number_at(d, table, row, COL_Q);
    return q == 1.00 || q == 1.05;
}

static void targets(struct section_maker *m)
{
    struct grid_request r = section_request(
        m, TABLE_TARGETS, NULL,
        CHOICES(SHOW(ARM), SHOW(Q), SHOW(TARGET_MS), SHOW(RUNS), SHOW(REACHED), SHOW(MEDIAN_S), SHOW(MEDIAN_INTERVAL),
                SHOW(MEAN_S), SHOW(EXPECTED_S), SHOW(MEDIAN_TRIALS), SHOW(EXPECTED_TRIALS), SHOW(P), SHOW(P_HOLM)));
    section_begin(m, "targets", "Time to target", true);
    r.group = COL_NETWORK;
    r.keep = is_shown;
    section_add(m, grid_of(&r));
    if (m->now->ngrids)
        section_say(
            m,
            "Wall clock until the kernel sum, as tuned, is at most q times the median of %s's last. A run "
            "that ends before is right-censored. Median and mean are given where half of the runs arrive; expected: "
            "time of all runs over arrivals; p: log-rank test against %s, Holm over the arms.",
            m->kind->race ? explorer(m) : "the explorer", m->kind->race ? explorer(m) : "the explorer");
    section_end(m);
}

static void equal_quality(struct section_maker *m)
{
    struct grid_request r =
        section_request(m, TABLE_EQUAL_QUALITY, NULL,
                        CHOICES(SHOW(ARM), WITH_INTERVAL(EQUAL_QUALITY), SHOW(RUNS), SHOW(EQUAL_REACHED)));
    section_begin(m, "equal_quality", "Time to equal quality", true);
    r.keep = grid_over_networks;
    section_add(m, grid_of(&r));
    if (m->now->ngrids)
        section_say(m,
                    "When the explorer alone has what the arm ends with, as tuned, over the arm's whole time, on the "
                    "wall clock; above 1 favours the arm. Where the explorer never gets there its whole clock "
                    "counts, so the ratio is a lower bound. The search speedup above asks for its full run instead.");
    section_end(m);
}

static void few(struct section_maker *m)
{
    section_begin(m, "few_records", "Started from fewer records than k", true);
    section_all(m, TABLE_FEW_RECORDS, NULL);
    if (m->now->ngrids)
        section_say(m, "All that the explorer has of these kernels: they start as they would at a lower k.");
    section_end(m);
}

/* ---- whether to believe it ---- */

static void noise(struct section_maker *m)
{
    const struct document *d = m->d;
    section_begin(m, "noise", "Noise and gates", d->valid);
    m->now->bad = !d->valid;
    for (int i = 0; i < VALIDITY_ABOUTS && document_rows(d, TABLE_NOISE); i++) {
        const char *reason;
        enum verdict_gates gates = document_gates(d, (enum validity_about)i, &reason);
        section_say(m, "gates of %s: %s%s%s", validity_about_words[i], validity_words[gates], reason ? ", " : "",
                    reason ? reason : "");
    }
    if (document_rows(d, TABLE_DUELS) > 0)
        section_say(m, "Duels: %.0f processes, %.0f gave no time. The null pairs are programs against themselves.",
                    document_number_at(d, TABLE_NOISE, 0, COL_READINGS),
                    document_number_at(d, TABLE_NOISE, 0, COL_READINGS_FAILED));
    else
        section_say(m, "Noise floor: not measured.");
    section_all(m, TABLE_GATES, "Gates");
    section_all(m, TABLE_DUELS, "Duels: faster by paired launches");
    section_end(m);
}

static void losses(struct section_maker *m)
{
    section_begin(m, "losses", "What the arms lost", true);
    section_all(m, TABLE_LOSS, NULL);
    if (m->now->ngrids)
        section_say(
            m,
            "By re-timed times, geometric means over kernels (%lld program%s of each arm and kernel re-timed, and the "
            "seeds). selection: program chosen over the best of the arm's own. exploration: that best over the best "
            "of all arms. Less than the noise floor means nothing.",
            (long long)m->d->retime_top, m->d->retime_top == 1 ? "" : "s");
    section_end(m);
}

static bool speaks(const struct document *d, enum report_table table, int row)
{
    return !str_eq(document_text_at(d, table, row, COL_VERDICT), "NOT MEASURED");
}

static const char *reason_of(const struct section_maker *m, int row)
{
    return document_text_at(m->d, TABLE_VERDICTS, row, COL_REASON);
}

/* What a claim says, why its verdict is so, and what speaks against it. */
static const char *note_of(const struct section_maker *m, int row)
{
    const char *doubt = document_text_at(m->d, TABLE_VERDICTS, row, COL_DOUBT),
               *changed = document_text_at(m->d, TABLE_VERDICTS, row, COL_CHANGED);
    return arena_printf(m->a, "%s. Because: %s.%s%s%s%s%s", document_text_at(m->d, TABLE_VERDICTS, row, COL_SAYS),
                        reason_of(m, row), *doubt ? " Doubtful: " : "", doubt, *doubt ? "." : "",
                        *changed ? " Since the run: " : "", changed);
}

/* Claims that are not measured here, together where their reason is the same. */
static void say_silent(struct section_maker *m)
{
    enum { REASONS = SECTION_PARAGRAPHS - 2 };
    int rows = document_rows(m->d, TABLE_VERDICTS);
    for (int i = 0; i < rows && m->now->nparagraphs < REASONS; i++) {
        const char *ids = "";
        bool first = true;
        for (int k = 0; k < rows; k++) {
            if (speaks(m->d, TABLE_VERDICTS, k) || !str_eq(reason_of(m, k), reason_of(m, i)))
                continue;
            first = first && k >= i;
            ids = arena_printf(m->a, "%s%s%s", ids, *ids ? ", " : "",
                               document_text_at(m->d, TABLE_VERDICTS, k, COL_CLAIM));
        }
        if (!speaks(m->d, TABLE_VERDICTS, i) && first)
            section_say(m, "Not measured: %s. Why: %s.", ids, reason_of(m, i));
    }
}

static void verdicts(struct section_maker *m)
{
    struct grid_request r = section_request(
        m, TABLE_VERDICTS, NULL,
        CHOICES(SHOW(CLAIM), SHOW(VERDICT), HEADED(VALUE, "here"), SHOW(INTERVAL), SHOW(DF), SHOW(PAPER)));
    section_begin(m, "verdicts", "Verdicts on the paper's claims", false);
    if (m->d->unjudged)
        section_say(m, "None: %s.", m->d->unjudged);
    else
        section_say(
            m,
            "The claims that this experiment tests; all of them: raingauge claims %s. Claims file: SHA-256 %.12s%s. "
            "%s.",
            m->d->paper, m->d->claims_now,
            str_eq(m->d->claims_now, m->d->claims_hash)
                ? ""
                : arena_printf(m->d->a, "; when the report was written, %.12s", m->d->claims_hash),
            m->d->claims_since);
    r.keep = speaks;
    struct grid g = grid_of(&r); /* the rows that speak come first */
    const char **notes = ARENA_ARRAY(m->a, const char *, g.nrows + 1);
    for (int i = 0; i < g.nrows; i++)
        notes[i] = note_of(m, i);
    g.notes = notes;
    section_add(m, g);
    section_end(m);
    section_begin(m, "unmeasured", "Claims that this run does not measure", true);
    say_silent(m);
    section_end(m);
}

/* ---- the run ---- */

static void run(struct section_maker *m)
{
    section_begin(m, "failures", "Failed candidates", true);
    section_all(m, TABLE_FAILURES, NULL);
    if (!m->now->ngrids)
        section_say(m, "No candidate failed.");
    section_end(m);
    section_begin(m, "time", "Where the time went", true);
    section_all(m, TABLE_PHASES, NULL);
    if (document_rows(m->d, TABLE_EVALUATIONS))
        section_say(m, "Programs scored: as published is how many the original algorithm would score in a round; the "
                       "other number is of different programs, whose scores are remembered.");
    section_all(m, TABLE_EVALUATIONS, "Programs scored in a round, by arm");
    section_all(m, TABLE_ANSWERS, "What the recorded device was asked, by arm");
    section_all(m, TABLE_COMPUTED_CLOCK, "Computed clocks: slow programs that were called less");
    section_all(m, TABLE_OBJECT_CACHE, "Objects that were made once");
    section_end(m);
    section_begin(m, "counters", "Hardware counters", true);
    section_all(m, TABLE_COUNTERS, NULL);
    if (m->d->programs_counted)
        section_say(m, "Counted on %lld programs, in runs of their own that no time comes from.",
                    (long long)m->d->programs_counted);
    else
        section_say(m, m->d->is_virtual ? "counters: none, the target is virtual"
                                        : "counters: none, no program was counted");
    section_end(m);
    section_begin(m, "environment", "Environment", true);
    m->now->page_only = true;
    section_all(m, TABLE_ENVIRONMENT, NULL);
    section_end(m);
    section_begin(m, "origin", "Where the numbers come from", true);
    m->now->page_only = true;
    section_say(m, "Every number is from the results folder's records.db. Experiment hash %s, made by raingauge %s.",
                m->d->hash, m->d->revision);
    if (m->d->from_file)
        section_say(m, "The records are not here: this is read from report.json%s%s.",
                    *m->d->measured ? ", measured on " : "", m->d->measured);
    if (!m->d->complete)
        section_all(m, TABLE_CELLS, "Cells");
    section_end(m);
}

static void figures(struct section_maker *m)
{
    section_begin(m, "figures", "Figure", false);
    section_say(m, "%s", figure_caption(m->d, "figure"));
    m->now->figure = "figure";
    section_end(m);
}

static void curves(struct section_maker *m)
{
    if (!document_rows(m->d, TABLE_CURVES))
        return;
    section_begin(m, "curves", "Best so far over the wall clock", true);
    m->now->figure = "curves";
    section_say(m, "%s", figure_caption(m->d, "curves"));
    section_end(m);
}

struct report_sections report_sections_make(const struct document *d)
{
    enum { SECTIONS = 32 };
    struct section_maker m = {.d = d, .a = d->a, .kind = selection_find(d->report)};
    if (!m.kind)
        m.kind = selection_find("contest");
    m.out.at = ARENA_ARRAY(d->a, struct report_section, SECTIONS);
    if (m.kind->race)
        race_sections_add(&m);
    else
        means(&m);
    figures(&m);
    tests(&m);
    effects(&m);
    if (!d->valid)
        noise(&m);
    arms(&m);
    verdicts(&m);
    certainty(&m);
    pairwise(&m);
    networks(&m);
    kernels(&m);
    published(&m);
    curves(&m);
    targets(&m);
    equal_quality(&m);
    cost(&m);
    if (!m.kind->race)
        controls(&m);
    few(&m);
    losses(&m);
    if (d->valid)
        noise(&m);
    run(&m);
    return m.out;
}

/* ---- the head ---- */

const char *report_sections_title(const struct document *d)
{
    return arena_printf(d->a, "%s%s%s: %s", d->experiment, *d->tier ? ", tier " : "", d->tier, d->title);
}

static const char *seeds_of(const struct document *d)
{
    bool fewer = false;
    for (int i = 0; i < document_rows(d, TABLE_EXPLORERS); i++)
        fewer = fewer || document_number_at(d, TABLE_EXPLORERS, i, COL_SEEDS) < (double)d->seeds;
    return arena_printf(d->a, "%lld%s", (long long)d->seeds, fewer ? ", of some networks fewer" : "");
}

int report_sections_facts(const struct document *d, const char *names[SECTIONS_FACTS],
                          const char *values[SECTIONS_FACTS])
{
    static const char *const weights[] = {"as given", "re-laid-out at run time", "re-laid-out beforehand"};
    struct arena *a = d->a;
    int n = 0;
    names[n] = "machine", values[n++] = d->machine;
    names[n] = "target",
    values[n++] = arena_printf(
        a, "%s%s, %s, weights %s", d->target, *d->target_settings ? arena_printf(a, " {%s}", d->target_settings) : "",
        d->threads ? arena_printf(a, "%lld thread%s", (long long)d->threads, d->threads == 1 ? "" : "s")
                   : "all threads",
        weights[d->layout >= 0 && d->layout < 3 ? d->layout : 0]);
    const char *codegen = document_codegen(d);
    if (codegen)
        names[n] = "codegen", values[n++] = str_eq(codegen, "tvm")
                                                ? "tvm: the code that TVM makes of a schedule"
                                                : "fast: not TVM's code, so no claim of a paper is judged by this run";
    names[n] = "regime", values[n++] = d->regime;
    names[n] = "seeds", values[n++] = seeds_of(d);
    if (d->trials_measured)
        names[n] = "trials", values[n++] = arena_printf(a, "%lld measured", (long long)d->trials_measured);
    if (*d->measured)
        names[n] = "measured", values[n++] = d->measured;
    if (d->from_file)
        names[n] = "records", values[n++] = "not here; this is read from report.json";
    names[n] = "experiment", values[n++] = arena_printf(a, "%.12s", d->hash);
    names[n] = "raingauge", values[n++] = d->revision;
    return n;
}

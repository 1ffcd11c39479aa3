/* SPDX-License-Identifier: Apache-2.0 */
/* report_summary: of several arms the one with the fastest kernels is told. */
#include "harness/report/data/report_summary.h"

#include "harness/stats/verdict.h"

#include <math.h>

enum report_column report_summary_headline(const struct document *d)
{
    int c = report_column_find(d->headline);
    return c < 0 ? COL_KERNEL_SPEEDUP : (enum report_column)c;
}

/* " (95 % interval 1.010 to 1.050, over 3 seeds)"; "" without one. */
static const char *interval(struct arena *a, const struct estimate *e, enum report_column c)
{
    if (!e || e->over == ESTIMATE_NOTHING || !isfinite(e->low) || !isfinite(e->high))
        return "";
    return arena_printf(a, " (95 %% interval %.3f to %.3f, over %d %s)", e->low, e->high, e->n,
                        estimate_over_word(e, report_column_rows(c)));
}

/* The row of means with the fastest kernels; -1: none has any. */
static int best_arm(const struct document *d)
{
    int best = -1;
    for (int i = 0; i < document_rows(d, TABLE_MEANS); i++) {
        double v = document_number_at(d, TABLE_MEANS, i, report_summary_headline(d));
        if (v > (best < 0 ? 0 : document_number_at(d, TABLE_MEANS, best, report_summary_headline(d))))
            best = i;
    }
    return best;
}

/* The explorer's name: the first arm that searches. */
const char *report_summary_explorer(const struct document *d)
{
    const char *one = NULL;
    for (int i = 0; i < document_rows(d, TABLE_MEANS); i++) {
        const char *over = document_text_at(d, TABLE_MEANS, i, COL_OVER);
        if (!*over)
            continue; /* files of before that was kept */
        if (one && !str_eq(one, over))
            return "its explorer";
        one = over;
    }
    return one                                 ? one
           : document_rows(d, TABLE_EXPLORERS) ? document_text_at(d, TABLE_EXPLORERS, 0, COL_ARM)
                                               : "the explorer";
}

/* The two halves of the first line: what search time came to, and what kernels did. Either may be INVALID. */
static const char *found_search(const struct document *d, int arm, bool fine)
{
    double search = document_number_at(d, TABLE_MEANS, arm, COL_SEARCH_SPEEDUP_WALL);
    return isnan(search) ? ""
           : fine
               ? arena_printf(d->a, " searched %.2f times as fast (wall clock)", search)
               : arena_printf(d->a, " has no finding on search time (INVALID; as measured %.2f times as fast)", search);
}

static const char *found_kernels(const struct document *d, int arm, bool fine)
{
    enum report_column c = report_summary_headline(d);
    double kernels = document_number_at(d, TABLE_MEANS, arm, c);
    const struct estimate *e = document_ratio_at(d, TABLE_MEANS, arm, c);
    const char *known = interval(d->a, e, c);
    return fine ? arena_printf(d->a, "its kernels are %.3f times as fast%s%s", kernels, known,
                               *known && e->low <= 1 && e->high >= 1 ? ": not told apart" : "")
                : arena_printf(d->a, "there is no finding on its kernels (INVALID; as measured %.3f times as fast)",
                               kernels);
}

/* ---- of a race ---- */

/* The row over networks of the arm that is soonest at the common target; -1: none is. */
static int soonest(const struct document *d)
{
    int best = -1;
    for (int i = 0; i < document_rows(d, TABLE_RACE); i++) {
        double v = document_number_at(d, TABLE_RACE, i, COL_SOONER_WALL);
        if (!*document_text_at(d, TABLE_RACE, i, COL_NETWORK) &&
            v > (best < 0 ? 0 : document_number_at(d, TABLE_RACE, best, COL_SOONER_WALL)))
            best = i;
    }
    return best;
}

static const char *sooner(const struct document *d, int row, enum report_column c, const char *unit)
{
    return arena_printf(d->a, "%.2f times as soon %s%s", document_number_at(d, TABLE_RACE, row, c), unit,
                        interval(d->a, document_ratio_at(d, TABLE_RACE, row, c), c));
}

static int mean_row(const struct document *d, const char *arm)
{
    for (int i = 0; i < document_rows(d, TABLE_MEANS); i++)
        if (str_eq(document_text_at(d, TABLE_MEANS, i, COL_ARM), arm))
            return i;
    return -1;
}

/* Does the wall clock's interval leave 1 out? One value has no interval and tells nothing. */
static const char *told(const struct document *d, int row, const char *first)
{
    const struct estimate *e = document_ratio_at(d, TABLE_RACE, row, COL_SOONER_WALL);
    const char *arm = document_text_at(d, TABLE_RACE, row, COL_ARM);
    bool several = e && e->over != ESTIMATE_NOTHING && isfinite(e->half);
    return several && e->low > 1    ? arena_printf(d->a, "%s is sooner", arm)
           : several && e->high < 1 ? arena_printf(d->a, "%s is sooner", first)
                                    : arena_printf(d->a, "%s and %s are not told apart", arm, first);
}

static const char *race_found(const struct document *d)
{
    struct arena *a = d->a;
    int row = soonest(d), arms = document_rows(d, TABLE_MEANS);
    const char *why, *first = report_summary_explorer(d);
    if (row < 0)
        return "No arm has valid programs for every kernel beside the first arm yet.";
    const char *arm = document_text_at(d, TABLE_RACE, row, COL_ARM);
    bool search = document_gates(d, VALIDITY_SEARCH, &why) != VERDICT_GATES_FAILED,
         kernels = document_gates(d, VALIDITY_KERNELS, &why) != VERDICT_GATES_FAILED, none = !search && !kernels;
    int mean = mean_row(d, arm);
    return arena_printf(a, "%sgainst %s, at the slowest sum that both come to: %s. %s%s is %s, %s%s%s.",
                        none ? "INVALID: no finding. As measured: a" : "A", first,
                        search || none ? told(d, row, first) : "no finding on time (INVALID). As measured", arm,
                        arms > 1 ? arena_printf(a, " (the soonest of %d arms)", arms) : "",
                        sooner(d, row, COL_SOONER_WALL, "on the wall clock"),
                        sooner(d, row, COL_SOONER_TRIALS, "in trials"), mean < 0 ? "" : "; at the end ",
                        mean < 0 ? "" : found_kernels(d, mean, kernels || none));
}

static const char *found(const struct document *d)
{
    struct arena *a = d->a;
    int arms = document_rows(d, TABLE_MEANS), i = best_arm(d);
    const char *why;
    if (document_rows(d, TABLE_RACE))
        return race_found(d);
    bool kernels = document_gates(d, VALIDITY_KERNELS, &why) != VERDICT_GATES_FAILED,
         search = document_gates(d, VALIDITY_SEARCH, &why) != VERDICT_GATES_FAILED, none = !kernels && !search;
    if (i < 0)
        return "No arm has valid programs for every kernel yet.";
    const char *searched = found_search(d, i, search || none), *over = document_text_at(d, TABLE_MEANS, i, COL_OVER);
    return arena_printf(a, "%sgainst the full run of %s, %s%s%s%s %s.",
                        none ? "INVALID: no finding. As measured: a" : "A", *over ? over : report_summary_explorer(d),
                        document_text_at(d, TABLE_MEANS, i, COL_ARM),
                        arms > 1 ? arena_printf(a, " (the fastest of %d arms)", arms) : "", searched,
                        *searched ? ", and" : ":", found_kernels(d, i, kernels || none));
}

/* What keeps these numbers from saying anything about a claim; NULL: nothing does. */
static const char *bounds(const struct document *d)
{
    if (str_eq(d->target, "replay"))
        return "The target is a recording: no time passed, and its noise is not known.";
    return d->is_virtual         ? "The target is virtual: times come from a formula and say nothing about any claim."
           : !document_judges(d) ? "Tier smoke shows that it runs; it says nothing about any claim."
                                 : NULL;
}

const char *report_summary_computed(const struct document *d)
{
    if (!document_rows(d, TABLE_COMPUTED_CLOCK))
        return NULL;
    double error = document_number_at(d, TABLE_COMPUTED_CLOCK, 0, COL_CLOCK_ERROR);
    const char *checked =
        isnan(error) ? "none of them was timed in full as well, so the error is not known"
                     : arena_printf(d->a,
                                    "%.0f of them were timed in full as well: the computed time is off by %+.1f %% in "
                                    "all, %.1f %% in the median, %.0f %% at worst",
                                    document_number_at(d, TABLE_COMPUTED_CLOCK, 0, COL_CHECKED), 100 * error,
                                    100 * document_number_at(d, TABLE_COMPUTED_CLOCK, 0, COL_CLOCK_ERROR_MEDIAN),
                                    100 * document_number_at(d, TABLE_COMPUTED_CLOCK, 0, COL_CLOCK_ERROR_WORST));
    return arena_printf(d->a,
                        "Search times are computed: %.0f of %.0f trials were of slow programs and called less; %s.",
                        document_number_at(d, TABLE_COMPUTED_CLOCK, 0, COL_SLOW_TRIALS),
                        document_number_at(d, TABLE_COMPUTED_CLOCK, 0, COL_OF_TRIALS), checked);
}

static const char *judged(const struct document *d, enum validity_about about)
{
    const char *reason, *what = about == VALIDITY_KERNELS ? "Kernels" : "Search time";
    double floor = document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR);
    enum verdict_gates gates = document_gates(d, about, &reason);
    const char *floors = about == VALIDITY_KERNELS && isfinite(floor)
                             ? arena_printf(d->a, ", the noise floor is %.1f %%", 100 * floor)
                             : "";
    return gates == VERDICT_GATES_PASSED   ? arena_printf(d->a, "%s: valid%s.", what, floors)
           : gates == VERDICT_GATES_FAILED ? arena_printf(d->a, "%s: INVALID, %s.", what, reason)
                                           : arena_printf(d->a, "%s: not judged, %s.", what, reason);
}

/* Is the luck of the searches known well enough for a verdict on ratios? */
static const char *luck(const struct document *d)
{
    int i = best_arm(d);
    const struct estimate *e = i < 0 ? NULL : document_ratio_at(d, TABLE_MEANS, i, report_summary_headline(d));
    if (d->seeds < 2)
        return " One seed: the luck of a search is not known, so ratios get no verdict.";
    return !e || e->df >= VERDICT_DF
               ? ""
               : arena_printf(d->a, " The luck of a search is known by %.0f degree%s of freedom, %d give a verdict.",
                              e->df, fabs(e->df - 1) < 0.5 ? "" : "s", VERDICT_DF);
}

static const char *validity(const struct document *d)
{
    const char *also = bounds(d);
    return arena_printf(d->a, "%s %s%s%s%s", judged(d, VALIDITY_KERNELS), judged(d, VALIDITY_SEARCH),
                        document_rows(d, TABLE_COMPUTED_CLOCK) ? " Search times are computed." : "", also ? " " : "",
                        also ? also : luck(d));
}

/* Experiment and tier, as a command line has them. */
static const char *name_of(const struct document *d)
{
    const char *asked = d->asked ? d->asked : d->experiment;
    return *d->tier ? arena_printf(d->a, "%s --tier %s", asked, d->tier) : asked;
}

const char *report_summary_cure(const struct document *d, enum validity_about about)
{
    if (about == VALIDITY_KERNELS && !d->from_file)
        return arena_printf(d->a, "time the winners again on a quiet machine: raingauge run %s --retime", name_of(d));
    return arena_printf(d->a, "run it anew on a quiet machine: raingauge run %s --results FOLDER", name_of(d));
}

static const char *next(const struct document *d)
{
    struct arena *a = d->a;
    const char *name = name_of(d), *why;
    if (!d->complete)
        return arena_printf(a, "Next: raingauge run %s --resume (%s)", name, d->missing ? d->missing : "not complete");
    if (d->is_virtual && !str_eq(d->target, "replay"))
        return "Next: run it on a real target, without --set target";
    if (!document_judges(d))
        return arena_printf(a, "Next: raingauge run %s --tier short", d->asked ? d->asked : d->experiment);
    for (int i = 0; i < VALIDITY_ABOUTS; i++)
        if (document_gates(d, (enum validity_about)i, &why) == VERDICT_GATES_FAILED)
            return arena_printf(a, "Next: %s", report_summary_cure(d, (enum validity_about)i));
    return *d->paper ? arena_printf(a, "Next: raingauge claims %s", d->paper)
                     : arena_printf(a, "Next: read report.html, which raingauge report %s --write makes", name);
}

/* " 19 of 38 kernels ..."; "" where no kernel is taken from another network. */
static const char *sharing(const struct document *d)
{
    return !d->taken_kernels
               ? ""
               : arena_printf(
                     d->a,
                     " %lld of %lld kernels were searched for an earlier network: search times count them as "
                     "if searched again, networks that share kernels are not independent, and their means have "
                     "%.1f times the squared error.",
                     (long long)d->taken_kernels, (long long)d->kernels, d->design_effect);
}

void report_summary_fill(struct document *d)
{
    d->found = arena_printf(d->a, "%s%s", found(d), sharing(d));
    d->validity = validity(d);
    d->next = next(d);
}

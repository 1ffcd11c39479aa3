/* SPDX-License-Identifier: Apache-2.0 */
/* report_summary: the arm that the experiment declared stands for it; else the best one, by an interval that holds for
 * all arms at once. */
#include "harness/report/data/report_summary.h"

#include "harness/report/data/race_tables.h"
#include "harness/report/data/run_tables.h"
#include "harness/stats/t_test.h"
#include "harness/stats/verdict.h"

#include <math.h>
#include <string.h>

enum report_column report_summary_headline(const struct document *d)
{
    int c = report_column_find(d->headline);
    return c < 0 ? COL_KERNEL_SPEEDUP : (enum report_column)c;
}

/* The explorer's name: the first arm that searches. */
const char *report_summary_explorer(const struct document *d)
{
    const char *one = NULL;
    for (int i = 0; i < document_rows(d, TABLE_MEANS); i++) {
        const char *over = document_text_at(d, TABLE_MEANS, i, COL_OVER);
        if (one && !str_eq(one, over))
            return "its explorer";
        one = *over ? over : one;
    }
    return one                                 ? one
           : document_rows(d, TABLE_EXPLORERS) ? document_text_at(d, TABLE_EXPLORERS, 0, COL_ARM)
                                               : "the explorer";
}

/* ---- one number ---- */

const char *report_summary_change(struct arena *a, double speedup)
{
    double percent = 100 * fabs(1 / speedup - 1);
    const char *side = speedup > 1 ? "less" : "more";
    const double most = speedup > 1 ? 99 : 1000; /* "100 % less" would be no time at all */
    return speedup <= 0 || !isfinite(speedup) ? "any"
           : percent < 0.05                   ? "the same"
           : percent < 10                     ? arena_printf(a, "%.1f %% %s", percent, side)
           : percent <= most                  ? arena_printf(a, "%.0f %% %s", percent, side)
                                              : arena_printf(a, "over %.0f %% %s", most, side);
}

/* The interval of the best of n arms: that of Bonferroni, which holds for all of them at once. It is for intervals of
 * t.
 */
static struct estimate at_once(const struct estimate *e, int n)
{
    struct estimate out = *e;
    double df = e->method == INTERVAL_POOLED ? e->df : e->n - 1;
    if (n < 2 || e->over == ESTIMATE_NOTHING || !(df > 0) || !isfinite(e->half))
        return out;
    double wider = t_test_quantile(1 - (1 - ESTIMATE_CONFIDENCE) / n, df) / t_test_quantile(ESTIMATE_CONFIDENCE, df);
    out.half *= wider;
    out.low = e->ratio * exp(-out.half);
    out.high = e->ratio * exp(out.half);
    return out;
}

/* What the interval says of 1, by the rule of verdicts: faster, slower, no difference within the margin, or open. */
static const char *position(struct arena *a, const struct estimate *e, double noise, enum evidence_clock clock)
{
    const struct verdict_claim side = {VERDICT_ABOVE, NAN, 1, 0, 0, 0, 0};
    const struct evidence x = {.source = EVIDENCE_MEASURED,
                               .clock = clock,
                               .ratio = e->ratio,
                               .low = e->low,
                               .high = e->high,
                               .noise = isnan(noise) ? 0 : noise,
                               .df = VERDICT_DF};
    struct verdict v = verdict_of(&side, &x);
    return e->over == ESTIMATE_NOTHING || v.finding == FINDING_NOT_MEASURED ? ""
           : v.finding == FINDING_FOR                                       ? ": clearly less"
           : v.finding == FINDING_AGAINST                                   ? ": clearly more"
           : v.finding == FINDING_NO_EFFECT ? arena_printf(a, ": no difference within %.1f %%", 100 * v.margin)
                                            : ": open whether less or more";
}

/* " [1.6 % less to 1.0 % more, over 2 seeds, 8 degrees of freedom]"; "" without one. */
static const char *interval(struct arena *a, const struct estimate *e, enum report_column c)
{
    if (e->over == ESTIMATE_NOTHING || !isfinite(e->low) || !isfinite(e->high))
        return "";
    const char *df = e->over == ESTIMATE_SEEDS
                         ? arena_printf(a, ", %.0f degree%s of freedom", e->df, fabs(e->df - 1) < 0.5 ? "" : "s")
                         : "";
    return arena_printf(a, " (95 %%: %s to %s, over %d %s%s)", report_summary_change(a, e->high),
                        report_summary_change(a, e->low), e->n, estimate_over_word(e, report_column_rows(c)), df);
}

/* ---- the arm that stands for the experiment ---- */

/* Its row of a table whose rows without a network are over networks, by the greatest value of the column where no arm
 * is declared; -1: none has one. *arms: how many it was chosen from. */
static int headline_row(const struct document *d, enum report_table t, enum report_column c, int *arms)
{
    bool declared = d->headline_arm && *d->headline_arm;
    int best = -1, n = 0;
    for (int i = 0; i < document_rows(d, t); i++) {
        double v = document_number_at(d, t, i, c);
        if (*document_text_at(d, t, i, COL_NETWORK) || isnan(v) ||
            (declared && !str_eq(document_text_at(d, t, i, COL_ARM), d->headline_arm)))
            continue;
        n++;
        if (best < 0 || v > document_number_at(d, t, best, c))
            best = i;
    }
    *arms = n;
    return best;
}

static struct estimate estimate_at(const struct document *d, enum report_table t, int row, enum report_column c,
                                   int arms)
{
    const struct estimate *e = document_ratio_at(d, t, row, c);
    return e ? at_once(e, arms)
             : (struct estimate){.ratio = document_number_at(d, t, row, c), .low = NAN, .high = NAN, .half = NAN};
}

static const char *chosen(const struct document *d, int arms)
{
    return arms > 1 ? arena_printf(d->a, " (the best of %d arms; its intervals hold for all of them at once)", arms)
                    : "";
}

/* "its kernels take 0.3 % less time (95 %: ...): no difference within 2 %; 25 of 64 are the same program". */
static const char *found_kernels(const struct document *d, int row, int arms, bool fine)
{
    enum report_column c = report_summary_headline(d);
    struct estimate e = estimate_at(d, TABLE_MEANS, row, c, arms);
    double noise = document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR);
    const char *change = report_summary_change(d->a, e.ratio), *same = "";
    int ties, pairs;
    document_ties(d, document_text_at(d, TABLE_MEANS, row, COL_ARM), "", &ties, &pairs);
    if (pairs && ties)
        same = arena_printf(d->a, "; %d of %d kernels end in the same program", ties, pairs);
    return fine ? arena_printf(d->a, "its kernels take %s time%s%s%s", change, interval(d->a, &e, c),
                               position(d->a, &e, noise, EVIDENCE_NO_CLOCK), same)
                : arena_printf(d->a, "there is no finding on its kernels (INVALID; as measured they take %s time)",
                               change);
}

static const char *found_search(const struct document *d, int row, bool fine)
{
    double search = document_number_at(d, TABLE_MEANS, row, COL_SEARCH_SPEEDUP_WALL);
    return isnan(search) ? ""
           : fine        ? arena_printf(d->a, "its search takes %.2f of the wall clock, and ", 1 / search)
                  : arena_printf(d->a, "there is no finding on its search time (INVALID; as measured %.2f of it), and ",
                                 1 / search);
}

/* ---- of a race ---- */

/* "takes 70 % less wall time (95 %: ...): less time". */
static const char *sooner(const struct document *d, int row, enum report_column c, const char *unit, int arms)
{
    struct estimate e = estimate_at(d, TABLE_RACE, row, c, arms);
    return arena_printf(d->a, "%s %s%s%s", report_summary_change(d->a, e.ratio), unit, interval(d->a, &e, c),
                        position(d->a, &e, 0, EVIDENCE_WALL));
}

static int mean_row(const struct document *d, const char *arm)
{
    for (int i = 0; i < document_rows(d, TABLE_MEANS); i++)
        if (str_eq(document_text_at(d, TABLE_MEANS, i, COL_ARM), arm))
            return i;
    return -1;
}

static const char *arrived(const struct document *d, const char *arm, const char *first)
{
    struct arrivals v = arrivals_of(d->a, d, arm, "");
    return v.runs ? arena_printf(d->a,
                                 " %d of its %d runs ever are as good as %s in the end (median); of %s's own, %d of %d "
                                 "are as good as the median of the others.",
                                 v.reached, v.runs, first, first, v.null_reached, v.null_runs)
                  : "";
}

/* The ratio that arXiv 2402.02361 calls a search speedup. Two arms of one searcher have one above 1, too. */
static const char *to_parity(const struct document *d, const char *arm, int arms)
{
    for (int i = 0; i < document_rows(d, TABLE_PARITY); i++)
        if (str_eq(document_text_at(d, TABLE_PARITY, i, COL_ARM), arm) &&
            !*document_text_at(d, TABLE_PARITY, i, COL_NETWORK)) {
            struct estimate e = estimate_at(d, TABLE_PARITY, i, COL_PARITY_MEAN, arms);
            bool known = e.over == ESTIMATE_SEEDS && isfinite(e.low) && isfinite(e.high);
            return isnan(e.ratio) ? ""
                   : known        ? arena_printf(d->a,
                                                 " The paper's ratio of search times to parity is %.2f (95 %%: %.2f to %.2f).",
                                                 e.ratio, e.low, e.high)
                           : arena_printf(d->a, " The paper's ratio of search times to parity is %.2f.", e.ratio);
        }
    return "";
}

static const char *race_found(const struct document *d)
{
    struct arena *a = d->a;
    int arms, row = headline_row(d, TABLE_RACE, COL_SOONER_WALL, &arms);
    const char *why, *first = report_summary_explorer(d);
    if (row < 0)
        return "No arm has valid programs for every kernel beside the first arm yet.";
    const char *arm = document_text_at(d, TABLE_RACE, row, COL_ARM);
    bool search = document_gates(d, VALIDITY_SEARCH, &why) != VERDICT_GATES_FAILED,
         kernels = document_gates(d, VALIDITY_KERNELS, &why) != VERDICT_GATES_FAILED, none = !search && !kernels;
    int mean = mean_row(d, arm);
    return arena_printf(
        a, "%s%s%s against %s: until the best that every run of both comes to, it takes %s%s, and %s.%s%s%s%s%s",
        none ? "INVALID: no finding. As measured, " : "", arm, chosen(d, arms), first,
        search || none ? "" : "(no finding on time: INVALID; as measured) ",
        sooner(d, row, COL_SOONER_WALL, "wall time", arms), sooner(d, row, COL_SOONER_TRIALS, "trials", arms),
        arrived(d, arm, first), search || none ? to_parity(d, arm, arms) : "", mean < 0 ? "" : " In the end ",
        mean < 0 ? "" : found_kernels(d, mean, arms, kernels || none), mean < 0 ? "" : ".");
}

enum report_column report_summary_effect(const struct document *d, int row)
{
    const struct estimate *e = document_ratio_at(d, TABLE_EFFECTS, row, COL_EFFECT_RETIMED);
    return e && isfinite(e->low) && isfinite(e->high) ? COL_EFFECT_RETIMED : COL_EFFECT;
}

/* "The same programs under layout=1 take 2.2 % more time (95 %: ...): clearly more; under ...". A condition that makes
 * no other program is seen as tuned only. */
static const char *effects_found(const struct document *d)
{
    const char *why, *all = document_gates(d, VALIDITY_KERNELS, &why) == VERDICT_GATES_FAILED
                                ? "INVALID: no finding. As measured, the same programs "
                                : "The same programs ";
    double noise = document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR);
    for (int i = 0; i < document_rows(d, TABLE_EFFECTS); i++) {
        enum report_column c = report_summary_effect(d, i);
        struct estimate e = estimate_at(d, TABLE_EFFECTS, i, c, 1);
        all = arena_printf(d->a, "%s%sunder %s take %s time%s%s%s", all, i ? "; " : "",
                           document_text_at(d, TABLE_EFFECTS, i, COL_CONDITION), report_summary_change(d->a, e.ratio),
                           c == COL_EFFECT ? " as tuned" : "", interval(d->a, &e, c),
                           position(d->a, &e, noise, EVIDENCE_NO_CLOCK));
    }
    return arena_printf(d->a, "%s.", all);
}

static const char *found(const struct document *d)
{
    struct arena *a = d->a;
    int arms, row = headline_row(d, TABLE_MEANS, report_summary_headline(d), &arms);
    const char *why;
    if (document_rows(d, TABLE_RACE))
        return race_found(d);
    if (document_rows(d, TABLE_EFFECTS))
        return effects_found(d);
    bool kernels = document_gates(d, VALIDITY_KERNELS, &why) != VERDICT_GATES_FAILED,
         search = document_gates(d, VALIDITY_SEARCH, &why) != VERDICT_GATES_FAILED, none = !kernels && !search;
    if (row < 0)
        return d->complete && str_eq(d->target, "imported")
                   ? "One log was imported: there is nothing to set it against."
                   : "No arm has valid programs for every kernel yet.";
    const char *over = document_text_at(d, TABLE_MEANS, row, COL_OVER),
               *unlike = document_text_at(d, TABLE_MEANS, row, COL_UNLIKE);
    if (*unlike)
        unlike = arena_printf(a, " (unlike: %s)", unlike);
    return arena_printf(a, "%s%s%s%s against the full run of %s: %s%s.",
                        none ? "INVALID: no finding. As measured, " : "",
                        document_text_at(d, TABLE_MEANS, row, COL_ARM), unlike, chosen(d, arms),
                        *over ? over : report_summary_explorer(d), found_search(d, row, search || none),
                        found_kernels(d, row, arms, kernels || none));
}

const char *report_summary_answer(const struct document *d, const struct experiment *e)
{
    struct text arms = {0};
    const char *why;
    int n = e->answer_networks.n ? document_rows(d, TABLE_DECLARED) : 0;
    bool yes = false, none = n > 0, valid = document_gates(d, VALIDITY_KERNELS, &why) != VERDICT_GATES_FAILED;
    for (int i = 0; i < n; i++) {
        struct estimate x = estimate_at(d, TABLE_DECLARED, i, COL_PAIR_KERNELS, n);
        bool known = x.over == ESTIMATE_SEEDS && isfinite(x.low) && isfinite(x.high);
        text_printf(&arms, "%s%s against %s %s", i ? ", " : "", document_text_at(d, TABLE_DECLARED, i, COL_ARM),
                    document_text_at(d, TABLE_DECLARED, i, COL_OVER),
                    isnan(x.ratio) ? "not known"
                    : known        ? arena_printf(d->a, "%.3f (%.3f to %.3f)", x.ratio, x.low, x.high)
                                   : arena_printf(d->a, "%.3f (no interval over seeds)", x.ratio));
        yes = yes || (known && x.ratio >= e->answer_above && x.low > 1);
        none = none && known && x.high <= e->answer_none;
    }
    return !e->answer_networks.n ? NULL
                                 : arena_printf(d->a, "%s: over %d network%s %s%s.",
                                                !valid ? "Open, since kernels are INVALID"
                                                : yes  ? "Yes, what this tier changes does it"
                                                : none ? "No, not under this tier"
                                                       : "Open",
                                                e->answer_networks.n, e->answer_networks.n == 1 ? "" : "s",
                                                n ? text_keep(&arms, d->a) : "no arm is done",
                                                n > 1 ? " (intervals for all of them at once)" : "");
}

const char *report_summary_rule(struct arena *a, const struct experiment *e)
{
    return !e->answer_networks.n
               ? NULL
               : arena_printf(a,
                              "%g or more of an arm with an interval above 1 is yes, intervals of all arms up to %g at "
                              "most are no",
                              e->answer_above, e->answer_none);
}

/* What keeps these numbers from saying anything about a claim; NULL: nothing does. */
static const char *bounds(const struct document *d)
{
    if (str_eq(d->target, "replay"))
        return "The target is a recording: no time passed, and its noise is not known.";
    if (str_eq(d->target, "imported"))
        return "The times are imported: they were measured elsewhere, and nothing was checked or measured here.";
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

/* ", the worst of 2 nodes (a: 0.6 %, b: 1.2 %)"; "" on one machine. */
static const char *nodes(const struct document *d)
{
    const char *all = "";
    int n = 0;
    for (int i = 0; i < document_rows(d, TABLE_DUELS); i++) {
        const char *arm = document_text_at(d, TABLE_DUELS, i, COL_ARM);
        double half = document_number_at(d, TABLE_DUELS, i, COL_HALF_WIDTH);
        if (!str_starts(arm, DUELS_ON_NODE))
            continue;
        arm += strlen(DUELS_ON_NODE);
        all = isfinite(half) ? arena_printf(d->a, "%s%s%s: %.1f %%", all, n ? ", " : "", arm, 100 * expm1(half))
                             : arena_printf(d->a, "%s%s%s: not measured", all, n ? ", " : "", arm);
        n++;
    }
    return n ? arena_printf(d->a, ", the worst of %d nodes (%s)", n, all) : "";
}

static const char *judged(const struct document *d, enum validity_about about)
{
    const char *reason, *what = about == VALIDITY_KERNELS ? "Kernels" : "Search time";
    double floor = document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR);
    enum verdict_gates gates = document_gates(d, about, &reason);
    const char *of_nodes = about == VALIDITY_KERNELS ? nodes(d) : "",
               *floors = about == VALIDITY_KERNELS && isfinite(floor)
                             ? arena_printf(d->a, ", the noise floor is %.1f %%", 100 * floor)
                             : "";
    return gates == VERDICT_GATES_PASSED   ? arena_printf(d->a, "%s: valid%s%s.", what, floors, of_nodes)
           : gates == VERDICT_GATES_FAILED ? arena_printf(d->a, "%s: INVALID, %s%s.", what, reason, of_nodes)
                                           : arena_printf(d->a, "%s: not judged, %s%s.", what, reason, of_nodes);
}

/* Is the spread between searches known well enough for a verdict in full? Of the headline's arm and column. */
static const char *spread(const struct document *d)
{
    bool race = document_rows(d, TABLE_RACE) > 0;
    enum report_table t = race ? TABLE_RACE : TABLE_MEANS;
    enum report_column c = race ? COL_SOONER_WALL : report_summary_headline(d);
    int arms, i = headline_row(d, t, c, &arms);
    const struct estimate *e = i < 0 ? NULL : document_ratio_at(d, t, i, c);
    if (d->seeds < 2)
        return " One seed: how searches differ by chance is not known, so ratios get no verdict.";
    return !e || e->df >= VERDICT_DF ? ""
                                     : arena_printf(d->a,
                                                    " The spread between seeds of that number has %.0f degree%s of "
                                                    "freedom; a verdict in full takes %d.",
                                                    e->df, fabs(e->df - 1) < 0.5 ? "" : "s", VERDICT_DF);
}

static const char *validity(const struct document *d)
{
    const char *also = bounds(d), *unlike = document_unlike_machines(d);
    if (unlike)
        unlike = arena_printf(d->a, " The shards are of unlike machines (%s); each search is of one.", unlike);
    return arena_printf(d->a, "%s %s%s%s%s%s", judged(d, VALIDITY_KERNELS), judged(d, VALIDITY_SEARCH),
                        document_rows(d, TABLE_COMPUTED_CLOCK) ? " Search times are computed." : "",
                        unlike ? unlike : "", also ? " " : "", also ? also : spread(d));
}

/* Experiment and tier, as a command line has them. */
static const char *name_of(const struct document *d)
{
    const char *asked = d->asked ? d->asked : d->experiment;
    return *d->tier ? arena_printf(d->a, "%s --tier %s", asked, d->tier) : asked;
}

/* Did others take too much of the CPUs while it searched? */
static bool is_disturbed(const struct document *d)
{
    for (int i = 0; i < document_rows(d, TABLE_GATES); i++)
        if (str_eq(document_text_at(d, TABLE_GATES, i, COL_GATE), validity_gate_word(GATE_CONTENTION)))
            return str_eq(document_text_at(d, TABLE_GATES, i, COL_STATE), validity_words[VERDICT_GATES_FAILED]);
    return false;
}

const char *report_summary_cure(const struct document *d, enum validity_about about)
{
    if (about == VALIDITY_KERNELS && !d->from_file)
        return arena_printf(d->a, "time the winners again on a quiet machine: raingauge run %s --retime", name_of(d));
    if (about == VALIDITY_SEARCH && !d->from_file && is_disturbed(d))
        return arena_printf(d->a, "search again, on a quiet machine: raingauge run %s --search-again", name_of(d));
    return arena_printf(d->a, "run it anew on a quiet machine: raingauge run %s --results FOLDER", name_of(d));
}

static const char *next(const struct document *d)
{
    struct arena *a = d->a;
    const char *name = name_of(d), *why;
    if (str_eq(d->target, "imported"))
        return "Next: `raingauge replay` runs programs of such a file here";
    if (!d->complete && document_unlike_machines(d))
        return arena_printf(a, "Next: raingauge run %s --shard, and merge --unlike (%s)", name, d->missing);
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

const char *report_summary_sharing(const struct document *d)
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
    const char *declared =
        d->answer ? arena_printf(d->a, "%s Declared before the run: %s. ", d->answer, d->answer_rule) : "";
    d->found = arena_printf(d->a, "%s%s%s", declared, found(d), report_summary_sharing(d));
    d->validity = validity(d);
    d->next = next(d);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* report_summary: of several arms the one with the fastest kernels is told. */
#include "harness/report/data/report_summary.h"

#include "harness/stats/verdict.h"

#include <ctype.h>
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
static const char *explorer(const struct document *d)
{
    return document_rows(d, TABLE_EXPLORERS) ? document_text_at(d, TABLE_EXPLORERS, 0, COL_ARM) : "the explorer";
}

static const char *found(const struct document *d)
{
    struct arena *a = d->a;
    int arms = document_rows(d, TABLE_MEANS), i = best_arm(d);
    enum report_column c = report_summary_headline(d);
    if (i < 0)
        return "No arm has valid programs for every kernel yet.";
    double search = document_number_at(d, TABLE_MEANS, i, COL_SEARCH_SPEEDUP_WALL);
    const char *searched =
        isnan(search) ? "" : arena_printf(a, " searched %.2f times as fast (wall clock), and", search);
    return arena_printf(a, "Against the full run of %s, %s%s%s its kernels are %.3f times as fast%s.", explorer(d),
                        document_text_at(d, TABLE_MEANS, i, COL_ARM),
                        arms > 1 ? arena_printf(a, " (the fastest of %d arms)", arms) : "", *searched ? searched : ":",
                        document_number_at(d, TABLE_MEANS, i, c),
                        interval(a, document_ratio_at(d, TABLE_MEANS, i, c), c));
}

/* What keeps these numbers from saying anything about a claim; NULL: nothing does. */
static const char *bounds(const struct document *d)
{
    return d->is_virtual         ? "The target is virtual: times come from a formula and say nothing about any claim."
           : !document_judges(d) ? "Tier smoke shows that it runs; it says nothing about any claim."
                                 : NULL;
}

static const char *validity(const struct document *d)
{
    struct arena *a = d->a;
    double floor = document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR);
    const char *state = document_text_at(d, TABLE_NOISE, 0, COL_STATE);
    const char *reason = document_text_at(d, TABLE_NOISE, 0, COL_REASON);
    const char *also = bounds(d);
    const char *seeds =
        d->seeds < VERDICT_DIRECTION
            ? arena_printf(a, " %lld seed%s: too few for a verdict (%d for a direction, %d for a size).",
                           (long long)d->seeds, d->seeds == 1 ? "" : "s", VERDICT_DIRECTION, VERDICT_FULL)
            : "";
    const char *said = !d->valid ? arena_printf(a, "INVALID: %s.", d->invalid ? d->invalid : "a gate failed")
                       : str_eq(state, "passed")
                           ? arena_printf(a, "Valid: all gates passed, the noise floor is %.1f %%.", 100 * floor)
                           : arena_printf(a, "Not judged: %s.", *reason ? reason : "there is no noise floor");
    return arena_printf(a, "%s%s%s%s", said, also ? " " : "", also ? also : "", also ? "" : seeds);
}

static const char *next(const struct document *d)
{
    struct arena *a = d->a;
    const char *name = *d->tier ? arena_printf(a, "%s --tier %s", d->experiment, d->tier) : d->experiment;
    if (!d->complete)
        return arena_printf(a, "Next: raingauge run %s --resume (%s)", name, d->missing ? d->missing : "not complete");
    if (d->is_virtual)
        return "Next: run it on a real target, without --set target";
    if (!document_judges(d))
        return arena_printf(a, "Next: raingauge run %s --tier short", d->experiment);
    if (!d->valid)
        return arena_printf(a, "Next: raingauge run %s%s, on a quiet machine", name, d->from_file ? "" : " --retime");
    return *d->paper ? arena_printf(a, "Next: raingauge claims %s", d->paper)
                     : arena_printf(a, "Next: raingauge report %s --write", name);
}

void report_summary_fill(struct document *d)
{
    const char *said = found(d);
    d->found = d->valid ? said
                        : arena_printf(d->a, "INVALID: no finding. As measured: %c%s", tolower((unsigned char)*said),
                                       said + 1);
    d->validity = validity(d);
    d->next = next(d);
}

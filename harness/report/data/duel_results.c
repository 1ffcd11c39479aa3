/* SPDX-License-Identifier: Apache-2.0 */
/* duel_results: the same intervals that ended the launches (harness/tune/duel_run.c), from the same seed. */
#include "harness/report/data/duel_results.h"

#include <math.h>

struct duel_gate duel_gate(struct arena *a, const struct duel_interval *null, double asked, bool awaited)
{
    struct duel_gate g = {.state = VERDICT_GATES_UNKNOWN, .null = *null, .asked = asked, .cure = "--resume"};
    if (awaited) {
        g.reason = "the duels are not finished";
    } else if (null->kernels == 0 || !isfinite(null->half_width)) {
        g.reason = "no null pair was timed";
    } else if (duel_null_fails(null, asked)) {
        g.state = VERDICT_GATES_FAILED;
        g.reason = arena_printf(a, "programs against themselves differ by %+.2f %%, 95 %% interval %+.2f to %+.2f %%",
                                100 * (null->ratio - 1), 100 * (null->low - 1), 100 * (null->high - 1));
        g.cure = "--retime";
    } else if (null->half_width > asked) {
        g.reason =
            arena_printf(a, "the interval of the null pairs is %.2f %% wide to either side, and %.2f %% was asked",
                         100 * null->half_width, 100 * asked);
        g.cure = "--retime";
    } else {
        g.state = VERDICT_GATES_PASSED;
        g.cure = NULL;
    }
    return g;
}

static bool is_null(const struct duel_contrast *c)
{
    return !c->arm;
}

/* Adds the contrasts of one split; the null pairs' interval to *null. */
static void add_split(const struct records *r, enum duel_split split, struct duel_result *out, int *n,
                      struct duel_interval *null)
{
    struct duel_contrasts sums, calls;
    duel_contrasts_make(r->a, &r->duels, false, split, &sums);
    duel_contrasts_make(r->a, &r->duels, true, split, &calls);
    int most = sums.set.ncontrasts;
    struct duel_interval *one = ARENA_ARRAY(r->a, struct duel_interval, most + 1),
                         *other = ARENA_ARRAY(r->a, struct duel_interval, most + 1);
    duel_intervals(r->a, &sums.set, DUEL_DRAWS, 1, one);
    duel_intervals(r->a, &calls.set, DUEL_DRAWS, 1, other);
    for (int i = 0; i < most; i++) {
        if (is_null(&sums.at[i]))
            *null = one[i];
        else
            out[(*n)++] = (struct duel_result){sums.at[i], one[i], other[i]};
    }
}

static int count_contrasts(const struct records *r)
{
    struct duel_contrasts all, split;
    duel_contrasts_make(r->a, &r->duels, false, DUEL_ALL, &all);
    duel_contrasts_make(r->a, &r->duels, false, DUEL_BY_NETWORK, &split);
    return all.set.ncontrasts + split.set.ncontrasts;
}

bool duel_results_make(const struct records *r, double asked, struct duel_results *out, struct err *err)
{
    struct duel_interval null = {.ratio = NAN, .low = NAN, .high = NAN, .half_width = NAN};
    struct duel_result *at = ARENA_ARRAY(r->a, struct duel_result, count_contrasts(r) + 1);
    *out = (struct duel_results){.at = at};
    if (!duel_awaited(r->s, &out->awaited, err) || !duel_count_processes(r->s, &out->processes, &out->failed, err))
        return false;
    add_split(r, DUEL_ALL, at, &out->n, &null);
    add_split(r, DUEL_BY_NETWORK, at, &out->n, &null);
    out->gate = duel_gate(r->a, &null, asked, out->awaited);
    return true;
}

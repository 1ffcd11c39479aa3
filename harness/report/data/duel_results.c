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

enum { SETS = 4 }; /* over networks and of each; each once by kernels and once by calls */

bool duel_results_make(const struct records *r, double asked, struct duel_results *out, struct err *err)
{
    struct duel_interval null = {.ratio = NAN, .low = NAN, .high = NAN, .half_width = NAN};
    struct duel_contrasts made[SETS];
    const struct duel_set *sets[SETS];
    struct duel_interval *intervals[SETS];
    int n = 0;
    for (int i = 0; i < SETS; i++) {
        duel_contrasts_make(r->a, &r->duels, i % 2, i < 2 ? DUEL_ALL : DUEL_BY_NETWORK, &made[i]);
        sets[i] = &made[i].set;
        n += sets[i]->ncontrasts;
        intervals[i] = ARENA_ARRAY(r->a, struct duel_interval, sets[i]->ncontrasts + 1);
    }
    struct duel_result *at = ARENA_ARRAY(r->a, struct duel_result, n + 1);
    *out = (struct duel_results){.at = at};
    if (!duel_awaited(r->s, &out->awaited, err) || !duel_count_processes(r->s, &out->processes, &out->failed, err))
        return false;
    duel_intervals_each(r->a, sets, SETS, DUEL_DRAWS, 1, intervals);
    for (int i = 0; i < SETS; i += 2)
        for (int c = 0; c < sets[i]->ncontrasts; c++)
            if (is_null(&made[i].at[c]))
                null = intervals[i][c];
            else
                at[out->n++] = (struct duel_result){made[i].at[c], intervals[i][c], intervals[i + 1][c]};
    out->gate = duel_gate(r->a, &null, asked, out->awaited);
    return true;
}

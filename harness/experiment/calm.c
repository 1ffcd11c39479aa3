/* SPDX-License-Identifier: Apache-2.0 */
/* calm: network sums rather than single kernels, since claims are about sums, in which the noise of kernels averages.
 */
#include "harness/experiment/calm.h"

#include "harness/base/text.h"
#include "harness/stats/noise.h"
#include "harness/stats/summary.h"

#include <math.h>

static bool usable(const double *sum, int rounds)
{
    for (int r = 0; r < rounds; r++)
        if (!(sum[r] > 0) || !isfinite(sum[r]))
            return false;
    return true;
}

struct calm calm_of(struct arena *a, const double *sums, int nsums, int rounds)
{
    struct calm out = {.floor = NAN, .drift = NAN, .gates = VERDICT_GATES_UNKNOWN};
    double *ratios = ARENA_ARRAY(a, double, nsums *rounds + 1), *drifts = ARENA_ARRAY(a, double, nsums + 1);
    int n = 0;
    for (int c = 0; c < nsums && rounds > 1; c++) {
        const double *sum = sums + (long)c * rounds;
        if (!usable(sum, rounds))
            continue;
        for (int r = 1; r < rounds; r++)
            ratios[out.pairs++] = sum[r] / sum[r - 1];
        drifts[n++] = sum[rounds - 1] / sum[0];
    }
    out.reason = "no winner was launched twice";
    if (n == 0)
        return out;
    out.floor = noise_floor(ratios, out.pairs);
    out.drift = summary_geomean(drifts, n);
    bool still = fabs(log(out.drift)) < log1p(CALM_DRIFT);
    out.gates = still ? VERDICT_GATES_PASSED : VERDICT_GATES_FAILED;
    out.reason = still ? NULL
                       : arena_printf(a, "the same winners drifted by %+.1f %% from the first to the last round",
                                      100 * (out.drift - 1));
    return out;
}

/* Launches of the best record of a task; 0: none. */
static bool launches_of(struct arena *a, struct store *s, int cell, int task, struct store_final **out, int *n,
                        struct err *err)
{
    struct record best;
    bool found;
    *n = 0;
    if (!store_best(s, a, cell, task, 0, &best, &found, err))
        return false;
    return !found || store_finals(s, a, best.id, out, n, err);
}

/* Adds the launches of a cell's winners to its sums; *rounds: launches that all have. */
static bool read_cell(struct arena *a, struct store *s, int cell, const struct store_cell *c, double *sums, int most,
                      int *rounds, struct err *err)
{
    *rounds = most;
    for (int t = 0; t < c->ntasks; t++) {
        struct store_final *f;
        int n;
        if (!launches_of(a, s, cell, t, &f, &n, err))
            return false;
        *rounds = n < *rounds ? n : *rounds;
        for (int r = 0; r < *rounds; r++)
            sums[r] += f[r].sample.outcome == OUTCOME_OK ? sample_mean(&f[r].sample) : NAN;
    }
    return true;
}

bool calm_read(struct arena *a, struct store *s, struct calm *out, struct err *err)
{
    enum { MOST = 64 };
    struct store_cell *cells;
    int ncells, kept = 0, rounds = MOST, of_cell;
    if (!store_cells(s, a, &cells, &ncells, err))
        return false;
    double *all = ARENA_ARRAY(a, double, ncells *MOST + 1), *sums = ARENA_ARRAY(a, double, ncells *MOST + 1);
    for (int i = 0; i < ncells; i++) {
        if (!str_eq(cells[i].state, "done") || cells[i].ntasks == 0)
            continue;
        double *here = all + (long)kept * MOST;
        for (int r = 0; r < MOST; r++)
            here[r] = 0;
        if (!read_cell(a, s, i, &cells[i], here, MOST, &of_cell, err))
            return false;
        if (of_cell < 2)
            continue;
        rounds = of_cell < rounds ? of_cell : rounds;
        kept++;
    }
    for (int c = 0; c < kept; c++)
        for (int r = 0; r < rounds; r++)
            sums[c * rounds + r] = all[c * MOST + r];
    *out = calm_of(a, sums, kept, kept ? rounds : 0);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* validity: network sums rather than single kernels, since claims are about sums, in which the noise of kernels
 * averages; for the same reason it is the mean of an arm's networks and of the twins' readings that make the floor. */
#include "harness/report/data/validity.h"

#include "harness/base/text.h"
#include "harness/record/tally.h"
#include "harness/report/data/arm_result.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>

static bool usable(const double *sum, int rounds)
{
    for (int r = 0; r < rounds; r++)
        if (!(sum[r] > 0) || !isfinite(sum[r]))
            return false;
    return true;
}

/* Neighbouring rounds of the sums of one arm (all: of every one). */
static int pairs_of(const struct validity_sums *all, const char *arm, double *ratios)
{
    int n = 0;
    for (int c = 0; c < all->n && all->rounds > 1; c++) {
        const double *sum = all->seconds + (long)c * all->rounds;
        if (!usable(sum, all->rounds) || (arm && !str_eq(all->arms[c], arm)))
            continue;
        for (int r = 1; r < all->rounds; r++)
            ratios[n++] = sum[r] / sum[r - 1];
    }
    return n;
}

/* How far the drift may be from 1 by noise alone: half its 95 % interval; 0 of one sum. */
static double slack_of(double *drifts, int n)
{
    for (int i = 0; i < n; i++)
        drifts[i] = log(drifts[i]);
    return n > 1 ? t_test_quantile(0.95, n - 1) * summary_sd(drifts, n) / sqrt(n) : 0;
}

struct validity validity_of(struct arena *a, const struct validity_sums *sums)
{
    struct validity out = {
        .floor = NAN, .rounds = NAN, .drift = NAN, .twin_drift = NAN, .gates = VERDICT_GATES_UNKNOWN};
    int most = sums->n * sums->rounds + 1, n = 0;
    double *ratios = ARENA_ARRAY(a, double, most), *drifts = ARENA_ARRAY(a, double, most);
    for (int i = 0; i < AA_STAGES; i++)
        out.stages[i].reading = out.stages[i].mean = NAN;
    out.pairs = pairs_of(sums, NULL, ratios);
    if (out.pairs == 0)
        return out;
    out.rounds = noise_floor_of(ratios, out.pairs);
    for (int c = 0; c < sums->n; c++) {
        const double *sum = sums->seconds + (long)c * sums->rounds;
        int of_arm = pairs_of(sums, sums->arms[c], ratios);
        if (of_arm)
            out.floor = fmax(out.floor, fmin(out.rounds, noise_floor_mean(ratios, of_arm)));
        if (usable(sum, sums->rounds))
            drifts[n++] = sum[sums->rounds - 1] / sum[0];
    }
    out.drift = summary_geomean(drifts, n);
    out.slack = slack_of(drifts, n);
    return out;
}

/* ---- twins ---- */

static double reading_of(const struct aa_reading *r, int n, int twin, int arm, int launch)
{
    for (int i = 0; i < n; i++)
        if (r[i].program == twin && r[i].arm == arm && r[i].launch == launch && r[i].sample.outcome == OUTCOME_OK)
            return arm_result_reading(&r[i].sample);
    return NAN;
}

void validity_stage_of(const struct aa_reading *r, int n, struct validity_stage *out)
{
    double single[AA_PROGRAMS_MOST * AA_LAUNCHES];
    out->twins = out->pairs = 0;
    for (int t = 0; t < AA_PROGRAMS_MOST; t++) {
        double both[AA_ARMS * AA_LAUNCHES];
        int n2 = 0;
        for (int l = 0; l < AA_LAUNCHES; l++) {
            double a = reading_of(r, n, t, 0, l), b = reading_of(r, n, t, 1, l);
            if (!(a > 0) || !(b > 0))
                continue;
            single[out->pairs++] = a / b;
            both[n2++] = a;
            both[n2++] = b;
        }
        out->times[t] = n2 ? summary_median(both, n2) : NAN;
        out->twins += n2 > 0;
    }
    out->measured = out->twins > 0;
    out->reading = noise_floor_of(single, out->pairs);
    out->mean = noise_floor_mean(single, out->pairs);
}

static double drift_of(const struct validity_stage *before, const struct validity_stage *after)
{
    double ratios[AA_PROGRAMS_MOST];
    int n = 0;
    for (int t = 0; t < AA_PROGRAMS_MOST && before->measured && after->measured; t++)
        if (before->times[t] > 0 && after->times[t] > 0)
            ratios[n++] = after->times[t] / before->times[t];
    return n ? summary_geomean(ratios, n) : NAN;
}

/* ---- gates ---- */

static const struct {
    const char *word, *title;
} gates[GATE_COUNT] = {
    [GATE_FLOOR] = {"floor", "A/A floor of a mean"},
    [GATE_SHIFT] = {"shift", "A/A floor of a reading after the campaign against before, wider over narrower"},
    [GATE_TWINS] = {"twins", "drift of the same programs from before the campaign to after it"},
    [GATE_ROUNDS] = {"rounds", "drift of the winners from the first to the last round of the shoot-out"},
    [GATE_FAILED] = {"failed", "readings in fresh processes that gave no time"},
    [GATE_PEAK] = {"peak", "the machine's peak before and after, lower over higher"},
    [GATE_OTHERS] = {"others", "CPU time of the machine that other programs and its host took during the searches"},
};

const char *validity_gate_word(enum validity_gates g)
{
    return gates[g].word;
}

const char *validity_gate_title(enum validity_gates g)
{
    return gates[g].title;
}

static void put_gate(struct validity *c, enum validity_gates g, double value, double limit, bool good)
{
    c->gate[g] = (struct validity_gate){.value = value,
                                        .limit = limit,
                                        .state = isnan(value) ? VERDICT_GATES_UNKNOWN
                                                 : good       ? VERDICT_GATES_PASSED
                                                              : VERDICT_GATES_FAILED};
}

/* Up and down alike: by its log. The limit is that of the drift's direction: -17 % for +20 %. */
static void put_drift(struct validity *c, enum validity_gates g, double ratio, double most)
{
    put_gate(c, g, ratio - 1, expm1(ratio < 1 ? -most : most), fabs(log(ratio)) < most);
}

/* A floor that is below what counts as a tie anyway has not shifted. */
static double change_point_of(const struct validity_stage *before, const struct validity_stage *after)
{
    double wide = fmax(before->reading, after->reading), narrow = fmin(before->reading, after->reading);
    if (!before->measured || !after->measured)
        return NAN;
    return fmax(wide, VALIDITY_DRIFT) / fmax(narrow, VALIDITY_DRIFT);
}

static void read_gates(struct validity *c)
{
    const struct validity_stage *before = &c->stages[AA_BEFORE], *after = &c->stages[AA_AFTER];
    double shift = change_point_of(before, after), tie = noise_floor_tie(fmax(before->mean, after->mean));
    double failed = c->readings ? (double)c->failed / c->readings : NAN;
    double peaks = before->peak_flops > 0 && after->peak_flops > 0
                       ? fmin(before->peak_flops, after->peak_flops) / fmax(before->peak_flops, after->peak_flops)
                       : NAN;
    const struct cpu_contention *o = &c->others;
    double others = o->whole_s > 0 ? fmax(0, o->others_s + o->stolen_s) / o->whole_s : NAN;
    put_gate(c, GATE_FLOOR, c->floor, VALIDITY_FLOOR, c->floor <= VALIDITY_FLOOR);
    put_gate(c, GATE_SHIFT, shift, VALIDITY_SHIFT, shift <= VALIDITY_SHIFT);
    put_drift(c, GATE_TWINS, c->twin_drift, log1p(tie));
    put_drift(c, GATE_ROUNDS, c->drift, log1p(VALIDITY_DRIFT) + c->slack);
    put_gate(c, GATE_FAILED, failed, VALIDITY_FAILED, failed <= VALIDITY_FAILED);
    put_gate(c, GATE_PEAK, peaks, VALIDITY_PEAK, peaks >= VALIDITY_PEAK);
    put_gate(c, GATE_OTHERS, others, VALIDITY_OTHERS, others <= VALIDITY_OTHERS);
}

static const char *failure(struct arena *a, const struct validity *c, enum validity_gates g)
{
    double percent = 100 * c->gate[g].value;
    switch (g) {
    case GATE_FLOOR:
        return arena_printf(a, "the A/A floor is %.1f %%, more than %.0f %%", percent, 100 * VALIDITY_FLOOR);
    case GATE_SHIFT:
        return arena_printf(a, "the A/A floor of a reading was %.1f %% before and %.1f %% after",
                            100 * c->stages[AA_BEFORE].reading, 100 * c->stages[AA_AFTER].reading);
    case GATE_TWINS:
        return arena_printf(a, "the same programs drifted by %+.1f %% from before to after, beyond %+.1f %%", percent,
                            100 * c->gate[g].limit);
    case GATE_ROUNDS:
        return arena_printf(a, "the same winners drifted by %+.1f %% from the first to the last round, beyond %+.1f %%",
                            percent, 100 * c->gate[g].limit);
    case GATE_FAILED:
        return arena_printf(a, "%d of %d readings in fresh processes gave no time", c->failed, c->readings);
    case GATE_OTHERS:
        return arena_printf(a,
                            "other programs and the machine's host took %.1f %% of its CPU time during the searches, "
                            "more than %.0f %%",
                            percent, 100 * VALIDITY_OTHERS);
    default:
        return arena_printf(a, "the machine's peak was %.3g FLOP/s before and %.3g after",
                            c->stages[AA_BEFORE].peak_flops, c->stages[AA_AFTER].peak_flops);
    }
}

void validity_judge(struct arena *a, struct validity *c)
{
    c->twin_drift = drift_of(&c->stages[AA_BEFORE], &c->stages[AA_AFTER]);
    for (int i = 0; i < AA_STAGES; i++)
        c->floor = fmax(c->floor, c->stages[i].mean); /* NaN is no number to fmax: what was measured counts */
    c->single = fmax(c->rounds, c->floor);
    read_gates(c);
    c->gates = isnan(c->drift) && isnan(c->twin_drift) ? VERDICT_GATES_UNKNOWN : VERDICT_GATES_PASSED;
    c->reason = c->gates == VERDICT_GATES_PASSED ? NULL : "no winner was launched twice";
    if (c->awaited && c->gates == VERDICT_GATES_PASSED) {
        c->gates = VERDICT_GATES_UNKNOWN;
        c->reason = "the shoot-out is not finished";
    }
    for (int g = GATE_COUNT - 1; g >= 0; g--)
        if (c->gate[g].state == VERDICT_GATES_FAILED) {
            c->gates = VERDICT_GATES_FAILED;
            c->reason = failure(a, c, (enum validity_gates)g);
        }
}

/* ---- from the records ---- */

/* Launches of the best record of a task; *found: it has one. */
static bool launches_of(struct arena *a, struct store *s, int cell, int task, struct store_retiming **out, int *n,
                        bool *found, struct err *err)
{
    struct record best;
    return store_best(s, a, (struct store_part){cell, task, 0}, &best, found, err) &&
           (!*found || store_retimings(s, a, best.id, out, n, err));
}

/* Adds the launches of a cell's winners to its sums; *rounds: launches that all have. A kernel without a record of this
 * cell (its seed was the whole space) is in no round. */
static bool read_cell(struct arena *a, struct store *s, int cell, const struct store_cell *c, double *sums, int most,
                      int *rounds, struct err *err)
{
    *rounds = most;
    for (int t = 0; t < c->ntasks; t++) {
        struct store_retiming *f;
        int n;
        bool found;
        if (!launches_of(a, s, cell, t, &f, &n, &found, err))
            return false;
        if (!found)
            continue;
        *rounds = n < *rounds ? n : *rounds;
        for (int r = 0; r < *rounds; r++)
            sums[r] += f[r].sample.outcome == OUTCOME_OK ? arm_result_reading(&f[r].sample) : NAN;
    }
    return true;
}

static bool read_twins(struct arena *a, struct store *s, struct validity *out, struct err *err)
{
    for (int i = 0; i < AA_STAGES; i++) {
        struct aa_reading *r;
        struct aa_done done;
        int n;
        if (!aa_stage_get(s, (enum aa_stage)i, &done, err) || !aa_readings(s, a, (enum aa_stage)i, &r, &n, err))
            return false;
        if (!done.done)
            continue;
        validity_stage_of(r, n, &out->stages[i]);
        out->stages[i].peak_flops = done.peak_flops;
        out->stages[i].unix_s = done.unix_s;
    }
    return true;
}

bool validity_read(struct arena *a, struct store *s, struct validity *out, struct err *err)
{
    enum { MOST = RETIMING_LAUNCHES };
    struct store_cell *cells;
    int ncells, kept = 0, rounds = MOST, of_cell;
    if (!store_cells(s, a, &cells, &ncells, err))
        return false;
    double *all = ARENA_ARRAY(a, double, ncells *MOST + 1), *sums = ARENA_ARRAY(a, double, ncells *MOST + 1);
    const char **arms = ARENA_ARRAY(a, const char *, ncells + 1);
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
        arms[kept++] = cells[i].arm;
    }
    for (int c = 0; c < kept; c++)
        for (int r = 0; r < rounds; r++)
            sums[c * rounds + r] = all[c * MOST + r];
    *out = validity_of(a, &(struct validity_sums){sums, arms, kept, kept ? rounds : 0});
    if (!read_twins(a, s, out, err) || !aa_count_readings(s, &out->readings, &out->failed, err) ||
        !aa_awaited(s, &out->awaited, err) || !retiming_archive_get(s, &out->aside, err) ||
        !tally_others(s, &out->others, err))
        return false;
    validity_judge(a, out);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* validity: network sums rather than single kernels, since claims are about sums, in which the noise of kernels
 * averages; for the same reason the floor is of the mean over an arm's networks and over the A/A test's readings. */
#include "harness/report/data/validity.h"

#include "harness/base/text.h"
#include "harness/record/tally.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

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

/* Which half of n rounds round r belongs to: in turns where n is odd, else first and last against the two between
 * them, over and over. Either way a steady drift meets both halves alike, but for the last two of 2, 6, 10 ... rounds.
 */
static bool second_half(int r, int n)
{
    return n % 2 ? r % 2 : r % 4 == 1 || r % 4 == 2;
}

static double halves_of(const double *sum, int rounds)
{
    double total[2] = {0};
    int n[2] = {0};
    for (int r = 0; r < rounds; r++) {
        total[second_half(r, rounds)] += log(sum[r]);
        n[second_half(r, rounds)]++;
    }
    return exp(total[1] / n[1] - total[0] / n[0]);
}

struct validity validity_of(struct arena *a, const struct validity_sums *sums)
{
    struct validity out = {.floor = NAN, .rounds = NAN, .halves = NAN, .drift = NAN, .aa_drift = NAN};
    int most = sums->n * sums->rounds + 1, n = 0;
    double *ratios = ARENA_ARRAY(a, double, most), *drifts = ARENA_ARRAY(a, double, most),
           *halves = ARENA_ARRAY(a, double, most);
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
        if (!usable(sum, sums->rounds))
            continue;
        halves[n] = halves_of(sum, sums->rounds);
        drifts[n++] = sum[sums->rounds - 1] / sum[0];
    }
    out.drift = summary_geomean(drifts, n);
    out.halves = summary_geomean(halves, n);
    return out;
}

/* ---- the A/A test ---- */

static double reading_of(const struct aa_reading *r, int n, int program, int arm, int launch)
{
    for (int i = 0; i < n; i++)
        if (r[i].program == program && r[i].arm == arm && r[i].launch == launch && r[i].sample.outcome == OUTCOME_OK)
            return records_reading(&r[i].sample);
    return NAN;
}

void validity_stage_of(const struct aa_reading *r, int n, struct validity_stage *out)
{
    double single[AA_PROGRAMS_MOST * AA_LAUNCHES];
    out->programs = out->pairs = 0;
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
        out->programs += n2 > 0;
    }
    out->measured = out->programs > 0;
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
    enum validity_about about;
} gates[GATE_COUNT] = {
    [GATE_FLOOR] = {"floor", "noise floor of a mean", VALIDITY_KERNELS},
    [GATE_HALVES] = {"halves", "the same programs in one half of the re-timing's rounds against the other",
                     VALIDITY_KERNELS},
    [GATE_AA_DRIFT] = {"aa_drift", "drift of the A/A programs from before the campaign to after it", VALIDITY_KERNELS},
    [GATE_FAILED] = {"failed", "readings in fresh processes that gave no time", VALIDITY_KERNELS},
    [GATE_PEAK] = {"peak", "the machine's peak before and after, lower over higher", VALIDITY_KERNELS},
    [GATE_NULL] = {"null", "programs timed against themselves in the same launches: does the interval hold 1",
                   VALIDITY_KERNELS},
    [GATE_PHASES] = {"phases", "time of the searches that no phase accounts for", VALIDITY_SEARCH},
    [GATE_CONTENTION] = {"contention",
                         "CPU time of the machine that other programs and its host took during the "
                         "searches",
                         VALIDITY_SEARCH},
};

const char *validity_gate_word(enum validity_gates g)
{
    return gates[g].word;
}

const char *validity_gate_title(enum validity_gates g)
{
    return gates[g].title;
}

enum validity_about validity_gate_about(enum validity_gates g)
{
    return gates[g].about;
}

const char *validity_about_word(enum validity_about a)
{
    static const char *const words[VALIDITY_ABOUTS] = {"kernels", "search time"};
    return words[a];
}

static void put_gate(struct validity *c, enum validity_gates g, double value, double limit, bool good)
{
    c->gate[g] = (struct validity_gate){.absent = c->gate[g].absent,
                                        .value = value,
                                        .limit = limit,
                                        .state = isnan(value) ? VERDICT_GATES_UNKNOWN
                                                 : good       ? VERDICT_GATES_PASSED
                                                              : VERDICT_GATES_FAILED};
}

/* Up and down alike: by its log. The limit is that of the drift's direction: -17 % for +20 %. */
static void put_drift(struct validity *c, enum validity_gates g, double ratio, double most)
{
    put_gate(c, g, ratio - 1, ratio < 1 ? 1 / (1 + most) - 1 : most, fabs(log(ratio)) < log1p(most));
}

static void read_gates(struct validity *c)
{
    const struct validity_stage *before = &c->stages[AA_BEFORE], *after = &c->stages[AA_AFTER];
    double failed = c->readings ? (double)c->failed / c->readings : NAN;
    double peaks = before->peak_flops > 0 && after->peak_flops > 0
                       ? fmin(before->peak_flops, after->peak_flops) / fmax(before->peak_flops, after->peak_flops)
                       : NAN;
    const struct cpu_contention *o = &c->contention;
    double taken = o->whole_s > 0 ? fmax(0, o->others_s + o->stolen_s) / o->whole_s : NAN;
    double lost = c->wall_s > 0 ? fabs(c->wall_s - c->booked_s) / c->wall_s : NAN;
    put_gate(c, GATE_FLOOR, c->floor, VALIDITY_FLOOR, c->floor <= VALIDITY_FLOOR);
    put_drift(c, GATE_HALVES, c->halves, VALIDITY_HALVES);
    put_drift(c, GATE_AA_DRIFT, c->aa_drift, VALIDITY_DRIFT);
    put_gate(c, GATE_FAILED, failed, VALIDITY_FAILED, failed <= VALIDITY_FAILED);
    put_gate(c, GATE_PEAK, peaks, VALIDITY_PEAK, peaks >= VALIDITY_PEAK);
    put_gate(c, GATE_PHASES, lost, VALIDITY_PHASES, lost <= VALIDITY_PHASES);
    put_gate(c, GATE_CONTENTION, taken, VALIDITY_CONTENTION, taken <= VALIDITY_CONTENTION);
}

/* What duels have made needless: floors and drifts of readings that are not paired, and the peak. */
static void read_duel_gate(struct validity *c)
{
    static const enum validity_gates GONE[] = {GATE_FLOOR, GATE_HALVES, GATE_AA_DRIFT, GATE_PEAK};
    const struct duel_gate *g = &c->duels.gate;
    c->gate[GATE_NULL].absent = !c->has_duels;
    for (int i = 0; i < (int)(sizeof GONE / sizeof *GONE); i++)
        c->gate[GONE[i]].absent = c->has_duels;
    if (c->has_duels)
        c->gate[GATE_NULL] =
            (struct validity_gate){.value = log(g->null.ratio), .limit = g->null.half_width, .state = g->state};
}

static const char *failure(struct arena *a, const struct validity *c, enum validity_gates g)
{
    double percent = 100 * c->gate[g].value, limit = 100 * c->gate[g].limit;
    switch (g) {
    case GATE_FLOOR:
        return arena_printf(a, "the noise floor is %.1f %%, more than %.0f %%", percent, limit);
    case GATE_HALVES:
        return arena_printf(a,
                            "the same programs differ by %+.1f %% from one half of the re-timing's rounds to the "
                            "other, beyond %+.1f %%",
                            percent, limit);
    case GATE_AA_DRIFT:
        return arena_printf(a, "the A/A programs drifted by %+.1f %% from before to after, beyond %+.1f %%", percent,
                            limit);
    case GATE_FAILED:
        return arena_printf(a, "%d of %d readings in fresh processes gave no time", c->failed, c->readings);
    case GATE_PHASES:
        return arena_printf(a, "%.1f %% of the searches' time is in no phase, more than %.0f %%", percent, limit);
    case GATE_CONTENTION:
        return arena_printf(a,
                            "other programs and the machine's host took %.1f %% of its CPU time during the searches, "
                            "more than %.0f %%",
                            percent, limit);
    case GATE_NULL:
        return c->duels.gate.reason;
    default:
        return arena_printf(a, "the machine's peak was %.3g FLOP/s before and %.3g after",
                            c->stages[AA_BEFORE].peak_flops, c->stages[AA_AFTER].peak_flops);
    }
}

/* What keeps an aspect from having passed though no gate failed; NULL: nothing. */
static const char *unread(const struct validity *c, enum validity_about about)
{
    if (about == VALIDITY_KERNELS && c->has_duels && c->duels.gate.state == VERDICT_GATES_UNKNOWN)
        return c->duels.gate.reason;
    if (about == VALIDITY_KERNELS)
        return !c->has_duels && isnan(c->halves) && isnan(c->aa_drift) ? "no program was launched twice"
               : c->awaited                                            ? "the re-timing is not finished"
                                                                       : NULL;
    return !(c->wall_s > 0)               ? "no time of a search was booked"
           : !(c->contention.whole_s > 0) ? "what others took of the CPU time was not recorded"
                                          : NULL;
}

/* The floor of runs with duels is what the null pairs leave open. */
static void floor_of_duels(struct validity *c)
{
    c->floor = c->rounds = c->single = expm1(c->duels.gate.null.half_width);
    c->halves = c->aa_drift = NAN;
    c->readings = c->duels.processes;
    c->failed = c->duels.failed;
}

static void floor_of_rounds(struct validity *c)
{
    c->aa_drift = drift_of(&c->stages[AA_BEFORE], &c->stages[AA_AFTER]);
    for (int i = 0; i < AA_STAGES; i++)
        c->floor = fmax(c->floor, c->stages[i].mean); /* NaN is no number to fmax: what was measured counts */
    c->single = fmax(c->rounds, c->floor);
}

void validity_judge(struct arena *a, struct validity *c)
{
    if (c->has_duels)
        floor_of_duels(c);
    else
        floor_of_rounds(c);
    read_gates(c);
    read_duel_gate(c);
    for (int i = 0; i < VALIDITY_ABOUTS; i++) {
        struct validity_judgement *of = &c->of[i];
        of->reason = unread(c, (enum validity_about)i);
        of->gates = of->reason ? VERDICT_GATES_UNKNOWN : VERDICT_GATES_PASSED;
    }
    for (int g = GATE_COUNT - 1; g >= 0; g--)
        if (!c->gate[g].absent && c->gate[g].state == VERDICT_GATES_FAILED)
            c->of[gates[g].about] =
                (struct validity_judgement){VERDICT_GATES_FAILED, failure(a, c, (enum validity_gates)g)};
}

const char *validity_word(enum verdict_gates g)
{
    static const char *const words[] = {"passed", "failed", "unknown"};
    return words[g];
}

/* ---- from the records ---- */

/* Adds the launches of a cell's best programs to its sums; returns how many launches all of them have. A kernel without
 * a record of this cell (its seed was the whole space) is in no round. */
static int read_cell(const struct records *r, int cell, double sums[RETIMING_LAUNCHES])
{
    const struct record_scan *s = &r->scan;
    int rounds = RETIMING_LAUNCHES;
    for (int t = 0; t < s->cells[cell].ntasks; t++) {
        int64_t best = s->of[record_scan_home(s, cell, t)].kernels[t].all.best;
        const struct retimed_trial *f = records_retimed(r, best);
        if (!best)
            continue;
        rounds = !f ? 0 : f->n < rounds ? f->n : rounds;
        for (int i = 0; i < rounds; i++)
            sums[i] += f->readings[i];
    }
    return rounds;
}

static bool read_stages(const struct records *r, struct validity *out, struct err *err)
{
    for (int i = 0; i < AA_STAGES; i++) {
        struct aa_reading *readings;
        struct aa_done done;
        int n;
        if (!aa_stage_get(r->s, (enum aa_stage)i, &done, err) ||
            !aa_readings(r->s, r->a, (enum aa_stage)i, &readings, &n, err))
            return false;
        if (!done.done)
            continue;
        validity_stage_of(readings, n, &out->stages[i]);
        out->stages[i].peak_flops = done.peak_flops;
        out->stages[i].unix_s = done.unix_s;
    }
    return true;
}

static struct validity read_rounds(const struct records *r)
{
    enum { MOST = RETIMING_LAUNCHES };
    const struct record_scan *s = &r->scan;
    int kept = 0, rounds = MOST;
    if (r->duels.n) /* launches of duels are in no rounds */
        return validity_of(r->a, &(struct validity_sums){.n = 0});
    double *all = ARENA_ARRAY(r->a, double, s->ncells *MOST + 1),
           *sums = ARENA_ARRAY(r->a, double, s->ncells *MOST + 1);
    const char **arms = ARENA_ARRAY(r->a, const char *, s->ncells + 1);
    for (int i = 0; i < s->ncells; i++) {
        if (!str_eq(s->cells[i].state, "done") || s->cells[i].ntasks == 0)
            continue;
        double *here = all + (long)kept * MOST;
        for (int k = 0; k < MOST; k++)
            here[k] = 0;
        int of_cell = read_cell(r, i, here);
        if (of_cell < 2)
            continue;
        rounds = of_cell < rounds ? of_cell : rounds;
        arms[kept++] = s->cells[i].arm;
    }
    for (int c = 0; c < kept; c++)
        for (int k = 0; k < rounds; k++)
            sums[c * rounds + k] = all[c * MOST + k];
    return validity_of(r->a, &(struct validity_sums){sums, arms, kept, kept ? rounds : 0});
}

/* What the clocks of the finished searches say, and what their phases account for. A virtual target spends none. */
static bool read_phases(const struct records *r, struct validity *out, struct err *err)
{
    const struct record_scan *s = &r->scan;
    for (int i = 0; i < s->ncells && !store_campaign(r->s)->is_virtual; i++) {
        double seconds[PHASE_COUNT], rounds_s;
        if (!str_eq(s->cells[i].state, "done"))
            continue;
        if (!tally_phases(r->s, i, seconds, &rounds_s, err))
            return false;
        for (int p = 0; p < PHASE_COUNT; p++)
            out->booked_s += seconds[p];
        out->wall_s += s->cells[i].elapsed_s;
    }
    return true;
}

bool validity_read(const struct records *r, struct validity *out, struct err *err)
{
    bool awaited;
    *out = read_rounds(r);
    out->has_duels = r->duels.n > 0;
    if (!duel_awaited(r->s, &awaited, err) ||
        (out->has_duels && !duel_results_make(r, r->asked_half_width, &out->duels, err)) || !read_stages(r, out, err) ||
        !aa_count_readings(r->s, &out->readings, &out->failed, err) || !aa_awaited(r->s, &out->awaited, err) ||
        !retiming_archive_get(r->s, &out->archive, err) || !tally_others(r->s, &out->contention, err) ||
        !read_phases(r, out, err))
        return false;
    if (out->has_duels) /* they stand in place of rounds, whose A/A test nothing ends then */
        out->awaited = awaited;
    validity_judge(r->a, out);
    return true;
}

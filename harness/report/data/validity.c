/* SPDX-License-Identifier: Apache-2.0 */
/* validity: the gates, and what they read of the records. */
#include "harness/report/data/validity.h"

#include "harness/base/text.h"
#include "harness/record/tally.h"

#include <math.h>

static const struct {
    const char *word, *title;
    enum validity_about about;
} gates[GATE_COUNT] = {
    [GATE_NULL] = {"null", "programs timed against themselves in the same launches: does the interval hold 1",
                   VALIDITY_KERNELS},
    [GATE_FAILED] = {"failed", "readings in fresh processes that gave no time", VALIDITY_KERNELS},
    [GATE_PHASES] = {"phases", "time of the searches that no phase accounts for", VALIDITY_SEARCH},
    [GATE_CONTENTION] = {"contention",
                         "CPU time of the machine that other programs and its host took during the "
                         "searches",
                         VALIDITY_SEARCH},
    [GATE_OVERLAP] = {"overlap", "times of programs while others were built, against their times alone",
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

const char *const validity_about_words[VALIDITY_ABOUTS] = {"kernels", "search time"};

static void put_gate(struct validity *c, enum validity_gates g, double value, double limit)
{
    c->gate[g] = (struct validity_gate){.value = value,
                                        .limit = limit,
                                        .state = isnan(value)     ? VERDICT_GATES_UNKNOWN
                                                 : value <= limit ? VERDICT_GATES_PASSED
                                                                  : VERDICT_GATES_FAILED};
}

static void read_gates(struct validity *c)
{
    const struct duel_gate *null = &c->duels.gate;
    put_gate(c, GATE_FAILED, c->has_duels ? (double)c->duels.failed / c->duels.processes : NAN, VALIDITY_FAILED);
    put_gate(c, GATE_PHASES, c->wall_s > 0 ? fabs(c->wall_s - c->booked_s) / c->wall_s : NAN, VALIDITY_PHASES);
    put_gate(c, GATE_CONTENTION, cpu_contention_share(&c->contention), CPU_CONTENTION_MOST);
    double bias = log(c->overlap.ratio), half = log(c->overlap.high / c->overlap.ratio);
    put_gate(c, GATE_OVERLAP, c->overlap.n > 1 ? fmax(0, fabs(bias) - half) : NAN, VALIDITY_OVERLAP);
    c->gate[GATE_OVERLAP].absent = c->overlap.n == 0;
    if (c->gate[GATE_OVERLAP].state == VERDICT_GATES_PASSED && fabs(bias) + half > VALIDITY_OVERLAP)
        c->gate[GATE_OVERLAP].state = VERDICT_GATES_UNKNOWN;
    c->gate[GATE_NULL] = (struct validity_gate){
        .absent = !c->has_duels, .value = log(null->null.ratio), .limit = null->null.half_width, .state = null->state};
}

static const char *failure(struct arena *a, const struct validity *c, enum validity_gates g)
{
    double percent = 100 * c->gate[g].value, limit = 100 * c->gate[g].limit;
    switch (g) {
    case GATE_NULL:
        return c->duels.gate.reason;
    case GATE_FAILED:
        return arena_printf(a, "%d of %d readings in fresh processes gave no time", c->duels.failed,
                            c->duels.processes);
    case GATE_PHASES:
        return arena_printf(a, "%.1f %% of the searches' time is in no phase, more than %.0f %%", percent, limit);
    case GATE_OVERLAP:
        return arena_printf(a, "programs took %+.1f %% of their time while others were built (%+.1f to %+.1f %%)",
                            100 * (c->overlap.ratio - 1), 100 * (c->overlap.low - 1), 100 * (c->overlap.high - 1));
    default:
        return arena_printf(a,
                            "other programs and the machine's host took %.1f %% of its CPU time during the searches, "
                            "more than %.0f %%",
                            percent, limit);
    }
}

/* What keeps an aspect from having passed though no gate failed; NULL: nothing. */
static const char *unread(const struct validity *c, enum validity_about about)
{
    if (about == VALIDITY_KERNELS)
        return !c->has_duels                                  ? "no program was timed again"
               : c->duels.gate.state == VERDICT_GATES_UNKNOWN ? c->duels.gate.reason
                                                              : NULL;
    return !(c->wall_s > 0)               ? "no time of a search was booked"
           : !(c->contention.whole_s > 0) ? "what others took of the CPU time was not recorded"
                                          : NULL;
}

void validity_judge(struct arena *a, struct validity *c)
{
    c->floor = c->has_duels ? duel_results_floor(&c->duels) : NAN;
    read_gates(c);
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

const char *const validity_words[] = {"passed", "failed", "unknown"};

/* ---- from the records ---- */

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
    *out = (struct validity){.has_duels = r->duels.n > 0};
    if ((out->has_duels && !duel_results_make(r, r->asked_half_width, &out->duels, err)) ||
        !duel_peak(r->s, &out->peak_flops, err) || !tally_others(r->s, -1, &out->contention, err) ||
        !read_phases(r, out, err))
        return false;
    if (r->scan.nalone)
        out->overlap = interval_student(r->scan.alone, r->scan.nalone, 0.95);
    validity_judge(r->a, out);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* validity: may what was measured count? A run that fails is INVALID, not slow. Kernel times and search time are judged
 * apart, as a noisy machine voids the one and not the other (enum validity_about). Read are:
 *   null pairs  programs timed against themselves in duels (duel_results.h): their interval has to hold 1, and what it
 *               leaves open is the noise floor: no smaller effect on kernels gives a verdict (verdict.h)
 *   failures    processes of the duels that gave no time
 *   phases      the phases into which the searches' time is booked, against the searches' clocks
 *   contention  CPU time that other programs and the host took during the searches (cpu_contention.h)
 *   overlap     programs timed beside builds and alone, where builds go on beside runs on cores of their own: fails
 *               where the interval of the ratio excludes what is allowed, is unknown where it holds that and more
 * Gates: each has a limit that does not depend on how much was measured, and its value does not grow with more
 * launches, networks or seeds, so more data never void a run. One that failed makes what it is about INVALID, one that
 * could not be read (a virtual target, no re-timing) fails nothing. */
#pragma once
#include "harness/report/data/duel_results.h"
#include "harness/stats/interval.h"

#define VALIDITY_FAILED 0.05          /* share of processes of the duels that gave no time */
#define VALIDITY_PHASES 0.02          /* phases of the searches against their clocks */
#define VALIDITY_OVERLAP OVERLAP_BIAS /* times of programs beside builds against their times alone */

enum validity_gates { GATE_NULL, GATE_FAILED, GATE_PHASES, GATE_CONTENTION, GATE_OVERLAP, GATE_COUNT };
/* What a gate, and a claim, is about. */
enum validity_about { VALIDITY_KERNELS, VALIDITY_SEARCH, VALIDITY_ABOUTS };
extern const char *const validity_about_words[]; /* "kernels", "search time" */
enum validity_about validity_gate_about(enum validity_gates g);
struct validity_gate {
    bool absent;         /* it does not apply to this run */
    double value, limit; /* as shares, of null pairs as logs; value NaN: not read */
    enum verdict_gates state;
};
const char *validity_gate_word(enum validity_gates g);  /* "null", "failed", ... */
const char *validity_gate_title(enum validity_gates g); /* what it looks at */

struct validity_judgement {
    enum verdict_gates gates; /* failed: one has; passed: none has, and enough was read */
    const char *reason;       /* why not passed; NULL when passed */
};
struct validity {
    double floor; /* relative difference, 0.02 for 2 %: half of the null pairs' interval; NAN: none was timed */
    bool has_duels;
    struct duel_results duels;
    double peak_flops;                /* the machine's, measured beside the duels; NAN: not known */
    struct cpu_contention contention; /* of the machine while it searched; whole_s 0: not known */
    struct interval overlap;          /* times beside builds over times alone; n 0: none */
    double booked_s, wall_s;          /* of finished searches: their phases, their clocks; 0: no time passes */
    struct validity_gate gate[GATE_COUNT];
    struct validity_judgement of[VALIDITY_ABOUTS];
};
/* The floor and the gates, from the members above them. */
void validity_judge(struct arena *a, struct validity *c);
MUST_CHECK bool validity_read(const struct records *r, struct validity *out, struct err *err);
extern const char *const validity_words[]; /* "passed", "failed", "unknown" */

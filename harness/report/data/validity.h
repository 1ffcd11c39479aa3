/* SPDX-License-Identifier: Apache-2.0 */
/* validity: may what was measured count? A run that fails is INVALID, not slow. Kernel times and search time are judged
 * apart, as a noisy machine voids the one and not the other (enum validity_about). Read are:
 *   rounds  in the re-timing every program is launched several times, in rounds over all programs, each in a fresh
 *           process. So an arm's network sum of one round against that of the next is the same programs against
 *           themselves under the protocol of the headline numbers. Said of one network's sum, and of the mean over the
 *           networks of an arm. One half of the rounds against the other is an A/A test of the whole
 *   A/A     a few programs timed as two pretended arms, before the first search and after the re-timing
 *           (harness/tune/aa_run.h), with at most as many readings as an arm has in the re-timing. Said of one reading,
 *           and of the mean over all
 *   phases  the phases into which the searches' time is booked, against the searches' clocks
 *   others  CPU time that other programs and the host took during the searches (cpu_contention.h)
 * The noise floor is the widest of what rounds and A/A test say of a mean: no smaller effect on kernels gives a verdict
 * (verdict.h). Gates: each has a limit that does not depend on how much was measured, and its value does not grow with
 * more launches, networks or seeds, so more data never void a run. One that failed makes what it is about INVALID, one
 * that could not be read (records of an older raingauge, a virtual target) is told and fails nothing. */
#pragma once
#include "harness/record/aa_test.h"
#include "harness/record/retiming_archive.h"
#include "harness/report/data/duel_results.h"

#define VALIDITY_FLOOR 0.10      /* tolerance of kernel speedups: with a wider floor none could be told */
#define VALIDITY_HALVES 0.02     /* one half of the re-timing's rounds against the other */
#define VALIDITY_DRIFT 0.10      /* of the A/A programs from before to after: another machine, in effect */
#define VALIDITY_FAILED 0.05     /* share of readings in fresh processes that gave no time */
#define VALIDITY_CONTENTION 0.05 /* share of the machine's CPU time */
#define VALIDITY_PEAK 0.9        /* the machine's measured peak, lower over higher */
#define VALIDITY_PHASES 0.02     /* phases of the searches against their clocks */

struct validity_stage { /* of the A/A test, before or after */
    bool measured;
    int programs, pairs; /* that gave times; readings of A beside A' of the same launch */
    double reading; /* floor of a single reading: 95 of 100 |ln A / A'| (harness/stats/noise_floor.h); 0.02 for 2 % */
    double mean;    /* floor of the geometric mean over these pairs (noise_floor_mean) */
    double peak_flops, unix_s;
    double times[AA_PROGRAMS_MOST]; /* of each program, both arms' launches: median, seconds; NAN: none */
};
enum validity_gates {
    GATE_FLOOR,
    GATE_HALVES,
    GATE_AA_DRIFT,
    GATE_FAILED,
    GATE_PEAK,
    GATE_PHASES,
    GATE_CONTENTION,
    GATE_NULL, /* of runs with duels, in place of floor, halves, drift and peak */
    GATE_COUNT
};
/* What a gate, and a claim, is about. Facts that are told and fail nothing are no gates. */
enum validity_about { VALIDITY_KERNELS, VALIDITY_SEARCH, VALIDITY_ABOUTS };
const char *validity_about_word(enum validity_about a); /* "kernels", "search time" */
enum validity_about validity_gate_about(enum validity_gates g);
struct validity_gate {
    bool absent;         /* it does not apply to this run */
    double value, limit; /* as shares or ratios, a drift's with its sign; value NaN: not read */
    enum verdict_gates state;
};
const char *validity_gate_word(enum validity_gates g);  /* "floor", "halves", "aa_drift", ... */
const char *validity_gate_title(enum validity_gates g); /* what it looks at */

struct validity_judgement {
    enum verdict_gates gates; /* failed: one has; passed: none has, and enough was read */
    const char *reason;       /* why not passed; NULL when passed */
};
struct validity {
    double floor;  /* of a mean over networks: relative difference, 0.02 for 2 %, the widest of what rounds (of the arm
                      whose means differ most) and A/A test say; NAN: none was measured */
    double rounds; /* floor of one network's sum: 95 of 100 neighbouring rounds (noise_floor_of); NAN: fewer than two */
    double single; /* what a single network's ratio has to leave: the wider of the two */
    int pairs;     /* ratios of neighbouring rounds that it rests on */
    double halves; /* geometric mean over sums of one half of the rounds over the other, turned so that a steady drift
                      of the machine falls out; NAN likewise */
    double drift;  /* last round over the first, geometric mean over sums; told; NAN likewise */
    struct validity_stage stages[AA_STAGES];
    double aa_drift;      /* A/A programs after over before, geometric mean; NAN: not both measured */
    int readings, failed; /* of the re-timing and the A/A test */
    bool awaited;         /* the re-timing is not finished: what passes so far has not passed */
    bool has_duels;
    struct duel_results duels;        /* of runs that have them */
    struct retiming_archive archive;  /* earlier re-timings, not used */
    struct cpu_contention contention; /* of the machine while it searched; whole_s 0: not known */
    double booked_s, wall_s;          /* of finished searches: their phases, their clocks; 0: no time passes */
    struct validity_gate gate[GATE_COUNT];
    struct validity_judgement of[VALIDITY_ABOUTS];
};
struct validity_sums {
    const double *seconds;   /* [c * rounds + r]: sum c in round r; one that is not positive and finite in some round is
                                left out */
    const char *const *arms; /* whose each sum is */
    int n, rounds;
};
/* Fills floor, rounds, pairs, halves and drift; the rest is the caller's, before validity_judge. */
struct validity validity_of(struct arena *a, const struct validity_sums *sums);
/* One stage from its readings. */
void validity_stage_of(const struct aa_reading *r, int n, struct validity_stage *out);
/* Joins the floors, reads the gates. */
void validity_judge(struct arena *a, struct validity *c);
/* Of every cell that is done and whose best programs all have at least two launches; rounds that all of them have. And
 * the A/A test, the phases and the contention. */
MUST_CHECK bool validity_read(const struct records *r, struct validity *out, struct err *err);
const char *validity_word(enum verdict_gates g); /* "passed", "failed", "unknown" */

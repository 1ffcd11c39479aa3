/* SPDX-License-Identifier: Apache-2.0 */
/* validity: how quiet was the machine, and does what it measured count (practice.md 3.5: a run that fails is INVALID,
 * not slow). Read from two things: rounds  in the shoot-out every winner is launched several times, in rounds over all
 * winners, each in a fresh process: so each arm's network sum of one round against that of the next is the same program
 * against itself under the very protocol of the headline numbers (A/A). Said of one network's sum, and of the mean over
 * the networks of an arm twins   a few programs timed as two pretended arms A and A', before the first search and after
 * the shoot-out (harness/tune/aa_run.h), at most as many readings as an arm has in the shoot-out. Said of one reading,
 *           and of the mean over all
 * The floor is the widest of what these say of a mean: no effect below it gives a verdict (verdict.h). Gates: each has
 * a limit; one that failed makes the campaign INVALID, one that could not be read (records of an older raingauge, a
 * virtual target) is told and fails nothing. The search itself is watched by what others took of the machine meanwhile
 * (cpu_contention.h): of its clocks, no reading says that they are slow. */
#pragma once
#include "harness/record/aa_test.h"
#include "harness/record/retiming_archive.h"
#include "harness/stats/verdict.h"

#define VALIDITY_DRIFT 0.02  /* practice.md 3.5: a sentinel may drift by less than 2 % */
#define VALIDITY_FLOOR 0.10  /* practice.md 3.7: d of kernel-speed ratios; with a wider floor none could be told */
#define VALIDITY_SHIFT 3.0   /* wider floor of a reading over narrower; ours, as are the next two */
#define VALIDITY_FAILED 0.05 /* share of readings in fresh processes that gave no time */
#define VALIDITY_OTHERS 0.05 /* practice.md 3.5: load and steal time are watched; the limit is ours */
#define VALIDITY_PEAK 0.9    /* practice.md 3.5: clock ratio; here of the measured peak, lower over higher */

struct validity_stage { /* of twins, before or after */
    bool measured;
    int twins, pairs; /* that gave times; readings of A beside A' of the same launch */
    double reading;   /* floor of a single reading: 95 of 100 |ln A / A'| (harness/stats/noise_floor.h); 0.02 for 2 % */
    double mean;      /* floor of the geometric mean over these pairs (noise_floor_mean) */
    double peak_flops, unix_s;
    double times[AA_PROGRAMS_MOST]; /* of each twin, both arms' launches together: median, seconds; NAN: none */
};
enum validity_gates {
    GATE_FLOOR,
    GATE_SHIFT,
    GATE_TWINS,
    GATE_ROUNDS,
    GATE_FAILED,
    GATE_PEAK,
    GATE_OTHERS,
    GATE_COUNT
};
struct validity_gate {
    double value, limit; /* as shares or ratios, a drift's with its sign; value NaN: not read */
    enum verdict_gates state;
};
const char *validity_gate_word(enum validity_gates g);  /* "floor", "shift", ... */
const char *validity_gate_title(enum validity_gates g); /* what it looks at */

struct validity {
    double floor;  /* of a mean over networks: relative difference, 0.02 for 2 %, the widest of what rounds (of the arm
                      whose means differ most) and twins say; NaN: none was measured */
    double rounds; /* floor of one network's sum: 95 of 100 neighbouring rounds (noise_floor_of); NaN: fewer than two */
    double single; /* what a single network's ratio has to leave: the wider of the two */
    int pairs;     /* ratios of neighbouring rounds that it rests on */
    double drift;  /* last round over the first, geometric mean over sums; NaN likewise */
    double slack;  /* of its log: what of it may be noise, half a 95 % interval; the gate allows for it */
    struct validity_stage stages[AA_STAGES];
    double twin_drift;             /* twins after over before, geometric mean; NaN: not both measured */
    int readings, failed;          /* of the shoot-out and the twins */
    bool awaited;                  /* the shoot-out is not finished: what passes so far has not passed */
    struct retiming_archive aside; /* earlier shoot-outs, not used */
    struct cpu_contention others;  /* of the machine while it searched; whole_s 0: not known */
    struct validity_gate gate[GATE_COUNT];
    enum verdict_gates gates; /* failed: one has; passed: none has, a drift was read, the end is */
    const char *reason;       /* why not passed; NULL when passed */
};
struct validity_sums {
    const double *seconds;   /* [c * rounds + r]: sum c in round r; one that is not positive and finite in some round is
                                left out */
    const char *const *arms; /* whose each sum is */
    int n, rounds;
};
/* Fills floor, rounds, pairs, drift and slack; stages, readings and failed are the caller's, before validity_judge. */
struct validity validity_of(struct arena *a, const struct validity_sums *sums);
/* One stage from its readings. */
void validity_stage_of(const struct aa_reading *r, int n, struct validity_stage *out);
/* Joins the floors, reads the gates. */
void validity_judge(struct arena *a, struct validity *c);
/* Every cell that is done and whose winners all have at least two launches; rounds that all of them have. And the
 * twins. */
MUST_CHECK bool validity_read(struct arena *a, struct store *s, struct validity *out, struct err *err);

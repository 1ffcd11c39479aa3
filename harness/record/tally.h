/* SPDX-License-Identifier: Apache-2.0 */
/* tally: sums over the records of a store: clocks, failures, phases. Shared descents and taken kernels are
 * followed where a task is named. */
#pragma once
#include "harness/record/store.h"

struct tally_sums {
    int64_t records, valid;
    double cost_s;                   /* T_sum: sum of cost_s */
    double wall_s;                   /* T_wall of these records: sum of their wall_s */
    double build_s, run_s, verify_s; /* sums over records; builds overlap, so this is not wall time */
};
/* Over the first k records (0: all) of a task (follows shared descents), or of the cell (task -1; k counts in the
 * cell). */
MUST_CHECK bool tally_sum(struct store *s, int cell, int task, int64_t k, struct tally_sums *out, struct err *err);
struct tally_failure {
    enum outcome outcome;
    const char *message;
    int64_t count;
};
/* Failed records by outcome and message, most frequent first. cell -1: all; task -1: all of the cell. */
MUST_CHECK bool tally_failures(struct store *s, struct arena *a, int cell, int task, struct tally_failure **out, int *n,
                               struct err *err);
/* Seconds that the clocks of all cells have beyond what passed: of trials that were called less because they are slow,
 * and of builds that were found among those that are kept (sample.h). */
MUST_CHECK bool tally_uncounted(struct store *s, double *seconds, struct err *err);
/* Of the machine, during complete rounds of a cell (-1: of all) on real targets; zero when none was recorded. */
MUST_CHECK bool tally_others(struct store *s, int cell, struct cpu_contention *out, struct err *err);
/* Sums of the phase seconds of a cell's complete rounds (-1: all cells), and of the wall time of these rounds. */
MUST_CHECK bool tally_phases(struct store *s, int cell, double seconds[PHASE_COUNT], double *wall_s, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* arm_result: what one arm gave on one network with one seed: kernel times, winners timed again, and what the search
 * cost on every clock of practice.md 3.1. All from the records. */
#pragma once
#include "harness/record/retiming.h"
#include "harness/record/store.h"

/* A kernel sum counts each distinct kernel once (the authors') or as often as the network calls it. */
enum kernel_sum { SUM_PLAIN, SUM_CALLS, SUM_COUNT };
/* What a search cost, in seconds. Of "the first k records of a kernel" each clock takes its part:
 *   wall     the cell's clock (T_wall); the first k records have their share of each round, since search, training and
 *            parallel builds serve all records of the round
 *   records  the authors' clock (droplet.md 3.2): T_app, records x mean cost of the whole log, for what Ansor measured;
 *            the sum of costs and the seed's cost once more for a descent
 *   sum      T_sum: the costs (build and run) of these very records
 *   device   T_dev: seconds the device was held by them, for running and verifying
 *   cpu      T_cpu of the searching process, without workers, by its share of the cell's wall clock; NAN where no time
 *            passes (virtual targets) */
enum search_clock { CLOCK_WALL, CLOCK_RECORDS, CLOCK_SUM, CLOCK_DEVICE, CLOCK_CPU, CLOCK_COUNT };
const char *search_clock_word(enum search_clock c);
const char *search_clock_meaning(enum search_clock c); /* half a sentence, for reports */

struct arm_result {
    double kernel_s[SUM_COUNT];  /* sum of best kernel times; INFINITY when a kernel has no valid record */
    double retimed_s[SUM_COUNT]; /* the same with the winners' shoot-out times; NAN when they were not re-timed */
    double search_s[CLOCK_COUNT];
    int64_t trials, failed;
};

struct arm_results { /* where they are read from; errors go to err */
    struct arena *a;
    struct store *s;
    struct store_cell *cells;
    int ncells;
    struct err *err;
};
MUST_CHECK bool arm_results_open(struct arm_results *m, struct arena *a, struct store *s, struct err *err);
/* The cell of that name that is done; -1: none. */
int arm_results_cell(const struct arm_results *m, const char *network, const char *arm, int64_t seed);
/* What a cell gave within the first k records of each kernel (0: all). *out is added to; start from zero. */
MUST_CHECK bool arm_result_explored(struct arm_results *m, int cell, int64_t k, struct arm_result *out);
/* A cell that started from the records of another: `seeds` is what these cost. *shared: kernels whose descent was run
 * for another k. */
MUST_CHECK bool arm_result_exploited(struct arm_results *m, int cell, const struct arm_result *seeds,
                                     struct arm_result *out, int64_t *shared);
/* How many of a kernel's records a cell may see; 0 all. */
int64_t arm_result_seeds(const struct store_cell *c);
/* What a fresh process says: the median of its repeats, seconds (practice.md 3.1); INFINITY unless ok. */
double arm_result_reading(const struct sample *s);
/* Of each valid launch of a trial in the shoot-out: the median of its repeats, seconds. */
MUST_CHECK bool arm_result_launches(struct store *s, struct arena *a, int64_t trial, double readings[RETIMING_LAUNCHES],
                                    int *n, struct err *err);
/* sum += one / n; counts are added whole. */
void arm_result_add(struct arm_result *sum, const struct arm_result *one, int n);

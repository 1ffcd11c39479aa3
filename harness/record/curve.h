/* SPDX-License-Identifier: Apache-2.0 */
/* curve: best-so-far over a clock: a step function of valid records only (practice.md 3.1). */
#pragma once
#include "harness/base/arena.h"
#include "harness/record/record.h"

enum curve_clock { CURVE_TRIALS, CURVE_WALL, CURVE_COST }; /* N, T_wall (elapsed_s), T_sum (running sum of cost_s) */

struct curve_point {
    double at;    /* on the clock: the trial that made it is counted */
    double value; /* seconds; INFINITY before everything needed is valid */
};
struct curve {
    struct curve_point *points; /* strictly falling values, rising at; the first valid point comes first */
    int n;
    double end; /* clock at the last record */
};

/* Of one task. records in order of measuring. */
struct curve curve_task(struct arena *a, const struct record *records, int n, enum curve_clock clock);
/* Of a network: the sum of weight * best over ntasks tasks. records in order of the cell; starts when every task has a
 * valid record. weights NULL: 1 each (the authors' kernel sum). */
struct curve curve_network(struct arena *a, const struct record *records, int n, const double *weights, int ntasks,
                           enum curve_clock clock);
double curve_at(const struct curve *c, double at); /* value of the step function; INFINITY before its start */
double curve_reach(const struct curve *c,
                   double value); /* first clock reading with a value <= this; INFINITY if never */

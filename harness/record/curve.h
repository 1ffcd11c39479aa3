/* SPDX-License-Identifier: Apache-2.0 */
/* curve: best-so-far over a clock: a step function of valid records only. */
#pragma once
#include "harness/base/arena.h"
#include "harness/record/record.h"

struct curve_point {
    double at;    /* on the cell's clock (T_wall): the trial that made it is counted */
    double value; /* seconds */
};
struct curve {
    struct curve_point *points; /* strictly falling values, rising at; the first valid point comes first */
    int n;
};

/* Of a network: the sum of the best of ntasks tasks, each once (the authors' kernel sum). records in order of the cell;
 * starts when every task has a valid record. */
struct curve curve_network(struct arena *a, const struct record *records, int n, int ntasks);

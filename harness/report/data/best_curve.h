/* SPDX-License-Identifier: Apache-2.0 */
/* best_curve: best-so-far curves of a network over the wall clock: the explorer's run, and each descent from where its
 * seeds were found; in a race every arm's run, over trials too. Kernel time is the plain sum of the best kernels, in
 * seconds; it begins when every kernel has a valid record. Step functions: what holds at x holds until the next x. */
#pragma once
#include "harness/report/data/results.h"

struct best_curve { /* of one seed; x rising, the last one its end; INFINITY: a kernel has no record yet */
    double *x, *y;
    int n;
};
struct best_curve_arm {
    int arm;               /* in results */
    struct best_curve *of; /* seeds that are done, n of them */
    int n;
};
enum best_axis { BEST_WALL, BEST_TRIALS }; /* seconds of the cell's clock; records so far, failed ones too */
/* The arm that the first arm of them all is set against (an explorer, or the first arm of a race), and all that are set
 * against the same (not those that only measure their seeds again); n = 0: no such arm. Over trials only arms that
 * search by themselves have a curve, the others none of any seed. In the arena of the records. */
struct best_curve_arm *best_curves_make(const struct results *r, int network, enum best_axis x, int *n);
double best_curve_at(const struct best_curve *c, double x);    /* INFINITY before its start or a kernel is missing */
double best_curve_reach(const struct best_curve *c, double y); /* the first x with at most y; INFINITY: never */
double best_curve_end(const struct best_curve *c);             /* 0 when empty */
double best_curve_last(const struct best_curve *c);            /* INFINITY when empty */

struct best_band { /* the seeds of an arm joined, from when more than half of them have a program for every kernel */
    double *x, *median, *low, *high; /* n each; low and high are the range of the seeds; high INFINITY: one has none */
    int n;
};
/* At most about `most` points, those that move the line least left out. */
struct best_band best_band_of(struct arena *a, const struct best_curve_arm *arm, int most);

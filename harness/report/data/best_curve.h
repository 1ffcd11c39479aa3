/* SPDX-License-Identifier: Apache-2.0 */
/* best_curve: best-so-far curves of a network over the wall clock, from the records: the explorer's run, and each
 * descent from where its seeds were found. Kernel time is the plain sum of the best kernels (harness/record/curve.h),
 * in seconds. Step functions: what holds at x holds until the next x. */
#pragma once
#include "harness/base/vec.h"
#include "harness/experiment/experiment.h"
#include "harness/report/data/arm_result.h"

struct best_curve { /* of one seed; x rising, the last one its end */
    VEC(double) x, y;
    int64_t seed;
};
struct best_curve_entrant {
    const char *name;
    struct best_curve *of; /* seeds that are done, n of them */
    int n;
};
struct best_curves {
    struct best_curve_entrant *all; /* the explorer first */
    int n;
};
/* The first arm that explores another, its explorer, and all that explore the same, at every k (not those that only
 * measure their seeds again). n = 0: no such arm. Names in a; free with best_curves_free, also after an error. */
MUST_CHECK bool best_curves_read(struct arena *a, struct store *s, const struct experiment *e, const char *network,
                                 struct best_curves *out, struct err *err);
void best_curves_free(struct best_curves *t);
double best_curve_at(const struct best_curve *t, double x);    /* INFINITY before its start or a kernel is missing */
double best_curve_reach(const struct best_curve *t, double y); /* the first x with at most y; INFINITY: never */
double best_curve_end(const struct best_curve *t);             /* 0 when empty */
double best_curve_last(const struct best_curve *t);            /* INFINITY when empty */

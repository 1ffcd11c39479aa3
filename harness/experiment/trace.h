/* SPDX-License-Identifier: Apache-2.0 */
/* trace: best-so-far curves of a network over the wall clock, from the records: the explorer's run, and each descent
 * from where its seeds were found. Kernel time is the plain sum of the best kernels (harness/record/curve.h), in
 * seconds. Step functions: what holds at x holds until the next x. */
#pragma once
#include "harness/base/vec.h"
#include "harness/experiment/experiment.h"
#include "harness/experiment/side.h"

struct trace { /* of one seed; x rising, the last one its end */
    VEC(double) x, y;
    int64_t seed;
};
struct trace_entrant {
    const char *name;
    struct trace *of; /* seeds that are done, n of them */
    int n;
};
struct traces {
    struct trace_entrant *all; /* the explorer first */
    int n;
};
/* The first arm that explores another, its explorer, and all that explore the same, at every k (not those that only
 * measure their seeds again). n = 0: no such arm. Names in a; free with traces_free, also after an error. */
MUST_CHECK bool traces_read(struct arena *a, struct store *s, const struct experiment *e, const char *network,
                            struct traces *out, struct err *err);
void traces_free(struct traces *t);
double trace_at(const struct trace *t, double x);    /* INFINITY before its start or a kernel is missing */
double trace_reach(const struct trace *t, double y); /* the first x with at most y; INFINITY: never */
double trace_end(const struct trace *t);             /* 0 when empty */
double trace_last(const struct trace *t);            /* INFINITY when empty */

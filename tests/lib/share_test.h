/* SPDX-License-Identifier: Apache-2.0 */
/* share_test: tests of random choices: counts against exact shares by the chi-square test (chi_square_test.h).
 * Seeds are fixed, so a result never changes; the bound of 1e-4 says how surprising a right program may look at the
 * first try. Each distribution also gets a wrong one that must be refused, so that the test is known to see the
 * difference. */
#pragma once
#include "search/evolution/mutate.h"
#include "search/sketch/space.h"
#include "search/trace/trace_space.h"

bool likely(const int64_t *counts, const double *shares, int n, const char *name, ...)
    __attribute__((format(printf, 4, 5))); /* p > 1e-4 */
bool unlikely(const int64_t *counts, const double *shares, int n, const char *name, ...)
    __attribute__((format(printf, 4, 5))); /* p < 1e-4 */
bool likely_even(const int64_t *counts, int n, const char *name, ...) __attribute__((format(printf, 3, 4)));

/* All ordered tuples of n <= 3 lengths such that l1 divides the extent, l2 the rest and so on, the last at most cap, by
 * trying every number (ansor.md, "Random annotation"). A second enumeration, so that search/sketch/factor.c is not
 * tested by itself. */
struct tuples {
    int n, count;
    int64_t extent, at[4096][3];
};
void tuples_make(struct tuples *t, int64_t extent, int n, int64_t cap);
int tuples_find(const struct tuples *t, const int64_t *lengths); /* -1: not among them */
int64_t tuple_outer(const struct tuples *t, int i);              /* the implied outermost part */

/* The space of a task with Ansor's settings on a CPU of so many cores. bug() when there is none. */
void share_test_space(struct space *sp, struct arena *a, const char *spec, int cores);
void share_test_gpu_space(struct space *sp, struct arena *a, const char *spec); /* the same with CUDA's limits */
/* Leaves only the sketch that attaches no stage: every draw of it is valid where no stage can be moved. */
void share_test_plain(struct space *sp);
/* A valid random program whose steps live in keep; work is scratch. bug() after 1,000 invalid ones. */
struct genome share_test_genome(const struct space *sp, struct arena *keep, struct arena *work, struct rng *r);
const struct mutation *share_test_mutation(const char *name); /* bug() when there is none */
/* MetaSchedule's space of a task with the default settings, on a CPU or under other limits. bug() when there is none.
 */
void share_test_traces(struct trace_space *tr, struct arena *a, const char *spec, int cores);
void share_test_open(struct trace_space *tr, struct arena *a, const struct task *t, const struct limits *limits);
/* The steps are found to be a trace that replays to the same program. */
bool share_test_found(const struct trace_space *tr, struct arena *work, const struct state *s);
int share_test_layout(const struct trace_space *tr); /* the design space without a stage of its own */

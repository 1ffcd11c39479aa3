/* SPDX-License-Identifier: Apache-2.0 */
/* counter: hardware counters of retimed programs, from counted runs that no time is taken from. Records of schema
 * version 1 have none. */
#pragma once
#include "harness/plug/collector.h"
#include "harness/record/store.h"

/* Replaces what the trial had; one transaction. */
MUST_CHECK bool store_counters_put(struct store *s, int64_t trial, const struct counter *counters, int n,
                                   struct err *err);
/* By name; n 0 when the trial was not counted. */
MUST_CHECK bool store_counters(struct store *s, struct arena *a, int64_t trial, struct counter **out, int *n,
                               struct err *err);

struct counter_sum {           /* one counter over all programs that were counted */
    const char *name, *reason; /* the most frequent reason of those without it, "" when none is without */
    int64_t programs;          /* how many have it */
};
/* Those that some program has come first; by name. *counted: programs with any row. */
MUST_CHECK bool counters_sum(struct store *s, struct arena *a, struct counter_sum **out, int *n, int64_t *counted,
                             struct err *err);

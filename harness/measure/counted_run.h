/* SPDX-License-Identifier: Apache-2.0 */
/* counted_run: the collectors of a counted run. Each is opened before the runner has made a thread, so that counters
 * which threads inherit see the kernel's threads. Each counts calls of its own, so that none counts the work of another
 * collector. What cannot be counted is there as an absent counter with its reason. */
#pragma once
#include "harness/measure/regime.h"
#include "harness/measure/repeat.h"
#include "harness/plug/collector.h"

enum { COUNTED_RUN_COLLECTORS = 8, COUNTED_RUN_COUNTERS = COUNTED_RUN_COLLECTORS * COLLECTOR_COUNTERS };
struct counter_list {
    struct counter at[COUNTED_RUN_COUNTERS]; /* values per call */
    int n;
};
struct counted_run {
    const struct collector *const *collectors; /* ended by NULL */
    void *self[COUNTED_RUN_COLLECTORS];        /* NULL: it did not open */
    char why[COUNTED_RUN_COLLECTORS][96];      /* why not */
    struct counter_list out;
};

/* collectors may be NULL. States are in a, which must outlive the run. */
void counted_run_open(struct counted_run *run, const struct collector *const *collectors, struct arena *a);
/* Warm-up as the regime says, at least one call, then per collector regime->number calls (1 with cache flush). Outcome
 * and message of the first call that fails. */
enum outcome counted_run_take(struct counted_run *run, const struct regime *regime, const struct repeat *r,
                              char message[SAMPLE_MESSAGE]);
void counted_run_close(struct counted_run *run);
/* One absent counter per collector, named after it: the counters of a run that did not come to its end. */
void counted_run_absent(const struct collector *const *collectors, const char *reason, struct counter_list *out);

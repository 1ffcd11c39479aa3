/* SPDX-License-Identifier: Apache-2.0 */
/* probe: the collectors of a counted run. Each is opened before the runner has made a thread, so that counters which
 * threads inherit see the kernel's threads; each counts a stretch of calls of its own, so that none counts the work of
 * another. What cannot be counted is there with its reason. */
#pragma once
#include "harness/measure/regime.h"
#include "harness/measure/repeat.h"
#include "harness/plug/collector.h"

enum { PROBE_COLLECTORS = 8, PROBE_COUNTERS = PROBE_COLLECTORS * COLLECTOR_COUNTERS };
struct probe {
    const struct collector *const *collectors; /* ended by NULL */
    void *self[PROBE_COLLECTORS];              /* NULL: it did not open */
    char why[PROBE_COLLECTORS][96];            /* why not */
    struct counter out[PROBE_COUNTERS];        /* values per call */
    int n;
};

/* collectors may be NULL. States are in a, which must outlive the probe. */
void probe_open(struct probe *p, const struct collector *const *collectors, struct arena *a);
/* Warm-up as the regime says, at least one call, then per collector regime->number calls (1 with cache flush). Outcome
 * and message of the first call that fails. */
enum outcome probe_take(struct probe *p, const struct regime *regime, const struct repeat *r,
                        char message[SAMPLE_MESSAGE]);
void probe_close(struct probe *p);
/* One absent counter per collector, named after it: what a run gives that did not come to its end. */
void probe_absent(const struct collector *const *collectors, const char *reason, struct counter *out, int most, int *n);

/* SPDX-License-Identifier: Apache-2.0 */
/* collector: the interface of hardware counters. Counted runs and timed runs are separate. A missing counter carries
 * its reason. */
#pragma once
#include "harness/base/err.h"

#include <stddef.h>
#include <stdio.h>

#define COLLECTOR_COUNTERS 16
struct counter {
    char name[40];
    bool present;
    bool level;      /* a state when it stopped (a clock, a temperature), not a count: it is not divided by the calls */
    double value;    /* per call, or the level */
    char reason[96]; /* why it is absent */
};
static inline struct counter counter_of(const char *name, double value)
{
    struct counter c = {.present = true, .value = value};
    snprintf(c.name, sizeof c.name, "%s", name);
    return c;
}

struct collector {
    const char *name, *summary;
    size_t state_size;
    int most_calls; /* what it can count at once, or in a bearable time; 0: as many as there are */
    /* NULL, as of start and close: there is nothing to do. False: why it cannot work here. */
    MUST_CHECK bool (*open)(void *self, struct err *err);
    MUST_CHECK bool (*start)(void *self, struct err *err);
    /* After one call that followed start: what was counted so far is forgotten, since the first call under a profiler
     * sets it up. NULL: all calls count. */
    MUST_CHECK bool (*rewind)(void *self, struct err *err);
    MUST_CHECK bool (*stop)(void *self, struct counter *out, int *n, struct err *err); /* at most COLLECTOR_COUNTERS */
    void (*close)(void *self);
};

/* SPDX-License-Identifier: Apache-2.0 */
/* retiming: readings of the re-timing, in which the fastest programs are timed again in fresh processes (launches)
 * after all searches. */
#pragma once
#include "harness/record/store.h"

enum { RETIMING_LAUNCHES = 100 }; /* most launches that a re-timing has */
struct store_retiming {           /* one reading */
    int64_t trial;
    int launch;
    const char *regime;
    struct sample sample;
    double unix_s;
};
MUST_CHECK bool store_retiming_put(struct store *s, const struct store_retiming *r, struct err *err);
/* Of one trial, by launch. */
MUST_CHECK bool store_retimings(struct store *s, struct arena *a, int64_t trial, struct store_retiming **out, int *n,
                                struct err *err);
/* Calls each() with every launch there is, by trial and launch; what it is given lasts for the call. */
MUST_CHECK bool retimings_each(struct store *s, void (*each)(void *with, const struct store_retiming *f), void *with,
                               struct err *err);
/* Do all readings go with a re-timing of so many launches under this regime? Fewer launches do: they can be added. */
MUST_CHECK bool retiming_fits(struct store *s, const char *regime, int launches, bool *fit, struct err *err);

struct retimed_program { /* a trial that has readings, and the cell and task that found it */
    int64_t trial;
    int cell, task;
};
/* By trial. */
MUST_CHECK bool retimed_programs(struct store *s, struct arena *a, const struct retimed_program **out, int *n,
                                 struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* retiming: readings of the winner shoot-out. */
#pragma once
#include "harness/record/store.h"

enum { RETIMING_LAUNCHES = 100 }; /* most launches that a shoot-out has */
struct store_retiming {           /* winner shoot-out: a second, longer timing */
    int64_t trial;
    int launch;
    const char *regime;
    struct sample sample;
    double unix_s;
};

MUST_CHECK bool store_retiming_put(struct store *s, const struct store_retiming *f, struct err *err);
/* Of one trial, by launch. */
MUST_CHECK bool store_retimings(struct store *s, struct arena *a, int64_t trial, struct store_retiming **out, int *n,
                                struct err *err);
/* Do all readings go with a shoot-out of so many launches under this regime? Fewer launches do: they can be added. */
MUST_CHECK bool retiming_fits(struct store *s, const char *regime, int launches, bool *fit, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* final: readings of the winner shoot-out. */
#pragma once
#include "harness/record/store.h"

enum { FINAL_LAUNCHES = 100 }; /* most launches that a shoot-out has */
struct store_final {           /* winner shoot-out: a second, longer timing */
    int64_t trial;
    int launch;
    const char *regime;
    struct sample sample;
    double unix_s;
};

MUST_CHECK bool store_final_put(struct store *s, const struct store_final *f, struct err *err);
/* Of one trial, by launch. */
MUST_CHECK bool store_finals(struct store *s, struct arena *a, int64_t trial, struct store_final **out, int *n,
                             struct err *err);
/* Do all readings go with a shoot-out of so many launches under this regime? Fewer launches do: they can be added. */
MUST_CHECK bool finals_fit(struct store *s, const char *regime, int launches, bool *fit, struct err *err);

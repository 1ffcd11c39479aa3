/* SPDX-License-Identifier: Apache-2.0 */
/* event_sum: the numbers that the events of one kind hold in column seconds, added up by arm and name. */
#pragma once
#include "harness/record/database.h"

#define EVENT_SUM_NAMES 8

struct event_sum { /* of an arm: over all its rounds */
    const char *arm;
    int64_t rounds; /* that have such events */
    int64_t of[EVENT_SUM_NAMES];
};
struct event_kind {
    const char *kind;
    const char *(*name)(int which);
    int names; /* at most EVENT_SUM_NAMES */
};
/* The arms that have such events, in the order of their cells; in a. */
MUST_CHECK bool event_sums(struct database *db, struct arena *a, const struct event_kind *kind, struct event_sum **out,
                           int *n, struct err *err);

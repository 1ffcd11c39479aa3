/* SPDX-License-Identifier: Apache-2.0 */
/* evaluation_record: how often a round's ask had programs scored, as events of kind `evaluations`: name, and the number
 * in column seconds. */
#pragma once
#include "harness/plug/evaluations.h"
#include "harness/record/event_sum.h"

/* Within the caller's transaction; those that are 0 are not written. */
MUST_CHECK bool evaluation_record_put(struct database *db, int cell, int round, const struct evaluations *e,
                                      struct err *err);

/* The arms that counted, in the order of their cells, by enum evaluation; in a. */
MUST_CHECK bool evaluation_record_sum(struct database *db, struct arena *a, struct event_sum **out, int *n,
                                      struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* answer_record: how a recorded device answered the candidates of a round, as events of kind `answers`: name, and the
 * number in column seconds. Other targets have none. */
#pragma once
#include "harness/plug/sample.h"
#include "harness/record/event_sum.h"

/* Counts one more, within the caller's transaction. */
MUST_CHECK bool answer_record_count(struct database *db, int cell, int round, enum recorded_answer answer,
                                    struct err *err);

/* The arms that asked a recording, in the order of their cells, by enum recorded_answer; in a. */
MUST_CHECK bool answer_record_sum(struct database *db, struct arena *a, struct event_sum **out, int *n,
                                  struct err *err);

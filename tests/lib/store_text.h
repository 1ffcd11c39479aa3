/* SPDX-License-Identifier: Apache-2.0 */
/* store_text: a store as text, to compare two runs. */
#pragma once
#include "harness/record/store.h"

/* Every row but what differs from run to run (campaign row, event texts, clocks of real time), as text: on a virtual
 * target two runs of the same experiment give the same dump, however often they were interrupted. */
MUST_CHECK bool store_text(struct store *s, struct text *out, struct err *err);
/* The rows of a store without clocks and costs: on a real target whose answers are always the same, two runs of one
 * experiment give the same, however often they were interrupted. */
MUST_CHECK bool store_decided_text(struct store *s, struct text *out, struct err *err);
/* Of these the trials alone, in the order of their ids: while a run goes on, nothing but its end changes. */
MUST_CHECK bool store_trials_text(struct store *s, struct text *out, struct err *err);
/* One of these of the records in a folder, in the arena of fixture.h; NULL where they cannot be read. */
char *store_text_of(const char *dir, bool (*text)(struct store *s, struct text *out, struct err *err));

/* SPDX-License-Identifier: Apache-2.0 */
/* top_records: the fastest few programs that a cell found for one kernel, as its own readings say. */
#pragma once
#include "harness/record/store.h"

/* Ids of the records of at most `most` different programs (equal state hash: one), the fastest first; the first is
 * store_best's. Follows shared descents. ids: room for `most`. */
MUST_CHECK bool top_records_of(struct store *s, int cell, int task, int most, int64_t *ids, int *n, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* shard_merge: records_merge (harness/record/merge.h) of shards from machines of one kind, or of several by request. */
#pragma once
#include "harness/base/err.h"

/* Writes <out>/records.db. Also refused: shards whose machines differ (harness/tune/environment.h), unless unlike; then
 * the campaign's environment says what differs and which searches each kind of machine ran. missing: as in
 * records_merge. */
MUST_CHECK bool shards_merge(const char *out, const char *const *shards, int n, bool unlike, int *missing,
                             struct err *err);

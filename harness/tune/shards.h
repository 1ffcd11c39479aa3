/* SPDX-License-Identifier: Apache-2.0 */
/* shards: the shares of a campaign that need nothing of each other, so that several machines may run them. A network in
 * one seed stays together with all its arms, and with the networks that take kernels from it. */
#pragma once
#include "harness/tune/plan.h"

struct shard { /* number 0: the whole campaign */
    int number, of;
};
/* Reads "2/8": the second of eight. "": the whole. */
MUST_CHECK bool shard_parse(const char *text, struct shard *out, struct err *err);
int shard_parts(const struct plan *p); /* most shards that there can be */
/* What another shard runs, as struct plan keeps it; in a. The largest part by its expected trials goes first, to the
 * shard that has fewest, so all shards agree about it. Fails where there are fewer parts than shards. NULL: the whole
 * campaign. */
MUST_CHECK bool shard_elsewhere(const struct plan *p, struct shard shard, struct arena *a, const bool **out,
                                struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* shard_records: what a shard's folder says of it. */
#pragma once
#include "harness/fleet/fleet_engine.h"

/* What became of a shard that is with no engine: done, broken, idle, or running all the same (a process that a node
 * left behind writes to it). */
void shard_records_look(const struct fleet *f, struct fleet_shard *s);
/* The last line of <folder>/N.ends. False: there is none, or it was changed (then s->why says so). */
bool shard_records_end(const struct fleet *f, struct fleet_shard *s, const char **node, int *status);

/* SPDX-License-Identifier: Apache-2.0 */
/* node_record: on which machine records were made, as events of kind "node": of a campaign where it was run, of each
 * cell where shards were merged. The word for a machine names no one (harness/measure/host.h); where no time passes
 * there is none, as it does not matter. */
#pragma once
#include "harness/record/store.h"

#define STORE_EVENT_NODE "node"
/* The campaign runs on this machine from now on; "": nothing is put. Nor is it where it ran there before. */
MUST_CHECK bool node_record_put(struct store *s, const char *node, double unix_s, struct err *err);
/* Of each of n cells: the machines of its shard, joined by "+"; "": not recorded. In a. */
MUST_CHECK bool node_record_cells(struct store *s, struct arena *a, int n, const char **out, struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* batch_script: the script that Slurm starts for each shard. */
#pragma once
#include "harness/base/text.h"
#include "harness/fleet/fleet_engine.h"

/* program: what starts raingauge on a node. The script runs the shard of its task in the array, notes node and exit
 * status in N.ends, and submits its shard again where that helps: after a signal (also Slurm's, shortly before the end
 * of the task's time) and where srun failed (1) it goes on from its records, at most 100 times; after 3 and 7
 * (EXIT_INVALID, EXIT_ENVIRONMENT) on another node, at most 3 times. */
void batch_script(const struct fleet *f, const char *program, struct text *out);

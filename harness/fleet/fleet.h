/* SPDX-License-Identifier: Apache-2.0 */
/* fleet: a campaign as shards (harness/tune/shards.h) that an engine starts on other machines: Slurm, or ssh to a list
 * of hosts. Nothing of ours stays behind: what became of a shard is read from its records and from the engine, so the
 * same command with --resume finds it again, whatever was killed. Files of a fleet, in <results>/fleet: job.json
 * (fleet_job.h), lock (of the one that gathers), and for each shard N: N.log (what it printed) and N.ends (a line
 * "NODE STATUS" for each time that its run ended there). */
#pragma once
#include "harness/fleet/fleet_engine.h"

/* Submits, or with resume finds what was submitted; waits, showing one line; merges into <results>. True: the records
 * of the whole campaign are there, or with dry_run: all was shown. Errors: EXIT_USAGE (other shards, another program
 * or experiment than were submitted), EXIT_ENVIRONMENT (no scheduler, no host; a second gatherer; shards that are not
 * done), EXIT_INTERRUPTED. */
MUST_CHECK bool fleet_run(const struct fleet_spec *spec, const struct fleet_engine *engine, struct text *shown,
                          struct err *err);

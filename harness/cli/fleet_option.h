/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_option: the options of `run` for shards that an engine starts, and the words that each shard's run is given. */
#pragma once
#include "harness/cli/open.h"
#include "harness/fleet/fleet_on.h"

struct fleet_options {
    int64_t shards;
    const char *constraint, *gate, *processor;
    double time_s;
    bool dry_run;
};
#define SHARDS_ROW(S, member)                                                                                          \
    INT_SETTING("--shards", S, member, "0", 0, FLEET_SHARDS_MOST,                                                      \
                "shares of the campaign that --on slurm or several hosts run (0: one for each usable machine)",        \
                .word = "N")
#define FLEET_ROWS(S, member)                                                                                          \
    SHARDS_ROW(S, member.shards),                                                                                      \
        STRING_SETTING("--constraint", S, member.constraint, "",                                                       \
                       "with --on slurm: features that nodes must have; one processor model for all shards",           \
                       .word = "FEATURES"),                                                                            \
        DURATION_SETTING("--time", S, member.time_s, "0", 60, 31536000,                                                \
                         "with --on slurm: most that a task may take at a time; a shard that takes longer goes on in " \
                         "another task (0: the partition's limit)",                                                    \
                         .word = "TIME"),                                                                              \
        FLAG_SETTING("--dry-run", S, member.dry_run, "with --on slurm: print the batch script and submit nothing"),    \
        STRING_SETTING("--gate", S, member.gate, "",                                                                   \
                       "given to the runs of a fleet: end with 7 before anything is measured unless this is that "     \
                       "program, on the experiment's machine, and quiet",                                              \
                       .word = "PROGRAM"),                                                                             \
        STRING_SETTING("--one-processor", S, member.processor, "",                                                     \
                       "with --gate: the processor must be the one in this file, too; the first run writes it",        \
                       .word = "FILE")

struct fleet_command {
    const struct fleet_options *options;
    const struct open_options *open;
    const char *on;
    bool resume;
    int64_t object_cache;
};
/* *engine NULL: --on names no fleet, and no option is given that is for one. */
MUST_CHECK bool fleet_option_find(struct cli *c, const struct fleet_command *f, struct fleet_on *at,
                                  const struct fleet_engine **engine, struct err *err);
/* Runs the fleet to its end (harness/fleet/fleet.h). */
MUST_CHECK bool fleet_option_run(struct cli *c, const struct experiment *e, const struct fleet_command *f,
                                 const struct fleet_on *at, const struct fleet_engine *engine, struct err *err);
/* The gate of a shard's run; without --gate it passes. */
MUST_CHECK bool fleet_option_gate(struct cli *c, const struct experiment *e, const struct fleet_options *o,
                                  bool is_virtual, struct err *err);

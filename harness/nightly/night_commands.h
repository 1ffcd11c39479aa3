/* SPDX-License-Identifier: Apache-2.0 */
/* night_commands: the commands that a night gives to binaries, and where their values go in the history. Every command
 * ends by the night's deadline; false: it is over (err->code says so), or the command cannot be started. */
#pragma once
#include "harness/nightly/night_run.h"

/* A side of the rerun: the binary of an earlier night with its experiments, or tonight's. */
struct night_side {
    const char *word; /* in the history: "" tonight itself, "old", "new" */
    const char *binary, *experiments;
};

/* words ended by NULL; the first is the program. *status: its exit status. */
MUST_CHECK bool night_commands_run(struct night_run *r, const char *const *words, struct text *output, int *status,
                                   struct err *err);
/* What `BINARY --version` says, one line, in the night's arena. */
MUST_CHECK bool night_commands_version(struct night_run *r, const char *binary, const char **out, struct err *err);
/* One campaign into a results folder; its series go to the history, under ordinal unless that is 0 (each seed its own).
 * more: further values for --set, ended by NULL. */
MUST_CHECK bool night_commands_campaign(struct night_run *r, const struct night_side *side, const char *results,
                                        const char *const *more, int ordinal, struct err *err);
/* All programs of a file of pinned programs once, in a process of their own. Those that fail tonight are added to
 * r->broken. */
MUST_CHECK bool night_commands_launch(struct night_run *r, const struct night_side *side, const char *programs,
                                      int ordinal, struct err *err);
/* How many launches of a side are recorded whole: the fewest values of a program. */
MUST_CHECK bool night_commands_launches_done(struct night_run *r, const struct night_side *side, int *done,
                                             struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* open: the experiment that a verb was pointed at, from its options. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/experiment/experiment.h"

#define ASKS_EXPERIMENT "which experiment? `raingauge list experiments` names them"
#define TIER_WORD "smoke|short|judge|full"
struct open_options {
    const char *tier, *results;
    const char *folder; /* of results, whatever the name is; NULL: the name says it */
    struct setting_strings sets;
};
#define BUDGET_ROW(S, member, ...)                                                                                     \
    DURATION_SETTING("--budget", S, member, "0", 0.001, 315360000, __VA_ARGS__, .word = "TIME")
/* Rows for the option table of a verb, whose options' struct type has a struct open_options member. */
#define OPEN_ROWS(S, member)                                                                                           \
    STRING_SETTING("--tier", S, member.tier, NULL, "size of the run", .word = TIER_WORD, .group = GROUP_EXPERIMENT),   \
        STRING_SETTING("--results", S, member.results, NULL, "folder of the records (results/EXPERIMENT/TIER)",        \
                       .word = "DIR", .group = GROUP_EXPERIMENT),                                                      \
        STRINGS_SETTING("--set", S, member.sets,                                                                       \
                        "changes a value of the file: seeds=3, ansor.trials=100, regime.number=3",                     \
                        .word = "KEY=VALUE", .group = GROUP_EXPERIMENT)

/* name: of an experiment, or its file, or a results folder, which says the experiment and the tier. */
MUST_CHECK bool open_experiment(struct cli *c, const char *name, const struct open_options *o, struct experiment **out,
                                struct err *err);
/* The results folder that a word names, as only one with a slash does; NULL: it is the name or the file of an
 * experiment. */
const char *open_folder_of(struct cli *c, const char *word);

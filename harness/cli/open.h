/* SPDX-License-Identifier: Apache-2.0 */
/* open: the experiment that a verb was pointed at, from its options. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/experiment/experiment.h"

struct open_options {
    const char *tier, *results;
    struct option_list sets;
};
/* Rows for the option table of a verb, whose options' struct type has a struct open_options member. */
#define OPEN_ROWS(type, member)                                                                                        \
    OPTION_OF(GROUP_EXPERIMENT, type, member.tier, "--tier", "smoke|short|judge|full", "size of the run"),             \
        OPTION_OF(GROUP_EXPERIMENT, type, member.results, "--results", "DIR",                                          \
                  "folder of the records (results/EXPERIMENT/TIER)"),                                                  \
        OPTION_LIST(type, member.sets, "--set", "KEY=VALUE",                                                           \
                    "changes a value of the file: seeds=3, ansor.trials=100, regime.number=3")

/* name NULL: none was given, which is an error. */
MUST_CHECK bool open_experiment(struct cli *c, const char *name, const struct open_options *o, struct experiment **out,
                                struct err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* open: the experiment a verb was pointed at, from its shared options. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/experiment/experiment.h"

struct open_options {
    const char *tier, *results;
    struct option_list sets;
};
/* Rows for an option table: OPEN_ROWS(o) ends without {0}. */
#define OPEN_ROWS(o)                                                                                                   \
    {"--tier", "smoke|short|full", "size of the run", NULL, &(o).tier, NULL},                                          \
        {"--results", "DIR", "folder of the records", NULL, &(o).results, NULL},                                       \
    {                                                                                                                  \
        "--set", "KEY=VALUE", "changes a value of the file: seeds=3, ansor.trials=100, regime.number=3", NULL, NULL,   \
            &(o).sets                                                                                                  \
    }

MUST_CHECK bool open_experiment(struct cli *c, const char *name, const struct open_options *o, struct experiment **out,
                                struct err *err);

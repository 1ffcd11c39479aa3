/* SPDX-License-Identifier: Apache-2.0 */
/* target_option: the value of --target: a target's name, and settings of it after commas ("cpu,codegen=tvm"). */
#pragma once
#include "harness/cli/cli.h"

struct target_option {
    const struct target *target;
    const char *settings; /* "codegen=tvm", or "" */
};
/* False: no such target, or a setting that it lacks. */
MUST_CHECK bool target_option_parse(struct cli *c, const char *text, struct target_option *out, struct err *err);
/* The value of --layout: a layout mode; of_record: also "record", which is -1. */
MUST_CHECK bool target_option_layout(const char *word, bool of_record, int *out, struct err *err);

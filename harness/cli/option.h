/* SPDX-License-Identifier: Apache-2.0 */
/* option: the options of a verb are a table of settings (harness/base/settings.h) whose names begin with "--". A BOOL
 * is a flag, STRINGS may be given several times, and an ENUM is one of its choices. */
#pragma once
#include "harness/base/settings.h"

enum option_group { GROUP_VERB, GROUP_EXPERIMENT, GROUP_OUTPUT, GROUP_COUNT };

#define FLAG_SETTING(name, S, member, ...) BOOL_SETTING(name, S, member, "no", __VA_ARGS__)

/* NULL: the table has no such option. */
const struct setting *option_find(const struct setting *table, const char *name);
/* What follows the name: its word, or "text|tsv|json"; a flag: nothing. */
void option_value(const struct setting *o, struct text *t);
/* Its help, and its default unless that is nothing or 0, which the help then explains. */
void option_help(const struct setting *o, struct text *t);

/* SPDX-License-Identifier: Apache-2.0 */
/* settings: a table of named options over a plain struct, so that parsing, help and documentation cannot drift.
 * A plug-in lists its settings in such a table ended by {0}. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_type { SETTING_INT, SETTING_REAL, SETTING_BOOL, SETTING_STRING, SETTING_ENUM };

struct setting {
    const char *name, *help;
    enum setting_type type;
    size_t offset;              /* of int64_t, double, bool, const char * or int (enum index) in the options struct */
    const char *fallback;       /* default value as text */
    double min, max;            /* inclusive, for INT and REAL when min < max */
    const char *const *choices; /* ENUM: names ended by NULL */
};

int setting_count(const struct setting *table); /* table may be NULL */
void setting_defaults(const struct setting *table, void *options);
/* Strings are copied into a. Unknown names get a nearest-name hint, wrong values the allowed range. */
MUST_CHECK bool setting_set(const struct setting *table, void *options, struct arena *a, const char *name,
                            const char *value, struct err *err);
/* "name=value,name=value"; spaces allowed around commas. */
MUST_CHECK bool setting_parse(const struct setting *table, void *options, struct arena *a, const char *list,
                              struct err *err);
void setting_print(const struct setting *table, const void *options,
                   struct text *out);                             /* name=value,... in table order; parses back */
void setting_help(const struct setting *table, struct text *out); /* one line each */

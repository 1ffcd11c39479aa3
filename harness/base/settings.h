/* SPDX-License-Identifier: Apache-2.0 */
/* settings: a table of named values over a plain struct. Parsing, printing, help, ranges and hints follow from its
 * rows, so that none of them can differ from another. The settings of plug-ins, the keys of operators, the keys of YAML
 * files and the options of verbs (their names begin with "--") are such tables, each ended by {0}. Rows are written by
 * the macros below. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_type {
    SETTING_INT,
    SETTING_REAL,
    SETTING_DURATION, /* seconds: "90", "90s", "45m", "2h", "1d" */
    SETTING_BOOL,
    SETTING_STRING,
    SETTING_ENUM,
    SETTING_STRINGS, /* list of words; a YAML file gives all at once, setting_set one more */
    /* In YAML files only; harness/record/keys.h reads them. */
    SETTING_INTS,  /* list of whole numbers */
    SETTING_PAIRS, /* map of a plug-in's settings, kept as "name=value,..." */
    SETTING_MAP    /* map, or list of maps, with a table of its own; without a table, anything */
};

struct setting {
    const char *name, *help;
    enum setting_type type;
    size_t offset;              /* of the member in the struct of the table */
    const char *fallback;       /* default value as text; NULL: none */
    double min, max;            /* inclusive, for INT, REAL, DURATION and INTS when min < max */
    const char *const *choices; /* ENUM: names ended by NULL */
    size_t size;                /* of the member */
    bool needed;                /* a YAML file must give it */
    bool implied;               /* at its default it is not printed */
    bool content;               /* STRING: names a file that results hang on: what is in it is hashed */
    bool movable;               /* with content: and where it lies is not, so that it may be moved */
    bool command;               /* STRING: a command; what is in the files that its words name is hashed */
    bool derived;               /* follows from other keys: hashed and stored, but no file may give it */
    const char *column;         /* of records.db, where the value is kept; NULL: it is not kept */
    const char *hashed;         /* text before the value in the text that is hashed; NULL: it is not hashed */
    const struct setting *keys; /* MAP: the table of its own keys, over a struct at offset if it is hashed */
    const char *word;           /* of an option: what its value is called, "FILE"; NULL: its choices */
    int group;                  /* of an option: where its help stands (harness/cli/option.h) */
};
struct setting_ints { /* member of an INTS row */
    const int64_t *at;
    int n;
};
struct setting_strings { /* member of a STRINGS row */
    const char *const *at;
    int n;
};

/* Rows. The compiler checks the type of the member. After the help any other member of struct setting may follow:
 * INT_SETTING("batch", struct cell_keys, batch, "64", 1, 4096, "trials of a round", .column = "batch") */
#define INT_SETTING(key, S, member, first, least, most, ...)                                                           \
    {SETTING_ROW(INT, key, S, member, SETTING_WHOLE(S, member)), .fallback = first, .min = least, .max = most,         \
     .help = __VA_ARGS__}
#define REAL_SETTING(key, S, member, first, least, most, ...)                                                          \
    {SETTING_ROW(REAL, key, S, member, SETTING_IS(S, member, double)), .fallback = first, .min = least, .max = most,   \
     .help = __VA_ARGS__}
#define DURATION_SETTING(key, S, member, first, least, most, ...)                                                      \
    {SETTING_ROW(DURATION, key, S, member, SETTING_IS(S, member, double)), .fallback = first, .min = least,            \
     .max = most, .help = __VA_ARGS__}
#define BOOL_SETTING(key, S, member, first, ...)                                                                       \
    {SETTING_ROW(BOOL, key, S, member, SETTING_IS(S, member, bool)), .fallback = first, .help = __VA_ARGS__}
#define STRING_SETTING(key, S, member, first, ...)                                                                     \
    {SETTING_ROW(STRING, key, S, member, SETTING_IS(S, member, const char *)), .fallback = first, .help = __VA_ARGS__}
#define ENUM_SETTING(key, S, member, first, names, ...) /* the member: index of a name, int or an enum */              \
    {SETTING_ROW(ENUM, key, S, member, SETTING_WHOLE(S, member)), .fallback = first, .choices = names,                 \
     .help = __VA_ARGS__}
#define INTS_SETTING(key, S, member, least, most, ...)                                                                 \
    {SETTING_ROW(INTS, key, S, member, SETTING_IS(S, member, struct setting_ints)), .min = least, .max = most,         \
     .help = __VA_ARGS__}
#define STRINGS_SETTING(key, S, member, ...)                                                                           \
    {SETTING_ROW(STRINGS, key, S, member, SETTING_IS(S, member, struct setting_strings)), .help = __VA_ARGS__}
#define PAIRS_SETTING(key, S, member, ...)                                                                             \
    {SETTING_ROW(PAIRS, key, S, member, SETTING_IS(S, member, const char *)), .fallback = "", .help = __VA_ARGS__}
#define MAP_SETTING(key, table, ...) {.name = key, .type = SETTING_MAP, .keys = table, .help = __VA_ARGS__}

#define SETTING_ROW(kind, key, S, member, check)                                                                       \
    .name = key, .type = SETTING_##kind, .offset = offsetof(S, member) + (check), .size = sizeof(((S *)0)->member)
#define SETTING_IS(S, member, T) _Generic(((S *)0)->member, T: 0) /* else it does not compile */
#define SETTING_WHOLE(S, member)                                                                                       \
    _Generic(((S *)0)->member, int: 0, unsigned: 0, int64_t: 0) /* enums are unsigned                                  \
                                                                 */

void setting_defaults(const struct setting *table, void *options);
/* Strings are copied into a. Unknown names get a nearest-name hint, wrong values the allowed range or choices. */
MUST_CHECK bool setting_set(const struct setting *table, void *options, struct arena *a, const char *name,
                            const char *value, struct err *err);
/* "name=value,name=value"; spaces allowed around commas. */
MUST_CHECK bool setting_parse(const struct setting *table, void *options, struct arena *a, const char *list,
                              struct err *err);
/* "name=value,..." in table order; parses back. */
void setting_print(const struct setting *table, const void *options, struct text *out);
/* The rows of a struct that are not at their default, in table order, in a: so that texts that mean the same are the
 * same. placed: those that are movable, too. */
const char *setting_settled(struct arena *a, const struct setting *table, const void *options, bool placed);
/* A new struct of `size` bytes in a: the defaults, then the list, which may be NULL. */
MUST_CHECK bool setting_options(struct arena *a, const struct setting *table, size_t size, const char *list, void **out,
                                struct err *err);
/* The first row that is needed and empty, or NULL. Strings only. */
const struct setting *setting_missing(const struct setting *table, const void *options);
/* A value as setting_print has it: in double quotes where it needs them. */
void setting_quote(const char *v, struct text *out);
void setting_help(const struct setting *table, struct text *out); /* one line each */

/* One value. Whole numbers are those of INT, of BOOL (0, 1) and of ENUM (index); strings those of STRING and PAIRS. */
int64_t setting_int(const struct setting *row, const void *options);
const char *setting_str(const struct setting *row, const void *options); /* "" for NULL */
void setting_put_int(const struct setting *row, void *options, int64_t v);
void setting_put_str(const struct setting *row, void *options, const char *v); /* which is not copied */

/* The text of the rows that are hashed: see `hashed`. A brace that a row opens is closed after its value. */
void setting_hashed(const struct setting *table, const void *options, struct text *out);

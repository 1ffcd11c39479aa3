/* SPDX-License-Identifier: Apache-2.0 */
/* yaml: libyaml behind a small tree with places, so that every message can say file:line:column.
 *
 * Limits: 1 MiB, depth 32, 20,000 nodes (aliases count as often as they are used). One document. Duplicate keys are
 * errors. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/settings.h"

#include <stdbool.h>
#include <stdint.h>

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };
struct yaml {
    enum yaml_kind kind;
    const char *file;
    int line, column;       /* 1-based */
    const char *text;       /* SCALAR */
    bool quoted;            /* SCALAR: written in quotes, so never null, number or bool */
    int n;                  /* LIST: items; MAP: pairs */
    struct yaml *const *at; /* items, or values */
    struct yaml *const *keys;
};

/* The path of <folder>/<name>.yaml; a missing file is an error that has the nearest name. what: "machine". */
MUST_CHECK bool yaml_find(struct arena *a, const char *folder, const char *what, const char *name, const char **path,
                          struct err *err);
MUST_CHECK bool yaml_load(struct arena *a, const char *path, struct yaml **out, struct err *err);
MUST_CHECK bool yaml_parse(struct arena *a, const char *text, size_t n, const char *name, struct yaml **out,
                           struct err *err);

/* "file:line:column: message"; returns false. */
bool yaml_err(const struct yaml *at, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "unknown WHAT 'WORD'", with the nearest of n known words, else all of them; returns false. */
bool yaml_unknown(const struct yaml *at, struct err *err, const char *what, const char *word, const char *const *known,
                  int n);
/* node is a map with no other keys than these (ended by NULL); unknown ones get a hint. */
MUST_CHECK bool yaml_keys(const struct yaml *node, const char *const *known, struct err *err);
const struct yaml *yaml_get(const struct yaml *map, const char *key); /* NULL when absent; map may be NULL */
/* Typed reads of map[key]. Absent: *out keeps its value and true is returned, unless required. */
MUST_CHECK bool yaml_string(const struct yaml *map, const char *key, bool required, const char **out, struct err *err);
MUST_CHECK bool yaml_int(const struct yaml *map, const char *key, bool required, int64_t min, int64_t max, int64_t *out,
                         struct err *err);
MUST_CHECK bool yaml_real(const struct yaml *map, const char *key, bool required, double min, double max, double *out,
                          struct err *err);
MUST_CHECK bool yaml_bool(const struct yaml *map, const char *key, bool required, bool *out, struct err *err);
/* A list of scalars; one scalar counts as a list of one. */
MUST_CHECK bool yaml_strings(struct arena *a, const struct yaml *map, const char *key, bool required,
                             const char *const **out, int *n, struct err *err);
struct yaml_range {
    int64_t min, max;
};
MUST_CHECK bool yaml_ints(struct arena *a, const struct yaml *map, const char *key, bool required,
                          struct yaml_range range, struct setting_ints *out, struct err *err);
/* A map of scalars as "key=value,key=value" for settings tables, a value with a comma in quotes, a map within it as
 * such a value; "" when absent. */
MUST_CHECK bool yaml_settings(struct arena *a, const struct yaml *map, const char *key, const char **out,
                              struct err *err);

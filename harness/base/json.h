/* SPDX-License-Identifier: Apache-2.0 */
/* json: glue over cJSON. Reading: json_parse with line:column errors, typed getters. Writing: a tree is made by the
 * functions below and printed once; out of memory ends the process. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name is for messages ("file.json"). NULL: the text is one line whose place the caller knows (err_in_line). NULL on
 * error. Free with cJSON_Delete. At most 64 levels deep. */
MUST_CHECK cJSON *json_parse(const char *text, size_t n, const char *name, struct err *err);
const cJSON *json_get(const cJSON *obj, const char *key); /* NULL when absent */
const char *json_str(const cJSON *obj, const char *key, const char *fallback);
double json_num(const cJSON *obj, const char *key, double fallback);
bool json_int(const cJSON *item, int64_t *out); /* item is a whole number that fits in 2^53 */

/* ---- writing ---- */

cJSON *json_object(void);
cJSON *json_array(void);
/* Into an object under a key, or at the end of an array when key is NULL. A number that is not finite and a string
 * that is NULL become null. Bytes that are no UTF-8 become U+FFFD. */
cJSON *json_put_object(cJSON *in, const char *key);
cJSON *json_put_array(cJSON *in, const char *key);
/* Moves the members of one object into another. */
void json_move(cJSON *from, cJSON *to);
void json_put(cJSON *in, const char *key, cJSON *value); /* takes value over */
void json_put_number(cJSON *in, const char *key, double v);
void json_put_int(cJSON *in, const char *key, int64_t v); /* every digit, past 2^53 too */
void json_put_bool(cJSON *in, const char *key, bool v);
void json_put_str(cJSON *in, const char *key, const char *s);
void json_put_range(cJSON *in, const char *key, double low, double high); /* [low, high] */
/* Adds the value as one line without a newline at its end, and frees it. */
void json_print(cJSON *value, struct text *out);

/* ---- tables of members, which document JSON and write it ---- */

enum json_kind { JSON_BY_HAND, JSON_TEXT, JSON_INT, JSON_INT64, JSON_NUMBER, JSON_BOOL };
/* One member. In a path "[]" is each element of an array and "{name}" each member of an object. */
struct json_member {
    const char *path; /* "cells[].network"; NULL ends the table */
    const char *type; /* "text", "number", "seconds", "true or false", ... */
    const char *help; /* one sentence */
    bool sometimes;   /* it may be absent, or its parent may be empty or null */
    enum json_kind kind;
    int base;      /* which of the structs that are written has it */
    size_t offset; /* there */
};
#define MEMBER(path, type, help) {path, type, help, false, JSON_BY_HAND, 0, 0}
#define MEMBER_MAYBE(path, type, help) {path, type, help, true, JSON_BY_HAND, 0, 0}
/* The same of a field: FIELD("k", struct cell, 0, k, "count", "First records."), with the struct and its base. */
#define FIELD(path, ...) FIELD_ROW(false, path, __VA_ARGS__)
#define FIELD_MAYBE(path, ...) FIELD_ROW(true, path, __VA_ARGS__)
/* clang-format off */
#define FIELD_ROW(sometimes, path, of, base, field, type, help)                                                        \
    {path, type, help, sometimes,                                                                                      \
     _Generic(((of *)0)->field, const char *: JSON_TEXT, int: JSON_INT, int64_t: JSON_INT64, double: JSON_NUMBER,      \
              bool: JSON_BOOL), base, offsetof(of, field)}
/* clang-format on */
/* Writes the fields whose path is `under` and names without "[]". An empty text becomes null. Where
 * a base is NULL, its fields are left out. */
void json_put_fields(cJSON *in, const struct json_member *table, const char *under, const void *const *bases);
/* The list `key` of in, of n structs: an object each, of the fields under "key[].". */
void json_put_rows(cJSON *in, const struct json_member *table, const char *key, const void *rows, int n, size_t size);

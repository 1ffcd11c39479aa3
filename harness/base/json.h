/* SPDX-License-Identifier: Apache-2.0 */
/* json: glue over cJSON. Reading: json_parse with line:column errors, typed getters. Writing: struct text with
 * text_json/text_number. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* name is for messages ("file.json" or "file.jsonl:12"). NULL on error. Free with cJSON_Delete. Depth limited to 64. */
MUST_CHECK cJSON *json_parse(const char *text, size_t n, const char *name, struct err *err);
const cJSON *json_get(const cJSON *obj, const char *key); /* NULL when absent */
const char *json_str(const cJSON *obj, const char *key, const char *fallback);
double json_num(const cJSON *obj, const char *key, double fallback);
bool json_int(const cJSON *item, int64_t *out); /* item is a whole number that fits in 2^53 */

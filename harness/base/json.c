/* SPDX-License-Identifier: Apache-2.0 */
/* json: cJSON reads, this adds what a person needs when the text is wrong (line and column) and a depth limit: cJSON
 * recurses, and its own limit of 1000 is for larger stacks than a worker's. */
#include "harness/base/json.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static bool json_error(const char *text, const char *at, const char *name, const char *what, struct err *err)
{
    int line = 1, column = 1;
    for (const char *p = text; p < at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    return err_set(err, "%s:%d:%d: %s", name, line, column, what);
}

/* Where the nesting passes the limit, or NULL. Strings are skipped; other faults are left to the parser. */
static const char *too_deep(const char *text, size_t n)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > DEPTH_MAX)
            return text + i;
        else if (!quoted && (c == ']' || c == '}'))
            depth--;
    }
    return NULL;
}

cJSON *json_parse(const char *text, size_t n, const char *name, struct err *err)
{
    const char *deep = too_deep(text, n), *end = NULL;
    if (deep) {
        json_error(text, deep, name, "JSON nested deeper than 64", err);
        return NULL;
    }
    cJSON *root = cJSON_ParseWithLengthOpts(text, n, &end, false);
    if (!root) {
        if (!end || end < text || end > text + n)
            end = text + n;
        json_error(text, end, name, n == 0 ? "empty where JSON was expected" : "not valid JSON", err);
        return NULL;
    }
    while (end < text + n && *end && strchr(" \t\r\n", *end))
        end++;
    if (end < text + n) {
        json_error(text, end, name, "more text after the JSON value", err);
        cJSON_Delete(root);
        return NULL;
    }
    return root;
}

const cJSON *json_get(const cJSON *obj, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(obj, key);
}

const char *json_str(const cJSON *obj, const char *key, const char *fallback)
{
    const cJSON *item = json_get(obj, key);
    return cJSON_IsString(item) && item->valuestring ? item->valuestring : fallback;
}

double json_num(const cJSON *obj, const char *key, double fallback)
{
    const cJSON *item = json_get(obj, key);
    return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

bool json_int(const cJSON *item, int64_t *out)
{
    if (!cJSON_IsNumber(item) || fabs(item->valuedouble) > 0x1p53 || item->valuedouble != floor(item->valuedouble))
        return false;
    *out = (int64_t)item->valuedouble;
    return true;
}

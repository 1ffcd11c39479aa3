/* SPDX-License-Identifier: Apache-2.0 */
/* json: cJSON reads and writes. Added for reading are the place of an error and a depth limit: cJSON recurses, and its
 * own limit of 1000 is for larger stacks than a worker's. Added for writing are null for numbers that are not finite,
 * and valid UTF-8 for whatever bytes come in. */
#include "harness/base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static bool json_error(const char *text, const char *at, const char *name, const char *what, struct err *err)
{
    int line = 1, column = 1;
    for (const char *p = text; p < at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    if (!name) {
        err_set(err, "%s", what);
        if (err)
            err->column = column;
        return false;
    }
    return err_at(err, (struct err_place){name, line, column}, "%s", what);
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

/* ---- writing ---- */

static cJSON *made(cJSON *value)
{
    if (!value)
        bug("out of memory for JSON");
    return value;
}

cJSON *json_object(void)
{
    return made(cJSON_CreateObject());
}

cJSON *json_array(void)
{
    return made(cJSON_CreateArray());
}

void json_put(cJSON *in, const char *key, cJSON *value)
{
    made(value);
    if (!(key ? cJSON_AddItemToObject(in, key, value) : cJSON_AddItemToArray(in, value)))
        bug("out of memory for JSON");
}

cJSON *json_put_object(cJSON *in, const char *key)
{
    cJSON *o = json_object();
    json_put(in, key, o);
    return o;
}

cJSON *json_put_array(cJSON *in, const char *key)
{
    cJSON *a = json_array();
    json_put(in, key, a);
    return a;
}

void json_move(cJSON *from, cJSON *to)
{
    while (from->child) {
        cJSON *member = cJSON_DetachItemViaPointer(from, from->child);
        json_put(to, member->string, member);
    }
}

void json_put_number(cJSON *in, const char *key, double v)
{
    struct text digits = {0}; /* cJSON's own drop the last bit of some doubles */
    text_number(&digits, v);
    json_put(in, key, cJSON_CreateRaw(text_str(&digits)));
    text_free(&digits);
}

void json_put_int(cJSON *in, const char *key, int64_t v)
{
    struct text digits = {0}; /* cJSON's own end at 2^53 */
    text_int(&digits, v);
    json_put(in, key, cJSON_CreateRaw(text_str(&digits)));
    text_free(&digits);
}

void json_put_bool(cJSON *in, const char *key, bool v)
{
    json_put(in, key, cJSON_CreateBool(v));
}

void json_put_str(cJSON *in, const char *key, const char *s)
{
    struct text valid = {0};
    if (s)
        text_utf8(&valid, s);
    json_put(in, key, s ? cJSON_CreateString(text_str(&valid)) : cJSON_CreateNull());
    text_free(&valid);
}

void json_put_range(cJSON *in, const char *key, double low, double high)
{
    cJSON *range = json_put_array(in, key);
    json_put_number(range, NULL, low);
    json_put_number(range, NULL, high);
}

void json_print(cJSON *value, struct text *out)
{
    char *s = cJSON_PrintUnformatted(value);
    if (!s)
        bug("out of memory for JSON");
    cJSON_Delete(value);
    text_add(out, s);
    cJSON_free(s);
}

/* ---- tables of members ---- */

static void put_field(cJSON *in, const char *key, const struct json_member *m, const void *base)
{
    const void *at = (const char *)base + m->offset;
    const char *text = m->kind == JSON_TEXT ? *(const char *const *)at : NULL;
    if (m->kind == JSON_TEXT)
        json_put_str(in, key, text && *text ? text : NULL);
    else if (m->kind == JSON_NUMBER)
        json_put_number(in, key, *(const double *)at);
    else if (m->kind == JSON_BOOL)
        json_put_bool(in, key, *(const bool *)at);
    else
        json_put_int(in, key, m->kind == JSON_INT ? *(const int *)at : *(const int64_t *)at);
}

void json_put_fields(cJSON *in, const struct json_member *table, const char *under, const void *const *bases)
{
    for (const struct json_member *m = table; m->path; m++) {
        if (m->kind == JSON_BY_HAND || !str_starts(m->path, under))
            continue;
        const char *key = m->path + strlen(under), *dot;
        cJSON *parent = in;
        if (strstr(key, "[]") || !bases[m->base]) /* a caller has the bases of its own members only */
            continue;
        while ((dot = strchr(key, '.'))) { /* the object of which it is, where its first member stands */
            char name[40];
            snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
            cJSON *there = cJSON_GetObjectItemCaseSensitive(parent, name);
            parent = there ? there : json_put_object(parent, name);
            key = dot + 1;
        }
        put_field(parent, key, m, bases[m->base]);
    }
}

void json_put_rows(cJSON *in, const struct json_member *table, const char *key, const void *rows, int n, size_t size)
{
    cJSON *list = json_put_array(in, key);
    char under[80];
    snprintf(under, sizeof under, "%s[].", key);
    for (int i = 0; i < n; i++)
        json_put_fields(json_put_object(list, NULL), table, under,
                        (const void *const[]){(const char *)rows + (size_t)i * size});
}

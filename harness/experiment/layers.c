/* SPDX-License-Identifier: Apache-2.0 */
/* layers: each row is looked up, then read as its type says. */
#include "harness/experiment/layers.h"

#include "harness/base/text.h"

#include <stdint.h>

struct layers layers_of(struct arena *a, const struct yaml *map)
{
    return (struct layers){.arena = a, .at = {map}, .n = 1};
}

/* The map of the first layer that has the key; the lowest answers for absent keys. */
static const struct yaml *holder(const struct layers *l, const char *key)
{
    for (int i = 0; i < l->n; i++)
        if (yaml_get(l->at[i], key))
            return l->at[i];
    return l->at[l->n - 1];
}

const struct yaml *layers_get(const struct layers *l, const char *key)
{
    return yaml_get(holder(l, key), key);
}

const struct yaml *layers_place(const struct layers *l, const char *key)
{
    const struct yaml *map = holder(l, key), *value = yaml_get(map, key);
    return value ? value : map;
}

/* ---- names ---- */

static bool unknown_key(const struct yaml *key, const struct setting *const *tables, struct err *err)
{
    const char *names[64];
    int n = 0;
    for (; *tables; tables++)
        for (const struct setting *s = *tables; s->name; s++) {
            if (!s->derived && n < 64)
                names[n++] = s->name;
        }
    return yaml_unknown(key, err, "key", key->text, names, n);
}

static bool has_key(const struct setting *const *tables, const char *name)
{
    for (; *tables; tables++)
        for (const struct setting *s = *tables; s->name; s++)
            if (!s->derived && str_eq(s->name, name))
                return true;
    return false;
}

bool layers_known(const struct yaml *map, const struct setting *const *tables, struct err *err)
{
    if (map->kind != YAML_MAP)
        return yaml_err(map, err, "expected a map of keys and values");
    for (int i = 0; i < map->n; i++)
        if (!has_key(tables, map->keys[i]->text))
            return unknown_key(map->keys[i], tables, err);
    return true;
}

/* ---- values ---- */

static void *member(const struct setting *s, void *out)
{
    return (char *)out + s->offset;
}

/* The whole numbers that a row takes. */
static int64_t least(const struct setting *s)
{
    return s->min < s->max ? (int64_t)s->min : INT64_MIN;
}

static int64_t most(const struct setting *s)
{
    return s->min < s->max ? (int64_t)s->max : INT64_MAX;
}

static bool read_whole(const struct yaml *map, const struct setting *s, void *out, struct err *err)
{
    int64_t v = setting_int(s, out);
    if (!yaml_int(map, s->name, s->needed, least(s), most(s), &v, err))
        return false;
    setting_put_int(s, out, v);
    return true;
}

static bool read_real(const struct yaml *map, const struct setting *s, void *out, struct err *err)
{
    return yaml_real(map, s->name, s->needed, s->min, s->max, member(s, out), err);
}

/* Index of the word among the row's choices. */
static bool choice_of(const struct yaml *at, const struct setting *s, const char *word, int *index, struct err *err)
{
    int n = 0;
    for (; s->choices[n]; n++)
        if (str_eq(s->choices[n], word)) {
            *index = n;
            return true;
        }
    return yaml_unknown(at, err, s->name, word, s->choices, n);
}

static bool read_word(const struct yaml *map, const struct setting *s, void *out, struct err *err)
{
    const char *word = NULL;
    int index = 0;
    if (!yaml_string(map, s->name, s->needed, &word, err) ||
        (word && s->choices && !choice_of(yaml_get(map, s->name), s, word, &index, err)))
        return false;
    if (word && s->type == SETTING_ENUM)
        setting_put_int(s, out, index);
    else if (word)
        setting_put_str(s, out, word);
    return true;
}

/* The lowest layer's first, then what the upper ones change. */
bool layers_settings(const struct layers *l, int n, const char *key, const char **out, struct err *err)
{
    *out = "";
    for (int i = n - 1; i >= 0; i--) {
        const char *one = "";
        if (!yaml_settings(l->arena, l->at[i], key, &one, err))
            return false;
        if (*one)
            *out = **out ? arena_printf(l->arena, "%s,%s", *out, one) : one;
    }
    return true;
}

struct layers layers_below(const struct layers *l)
{
    struct layers file = {.arena = l->arena};
    for (int i = l->nsets; i < l->n; i++)
        file.at[file.n++] = l->at[i];
    return file;
}

static bool read_pairs(const struct layers *l, const struct setting *s, void *out, struct err *err)
{
    const char *all;
    if (!layers_settings(l, l->n, s->name, &all, err))
        return false;
    setting_put_str(s, out, all);
    return true;
}

static bool read_row(const struct layers *l, const struct setting *s, void *out, struct err *err)
{
    const struct yaml *map = holder(l, s->name);
    struct setting_strings *strings = member(s, out);
    switch (s->type) {
    case SETTING_INT:
        return read_whole(map, s, out, err);
    case SETTING_REAL:
        return read_real(map, s, out, err);
    case SETTING_BOOL:
        return yaml_bool(map, s->name, s->needed, member(s, out), err);
    case SETTING_STRING:
    case SETTING_ENUM:
        return read_word(map, s, out, err);
    case SETTING_INTS:
        return yaml_ints(l->arena, map, s->name, s->needed, (struct yaml_range){least(s), most(s)}, member(s, out),
                         err);
    case SETTING_STRINGS:
        return yaml_strings(l->arena, map, s->name, s->needed, &strings->at, &strings->n, err);
    case SETTING_PAIRS:
        return read_pairs(l, s, out, err);
    case SETTING_MAP:
        return true;
    case SETTING_DURATION: /* of options only */
        break;
    }
    bug("key '%s' has type %d", s->name, (int)s->type);
}

bool layers_read(const struct layers *l, const struct setting *table, void *out, struct err *err)
{
    for (const struct setting *s = table; s->name; s++) {
        const struct setting one[] = {*s, {0}};
        if (s->derived || s->type == SETTING_MAP)
            continue;
        setting_defaults(one, out);
        if (!read_row(l, s, out, err))
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* yaml: the event parser of libyaml, turned into a tree. Aliases point at the anchored node, which makes bombs cheap to
 * hold; the node count still grows with every use, so they hit the limit. */
#include "harness/experiment/yaml.h"

#include "harness/base/file.h"
#include "harness/base/map.h"
#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { MOST_BYTES = 1 << 20, MOST_DEPTH = 32, MOST_NODES = 20000, MOST_ANCHORS = 256 };

struct anchor {
    const char *name;
    struct yaml *node;
    int size; /* nodes below and including it */
};
struct reader {
    struct arena *a;
    yaml_parser_t parser;
    const char *file, *text;
    size_t size; /* of text */
    struct anchor anchors[MOST_ANCHORS];
    int nanchors, nodes, depth;
    struct err *err;
};

/* An option has no lines. */
static struct err_place place_of(const char *file, int line, int column)
{
    return str_starts(file, "--") ? (struct err_place){file, 0, 0} : (struct err_place){file, line, column};
}

static bool fail_at(struct reader *r, yaml_mark_t at, const char *what)
{
    return err_at(r->err, place_of(r->file, (int)at.line + 1, (int)at.column + 1), "%s", what);
}

/* Where byte `offset` of the file is: bytes that are no text have an offset and no mark. */
static yaml_mark_t mark_of(const struct reader *r, size_t offset)
{
    yaml_mark_t at = {.index = offset};
    for (size_t i = 0; i < offset && i < r->size; i++) {
        bool ends = r->text[i] == '\n', begins = ((unsigned char)r->text[i] & 0xc0) != 0x80;
        at.line += ends;
        at.column = ends ? 0 : at.column + begins;
    }
    return at;
}

static bool next(struct reader *r, yaml_event_t *e)
{
    if (yaml_parser_parse(&r->parser, e))
        return true;
    const char *why = r->parser.problem ? r->parser.problem : "not YAML";
    if (r->parser.error == YAML_READER_ERROR)
        return fail_at(r, mark_of(r, r->parser.problem_offset), why);
    if (strncmp(why, "found character that cannot start", 33) == 0)
        why = "a tab or another character that cannot start a value here";
    yaml_mark_t at = r->parser.problem_mark;
    return fail_at(r, at, why);
}

static bool read_node(struct reader *r, yaml_event_t *e, struct yaml **out);

static bool remember(struct reader *r, const yaml_char_t *name, struct yaml *node, int size, yaml_mark_t at)
{
    if (!name)
        return true;
    if (r->nanchors == MOST_ANCHORS)
        return fail_at(r, at, "more than 256 anchors");
    r->anchors[r->nanchors++] = (struct anchor){arena_str(r->a, (const char *)name), node, size};
    return true;
}

static bool use_alias(struct reader *r, const char *name, yaml_mark_t at, struct yaml **out)
{
    for (int i = r->nanchors - 1; i >= 0; i--)
        if (str_eq(r->anchors[i].name, name)) {
            r->nodes += r->anchors[i].size;
            *out = r->anchors[i].node;
            return r->nodes <= MOST_NODES || fail_at(r, at, "aliases make this file larger than 20,000 values");
        }
    return fail_at(r, at, arena_printf(r->a, "unknown alias '%s'", name));
}

struct growing {
    struct yaml **at;
    int n, cap;
};

static void grow(struct arena *a, struct growing *g, struct yaml *node)
{
    if (g->n == g->cap) {
        int cap = g->cap ? 2 * g->cap : 8;
        struct yaml **at = ARENA_ARRAY(a, struct yaml *, cap);
        if (g->n)
            memcpy(at, g->at, sizeof *at * (size_t)g->n);
        g->at = at;
        g->cap = cap;
    }
    g->at[g->n++] = node;
}

static bool add_key(struct reader *r, struct growing *keys, struct yaml *key)
{
    if (key->kind != YAML_SCALAR)
        return yaml_err(key, r->err, "a key must be a plain word");
    for (int i = 0; i < keys->n; i++)
        if (str_eq(keys->at[i]->text, key->text))
            return yaml_err(key, r->err, "key '%s' is given twice, first in line %d", key->text, keys->at[i]->line);
    grow(r->a, keys, key);
    return true;
}

static bool read_children(struct reader *r, struct yaml *node, yaml_event_type_t end)
{
    struct growing keys = {0}, items = {0};
    for (;;) {
        yaml_event_t e;
        struct yaml *child = NULL;
        if (!next(r, &e))
            return false;
        if (e.type == end) {
            yaml_event_delete(&e);
            break;
        }
        if (!read_node(r, &e, &child))
            return false;
        bool is_key = node->kind == YAML_MAP && keys.n == items.n;
        if (is_key && !add_key(r, &keys, child))
            return false;
        if (!is_key)
            grow(r->a, &items, child);
    }
    node->n = items.n;
    node->at = items.at;
    node->keys = keys.at;
    return true;
}

static bool read_open(struct reader *r, yaml_event_t *e, struct yaml *node)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        node->kind = YAML_SCALAR;
        node->text = arena_strn(r->a, (const char *)e->data.scalar.value, e->data.scalar.length);
        node->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        return strlen(node->text) == e->data.scalar.length || fail_at(r, e->start_mark, "a zero byte in a value");
    case YAML_SEQUENCE_START_EVENT:
        node->kind = YAML_LIST;
        return read_children(r, node, YAML_SEQUENCE_END_EVENT);
    case YAML_MAPPING_START_EVENT:
        node->kind = YAML_MAP;
        return read_children(r, node, YAML_MAPPING_END_EVENT);
    default:
        return fail_at(r, e->start_mark, "a value is missing");
    }
}

static const yaml_char_t *anchor_of(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT           ? e->data.scalar.anchor
           : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor
           : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.anchor
                                                  : NULL;
}

/* Consumes the event. */
static bool read_node(struct reader *r, yaml_event_t *e, struct yaml **out)
{
    bool done;
    if (e->type == YAML_ALIAS_EVENT) {
        done = use_alias(r, (const char *)e->data.alias.anchor, e->start_mark, out);
    } else if (r->depth == MOST_DEPTH || ++r->nodes > MOST_NODES) {
        done =
            fail_at(r, e->start_mark, r->depth == MOST_DEPTH ? "nested more than 32 deep" : "more than 20,000 values");
    } else {
        struct yaml *node = ARENA_NEW(r->a, struct yaml);
        int before = r->nodes;
        node->file = r->file;
        node->line = (int)e->start_mark.line + 1;
        node->column = (int)e->start_mark.column + 1;
        r->depth++;
        done = read_open(r, e, node) && remember(r, anchor_of(e), node, r->nodes - before + 1, e->start_mark);
        r->depth--;
        *out = node;
    }
    yaml_event_delete(e);
    return done;
}

static bool read_document(struct reader *r, struct yaml **out)
{
    yaml_event_t e;
    bool any = false;
    for (;;) {
        if (!next(r, &e))
            return false;
        yaml_event_type_t type = e.type;
        yaml_mark_t at = e.start_mark;
        if (type == YAML_STREAM_END_EVENT || type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT ||
            type == YAML_DOCUMENT_END_EVENT) {
            yaml_event_delete(&e);
            if (type == YAML_DOCUMENT_START_EVENT && any)
                return fail_at(r, at, "a second document: one file holds one");
            if (type == YAML_STREAM_END_EVENT)
                return any || err_at(r->err, (struct err_place){r->file, 1, 1}, "the file is empty");
            continue;
        }
        any = true;
        if (!read_node(r, &e, out))
            return false;
    }
}

bool yaml_parse(struct arena *a, const char *text, size_t n, const char *name, struct yaml **out, struct err *err)
{
    if (n > MOST_BYTES)
        return err_set(err, "%s: larger than 1 MiB", name);
    struct reader r = {.a = a, .file = arena_str(a, name), .text = text, .size = n, .err = err};
    if (!yaml_parser_initialize(&r.parser))
        return err_set(err, "%s: no memory for the YAML parser", name);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
    bool done = read_document(&r, out);
    yaml_parser_delete(&r.parser);
    return done;
}

bool yaml_find(struct arena *a, const char *folder, const char *what, const char *name, const char **path,
               struct err *err)
{
    char **names;
    int n = 0;
    struct err why = {0};
    *path = file_join(a, folder, arena_printf(a, "%s.yaml", name));
    if (file_exists(*path))
        return true;
    if (strchr(name, '/') || str_ends(name, ".yaml"))
        return err_set(err, "unknown %s '%s': it is named without folder and ending, '%s'", what, name,
                       file_stem(a, name));
    const char *near =
        file_list(a, folder, ".yaml", &names, &n, &why) ? str_nearest(name, (const char *const *)names, n) : NULL;
    if (str_eq(near, name))
        return err_set(err, "%s '%s': '%s' is a link to a file that is not there", what, name, *path);
    return near ? err_set(err, "unknown %s '%s': did you mean '%s'?", what, name, near)
                : err_set(err, "unknown %s '%s': there is no '%s'; `raingauge list %ss` names those there are", what,
                          name, *path, what);
}

bool yaml_load(struct arena *a, const char *path, struct yaml **out, struct err *err)
{
    char *text;
    size_t n;
    return file_read(a, path, MOST_BYTES, &text, &n, err) && yaml_parse(a, text, n, path, out, err);
}

bool yaml_err(const struct yaml *at, struct err *err, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_at(err, place_of(at->file, at->line, at->column), "%s", text);
}

bool yaml_unknown(const struct yaml *at, struct err *err, const char *what, const char *word, const char *const *known,
                  int n)
{
    struct err why = {0};
    str_unknown(&why, what, word, known, n);
    return yaml_err(at, err, "%s", why.text);
}

bool yaml_keys(const struct yaml *node, const char *const *known, struct err *err)
{
    int n = 0;
    if (node->kind != YAML_MAP)
        return yaml_err(node, err, "expected a map of keys and values");
    while (known[n])
        n++;
    for (int i = 0; i < node->n; i++) {
        const char *key = node->keys[i]->text;
        bool found = false;
        for (int k = 0; k < n && !found; k++)
            found = str_eq(key, known[k]);
        if (found)
            continue;
        return yaml_unknown(node->keys[i], err, "key", key, known, n);
    }
    return true;
}

const struct yaml *yaml_get(const struct yaml *map, const char *key)
{
    for (int i = 0; map && map->kind == YAML_MAP && i < map->n; i++)
        if (str_eq(map->keys[i]->text, key))
            return map->at[i];
    return NULL;
}

/* map[key] as a scalar; *found false when absent. */
static bool scalar(const struct yaml *map, const char *key, bool required, const struct yaml **out, struct err *err)
{
    *out = yaml_get(map, key);
    if (!*out)
        return !required || yaml_err(map, err, "key '%s' is missing", key);
    return (*out)->kind == YAML_SCALAR || yaml_err(*out, err, "'%s' must be a single value", key);
}

bool yaml_string(const struct yaml *map, const char *key, bool required, const char **out, struct err *err)
{
    const struct yaml *v;
    if (!scalar(map, key, required, &v, err))
        return false;
    if (v)
        *out = v->text;
    return true;
}

/* wanted: "a whole number". */
static bool no_number(const struct yaml *v, const char *key, const char *wanted, struct err *err)
{
    if (v->kind != YAML_SCALAR)
        return yaml_err(v, err, "'%s' must be %s, not a %s", key, wanted, v->kind == YAML_MAP ? "map" : "list");
    const char *why = v->quoted                                          ? " in quotes, which make it text"
                      : strspn(v->text, "0123456789") == strlen(v->text) ? ", which has too many digits"
                                                                         : "";
    return yaml_err(v, err, "'%s' must be %s, not '%s'%s", key, wanted, v->text, why);
}

static bool read_int(const struct yaml *v, const char *key, int64_t min, int64_t max, int64_t *out, struct err *err)
{
    if (v->kind != YAML_SCALAR || v->quoted || !str_int(v->text, out))
        return no_number(v, key, "a whole number", err);
    if (*out < min || *out > max)
        return yaml_err(v, err, "'%s' must be between %lld and %lld, not %s", key, (long long)min, (long long)max,
                        v->text);
    return true;
}

bool yaml_int(const struct yaml *map, const char *key, bool required, int64_t min, int64_t max, int64_t *out,
              struct err *err)
{
    const struct yaml *v;
    return scalar(map, key, required, &v, err) && (!v || read_int(v, key, min, max, out, err));
}

bool yaml_real(const struct yaml *map, const char *key, bool required, double min, double max, double *out,
               struct err *err)
{
    const struct yaml *v;
    if (!scalar(map, key, required, &v, err))
        return false;
    if (!v)
        return true;
    if (v->quoted || !str_real(v->text, out))
        return no_number(v, key, "a number", err);
    return (*out >= min && *out <= max) ||
           yaml_err(v, err, "'%s' must be between %g and %g, not %s", key, min, max, v->text);
}

bool yaml_bool(const struct yaml *map, const char *key, bool required, bool *out, struct err *err)
{
    const struct yaml *v;
    if (!scalar(map, key, required, &v, err))
        return false;
    if (!v)
        return true;
    *out = str_eq(v->text, "true");
    return *out || str_eq(v->text, "false") || yaml_err(v, err, "'%s' must be true or false, not '%s'", key, v->text);
}

static bool as_list(const struct yaml *map, const char *key, bool required, const struct yaml **v, int *n,
                    struct err *err)
{
    *v = yaml_get(map, key);
    if (!*v)
        return !required || yaml_err(map, err, "key '%s' is missing", key);
    if ((*v)->kind == YAML_MAP)
        return yaml_err(*v, err, "'%s' must be a list", key);
    *n = (*v)->kind == YAML_LIST ? (*v)->n : 1;
    return true;
}

bool yaml_strings(struct arena *a, const struct yaml *map, const char *key, bool required, const char *const **out,
                  int *n, struct err *err)
{
    const struct yaml *v;
    int count = 0;
    if (!as_list(map, key, required, &v, &count, err))
        return false;
    if (!v)
        return true;
    const char **list = ARENA_ARRAY(a, const char *, count + 1);
    for (int i = 0; i < count; i++) {
        const struct yaml *item = v->kind == YAML_LIST ? v->at[i] : v;
        if (item->kind != YAML_SCALAR)
            return yaml_err(item, err, "'%s' must be a list of words", key);
        list[i] = item->text;
    }
    *out = list;
    *n = count;
    return true;
}

bool yaml_ints(struct arena *a, const struct yaml *map, const char *key, bool required, struct yaml_range range,
               struct setting_ints *out, struct err *err)
{
    const struct yaml *v;
    int count = 0;
    if (!as_list(map, key, required, &v, &count, err))
        return false;
    if (!v)
        return true;
    int64_t *list = ARENA_ARRAY(a, int64_t, count + 1);
    for (int i = 0; i < count; i++)
        if (!read_int(v->kind == YAML_LIST ? v->at[i] : v, key, range.min, range.max, &list[i], err))
            return false;
    *out = (struct setting_ints){list, count};
    return true;
}

/* A value of a list of settings; a map is the settings of a plug-in within one: "a=1,b=2" in quotes. */
static bool add_setting(struct arena *a, const struct yaml *map, int i, struct text *out, struct err *err)
{
    const struct yaml *v = map->at[i];
    const char *value = v->text;
    if (v->kind == YAML_MAP && !yaml_settings(a, map, map->keys[i]->text, &value, err))
        return false;
    if (v->kind != YAML_MAP && v->kind != YAML_SCALAR)
        return yaml_err(v, err, "'%s' must be a single value", map->keys[i]->text);
    text_printf(out, "%s=", map->keys[i]->text);
    if (value[0] == '"') /* quoted already */
        text_add(out, value);
    else
        setting_quote(value, out);
    return true;
}

bool yaml_settings(struct arena *a, const struct yaml *map, const char *key, const char **out, struct err *err)
{
    const struct yaml *v = yaml_get(map, key);
    *out = "";
    if (!v)
        return true;
    if (v->kind != YAML_MAP)
        return yaml_err(v, err, "'%s' must be a map of settings", key);
    struct text t = {0};
    for (int i = 0; i < v->n; i++) {
        text_add(&t, i ? "," : "");
        if (!add_setting(a, v, i, &t, err)) {
            text_free(&t);
            return false;
        }
    }
    *out = text_keep(&t, a);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* settings: values reach the struct through offsets, after fio's option tables. Text with a comma, a quote or outer
 * spaces is printed in double quotes and parses back. */
#include "harness/base/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void *field(const struct setting *s, void *options)
{
    return (char *)options + s->offset;
}

static const void *field_of(const struct setting *s, const void *options)
{
    return (const char *)options + s->offset;
}

static bool limited(const struct setting *s)
{
    return s->min < s->max;
}

static bool bad_value(const struct setting *s, const char *value, const char *wanted, struct err *err)
{
    struct text range = {0};
    if (limited(s)) {
        text_add(&range, " from ");
        text_number(&range, s->min);
        text_add(&range, " to ");
        text_number(&range, s->max);
    }
    err_set(err, "%s '%s' is '%s', must be %s%s", str_starts(s->name, "--") ? "option" : "setting", s->name, value,
            wanted, text_str(&range));
    text_free(&range);
    return false;
}

void setting_put_int(const struct setting *s, void *options, int64_t v)
{
    if (s->type == SETTING_BOOL)
        *(bool *)field(s, options) = v != 0;
    else if (s->type == SETTING_ENUM || s->size == sizeof(int))
        *(int *)field(s, options) = (int)v;
    else
        *(int64_t *)field(s, options) = v;
}

int64_t setting_int(const struct setting *s, const void *options)
{
    const void *at = field_of(s, options);
    /* NOLINTNEXTLINE(clang-analyzer-core.*): set where it is used */
    return s->type == SETTING_BOOL                             ? *(const bool *)at
           : s->type == SETTING_ENUM || s->size == sizeof(int) ? *(const int *)at
                                                               : *(const int64_t *)at;
}

void setting_put_str(const struct setting *s, void *options, const char *v)
{
    *(const char **)field(s, options) = v;
}

const char *setting_str(const struct setting *s, const void *options)
{
    const char *v = *(const char *const *)field_of(s, options);
    return v ? v : "";
}

static bool set_int(const struct setting *s, void *options, const char *value, struct err *err)
{
    int64_t v;
    if (!str_int(value, &v) || (limited(s) && ((double)v < s->min || (double)v > s->max)))
        return bad_value(s, value, "a whole number", err);
    setting_put_int(s, options, v);
    return true;
}

static bool set_real(const struct setting *s, void *options, const char *value, struct err *err)
{
    double v;
    if (!str_real(value, &v) || (limited(s) && (v < s->min || v > s->max)))
        return bad_value(s, value, "a number", err);
    *(double *)field(s, options) = v;
    return true;
}

static bool set_duration(const struct setting *s, void *options, const char *value, struct err *err)
{
    static const char UNITS[] = "smhd";
    static const double SECONDS[] = {1, 60, 3600, 86400};
    char *end;
    double v = strtod(value, &end);
    const char *unit = *end && !end[1] ? strchr(UNITS, *end) : NULL;
    v *= unit ? SECONDS[unit - UNITS] : 1;
    if (end == value || (*end && !unit) || (limited(s) && !(v >= s->min && v <= s->max)))
        return bad_value(s, value, "a time like 90m, 2h or 1d, in seconds", err);
    *(double *)field(s, options) = v;
    return true;
}

static bool set_bool(const struct setting *s, void *options, const char *value, struct err *err)
{
    static const char *const WORDS[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++) {
        if (!str_eq(value, WORDS[i]))
            continue;
        setting_put_int(s, options, i % 2);
        return true;
    }
    return bad_value(s, value, "yes or no", err);
}

static bool set_enum(const struct setting *s, void *options, const char *value, struct err *err)
{
    struct text names = {0};
    text_add(&names, "one of");
    for (int i = 0; s->choices[i]; i++) {
        if (str_eq(value, s->choices[i])) {
            setting_put_int(s, options, i);
            text_free(&names);
            return true;
        }
        text_printf(&names, "%s %s", i ? "," : "", s->choices[i]);
    }
    bad_value(s, value, text_str(&names), err);
    text_free(&names);
    return false;
}

/* One more word. */
static bool add_string(const struct setting *s, void *options, struct arena *a, const char *value)
{
    struct setting_strings *list = field(s, options);
    const char **at = ARENA_ARRAY(a, const char *, list->n + 1);
    for (int i = 0; i < list->n; i++)
        at[i] = list->at[i];
    at[list->n] = arena_str(a, value);
    *list = (struct setting_strings){at, list->n + 1};
    return true;
}

static bool set_field(const struct setting *s, void *options, struct arena *a, const char *value, struct err *err)
{
    switch (s->type) {
    case SETTING_INT:
        return set_int(s, options, value, err);
    case SETTING_REAL:
        return set_real(s, options, value, err);
    case SETTING_DURATION:
        return set_duration(s, options, value, err);
    case SETTING_BOOL:
        return set_bool(s, options, value, err);
    case SETTING_ENUM:
        return set_enum(s, options, value, err);
    case SETTING_STRING:
        setting_put_str(s, options, a ? arena_str(a, value) : value);
        return true;
    case SETTING_STRINGS:
        return add_string(s, options, a, value);
    default:
        break;
    }
    bug("setting '%s' is of a YAML file only", s->name);
}

/* A default comes from the program text, so a string one needs no copy and a wrong one is a defect. Lists and
 * maps are empty. */
void setting_defaults(const struct setting *table, void *options)
{
    for (const struct setting *s = table; s && s->name; s++) {
        struct err err = {0};
        struct setting any = *s; /* a default may lie outside of what can be given */
        any.min = any.max = 0;
        if (s->type == SETTING_PAIRS || (!s->fallback && s->type == SETTING_STRING))
            setting_put_str(s, options, s->fallback);
        else if (s->type > SETTING_ENUM)
            memset(field(s, options), 0, s->size);
        else if (!s->fallback || !set_field(&any, options, NULL, s->fallback, &err))
            bug("setting '%s' has a bad default: %s", s->name, err.text);
    }
}

static bool unknown(const struct setting *table, const char *name, struct err *err)
{
    const char *names[64] = {0};
    int n = 0;
    for (const struct setting *s = table; s && s->name && n < 64; s++)
        names[n++] = s->name;
    return str_unknown(err, "setting", name, names, n);
}

bool setting_set(const struct setting *table, void *options, struct arena *a, const char *name, const char *value,
                 struct err *err)
{
    for (const struct setting *s = table; s && s->name; s++)
        if (str_eq(s->name, name))
            return set_field(s, options, a, value, err);
    return unknown(table, name, err);
}

static const char *skip_space(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* One value up to a comma, or in double quotes with backslash escapes; the end, or NULL if a quote is missing. */
static const char *read_value(const char *p, struct text *value)
{
    text_clear(value);
    p = skip_space(p);
    if (*p != '"') {
        size_t n = strcspn(p, ",");
        const char *end = p + n;
        while (n > 0 && isspace((unsigned char)p[n - 1]))
            n--;
        text_addn(value, p, n);
        return end;
    }
    for (p++; *p && *p != '"'; p++) {
        if (*p == '\\' && p[1])
            p++;
        text_char(value, *p);
    }
    return *p ? skip_space(p + 1) : NULL;
}

static bool parse_pairs(const struct setting *table, void *options, struct arena *a, const char *list,
                        struct text *name, struct text *value, struct err *err)
{
    const char *p = skip_space(list);
    while (*p) {
        size_t n = strcspn(p, "=,");
        if (p[n] != '=')
            return err_set(err, "setting '%.*s' has no value, write name=value", (int)n, p);
        const char *after = p + n + 1;
        while (n > 0 && isspace((unsigned char)p[n - 1]))
            n--;
        text_clear(name);
        text_addn(name, p, n);
        p = read_value(after, value);
        if (!p)
            return err_set(err, "setting '%s' lacks its closing quote", text_str(name));
        if (!setting_set(table, options, a, text_str(name), text_str(value), err))
            return false;
        if (*p && *p != ',')
            return err_set(err, "text after the value of setting '%s': '%s'", text_str(name), p);
        p = skip_space(p + (*p == ','));
    }
    return true;
}

bool setting_parse(const struct setting *table, void *options, struct arena *a, const char *list, struct err *err)
{
    struct text name = {0}, value = {0};
    bool fine = parse_pairs(table, options, a, list, &name, &value, err);
    text_free(&name);
    text_free(&value);
    return fine;
}

bool setting_options(struct arena *a, const struct setting *table, size_t size, const char *list, void **out,
                     struct err *err)
{
    *out = arena_alloc(a, size + 1);
    setting_defaults(table, *out);
    return setting_parse(table, *out, a, list ? list : "", err);
}

void setting_quote(const char *v, struct text *out)
{
    size_t n = strlen(v);
    bool plain =
        !strpbrk(v, ",\"\\") && (n == 0 || (!isspace((unsigned char)v[0]) && !isspace((unsigned char)v[n - 1])));
    if (plain) {
        text_add(out, v);
        return;
    }
    text_char(out, '"');
    for (; *v; v++) {
        if (*v == '"' || *v == '\\')
            text_char(out, '\\');
        text_char(out, *v);
    }
    text_char(out, '"');
}

static void print_value(const struct setting *s, const void *options, struct text *out)
{
    switch (s->type) {
    case SETTING_INT:
        text_int(out, setting_int(s, options));
        break;
    case SETTING_REAL:
        /* NOLINTNEXTLINE(clang-analyzer-core.*): set where it is used */
        text_number(out, *(const double *)field_of(s, options));
        break;
    case SETTING_BOOL:
        text_add(out, setting_int(s, options) ? "yes" : "no");
        break;
    case SETTING_ENUM:
        text_add(out, s->choices[setting_int(s, options)]);
        break;
    case SETTING_STRING:
        setting_quote(setting_str(s, options), out);
        break;
    default:
        bug("setting '%s' is of a YAML file only", s->name);
    }
}

static bool setting_is_default(const struct setting *row, const void *options)
{
    union {
        int64_t whole;
        double real;
        bool flag;
        const char *string;
        int choice;
    } first;
    struct setting one[] = {*row, {0}};
    struct text is = {0}, was = {0};
    one[0].offset = 0;
    setting_defaults(one, &first);
    print_value(row, options, &is);
    print_value(one, &first, &was);
    bool same = str_eq(text_str(&is), text_str(&was));
    text_free(&is);
    text_free(&was);
    return same;
}

void setting_print(const struct setting *table, const void *options, struct text *out)
{
    const char *comma = "";
    for (const struct setting *s = table; s && s->name; s++) {
        if (s->type == SETTING_STRING && !*(const char *const *)field_of(s, options))
            continue;
        if (s->implied && setting_is_default(s, options))
            continue;
        text_printf(out, "%s%s=", comma, s->name);
        print_value(s, options, out);
        comma = ",";
    }
}

const char *setting_settled(struct arena *a, const struct setting *table, const void *options, bool placed)
{
    struct text t = {0};
    for (const struct setting *s = table; s && s->name; s++) {
        if (setting_is_default(s, options) || (s->movable && !placed))
            continue;
        text_printf(&t, "%s%s=", t.len ? "," : "", s->name);
        print_value(s, options, &t);
    }
    return text_keep(&t, a);
}

void setting_hashed(const struct setting *table, const void *options, struct text *out)
{
    for (const struct setting *s = table; s->name; s++) {
        if (!s->hashed)
            continue;
        text_add(out, s->hashed);
        if (s->type == SETTING_STRING || s->type == SETTING_PAIRS)
            text_add(out, setting_str(s, options));
        else if (s->type == SETTING_MAP)
            setting_print(s->keys, field_of(s, options), out);
        else
            text_int(out, setting_int(s, options));
        if (str_ends(s->hashed, "{"))
            text_char(out, '}');
    }
}

void setting_help(const struct setting *table, struct text *out)
{
    for (const struct setting *s = table; s && s->name; s++) {
        text_printf(out, "  %-24s %s", s->name, s->help);
        const char *open = " (";
        for (int i = 0; s->type == SETTING_ENUM && s->choices[i]; i++, open = ", ")
            text_printf(out, "%s%s", i ? "|" : open, s->choices[i]);
        if (limited(s)) {
            text_printf(out, "%s", open);
            text_number(out, s->min);
            text_add(out, " to ");
            text_number(out, s->max);
            open = ", ";
        }
        text_printf(out, "%sdefault %s)\n", open, s->fallback && *s->fallback ? s->fallback : "none");
    }
}

const struct setting *setting_missing(const struct setting *table, const void *options)
{
    for (const struct setting *s = table; s && s->name; s++)
        if (s->needed && s->type == SETTING_STRING && !*setting_str(s, options))
            return s;
    return NULL;
}

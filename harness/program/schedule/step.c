/* SPDX-License-Identifier: Apache-2.0 */
/* step: reading and writing steps as TVM's records hold them (TVM's transform_step.cc). One walk
 * over the field letters of the table serves printing and parsing, so the two cannot drift. Only the form is checked
 * here; whether a step applies is the state's business (schedule.c). */
#include "harness/program/schedule/step.h"

#include <string.h>

static const struct {
    const char *code, *fields;
} TABLE[STEP_COUNT] = {
#define X(id, fields) {#id, fields},
    STEPS(X)
#undef X
};

#define UNROLL_PRAGMA "auto_unroll_max_step$"
#define NUMBER_MAX (INT64_C(1) << 40)

const char *step_code(enum step_kind k)
{
    return TABLE[k].code;
}

int step_new_stages(enum step_kind k)
{
    if (k == STEP_RI)
        return 3;
    return k == STEP_CHR || k == STEP_CHW || k == STEP_RF;
}

/* What a field is called in messages. */
static const char *field_name(char letter)
{
    static const char *const NAMES[] = {"iterator", "target stage", "extent", "list", "flag", "text"};
    const char *letters = "itelbs", *at = strchr(letters, letter);
    return at ? NAMES[at - letters] : "value";
}

static void print_list(const struct step *s, struct text *out)
{
    text_char(out, '[');
    for (int i = 0; i < s->n; i++) {
        text_add(out, i ? ", " : "");
        text_int(out, s->list[i]);
    }
    text_char(out, ']');
}

static void step_print(const struct step *s, struct text *out)
{
    text_add(out, "[\"");
    text_add(out, TABLE[s->kind].code);
    text_add(out, "\", ");
    text_int(out, s->stage);
    for (const char *f = TABLE[s->kind].fields; *f; f++) {
        text_add(out, ", ");
        if (*f == 'l')
            print_list(s, out);
        else if (*f == 's')
            text_json(out, s->text);
        else
            text_int(out, *f == 'i'   ? s->iter
                          : *f == 't' ? s->target
                          : *f == 'e' ? s->extent
                          : *f == 'v' ? s->value
                          : *f == 'w' ? s->value2
                                      : s->flag);
    }
    text_char(out, ']');
}

void steps_print(const struct step *steps, int n, struct text *out)
{
    text_char(out, '[');
    for (int i = 0; i < n; i++) {
        text_add(out, i ? ", " : "");
        step_print(&steps[i], out);
    }
    text_char(out, ']');
}

/* Reading */

static bool read_number(const cJSON *item, int64_t lo, int64_t hi, int64_t *out, struct err *err)
{
    if (!json_int(item, out))
        return err_set(err, "not a whole number");
    if (*out < lo || *out > hi)
        return err_set(err, "%lld is outside %lld..%lld", (long long)*out, (long long)lo, (long long)hi);
    return true;
}

static bool read_list(struct arena *a, const cJSON *item, struct step *s, struct err *err)
{
    if (!cJSON_IsArray(item))
        return err_set(err, "not a list");
    int n = cJSON_GetArraySize(item), i = 0;
    if (n > STEP_LIST_MAX)
        return err_set(err, "%d entries, at most %d are allowed", n, STEP_LIST_MAX);
    int64_t *list = ARENA_ARRAY(a, int64_t, n ? n : 1);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, item)
    {
        if (!read_number(entry, 0, NUMBER_MAX, &list[i], err))
            return err_context(err, "entry %d", i);
        i++;
    }
    s->n = n;
    s->list = list;
    return true;
}

static bool read_text(struct arena *a, const cJSON *item, struct step *s, struct err *err)
{
    if (!cJSON_IsString(item))
        return err_set(err, "not a string");
    if (strlen(item->valuestring) > 200)
        return err_set(err, "longer than 200 characters");
    s->text = arena_str(a, item->valuestring);
    if (s->kind != STEP_PR || !str_starts(s->text, UNROLL_PRAGMA))
        return true;
    if (!str_int(s->text + strlen(UNROLL_PRAGMA), &s->value) || s->value < 0 || s->value > NUMBER_MAX)
        return err_set(err, "no number after '%s' in '%s'", UNROLL_PRAGMA, s->text);
    return true;
}

static bool read_field(struct arena *a, char letter, const cJSON *item, struct step *s, struct err *err)
{
    int64_t v = 0;
    if (letter == 'l')
        return read_list(a, item, s, err);
    if (letter == 's')
        return read_text(a, item, s, err);
    bool small = letter == 'i' || letter == 't';
    if (!read_number(item, letter == 'v' || letter == 'w' ? -NUMBER_MAX : 0,
                     letter == 'b' ? 1
                     : small       ? INT32_MAX
                                   : NUMBER_MAX,
                     &v, err))
        return false;
    if (letter == 'i')
        s->iter = (int)v;
    else if (letter == 't')
        s->target = (int)v;
    else if (letter == 'e')
        s->extent = v;
    else if (letter == 'b')
        s->flag = v != 0;
    else
        *(letter == 'v' ? &s->value : &s->value2) = v;
    return true;
}

static bool read_kind(const cJSON *item, struct step *s, struct err *err)
{
    if (!cJSON_IsString(item))
        return err_set(err, "no step code");
    for (int k = 0; k < STEP_COUNT; k++)
        if (str_eq(TABLE[k].code, item->valuestring)) {
            s->kind = (enum step_kind)k;
            return true;
        }
    return err_set(err, "unknown step code '%.20s'", item->valuestring);
}

static bool step_parse(struct arena *a, const cJSON *json, struct step *out, struct err *err)
{
    *out = (struct step){0};
    if (!cJSON_IsArray(json))
        return err_set(err, "a step is not a list");
    const cJSON *item = json->child;
    if (!read_kind(item, out, err))
        return false;
    const char *fields = TABLE[out->kind].fields;
    int want = (int)strlen(fields) + 2, have = cJSON_GetArraySize(json);
    if (have != want)
        return err_set(err, "%s has %d fields, not %d", TABLE[out->kind].code, have, want);
    int64_t stage = 0;
    item = item->next;
    if (!read_number(item, 0, INT32_MAX, &stage, err))
        return err_context(err, "%s: field 1 (stage)", TABLE[out->kind].code);
    out->stage = (int)stage;
    for (int i = 0; fields[i]; i++) {
        item = item->next;
        if (!read_field(a, fields[i], item, out, err))
            return err_context(err, "%s: field %d (%s)", TABLE[out->kind].code, i + 2, field_name(fields[i]));
    }
    return true;
}

bool steps_parse(struct arena *a, const cJSON *json, struct step **out, int *n, struct err *err)
{
    if (!cJSON_IsArray(json))
        return err_set(err, "steps are not a list");
    int count = cJSON_GetArraySize(json), i = 0;
    if (count > STEPS_MAX)
        return err_set(err, "%d steps, at most %d are allowed", count, STEPS_MAX);
    struct step *steps = ARENA_ARRAY(a, struct step, count ? count : 1);
    const cJSON *item;
    cJSON_ArrayForEach(item, json)
    {
        if (!step_parse(a, item, &steps[i], err))
            return err_context(err, "step %d", i);
        i++;
    }
    *out = steps;
    *n = count;
    return true;
}

struct step *steps_copy(struct arena *a, const struct step *steps, int n)
{
    struct step *copy = ARENA_ARRAY(a, struct step, n ? n : 1);
    for (int i = 0; i < n; i++) {
        copy[i] = steps[i];
        if (steps[i].n > 0)
            copy[i].list = ARENA_DUP(a, steps[i].list, int64_t, steps[i].n);
        copy[i].text = arena_str(a, steps[i].text);
    }
    return copy;
}

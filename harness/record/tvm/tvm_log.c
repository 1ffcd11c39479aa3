/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_log: TVM's record lines (harness/doc/ansor.md, "Records"). A reader of other people's files: every field is
 * checked, and a broken line costs that line only.
 *
 * Two forms of line: TVM's own {"i": [[key, target, hw, host, layout, ...], [stages, steps]], "r": [costs, error,
 * all_cost, time], "v": "v0.6"}, where short task arrays are legal, and the flat form of the authors' kernel sets,
 * which names the same fields and adds kind and desc. Failed costs are 1e10 in both and are no times. */
#include "harness/record/tvm/tvm_log.h"

#include "harness/base/vec.h"
#include "harness/record/record_lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FAILED_COST 1e10
enum { LINE_MAX_BYTES = 1 << 20 };

/* Reading ------------------------------------------------------------------------------------------------------- */

static const cJSON *at(const cJSON *array, int i)
{
    return cJSON_IsArray(array) ? cJSON_GetArrayItem(array, i) : NULL;
}

static const char *text_of(struct arena *a, const cJSON *item, const char *fallback)
{
    return arena_str(a, cJSON_IsString(item) && item->valuestring ? item->valuestring : fallback);
}

static bool read_costs(const cJSON *list, struct tvm_log_entry *e, struct err *err)
{
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) < 1)
        return err_set(err, "no list of costs");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || !(item->valuedouble > 0) || !isfinite(item->valuedouble))
            return err_set(err, "a cost is not a number above 0");
        if (e->ncosts < SAMPLE_REPEATS)
            e->costs[e->ncosts++] = item->valuedouble;
    }
    return true;
}

static bool read_result(const cJSON *costs, const cJSON *error, const cJSON *all, const cJSON *unix_time,
                        struct tvm_log_entry *e, struct err *err)
{
    int64_t v;
    e->measured = true;
    if (!read_costs(costs, e, err))
        return false;
    if (!json_int(error, &v) || v < 0 || v > 8)
        return err_set(err, "the error number is not 0 to 8");
    e->error = (int)v;
    if (!cJSON_IsNumber(all) || !(all->valuedouble >= 0))
        return err_set(err, "the total cost is not a number of seconds");
    e->all_cost_s = all->valuedouble;
    if (!json_int(unix_time, &e->unix_s))
        return err_set(err, "the time is not a whole number");
    return true;
}

static bool read_hardware(const cJSON *list, struct tvm_log_entry *e, struct err *err)
{
    if (!list)
        return true; /* a short task array */
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > 8)
        return err_set(err, "the hardware parameters are not a list of at most 8 numbers");
    for (int i = 0; i < cJSON_GetArraySize(list); i++)
        if (!json_int(cJSON_GetArrayItem(list, i), &e->hw[i]))
            return err_set(err, "hardware parameter %d is not a whole number", i);
    return true;
}

static bool read_layout(const cJSON *item, int fallback, struct tvm_log_entry *e, struct err *err)
{
    int64_t v = fallback;
    if (item && (!json_int(item, &v) || v < 0 || v > 2))
        return err_set(err, "the layout mode is not 0, 1 or 2");
    e->layout = (int)v;
    return true;
}

static bool read_key(struct arena *a, struct tvm_log_entry *e, struct err *err)
{
    struct err inner = {0};
    cJSON *key = json_parse(e->workload_key, strlen(e->workload_key), "key", &inner);
    const cJSON *first = at(key, 0);
    bool fine = cJSON_IsString(first);
    if (fine)
        e->hash = arena_str(a, first->valuestring);
    cJSON_Delete(key);
    return fine || err_set(err, "the workload key is not a JSON list that starts with a name");
}

static bool read_tvm(struct arena *a, const cJSON *root, struct tvm_log_entry *e, struct err *err)
{
    const cJSON *i = json_get(root, "i"), *r = json_get(root, "r"), *task = at(i, 0), *state = at(i, 1);
    struct step *steps = NULL;
    if (!cJSON_IsString(at(task, 0)))
        return err_set(err, "no workload key at i[0][0]");
    e->workload_key = text_of(a, at(task, 0), "");
    e->target = text_of(a, at(task, 1), "");
    e->host = text_of(a, at(task, 3), "");
    e->version = text_of(a, json_get(root, "v"), "");
    if (at(task, 5)) {
        struct text t = {0};
        json_print(cJSON_Duplicate(at(task, 5), true), &t);
        e->inputs = text_keep(&t, a);
    }
    if (!cJSON_IsArray(at(state, 1)))
        return err_set(err, "no list of steps at i[1][1]");
    if (!read_key(a, e, err) || !read_hardware(at(task, 2), e, err) || !read_layout(at(task, 4), 0, e, err) ||
        !steps_parse(a, at(state, 1), &steps, &e->nsteps, err))
        return false;
    e->steps = steps;
    return read_result(at(r, 0), at(r, 1), at(r, 2), at(r, 3), e, err);
}

/* The key that the record had: [hash, shapes...] in the nested form. */
static const char *flat_key(struct arena *a, const cJSON *root)
{
    struct text t = {0};
    cJSON *list = json_array();
    const cJSON *shape = NULL;
    json_put_str(list, NULL, json_str(root, "hash", ""));
    cJSON_ArrayForEach(shape, json_get(root, "shapes")) json_put(list, NULL, cJSON_Duplicate(shape, true));
    json_print(list, &t);
    return text_keep(&t, a);
}

/* A residual that is read before the data shows only in the order of the shapes: the second is an activation. */
static bool residual_first(const cJSON *root, const char *desc)
{
    return strstr(desc, "add=1") && cJSON_GetArraySize(at(json_get(root, "shapes"), 1)) == 5;
}

static bool read_flat(struct arena *a, const cJSON *root, struct tvm_log_entry *e, struct err *err)
{
    struct step *steps = NULL;
    const char *kind = json_str(root, "kind", NULL), *desc = json_str(root, "desc", NULL);
    e->workload_key = flat_key(a, root);
    e->hash = text_of(a, json_get(root, "hash"), "");
    if (kind && desc)
        e->spec = arena_printf(a, "%s %s%s", kind, desc, residual_first(root, desc) ? " order=residual" : "");
    e->id = arena_str(a, json_str(root, "id", NULL));
    e->label = arena_str(a, json_str(root, "case", NULL));
    e->target = text_of(a, json_get(root, "target"), "");
    e->host = text_of(a, json_get(root, "host"), "");
    e->version = text_of(a, json_get(root, "version"), "");
    if (!cJSON_IsArray(json_get(root, "steps")))
        return err_set(err, "no list of steps");
    if (!read_hardware(json_get(root, "hw"), e, err) || !read_layout(json_get(root, "layout_rewrite"), 2, e, err) ||
        !steps_parse(a, json_get(root, "steps"), &steps, &e->nsteps, err))
        return false;
    e->steps = steps;
    if (!json_get(root, "costs") && !json_get(root, "error"))
        return true; /* a state only */
    return read_result(json_get(root, "costs"), json_get(root, "error"), json_get(root, "total_cost"),
                       json_get(root, "time"), e, err);
}

bool tvm_log_parse(struct arena *a, const char *text, size_t n, struct tvm_log_entry *out, struct err *err)
{
    *out = (struct tvm_log_entry){.hash = "", .target = "", .host = "", .version = ""};
    if (n > LINE_MAX_BYTES)
        return err_set(err, "line of %zu bytes, at most %d are read", n, LINE_MAX_BYTES);
    cJSON *root = json_parse(text, n, NULL, err);
    if (!root)
        return false;
    bool fine = cJSON_IsObject(root) || err_set(err, "not a JSON object");
    fine = fine && (json_get(root, "i") ? read_tvm(a, root, out, err) : read_flat(a, root, out, err));
    if (fine && out->version[0] && !str_eq(out->version, "v0.6"))
        fine = err_set(err, "version '%s', only v0.6 is read", out->version);
    cJSON_Delete(root);
    return fine;
}

/* Files */

struct tvm_log_file {
    FILE *f;
    const char *path; /* the caller's */
    int line, index;  /* of the next */
    char *text;       /* the line: room for LINE_MAX_BYTES + 1 */
    size_t n;         /* its length, whatever was kept of it */
};

bool tvm_log_open(const char *path, struct tvm_log_file **out, struct err *err)
{
    FILE *f;
    if (!record_lines_open(path, &f, err))
        return false;
    struct tvm_log_file *file = calloc(1, sizeof *file);
    char *text = malloc(LINE_MAX_BYTES + 2);
    if (!file || !text)
        bug("out of memory");
    *file = (struct tvm_log_file){.f = f, .path = path, .line = 1, .text = text};
    *out = file;
    return true;
}

void tvm_log_close(struct tvm_log_file *f)
{
    if (!f)
        return;
    fclose(f->f);
    free(f->text);
    free(f);
}

/* The next line without its end; of one that is too long only the length is right. False at the end. */
static bool next_line(struct tvm_log_file *f)
{
    int c = getc_unlocked(f->f);
    f->n = 0;
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc_unlocked(f->f)) {
        if (f->n <= LINE_MAX_BYTES)
            f->text[f->n] = (char)c;
        f->n++;
    }
    return true;
}

static bool is_comment(const char *line, size_t n)
{
    return n == 0 || line[0] == '#' || line[0] == ' ' || (n == 1 && line[0] == '\r');
}

enum tvm_log_line tvm_log_next(struct tvm_log_file *f, struct arena *a, struct tvm_log_entry *out, struct err *err)
{
    int skipped = 0;
    while (next_line(f)) {
        if (is_comment(f->text, f->n)) {
            skipped++;
            continue;
        }
        struct arena_mark mark = arena_mark(a);
        bool fine = tvm_log_parse(a, f->text, f->n, out, err);
        out->line = f->line + skipped;
        out->index = f->index++;
        f->line = out->line + 1;
        if (fine)
            return TVM_LOG_RECORD;
        arena_release(a, mark);
        return TVM_LOG_REFUSED;
    }
    f->line += skipped;
    if (!ferror(f->f))
        return TVM_LOG_END;
    err_set(err, "%s: %s", f->path, strerror(errno));
    return TVM_LOG_UNREADABLE;
}

bool tvm_log_count(struct tvm_log_file *f, int *n, struct err *err)
{
    *n = 0;
    while (next_line(f))
        *n += !is_comment(f->text, f->n);
    if (ferror(f->f) || fseek(f->f, 0, SEEK_SET) != 0)
        return err_set(err, "%s: %s", f->path, strerror(errno));
    f->line = 1;
    f->index = 0;
    return true;
}

struct reader {
    VEC(struct tvm_log_entry) entries;
    VEC(const char *) refused;
};

static bool read_all(struct tvm_log_file *f, struct arena *a, struct reader *r, struct err *err)
{
    for (;;) {
        struct tvm_log_entry e;
        struct err why = {0};
        enum tvm_log_line kind = tvm_log_next(f, a, &e, &why);
        if (kind == TVM_LOG_UNREADABLE)
            return err_set(err, "%s", why.text);
        if (kind == TVM_LOG_END)
            return true;
        if (kind == TVM_LOG_RECORD)
            vec_push(&r->entries, e);
        else {
            err_in_line(&why, f->path, e.line);
            vec_push(&r->refused, arena_str(a, why.text));
        }
    }
}

bool tvm_log_read(struct arena *a, const char *path, struct tvm_log *out, struct err *err)
{
    struct tvm_log_file *f = NULL;
    struct reader r = {0};
    *out = (struct tvm_log){0};
    if (!tvm_log_open(path, &f, err))
        return false;
    bool fine = read_all(f, a, &r, err);
    out->skipped = f->line - 1 - f->index;
    out->n = r.entries.n;
    out->nrefused = r.refused.n;
    out->entries = ARENA_ARRAY(a, struct tvm_log_entry, out->n);
    out->refused = ARENA_ARRAY(a, const char *, out->nrefused);
    if (out->n)
        memcpy(out->entries, r.entries.at, sizeof *out->entries * (size_t)out->n);
    if (out->nrefused)
        memcpy(out->refused, r.refused.at, sizeof *out->refused * (size_t)out->nrefused);
    vec_free(&r.entries);
    vec_free(&r.refused);
    tvm_log_close(f);
    return fine;
}

/* A record is a JSON object. A file of which none of the first lines begins one holds something else, and the errors of
 * all its lines would not say so. */
bool tvm_log_looks(const char *path, struct err *err)
{
    enum { LINES = 8 };
    FILE *f;
    char *line = NULL;
    size_t size = 0;
    int number = 0, first = 0, seen = 0;
    bool records = false;
    if (!record_lines_open(path, &f, err))
        return false;
    while (!records && seen < LINES && getline(&line, &size, f) > 0) {
        const char *s = line + strspn(line, " \t\r\n");
        number++;
        if (!*s || *s == '#')
            continue;
        first = first ? first : number;
        seen++;
        records = *s == '{';
    }
    free(line);
    fclose(f);
    return records || !seen ||
           err_set(err, "%s:%d: no record file: one JSON object a line is expected, as in TVM's logs", path, first);
}

/* Samples --------------------------------------------------------------------------------------------------------- */

/* TVM has one number for several of our outcomes; the first of ours with that number is taken. */
static enum outcome outcome_of(int error)
{
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (outcome_tvm((enum outcome)o) == error)
            return (enum outcome)o;
    return OUTCOME_UNKNOWN;
}

void tvm_log_sample(const struct tvm_log_entry *e, struct sample *out)
{
    *out = (struct sample){.outcome = outcome_of(e->error), .cost_s = e->all_cost_s, .model_score = NAN};
    if (e->error)
        snprintf(out->message, sizeof out->message, "TVM error %d", e->error);
    for (int i = 0; i < e->ncosts && e->error == 0; i++)
        out->seconds[out->nseconds++] = e->costs[i];
}

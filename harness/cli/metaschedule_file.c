/* SPDX-License-Identifier: Apache-2.0 */
/* metaschedule_file: see metaschedule_file.h. A workload is read when its first record comes, and once. */
#include "harness/cli/metaschedule_file.h"

#include "harness/base/file.h"
#include "harness/base/unpack.h"
#include "harness/base/vec.h"
#include "harness/program/lower/lower.h"
#include "harness/record/tvm/tir_module.h"
#include "search/trace/trace_import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MOST = 8 << 20, WORKLOADS_MOST = 4096, READS_MOST = 32 };
#define FAILED_COST 1e10
#define RECORDS "database_tuning_record.json"

struct workload_line {
    const char *text; /* NULL once it was read */
    const char *key;  /* hash and shapes, as a workload key of auto_scheduler */
    const char *why;  /* it is no known kernel; NULL: it is */
    const char **names;
    struct task *task;
    struct trace_space *space;
};
struct metaschedule_file {
    struct arena *a;
    FILE *records;
    char *line;
    size_t size;
    int number, index;
    struct record_task *identity;
    const char *task, *path;
    VEC(struct workload_line) workloads;
};

/* ---- files ---- */

static const char *records_path(struct arena *a, const char *path)
{
    return file_is_dir(path) ? file_join(a, path, RECORDS) : path;
}

/* Beside the records, and named as they are but for that word. */
static const char *workloads_path(struct arena *a, const char *records)
{
    const char *name = file_name(records);
    const char *word = strstr(name, "tuning_record");
    if (!word)
        return arena_printf(a, "%.*sdatabase_workload.json", (int)(name - records), records);
    return arena_printf(a, "%.*sworkload%s", (int)(word - records), records, word + strlen("tuning_record"));
}

/* "[0,[[", but for blanks. */
static bool begins_as_records(const char *path)
{
    struct err ignored;
    FILE *f;
    char head[64] = "";
    if (!unpack_open(path, &f, &ignored))
        return false;
    size_t n = fread(head, 1, sizeof head - 1, f), i = strspn(head, " \n[");
    fclose(f);
    size_t digits = strspn(head + i, "0123456789");
    const char *rest = head + i + digits;
    return n > 0 && head[0] == '[' && digits > 0 && str_starts(rest + strspn(rest, ", "), "[[");
}

bool metaschedule_looks(const char *path)
{
    struct arena *a = arena_open("looks");
    bool looks = file_is_dir(path) ? file_exists(records_path(a, path)) : begins_as_records(path);
    arena_close(a);
    return looks;
}

const char *metaschedule_title(struct arena *a, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    char *title = arena_strn(a, path, n), *slash = strrchr(title, '/');
    if (slash && str_eq(slash + 1, RECORDS) && slash > title)
        *slash = 0;
    return title;
}

/* False: a line past the limit, or reading failed; *more is false at the end. */
static bool next_line(struct metaschedule_file *m, FILE *f, const char *path, int *number, bool *more, struct err *err)
{
    ssize_t n;
    while ((n = getline(&m->line, &m->size, f)) > 0) {
        (*number)++;
        if (n > LINE_MOST)
            return err_set(err, "%s:%d: line of %zd bytes, at most %d are read", path, *number, n, LINE_MOST);
        if (m->line[strspn(m->line, " \t\r\n")])
            break;
    }
    *more = n > 0;
    return n > 0 || !ferror(f) || err_set(err, "%s: %s", path, strerror(errno));
}

static bool read_workloads(struct metaschedule_file *m, const char *path, struct err *err)
{
    FILE *f;
    bool more = true, fine;
    int number = 0;
    if (!file_exists(path))
        return err_set(err, "'%s' is missing: it says what the records are of, and MetaSchedule writes it beside them",
                       path);
    if (!unpack_open(path, &f, err))
        return false;
    while ((fine = next_line(m, f, path, &number, &more, err)) && more && m->workloads.n < WORKLOADS_MOST)
        vec_push(&m->workloads, (struct workload_line){.text = arena_str(m->a, m->line)});
    fclose(f);
    return fine;
}

bool metaschedule_open(const char *path, struct record_task *identity, const char *task, struct metaschedule_file **out,
                       struct err *err)
{
    struct arena *a = arena_open("metaschedule");
    struct metaschedule_file *m = *out = ARENA_NEW(a, struct metaschedule_file);
    *m = (struct metaschedule_file){.a = a, .identity = identity, .task = task};
    m->path = records_path(a, path);
    if (read_workloads(m, workloads_path(a, m->path), err) && unpack_open(m->path, &m->records, err))
        return true;
    metaschedule_close(m);
    return false;
}

void metaschedule_close(struct metaschedule_file *m)
{
    if (m->records)
        fclose(m->records);
    free(m->line);
    vec_free(&m->workloads);
    arena_close(m->a);
}

/* ---- workloads ---- */

static const char *key_of(struct arena *a, const char *hash, const struct tir_module *w)
{
    struct text t = {0};
    text_char(&t, '[');
    text_json(&t, hash);
    for (int i = 0; i <= w->ninputs; i++) {
        for (int k = 0; k < w->shapes[i].n; k++)
            text_printf(&t, "%s%lld", k ? ", " : ", [", (long long)w->shapes[i].at[k]);
        text_add(&t, w->shapes[i].n ? "]" : ", []");
    }
    text_char(&t, ']');
    return text_keep(&t, a);
}

/* The first kernel of these shapes that computes the same. */
static bool find_kernel(struct metaschedule_file *m, struct workload_line *w, const struct tir_module *module,
                        struct err *err)
{
    const struct tvm_log_entry e = {.workload_key = w->key};
    struct found_task found = {0};
    struct err first = {0}, ignored = {0};
    if (!record_task_find(m->identity, &e, &found, &ignored))
        found.n = 0;
    for (int i = 0; i <= found.n; i++) {
        struct err why = {0};
        const char *spec = i < found.n ? found.specs[i] : m->task;
        struct arena_mark mark = arena_mark(m->a);
        if (spec && task_parse(m->a, spec, &w->task, &why) && tir_module_is(module, w->task, &why)) {
            w->names = tir_module_names(m->a, module, w->task);
            return true;
        }
        arena_release(m->a, mark);
        w->task = NULL;
        if (spec && !first.text[0])
            first = why;
    }
    return err_set(err, "which kernel? %s", first.text[0] ? first.text : "none here has its shapes: give --task");
}

static bool read_workload(struct metaschedule_file *m, struct workload_line *w, struct err *err)
{
    const struct limits limits = limits_cpu(1);
    const struct trace_options options = trace_defaults();
    struct arena *a = arena_open("workload");
    struct tir_module *module = ARENA_NEW(a, struct tir_module);
    cJSON *json = json_parse(w->text, strlen(w->text), NULL, err);
    const cJSON *hash = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, 0) : NULL, *packed = hash ? hash->next : NULL;
    char *text;
    size_t n;
    bool fine = json &&
                ((cJSON_IsString(hash) && cJSON_IsString(packed)) || err_set(err, "it is no hash and no module")) &&
                tir_module_unpack(a, packed->valuestring, &text, &n, err) && tir_module_read(a, text, n, module, err);
    if (fine) {
        w->key = key_of(m->a, hash->valuestring, module);
        fine = find_kernel(m, w, module, err);
    }
    if (fine) {
        w->space = ARENA_NEW(m->a, struct trace_space);
        fine = trace_space_open(w->space, m->a, w->task, &limits, &options, err);
    }
    cJSON_Delete(json);
    arena_close(a);
    return fine;
}

static const struct workload_line *workload_at(struct metaschedule_file *m, const cJSON *number, struct err *err)
{
    int64_t i;
    struct err why = {0};
    if (!json_int(number, &i) || i < 0 || i >= m->workloads.n) {
        err_set(err, "no workload of that number, there are %d", m->workloads.n);
        return NULL;
    }
    struct workload_line *w = &m->workloads.at[i];
    if (w->text && !read_workload(m, w, &why))
        w->why = arena_printf(m->a, "workload %lld: %s", (long long)i, why.text);
    if (w->text && !w->key)
        w->key = arena_printf(m->a, "[\"workload %lld\"]", (long long)i);
    w->text = NULL;
    return w;
}

/* ---- packed weights ---- */

static void add_reads(const struct value *v, const struct buffer *own, const struct buffer **out, int *n)
{
    if (v->kind == EXPR_LOAD && v->buffer != own) {
        int i = 0;
        while (i < *n && out[i] != v->buffer)
            i++;
        if (i == *n && *n < READS_MOST)
            out[(*n)++] = v->buffer;
    }
    for (int i = 0; i < v->nargs; i++)
        add_reads(v->args[i], own, out, n);
}

/* The sums of an op in the program. */
static const struct stmt *find_sums(const struct stmt *st, const struct state *s, const char *name)
{
    const struct stmt *found = NULL;
    if (st->kind == STMT_STORE && st->is_update) {
        const char *here = s->dag->ops[st->buffer->op]->name;
        return str_starts(here, name) && (!here[strlen(name)] || here[strlen(name)] == '.') ? st : NULL;
    }
    for (int i = 0; i < st->nbody && !found; i++)
        found = find_sums(st->body[i], s, name);
    return found;
}

/* Packed as it was, but for dimensions of one element. */
static bool is_plain(const struct buffer *b, int ndim)
{
    int d = 0;
    for (int i = 0; i < b->npacked; i++) {
        if (b->packed[i].extent == 1)
            continue;
        while (d < ndim && b->original[d] == 1)
            d++;
        if (d == ndim || b->packed[i].dim != d || b->packed[i].extent != b->original[d])
            return false;
        d++;
    }
    return true;
}

/* Which layout mode the record is of: 2 where its weights are in the order that our layout rewrite gives them; 0 where
 * they are left as they are and ours would move them; -1: both are the same. */
static bool find_layout(struct arena *a, const struct trace_import *im, const struct dag *d, int *layout,
                        struct err *err)
{
    const struct buffer *reads[READS_MOST];
    struct nest *nest;
    int packed = 0, same = 0, n = 0;
    if (!lower(a, im->state, LAYOUT_REWRITTEN, &nest, err))
        return false;
    for (int i = 0; i < nest->nbuffers; i++) {
        const struct buffer *b = nest->buffers[i];
        packed += b->npacked > 0 && !is_plain(b, im->state->dag->ops[b->op]->nspatial);
    }
    *layout = !packed ? -1 : im->program.nlayouts ? LAYOUT_REWRITTEN : LAYOUT_NONE;
    for (int i = 0; i < im->program.nlayouts; i++) {
        const struct traced_layout *l = &im->program.layouts[i];
        const struct stmt *sums = find_sums(nest->root, im->state, d->ops[l->op]->name);
        n = 0;
        if (sums)
            add_reads(sums->value, sums->buffer, reads, &n);
        const struct buffer *b = l->read >= 1 && l->read <= n ? reads[l->read - 1] : NULL;
        if (!b || b->npacked == 0)
            return err_set(err, "it packs a tensor that is not packed here");
        int ndim = im->state->dag->ops[b->op]->nspatial;
        if (!tir_map_is(a, l->map, b, ndim, err))
            return false;
        same += !is_plain(b, ndim);
    }
    return *layout != LAYOUT_REWRITTEN || same == packed ||
           err_set(err, "it packs %d weights, %d are packed here", same, packed);
}

/* ---- records ---- */

static void add_target(const cJSON *value, struct text *t)
{
    const cJSON *x;
    if (cJSON_IsArray(value)) {
        cJSON_ArrayForEach(x, value)
            text_printf(t, "%s%s", x == value->child ? "" : ",", cJSON_IsString(x) ? x->valuestring : "?");
    } else if (cJSON_IsString(value)) {
        text_add(t, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        text_number(t, value->valuedouble);
    } else {
        text_add(t, cJSON_IsTrue(value) ? "1" : "0");
    }
}

/* As TVM prints a target: "llvm -keys=cpu -mcpu=core-avx2 -num-cores=4". */
static bool read_target(struct arena *a, const cJSON *target, struct tvm_log_entry *e, struct err *err)
{
    struct text t = {0};
    const cJSON *x;
    const char *kind = json_str(target, "kind", "");
    if (!str_eq(kind, "llvm"))
        return err_set(err, "of target '%.40s': only traces of CPUs (llvm) are read", kind);
    text_add(&t, kind);
    cJSON_ArrayForEach(x, target)
    {
        if (str_eq(x->string, "kind") || str_eq(x->string, "tag") || str_eq(x->string, "host"))
            continue;
        text_printf(&t, " -%s=", x->string);
        add_target(x, &t);
    }
    if (!json_int(json_get(target, "num-cores"), &e->hw[0]))
        e->hw[0] = 0;
    e->target = text_keep(&t, a);
    return true;
}

static bool read_seconds(const cJSON *list, struct tvm_log_entry *e, struct err *err)
{
    const cJSON *x;
    if (!cJSON_IsArray(list) || !list->child)
        return err_set(err, "no list of seconds");
    cJSON_ArrayForEach(x, list)
    {
        if (!cJSON_IsNumber(x) || !(x->valuedouble > 0) || !isfinite(x->valuedouble))
            return err_set(err, "a time is not a number of seconds above 0");
        if (x->valuedouble >= FAILED_COST)
            e->error = 8; /* TVM keeps no reason */
        if (e->ncosts < SAMPLE_REPEATS)
            e->costs[e->ncosts++] = x->valuedouble;
    }
    e->measured = true;
    return true;
}

static bool read_record(struct metaschedule_file *m, struct arena *a, const cJSON *root, struct tvm_log_entry *e,
                        bool *unknown, struct err *err)
{
    const cJSON *record = cJSON_IsArray(root) ? cJSON_GetArrayItem(root, 1) : NULL;
    struct trace_import im;
    if (!cJSON_IsArray(record) || cJSON_GetArraySize(record) < 3)
        return err_set(err, "no workload and record: [number, [trace, seconds, target, ...]] is expected");
    const cJSON *trace = record->child, *seconds = trace->next, *target = seconds->next;
    if (!read_seconds(seconds, e, err) || !read_target(a, target, e, err))
        return false;
    const struct workload_line *w = workload_at(m, root->child, err);
    if (!w)
        return false;
    e->workload_key = w->key;
    *unknown = w->why != NULL;
    if (w->why)
        return err_set(err, "%s", w->why);
    if (!trace_import(w->space, a, trace, w->names, &im, err) || !find_layout(a, &im, w->task->dag, &e->layout, err))
        return err_context(err, "kernel '%s'", w->task->name);
    e->spec = w->task->spec;
    e->steps = im.state->steps;
    e->nsteps = im.state->nsteps;
    return true;
}

enum tvm_log_line metaschedule_next(struct metaschedule_file *m, struct arena *a, struct tvm_log_entry *out,
                                    bool *unknown, struct err *err)
{
    bool more = false;
    *unknown = false;
    *out = (struct tvm_log_entry){.hash = "", .target = "", .host = "", .version = "", .workload_key = "[\"\"]"};
    if (!next_line(m, m->records, m->path, &m->number, &more, err))
        return TVM_LOG_UNREADABLE;
    if (!more)
        return TVM_LOG_END;
    out->line = m->number;
    out->index = m->index++;
    cJSON *root = json_parse(m->line, strlen(m->line), NULL, err);
    bool fine = root && read_record(m, a, root, out, unknown, err);
    cJSON_Delete(root);
    return fine ? TVM_LOG_RECORD : TVM_LOG_REFUSED;
}

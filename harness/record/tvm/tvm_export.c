/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_export: one pass over the table of trials. Steps are stored as TVM prints them, so no step is parsed here. What
 * stands before the steps is the same for all records of a kernel and made once. */
#include "harness/record/tvm/tvm_export.h"

#include "harness/base/json.h"
#include "harness/program/schedule/limits.h"
#include "harness/record/tvm/workload.h"

#include <math.h>
#include <string.h>

enum { LINES_BYTES = 1 << 18 };

struct export_heads { /* what lines have before their steps */
    struct store_cell *cells;
    int ncells;
    const char ***heads; /* by cell and task */
};

/* ---- the head of a line ---- */

/* Lists as TVM prints them, with a blank behind each comma. */
static void spaced(struct text *t, const char *list)
{
    for (; *list; list++) {
        text_char(t, *list);
        if (*list == ',' && list[1] != ' ')
            text_char(t, ' ');
    }
}

static const char *key_of(struct arena *a, const cJSON *keys, const char *spec, struct err *err)
{
    struct task *task;
    struct text t = {0};
    struct workload w;
    const char *said = json_str(keys, spec, NULL);
    if (said || !task_parse(a, spec, &task, err))
        return said;
    workload_of(task, &w);
    text_printf(&t, "[\"%s\"", workload_hash(a, task->dag, false));
    for (int i = 0; i < w.nshapes; i++)
        for (int k = 0; k < w.shapes[i].n; k++)
            text_printf(&t, "%s%lld%s", k ? ", " : ", [", (long long)w.shapes[i].at[k],
                        k == w.shapes[i].n - 1 ? "]" : "");
    text_char(&t, ']');
    return text_keep(&t, a);
}

static void put_hardware(cJSON *in, const struct limits *l)
{
    const int64_t hw[] = {l->cores,       l->vector_bytes,      l->cache_line,     l->shared_bytes,
                          l->local_bytes, l->threads_per_block, l->vthread_extent, l->warp_size};
    cJSON *list = json_put_array(in, "hardware");
    for (size_t i = 0; i < sizeof hw / sizeof *hw; i++)
        json_put_int(list, NULL, hw[i]);
}

/* What TVM would call the target of our own records; the processor is what LLVM named it as they were made. */
static bool own_origin(struct arena *a, const struct store_campaign *c, cJSON *origin, struct err *err)
{
    cJSON *environment = json_parse(c->environment, strlen(c->environment), "environment", err);
    const cJSON *target = json_get(environment, "target");
    const char *arch = strstr(c->target_settings, "arch=sm_");
    bool cpu = str_eq(c->target, "cpu") || str_eq(c->target, "a64fx"), gpu = str_eq(c->target, "cuda");
    if (environment && cpu) {
        const struct limits l = limits_cpu((int64_t)json_num(target, "threads", c->threads));
        json_put_str(origin, "target", arena_printf(a, "llvm -keys=cpu -mcpu=%s", json_str(target, "cpu", "generic")));
        put_hardware(origin, &l);
    } else if (environment && gpu) {
        const struct limits l = limits_cuda();
        json_put_str(origin, "target",
                     arena_printf(a, "cuda -keys=cuda,gpu%s%.*s -max_num_threads=1024 -thread_warp_size=32",
                                  arch ? " -" : "", arch ? (int)strcspn(arch, ",") : 0, arch ? arch : ""));
        put_hardware(origin, &l);
    }
    json_put_str(origin, "host", "");
    json_put_number(origin, "layout", c->layout);
    json_put_str(origin, "inputs", "[]");
    cJSON_Delete(environment);
    return !environment ? false
           : cpu || gpu
               ? true
               : err_set(err, "the times are of target '%s', which TVM has not: --format csv or json takes them out",
                         c->target);
}

static bool origin_read(struct arena *a, struct store *s, cJSON **out, struct err *err)
{
    const char *text;
    if (!store_event_text(s, a, STORE_EVENT_IMPORTED, &text, err))
        return false;
    if (*text)
        return (*out = json_parse(text, strlen(text), "event of the import", err)) != NULL;
    *out = json_object();
    return own_origin(a, store_campaign(s), *out, err);
}

static const char *head_of(struct arena *a, const cJSON *origin, const char *conditions, const char *key)
{
    struct text t = {0}, hardware = {0};
    const char *inputs = json_str(origin, "inputs", NULL);
    const char *own = strstr(conditions, "layout="); /* of this arm */
    int layout = own ? own[strlen("layout=")] - '0' : (int)json_num(origin, "layout", 0);
    json_print(cJSON_Duplicate(json_get(origin, "hardware"), true), &hardware);
    text_add(&t, "{\"i\": [[");
    text_json(&t, key);
    text_add(&t, ", ");
    text_json(&t, json_str(origin, "target", ""));
    text_add(&t, ", ");
    spaced(&t, text_str(&hardware));
    text_add(&t, ", ");
    text_json(&t, json_str(origin, "host", ""));
    text_printf(&t, ", %d%s", layout, inputs ? ", " : "");
    spaced(&t, inputs ? inputs : "");
    text_add(&t, "], [[], ");
    text_free(&hardware);
    return text_keep(&t, a);
}

static bool heads_make(struct arena *a, struct store *s, struct export_heads *x, struct err *err)
{
    cJSON *origin = NULL;
    bool fine = store_cells(s, a, &x->cells, &x->ncells, err) && origin_read(a, s, &origin, err);
    x->heads = ARENA_ARRAY(a, const char **, x->ncells);
    for (int i = 0; i < x->ncells && fine; i++) {
        const struct store_cell *c = &x->cells[i];
        x->heads[i] = ARENA_ARRAY(a, const char *, c->ntasks);
        for (int k = 0; k < c->ntasks && fine; k++) {
            const char *key = key_of(a, json_get(origin, "keys"), c->tasks[k].spec, err);
            if ((fine = key != NULL))
                x->heads[i][k] = head_of(a, origin, c->conditions, key);
        }
    }
    cJSON_Delete(origin);
    return fine;
}

/* ---- lines ---- */

static bool put_line(const struct query *q, struct arena *row, const char *head, struct text *t, struct err *err)
{
    enum outcome outcome;
    const char *word = query_str(q, row, 3);
    if (!outcome_parse(word, &outcome))
        return err_set(err, "a trial has the unknown outcome '%s'", word);
    text_add(t, head);
    text_add(t, query_str(q, row, 2));
    text_add(t, "]], \"r\": [");
    if (outcome == OUTCOME_OK)
        spaced(t, query_str(q, row, 4));
    else
        text_add(t, "[1e+10]");
    text_printf(t, ", %d, ", outcome_tvm(outcome));
    text_number(t, query_real(q, 5));
    text_add(t, ", ");
    text_int(t, (int64_t)query_real(q, 6));
    text_add(t, "], \"v\": \"v0.6\"}\n");
    return true;
}

static bool put_lines(struct query *q, const struct export_heads *x, const struct tvm_export_options *o,
                      struct tvm_export_sums *sums, struct err *err)
{
    struct arena *row = arena_open("row");
    struct text t = {0};
    bool fine = true, more = true;
    while (fine && more && query_next(q, err)) {
        int64_t cell = query_int(q, 0), task = query_int(q, 1);
        if (cell >= x->ncells || task >= x->cells[cell].ntasks)
            continue; /* of a cell that a writer added since */
        arena_reset(row);
        if (strstr(query_str(q, row, 2), "[\"RI\",")) {
            sums->reindexed++;
            continue;
        }
        sums->records++;
        fine = put_line(q, row, x->heads[cell][task], &t, err);
        if (t.len > LINES_BYTES)
            more = o->lines(o->ctx, &t);
    }
    if (fine && more)
        (void)o->lines(o->ctx, &t);
    text_free(&t);
    arena_close(row);
    return fine;
}

bool tvm_export(struct store *s, const struct tvm_export_options *o, struct tvm_export_sums *sums, struct err *err)
{
    struct export_heads x = {0};
    struct query q;
    struct arena *a = arena_open("export");
    *sums = (struct tvm_export_sums){0};
    bool fine = heads_make(a, s, &x, err) &&
                query_open(&q, store_database(s), err,
                           "SELECT r.cell, r.task, r.steps, r.outcome, r.seconds, r.cost_s, r.unix_s FROM trial r"
                           " JOIN cell c USING(cell) WHERE (?1 IS NULL OR c.arm = ?1)"
                           " AND (?2 IS NULL OR c.network = ?2)"
                           " AND (?3 IS NULL OR r.id IN (SELECT value FROM json_each(?3))) ORDER BY r.id",
                           "sss", o->arm, o->network, o->trials);
    if (fine) {
        fine = put_lines(&q, &x, o, sums, err);
        fine = query_close(&q) && fine;
    }
    arena_close(a);
    return fine;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* store: what each row means to the loop. Every function is one transaction, so that a process that dies between two of
 * them leaves a state from which the loop goes on; see tune.c for the order in which it calls them. */
#include "harness/record/store.h"

#include "harness/base/file.h"
#include "harness/record/answer_record.h"
#include "harness/record/database.h"
#include "harness/record/evaluation_record.h"
#include "harness/record/schema.h"
#include "harness/record/store_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct store {
    struct arena *arena;
    struct database *db;
    const char *dir, *path;
    const char *cells_sql; /* SELECT of the keys' columns and more */
    struct store_campaign campaign;
    struct store_file file; /* lock -1: reading */
};

static struct store *store_new(const char *dir)
{
    struct arena *a = arena_open("store");
    struct store *s = ARENA_NEW(a, struct store);
    s->arena = a;
    s->dir = arena_str(a, dir);
    s->path = file_join(a, dir, "records.db");
    s->file.lock = -1;
    s->cells_sql = keys_select(a, cell_key_table,
                               "state, max(elapsed_s, ifnull((SELECT elapsed_s FROM trial WHERE trial.cell = cell.cell"
                               " ORDER BY ordinal DESC LIMIT 1), 0)),"
                               " cpu_s, (SELECT count(*) FROM task WHERE task.cell = cell.cell),"
                               " (SELECT count(*) FROM trial WHERE trial.cell = cell.cell) FROM cell ORDER BY cell");
    return s;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    database_close(s->db);
    store_file_unlock(&s->file);
    arena_close(s->arena);
}

struct database *store_database(struct store *s)
{
    return s->db;
}

const struct store_campaign *store_campaign(const struct store *s)
{
    return &s->campaign;
}

static bool holds(const char *dir, bool (*there)(const char *path))
{
    struct arena *a = arena_open("path");
    bool fine = there(file_join(a, dir, "records.db"));
    arena_close(a);
    return fine;
}

bool store_exists(const char *dir)
{
    return holds(dir, database_exists);
}

bool store_begun(const char *dir)
{
    return holds(dir, file_exists);
}

static bool missing(const char *dir, struct err *err)
{
    struct arena *a = arena_open("path");
    bool report = file_exists(file_join(a, dir, "report.json"));
    arena_close(a);
    return report ? err_set(err, "no records in '%s': they were not kept; `raingauge report %s` shows its report", dir,
                            dir)
                  : err_set(err,
                            "no records in '%s': name the folder of a run, `raingauge status` lists those in "
                            "results/",
                            dir);
}

bool store_writer(const char *dir, pid_t *pid)
{
    struct arena *a = arena_open("path");
    bool held = lock_holder(file_join(a, dir, "records.lock"), pid);
    arena_close(a);
    return held;
}

static bool version_of(struct store *s, int64_t *version, struct err *err)
{
    return database_int(s->db, version, err, "PRAGMA user_version", "") &&
           (*version == 0 || *version == SCHEMA_VERSION ||
            err_set(err,
                    "'%s' has schema version %" PRId64 ", this raingauge reads %d: read it with the raingauge that "
                    "made it, or choose another folder with --results",
                    s->path, *version, SCHEMA_VERSION));
}

static bool campaign_same(const struct store *s, const struct store_campaign *c, enum store_open_mode mode,
                          struct err *err)
{
    const struct store_campaign *have = &s->campaign;
    const char *other = campaign_row_difference(have, c);
    if (!other && mode == STORE_NEW)
        other = str_eq(have->experiment_hash, c->experiment_hash) ? NULL : "hash";
    const char *had = keys_codegen(have->target, have->target_settings),
               *now = keys_codegen(c->target, c->target_settings);
    if (other && had && now && !str_eq(had, now))
        return err_set(err,
                       "'%s' holds records that were searched with codegen=%s, and this is codegen=%s: choose another "
                       "folder with --results, or --set target_settings.codegen=%s",
                       s->dir, had, now, had);
    if (other)
        return err_set(err,
                       "'%s' holds the records of another experiment ('%s', tier '%s', hash %.12s, not %.12s: another "
                       "%s): choose another folder with --results",
                       s->dir, have->stem, have->tier, have->experiment_hash, c->experiment_hash, other);
    return mode == STORE_RESUME ||
           err_set(err,
                   "'%s' holds records of this experiment already: --resume continues it, --results FOLDER starts in "
                   "another folder",
                   s->dir);
}

static bool open_for_writing(struct store *s, const struct store_campaign *c, enum store_open_mode mode,
                             struct err *err)
{
    if (!file_make_dirs(s->dir, err) || !store_file_lock(&s->file, s->arena, s->dir, err) ||
        !database_open(s->path, !c->is_virtual, &s->db, err))
        return false;
    int64_t version = 0;
    bool found = false;
    if (!version_of(s, &version, err) ||
        (version > 0 && !campaign_row_read(s->db, s->arena, &s->campaign, &found, err)))
        return false;
    bool fine = found ? campaign_same(s, c, mode, err)
                      : store_file_may_be_new(&s->file, err) && campaign_row_create(s->db, s->arena, c, err) &&
                            campaign_row_read(s->db, s->arena, &s->campaign, &found, err);
    return fine && store_file_opened(&s->file, s->db, err);
}

bool store_safe(struct store *s, struct err *err)
{
    return store_file_safe(&s->file, s->db, err);
}

bool store_open(const char *dir, const struct store_campaign *c, enum store_open_mode mode, struct store **out,
                struct err *err)
{
    *out = store_new(dir);
    if (open_for_writing(*out, c, mode, err))
        return true;
    store_close(*out);
    *out = NULL;
    return false;
}

bool store_open_read(const char *dir, struct store **out, struct err *err)
{
    struct store *s = *out = store_new(dir);
    int64_t version = 0;
    bool found = false;
    bool fine = (store_exists(dir) || missing(dir, err)) && database_open_read(s->path, &s->db, err) &&
                version_of(s, &version, err) && (version > 0 || err_set(err, "'%s' holds no campaign", s->path)) &&
                campaign_row_read(s->db, s->arena, &s->campaign, &found, err) &&
                (found || err_set(err, "'%s' holds no campaign", s->path));
    if (fine)
        return true;
    store_close(s);
    *out = NULL;
    return false;
}

bool store_adopt(struct store *s, const char *hash, double unix_s, struct err *err)
{
    bool begun = database_run(s->db, err, "BEGIN IMMEDIATE", "");
    bool fine = begun && store_event(s, -1, -1, "adopt", s->campaign.experiment_hash, unix_s, err) &&
                database_run(s->db, err, "UPDATE campaign SET experiment_hash = ?1", "s", hash);
    fine = begun && database_end(s->db, fine, err);
    if (fine)
        s->campaign.experiment_hash = arena_str(s->arena, hash);
    return fine;
}

bool store_taken(const struct store_cell *cells, int n, int cell, int task)
{
    int from = cells[cell].tasks[task].shared_cell;
    return from >= 0 && from < n && !str_eq(cells[from].network, cells[cell].network);
}

/* Are the same kernels taken from the same cells? Descents that k share are not planned. */
static bool taken_same(const struct store_cell *cells, int n, int ordinal, const struct store_cell *b)
{
    for (int t = 0; t < b->ntasks; t++) {
        int had = store_taken(cells, n, ordinal, t) ? cells[ordinal].tasks[t].shared_cell : -1;
        if (had != b->tasks[t].shared_cell)
            return false;
    }
    return true;
}

/* cells: those on record, n of them; b: the planned one. */
static bool cell_same(const struct store *s, const struct store_cell *cells, int n, int ordinal,
                      const struct store_cell *b, struct err *err)
{
    const struct store_cell *a = &cells[ordinal];
    const char *other = keys_difference(cell_key_table, &a->keys, &b->keys);
    if (!other && a->ntasks != b->ntasks)
        other = "number of kernels";
    for (int t = 0; !other && t < a->ntasks; t++)
        if (!str_eq(a->tasks[t].spec, b->tasks[t].spec) || a->tasks[t].weight != b->tasks[t].weight)
            other = "kernel";
    if (!other && !taken_same(cells, n, ordinal, b))
        other = "share_kernels";
    return !other || err_set(err,
                             "cell %d of '%s' is %s/%s, planned is %s/%s with another %s: choose another folder with "
                             "--results",
                             ordinal, s->dir, a->network, a->arm, b->network, b->arm, other);
}

static bool cell_row_insert(struct store *s, int ordinal, const struct store_cell *c, struct err *err)
{
    struct text sql = {0};
    text_add(&sql, "INSERT INTO cell(cell, ");
    keys_columns(cell_key_table, &sql);
    text_printf(&sql, ", state, elapsed_s, cpu_s) VALUES(%d, ", ordinal);
    keys_values(cell_key_table, &c->keys, &sql);
    text_add(&sql, ", '', 0, 0)");
    bool fine = database_script(s->db, text_str(&sql), err);
    text_free(&sql);
    return fine;
}

static bool cell_insert(struct store *s, int ordinal, const struct store_cell *c, struct err *err)
{
    if (!database_run(s->db, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = cell_row_insert(s, ordinal, c, err);
    for (int t = 0; fine && t < c->ntasks; t++)
        fine = database_run(s->db, err, "INSERT INTO task VALUES(?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, '')", "nnssddn",
                            ordinal, t, c->tasks[t].spec, c->tasks[t].name, c->tasks[t].weight, c->tasks[t].flops,
                            c->tasks[t].shared_cell);
    return database_end(s->db, fine, err);
}

bool store_cell_put(struct store *s, int ordinal, const struct store_cell *c, struct err *err)
{
    struct arena *a = arena_open("cells");
    struct store_cell *cells = NULL;
    int n = 0;
    bool fine = store_cells(s, a, &cells, &n, err);
    if (fine && ordinal < n)
        fine = cell_same(s, cells, n, ordinal, c, err);
    else if (fine)
        fine = cell_insert(s, ordinal, c, err);
    arena_close(a);
    return fine;
}

bool store_cells_keep(struct store *s, int n, struct err *err)
{
    if (!database_run(s->db, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = database_run(s->db, err, "DELETE FROM task WHERE cell >= ?1", "n", n) &&
                database_run(s->db, err, "DELETE FROM cell WHERE cell >= ?1", "n", n);
    return database_end(s->db, fine, err);
}

bool store_cell_state(struct store *s, int cell, const char *state, double elapsed_s, double cpu_s, struct err *err)
{
    return database_run(s->db, err, "UPDATE cell SET state = ?2, elapsed_s = ?3, cpu_s = ?4 WHERE cell = ?1", "nsdd",
                        cell, state, elapsed_s, cpu_s) &&
           store_safe(s, err);
}

bool store_task_state(struct store *s, int cell, int task, const struct store_task *t, struct err *err)
{
    return database_run(s->db, err,
                        "UPDATE task SET seed_trial = ?3, shared_cell = ?4, state = ?5 WHERE cell = ?1 AND task = ?2",
                        "nnins", cell, task, t->seed_trial, t->shared_cell, t->state);
}

bool store_round_begin(struct store *s, int cell, const struct store_round *r, struct err *err)
{
    char rng[72], model_rng[72];
    rng_print(r->rng, rng);
    rng_print(r->model_rng, model_rng);
    if (!database_run(s->db, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = database_run(s->db, err, "INSERT INTO round VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL)", "nnnnssnd",
                             cell, r->number, r->task, r->task_round, rng, model_rng, r->asked, r->begin_s) &&
                evaluation_record_put(s->db, cell, r->number, &r->evaluations, err);
    return database_end(s->db, fine, err);
}

static bool phases_insert(struct store *s, int cell, int round, const double phases[PHASE_COUNT], struct err *err)
{
    bool fine = true;
    for (int p = 0; fine && p < PHASE_COUNT; p++)
        if (phases[p] != 0)
            fine = database_run(s->db, err,
                                "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                                " VALUES(?1, ?2, 'phase', ?3, ?4, '', 0)",
                                "nnsd", cell, round, phase_name((enum phase)p), phases[p]);
    return fine;
}

/* CPU seconds of the machine during a round; nothing of unknown ones. */
static bool others_insert(struct store *s, int cell, int round, const struct cpu_contention *o, struct err *err)
{
    return o->whole_s <= 0 ||
           database_run(s->db, err,
                        "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                        " VALUES(?1, ?2, 'machine', 'others', ?3, '', 0), (?1, ?2, 'machine', 'stolen', ?4, '', 0),"
                        " (?1, ?2, 'machine', 'whole', ?5, '', 0)",
                        "nnddd", cell, round, o->others_s, o->stolen_s, o->whole_s);
}

static bool cached_insert(struct store *s, int cell, int round, double seconds, struct err *err)
{
    return seconds <= 0 || database_run(s->db, err,
                                        "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                                        " VALUES(?1, ?2, 'cached', 'clock', ?3, '', 0)",
                                        "nnd", cell, round, seconds);
}

bool store_round_end(struct store *s, int cell, int round, const struct store_spent *spent, struct err *err)
{
    if (!database_run(s->db, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine =
        database_run(s->db, err,
                     "UPDATE round SET end_s = ?3, asked = (SELECT count(*) FROM trial WHERE cell = ?1 AND"
                     " round = ?2) WHERE cell = ?1 AND round = ?2",
                     "nnd", cell, round, spent->end_s) &&
        database_run(s->db, err, "UPDATE cell SET elapsed_s = ?2, cpu_s = ?3 WHERE cell = ?1", "ndd", cell,
                     spent->end_s, spent->cpu_s) &&
        (!spent->phases || phases_insert(s, cell, round, spent->phases, err)) &&
        others_insert(s, cell, round, &spent->others, err) && cached_insert(s, cell, round, spent->cached_s, err) &&
        (!spent->fill || database_run(s->db, err,
                                      "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s) SELECT cell,"
                                      " round, 'phase', 'other', end_s - begin_s - (SELECT total(seconds) FROM event"
                                      " WHERE kind = 'phase' AND cell = ?1 AND round = ?2), '', 0 FROM round"
                                      " WHERE cell = ?1 AND round = ?2",
                                      "nn", cell, round));
    return database_end(s->db, fine, err) && store_safe(s, err);
}

bool store_phases_add(struct store *s, int cell, int round, const double phases[PHASE_COUNT], struct err *err)
{
    return database_run(s->db, err, "BEGIN IMMEDIATE", "") &&
           database_end(s->db, phases_insert(s, cell, round, phases, err), err);
}

bool store_trial(struct store *s, struct record *r, const struct candidate *c, struct err *err)
{
    if (r->sample.answer == ANSWER_NONE)
        return record_insert(s->db, r, c, err);
    if (!database_run(s->db, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = record_insert(s->db, r, c, err) && answer_record_count(s->db, r->cell, r->round, r->sample.answer, err);
    return database_end(s->db, fine, err);
}

bool store_trials_begin(struct store *s, struct err *err)
{
    return database_run(s->db, err, "BEGIN IMMEDIATE", "");
}

bool store_trials_end(struct store *s, bool fine, struct err *err)
{
    return database_end(s->db, fine, err);
}

bool store_event(struct store *s, int cell, int round, const char *kind, const char *text, double unix_s,
                 struct err *err)
{
    return database_run(s->db, err,
                        "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                        " VALUES(?1, ?2, ?3, '', NULL, ?4, ?5)",
                        "nnssd", cell, round, kind, text, unix_s);
}

bool store_event_text(struct store *s, struct arena *a, const char *kind, const char **out, struct err *err)
{
    struct query q;
    *out = "";
    if (!query_open(&q, s->db, err, "SELECT text FROM event WHERE kind = ?1 ORDER BY id LIMIT 1", "s", kind))
        return false;
    if (query_next(&q, err))
        *out = query_str(&q, a, 0);
    return query_close(&q);
}

static bool cell_row(const struct query *q, struct arena *a, struct store_cell *c, struct err *err)
{
    int at;
    if (!keys_read(cell_key_table, q, a, &c->keys, &at, err))
        return false;
    c->state = query_str(q, a, at);
    c->elapsed_s = query_real(q, at + 1);
    c->cpu_s = query_real(q, at + 2);
    c->ntasks = (int)query_int(q, at + 3);
    c->trials_done = query_int(q, at + 4);
    return true;
}

static bool tasks_read(struct store *s, struct arena *a, struct store_cell *cells, int n, struct err *err)
{
    struct query q;
    struct store_task **tasks = ARENA_ARRAY(a, struct store_task *, n + 1);
    for (int i = 0; i < n; i++)
        cells[i].tasks = tasks[i] = ARENA_ARRAY(a, struct store_task, cells[i].ntasks);
    if (!query_open(&q, s->db, err,
                    "SELECT cell, task, spec, name, weight, flops, seed_trial, shared_cell, state FROM task"
                    " ORDER BY cell, task",
                    ""))
        return false;
    while (query_next(&q, err)) {
        int64_t cell = query_int(&q, 0), task = query_int(&q, 1);
        if (cell < 0 || cell >= n || task < 0 || task >= cells[cell].ntasks)
            continue; /* of a cell that a writer added since */
        tasks[cell][task] = (struct store_task){.spec = query_str(&q, a, 2),
                                                .name = query_str(&q, a, 3),
                                                .weight = query_real(&q, 4),
                                                .flops = query_real(&q, 5),
                                                .seed_trial = query_int(&q, 6),
                                                .shared_cell = (int)query_int(&q, 7),
                                                .state = query_str(&q, a, 8)};
    }
    return query_close(&q);
}

bool store_cells(struct store *s, struct arena *a, struct store_cell **out, int *n, struct err *err)
{
    struct query q;
    int64_t cap;
    *n = 0;
    if (!database_int(s->db, &cap, err, "SELECT count(*) FROM cell", ""))
        return false;
    *out = ARENA_ARRAY(a, struct store_cell, cap);
    if (!query_open(&q, s->db, err, s->cells_sql, ""))
        return false;
    bool fine = true;
    while (fine && *n < cap && query_next(&q, err))
        fine = cell_row(&q, a, &(*out)[(*n)++], err);
    return query_close(&q) && fine && tasks_read(s, a, *out, *n, err);
}

static void round_row(const struct query *q, struct arena *a, struct store_round *r)
{
    r->number = (int)query_int(q, 0);
    r->task = (int)query_int(q, 1);
    r->task_round = (int)query_int(q, 2);
    rng_parse(query_str(q, a, 3), r->rng);
    rng_parse(query_str(q, a, 4), r->model_rng);
    r->asked = (int)query_int(q, 5);
    r->begin_s = query_real(q, 6);
    r->end_s = query_real(q, 7);
    r->measured = (int)query_int(q, 8);
}

bool store_rounds(struct store *s, struct arena *a, int cell, struct store_round **out, int *n, struct err *err)
{
    struct query q;
    int64_t cap;
    *n = 0;
    if (!database_int(s->db, &cap, err, "SELECT count(*) FROM round WHERE cell = ?1", "n", cell))
        return false;
    *out = ARENA_ARRAY(a, struct store_round, cap);
    if (!query_open(&q, s->db, err,
                    "SELECT round, task, task_round, rng, model_rng, asked, begin_s, end_s, ifnull(found, 0) FROM round"
                    " LEFT JOIN (SELECT round AS r, count(*) AS found FROM trial WHERE cell = ?1 GROUP BY round)"
                    " ON r = round WHERE cell = ?1 ORDER BY round",
                    "n", cell))
        return false;
    while (*n < cap && query_next(&q, err))
        round_row(&q, a, &(*out)[(*n)++]);
    return query_close(&q);
}

/* One step: *more is false when the records are the part's own. */
static bool home_step(struct store *s, struct store_part *part, bool *more, struct err *err)
{
    struct query q;
    if (!query_open(
            &q, s->db, err,
            "SELECT there.cell, there.task FROM task AS here JOIN task AS there ON there.cell = here.shared_cell"
            " AND there.spec = here.spec WHERE here.cell = ?1 AND here.task = ?2"
            " ORDER BY there.task = here.task DESC LIMIT 1",
            "nn", part->cell, part->task))
        return false;
    if ((*more = query_next(&q, err))) {
        part->cell = (int)query_int(&q, 0);
        part->task = (int)query_int(&q, 1);
    }
    return query_close(&q);
}

bool store_home(struct store *s, struct store_part *part, struct err *err)
{
    bool more = part->cell >= 0 && part->task >= 0;
    for (int steps = 0; more && steps < 3; steps++) /* a taken kernel may be that of a shared descent */
        if (!home_step(s, part, &more, err))
            return false;
    return true;
}

bool store_records(struct store *s, struct arena *a, struct store_part of, int64_t from, struct record **out, int *n,
                   struct err *err)
{
#define PART " FROM trial WHERE cell = ?1 AND (?2 < 0 OR task = ?2) AND ordinal >= ?3 ORDER BY ordinal LIMIT ?4"
    int64_t cap, limit = of.first > 0 ? of.first : -1;
    *n = 0;
    *out = NULL;
    if (!store_home(s, &of, err) || !database_int(s->db, &cap, err, "SELECT count(*) FROM (SELECT 1" PART ")", "nnii",
                                                  of.cell, of.task, from, limit))
        return false;
    *out = ARENA_ARRAY(a, struct record, cap);
    struct query q;
    if (!query_open(&q, s->db, err, "SELECT " RECORD_COLUMNS PART, "nnii", of.cell, of.task, from, limit))
        return false;
    bool fine = true;
    while (fine && *n < cap && query_next(&q, err))
        fine = record_row(&q, a, &(*out)[(*n)++], err);
    return query_close(&q) && fine;
}

bool store_record(struct store *s, struct arena *a, int64_t id, struct record *out, struct err *err)
{
    struct query q;
    if (!query_open(&q, s->db, err, "SELECT " RECORD_COLUMNS " FROM trial WHERE id = ?1", "i", id))
        return false;
    bool found = query_next(&q, err), fine = found && record_row(&q, a, out, err);
    if (!query_close(&q))
        return false;
    return found ? fine : err_set(err, "'%s' holds no trial %" PRId64, s->path, id);
}

bool store_best(struct store *s, struct arena *a, struct store_part of, struct record *out, bool *found,
                struct err *err)
{
    *found = false;
    if (!store_home(s, &of, err))
        return false;
    struct query q;
    if (!query_open(&q, s->db, err,
                    "SELECT " RECORD_COLUMNS
                    " FROM trial WHERE id = (SELECT id FROM trial WHERE cell = ?1 AND task = ?2"
                    " AND (?3 <= 0 OR task_ordinal < ?3) AND mean_s IS NOT NULL ORDER BY mean_s, task_ordinal LIMIT 1)",
                    "nni", of.cell, of.task, of.first))
        return false;
    bool fine = true;
    if (query_next(&q, err)) {
        *found = true;
        fine = record_row(&q, a, out, err);
    }
    return query_close(&q) && fine;
}

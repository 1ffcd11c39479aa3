/* SPDX-License-Identifier: Apache-2.0 */
/* merge: into a database beside the one that shall be, which is renamed when it is whole. Rows are copied in SQL, by
 * the names of their columns. */
#include "harness/record/merge.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/record/duel_record.h"
#include "harness/record/lost_trials.h"
#include "harness/record/node_record.h"
#include "harness/record/store_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct merge {
    struct arena *a;
    const char *out, *folder; /* where it shall be, and where it is made */
    const char *const *shards;
    int n;
    struct store *s; /* of the folder */
    int *home;       /* of each cell: index of its shard, -1: none yet */
    struct store_cell *cells;
    int ncells;
    const char *claims;                /* of the first shard */
    const struct merge_unlike *unlike; /* NULL: the shards are of machines of one kind */
    int *missing;                      /* as in records_merge */
};

/* ---- what a shard has ---- */

static bool take_cells(struct merge *m, struct store *s, int shard, struct err *err)
{
    struct store_cell *cells;
    int n;
    if (!store_cells(s, m->a, &cells, &n, err))
        return false;
    if (n != m->ncells)
        return err_set(err, "it has %d cells, '%s' has %d", n, m->shards[0], m->ncells);
    for (int i = 0; i < n; i++) {
        const struct store_cell *c = &cells[i];
        if (str_eq(c->state, "done") && m->home[i] >= 0)
            return err_set(err, "'%s' on '%s', seed %lld, is in '%s', too", c->arm, c->network, (long long)c->seed,
                           m->shards[m->home[i]]);
        if (str_eq(c->state, "done"))
            m->home[i] = shard;
        else if (*c->state || c->trials_done)
            return err_set(err, "'%s' on '%s', seed %lld, is not finished: go on with it by run --shard --resume",
                           c->arm, c->network, (long long)c->seed);
    }
    return true;
}

static bool same_campaign(struct merge *m, struct store *s, struct err *err)
{
    const struct store_campaign *first = store_campaign(m->s), *c = store_campaign(s);
    const char *claims, *other = campaign_row_difference(first, c);
    if (!store_event_text(s, m->a, STORE_EVENT_CLAIMS, &claims, err))
        return false;
    if (!other && !str_eq(first->experiment_hash, c->experiment_hash))
        other = "experiment";
    if (!other && !str_eq(first->revision, c->revision))
        other = "program";
    if (!other && !str_eq(m->claims, claims))
        other = "claims";
    return !other || err_set(err, "its %s is not that of '%s'", other, m->shards[0]);
}

static bool look(struct merge *m, int shard, struct err *err)
{
    struct store *s;
    pid_t writer;
    bool awaited = false;
    if (store_writer(m->shards[shard], &writer))
        return err_set(err, "'%s': process %ld writes to it: wait until it ends", m->shards[shard], (long)writer);
    if (!store_open_read(m->shards[shard], &s, err))
        return false;
    bool fine = same_campaign(m, s, err) && lost_trials_none(s, err) && take_cells(m, s, shard, err) &&
                duel_awaited(s, &awaited, err);
    if (fine && awaited)
        fine = err_set(err, "its re-timing is not over: go on with it by run --shard --resume");
    store_close(s);
    return fine || err_context(err, "'%s'", m->shards[shard]);
}

static bool whole(const struct merge *m, struct err *err)
{
    int holes = 0, first = 0;
    for (int i = m->ncells - 1; i >= 0; i--)
        if (m->home[i] < 0) {
            holes++;
            first = i;
        }
    if (m->missing)
        *m->missing = holes;
    return m->missing || !holes ||
           err_set(err, "%d of %d cells are done in no shard, the first is '%s' on '%s', seed %lld", holes, m->ncells,
                   m->cells[first].arm, m->cells[first].network, (long long)m->cells[first].seed);
}

/* ---- copying ---- */

struct merge_column { /* in whose place something else is taken */
    const char *name, *instead;
};

/* "INSERT INTO table SELECT ..." of all columns, for database_script. */
static bool add_copy(struct merge *m, struct text *sql, const char *table, const struct merge_column *changed,
                     const char *which, struct err *err)
{
    struct query q;
    const char *before = "";
    if (!query_open(&q, store_database(m->s), err, "SELECT name FROM pragma_table_info(?1)", "s", table))
        return false;
    text_printf(sql, "INSERT INTO main.%s SELECT ", table);
    for (; query_next(&q, err); before = ", ") {
        const char *name = query_str(&q, m->a, 0), *take = name;
        for (const struct merge_column *c = changed; c && c->name; c++)
            take = str_eq(c->name, name) ? c->instead : take;
        text_printf(sql, "%s%s", before, take);
    }
    text_printf(sql, " FROM shard.%s %s;\n", table, which);
    return query_close(&q);
}

/* From a shard's row numbers to those of the whole. */
static const char *moved(struct arena *a, const char *column, int64_t by)
{
    return arena_printf(a, "CASE WHEN %s > 0 THEN %s + %lld ELSE %s END", column, column, (long long)by, column);
}

static bool add_tables(struct merge *m, int64_t trials, int64_t duels, struct text *sql, struct err *err)
{
    static const char DONE[] = "WHERE cell IN (SELECT cell FROM shard.cell WHERE state = 'done')";
    const char *duel = arena_printf(m->a, "duel + %lld", (long long)duels);
    const struct merge_column of_task[] = {{"seed_trial", moved(m->a, "seed_trial", trials)}, {0}},
                              of_trial[] = {{"id", moved(m->a, "id", trials)}, {0}},
                              of_counter[] = {{"trial", moved(m->a, "trial", trials)}, {0}},
                              of_event[] = {{"id", "NULL"}, {0}}, of_duel[] = {{"duel", duel}, {0}},
                              of_program[] = {{"duel", duel}, {"trial", moved(m->a, "trial", trials)}, {0}};
    text_printf(sql, "DELETE FROM main.task %s; DELETE FROM main.cell %s;\n", DONE, DONE);
    return add_copy(m, sql, "cell", NULL, DONE, err) && add_copy(m, sql, "task", of_task, DONE, err) &&
           add_copy(m, sql, "round", NULL, DONE, err) && add_copy(m, sql, "trial", of_trial, DONE, err) &&
           add_copy(m, sql, "counter", of_counter, "", err) &&
           add_copy(m, sql, "event", of_event,
                    "WHERE cell >= 0 OR kind NOT IN ('" STORE_EVENT_CLAIMS "', '" STORE_EVENT_FILES
                    "', '" STORE_EVENT_NODE "', 'sitting', 'sitting_end', 'more_duels') ORDER BY id",
                    err) &&
           add_copy(m, sql, "duel", of_duel, "", err) && add_copy(m, sql, "duel_program", of_program, "", err) &&
           add_copy(m, sql, "duel_launch", of_duel, "", err);
}

/* What the campaign of a shard says of its machines is said of its cells. */
static const char NODES[] =
    "INSERT INTO main.event(cell, round, kind, name, text, unix_s) SELECT cell, -1, '" STORE_EVENT_NODE
    "', '', nodes, 0"
    " FROM shard.cell c JOIN (SELECT group_concat(text, '+') AS nodes FROM (SELECT DISTINCT text FROM shard.event WHERE"
    " cell < 0 AND kind = '" STORE_EVENT_NODE "' ORDER BY text)) WHERE c.state = 'done' AND nodes IS NOT NULL AND NOT"
    " EXISTS (SELECT 1 FROM shard.event e WHERE e.cell = c.cell AND e.kind = '" STORE_EVENT_NODE "')";

/* Machines of unlike kinds may have one word, and old records have none. */
static bool copy_nodes(struct merge *m, int shard, struct err *err)
{
    struct database *db = store_database(m->s);
    const char *kind = m->unlike ? m->unlike->kind[shard] : NULL;
    return database_run(db, err, NODES, "") &&
           (!kind || (database_run(db, err,
                                   "UPDATE main.event SET text = ?1 || ' ' || text WHERE kind = '" STORE_EVENT_NODE
                                   "' AND cell IN (SELECT cell FROM shard.cell WHERE state = 'done')",
                                   "s", kind) &&
                      database_run(db, err,
                                   "INSERT INTO main.event(cell, round, kind, name, text, unix_s) SELECT cell, -1, "
                                   "'" STORE_EVENT_NODE "', '', ?1, 0 FROM shard.cell WHERE state = 'done' AND cell "
                                   "NOT IN (SELECT cell FROM main.event WHERE kind = '" STORE_EVENT_NODE "')",
                                   "s", kind)));
}

static bool copy_tables(struct merge *m, int shard, struct err *err)
{
    struct database *db = store_database(m->s);
    struct text sql = {0};
    int64_t trials = 0, duels = 0;
    bool fine = database_int(db, &trials, err, "SELECT max(id) FROM trial", "") &&
                database_int(db, &duels, err, "SELECT count(*) FROM duel", "") &&
                database_run(db, err, "BEGIN IMMEDIATE", "");
    if (!fine)
        return false;
    fine = add_tables(m, trials, duels, &sql, err) && database_script(db, text_str(&sql), err) &&
           database_run(db, err,
                        "INSERT INTO event(cell, round, kind, name, text, unix_s) SELECT cell, -1, 'shard', '', ?1, 0"
                        " FROM shard.cell WHERE state = 'done'",
                        "s", m->shards[shard]) &&
           copy_nodes(m, shard, err);
    text_free(&sql);
    return database_end(db, fine, err);
}

static bool attach(struct merge *m, int shard, struct err *err)
{
    struct store *s;
    if (!store_open_read(m->shards[shard], &s, err))
        return false;
    bool fine = database_attach(store_database(m->s), store_database(s), "shard", err);
    store_close(s);
    return fine;
}

/* What belongs to no cell, and the row of all cells, which those of the shards replace. */
static const char COMMON[] =
    "INSERT INTO main.cell SELECT * FROM shard.cell; INSERT INTO main.task SELECT * FROM shard.task;"
    " INSERT INTO main.event SELECT * FROM shard.event WHERE kind IN ('" STORE_EVENT_CLAIMS "', '" STORE_EVENT_FILES
    "', 'sitting', 'sitting_end') ORDER BY id";

static bool copy(struct merge *m, int shard, struct err *err)
{
    struct database *db = store_database(m->s);
    if (!attach(m, shard, err))
        return false;
    bool fine = (shard > 0 || database_script(db, COMMON, err)) && copy_tables(m, shard, err);
    return database_script(db, "DETACH shard", fine ? err : NULL) && fine;
}

/* As one campaign has them: kernel by kernel in the order of its cells, and behind them the null pairs. */
static bool number_duels(struct merge *m, struct err *err)
{
    return database_script(
        store_database(m->s),
        "BEGIN IMMEDIATE; CREATE TEMP TABLE number AS SELECT duel AS old, row_number() OVER (ORDER BY null_pair, "
        "(SELECT"
        " min(c.cell) FROM cell c WHERE c.network = d.network AND c.seed = d.seed), task, duel) AS new FROM duel d;"
        " UPDATE duel SET duel = -(SELECT new FROM number WHERE old = duel);"
        " UPDATE duel_program SET duel = -(SELECT new FROM number WHERE old = duel);"
        " UPDATE duel_launch SET duel = -(SELECT new FROM number WHERE old = duel);"
        " UPDATE duel SET duel = -duel - 1; UPDATE duel_program SET duel = -duel - 1;"
        " UPDATE duel_launch SET duel = -duel - 1; DROP TABLE number; COMMIT",
        err);
}

/* ---- the whole ---- */

static bool put_in_place(const struct merge *m, struct err *err)
{
    const char *lock = file_join(m->a, m->folder, "records.lock"), *db = file_join(m->a, m->folder, "records.db");
    if (rename(db, file_join(m->a, m->out, "records.db")) || rename(lock, file_join(m->a, m->out, "records.lock")))
        return err_set(err, "cannot move '%s' to '%s': %s", db, m->out, strerror(errno));
    rmdir(m->folder);
    return true;
}

static bool open_first(struct merge *m, struct err *err)
{
    struct store *first;
    if (!store_open_read(m->shards[0], &first, err))
        return false;
    struct store_campaign campaign = *store_campaign(first);
    campaign.environment = m->unlike ? m->unlike->environment : campaign.environment;
    bool fine = store_open(m->folder, &campaign, STORE_NEW, &m->s, err) &&
                store_cells(first, m->a, &m->cells, &m->ncells, err) &&
                store_event_text(first, m->a, STORE_EVENT_CLAIMS, &m->claims, err);
    store_close(first);
    m->home = ARENA_ARRAY(m->a, int, m->ncells + 1);
    for (int i = 0; i < m->ncells; i++)
        m->home[i] = -1;
    return fine;
}

static bool merge(struct merge *m, struct err *err)
{
    if (store_exists(m->out))
        return err_set(err, "'%s' holds records already: --results FOLDER writes to another", m->out);
    store_file_remove(m->folder);
    bool fine = file_make_dirs(m->folder, err) && open_first(m, err);
    for (int i = 0; i < m->n && fine; i++)
        fine = look(m, i, err);
    fine = fine && whole(m, err);
    for (int i = 0; i < m->n && fine; i++)
        fine = copy(m, i, err);
    fine = fine && number_duels(m, err);
    store_close(m->s);
    fine = fine && put_in_place(m, err);
    if (!fine)
        store_file_remove(m->folder);
    return fine;
}

bool records_merge(const char *out, const char *const *shards, int n, const struct merge_unlike *unlike, int *missing,
                   struct err *err)
{
    struct arena *a = arena_open("merge");
    struct merge m = {.a = a,
                      .out = out,
                      .folder = file_join(a, out, "merging"),
                      .shards = shards,
                      .n = n,
                      .unlike = unlike,
                      .missing = missing};
    bool fine = merge(&m, err);
    arena_close(a);
    return fine;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* older: what each table was called before, and what else its rows have to change. */
#include "harness/record/older.h"

#include "harness/base/text.h"
#include "harness/record/schema.h"

static const struct older_table {
    const char *name, *definition; /* today */
    const char *was;               /* until version 3; NULL: the table is younger than version 1 and was not renamed */
    const char *columns;           /* of it, by their present names */
    const char *column_was, *column_is; /* the one that was renamed, NULL: none */
} TABLES[] = {
    {"counter", SCHEMA_COUNTER, NULL, NULL, NULL, NULL},
    {"retiming", SCHEMA_RETIMING, "final", "trial, launch, regime, outcome, message, seconds, unix_s", NULL, NULL},
    {"retiming_archive", SCHEMA_RETIMING_ARCHIVE, "final_aside",
     "attempt, trial, launch, regime, outcome, message, seconds, unix_s", NULL, NULL},
    {"aa_program", SCHEMA_AA_PROGRAM, "twin", "program, spec, name, steps, hash", "twin", "program"},
    {"aa_reading", SCHEMA_AA_READING, "twin_reading",
     "stage, program, arm, launch, regime, outcome, message, seconds, unix_s", "twin", "program"},
    {"aa_stage", SCHEMA_AA_STAGE, "twin_stage", "stage, peak_flops, unix_s", NULL, NULL},
    {"duel", SCHEMA_DUEL, NULL, NULL, NULL, NULL},
    {"duel_program", SCHEMA_DUEL_PROGRAM, NULL, NULL, NULL, NULL},
    {"duel_launch", SCHEMA_DUEL_LAUNCH, NULL, NULL, NULL, NULL},
};
enum { TABLES_N = sizeof TABLES / sizeof *TABLES };

static bool trial_is_older(struct database *d, bool *older, struct err *err)
{
    struct query q;
    if (!query_open(&q, d, err, "SELECT 1 FROM pragma_table_info('trial', 'main') WHERE name = 'spared_s'", ""))
        return false;
    *older = !query_next(&q, err);
    return query_close(&q);
}

/* Before version 6 each trial was timed in full. */
static bool trial_widen(struct database *d, const char *sql, struct err *err)
{
    bool older;
    return trial_is_older(d, &older, err) && (!older || database_script(d, sql, err));
}

static bool has_table(struct database *d, const char *name, bool *has, struct err *err)
{
    struct query q;
    *has = false;
    if (!name)
        return true;
    if (!query_open(&q, d, err, "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", "s", name))
        return false;
    *has = query_next(&q, err);
    return query_close(&q);
}

/* For each table what to run where it was there under its earlier name, and where it was not there at all. */
static bool each_table(struct database *d, void (*renamed)(const struct older_table *t, struct text *sql),
                       const char *create, struct err *err)
{
    struct text sql = {0};
    bool fine = true;
    for (int i = 0; fine && i < TABLES_N; i++) {
        const struct older_table *t = &TABLES[i];
        bool was, is;
        fine = has_table(d, t->was, &was, err) && has_table(d, t->name, &is, err);
        if (fine && was)
            renamed(t, &sql);
        else if (fine && !is)
            text_printf(&sql, "%s %s;", create, t->definition);
    }
    fine = fine && database_script(d, text_str(&sql), err);
    text_free(&sql);
    return fine;
}

static void as_view(const struct older_table *t, struct text *sql)
{
    text_printf(sql, "CREATE TEMP VIEW %s(%s) AS SELECT * FROM main.%s;", t->name, t->columns, t->was);
}

bool older_view(struct database *d, struct err *err)
{
    return database_script(d, "PRAGMA temp_store = MEMORY", err) && each_table(d, as_view, "CREATE TEMP TABLE", err) &&
           trial_widen(d,
                       "CREATE TEMP VIEW trial AS SELECT *, 0.0 AS spared_s, 0.0 AS computed_s, 0.0 AS full_s"
                       " FROM main.trial",
                       err) &&
           database_script(d,
                           "CREATE TEMP VIEW cell AS SELECT cell, network, arm, seed, CASE searcher WHEN 'retime' THEN"
                           " 'remeasure' ELSE searcher END AS searcher, searcher_settings, model, model_settings,"
                           " scheduler, trials, batch, trials_per_task, explore_cell, k, k_plus_one, share, state,"
                           " elapsed_s, cpu_s FROM main.cell",
                           err);
}

static void as_rename(const struct older_table *t, struct text *sql)
{
    text_printf(sql, "ALTER TABLE %s RENAME TO %s;", t->was, t->name);
    if (t->column_was)
        text_printf(sql, "ALTER TABLE %s RENAME COLUMN %s TO %s;", t->name, t->column_was, t->column_is);
}

bool older_migrate(struct database *d, struct err *err)
{
    if (!database_script(d, "BEGIN IMMEDIATE", err))
        return false;
    bool fine = each_table(d, as_rename, "CREATE TABLE", err) &&
                trial_widen(d,
                            "ALTER TABLE trial ADD COLUMN spared_s REAL NOT NULL DEFAULT 0;"
                            "ALTER TABLE trial ADD COLUMN computed_s REAL NOT NULL DEFAULT 0;"
                            "ALTER TABLE trial ADD COLUMN full_s REAL NOT NULL DEFAULT 0",
                            err) &&
                database_script(d,
                                "UPDATE cell SET searcher = 'remeasure' WHERE searcher = 'retime';"
                                "UPDATE event SET kind = 'archive' WHERE kind = 'aside';"
                                "PRAGMA user_version = 6",
                                err);
    return database_end(d, fine, err);
}

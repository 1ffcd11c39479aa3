/* SPDX-License-Identifier: Apache-2.0 */
/* retiming_archive: the event says when; how often follows from the rows, which records from before it do not have. */
#include "harness/record/retiming_archive.h"

#include "harness/base/text.h"
#include "harness/record/database.h"

/* Without aa_reading (records of schema version 2) the statement would not prepare. */
static bool count(struct store *s, const char *table, const char *sql, int *n, struct err *err)
{
    struct query q;
    bool has;
    *n = 0;
    if (!database_has_table(store_database(s), table, &has, err))
        return false;
    if (!has)
        return true;
    if (!query_open(&q, store_database(s), err, sql, ""))
        return false;
    if (query_next(&q, err))
        *n = (int)query_int(&q, 0);
    return query_close(&q);
}

static bool move(struct store *s, int attempt, const char *text, double unix_s, struct err *err)
{
    struct database *d = store_database(s);
    return database_run(d, err,
                        "CREATE TABLE IF NOT EXISTS final_aside(attempt INTEGER NOT NULL, trial INTEGER NOT NULL,"
                        " launch INTEGER NOT NULL, regime TEXT NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL,"
                        " seconds TEXT NOT NULL, unix_s REAL NOT NULL, PRIMARY KEY(attempt, trial, launch))",
                        "") &&
           database_run(d, err,
                        "INSERT INTO final_aside SELECT ?1, trial, launch, regime, outcome, message, seconds, unix_s"
                        " FROM final",
                        "n", attempt) &&
           database_run(d, err, "DELETE FROM final", "") &&
           database_run(d, err, "UPDATE aa_reading SET stage = stage || ' ' || ?1 WHERE stage IN ('before', 'after')",
                        "n", attempt) &&
           database_run(d, err, "UPDATE aa_stage SET stage = stage || ' ' || ?1 WHERE stage IN ('before', 'after')",
                        "n", attempt) &&
           store_event(s, -1, -1, "aside", text, unix_s, err);
}

bool retiming_archive_put(struct store *s, double unix_s, struct retiming_archive *put, struct err *err)
{
    struct database *d = store_database(s);
    struct retiming_archive had;
    struct text words = {0};
    int finals, twins;
    *put = (struct retiming_archive){0};
    if (!retiming_archive_get(s, &had, err) || !count(s, "final", "SELECT count(*) FROM final", &finals, err) ||
        !count(s, "aa_reading", "SELECT count(*) FROM aa_reading WHERE stage IN ('before', 'after')", &twins, err))
        return false;
    if (finals == 0)
        return true;
    if (!database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    *put = (struct retiming_archive){1, finals + twins};
    text_printf(&words, "shoot-out %d: %d readings", had.times + 1, put->readings);
    bool fine = move(s, had.times + 1, text_str(&words), unix_s, err);
    text_free(&words);
    return database_end(d, fine, err);
}

/* Readings before everything under another regime can only be of a shoot-out that has not begun: it begins anew. */
static bool move_floors(struct store *s, int n, const char *regime, struct err *err)
{
    struct database *d = store_database(s);
    return database_run(d, err,
                        "UPDATE aa_stage SET stage = stage || ', adopted ' || ?1 WHERE stage = 'after' OR (stage ="
                        " 'before' AND EXISTS(SELECT 1 FROM aa_reading WHERE stage = 'before' AND regime <> ?2))",
                        "ns", n, regime) &&
           database_run(d, err,
                        "UPDATE aa_reading SET stage = stage || ', adopted ' || ?1 WHERE stage = 'after' OR (stage ="
                        " 'before' AND regime <> ?2)",
                        "ns", n, regime);
}

bool retiming_archive_adopt(struct store *s, const char *hash, const char *regime, double unix_s, struct err *err)
{
    struct database *d = store_database(s);
    int n;
    if (!count(s, "event", "SELECT count(*) + 1 FROM event WHERE kind = 'adopt'", &n, err) ||
        !database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    return database_end(d, move_floors(s, n, regime, err) && store_adopt(s, hash, unix_s, err), err);
}

bool retiming_archive_get(struct store *s, struct retiming_archive *out, struct err *err)
{
    int finals, twins;
    *out = (struct retiming_archive){0};
    if (!count(s, "final_aside", "SELECT ifnull(max(attempt), 0) FROM final_aside", &out->times, err) ||
        !count(s, "final_aside", "SELECT count(*) FROM final_aside", &finals, err) ||
        !count(s, "aa_reading", "SELECT count(*) FROM aa_reading WHERE stage NOT IN ('before', 'after')", &twins, err))
        return false;
    out->readings = finals + twins;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* retiming_archive: the event says when; how often follows from the rows, which records from before it do not have. */
#include "harness/record/retiming_archive.h"

#include "harness/base/text.h"
#include "harness/record/database.h"

/* sql must be a string literal. */
static bool count(struct store *s, const char *sql, int *n, struct err *err)
{
    struct query q;
    *n = 0;
    if (!query_open(&q, store_database(s), err, sql, ""))
        return false;
    if (query_next(&q, err))
        *n = (int)query_int(&q, 0);
    return query_close(&q);
}

static bool move(struct store *s, int attempt, const char *text, double unix_s, struct err *err)
{
    struct database *d = store_database(s);
    return database_run(
               d, err,
               "INSERT INTO retiming_archive SELECT ?1, trial, launch, regime, outcome, message, seconds, unix_s"
               " FROM retiming",
               "n", attempt) &&
           database_run(d, err, "DELETE FROM retiming", "") &&
           database_run(d, err, "UPDATE aa_reading SET stage = stage || ' ' || ?1 WHERE stage IN ('before', 'after')",
                        "n", attempt) &&
           database_run(d, err, "UPDATE aa_stage SET stage = stage || ' ' || ?1 WHERE stage IN ('before', 'after')",
                        "n", attempt) &&
           store_event(s, -1, -1, "archive", text, unix_s, err);
}

bool retiming_archive_put(struct store *s, double unix_s, struct retiming_archive *put, struct err *err)
{
    struct database *d = store_database(s);
    struct retiming_archive had;
    struct text words = {0};
    int retimings, aa;
    *put = (struct retiming_archive){0};
    if (!retiming_archive_get(s, &had, err) || !count(s, "SELECT count(*) FROM retiming", &retimings, err) ||
        !count(s, "SELECT count(*) FROM aa_reading WHERE stage IN ('before', 'after')", &aa, err))
        return false;
    if (retimings == 0)
        return true;
    if (!database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    *put = (struct retiming_archive){1, retimings + aa};
    text_printf(&words, "re-timing %d: %d readings", had.times + 1, put->readings);
    bool fine = move(s, had.times + 1, text_str(&words), unix_s, err);
    text_free(&words);
    return database_end(d, fine, err);
}

/* Readings before everything under another regime can only be of a re-timing that has not begun: it begins anew. */
static bool move_aa_stages(struct store *s, int n, const char *regime, struct err *err)
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
    if (!count(s, "SELECT count(*) + 1 FROM event WHERE kind = 'adopt'", &n, err) ||
        !database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    return database_end(d, move_aa_stages(s, n, regime, err) && store_adopt(s, hash, unix_s, err), err);
}

bool retiming_archive_get(struct store *s, struct retiming_archive *out, struct err *err)
{
    int retimings, aa;
    *out = (struct retiming_archive){0};
    if (!count(s, "SELECT ifnull(max(attempt), 0) FROM retiming_archive", &out->times, err) ||
        !count(s, "SELECT count(*) FROM retiming_archive", &retimings, err) ||
        !count(s, "SELECT count(*) FROM aa_reading WHERE stage NOT IN ('before', 'after')", &aa, err))
        return false;
    out->readings = retimings + aa;
    return true;
}

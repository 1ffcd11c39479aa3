/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/record/sql_answer.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/record/database.h"
#include "harness/record/schema.h"

#include <inttypes.h>
#include <string.h>

enum { VALUE_BYTES_MOST = 64 << 20 }; /* of one value or row, which is copied on its way out */

static int permit(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)ctx, (void)c, (void)d;
    bool table_columns = action == SQLITE_PRAGMA && a && !b;
    bool loads = action == SQLITE_FUNCTION && b && str_eq(b, "load_extension");
    return (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE || table_columns ||
            action == SQLITE_FUNCTION) &&
                   !loads
               ? SQLITE_OK
               : SQLITE_DENY;
}

/* "SQL:2:8: no such column: x". */
static bool refused(sqlite3 *db, const char *sql, int code, struct err *err)
{
    int at = sqlite3_error_offset(db), line = 1, column = 1;
    if (code == SQLITE_AUTH)
        return err_set(err, "SQL: records are only read here: one SELECT is answered");
    for (int i = 0; i < at && sql[i]; i++) {
        line += sql[i] == '\n';
        column = sql[i] == '\n' ? 1 : column + 1;
    }
    return at < 0
               ? err_set(err, "SQL: %s", sqlite3_errmsg(db))
               : err_set(err, "SQL:%d:%d: %s; `raingauge query DIR` lists the views", line, column, sqlite3_errmsg(db));
}

/* A number is not asked for as text: SQLite would write it out. */
static struct sql_value value_of(sqlite3_stmt *s, int i)
{
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_NULL:
        return (struct sql_value){.kind = SQL_NULL};
    case SQLITE_INTEGER:
        return (struct sql_value){.kind = SQL_INTEGER, .integer = sqlite3_column_int64(s, i)};
    case SQLITE_FLOAT:
        return (struct sql_value){.kind = SQL_REAL, .real = sqlite3_column_double(s, i)};
    default:
        return (struct sql_value){.kind = SQL_TEXT, .text = (const char *)sqlite3_column_text(s, i)};
    }
}

static bool rows(sqlite3 *db, sqlite3_stmt *s, const char *sql, const struct sql_reader *to, struct err *err)
{
    enum { COLUMNS_MOST = 2000 }; /* SQLite's own bound */
    static struct sql_value values[COLUMNS_MOST];
    static const char *names[COLUMNS_MOST];
    int n = sqlite3_column_count(s), code = SQLITE_ROW;
    for (int i = 0; i < n; i++)
        names[i] = sqlite3_column_name(s, i);
    bool more = to->head(to->ctx, names, n);
    while (more && (code = sqlite3_step(s)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++)
            values[i] = value_of(s, i);
        more = to->row(to->ctx, values, n);
    }
    return !more || code == SQLITE_DONE || refused(db, sql, code, err);
}

static bool version_fits(struct database *d, const char *dir, struct err *err)
{
    int64_t version;
    return database_int(d, &version, err, "PRAGMA user_version", "") &&
           (version == SCHEMA_VERSION ||
            err_set(err, "'%s' has schema version %" PRId64 ", this raingauge reads %d: ask with the one that made it",
                    dir, version, SCHEMA_VERSION));
}

bool sql_answer(const char *dir, const char *sql, const struct sql_reader *to, struct err *err)
{
    struct arena *a = arena_open("sql");
    struct database *d;
    sqlite3_stmt *s = NULL;
    const char *rest = sql;
    bool fine = database_open_read(file_join(a, dir, "records.db"), &d, err);
    arena_close(a);
    if (!fine)
        return false;
    sqlite3 *db = database_handle(d);
    if ((fine = version_fits(d, dir, err))) {
        sqlite3_set_authorizer(db, permit, NULL);
        sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MOST);
        int code = sqlite3_prepare_v2(db, sql, -1, &s, &rest);
        fine = code == SQLITE_OK || refused(db, sql, code, err);
    }
    if (fine && s && !sqlite3_stmt_readonly(s))
        fine = refused(db, sql, SQLITE_AUTH, err);
    if (fine && (!s || rest[strspn(rest, "; \t\r\n")]))
        fine = err_set(err, "SQL: one SELECT is answered: %s", s ? "nothing may follow it" : "there is none");
    fine = fine && rows(db, s, sql, to, err);
    sqlite3_finalize(s);
    database_close(d);
    return fine;
}

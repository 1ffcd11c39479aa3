/* SPDX-License-Identifier: Apache-2.0 */
/* database: the little of SQLite that the store needs: opening with checks, a writer's lock, statements with typed
 * arguments, and errors that say what a person can do. Only the record room uses it. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct database;
struct query { /* a running SELECT */
    struct database *db;
    sqlite3_stmt *statement;
    bool failed;
};

/* For writing: makes the file when it is missing; WAL; synchronous FULL or NORMAL; runs quick_check when it was there.
 */
MUST_CHECK bool database_open(const char *path, bool durable, struct database **out, struct err *err);
#define DATABASE_PACKED ".xz"           /* behind the name of a database that is packed by xz and can only be read */
bool database_exists(const char *path); /* packed or not */
/* For reading, beside a writer or in a folder that cannot be written. Where there is only the packed one, that is
 * unpacked into memory. */
MUST_CHECK bool database_open_read(const char *path, struct database **out, struct err *err);
/* For reading the file alone, as it lies there: without its log, and without any lock. */
MUST_CHECK bool database_open_still(const char *path, struct database **out, struct err *err);
/* A copy in memory, that can be changed; and its bytes as those of a file. */
MUST_CHECK bool database_copy(struct database *d, struct database **out, struct err *err);
MUST_CHECK bool database_write(struct database *d, int fd, struct err *err);
/* The tables of another one, copied into memory, under a name of their own. */
MUST_CHECK bool database_attach(struct database *d, struct database *other, const char *name, struct err *err);
void database_close(struct database *d); /* NULL is fine */
sqlite3 *database_handle(struct database *d);

/* types: one letter per ?1 ?2 ...: i int64_t, n int, d double (NAN becomes NULL), s string (NULL becomes NULL).
 * Statements are prepared once and kept; sql must be a string literal. */
MUST_CHECK bool database_run(struct database *d, struct err *err, const char *sql, const char *types, ...);
MUST_CHECK bool database_script(struct database *d, const char *sql,
                                struct err *err); /* several statements, no arguments */
/* Ends a transaction that was begun by "BEGIN IMMEDIATE": commits when fine, else rolls back. Returns fine &&
 * committed. */
MUST_CHECK bool database_end(struct database *d, bool fine, struct err *err);

MUST_CHECK bool query_open(struct query *q, struct database *d, struct err *err, const char *sql, const char *types,
                           ...);
bool query_next(struct query *q, struct err *err); /* a row; false at the end or on an error: then q->failed */
bool query_close(struct query *q);                 /* returns !failed */
int64_t query_int(const struct query *q, int column);
/* A query of one whole number; 0 where it has no row. */
MUST_CHECK bool database_int(struct database *d, int64_t *out, struct err *err, const char *sql, const char *types,
                             ...);
double query_real(const struct query *q, int column);                      /* NULL reads as NAN */
const char *query_str(const struct query *q, struct arena *a, int column); /* copied into a; NULL reads as "" */

/* The lock of the one writer: an fcntl lock on a file beside the database, so that a kill -9 releases it and forked
 * workers do not hold it. fd -1 on failure. */
MUST_CHECK bool lock_take(const char *path, int *fd, struct err *err);
bool lock_holder(const char *path, pid_t *pid);

/* SPDX-License-Identifier: Apache-2.0 */
/* database: every SQLite call is here, so that the store reads as what it stores. Statements are cached by their text's
 * address: the store has some forty, and a trial must not pay for parsing SQL. */
#include "harness/record/database.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATEMENTS_MAX = 96, BUSY_MS = 20000, DATABASE_HEADER = 100 };

struct database {
    sqlite3 *handle;
    char *path;
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } cache[STATEMENTS_MAX];
    int ncache;
};

/* What went wrong, with what a person can do about it. */
static bool failed(struct database *d, int code, struct err *err)
{
    const char *text = d->handle ? sqlite3_errmsg(d->handle) : sqlite3_errstr(code);
    int system = d->handle ? sqlite3_system_errno(d->handle) : 0;
    switch (code & 0xff) {
    case SQLITE_FULL:
        system = ENOSPC;
        /* fall through */
    case SQLITE_IOERR:
        if (system == ENOSPC || system == EDQUOT)
            err_set(err, "no space left for '%s': free some, then continue with --resume; what was recorded is safe",
                    d->path);
        else
            err_set(err, "cannot read or write '%s': %s%s%s", d->path, text, system ? ": " : "",
                    system ? strerror(system) : "");
        return err_environment(err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return err_set(err,
                       "'%s' is corrupted (%s): nothing was changed; 'sqlite3 FILE .recover' may save its rows, "
                       "--results starts in another folder",
                       d->path, text);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return err_set(err, "cannot open '%s' for writing: %s: choose another folder with --results", d->path,
                       system ? strerror(system) : text);
    case SQLITE_BUSY:
        return err_set(err, "'%s' is locked by another program", d->path);
    default:
        return err_set(err, "'%s': %s", d->path, text);
    }
}

sqlite3 *database_handle(struct database *d)
{
    return d->handle;
}

static struct database *database_new(const char *path)
{
    struct database *d = calloc(1, sizeof *d);
    if (!d || !(d->path = strdup(path)))
        bug("out of memory");
    return d;
}

void database_close(struct database *d)
{
    if (!d)
        return;
    for (int i = 0; i < d->ncache; i++)
        sqlite3_finalize(d->cache[i].statement);
    sqlite3_close(d->handle);
    free(d->path);
    free(d);
}

bool database_script(struct database *d, const char *sql, struct err *err)
{
    int code = sqlite3_exec(d->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK || failed(d, code, err);
}

/* quick_check finds torn pages and truncation in time linear in the file; 10,000 trials are some 30 MB. */
static bool quick_check(struct database *d, struct err *err)
{
    struct query q;
    if (!query_open(&q, d, err, "PRAGMA quick_check(1)", ""))
        return false;
    bool fine = query_next(&q, err);
    const char *said = fine ? (const char *)sqlite3_column_text(q.statement, 0) : NULL;
    if (said && !str_eq(said, "ok")) {
        err_set(err,
                "'%s' is corrupted (%s): nothing was changed; 'sqlite3 FILE .recover' may save its rows, --results "
                "starts in another folder",
                d->path, said);
        fine = false;
    }
    return query_close(&q) && fine;
}

/* SQLite takes 512 characters of the whole path, and a log's name is longer. */
static bool path_fits(const char *path, struct err *err)
{
    enum { MOST = 500 };
    char folder[PATH_MAX] = "";
    size_t n = strlen(path);
    if (*path != '/' && getcwd(folder, sizeof folder))
        n += strlen(folder) + 1;
    return n <= MOST || err_set(err,
                                "the path '%.60s...' has %zu characters, a database can have %d: choose a shorter "
                                "folder with --results",
                                path, n, MOST);
}

static bool open_flags(const char *path, int flags, struct database **out, struct err *err)
{
    *out = NULL;
    if (!path_fits(path, err))
        return false;
    struct database *d = database_new(path);
    int code = sqlite3_open_v2(path, &d->handle, flags | SQLITE_OPEN_NOMUTEX, NULL); /* one thread has it */
    if (code == SQLITE_OK) {
        sqlite3_extended_result_codes(d->handle, 1);
        sqlite3_busy_timeout(d->handle, BUSY_MS);
        *out = d;
        return true;
    }
    failed(d, code, err);
    database_close(d);
    *out = NULL;
    return false;
}

bool database_open(const char *path, bool durable, struct database **out, struct err *err)
{
    bool existed = file_exists(path);
    if (!open_flags(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, out, err))
        return false;
    if ((!existed || quick_check(*out, err)) && database_script(*out, "PRAGMA journal_mode=WAL", err) &&
        database_script(*out, durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", err))
        return true;
    database_close(*out);
    *out = NULL;
    return false;
}

/* SQLite frees *bytes, also when this fails. */
static bool read_whole(FILE *f, unsigned char **bytes, size_t *n)
{
    struct stat st;
    *n = fstat(fileno(f), &st) ? 0 : (size_t)st.st_size;
    *bytes = *n >= DATABASE_HEADER ? sqlite3_malloc64(*n) : NULL;
    return *bytes && fread(*bytes, 1, *n, f) == *n;
}

/* A database in memory, which frees the bytes; path: for errors. */
static bool open_bytes(const char *path, unsigned char *bytes, size_t n, unsigned flags, struct database **out,
                       struct err *err)
{
    bytes[18] = bytes[19] = 1; /* without a write-ahead log, which memory has none of */
    if (!open_flags(":memory:", SQLITE_OPEN_READWRITE, out, err)) {
        sqlite3_free(bytes);
        return false;
    }
    free((*out)->path);
    if (!((*out)->path = strdup(path)))
        bug("out of memory");
    int code = sqlite3_deserialize((*out)->handle, "main", bytes, (sqlite3_int64)n, (sqlite3_int64)n,
                                   SQLITE_DESERIALIZE_FREEONCLOSE | flags);
    if (code == SQLITE_OK)
        return true;
    failed(*out, code, err);
    database_close(*out);
    *out = NULL;
    return false;
}

/* Read into memory: whatever opens a database finds it as it finds a file. */
static bool open_packed(const char *path, struct database **out, struct err *err)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    FILE *f;
    if (!unpack_open(path, &f, err))
        return false;
    bool fine = read_whole(f, &bytes, &n) && memcmp(bytes, "SQLite format 3", 16) == 0;
    fclose(f);
    if (!fine) {
        sqlite3_free(bytes);
        return err_set(err, "'%s' is no packed database", path);
    }
    return open_bytes(path, bytes, n, SQLITE_DESERIALIZE_READONLY, out, err);
}

bool database_copy(struct database *d, struct database **out, struct err *err)
{
    sqlite3_int64 n = 0;
    unsigned char *bytes = sqlite3_serialize(d->handle, "main", &n, 0);
    return bytes ? open_bytes(d->path, bytes, (size_t)n, SQLITE_DESERIALIZE_RESIZEABLE, out, err)
                 : failed(d, SQLITE_NOMEM, err);
}

bool database_write(struct database *d, int fd, struct err *err)
{
    sqlite3_int64 n = 0;
    unsigned char *bytes = sqlite3_serialize(d->handle, "main", &n, 0);
    int own = bytes ? dup(fd) : -1;
    FILE *f = own >= 0 ? fdopen(own, "w") : NULL;
    bool fine = f && fwrite(bytes, 1, (size_t)n, f) == (size_t)n;
    fine = f && fclose(f) == 0 && fine;
    sqlite3_free(bytes);
    return fine || err_set(err, "cannot write a copy of '%s': %s", d->path, strerror(errno)) || err_environment(err);
}

bool database_attach(struct database *d, struct database *other, const char *name, struct err *err)
{
    if (!database_run(d, err, "ATTACH ':memory:' AS ?1", "s", name))
        return false;
    sqlite3_backup *b = sqlite3_backup_init(d->handle, name, other->handle, "main");
    int code = b ? sqlite3_backup_step(b, -1) : sqlite3_errcode(d->handle);
    if (b)
        sqlite3_backup_finish(b);
    return code == SQLITE_DONE || failed(d, code, err);
}

static const char *packed_path(struct arena *a, const char *path)
{
    return arena_printf(a, "%s" DATABASE_PACKED, path);
}

bool database_exists(const char *path)
{
    struct arena *a = arena_open("path");
    bool there = file_exists(path) || file_exists(packed_path(a, path));
    arena_close(a);
    return there;
}

bool database_open_still(const char *path, struct database **out, struct err *err)
{
    struct text uri = {0};
    *out = NULL;
    if (strpbrk(path, "?#%"))
        return err_set(err, "'%s' is no name for a database", path);
    text_printf(&uri, "file:%s?immutable=1", path);
    bool fine = open_flags(text_str(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, out, err) &&
                database_script(*out, "SELECT count(*) FROM sqlite_master", err);
    text_free(&uri);
    if (fine)
        return true;
    database_close(*out);
    *out = NULL;
    return false;
}

/* A reader of a WAL database needs its -shm file. In a folder that cannot be written and without a writer, the file
 * alone is the whole truth: immutable=1 says so. */
bool database_open_read(const char *path, struct database **out, struct err *err)
{
    if (!file_exists(path)) {
        struct arena *a = arena_open("path");
        bool fine = database_exists(path) ? open_packed(packed_path(a, path), out, err)
                                          : err_set(err, "no records at '%s'", path);
        arena_close(a);
        return fine;
    }
    if (!open_flags(path, SQLITE_OPEN_READONLY, out, err))
        return false;
    struct err first = {0};
    if (database_script(*out, "SELECT count(*) FROM sqlite_master", &first))
        return true;
    database_close(*out);
    *out = NULL;
    struct text wal = {0};
    text_printf(&wal, "%s-wal", path);
    bool fine = !file_exists(text_str(&wal)) && database_open_still(path, out, NULL);
    text_free(&wal);
    if (!fine)
        *err = first;
    return fine;
}

static bool prepare(struct database *d, const char *sql, sqlite3_stmt **out, struct err *err)
{
    for (int i = 0; i < d->ncache; i++) {
        if (d->cache[i].sql != sql)
            continue;
        *out = d->cache[i].statement;
        return true;
    }
    if (d->ncache == STATEMENTS_MAX)
        bug("more than %d statements", STATEMENTS_MAX);
    int code = sqlite3_prepare_v3(d->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    if (code != SQLITE_OK)
        return failed(d, code, err);
    d->cache[d->ncache].sql = sql;
    d->cache[d->ncache++].statement = *out;
    return true;
}

static void bind(sqlite3_stmt *st, const char *types, va_list args)
{
    for (int i = 1; *types; types++, i++) {
        double v;
        const char *s;
        switch (*types) {
        case 'i':
            sqlite3_bind_int64(st, i, va_arg(args, int64_t));
            break;
        case 'n':
            sqlite3_bind_int(st, i, va_arg(args, int));
            break;
        case 'd':
            v = va_arg(args, double);
            if (isnan(v))
                sqlite3_bind_null(st, i);
            else
                sqlite3_bind_double(st, i, v);
            break;
        case 's':
            s = va_arg(args, const char *);
            sqlite3_bind_text(st, i, s, -1, SQLITE_TRANSIENT); /* NULL binds NULL */
            break;
        default:
            bug("unknown argument type '%c'", *types);
        }
    }
}

bool database_run(struct database *d, struct err *err, const char *sql, const char *types, ...)
{
    sqlite3_stmt *st = NULL;
    if (!prepare(d, sql, &st, err))
        return false;
    va_list args;
    va_start(args, types);
    bind(st, types, args);
    va_end(args);
    int code = sqlite3_step(st);
    bool fine = code == SQLITE_DONE || code == SQLITE_ROW || failed(d, code, err);
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return fine;
}

bool database_end(struct database *d, bool fine, struct err *err)
{
    if (fine && database_run(d, err, "COMMIT", ""))
        return true;
    if (!sqlite3_get_autocommit(d->handle)) /* a full disk may have rolled back by itself */
        sqlite3_exec(d->handle, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool query_begin(struct query *q, struct database *d, struct err *err, const char *sql, const char *types,
                        va_list args)
{
    *q = (struct query){.db = d};
    if (!prepare(d, sql, &q->statement, err))
        return false;
    if (sqlite3_stmt_busy(q->statement))
        bug("a query inside the same query: %s", sql);
    bind(q->statement, types, args);
    return true;
}

bool query_open(struct query *q, struct database *d, struct err *err, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    bool fine = query_begin(q, d, err, sql, types, args);
    va_end(args);
    return fine;
}

bool database_int(struct database *d, int64_t *out, struct err *err, const char *sql, const char *types, ...)
{
    struct query q;
    va_list args;
    va_start(args, types);
    bool fine = query_begin(&q, d, err, sql, types, args);
    va_end(args);
    *out = fine && query_next(&q, err) ? query_int(&q, 0) : 0;
    return fine && query_close(&q);
}

bool query_next(struct query *q, struct err *err)
{
    int code = sqlite3_step(q->statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE) {
        q->failed = true;
        failed(q->db, code, err);
    }
    return false;
}

bool query_close(struct query *q)
{
    sqlite3_reset(q->statement);
    sqlite3_clear_bindings(q->statement);
    return !q->failed;
}

int64_t query_int(const struct query *q, int column)
{
    return sqlite3_column_int64(q->statement, column);
}

double query_real(const struct query *q, int column)
{
    return sqlite3_column_type(q->statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(q->statement, column);
}

const char *query_str(const struct query *q, struct arena *a, int column)
{
    const char *s = (const char *)sqlite3_column_text(q->statement, column);
    return arena_str(a, s ? s : "");
}

/* 0, or errno. A run that was killed, or whose parent was, may take a moment to die: it is waited for. */
static int take_soon(int fd)
{
    enum { TRIES = 40 };
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    for (int i = 0; fcntl(fd, F_SETLK, &lock) != 0; i++) {
        if (i == TRIES || (errno != EACCES && errno != EAGAIN))
            return errno;
        clock_sleep(0.05);
    }
    return 0;
}

bool lock_take(const char *path, int *fd, struct err *err)
{
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*fd < 0)
        return err_set(err, "cannot write '%s': %s: choose another folder with --results", path, strerror(errno));
    int why = take_soon(*fd);
    if (!why)
        return true;
    close(*fd);
    *fd = -1;
    if (why == EACCES || why == EAGAIN)
        return err_set(err, "another raingauge writes to '%s': wait for it, or choose another folder with --results",
                       path) ||
               err_environment(err);
    return err_set(err, "cannot lock '%s': %s", path, strerror(why));
}

bool lock_holder(const char *path, pid_t *pid)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool held = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (held)
        *pid = lock.l_pid;
    close(fd);
    return held;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* store_file: stat by path only. Closing a descriptor of records.db or of its lock would drop this process's locks. */
#include "harness/record/store_file.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MOVE_SECONDS 5.0
enum { SMALLEST_DATABASE = 512 }; /* SQLite's smallest page */
static const char SAID[] = "records.db holds records\n";

static bool said(const struct store_file *f)
{
    char text[sizeof SAID];
    return pread(f->lock, text, sizeof text, 0) == (ssize_t)sizeof SAID - 1;
}

static bool lost(const struct store_file *f, const char *what, struct err *err)
{
    return err_set(err,
                   "'%s' %s, although '%s' says that it held records: put a copy back, or remove both to begin anew",
                   f->path, what, f->lock_path);
}

/* One byte is no database of ours, and SQLite would take it for a new one. */
static bool not_emptied(const struct store_file *f, struct err *err)
{
    struct stat st;
    if (stat(f->path, &st) || st.st_size >= SMALLEST_DATABASE)
        return true;
    if (st.st_size == 0)
        return !said(f) || lost(f, "is empty", err);
    return err_set(err,
                   "'%s' is corrupted (it has %lld bytes): nothing was changed; choose another folder with --results",
                   f->path, (long long)st.st_size);
}

bool store_file_lock(struct store_file *f, struct arena *a, const char *dir, struct err *err)
{
    f->path = file_join(a, dir, "records.db");
    f->lock_path = file_join(a, dir, "records.lock");
    return lock_take(f->lock_path, &f->lock, err) && not_emptied(f, err);
}

bool store_file_may_be_new(const struct store_file *f, struct err *err)
{
    struct stat st;
    bool is_there = stat(f->path, &st) == 0;
    return !is_there || !said(f) || lost(f, "holds no campaign", err);
}

static bool move_log(struct store_file *f, struct database *db, struct err *err)
{
    f->moved_s = clock_now();
    return database_script(db, "PRAGMA wal_checkpoint(PASSIVE)", err);
}

bool store_file_opened(struct store_file *f, struct database *db, struct err *err)
{
    if (stat(f->path, &f->file) || fstat(f->lock, &f->locked))
        return err_set(err, "'%s' was removed as it was opened: %s", f->path, strerror(errno));
    if (!move_log(f, db, err)) /* first, so that a power cut between the two cannot leave a claim without records */
        return false;
    return said(f) || pwrite(f->lock, SAID, sizeof SAID - 1, 0) == (ssize_t)sizeof SAID - 1 ||
           err_set(err, "cannot write '%s': %s", f->lock_path, strerror(errno));
}

static bool is_same(const char *path, const struct stat *was)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == was->st_dev && st.st_ino == was->st_ino &&
           (st.st_size >= SMALLEST_DATABASE || st.st_size >= was->st_size);
}

bool store_file_safe(struct store_file *f, struct database *db, struct err *err)
{
    if (!is_same(f->path, &f->file))
        return err_set(err,
                       "'%s' was removed, replaced or emptied while this run wrote to it: what was recorded is lost. "
                       "Put a copy back and continue with --resume, or begin anew in another folder (--results)",
                       f->path);
    if (!is_same(f->lock_path, &f->locked))
        return err_set(err,
                       "'%s' was removed or replaced while this run held it, so another run may write to the same "
                       "records: continue with --resume when no other runs",
                       f->lock_path);
    return clock_now() - f->moved_s < MOVE_SECONDS || move_log(f, db, err);
}

void store_file_unlock(struct store_file *f)
{
    if (f->lock >= 0)
        close(f->lock);
    f->lock = -1;
}

void store_file_remove(const char *dir)
{
    static const char *const files[] = {"records.db", "records.db-wal", "records.db-shm", "records.lock"};
    struct arena *a = arena_open("path");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)unlink(file_join(a, dir, files[i]));
    (void)rmdir(dir);
    arena_close(a);
}

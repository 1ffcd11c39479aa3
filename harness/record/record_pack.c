/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/record/record_pack.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/process.h"
#include "harness/record/database.h"
#include "harness/record/store.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Rows in their own order and no free pages: equal records give equal bytes. */
static const char WHOLE[] = "UPDATE round SET rng = '', model_rng = ''; VACUUM";
static const char REDUCED[] = "UPDATE trial SET steps = '', model_score = NULL, unix_s = 0"
                              " WHERE id NOT IN (SELECT trial FROM duel_program); VACUUM";

static bool run_xz(int from, int to, struct err *err)
{
    const char *const argv[] = {"xz", "-9e", "-c", "-T1", "--check=sha256", NULL};
    const struct process_spec xz = {.argv = argv, .in = from, .out = to};
    struct process p;
    return lseek(from, 0, SEEK_SET) == 0 && (process_run(&xz, INFINITY, &p, err) || err_context(err, "xz"));
}

/* The packed bytes in a. */
static bool pack(struct database *d, struct arena *a, char **bytes, size_t *n, struct err *err)
{
    int from = file_unnamed(err), to = from < 0 ? -1 : file_unnamed(err);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", to);
    bool fine =
        to >= 0 && database_write(d, from, err) && run_xz(from, to, err) && file_read(a, path, 0, bytes, n, err);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return fine;
}

static bool pack_copy(struct database *copy, struct arena *a, const char *dir, size_t limit, struct record_packed *out,
                      struct err *err)
{
    char *bytes;
    size_t n;
    if (!database_script(copy, WHOLE, err) || !pack(copy, a, &bytes, &n, err))
        return false;
    out->reduced = n > limit;
    if (out->reduced && (!database_script(copy, REDUCED, err) || !pack(copy, a, &bytes, &n, err)))
        return false;
    if (n > limit)
        return err_set(err, "'%s' takes %.1f MiB packed, more than %.1f MiB, even without schedules: --limit", dir,
                       (double)n / (1 << 20), (double)limit / (1 << 20));
    out->bytes = (int64_t)n;
    digest_sha256(bytes, n, out->sha256);
    return file_write(file_join(a, dir, "records.db" DATABASE_PACKED), bytes, n, err);
}

bool record_pack(const char *dir, size_t limit, struct record_packed *out, struct err *err)
{
    struct store *s;
    struct database *copy = NULL;
    pid_t writer;
    *out = (struct record_packed){0};
    if (!store_begun(dir))
        return err_set(err, "there is no records.db in '%s' to pack", dir);
    if (store_writer(dir, &writer))
        return err_set(err, "process %d writes records to '%s': pack them when it is done", (int)writer, dir);
    if (!store_open_read(dir, &s, err))
        return false;
    struct arena *a = arena_open("pack");
    bool fine = database_int(store_database(s), &out->trials, err, "SELECT count(*) FROM trial", "") &&
                database_copy(store_database(s), &copy, err) && pack_copy(copy, a, dir, limit, out, err);
    database_close(copy);
    store_close(s);
    arena_close(a);
    return fine;
}

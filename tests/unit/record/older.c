/* SPDX-License-Identifier: Apache-2.0 */
/* Records of schema versions 1 to 3 (tests/corpus/records): read as they are, and continued as the present one. A
 * migration that is killed at any moment leaves the one or the other. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/record/aa_test.h"
#include "harness/record/counter.h"
#include "harness/record/database.h"
#include "harness/record/retiming.h"
#include "harness/record/retiming_archive.h"
#include "harness/record/schema.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/store_text.h"
#include "tests/lib/tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena *arena;
static char root[] = "/tmp/raingauge-older-XXXXXX";

/* What versions 1 and 2 did not have. */
static const char NO_AA[] = "DROP TABLE twin; DROP TABLE twin_reading; DROP TABLE twin_stage; PRAGMA user_version = 2;";
static const char NO_COUNTER[] = "DROP TABLE counter; PRAGMA user_version = 1;";

/* A folder whose records.db is of that version. */
static const char *records_of(int version, const char *name)
{
    const char *dir = file_join(arena, root, name);
    struct err err = {0};
    struct database *d;
    char *sql;
    size_t n;
    fixture_must(file_make_dirs(dir, &err) && file_read(arena, "tests/corpus/records/retimed.sql", 0, &sql, &n, &err) &&
                     database_open(file_join(arena, dir, "records.db"), false, &d, &err),
                 &err);
    /* NOLINTNEXTLINE(clang-analyzer-core.*): set where it is used */
    fixture_must(database_script(d, sql, &err) && (version > 2 || database_script(d, NO_AA, &err)) &&
                     (version > 1 || database_script(d, NO_COUNTER, &err)),
                 &err);
    database_close(d);
    return dir;
}

static struct store *reader(const char *dir)
{
    struct err err = {0};
    struct store *s;
    fixture_must(store_open_read(dir, &s, &err), &err);
    return s;
}

/* Opens for writing as the campaign that the records say they are of. */
static struct store *writer(const char *dir)
{
    struct err err = {0};
    struct store *had = reader(dir), *s;
    struct store_campaign c = *store_campaign(had);
    fixture_must(store_open(dir, &c, STORE_RESUME, &s, &err), &err);
    store_close(had);
    return s;
}

static const char *rows(struct store *s)
{
    struct text t = {0};
    struct err err = {0};
    fixture_must(store_text(s, &t, &err), &err);
    const char *out = arena_str(arena, text_str(&t));
    text_free(&t);
    return out;
}

static int number(struct store *s, const char *sql)
{
    struct query q;
    struct err err = {0};
    fixture_must(query_open(&q, store_database(s), &err, sql, ""), &err);
    int n = query_next(&q, &err) ? (int)query_int(&q, 0) : -1;
    fixture_must(query_close(&q), &err);
    return n;
}

static void test_read(struct store *s, int version)
{
    struct err err = {0};
    struct store_cell *cells;
    struct aa_program *programs;
    struct aa_reading *readings;
    struct retiming_archive archive;
    const struct retimed_program *retimed;
    struct counter_sum *sums;
    int64_t counted;
    bool awaited;
    int ncells, nprograms, nreadings, nretimed, nsums;
    fixture_must(store_cells(s, arena, &cells, &ncells, &err) &&
                     aa_programs_get(s, arena, &programs, &nprograms, &err) &&
                     aa_readings(s, arena, AA_AFTER, &readings, &nreadings, &err) &&
                     retiming_archive_get(s, &archive, &err) && retimed_programs(s, arena, &retimed, &nretimed, &err) &&
                     counters_sum(s, arena, &sums, &nsums, &counted, &err) && aa_awaited(s, &awaited, &err),
                 &err);
    ok(ncells == 4 && str_eq(cells[3].searcher, "remeasure") && str_eq(cells[0].searcher, "random"),
       "version %d: the searcher that was called retime is called remeasure, others keep their names", version);
    /* NOLINTNEXTLINE(clang-analyzer-core.*): set where it is used */
    is_int(nretimed, 13, "version %d: all retimed programs are found", version);
    is_int(archive.times, 1, "version %d: one re-timing is archived", version);
    is_int(archive.readings, version > 2 ? 26 + 16 : 26, "version %d: its readings are counted", version);
    is_int(nprograms, version > 2 ? 2 : 0, "version %d: A/A programs are read where there were any", version);
    is_int(nreadings, version > 2 ? 8 : 0, "version %d: so are the A/A readings of the stage after", version);
    /* NOLINTNEXTLINE(clang-analyzer-core.*): set where it is used */
    ok(nsums == 0 && counted == 0 && !awaited, "version %d: nothing was counted, and no A/A stage is awaited", version);
}

static void test_version(int version)
{
    const char *dir = records_of(version, arena_printf(arena, "version-%d", version));
    struct err err = {0};
    char *before, *after;
    size_t n, m;
    const char *path = file_join(arena, dir, "records.db");
    fixture_must(file_read(arena, path, 0, &before, &n, &err), &err);
    struct store *s = reader(dir);
    test_read(s, version);
    const char *read = rows(s);
    store_close(s);
    fixture_must(file_read(arena, path, 0, &after, &m, &err), &err);
    ok(n == m && memcmp(before, after, n) == 0, "version %d: reading changes no byte of the file", version);
    s = writer(dir);
    is_int(number(s, "PRAGMA user_version"), SCHEMA_VERSION, "version %d: continued, it is of the present version",
           version);
    is_int(number(s, "SELECT count(*) FROM sqlite_master WHERE name IN ('final', 'final_aside', 'twin', 'twin_reading',"
                     " 'twin_stage')"),
           0, "version %d: no table has an earlier name", version);
    is_int(number(s, "SELECT count(*) FROM sqlite_master WHERE type = 'table'"), 15, "version %d: all tables are there",
           version);
    test_read(s, version);
    is_str(rows(s), read, "version %d: continued, it has the rows that a reader saw", version);
    const struct counter one = {.name = "cycles", .present = true, .value = 1};
    ok(store_counters_put(s, 1, &one, 1, &err), "version %d: counters can be added: %s", version, err.text);
    store_close(s);
}

/* Kills the process that migrates after ever longer times. */
static void test_killed(void)
{
    const char *dir = records_of(3, "killed");
    struct store *s = reader(dir);
    const char *want = rows(s);
    store_close(s);
    int old = 0, done = 0, wrong = 0;
    for (int i = 0; i < 60 && done < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            store_close(writer(dir));
            _exit(0);
        }
        clock_sleep(0.0004 * i);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        s = reader(dir);
        int version = number(s, "PRAGMA user_version");
        old += version == 3;
        done += version == SCHEMA_VERSION;
        wrong += !str_eq(rows(s), want) || (version != 3 && version != SCHEMA_VERSION);
        store_close(s);
    }
    diag("killed %d times before the migration was done", old);
    ok(old > 0, "a migration was killed before it was done");
    is_int(wrong, 0, "a migration killed at any moment leaves the same rows in the earlier version or the present one");
    s = writer(dir);
    is_str(rows(s), want, "after all kills it goes through");
    store_close(s);
}

static void test_newer(void)
{
    const char *dir = records_of(3, "newer");
    struct err err = {0};
    struct database *d;
    struct store *s;
    fixture_must(database_open(file_join(arena, dir, "records.db"), false, &d, &err) &&
                     database_script(d, "PRAGMA user_version = 7", &err),
                 &err);
    database_close(d);
    ok(!store_open_read(dir, &s, &err) && strstr(err.text, "schema version 7, this raingauge knows 6"),
       "records of a newer version are refused: %s", err.text);
}

int main(void)
{
    arena = arena_open("test");
    if (!mkdtemp(root))
        bug("mkdtemp");
    for (int version = 3; version > 0; version--)
        test_version(version);
    test_killed();
    test_newer();
    fixture_remove(root);
    arena_close(arena);
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* store_file: a writer notices that its database was removed, replaced or emptied; one that opens a folder does not
 * take what is left of records for a new beginning; a copy of records.db alone has what was recorded. */
#include "harness/base/file.h"
#include "harness/record/store.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char *in(const char *dir, const char *name)
{
    return file_join(arena, fixture_path("%s", dir), name);
}

/* A store with one cell, one round and two trials, still open. */
static struct store_fixture written(const char *dir)
{
    struct store_fixture f = {.s = fixture_open(fixture_path("%s", dir)), .scale = 1, .dp_scale = 1};
    fixture_cell(&f, "net", "ansor", 1, false, 0);
    fixture_begin(&f, 0, 2, 0);
    fixture_trial(&f, 0, 2, 1, 1);
    fixture_trial(&f, 0, 1, 1, 1);
    fixture_end(&f, 2);
    return f;
}

static bool opens(const char *dir, enum store_open_mode mode, struct err *err)
{
    struct store *s = NULL;
    *err = (struct err){0};
    bool fine = store_open(fixture_path("%s", dir), &fixture_campaign, mode, &s, err);
    store_close(s);
    return fine;
}

static void test_meanwhile(void)
{
    struct err err = {0};
    struct store_fixture f = written("removed");
    ok(store_safe(f.s, &err), "records that nobody touched are safe %s", err.text);
    unlink(in("removed", "records.db"));
    ok(!store_safe(f.s, &err) && strstr(err.text, "was removed"), "a removed database is noticed: %s", err.text);
    ok(!store_cell_state(f.s, 0, "done", 1, 1, &err), "a cell does not end well when its database is gone");
    store_close(f.s);
    f = written("folder");
    fixture_remove(fixture_path("folder"));
    ok(!store_safe(f.s, &err), "a removed folder is noticed: %s", err.text);
    store_close(f.s);
    f = written("replaced");
    struct store_fixture other = written("other");
    store_close(other.s);
    ok(rename(in("other", "records.db"), in("replaced", "records.db")) == 0 && !store_safe(f.s, &err),
       "a replaced database is noticed: %s", err.text);
    store_close(f.s);
    f = written("emptied");
    ok(truncate(in("emptied", "records.db"), 0) == 0 && !store_safe(f.s, &err), "an emptied database is noticed: %s",
       err.text);
    store_close(f.s);
    f = written("lock");
    unlink(in("lock", "records.lock"));
    ok(!store_safe(f.s, &err) && strstr(err.text, "records.lock"), "a removed lock is noticed: %s", err.text);
    store_close(f.s);
}

static void test_between(void)
{
    struct err err = {0};
    for (int bytes = 0; bytes < 2; bytes++) {
        const char *dir = bytes ? "byte" : "empty";
        struct store_fixture f = written(dir);
        store_close(f.s);
        if (truncate(in(dir, "records.db"), bytes))
            bug("cannot truncate");
        ok(!opens(dir, STORE_RESUME, &err), "a database of %d bytes is not continued: %s", bytes, err.text);
        ok(!opens(dir, STORE_NEW, &err), "a database of %d bytes is not begun anew", bytes);
    }
    struct store_fixture f = written("killed");
    store_close(f.s);
    unlink(in("killed", "records.db"));
    unlink(in("killed", "records.lock"));
    FILE *none = fopen(in("killed", "records.db"), "w");
    FILE *lock = fopen(in("killed", "records.lock"), "w");
    if (!none || fclose(none) || !lock || fclose(lock))
        bug("cannot write");
    ok(opens("killed", STORE_RESUME, &err), "a run that was killed before it recorded anything goes on %s", err.text);
}

/* The writer is still open, as after a kill: its log is not in the copy. */
static void test_copy(void)
{
    struct err err = {0};
    struct store_fixture f = written("from");
    char *bytes;
    size_t n;
    struct store *s = NULL;
    fixture_must(file_make_dirs(fixture_path("to"), &err) &&
                     file_read(arena, in("from", "records.db"), 0, &bytes, &n, &err) &&
                     file_write(in("to", "records.db"), bytes, n, &err),
                 &err);
    ok(store_open_read(fixture_path("to"), &s, &err), "a copy of records.db without its log holds the campaign %s",
       err.text);
    store_close(s);
    store_close(f.s);
}

int main(void)
{
    test_meanwhile();
    test_between();
    test_copy();
    return done_testing();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* file_cache: what is kept is found by the same maker alone; a file that was cut, changed or put under another name is
 * none; the oldest go first; a folder that takes nothing is no error. */
#include "harness/base/file_cache.h"
#include "harness/base/arena.h"
#include "harness/base/file.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/raingauge-test-XXXXXX";
enum { MIB = 1 << 20 };

static bool holds(struct file_cache *c, const char *from, const char *want)
{
    char key[65];
    double seconds = -1;
    struct text got = {0};
    file_cache_key(c, from, strlen(from), key);
    bool found = file_cache_get(c, key, &got, &seconds);
    bool same = found && seconds == 1.5 && str_eq(text_str(&got), want);
    text_free(&got);
    return same;
}

static void keep(struct file_cache *c, const char *from, const char *blob, size_t n)
{
    char key[65];
    file_cache_key(c, from, strlen(from), key);
    file_cache_put(c, key, blob, n, 1.5);
}

static void test_found(struct arena *a)
{
    char *at = file_join(a, folder, "a/b");
    struct file_cache *c = file_cache_open(at, "one", MIB), *other = file_cache_open(at, "two", MIB);
    ok(!holds(c, "ir", ""), "a folder that is not there holds nothing");
    keep(c, "ir", "object", 6);
    ok(holds(c, "ir", "object"), "what was kept is found, with its seconds");
    ok(!holds(c, "IR", "object"), "what was made from something else is not");
    ok(!holds(other, "ir", "object"), "what another maker made is not");
    keep(c, "none", "", 0);
    ok(holds(c, "none", ""), "a blob of no bytes is one");
    file_cache_hide(c, true);
    bool hidden = !holds(c, "ir", "object");
    file_cache_hide(c, false);
    ok(hidden && holds(c, "ir", "object"), "a hidden blob is found when it is not hidden any more");
    ok(!file_cache_trouble(c), "nothing went wrong");
    file_cache_close(c);
    file_cache_close(other);
}

/* Each byte of a kept file in turn is changed, and the file is cut to each length. */
static void test_damage(struct arena *a)
{
    char *at = file_join(a, folder, "damage"), key[65], *bytes, *path;
    struct file_cache *c = file_cache_open(at, "one", MIB);
    struct err err = {0};
    size_t n = 0;
    keep(c, "ir", "object", 6);
    file_cache_key(c, "ir", 2, key);
    path = file_join(a, at, key);
    if (!file_read(a, path, 0, &bytes, &n, &err))
        bug("%s", err.text);
    int taken = 0, left = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        if (i < n)
            bytes[i] ^= 1;
        if (!file_write(path, bytes, i < n ? n : i - n, &err))
            bug("%s", err.text);
        if (i < n)
            bytes[i] ^= 1;
        taken += holds(c, "ir", "object");
        left += file_exists(path);
    }
    is_int(taken, 0, "of %zu files with a byte changed or bytes cut off none is taken", 2 * n);
    is_int(left, 0, "all were removed");
    const char *why = file_cache_trouble(c);
    ok(why && strstr(why, "damaged") && strstr(why, key), "a damaged file is named: %.60s", why ? why : "nothing");
    ok(!file_cache_trouble(c), "a damaged file is named once");
    keep(c, "ir", "object", 6);
    ok(holds(c, "ir", "object"), "made anew it is kept again");
    file_cache_key(c, "other", 5, key);
    if (!file_write(file_join(a, at, key), bytes, n, &err))
        bug("%s", err.text);
    ok(!holds(c, "other", "object"), "the file of another key under this name is not taken");
    file_cache_close(c);
}

static void test_bound(struct arena *a)
{
    enum { BLOBS = 64, BYTES = 4096 };
    char *at = file_join(a, folder, "bound"), *blob = calloc(1, BYTES), from[16], key[65], **names;
    struct file_cache *c = file_cache_open(at, "one", (int64_t)16 * BYTES);
    struct err err = {0};
    int n = 0, found = 0;
    for (int i = 0; i < BLOBS; i++) {
        snprintf(from, sizeof from, "%d", i);
        keep(c, from, blob, BYTES);
        file_cache_key(c, from, strlen(from), key); /* the clock of a file system may be a coarse one */
        utimensat(AT_FDCWD, file_join(a, at, key), (struct timespec[]){{1000 + i, 0}, {1000 + i, 0}}, 0);
    }
    ok(file_list(a, at, "", &names, &n, &err) && n >= 8 && n <= 18, "over its bound of 16 the cache holds %d of %d", n,
       BLOBS);
    for (int i = BLOBS - n; i < BLOBS; i++) {
        snprintf(from, sizeof from, "%d", i);
        file_cache_key(c, from, strlen(from), key);
        found += file_exists(file_join(a, at, key));
    }
    is_int(found, n, "the youngest are those that stay");
    file_cache_close(c);
    file_cache_remove(at);
    ok(!file_exists(at), "removed, the folder is gone");
    free(blob);
}

static void test_unwritable(struct arena *a)
{
    char *blob = calloc(1, 100000);
    struct err err = {0};
    if (!file_write(file_join(a, folder, "file"), "", 0, &err))
        bug("%s", err.text);
    struct file_cache *c = file_cache_open(file_join(a, folder, "file/cache"), "one", MIB);
    keep(c, "ir", "object", 6);
    const char *why = file_cache_trouble(c);
    ok(why && strstr(why, "file/cache"), "a folder that cannot be made is named: %s", why ? why : "nothing");
    keep(c, "ir", "object", 6);
    ok(!holds(c, "ir", "object") && !file_cache_trouble(c),
       "a folder that cannot be made is named once, and holds nothing");
    file_cache_close(c);

    struct rlimit old, tight;
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    char *at = file_join(a, folder, "full"), **names;
    int n = -1;
    c = file_cache_open(at, "one", MIB);
    keep(c, "ir", blob, 100000);
    setrlimit(RLIMIT_FSIZE, &old);
    why = file_cache_trouble(c);
    ok(why && strstr(why, "cannot keep"), "a full disk is said: %s", why ? why : "nothing");
    ok(file_list(a, at, "", &names, &n, &err) && n == 0, "no part of a file stays");
    file_cache_close(c);
    free(blob);
}

int main(void)
{
    struct arena *a = arena_open("test");
    if (!mkdtemp(folder))
        skip_all("no temporary folder: %s", strerror(errno));
    test_found(a);
    test_damage(a);
    test_bound(a);
    test_unwritable(a);
    fixture_remove(folder);
    arena_close(a);
    return done_testing();
}

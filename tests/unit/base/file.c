/* SPDX-License-Identifier: Apache-2.0 */
/* file: whole reads, atomic writes, and what a full disk or a read-only folder gets. */
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "tests/lib/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/raingauge-test-XXXXXX";

static void test_read_write(struct arena *a)
{
    struct err err = {0};
    char *path = file_join(a, folder, "x.txt"), *text = NULL;
    size_t n = 0;
    ok(file_write(path, "one\0two", 7, &err), "writes");
    ok(file_read(a, path, 0, &text, &n, &err) && n == 7 && text[7] == 0, "reads, 0-terminated");
    is_mem(text, "one\0two", 7, "the same bytes");
    ok(file_write(path, "", 0, &err) && file_read(a, path, 0, &text, &n, &err) && n == 0, "an empty file");
    chmod(path, 0640);
    struct stat st;
    ok(file_write(path, "abcdef", 6, &err) && stat(path, &st) == 0 && (st.st_mode & 0777) == 0640,
       "a rewrite keeps the mode");
    ok(!file_read(a, path, 5, &text, &n, &err), "refuses over the limit");
    is_str(err.text, arena_printf(a, "'%s' has 6 bytes, more than the limit of 5", path), "and says so");
    ok(!file_read(a, file_join(a, folder, "gone"), 0, &text, &n, &err), "refuses what is not there");
    is_str(err.text, arena_printf(a, "cannot open '%s/gone': No such file or directory", folder),
           "with the path and the reason");
    ok(!file_read(a, folder, 0, &text, &n, &err) && strstr(err.text, "Is a directory"), "a folder is no file");
    ok(file_read(a, "/proc/self/status", 0, &text, &n, &err) && n > 100, "a file of unknown size");
}

/* A file-size limit is the full disk that every user can make: write fails in the middle. */
static void test_full_disk(struct arena *a)
{
    struct err err = {0};
    char *path = file_join(a, folder, "full.txt"), *text = NULL;
    size_t n = 0;
    ok(file_write(path, "old", 3, &err), "an old file");
    struct rlimit old, tight;
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    char *big = calloc(1, 100000);
    bool wrote = file_write(path, big, 100000, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    free(big);
    ok(!wrote, "a write that does not fit fails");
    is_str(err.text, arena_printf(a, "cannot write '%s': %s", path, strerror(EFBIG)), "and says why");
    ok(file_read(a, path, 0, &text, &n, &err) && str_eq(text, "old"), "the old file is whole");
    char **names = NULL;
    int count = 0;
    ok(file_list(a, folder, "", &names, &count, &err) && count == 2, "nothing is left behind: %d files", count);
    int fd = open("/dev/full", O_WRONLY);
    if (fd >= 0)
        close(fd);
    ok(!file_write("/nowhere/x", "x", 1, &err) && str_starts(err.text, "cannot write '/nowhere/x': "),
       "no folder, no file");
}

/* Root may write anywhere, so the attempt is made as nobody (65534) in a child. */
static void test_read_only(struct arena *a)
{
    char *dir = file_join(a, folder, "locked"), *path = file_join(a, dir, "x");
    struct err err = {0};
    ok(file_make_dirs(dir, &err) && chmod(folder, 0755) == 0 && chmod(dir, 0555) == 0, "a read-only folder");
    char *want = arena_printf(a, "cannot write '%s': Permission denied", path);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(77); /* a user namespace that knows root only */
        bool refused = !file_write(path, "x", 1, &err) && str_eq(err.text, want);
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip("there is no user but root here", "refuses to write into it");
    else
        ok(ended && status == 0, "refuses to write into it and says why");
    chmod(dir, 0755);
}

static void test_folders(struct arena *a)
{
    struct err err = {0};
    char *deep = file_join(a, folder, "a/b/c");
    ok(file_make_dirs(deep, &err) && file_is_dir(deep), "makes folders");
    ok(file_make_dirs(deep, &err), "twice is fine");
    char *path = file_join(a, folder, "x.txt");
    ok(!file_make_dirs(file_join(a, path, "d"), &err), "not below a file");
    is_str(err.text, arena_printf(a, "cannot make folder '%s': Not a directory", path), "and says which");
    static const char *const NAMES[] = {"b.yaml", "a.yaml", "c.txt", ".hidden.yaml"};
    for (int i = 0; i < 4; i++)
        if (!file_write(file_join(a, deep, NAMES[i]), "", 0, &err))
            fail("%s", err.text);
    char **names = NULL;
    int n = 0;
    ok(file_list(a, deep, ".yaml", &names, &n, &err) && n == 2 && str_eq(names[0], "a") && str_eq(names[1], "b"),
       "lists by suffix, sorted");
    ok(!file_list(a, file_join(a, folder, "none"), "", &names, &n, &err), "no list of no folder");
}

static void test_paths(struct arena *a)
{
    is_str(file_stem(a, "a/b.c/net.v2.yaml"), "net.v2", "stem");
    is_str(file_stem(a, ".hidden"), ".hidden", "a leading dot is no suffix");
    is_str(file_join(a, "a/", "b"), "a/b", "join with a slash");
    is_str(file_join(a, "a", "/b"), "/b", "an absolute name stays");
    ok(file_exists(folder) && !file_exists("/nowhere/x"), "exists");
}

int main(void)
{
    if (!mkdtemp(folder))
        skip_all("no temporary folder: %s", strerror(errno));
    struct arena *a = arena_open("test");
    test_read_write(a);
    test_full_disk(a);
    test_read_only(a);
    test_folders(a);
    test_paths(a);
    if (system(arena_printf(a, "rm -rf '%s'", folder)) != 0)
        diag("could not remove %s", folder);
    arena_close(a);
    return done_testing();
}

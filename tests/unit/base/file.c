/* SPDX-License-Identifier: Apache-2.0 */
/* file: whole reads, atomic writes, and what a full disk or a read-only folder gets. */
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_read_write(void)
{
    struct err err = {0};
    char *path = fixture_path("x.txt"), *text = NULL;
    size_t n = 0;
    ok(file_write(path, "one\0two", 7, &err), "a file is written");
    ok(file_read(arena, path, 0, &text, &n, &err) && n == 7 && text[7] == 0, "a file is read and ended by 0");
    is_mem(text, "one\0two", 7, "a file gives the bytes that were written");
    ok(file_write(path, "", 0, &err) && file_read(arena, path, 0, &text, &n, &err) && n == 0,
       "an empty file is written and read");
    chmod(path, 0640);
    struct stat st;
    ok(file_write(path, "abcdef", 6, &err) && stat(path, &st) == 0 && (st.st_mode & 0777) == 0640,
       "writing a file again keeps its mode");
    ok(!file_read(arena, path, 5, &text, &n, &err), "a file over the limit is refused");
    is_str(err.text, arena_printf(arena, "'%s' has 6 bytes, more than the limit of 5", path),
           "the message says how large the file is");
    ok(!file_read(arena, fixture_path("gone"), 0, &text, &n, &err), "a file that is not there is refused");
    is_str(err.text, arena_printf(arena, "cannot open '%s': No such file or directory", fixture_path("gone")),
           "the message has the path and the reason");
    ok(!file_read(arena, fixture_folder(), 0, &text, &n, &err) && strstr(err.text, "Is a directory"),
       "a folder is refused as a file");
    ok(file_read(arena, "/proc/self/status", 0, &text, &n, &err) && n > 100, "a file of unknown size is read whole");
}

/* A file-size limit is the full disk that every user can make: write fails in the middle. */
static void test_full_disk(void)
{
    struct err err = {0};
    char *path = fixture_path("full.txt"), *text = NULL;
    size_t n = 0;
    ok(file_write(path, "old", 3, &err), "a file is written before the disk is full");
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
    is_str(err.text, arena_printf(arena, "cannot write '%s': %s", path, strerror(EFBIG)),
           "the message of a failed write says why");
    ok(file_read(arena, path, 0, &text, &n, &err) && str_eq(text, "old"), "after a failed write the old file is whole");
    char **names = NULL;
    int count = 0;
    ok(file_list(arena, fixture_folder(), "", &names, &count, &err) && count == 2,
       "a failed write leaves no temporary file (%d files)", count);
    int fd = open("/dev/full", O_WRONLY);
    if (fd >= 0)
        close(fd);
    ok(!file_write("/nowhere/x", "x", 1, &err) && str_starts(err.text, "cannot write '/nowhere/x': "),
       "a file in a folder that is not there cannot be written");
}

/* Root may write anywhere, so the attempt is made as nobody (65534) in a child. */
static void test_read_only(void)
{
    char *dir = fixture_path("locked"), *path = file_join(arena, dir, "x");
    struct err err = {0};
    ok(file_make_dirs(dir, &err) && chmod(fixture_folder(), 0755) == 0 && chmod(dir, 0555) == 0,
       "a read-only folder is made");
    char *want = arena_printf(arena, "cannot write '%s': Permission denied", path);
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
        skip("there is no user but root here", "a write into a read-only folder is refused");
    else
        ok(ended && status == 0, "a write into a read-only folder is refused with the reason");
    chmod(dir, 0755);
}

static void test_folders(void)
{
    struct err err = {0};
    char *deep = fixture_path("a/b/c");
    ok(file_make_dirs(deep, &err) && file_is_dir(deep), "folders are made, parents too");
    ok(file_make_dirs(deep, &err), "making folders that are there is fine");
    char *path = fixture_path("x.txt");
    ok(!file_make_dirs(file_join(arena, path, "d"), &err), "no folder is made below a file");
    is_str(err.text, arena_printf(arena, "cannot make folder '%s': Not a directory", path),
           "the message says which folder cannot be made");
    static const char *const NAMES[] = {"b.yaml", "a.yaml", "c.txt", ".hidden.yaml"};
    for (int i = 0; i < 4; i++)
        fixture_file(arena_printf(arena, "a/b/c/%s", NAMES[i]), "");
    char **names = NULL;
    int n = 0;
    ok(file_list(arena, deep, ".yaml", &names, &n, &err) && n == 2 && str_eq(names[0], "a") && str_eq(names[1], "b"),
       "a folder is listed by suffix and sorted");
    ok(!file_list(arena, fixture_path("none"), "", &names, &n, &err), "a folder that is not there has no list");
}

static void test_paths(void)
{
    is_str(file_stem(arena, "a/b.c/net.v2.yaml"), "net.v2", "the stem is the name without folder and suffix");
    is_str(file_stem(arena, ".hidden"), ".hidden", "a leading dot begins no suffix");
    is_str(file_join(arena, "a/", "b"), "a/b", "a path is joined with one slash");
    is_str(file_join(arena, "a", "/b"), "/b", "an absolute name is not joined");
    ok(file_exists(fixture_folder()) && !file_exists("/nowhere/x"), "a file that is there exists, another does not");
}

int main(void)
{
    test_read_write();
    test_full_disk();
    test_read_only();
    test_folders();
    test_paths();
    return done_testing();
}

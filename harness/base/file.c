/* SPDX-License-Identifier: Apache-2.0 */
/* file: whole files in and out. A write goes to a temporary file beside the target, is synced, renamed over it, and the
 * folder synced, so that a reader (or a crash) sees the old file or the new one and never a part. */
#include "harness/base/file.h"

#include "harness/base/text.h"
#include "harness/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

int file_unnamed(struct err *err)
{
    char path[PATH_MAX];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/raingauge-XXXXXX", dir && *dir ? dir : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        err_set(err, "no temporary file '%s': %s", path, strerror(errno));
    else
        unlink(path);
    return fd;
}

bool file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The size that stat tells is only a hint: /proc says 0, and a log may grow while it is read. */
static bool read_all(int fd, const char *path, size_t limit, struct text *into, struct err *err)
{
    char part[1 << 16];
    for (;;) {
        ssize_t got = read(fd, part, sizeof part);
        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set(err, "cannot read '%s': %s", path, strerror(errno));
        if ((size_t)got > limit - into->len)
            return err_set(err, "'%s' is larger than the limit of %zu bytes", path, limit);
        text_addn(into, part, (size_t)got);
    }
}

/* A named pipe would be waited for until somebody writes into it. */
static int open_to_read(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode) && !str_starts(path, "/dev/") && !str_starts(path, "/proc/")) {
        err_set(err, "cannot open '%s': it is a pipe and no file", path);
        return -1;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        err_set(err, "cannot open '%s': %s", path, strerror(errno));
    return fd;
}

bool file_read(struct arena *a, const char *path, size_t limit, char **text, size_t *n, struct err *err)
{
    if (limit == 0)
        limit = (size_t)1 << 30;
    int fd = open_to_read(path, err);
    if (fd < 0)
        return false;
    struct stat st;
    struct text whole = {0};
    bool fine = true;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (size_t)st.st_size > limit)
        fine = err_set(err, "'%s' has %lld bytes, more than the limit of %zu", path, (long long)st.st_size, limit);
    fine = fine && read_all(fd, path, limit, &whole, err);
    close(fd);
    if (fine) {
        *text = arena_strn(a, text_str(&whole), whole.len);
        if (n)
            *n = whole.len;
    }
    text_free(&whole);
    return fine;
}

static bool write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

/* A rename is durable when its folder is; file systems that cannot sync a folder are let off. */
static void sync_folder(const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash - path) >= sizeof dir)
        return;
    if (slash)
        snprintf(dir, sizeof dir, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    int fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* It is made as 0600; a result is for everybody the umask lets in, and a file that is there keeps its mode. */
static mode_t mode_for(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *file_folder(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_strn(a, path, slash > path ? (size_t)(slash - path) : 1) : arena_str(a, ".");
}

/* A temporary file is named .NAME.PROCESS.tmp, so that one whose writer was killed is known, and removed by the next.
 */
static bool is_left_over(const char *entry, const char *name)
{
    size_t n = strlen(name);
    char *end;
    if (entry[0] != '.' || strncmp(entry + 1, name, n) != 0 || entry[n + 1] != '.')
        return false;
    long writer = strtol(entry + n + 2, &end, 10);
    return writer > 0 && str_eq(end, ".tmp") &&
           (writer == (long)getpid() || (kill((pid_t)writer, 0) != 0 && errno == ESRCH));
}

static void remove_left_over(const char *path)
{
    char dir[PATH_MAX];
    const char *name = file_name(path);
    snprintf(dir, sizeof dir, "%.*s", name == path ? 1 : (int)(name - path), name == path ? "." : path);
    DIR *d = opendir(dir);
    int at = d ? dirfd(d) : -1;
    for (struct dirent *e; at >= 0 && (e = readdir(d));)
        if (is_left_over(e->d_name, name))
            unlinkat(at, e->d_name, 0);
    if (d)
        closedir(d);
}

/* Of a disk: full, failing or read-only. Other reasons are of the path. */
static bool failed(struct err *err, const char *doing, const char *path, int why)
{
    err_set(err, "cannot %s '%s': %s", doing, path, strerror(why));
    return (why == ENOSPC || why == EDQUOT || why == EIO || why == EROFS) && err_environment(err);
}

bool file_write(const char *path, const void *p, size_t n, struct err *err)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%.*s.%s.%ld.tmp", (int)(file_name(path) - path), path, file_name(path),
                 (long)getpid()) >= (int)sizeof temporary)
        return failed(err, "write", path, ENAMETOOLONG);
    remove_left_over(path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(err, "write", path, errno);
    bool fine = write_all(fd, p, n) && fchmod(fd, mode_for(path)) == 0 && fsync(fd) == 0;
    int why = fine ? 0 : errno;
    if (close(fd) != 0 && fine) {
        fine = false;
        why = errno;
    }
    if (fine && rename(temporary, path) != 0) {
        fine = false;
        why = errno;
    }
    if (!fine) {
        unlink(temporary);
        return failed(err, "write", path, why);
    }
    sync_folder(path);
    return true;
}

bool file_make_dirs(const char *path, struct err *err)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return failed(err, "make folder", path, ENAMETOOLONG);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) == 0)
            continue;
        int why = errno == EEXIST ? ENOTDIR : errno;
        if (file_is_dir(part)) /* may change errno */
            continue;
        return failed(err, "make folder", part, why);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool file_list(struct arena *a, const char *dir, const char *suffix, char ***names, int *n, struct err *err)
{
    DIR *d = opendir(dir);
    if (!d)
        return err_set(err, "cannot open folder '%s': %s", dir, strerror(errno));
    VEC(char *) found = {0};
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.' || !str_ends(e->d_name, suffix))
            continue;
        vec_push(&found, arena_strn(a, e->d_name, strlen(e->d_name) - strlen(suffix)));
    }
    closedir(d);
    if (found.n > 1)
        qsort(found.at, (size_t)found.n, sizeof *found.at, by_name);
    vec_keep(a, &found, names, n);
    return true;
}

const char *file_find(struct arena *a, const char *path, const char *folder)
{
    if (!folder || path[0] == '/' || file_exists(path))
        return path;
    const char *there = file_join(a, folder, path);
    return file_exists(there) ? there : path;
}

char *file_join(struct arena *a, const char *dir, const char *name)
{
    if (name[0] == '/' || !dir || !*dir)
        return arena_str(a, name);
    return arena_printf(a, "%s%s%s", dir, str_ends(dir, "/") ? "" : "/", name);
}

char *file_stem(struct arena *a, const char *path)
{
    const char *base = file_name(path), *dot = strrchr(base, '.');
    return arena_strn(a, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* file_cache: KEY in the folder holds a head, then the blob. A file is written under another name and renamed, so that
 * no reader meets a part of one. */
#include "harness/base/file_cache.h"

#include "harness/base/clock.h"
#include "harness/base/digest.h"
#include "harness/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[8] = "rgkept1";
enum { PATH_BYTES = 4096, BLOB_MOST = 1 << 28 };

struct head {
    char magic[8], key[65], digest[65]; /* digest: of the head, its own place 0, and the blob */
    double seconds;
    uint64_t n;
};

struct file_cache {
    char *folder, *stamp;
    int64_t most_bytes, unseen; /* unseen: bytes written since the folder was last looked through */
    bool troubled, said, unwritable, hidden;
    char trouble[300];
};

struct file_cache *file_cache_open(const char *folder, const char *stamp, int64_t most_bytes)
{
    struct file_cache *c = calloc(1, sizeof *c);
    *c = (struct file_cache){
        .folder = strdup(folder), .stamp = strdup(stamp), .most_bytes = most_bytes, .unseen = most_bytes};
    return c;
}

void file_cache_close(struct file_cache *c)
{
    if (!c)
        return;
    free(c->folder);
    free(c->stamp);
    free(c);
}

static void trouble(struct file_cache *c, const char *what, const char *path, const char *why)
{
    if (!c->troubled)
        snprintf(c->trouble, sizeof c->trouble, "%s '%.140s': %.120s", what, path, why);
    c->troubled = true;
}

const char *file_cache_trouble(struct file_cache *c)
{
    bool now = c && c->troubled && !c->said;
    if (now)
        c->said = true;
    return now ? c->trouble : NULL;
}

void file_cache_key(const struct file_cache *c, const void *from, size_t n, char key[65])
{
    struct text all = {0};
    text_printf(&all, "%s\n", c->stamp);
    text_addn(&all, from, n);
    digest_sha256(text_str(&all), all.len, key);
    text_free(&all);
}

static void digest_of(const struct head *h, const void *blob, char digest[65])
{
    struct head bare = *h;
    struct text all = {0};
    memset(bare.digest, 0, sizeof bare.digest);
    text_addn(&all, (const char *)&bare, sizeof bare);
    text_addn(&all, blob, h->n);
    digest_sha256(text_str(&all), all.len, digest);
    text_free(&all);
}

/* ---- reading ---- */

static bool is_whole(const char *bytes, size_t n, const char *key, struct head *h)
{
    char digest[65];
    if (n < sizeof *h)
        return false;
    memcpy(h, bytes, sizeof *h);
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0 || memcmp(h->key, key, 65) != 0 || h->n != n - sizeof *h)
        return false;
    digest_of(h, bytes + sizeof *h, digest);
    return memcmp(digest, h->digest, 65) == 0;
}

void file_cache_hide(struct file_cache *c, bool hidden)
{
    if (c)
        c->hidden = hidden;
}

bool file_cache_get(struct file_cache *c, const char key[65], struct text *out, double *seconds)
{
    char path[PATH_BYTES], *bytes;
    struct head h;
    size_t n;
    struct err err = {0};
    snprintf(path, sizeof path, "%s/%s", c->folder, key);
    if (c->hidden || !file_exists(path))
        return false;
    struct arena *a = arena_open("kept");
    bool there = file_read(a, path, BLOB_MOST, &bytes, &n, &err), fine = there && is_whole(bytes, n, key, &h);
    if (fine) {
        text_addn(out, bytes + sizeof h, h.n);
        *seconds = h.seconds;
    } else if (there) {
        trouble(c, "damaged:", path, "it is made anew");
        unlink(path);
    }
    arena_close(a);
    return fine;
}

/* ---- writing ---- */

struct entry {
    char name[96];
    int64_t bytes;
    struct timespec made;
};

static int older_first(const void *x, const void *y)
{
    const struct timespec *a = &((const struct entry *)x)->made, *b = &((const struct entry *)y)->made;
    return a->tv_sec != b->tv_sec ? (a->tv_sec > b->tv_sec) - (a->tv_sec < b->tv_sec)
                                  : (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* The files of the folder, the oldest first; what another process has just removed is left out. */
static int read_folder(DIR *d, int fd, struct entry **out, int64_t *bytes)
{
    int n = 0, room = 0;
    struct stat st;
    *out = NULL;
    *bytes = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        size_t length = strlen(e->d_name); /* a key, or that of a file which was not finished, and a process */
        if (length < 64 || length >= sizeof(*out)->name || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (n == room)
            *out = realloc(*out, (size_t)(room = 2 * room + 64) * sizeof **out);
        struct entry *at = &(*out)[n++];
        *at = (struct entry){.bytes = st.st_size, .made = st.st_mtim};
        memcpy(at->name, e->d_name, length + 1);
        *bytes += st.st_size;
    }
    if (n > 1)
        qsort(*out, (size_t)n, sizeof **out, older_first);
    return n;
}

/* Over the bound the oldest go, until a quarter of it is free. */
static void remove_oldest(const char *folder, int64_t most_bytes)
{
    DIR *d = opendir(folder);
    struct entry *entries;
    int64_t bytes;
    int fd = d ? dirfd(d) : -1;
    if (fd < 0)
        return;
    int n = read_folder(d, fd, &entries, &bytes);
    int64_t want = bytes > most_bytes ? most_bytes / 4 * 3 : bytes;
    for (int i = 0; i < n && bytes > want; i++)
        if (unlinkat(fd, entries[i].name, 0) == 0 || errno == ENOENT)
            bytes -= entries[i].bytes;
    free(entries);
    closedir(d);
}

void file_cache_remove(const char *folder)
{
    remove_oldest(folder, 0);
    rmdir(folder); /* unless something else is in it */
}

static bool write_whole(const char *path, const struct head *h, const void *blob)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    errno = fd < 0 ? errno : ENOSPC; /* a short write sets none */
    bool fine = fd >= 0 && write(fd, h, sizeof *h) == (ssize_t)sizeof *h && write(fd, blob, h->n) == (ssize_t)h->n;
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return fine;
}

void file_cache_put(struct file_cache *c, const char key[65], const void *blob, size_t n, double seconds)
{
    char path[PATH_BYTES], temporary[PATH_BYTES + 32];
    struct head h;
    struct err err = {0};
    if (c->unwritable)
        return;
    memset(&h, 0, sizeof h); /* padding, too: it is digested */
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    memcpy(h.key, key, sizeof h.key);
    h.seconds = seconds;
    h.n = n;
    digest_of(&h, blob, h.digest);
    snprintf(path, sizeof path, "%s/%s", c->folder, key);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    if (!file_make_dirs(c->folder, &err)) {
        trouble(c, "cannot keep objects in", c->folder, err.text);
        c->unwritable = true;
    } else if (!write_whole(temporary, &h, blob) || rename(temporary, path) != 0) {
        trouble(c, "cannot keep objects in", c->folder, strerror(errno));
        c->unwritable = true;
        unlink(temporary);
    }
    c->unseen += (int64_t)(sizeof h + n);
    if (c->unseen <= c->most_bytes / 16)
        return;
    remove_oldest(c->folder, c->most_bytes);
    c->unseen = 0;
}

bool file_cache_find_or_make(struct file_cache *c, const struct text *from, file_cache_maker *make, void *ctx,
                             struct text *out, double *cached_s, struct err *err)
{
    char key[65];
    size_t before = out->len;
    double start = clock_now(), seconds;
    *cached_s = 0;
    if (!c)
        return make(ctx, out, err);
    file_cache_key(c, from->s, from->len, key);
    if (file_cache_get(c, key, out, &seconds)) {
        *cached_s = fmax(seconds - (clock_now() - start), 1e-9);
        return true;
    }
    start = clock_now();
    if (!make(ctx, out, err))
        return false;
    file_cache_put(c, key, out->s + before, out->len - before, clock_now() - start);
    return true;
}

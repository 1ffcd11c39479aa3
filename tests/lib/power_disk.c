/* SPDX-License-Identifier: Apache-2.0 */
/* power_disk: a VFS of SQLite in front of its usual one. Of each file it keeps what is safe, and the writes since. */
#include "tests/lib/power_disk.h"

#include "harness/base/arena.h"
#include "harness/base/file.h"
#include "harness/base/rng.h"
#include "harness/base/vec.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct change { /* since the last sync; bytes NULL: truncated to `at` */
    size_t at, n;
    char *bytes;
};
struct disk_file {
    char *name; /* NULL: it was removed */
    char *safe;
    size_t n;
    VEC(struct change) changes;
};
struct open_file {
    sqlite3_file base;
    struct disk_file *disk;
    sqlite3_file *real;
};

enum { FILES_MOST = 16 };
static struct disk_file files[FILES_MOST];
static struct power_disk disk;
static sqlite3_vfs *usual;

/* ---- what is on the disk ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void apply(struct disk_file *f, const struct change *c, size_t n)
{
    size_t end = c->at + n;
    if (end > f->n || !c->bytes) {
        char *longer = realloc(f->safe, end + 1);
        if (!longer)
            abort();
        f->safe = longer;
        if (end > f->n)
            memset(f->safe + f->n, 0, end - f->n);
        f->n = end;
    }
    if (c->bytes && n)
        memcpy(f->safe + c->at, c->bytes, n);
}

static void forget(struct disk_file *f)
{
    for (int i = 0; i < f->changes.n; i++)
        free(f->changes.at[i].bytes);
    f->changes.n = 0;
}

static void make_safe(struct disk_file *f)
{
    for (int i = 0; i < f->changes.n; i++)
        apply(f, &f->changes.at[i], f->changes.at[i].n);
    forget(f);
}

/* How much of a change comes through a cut: all, nothing, or the first sectors. */
static size_t comes_through(const struct change *c, struct rng *rng)
{
    size_t sectors = c->n / POWER_DISK_SECTOR;
    switch (rng_below(rng, 4)) {
    case 0:
        return c->n;
    case 1:
        return sectors ? POWER_DISK_SECTOR * (size_t)rng_below(rng, sectors) : c->n;
    default:
        return 0;
    }
}

static _Noreturn void cut(void)
{
    struct arena *a = arena_open("power disk");
    struct rng rng;
    rng_seed(&rng, disk.seed);
    bool all = rng_below(&rng, 4) == 0; /* as a process that was killed leaves it */
    for (int i = 0; i < FILES_MOST; i++) {
        struct disk_file *f = &files[i];
        if (!f->name)
            continue;
        for (int k = 0; k < f->changes.n; k++) {
            const struct change *c = &f->changes.at[k];
            size_t n = all || !c->bytes ? c->n : comes_through(c, &rng);
            if (all || n || (!c->bytes && rng_below(&rng, 2)))
                apply(f, c, n);
        }
        FILE *to = fopen(file_join(a, disk.image, f->name), "we");
        if (!to || fwrite(f->safe ? f->safe : "", 1, f->n, to) != f->n || fclose(to))
            abort();
    }
    raise(SIGKILL);
    abort();
}

/* Before an operation: the power is there, or not any more. */
static void operate(void)
{
    if (++*disk.operations == disk.cut_at)
        cut();
}

static struct disk_file *file_named(const char *path)
{
    struct disk_file *unused = NULL;
    for (int i = 0; i < FILES_MOST; i++) {
        if (files[i].name && strcmp(files[i].name, base_name(path)) == 0)
            return &files[i];
        unused = files[i].name ? unused : &files[i];
    }
    if (!unused)
        abort();
    struct arena *a = arena_open("power disk");
    struct err err = {0};
    char *text;
    size_t n;
    unused->name = strdup(base_name(path));
    if (file_exists(path) && file_read(a, path, 0, &text, &n, &err))
        apply(unused, &(struct change){.n = n, .bytes = text}, n);
    arena_close(a);
    return unused;
}

/* ---- the VFS ---- */

static sqlite3_file *real_of(sqlite3_file *f)
{
    return ((struct open_file *)f)->real;
}

static void put_change(sqlite3_file *f, sqlite3_int64 at, const void *p, int n)
{
    struct change c = {.at = (size_t)at, .n = (size_t)n, .bytes = p ? malloc((size_t)n + 1) : NULL};
    if (p && !c.bytes)
        abort();
    if (p)
        memcpy(c.bytes, p, (size_t)n);
    vec_push(&((struct open_file *)f)->disk->changes, c);
}

static int disk_close(sqlite3_file *f)
{
    return real_of(f)->pMethods->xClose(real_of(f));
}

static int disk_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return real_of(f)->pMethods->xRead(real_of(f), p, n, at);
}

static int disk_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    operate();
    put_change(f, at, p, n);
    return real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
}

static int disk_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    operate();
    put_change(f, n, NULL, 0);
    return real_of(f)->pMethods->xTruncate(real_of(f), n);
}

/* The usual one's fsync is left out: nothing here hangs on the machine's disk. */
static int disk_sync(sqlite3_file *f, int flags)
{
    (void)flags;
    operate();
    make_safe(((struct open_file *)f)->disk);
    return SQLITE_OK;
}

static int disk_size(sqlite3_file *f, sqlite3_int64 *n)
{
    return real_of(f)->pMethods->xFileSize(real_of(f), n);
}

static int disk_lock(sqlite3_file *f, int kind)
{
    return real_of(f)->pMethods->xLock(real_of(f), kind);
}

static int disk_unlock(sqlite3_file *f, int kind)
{
    return real_of(f)->pMethods->xUnlock(real_of(f), kind);
}

static int disk_reserved(sqlite3_file *f, int *out)
{
    return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int disk_control(sqlite3_file *f, int op, void *p)
{
    return real_of(f)->pMethods->xFileControl(real_of(f), op, p);
}

static int disk_sector(sqlite3_file *f)
{
    return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int disk_traits(sqlite3_file *f)
{
    return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int disk_shm_map(sqlite3_file *f, int region, int n, int extend, void volatile **p)
{
    return real_of(f)->pMethods->xShmMap(real_of(f), region, n, extend, p);
}

static int disk_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void disk_shm_barrier(sqlite3_file *f)
{
    real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int disk_shm_unmap(sqlite3_file *f, int gone)
{
    return real_of(f)->pMethods->xShmUnmap(real_of(f), gone);
}

static const sqlite3_io_methods METHODS = {.iVersion = 2,
                                           .xClose = disk_close,
                                           .xRead = disk_read,
                                           .xWrite = disk_write,
                                           .xTruncate = disk_truncate,
                                           .xSync = disk_sync,
                                           .xFileSize = disk_size,
                                           .xLock = disk_lock,
                                           .xUnlock = disk_unlock,
                                           .xCheckReservedLock = disk_reserved,
                                           .xFileControl = disk_control,
                                           .xSectorSize = disk_sector,
                                           .xDeviceCharacteristics = disk_traits,
                                           .xShmMap = disk_shm_map,
                                           .xShmLock = disk_shm_lock,
                                           .xShmBarrier = disk_shm_barrier,
                                           .xShmUnmap = disk_shm_unmap};

static int disk_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *got)
{
    (void)vfs;
    struct open_file *o = (struct open_file *)f;
    *o = (struct open_file){.real = (sqlite3_file *)(o + 1)};
    memset(o->real, 0, (size_t)usual->szOsFile);
    struct disk_file *known = path ? file_named(path) : NULL;
    int code = usual->xOpen(usual, path, o->real, flags, got);
    if (code != SQLITE_OK || !known) { /* temporary files are not ours */
        if (code == SQLITE_OK)
            abort();
        return code;
    }
    o->disk = known;
    o->base.pMethods = &METHODS;
    return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    operate();
    struct disk_file *f = file_named(path);
    forget(f);
    free(f->name);
    free(f->safe);
    *f = (struct disk_file){.changes = f->changes};
    return usual->xDelete(usual, path, sync);
}

void power_disk_begin(const struct power_disk *d)
{
    static sqlite3_vfs vfs;
    disk = *d;
    sqlite3_initialize();
    usual = sqlite3_vfs_find(NULL);
    vfs = *usual;
    vfs.zName = "power disk";
    vfs.pNext = NULL;
    vfs.szOsFile = (int)sizeof(struct open_file) + usual->szOsFile;
    vfs.xOpen = disk_open;
    vfs.xDelete = disk_delete;
    if (sqlite3_vfs_register(&vfs, 1) != SQLITE_OK)
        abort();
}

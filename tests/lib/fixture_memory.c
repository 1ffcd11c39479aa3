/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_memory: opened and closed by the loader, so that a test that fails leaves nothing. */
#include "tests/lib/fixture_memory.h"

#include "harness/base/file.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arena *arena, *scratch;
static pid_t program; /* not a process that it forks */
static char folder[] = "/tmp/raingauge-test-XXXXXX";
static bool has_folder;

__attribute__((constructor)) static void begin(void)
{
    arena = arena_open("test");
    scratch = arena_open("scratch");
    program = getpid();
}

__attribute__((destructor)) static void end(void)
{
    if (getpid() != program)
        return;
    if (has_folder)
        fixture_remove(folder);
    arena_close(scratch);
    arena_close(arena);
}

const char *fixture_folder(void)
{
    if (!has_folder && !mkdtemp(folder))
        bug("no folder '%s'", folder);
    has_folder = true;
    return folder;
}

char *fixture_path(const char *name, ...)
{
    char path[1024];
    va_list args;
    va_start(args, name);
    vsnprintf(path, sizeof path, name, args);
    va_end(args);
    return file_join(arena, fixture_folder(), path);
}

char *fixture_file(const char *name, const char *text)
{
    struct err err = {0};
    char *path = fixture_path("%s", name);
    char *above = arena_strn(arena, path, (size_t)(strrchr(path, '/') - path));
    fixture_must(file_make_dirs(above, &err) && file_write(path, text, strlen(text), &err), &err);
    return path;
}

char *fixture_read(const char *path)
{
    struct err err = {0};
    char *text;
    size_t n;
    fixture_must(file_read(arena, path, 0, &text, &n, &err), &err);
    return text;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

void fixture_remove(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

char *fixture_text(struct text *t)
{
    char *s = arena_str(arena, text_str(t));
    text_free(t);
    return s;
}

void fixture_must(bool fine, const struct err *err)
{
    if (!fine)
        bug("%s", err->text);
}

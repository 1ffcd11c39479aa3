/* SPDX-License-Identifier: Apache-2.0 */
/* fixture: see fixture.h. */
#include "tests/lib/fixture.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/map.h"
#include "harness/experiment/network.h"
#include "harness/program/lower/bound.h"
#include "models/models.h"
#include "search/searchers.h"
#include "targets/targets.h"

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

struct task *fixture_task(struct arena *a, const char *spec)
{
    struct task *t;
    struct err err = {0};
    if (!task_parse(a, spec, &t, &err))
        bug("%s: %s", spec, err.text);
    return t;
}

struct step *fixture_steps(struct arena *a, const char *json, int *n)
{
    struct step *steps;
    struct err err = {0};
    cJSON *parsed = json_parse(json, strlen(json), "steps", &err);
    fixture_must(parsed && steps_parse(a, parsed, &steps, n, &err), &err);
    cJSON_Delete(parsed);
    return steps;
}

struct state *fixture_state(struct arena *a, const struct task *t, const char *json)
{
    int n;
    struct state *s;
    struct err err = {0};
    const struct step *steps = fixture_steps(a, json, &n);
    if (!state_replay(a, t, steps, n, &s, &err) || !bound_infer(s, &err))
        bug("%s: %s", t->spec, err.text);
    return s;
}

struct nest *fixture_nest(struct arena *a, const char *spec, const char *json)
{
    struct nest *n;
    struct err err = {0};
    if (!lower(a, fixture_state(a, fixture_task(a, spec), json), LAYOUT_NONE, &n, &err))
        bug("%s: %s", spec, err.text);
    return n;
}

const struct task **fixture_kernels(struct arena *a, int *n, int *networks)
{
    enum { MOST = 4096 };
    char **names;
    struct err err = {0};
    struct map seen = {0};
    struct network *net;
    const struct task **out = ARENA_ARRAY(a, const struct task *, MOST);
    *n = 0;
    fixture_must(file_list(a, "experiments/networks", ".yaml", &names, networks, &err), &err);
    for (int i = 0; i < *networks; i++) {
        fixture_must(network_load(a, "experiments", file_stem(a, names[i]), &net, &err), &err);
        for (int k = 0; k < net->nkernels && *n < MOST; k++)
            if (map_put(&seen, net->tasks[k].task->hash, 0))
                out[(*n)++] = net->tasks[k].task;
    }
    map_free(&seen);
    return out;
}

int64_t fixture_number(const char *variable, int64_t fallback)
{
    int64_t v;
    const char *s = getenv(variable);
    return s && str_int(s, &v) ? v : fallback;
}

#define LOOKUP(kind)                                                                                                   \
    const struct kind *fixture_##kind(const char *name)                                                                \
    {                                                                                                                  \
        for (const struct kind *const *p = kind##s_table(); *p; p++)                                                   \
            if (str_eq((*p)->name, name))                                                                              \
                return *p;                                                                                             \
        return NULL;                                                                                                   \
    }
LOOKUP(searcher)
LOOKUP(model)
LOOKUP(target)
LOOKUP(collector)

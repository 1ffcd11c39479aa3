/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/cuda_double.h"

#include "harness/measure/worker.h"
#include "tests/lib/fixture.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* build/MODE/doubles, from build/MODE/tests/unit/room/test. */
static void doubles_folder(char *out, size_t n)
{
    char self[PATH_MAX];
    ssize_t got = readlink("/proc/self/exe", self, sizeof self - 1);
    self[got < 0 ? 0 : got] = 0;
    char *at = strstr(self, "/tests/unit/");
    if (!at)
        bug("%s is no unit test", self);
    *at = 0;
    snprintf(out, n, "%s/doubles", self);
}

void cuda_double_enter(char **argv)
{
    char folder[PATH_MAX + 16];
    const char *now = getenv("LD_LIBRARY_PATH");
    doubles_folder(folder, sizeof folder);
    if (now && strcmp(now, folder) == 0)
        return;
    setenv("LD_LIBRARY_PATH", folder, 1);
    execv("/proc/self/exe", argv);
    bug("cannot start the test again");
}

const char *cuda_double_nvrtc(void)
{
    static char path[PATH_MAX + 64];
    char folder[PATH_MAX + 16];
    doubles_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/nvrtc/libnvrtc.so.13", folder);
    return path;
}

void cuda_double_forget(void)
{
    union {
        void *at;
        void (*call)(void);
    } forget = {.at = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuda_double_reset")};
    if (!forget.at)
        bug("the double of the driver is not loaded");
    forget.call();
}

const struct target *cuda_double_target(void)
{
    return fixture_target("cuda");
}

bool cuda_double_open(struct cuda_opened *o, enum target_use use, const char *settings)
{
    char all[PATH_MAX + 512];
    *o = (struct cuda_opened){.arena = arena_open("cuda"), .env = {.use = use}};
    snprintf(all, sizeof all, "nvrtc=%s%s%s", cuda_double_nvrtc(), *settings ? "," : "", settings);
    return target_begin(cuda_double_target(), all, o->arena, &o->env, &o->self, &o->limits, &o->err);
}

void cuda_double_close(struct cuda_opened *o, bool was_open)
{
    if (was_open)
        cuda_double_target()->close(o->self);
    arena_close(o->arena);
}

struct candidate cuda_double_candidate(struct arena *a, const char *spec)
{
    struct err err = {0};
    const struct task *task = fixture_task(a, spec);
    int64_t threads = 32;
    struct state *s = state_new(a, task);
    int last = s->nstages - 1;
    fixture_must(state_fuse(s, last, 0, 2, &err) && state_split(s, last, 0, &threads, 1, true, &err) &&
                     state_annotate(s, last, 0, ANN_BLOCK_X, &err) && state_annotate(s, last, 1, ANN_THREAD_X, &err),
                 &err);
    return (struct candidate){.task = task, .steps = s->steps, .nsteps = s->nsteps, .score = NAN};
}

void cuda_double_load(struct cuda_loaded *l, const char *driver)
{
    struct rng r;
    struct err err = {0};
    memset(l, 0, sizeof *l);
    setenv("CUDA_DOUBLE", driver, 1);
    if (!cuda_double_open(&l->o, TARGET_RUNS, ""))
        bug("%s", l->o.err.text);
    rng_seed(&r, 1);
    struct candidate c = cuda_double_candidate(l->o.arena, CUDA_DOUBLE_SPEC);
    fixture_must(random_schedule_task(l->o.arena, CUDA_DOUBLE_SPEC, &r, &l->t, &err), &err);
    l->outcome = cuda_double_target()->build(l->o.self, &c, &l->object, l->message);
    if (l->outcome == OUTCOME_OK)
        l->outcome = cuda_double_target()->load(l->o.self, &c, &l->object, &l->kernel, l->message);
}

void cuda_double_unload(struct cuda_loaded *l)
{
    if (l->kernel)
        cuda_double_target()->drop(l->o.self, l->kernel);
    free(l->object.bytes);
    cuda_double_close(&l->o, true);
    setenv("CUDA_DOUBLE", "", 1);
}

double cuda_double_run(struct cuda_loaded *l, int number)
{
    double seconds = NAN;
    l->outcome = cuda_double_target()->run(l->o.self, l->kernel, l->t.args, number, &seconds, l->message);
    return seconds;
}

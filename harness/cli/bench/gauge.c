/* SPDX-License-Identifier: Apache-2.0 */
/* gauge: kernels, random programs and folders for the bench_*.c files. */
#include "harness/cli/bench/gauge.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/experiment/network.h"
#include "harness/stats/summary.h"
#include "search/sketch/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NETWORK "resnet18"

void reading_add(struct reading *r, double v)
{
    if (r->n < READINGS_MAX)
        r->at[r->n++] = v;
}

void reading_pair(struct bench_env *b, struct reading *r, struct pair p)
{
    if (!r->pairs)
        r->pairs = ARENA_ARRAY(b->arena, struct pair, READINGS_MAX);
    if (r->n < READINGS_MAX)
        r->pairs[r->n] = p;
    reading_add(r, p.theirs_ms / p.ours_ms);
}

double reading_number(const struct reading *r)
{
    if (r->number > 0)
        return r->number;
    return r->pairs || r->geometric ? summary_geomean(r->at, r->n) : summary_median(r->at, r->n);
}

bool gauge_kernels(struct bench_env *b, const struct task ***out, int *n, struct err *err)
{
    struct network *net;
    if (!cli_need_experiments(b->cli, err) || !network_load(b->arena, b->cli->folder, NETWORK, &net, err))
        return false;
    *out = ARENA_ARRAY(b->arena, const struct task *, net->nkernels);
    *n = 0;
    for (int i = 0; i < net->nkernels; i++)
        if (str_starts(net->tasks[i].task->spec, "conv2d "))
            (*out)[(*n)++] = net->tasks[i].task;
    return *n > 0 || err_set(err, "network '%s' has no conv2d kernel", NETWORK);
}

static bool draw_some(struct bench_env *b, const struct gauge_draws *d, const struct task *task, struct candidate *out,
                      struct err *err)
{
    static const struct space_options options = {
        .version = SPACE_V0_16, .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};
    struct space space;
    struct rng rng;
    if (!space_open(&space, b->arena, task, &d->limits, &options, err))
        return false;
    rng_seed(&rng, hash_mix(d->seed, task->hash));
    struct arena *work = arena_open("draws");
    int n = 0;
    for (int tries = 0; n < d->each && tries < 100 * d->each; tries++) {
        arena_reset(work);
        struct state *s = draw_state(&space, work, &rng, NULL, NULL);
        if (s && space_fits(&space, work, s, NULL))
            out[n++] = (struct candidate){.task = task,
                                          .steps = steps_copy(b->arena, s->steps, s->nsteps),
                                          .nsteps = s->nsteps,
                                          .hash = state_hash(s),
                                          .score = NAN};
    }
    arena_close(work);
    return n == d->each || err_set(err, "'%s' gave %d valid random programs instead of %d", task->spec, n, d->each);
}

bool gauge_candidates(struct bench_env *b, const struct gauge_draws *d, struct candidate **out, struct err *err)
{
    *out = ARENA_ARRAY(b->arena, struct candidate, d->nkernels * d->each);
    for (int i = 0; i < d->nkernels; i++)
        if (!draw_some(b, d, d->kernels[i], &(*out)[i * d->each], err))
            return false;
    return true;
}

void *gauge_options(struct bench_env *b, const struct setting *table, size_t size)
{
    void *options = arena_alloc(b->arena, size + 1);
    if (table)
        setting_defaults(table, options);
    return options;
}

bool gauge_spawn(struct bench_env *b, const char *const *words, int n, bool tell_errors, struct process *out,
                 struct err *err)
{
    const char **argv = ARENA_ARRAY(b->arena, const char *, n + 4);
    argv[0] = "/proc/self/exe";
    for (int i = 0; i < n; i++)
        argv[i + 1] = words[i];
    argv[n + 1] = "--experiments";
    argv[n + 2] = b->cli->folder;
    const struct process_spec raingauge = {.argv = argv, .err = tell_errors ? STDERR_FILENO : PROCESS_NOTHING};
    return process_start(&raingauge, out, err);
}

bool gauge_folder(struct bench_env *b, const char **out, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    char *path = arena_printf(b->arena, "%s/raingauge-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    *out = path;
    return mkdtemp(path) || err_set(err, "cannot make a folder like '%s'", path);
}

void gauge_folder_remove(struct bench_env *b, const char *folder)
{
    char **names;
    int n = 0;
    struct err ignored = {0};
    if (file_list(b->arena, folder, "", &names, &n, &ignored))
        for (int i = 0; i < n; i++)
            unlink(file_join(b->arena, folder, names[i]));
    rmdir(folder);
}

struct plan gauge_plan(struct bench_env *b, const char *folder, struct cell_plan cell)
{
    cell.arm = cell.searcher = "ansor";
    cell.model = "xgb";
    cell.searcher_settings = cell.model_settings = "";
    cell.batch = 64; /* TVM's */
    cell.scheduler = SCHEDULER_GRADIENT;
    cell.explore_cell = -1;
    return (struct plan){.stem = "bench",
                         .tier = "",
                         .results_dir = folder,
                         .experiment_hash = "bench",
                         .target_settings = b->target_settings,
                         .machine = "host",
                         .layout = LAYOUT_REWRITTEN,
                         .input_seed = 1,
                         .cells = ARENA_DUP(b->arena, &cell, struct cell_plan, 1),
                         .ncells = 1};
}

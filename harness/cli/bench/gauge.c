/* SPDX-License-Identifier: Apache-2.0 */
/* gauge: readings, kernels, random programs and folders for the bench_*.c files. */
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

void reading_pair(struct bench_env *b, struct reading *r, const char *kernel, double ours_ms, double theirs_ms)
{
    double ratio = theirs_ms / ours_ms;
    reading_add(r, ratio);
    r->number = summary_geomean(r->at, r->n);
    r->lines = arena_printf(b->arena, "%s    %-64s %10.4f ms, theirs %10.4f ms, ratio %.3f\n", r->lines ? r->lines : "",
                            kernel, ours_ms, theirs_ms, ratio);
    r->details_name = "pairs";
    r->details = r->details ? r->details : json_array();
    cJSON *o = json_put_object(r->details, NULL);
    json_put_str(o, "kernel", kernel);
    json_put_number(o, "ours_ms", ours_ms);
    json_put_number(o, "theirs_ms", theirs_ms);
    json_put_number(o, "ratio", ratio);
}

double reading_number(const struct reading *r)
{
    return r->number > 0 ? r->number : summary_median(r->at, r->n);
}

bool reading_repeat(struct reading *r, int warm, int n, bool (*pass)(void *, double *, struct err *), void *self,
                    struct err *err)
{
    double v = 0;
    for (int i = -warm; i < n; i++)
        if (!pass(self, &v, err))
            return false;
        else if (i >= 0)
            reading_add(r, v);
    return true;
}

const char *gauge_parts(struct bench_env *b, const char *head, const char *unit, int n, const double *values,
                        const char *(*name)(int))
{
    const char *out = arena_printf(b->arena, "    %s:", head), *comma = "";
    for (int i = 0; i < n; i++)
        if (values[i] > 0) {
            out = arena_printf(b->arena, "%s%s %s %.3g %s", out, comma, name(i), values[i], unit);
            comma = ",";
        }
    return arena_printf(b->arena, "%s\n", out);
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

static bool draw_kernel(struct bench_env *b, const struct gauge_draws *d, const struct task *task,
                        struct candidate *out, struct err *err)
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

bool gauge_draw(struct bench_env *b, struct gauge_draws *d, struct err *err)
{
    const struct task **kernels;
    if (!d->kernels) {
        if (!gauge_kernels(b, &kernels, &d->nkernels, err))
            return false;
        d->kernels = kernels;
    }
    d->n = d->nkernels * d->each;
    d->c = ARENA_ARRAY(b->arena, struct candidate, d->n);
    for (int i = 0; i < d->nkernels; i++)
        if (!draw_kernel(b, d, d->kernels[i], &d->c[i * d->each], err))
            return false;
    return true;
}

bool gauge_measure(struct bench_env *b, const char *target, const char *regime, struct measure_options *out,
                   struct err *err)
{
    *out = (struct measure_options){.target = registry_target(b->cli->registry, target, err),
                                    .target_settings = str_eq(target, "cpu") ? b->target_settings : "",
                                    .layout = LAYOUT_REWRITTEN,
                                    .seed = 1,
                                    .faults = ""};
    return out->target && regime_named(regime, &out->regime, err);
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

bool gauge_peak_mib(pid_t pid, double *out, struct err *err)
{
    char path[32], line[200];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    *out = 0;
    while (f && fgets(line, sizeof line, f))
        if (str_starts(line, "VmHWM:"))
            *out = strtod(line + 6, NULL) / 1024;
    if (f)
        fclose(f);
    return *out > 0 || err_set(err, "the kernel does not tell VmHWM in %s", path);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* night_files: paths, copying and removing. */
#include "harness/nightly/night_files.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/nightly/drift.h"
#include "harness/nightly/level_steps.h"
#include "harness/nightly/night_commands.h"

const char *night_files_results(const struct night_run *r)
{
    return arena_printf(r->o->arena, "%s/nights/%lld", r->dir, (long long)r->night.number);
}

const char *night_files_programs(const struct night_run *r)
{
    uint64_t key = hash_mix(hash_str(r->night.identity), hash_str(r->night.experiment_hash));
    return arena_printf(r->o->arena, "%s/programs/%s-%016llx.jsonl", r->dir, r->night.machine, (unsigned long long)key);
}

static const char *kept_folder(const struct night_run *r, const char *hash)
{
    return arena_printf(r->o->arena, "%s/binaries/%.16s", r->dir, hash);
}

const char *night_files_binary(const struct night_run *r, const char *hash)
{
    return file_join(r->o->arena, kept_folder(r, hash), "raingauge");
}

const char *night_files_experiments(const struct night_run *r, const char *hash)
{
    return file_join(r->o->arena, kept_folder(r, hash), "experiments");
}

/* A rename makes the folder whole or absent. */
bool night_files_keep_binary(struct night_run *r, struct err *err)
{
    struct arena *a = r->o->arena;
    const char *to = kept_folder(r, r->night.binary), *half = arena_printf(a, "%s.new", to);
    if (file_exists(to))
        return true;
    const char *const steps[][5] = {{"/bin/rm", "-rf", half},
                                    {"/bin/mkdir", "-p", half},
                                    {"/bin/cp", "-L", r->binary, file_join(a, half, "raingauge")},
                                    {"/bin/cp", "-RL", r->o->experiments, file_join(a, half, "experiments")},
                                    {"/bin/mv", half, to}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int status = 0;
        if (!night_commands_run(r, steps[i], NULL, &status, err))
            return false;
        if (status != 0)
            return err_set(err, "cannot keep a copy of the binary in '%s'", to);
    }
    return true;
}

/* Reruns of the nights to come may take it. */
static bool rerun_takes(const struct night_run *r, const char *binary)
{
    if (str_eq(binary, r->night.binary))
        return true;
    for (int i = 0; i < r->nwindow; i++) {
        bool weekly = i < DRIFT_NIGHTS && (r->nwindow - 1 - i) % DRIFT_EVERY == 0; /* counted from the oldest */
        if ((i < HISTORY_WINDOW || weekly) && str_eq(r->window[i].binary, binary))
            return true;
    }
    return false;
}

static const char *results_of(const struct night_run *r, const struct night *n)
{
    return arena_printf(r->o->arena, "%s/nights/%lld", r->dir, (long long)n->number);
}

/* The last nights, accepted ones, and the nights before and after a step. */
static bool find_kept(struct night_run *r, const struct night *all, int n, bool *kept, struct err *err)
{
    struct level_history *levels;
    int nlevels;
    if (!level_steps_read(r->o->arena, r->h, all, n, &levels, &nlevels, err))
        return false;
    for (int i = 0; i < n; i++)
        kept[i] = i + r->e->machine.nightly.keep >= n || all[i].accepted;
    for (int i = 0; i < nlevels; i++)
        for (int k = 0; k < levels[i].nsteps; k++)
            for (int at = levels[i].steps[k].at - 1; at <= levels[i].steps[k].at; at++)
                kept[levels[i].nights[at] - all] = true;
    return true;
}

static bool binary_kept(const struct night_run *r, const struct night *everyone, int n, const char *binary)
{
    bool kept = rerun_takes(r, binary);
    for (int i = 0; i < n && !kept; i++)
        kept = str_eq(everyone[i].binary, binary) && file_exists(results_of(r, &everyone[i]));
    return kept;
}

bool night_files_clean(struct night_run *r, struct err *err)
{
    struct night *all, *everyone;
    int n, neveryone, status;
    if (!history_nights(r->h, r->o->arena, r->night.machine, &all, &n, err) ||
        !history_nights(r->h, r->o->arena, NULL, &everyone, &neveryone, err))
        return false;
    bool *kept = ARENA_ARRAY(r->o->arena, bool, n);
    if (!find_kept(r, all, n, kept, err))
        return false;
    for (int i = 0; i < n; i++) {
        const char *results = results_of(r, &all[i]), *binary = kept_folder(r, all[i].binary);
        bool had = file_exists(results);
        if (kept[i] || (!had && !file_exists(binary)))
            continue;
        if (!night_commands_run(r, (const char *const[]){"/bin/rm", "-rf", results, NULL}, NULL, &status, err))
            return false;
        bool free_binary = file_exists(binary) && !binary_kept(r, everyone, neveryone, all[i].binary);
        if (free_binary &&
            !night_commands_run(r, (const char *const[]){"/bin/rm", "-rf", binary, NULL}, NULL, &status, err))
            return false;
        if (had || free_binary)
            vec_push(&r->removed, all[i].number);
    }
    return true;
}

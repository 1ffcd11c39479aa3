/* SPDX-License-Identifier: Apache-2.0 */
/* night_files: paths, copying and removing. */
#include "harness/nightly/night_files.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/nightly/drift.h"
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
        if (!night_commands_run(r, steps[i], &status, err))
            return false;
        if (status != 0)
            return err_set(err, "cannot keep a copy of the binary in '%s'", to);
    }
    return true;
}

static bool used(const struct night_run *r, const char *binary)
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

bool night_files_clean(struct night_run *r, struct err *err)
{
    struct night *all;
    int n, status;
    if (!history_nights(r->h, r->o->arena, r->night.machine, &all, &n, err))
        return false;
    for (int i = 0; i + NIGHT_FOLDERS < n; i++) {
        const char *results = arena_printf(r->o->arena, "%s/nights/%lld", r->dir, (long long)all[i].number);
        const char *kept = kept_folder(r, all[i].binary);
        const char *const words[] = {"/bin/rm", "-rf", results, used(r, all[i].binary) ? NULL : kept, NULL};
        if ((file_exists(results) || file_exists(kept)) && !night_commands_run(r, words, &status, err))
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/fleet_option.h"

#include "harness/base/vec.h"
#include "harness/cli/remote_option.h"
#include "harness/fleet/fleet.h"
#include "harness/fleet/node_gate.h"

#include <stdlib.h>
#include <string.h>

enum { SHARD_WORDS = 2 * CLI_WORDS };

static const char *absolute(struct arena *a, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *out = arena_str(a, whole ? whole : path);
    free(whole);
    return out;
}

/* What its shards' runs are told: all that decides what is run. They start in this folder. */
static bool shard_words(struct cli *c, const struct experiment *e, const struct fleet_command *f, const char **words,
                        struct err *err)
{
    int n = 0;
    const struct {
        const char *option;
        const char *const *at;
        int n;
    } lists[] = {{"--set", f->open->sets.at, f->open->sets.n}, {"--plugin", c->plugins.at, c->plugins.n}};
    if (open_folder_of(c, c->words[0]))
        return err_set(err, "'%s' is a results folder: shards are started of the experiment's name", c->words[0]);
    words[n++] = str_ends(c->words[0], ".yaml") ? absolute(c->arena, c->words[0]) : c->words[0];
    if (*e->tier) {
        words[n++] = "--tier";
        words[n++] = e->tier;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int k = 0; k < lists[i].n; k++) {
            if (n + 8 > SHARD_WORDS)
                return err_set(err, "too many options for a fleet");
            words[n++] = lists[i].option;
            words[n++] = lists[i].at[k];
        }
    words[n++] = "--object-cache";
    words[n++] = arena_printf(c->arena, "%lld", (long long)f->object_cache);
    words[n] = NULL;
    return true;
}

struct paths {
    VEC(const char *) of;
};

/* Adds those of a list, each with its line end, that lie in this folder or below it and are not there yet. */
static void add_files(struct arena *a, const char *list, struct paths *files)
{
    char *save = NULL, *all = arena_str(a, list ? list : "");
    for (char *path = strtok_r(all, "\n", &save); path; path = strtok_r(NULL, "\n", &save)) {
        bool there = *path == '/' || str_starts(path, "../");
        for (int i = 0; i < files->of.n; i++)
            there = there || str_eq(files->of.at[i], path);
        if (!there)
            vec_push(&files->of, path);
    }
}

/* What shards read besides the experiments. */
static const char *const *shard_files(struct cli *c, const struct experiment *e)
{
    struct paths files = {0};
    const char *const *out;
    int n;
    add_files(c->arena, e->plan.files.paths, &files);
    for (int i = 0; i < e->plan.ncells; i++) {
        add_files(c->arena, e->plan.cells[i].files.paths, &files);
        add_files(c->arena, e->plan.cells[i].model_files.paths, &files);
    }
    for (int i = 0; i < c->plugins.n; i++)
        add_files(c->arena, c->plugins.at[i], &files);
    vec_push(&files.of, NULL);
    vec_keep(c->arena, &files.of, &out, &n);
    return out;
}

bool fleet_option_find(struct cli *c, const struct fleet_command *f, struct fleet_on *at,
                       const struct fleet_engine **engine, struct err *err)
{
    const struct fleet_options *o = f->options;
    return fleet_on_parse(c->arena, f->on, at, engine, err) &&
           (*engine || (!o->shards && !*o->constraint && !(o->time_s > 0) && !o->dry_run) ||
            err_set(err, "--shards, --constraint, --time and --dry-run are for --on slurm or several hosts"));
}

bool fleet_option_run(struct cli *c, const struct experiment *e, const struct fleet_command *f,
                      const struct fleet_on *at, const struct fleet_engine *engine, struct err *err)
{
    const struct fleet_options *o = f->options;
    const char **words = ARENA_ARRAY(c->arena, const char *, SHARD_WORDS + 1);
    struct fleet_spec s = {.plan = &e->plan, .on = f->on, .at = *at, .words = words};
    s.identity = remote_identity(c);
    s.experiments = absolute(c->arena, c->folder);
    s.files = shard_files(c, e);
    s.shards = o->shards;
    s.constraint = o->constraint;
    s.time_s = o->time_s;
    s.resume = f->resume;
    s.dry_run = o->dry_run;
    struct text shown = {0};
    bool fine = shard_words(c, e, f, words, err) && fleet_run(&s, engine, &shown, err);
    if (fine)
        cli_print(&shown);
    text_free(&shown);
    return fine;
}

bool fleet_option_gate(struct cli *c, const struct experiment *e, const struct fleet_options *o, bool is_virtual,
                       struct err *err)
{
    const struct node_gate g = {.processor = o->processor,
                                .program = remote_identity(c),
                                .wanted = o->gate,
                                .machine = is_virtual ? NULL : &e->machine};
    return !*o->gate || node_gate(&g, err);
}

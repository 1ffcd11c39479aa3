/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/fleet.h"

#include "harness/base/clock.h"
#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/fleet/shard_merge.h"
#include "harness/fleet/shard_records.h"
#include "harness/record/database.h"
#include "harness/record/status.h"
#include "harness/record/store.h"
#include "harness/tune/forecast.h"
#include "harness/tune/interrupt.h"
#include "harness/tune/shards.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_LEAST_S 0.5
#define LOOK_MOST_S 5.0
enum { STEM_MOST = 25 }; /* bytes of a job's name, with an end */

static const char *job_path(const struct fleet *f)
{
    return file_join(f->a, f->folder, "job.json");
}

/* ---- what is asked for ---- */

/* No other fleet has this name, on whatever machine it was begun. */
static const char *new_name(const struct fleet *f)
{
    char hex[65], machine[65] = "";
    if (gethostname(machine, sizeof machine - 1) != 0)
        *machine = 0;
    const char *all = arena_printf(f->a, "%s:%s:%d:%.9f", machine, f->results, (int)getpid(), clock_unix());
    digest_sha256(all, strlen(all), hex);
    return arena_printf(f->a, "raingauge-%s-%.12s", fleet_name_of(f->a, f->spec->plan->stem, STEM_MOST), hex);
}

static bool new_job(struct fleet *f, int machines, struct err *err)
{
    const struct fleet_spec *s = f->spec;
    int parts = shard_parts(s->plan);
    f->job = (struct fleet_job){.name = new_name(f),
                                .on = s->on,
                                .program = s->identity,
                                .experiment = s->plan->experiment_hash,
                                .shards = s->shards > 0      ? (int)s->shards
                                          : machines < parts ? machines
                                                             : parts};
    return f->job.shards <= parts ||
           err_set(err, "--shards %d is more than the %d part%s of this campaign: a network in one seed stays together",
                   f->job.shards, parts, parts == 1 ? "" : "s");
}

static bool same_job(const struct fleet *f, struct err *err)
{
    const struct fleet_spec *s = f->spec;
    const char *path = job_path(f);
    if (!str_eq(f->job.experiment, s->plan->experiment_hash))
        return err_set(err, "'%s' is of another experiment: --results FOLDER begins elsewhere", path);
    if (!str_eq(f->job.program, s->identity))
        return err_set(err,
                       "'%s': its shards are run by %s, this is %s: go on with that program, or begin in another "
                       "folder with --results",
                       path, f->job.program, s->identity);
    return !s->shards || s->shards == f->job.shards ||
           err_set(err, "'%s': there are %d shards, not %lld: leave out --shards", path, f->job.shards,
                   (long long)s->shards);
}

/* The job on record, or a new one. *found: it is on record. */
static bool find_job(struct fleet *f, int machines, bool *found, struct err *err)
{
    *found = file_exists(job_path(f));
    if (*found && !f->spec->resume && !f->spec->dry_run)
        return err_set(err,
                       "'%s' holds a fleet of this experiment already: --resume goes on with it, --results FOLDER "
                       "begins in another folder",
                       f->results);
    if (!*found || f->spec->dry_run)
        return new_job(f, machines, err);
    return fleet_job_read(f->a, job_path(f), &f->job, err) && same_job(f, err);
}

static void make_shards(struct fleet *f)
{
    f->shards = ARENA_ARRAY(f->a, struct fleet_shard, f->job.shards);
    for (int i = 0; i < f->job.shards; i++)
        f->shards[i] =
            (struct fleet_shard){.number = i + 1, .dir = arena_printf(f->a, "%s/shards/%d", f->results, i + 1)};
}

/* ---- waiting ---- */

static int count(const struct fleet *f, enum shard_state state)
{
    int n = 0;
    for (int i = 0; i < f->job.shards; i++)
        n += f->shards[i].state == state;
    return n;
}

static bool look(struct fleet *f, struct err *err)
{
    if (!f->engine->look(f, err))
        return false;
    for (int i = 0; i < f->job.shards; i++) {
        struct fleet_shard *s = &f->shards[i];
        if (s->state == SHARD_DONE || s->state == SHARD_BROKEN)
            continue;
        if (s->state == SHARD_IDLE && (!f->engine->fetch || f->engine->fetch(f, s)))
            shard_records_look(f, s);
        (void)status_glance(s->dir, &s->trials);
    }
    return true;
}

static void show_progress(const struct fleet *f)
{
    int64_t trials = 0;
    const char *why = "";
    for (int i = 0; i < f->job.shards; i++) {
        trials += f->shards[i].trials;
        why = f->shards[i].state == SHARD_WAITS ? f->shards[i].why : why;
    }
    progress_at((double)trials, "%d shards: %d done, %d running, %d waiting%s%s%s", f->job.shards, count(f, SHARD_DONE),
                count(f, SHARD_RUNS), count(f, SHARD_WAITS), *why ? " (" : "", why, *why ? ")" : "");
}

static bool interrupted(const struct fleet *f, struct err *err)
{
    struct text t = {0};
    f->engine->left(f, &t);
    err_set(err, "stopped: %s", text_str(&t));
    text_free(&t);
    err->code = EXIT_INTERRUPTED;
    return false;
}

/* A shard that was with the engine when this process began, and then ended without being done, is submitted once. */
static bool any_stopped(const struct fleet *f)
{
    for (int i = 0; i < f->job.shards; i++)
        if (f->shards[i].state == SHARD_IDLE && !f->shards[i].submitted)
            return true;
    return false;
}

/* An engine that gives no answer may come back. */
static bool wait_for_all(struct fleet *f, struct err *err)
{
    double pause = LOOK_LEAST_S, silent = 0;
    for (;;) {
        if (look(f, err)) {
            silent = 0;
        } else if (err->code != EXIT_ENVIRONMENT ||
                   (silent > 0 && clock_now() - silent > 60 * f->spec->at.give_up_min)) {
            return false;
        } else if (silent <= 0) {
            silent = clock_now();
            log_warn("%s: asking again for %.0f minutes", err->text, f->spec->at.give_up_min);
        }
        show_progress(f);
        if (silent <= 0 && !count(f, SHARD_WAITS) && !count(f, SHARD_RUNS)) {
            if (!any_stopped(f))
                return true;
            if (!f->engine->submit(f, err))
                return false;
        }
        for (double until = clock_now() + pause; clock_now() < until && !interrupt_asked();)
            clock_sleep(0.1);
        if (interrupt_asked())
            return interrupted(f, err);
        pause = pause * 1.3 < LOOK_MOST_S ? pause * 1.3 : LOOK_MOST_S;
    }
}

static bool all_done(const struct fleet *f, struct err *err)
{
    const struct fleet_shard *first = NULL;
    int left = f->job.shards - count(f, SHARD_DONE);
    for (int i = f->job.shards - 1; i >= 0; i--)
        if (f->shards[i].state != SHARD_DONE) {
            first = &f->shards[i];
            log_info("shard %d is not done: %s", first->number,
                     *first->why
                         ? first->why
                         : arena_printf(f->a, "it left no word (cancelled, or its node could not write to '%s')",
                                        f->folder));
        }
    if (!left)
        return true;
    err_set(err,
            "%d of %d shards are not done, the first is %d (%.500s): what is recorded is kept, and --resume "
            "submits them again",
            left, f->job.shards, first->number, *first->why ? first->why : "it left no word");
    return err_environment(err);
}

static bool gather(struct fleet *f, struct err *err)
{
    const char **dirs = ARENA_ARRAY(f->a, const char *, f->job.shards);
    for (int i = 0; i < f->job.shards; i++)
        dirs[i] = f->shards[i].dir;
    if (!shards_merge(f->results, dirs, f->job.shards, false, NULL, err))
        return err_context(err, "the shards cannot be gathered");
    log_info("%d shards are one campaign in '%s'", f->job.shards, f->results);
    return true;
}

/* ---- the whole ---- */

/* Shards that were run by hand are gone on with. */
static bool submit_new(struct fleet *f, struct err *err)
{
    struct err ignored;
    for (int i = 0; i < f->job.shards; i++) {
        if (!f->spec->resume && store_exists(f->shards[i].dir))
            return err_set(err, "'%s' holds records already: --resume goes on with them", f->shards[i].dir);
        shard_records_look(f, &f->shards[i]);
    }
    if (!fleet_job_write(job_path(f), &f->job, err))
        return false;
    if (!count(f, SHARD_IDLE) || f->engine->submit(f, err))
        return true;
    if (f->engine->look(f, &ignored) && !count(f, SHARD_WAITS) && !count(f, SHARD_RUNS))
        unlink(job_path(f)); /* nothing was begun */
    return false;
}

static bool submit(struct fleet *f, bool found, struct err *err)
{
    return found ? look(f, err) && (!count(f, SHARD_IDLE) || f->engine->submit(f, err)) : submit_new(f, err);
}

static double expected_trials(const struct plan *p)
{
    int64_t n = 0;
    for (int i = 0; i < p->ncells; i++)
        n += forecast_trials(p, i);
    return (double)n;
}

static bool run(struct fleet *f, struct text *shown, struct err *err)
{
    bool found = false;
    int machines = 0, lock;
    if (!f->engine->open(f, &machines, err) || (f->spec->dry_run && !find_job(f, machines, &found, err)))
        return false;
    if (f->spec->dry_run)
        return f->engine->show(f, shown, err);
    if (!file_make_dirs(f->folder, err))
        return false;
    if (!lock_take(file_join(f->a, f->folder, "lock"), &lock, err))
        return err_context(err, "the shards are being gathered already");
    bool fine = store_begun(f->results); /* all was gathered */
    if (fine && !f->spec->resume) {
        fine = err_set(err, "'%s' holds records of this experiment already: --resume, or --results FOLDER", f->results);
    } else if (!fine && (fine = find_job(f, machines, &found, err))) {
        make_shards(f);
        interrupt_install();
        progress_begin(f->spec->plan->stem, expected_trials(f->spec->plan));
        fine = submit(f, found, err) && wait_for_all(f, err);
        progress_end();
        interrupt_restore();
        fine = fine && all_done(f, err) && gather(f, err);
    }
    close(lock);
    return fine;
}

bool fleet_run(const struct fleet_spec *spec, const struct fleet_engine *engine, struct text *shown, struct err *err)
{
    struct arena *a = arena_open("fleet");
    char results[PATH_MAX];
    struct fleet f = {.a = a, .spec = spec, .engine = engine};
    bool fine = (spec->dry_run || file_make_dirs(spec->plan->results_dir, err));
    if (realpath(spec->plan->results_dir, results))
        f.results = arena_str(a, results);
    else /* of a dry run */
        f.results = *spec->plan->results_dir != '/' && getcwd(results, sizeof results)
                        ? file_join(a, results, spec->plan->results_dir)
                        : spec->plan->results_dir;
    f.folder = file_join(a, f.results, "fleet");
    fine = fine && run(&f, shown, err);
    if (engine->close)
        engine->close(&f);
    arena_close(a);
    return fine;
}

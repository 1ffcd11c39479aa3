/* SPDX-License-Identifier: Apache-2.0 */
/* run: runs an experiment, or goes on with it. */
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/base/machine_lock.h"
#include "harness/claims/fingerprint.h"
#include "harness/cli/fleet_option.h"
#include "harness/cli/gather.h"
#include "harness/cli/open.h"
#include "harness/cli/remote_option.h"
#include "harness/measure/fault.h"
#include "harness/report/data/document_read.h"
#include "harness/report/render/text_report.h"
#include "harness/tune/campaign.h"
#include "harness/tune/forecast.h"
#include "harness/tune/shards.h"
#include "revision.h"

#include <stdlib.h>
#include <string.h>

#define BUSY_LOAD 0.5

/* "table3 --tier short ...": without its --set it would be another experiment, or one with another re-timing. */
static void add_experiment(struct text *t, const char *name, const char *tier, const struct open_options *o)
{
    cli_add_word(t, "", name);
    if (*tier)
        cli_add_word(t, "--tier", tier);
    for (int i = 0; i < o->sets.n; i++)
        cli_add_word(t, "--set", o->sets.at[i]);
    if (o->results)
        cli_add_word(t, "--results", o->results);
}

struct run_options {
    struct open_options open;
    bool resume, retime, search_again, strict, wait;
    int64_t object_cache;
    const char *faults, *on, *shard;
    struct fleet_options fleet;
};

static void tell_how(const char *name, const char *tier, const struct run_options *o)
{
    struct text t = {0};
    add_experiment(&t, name, tier, &o->open);
    if (*o->on)
        cli_add_word(&t, "--on", o->on);
    if (*o->shard)
        cli_add_word(&t, "--shard", o->shard);
    log_info("go on with: raingauge run%s --resume", text_str(&t));
    text_free(&t);
}

/* The three lines that a report begins with. That the run is done hangs on them with --strict only. */
static bool tell_summary(struct cli *c, const struct experiment *e, const struct open_options *o, bool strict,
                         struct err *err)
{
    struct document d;
    struct text t = {0}, next = {0};
    struct err why = {0};
    bool fine = true;
    text_add(&next, "Next: raingauge report");
    add_experiment(&next, c->words[0], e->tier, o);
    if (document_read(c->arena, e, c->folder, &d, &why)) {
        text_report_summary(&d, text_str(&next), &t);
        log_info("%.*s", (int)t.len - 1, text_str(&t)); /* without the last line end */
        fine = !strict || document_valid(&d, err);
    } else {
        log_warn("%s", why.text);
    }
    text_free(&next);
    text_free(&t);
    return fine;
}

static const struct setting options[] = {
    OPEN_ROWS(struct run_options, open),
    FLAG_SETTING("--resume", struct run_options, resume, "go on with what is recorded, or start"),
    FLAG_SETTING("--retime", struct run_options, retime,
                 "go on, and time the found programs once more: launches of duels are added to those on record"),
    FLAG_SETTING(
        "--search-again", struct run_options, search_again,
        "go on, and search again where other programs and the host took more of the CPUs than a report allows: "
        "all arms of that network and seed; then all programs are re-timed; the records before stay in records-1.db"),
    FLAG_SETTING("--strict", struct run_options, strict, "end with 3 where the report is INVALID"),
    FLAG_SETTING("--wait", struct run_options, wait,
                 "wait for a campaign that measures on these processors instead of ending with 7"),
    INT_SETTING(
        "--object-cache", struct run_options, object_cache, "1024", 0, 1 << 20,
        "MiB in the results folder for built objects: an equal program is not built again, and every clock of the "
        "search is charged for it as if it had been; 0: all are built",
        .word = "MIB"),
    STRING_SETTING("--faults", struct run_options, faults, "",
                   "plant real faults at these trials: crash:5,hang:7,memory:9,wrong:11", .word = "KIND:TRIAL,..."),
    STRING_SETTING("--shard", struct run_options, shard, "",
                   "only this share of the networks and seeds, into a folder of its own (results/EXPERIMENT/TIER/"
                   "shards/N): `raingauge merge` makes one campaign of all",
                   .word = "N/OF"),
    ON_ROW(
        struct run_options, on,
        "build and measure on another machine; settings: bundle, folder, config, give_up_min. slurm[:PARTITION]: run "
        "shards on a cluster; settings: bundle, give_up_min"),
    FLEET_ROWS(struct run_options, fleet),
    {0}};

/* *engine NULL: no fleet is asked for. */
static bool run_fleet(struct cli *c, struct experiment *e, const struct fleet_engine **engine, struct err *err)
{
    const struct run_options *o = c->options;
    const struct fleet_command f = {&o->fleet, &o->open, o->on, o->resume, o->object_cache};
    struct fleet_on at;
    if (!fleet_option_find(c, &f, &at, engine, err))
        return false;
    if (!*engine)
        return true;
    if (*o->shard || o->retime || o->search_again || *o->faults)
        return err_set(err, "--shard, --retime, --search-again and --faults are not for --on %s", o->on);
    bool fine = fleet_option_run(c, e, &f, &at, *engine, err);
    if (!fine && err->code == EXIT_INTERRUPTED)
        tell_how(c->words[0], e->tier, o);
    return fine && (o->fleet.dry_run || tell_summary(c, e, &o->open, o->strict, err));
}

static bool run(struct cli *c, struct err *err)
{
    const struct run_options *o = c->options;
    struct experiment *e;
    const struct fleet_engine *engine;
    if (!open_experiment(c, c->words[0], &o->open, &e, err))
        return false;
    bool fine = run_fleet(c, e, &engine, err);
    if (!fine || engine)
        return fine;
    struct text versions = {0};
    struct campaign_forecast f = {.cores = 0};
    struct shard shard;
    if (!shard_parse(o->shard, &shard, err) || !shard_elsewhere(&e->plan, shard, c->arena, &e->plan.elsewhere, err))
        return false;
    if (shard.number && !o->open.results)
        e->plan.results_dir = arena_printf(c->arena, "%s/shards/%d", e->plan.results_dir, shard.number);
    const struct target *target = registry_target(c->registry, e->plan.target, err);
    if (!target)
        return false;
    struct remote_host on;
    struct fault_plan faults;
    if ((*o->on && !remote_option(c, o->on, &on, err)) || !fault_parse(o->faults, &faults, err) ||
        !campaign_fits(&e->plan, target->is_virtual, err) || !file_make_dirs(e->plan.results_dir, err))
        return false;
    const char *who = arena_printf(c->arena, "%s%s%s", e->stem, *e->tier ? ", tier " : "", e->tier);
    if ((!target->is_virtual && !*o->on && !machine_lock(who, o->wait, err)) ||
        !fleet_option_gate(c, e, &o->fleet, target->is_virtual, err))
        return false;
    json_print(gather_versions(), &versions);
    f.pace = *o->on ? 1 : forecast_pace();
    campaign_forecast(&e->plan, target->is_virtual, o->retime, &f, 1);
    log_info("%s: about %lld trials planned, %lld recorded; %s", who, (long long)f.trials, (long long)f.done,
             campaign_forecast_text(c->arena, &f));
    double load;
    if (!target->is_virtual && !*o->on && getloadavg(&load, 1) == 1 && load > BUSY_LOAD)
        log_info("load %.1f over the last minute: if other work goes on, times will spread, and this takes longer",
                 load);
    struct campaign_options how = {.resume = o->resume || o->retime || o->search_again,
                                   .retime = o->retime,
                                   .search_again = o->search_again,
                                   .objects_mib = o->object_cache,
                                   .faults = o->faults,
                                   .on = *o->on ? &on : NULL,
                                   .revision = RAINGAUGE_REVISION,
                                   .claims = fingerprint_of(c->arena, c->folder, e->paper, e->stem),
                                   .versions = text_str(&versions)};
    bool done = campaign_run(c->registry, &e->plan, &how, err);
    if (!done && err->code == EXIT_INTERRUPTED)
        tell_how(c->words[0], e->tier, o);
    if (done && shard.number)
        log_info("shard %d of %d is done; when all are: raingauge merge", shard.number, shard.of);
    else
        done = done && tell_summary(c, e, &o->open, o->strict, err);
    text_free(&versions);
    return done;
}

static const struct verb_exit exits[] = {
    {EXIT_INVALID, "nothing of the first batch works; with --strict: the report is INVALID"},
    {EXIT_ENVIRONMENT, "the disk is full, the host does not answer, a library is missing, another campaign measures "
                       "here (--wait), the records are of another machine, or shards of a fleet are not done"},
    {EXIT_INTERRUPTED, "interrupted; --resume goes on"},
    {0}};

const struct verb verb_run = {.name = "run",
                              .arguments = "EXPERIMENT",
                              .summary = "runs an experiment, or goes on with it",
                              .asks = ASKS_EXPERIMENT,
                              .needed = 1,
                              .words = 1,
                              VERB_OPTIONS(struct run_options),
                              .experiments = true,
                              .exits = exits,
                              .run = run};

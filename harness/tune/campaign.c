/* SPDX-License-Identifier: Apache-2.0 */
/* campaign: opens the measurer (before any thread is made), the records, the pool; runs the cells in plan_order; says
 * how to go on when it is stopped. */
#include "harness/tune/campaign.h"

#include "harness/base/cpus.h"
#include "harness/base/digest.h"
#include "harness/base/log.h"
#include "harness/measure/host.h"
#include "harness/measure/task_data.h"
#include "harness/measure/worker.h"
#include "harness/record/duel_record.h"
#include "harness/record/lost_trials.h"
#include "harness/record/node_record.h"
#include "harness/record/tally.h"
#include "harness/tune/cell.h"
#include "harness/tune/disturbed.h"
#include "harness/tune/duel_run.h"
#include "harness/tune/environment.h"
#include "harness/tune/forecast.h"
#include "harness/tune/interrupt.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct campaign {
    const struct plan *plan;
    const struct campaign_options *options;
    const struct target *target;
    struct cell_env env;
    struct measurers measurers;
    struct text environment;
    struct remote_host on; /* of the options */
    char mark[65];         /* on.campaign */
    char objects[PATH_MAX];
};

static void put_environment(struct campaign *c)
{
    const char *versions = c->options->versions;
    cJSON *all = json_object();
    json_put(all, "host", measure_host(c->env.measurer));
    if (c->options->on)
        json_put_str(all, "on", c->options->on->name);
    measure_describe(c->env.measurer, json_put_object(all, "target"));
    json_put(all, "versions", cJSON_CreateRaw(versions && *versions ? versions : "{}"));
    json_print(all, &c->environment);
}

/* Records of another machine do not go on here: their times are not ours. No time passes on a virtual target. */
static bool check_machine(const struct campaign *c, struct err *err)
{
    if (c->env.is_virtual)
        return true;
    struct arena *a = arena_open("environment");
    const char *had = store_campaign(c->env.store)->environment;
    const char *why = environment_difference(a, had ? had : "", text_str(&c->environment));
    if (why)
        err_set(err, "'%s' holds records of another machine: %s; choose another folder with --results",
                c->plan->results_dir, why);
    arena_close(a);
    return !why || err_environment(err); /* it may go on elsewhere */
}

/* An event of the whole campaign; an empty text is none. */
static bool put_event(struct campaign *c, const char *kind, const char *text, struct err *err)
{
    return !text || !*text || store_event(c->env.store, -1, -1, kind, text, c->env.is_virtual ? 0 : clock_unix(), err);
}

static bool put_node(struct campaign *c, struct err *err)
{
    struct arena *a = arena_open("node");
    const char *node = environment_node(a, text_str(&c->environment), c->env.is_virtual);
    bool fine = node_record_put(c->env.store, node, c->env.is_virtual ? 0 : clock_unix(), err);
    arena_close(a);
    return fine;
}

/* Once and before the first trial: a run that was killed in between has not said it yet. */
static bool put_begin(struct campaign *c, const char *kind, const char *text, struct err *err)
{
    struct arena *a = arena_open("begin");
    struct store_cell *cells;
    const char *had;
    int n;
    bool fine = store_event_text(c->env.store, a, kind, &had, err) && store_cells(c->env.store, a, &cells, &n, err);
    bool begins = fine && !*had;
    for (int i = 0; begins && i < n; i++)
        begins = cells[i].trials_done == 0;
    arena_close(a);
    return fine && (!begins || put_event(c, kind, text, err));
}

static bool open_store(struct campaign *c, struct err *err)
{
    const struct plan *p = c->plan;
    struct text regime = {0};
    bool existed = store_begun(p->results_dir);
    setting_print(regime_settings, &p->regime, &regime);
    struct store_campaign row = {.keys = p->keys,
                                 .experiment_hash = p->experiment_hash,
                                 .regime = text_str(&regime),
                                 .is_virtual = c->env.is_virtual,
                                 .revision = c->options->revision ? c->options->revision : "",
                                 .environment = text_str(&c->environment),
                                 .created_unix = clock_unix()};
    bool fine = store_open(p->results_dir, &row, c->options->resume ? STORE_RESUME : STORE_NEW, &c->env.store, err);
    if (fine && existed && !lost_trials_none(c->env.store, err))
        fine = err_context(err, "'%s'", p->results_dir);
    fine = fine && check_machine(c, err);
    if (fine && !str_eq(store_campaign(c->env.store)->revision, row.revision))
        log_warn("the records were begun by revision %s, this is %s", store_campaign(c->env.store)->revision,
                 row.revision);
    fine = fine && (!existed || put_event(c, "resume", row.revision, err)) &&
           put_begin(c, STORE_EVENT_CLAIMS, c->options->claims, err) &&
           put_begin(c, STORE_EVENT_FILES, p->contents, err); /* what is in the files that settings name */
    text_free(&regime);
    return fine && put_node(c, err);
}

/* The same for every run of a campaign, and for no other: the folder of its records, on this machine. */
static void mark_campaign(struct campaign *c)
{
    struct text t = {0};
    char folder[PATH_MAX], machine[65] = "";
    if (gethostname(machine, sizeof machine - 1) != 0)
        *machine = 0;
    text_printf(&t, "%s:%s", machine, realpath(c->plan->results_dir, folder) ? folder : c->plan->results_dir);
    digest_sha256(text_str(&t), t.len, c->mark);
    text_free(&t);
    c->on = *c->options->on;
    c->on.campaign = c->mark;
    c->on.stopped = interrupt_asked;
}

static bool open_measurer(struct campaign *c, struct err *err)
{
    const struct plan *p = c->plan;
    snprintf(c->objects, sizeof c->objects, "%s/objects", p->results_dir);
    if (c->options->on)
        mark_campaign(c);
    c->measurers.o = (struct measure_options){.target = c->target,
                                              .target_settings = p->target_settings ? p->target_settings : "",
                                              .collectors = c->env.registry->collectors,
                                              .regime = p->regime,
                                              .threads = p->threads,
                                              .build_workers = p->build_workers,
                                              .layout = p->layout,
                                              .force_overlap = c->options->force_overlap,
                                              .seed = p->input_seed,
                                              .stopped = interrupt_asked,
                                              .objects = c->options->objects_mib ? c->objects : "",
                                              .objects_mib = c->options->objects_mib,
                                              .on = c->options->on ? &c->on : NULL,
                                              .faults = c->options->faults ? c->options->faults : ""};
    struct measured_under own;
    c->env.measurers = &c->measurers;
    if (!measurers_get(&c->measurers, NULL, &own, err))
        return false;
    c->env.measurer = own.measurer;
    c->env.limits = own.limits;
    return true;
}

/* A machine whose file is silent is the one that measures; where no time passes results must not hang on it. */
static void find_analyzer(struct campaign *c)
{
    c->env.analyzer = c->plan->analyzer;
    if (c->env.is_virtual || c->env.limits.is_gpu || c->env.analyzer.vector_lanes > 0)
        return;
    cJSON *host = measure_host(c->env.measurer);
    host_analyzer(host, &c->env.analyzer);
    cJSON_Delete(host);
}

/* Adds the plan's first n cells; those on record must be the same. same: they are, by the hash, and only the paths of
 * files that were moved may differ. */
static bool put_cells(struct store *s, const struct plan *p, int n, bool same, struct err *err)
{
    struct arena *a = arena_open("cells");
    struct store_cell *had = NULL;
    int nhad = 0;
    bool fine = !same || store_cells(s, a, &had, &nhad, err);
    for (int i = 0; fine && i < n; i++) {
        struct store_cell cell;
        cell_stored(a, p, i, &cell);
        if (i < nhad) {
            cell.keys.searcher_settings = had[i].keys.searcher_settings;
            cell.keys.model_settings = had[i].keys.model_settings;
        }
        fine = store_cell_put(s, i, &cell, err);
    }
    arena_close(a);
    return fine;
}

/* Were the files that settings name the same? */
static bool same_files(struct store *s, struct arena *a, const struct plan *p, struct err *err)
{
    const char *had;
    if (!store_event_text(s, a, STORE_EVENT_FILES, &had, err))
        return false;
    return str_eq(had, p->contents ? p->contents : "") ||
           err_set(err,
                   "'%s' holds records that were made with other files: what a file holds that the settings name was "
                   "changed: choose another folder with --results",
                   p->results_dir);
}

/* The plan with its cells as they stand in the records, of which the first n are kept. */
static bool follow(struct store *s, struct arena *a, const struct plan *p, struct plan *out, int *n, struct err *err)
{
    struct store_cell *had;
    *out = *p;
    if (!store_cells(s, a, &had, n, err))
        return false;
    *n = plan_begun(p, had, *n);
    return plan_follow(out, a, had, *n, err);
}

/* Are the n cells on record the first of a plan that follows them? */
static bool same_searches(struct store *s, const struct plan *p, int n, struct err *err)
{
    struct arena *a = arena_open("cells");
    bool fine = plan_grows(p, n, err) && same_files(s, a, p, err) && put_cells(s, p, n, false, err);
    arena_close(a);
    return fine;
}

/* An experiment that differs from the recorded one in nothing but its re-timing, or has other seeds or networks, takes
 * the records over: the searches are the same. Launches on record stay, and count when they fit. */
static bool adopt(struct campaign *c, struct err *err)
{
    const struct plan *p = c->plan;
    const char *had = store_campaign(c->env.store)->experiment_hash;
    if (plan_has_duels(p) && !duel_fits(&c->env, err))
        return false;
    log_info("these searches were recorded for a version (%.12s) that differs in its re-timing, or has other seeds or "
             "networks: going on with them as %.12s",
             had, p->experiment_hash);
    return store_adopt(c->env.store, p->experiment_hash, c->env.is_virtual ? 0 : clock_unix(), err);
}

static bool more_launches(struct campaign *c, struct err *err)
{
    return !c->options->retime || duel_more(&c->env, err);
}

/* The records hold the plan's cells and its hash. */
static bool take_over(struct campaign *c, int n, struct err *err)
{
    struct store *s = c->env.store;
    if (str_eq(store_campaign(s)->experiment_hash, c->plan->experiment_hash))
        return put_cells(s, c->plan, c->plan->ncells, true, err) && more_launches(c, err);
    return same_searches(s, c->plan, n, err) && more_launches(c, err) && store_cells_keep(s, n, err) && adopt(c, err) &&
           put_cells(s, c->plan, c->plan->ncells, true, err);
}

static int64_t recorded(struct campaign *c, int cell)
{
    struct tally_sums sums;
    struct err err = {0};
    return tally_sum(c->env.store, cell, -1, 0, &sums, &err) ? sums.records : 0;
}

/* Does the cell start from the records of one that ended before its time, or take kernels of it? */
static bool awaits(const struct plan *p, int cell, const bool *ended)
{
    const struct cell_plan *c = &p->cells[cell];
    struct plan_place from;
    bool waits = c->explore_cell >= 0 && ended[c->explore_cell];
    for (int t = 0; t < c->ntasks && !waits; t++)
        waits = plan_taken(p, cell, t, &from) && ended[from.cell];
    return waits;
}

/* A user's program that fails ends its cell: the others go on, and a resumed run tries it again. */
static bool run_cell(struct campaign *c, int cell, bool *ended, struct err *err)
{
    struct err ignored;
    const struct cell_plan *p = &c->plan->cells[cell];
    ended[cell] = awaits(c->plan, cell, ended);
    if (ended[cell])
        log_warn("%s, %s, seed %" PRId64 " is not begun: it takes up a cell that ended", p->network, p->arm, p->seed);
    if (ended[cell] || cell_run(&c->env, cell, err))
        return true;
    ended[cell] = err && err->ends_cell;
    if (!ended[cell])
        return false;
    log_warn("%s: this cell ends, the others go on", err->text);
    if (!store_event(c->env.store, cell, -1, "ended", err->text, c->env.is_virtual ? 0 : clock_unix(), &ignored))
        log_debug("%s", ignored.text);
    return true;
}

/* Of all cells: those that are done have made theirs, whenever their turn comes. done: which they are. */
static int64_t expected_trials(struct campaign *c, bool *done)
{
    struct arena *a = arena_open("done");
    struct store_cell *had;
    struct err ignored = {0};
    int64_t sum = 0;
    int n;
    if (!store_cells(c->env.store, a, &had, &n, &ignored))
        n = 0;
    for (int i = 0; i < c->plan->ncells; i++) {
        done[i] = i < n && str_eq(had[i].state, "done");
        const int64_t made = done[i] ? recorded(c, i) : 0;
        c->env.trials_before += made;
        sum += done[i] ? made : forecast_trials(c->plan, i);
    }
    arena_close(a);
    return sum;
}

static bool run_cells(struct campaign *c, struct err *err)
{
    bool fine = true;
    struct arena *a = arena_open("cells");
    int *order = ARENA_ARRAY(a, int, c->plan->ncells + 1), n = 0;
    bool *ended = ARENA_ARRAY(a, bool, c->plan->ncells + 1), *done = ARENA_ARRAY(a, bool, c->plan->ncells + 1);
    struct err first = {0}, why = {0};
    plan_order(c->plan, order);
    int64_t expected = expected_trials(c, done);
    progress_begin(c->plan->stem, (double)expected);
    for (int i = 0; fine && i < c->plan->ncells; i++) {
        why = (struct err){0};
        fine = !plan_runs(c->plan, order[i]) || run_cell(c, order[i], ended, &why);
        first = *first.text ? first : why;
        n += ended[order[i]];
        const int64_t made = done[order[i]] ? 0 : recorded(c, order[i]);
        c->env.trials_before += made;
        expected += done[order[i]] ? 0 : made - forecast_trials(c->plan, order[i]);
        progress_total((double)expected);
    }
    progress_end();
    arena_close(a);
    if (!fine || !n) {
        *err = why;
        return fine;
    }
    err_set(err,
            "%d of %d cells ended before their time, and nothing is re-timed: %.600s; everything measured is in '%s': "
            "the same command with --resume tries them again",
            n, c->plan->ncells, first.text, c->plan->results_dir);
    err->code = EXIT_INVALID;
    return false;
}

static bool interrupted(struct campaign *c, struct err *err)
{
    struct err ignored = {0};
    if (!put_event(c, "interrupt", err->text, &ignored))
        log_debug("%s", ignored.text);
    if (err->code != EXIT_INTERRUPTED)
        return false;
    err_set(err, "stopped; everything measured is in '%s': the same command with --resume%s continues",
            c->plan->results_dir,
            c->options->retime         ? ", and not --retime,"
            : c->options->search_again ? ", and not --search-again,"
                                       : "");
    err->code = EXIT_INTERRUPTED;
    return false;
}

static bool measure_all(struct campaign *c, struct err *err)
{
    c->env.pool = pool_open(0);
    return run_cells(c, err) && duel_run(&c->env, err) && store_safe(c->env.store, err);
}

static bool run(struct campaign *c, struct err *err)
{
    if (!open_measurer(c, err))
        return false;
    put_environment(c);
    find_analyzer(c);
    interrupt_install(); /* before the records are there: from then on a signal stops the run and keeps them */
    struct arena *a = arena_open("plan");
    const struct plan *asked = c->plan;
    struct plan followed;
    int n;
    bool fine = open_store(c, err) &&
                (!c->options->search_again ||
                 disturbed_take_out(c->env.store, c->plan->results_dir, c->env.is_virtual ? 0 : clock_unix(), err)) &&
                follow(c->env.store, a, c->plan, &followed, &n, err);
    if (fine)
        c->plan = c->env.plan = &followed;
    fine = fine && take_over(c, n, err) && (measure_all(c, err) || interrupted(c, err));
    interrupt_restore();
    c->plan = c->env.plan = asked;
    arena_close(a);
    if (fine)
        file_cache_remove(c->objects);
    return fine;
}

static bool task_fits(const struct plan *p, const struct regime *tight, const struct task *t, struct err *err)
{
    if (plan_has_duels(p) && p->retime_regime.memory_mib < tight->memory_mib)
        tight = &p->retime_regime;
    double mib = (double)task_data_bytes(t, tight->verify) / (1 << 20);
    return mib <= (double)tight->memory_mib ||
           err_set(
               err,
               "'%s' needs %.0f MiB for its inputs, outputs and references, more than the regime's memory_mib=%lld: "
               "raise it or leave the kernel out",
               t->name, mib, (long long)tight->memory_mib);
}

bool campaign_fits(const struct plan *plan, bool is_virtual, struct err *err)
{
    for (int i = 0; i < plan->ncells && !is_virtual; i++) {
        const struct cell_plan *c = &plan->cells[i];
        for (int t = 0; t < c->ntasks; t++)
            if (!task_fits(plan, plan_regime(plan, i), c->tasks[t].task, err))
                return err_context(err, "kernel %d of '%s'", t, c->network);
    }
    return true;
}

static bool target_works(const struct target *t, const struct conditions *under, struct err *err)
{
    struct arena *a = arena_open("target");
    struct target_env env = {.threads = under->threads, .layout = under->layout};
    struct limits limits;
    void *self;
    bool fine = measure_allowed(t, false, &under->regime, err) &&
                target_begin(t, under->target_settings, a, &env, &self, &limits, err);
    if (fine)
        t->close(self);
    arena_close(a);
    return fine;
}

bool campaign_target_works(const struct registry *registry, const struct plan *plan, struct err *err)
{
    const struct target *t = registry_target(registry, plan->target, err);
    const struct conditions own = {"", plan->target_settings, plan->threads, plan->layout, plan->regime}, *last = &own;
    bool fine = t && target_works(t, &own, err);
    for (int i = 0; fine && i < plan->ncells; i++)
        if (plan->cells[i].under && plan->cells[i].under != last) {
            last = plan->cells[i].under;
            fine = target_works(t, last, err) || err_context(err, "under %s", last->text);
        }
    return fine;
}

bool campaign_run(const struct registry *registry, const struct plan *plan, const struct campaign_options *o,
                  struct err *err)
{
    struct campaign c = {.plan = plan, .options = o, .env = {.registry = registry, .plan = plan}};
    if (!plan_check(plan, err) || !(c.target = registry_target(registry, plan->target, err)))
        return false;
    c.env.is_virtual = c.target->is_virtual;
    if (!campaign_fits(plan, c.env.is_virtual, err))
        return false;
    bool fine = run(&c, err);
    if (c.env.pool)
        pool_close(c.env.pool);
    measurers_close(&c.measurers);
    store_close(c.env.store);
    text_free(&c.environment);
    return fine;
}

/* What is recorded of a plan. */
struct progress {
    int64_t *trials, *done; /* of each cell: recorded; the same, or all when it is done */
    double seconds;         /* of all cells together */
    int cores;              /* of the machine that they come from */
    bool retimed;
};

static bool duels_over(struct store *s, struct arena *a)
{
    struct duel_record *duels;
    struct err err = {0};
    bool awaited = true;
    int n = 0;
    return duel_records_get(s, a, &duels, &n, &err) && n > 0 && duel_awaited(s, &awaited, &err) && !awaited;
}

static void read_progress(struct store *s, struct arena *a, const struct plan *p, struct progress *out)
{
    struct store_cell *cells;
    struct err err = {0};
    int n;
    if (!store_cells(s, a, &cells, &n, &err))
        return;
    out->cores = environment_cores(store_campaign(s)->environment);
    bool searched = n > 0 && n == p->ncells;
    for (int i = 0; i < n && i < p->ncells; i++) {
        bool done = str_eq(cells[i].state, "done");
        searched = searched && (!plan_runs(p, i) || done);
        out->trials[i] = cells[i].trials_done;
        out->done[i] = done ? plan_cell_trials(p, i) : cells[i].trials_done;
        out->seconds += cells[i].elapsed_s;
    }
    double uncounted_s;
    if (tally_uncounted(s, &uncounted_s, &err))
        out->seconds -= uncounted_s;
    out->retimed = searched && duels_over(s, a);
}

/* How much slower the records came than was expected of their machine's cores: one factor for what is left, on any
 * number of cores. 0: too few records. */
static double measured_pace(const struct plan *plan, const struct progress *at)
{
    int64_t done = 0;
    double expected = 0;
    for (int i = 0; i < plan->ncells; i++) {
        expected += (double)at->trials[i] * forecast_cell(plan, i, at->cores > 0 ? at->cores : cpus_usable());
        done += at->trials[i];
    }
    return done >= 16 && expected > 0 ? at->seconds / expected : 0;
}

/* Trials not yet made, at their pace. */
static void forecast(const struct plan *plan, const struct progress *at, bool retime, struct campaign_forecast *out)
{
    double all_s = 0;
    for (int i = 0; i < plan->ncells; i++) {
        double trial_s = out->is_virtual ? 0 : out->pace * forecast_cell(plan, i, out->cores);
        int64_t usual = forecast_trials(plan, i), most = plan_cell_trials(plan, i);
        out->trials += usual;
        out->done += at->trials[i];
        all_s += (double)usual * trial_s;
        out->left_s += (double)(usual > at->done[i] ? usual - at->done[i] : 0) * trial_s;
        out->most_s += (double)(most > at->done[i] ? most - at->done[i] : 0) * trial_s;
    }
    out->trial_s = out->trials > 0 ? all_s / (double)out->trials : 0;
    if (!out->is_virtual && (retime || !at->retimed)) {
        out->retiming_s = forecast_retiming(plan, out->cores, out->pace, false);
        out->left_s += out->retiming_s;
        out->most_s += forecast_retiming(plan, out->cores, out->pace, true);
    }
}

void campaign_forecast(const struct plan *of, bool is_virtual, bool retime, struct campaign_forecast *out, int nout)
{
    struct arena *a = arena_open("forecast");
    struct progress at = {.trials = ARENA_ARRAY(a, int64_t, of->ncells + 1),
                          .done = ARENA_ARRAY(a, int64_t, of->ncells + 1)};
    struct store *s = NULL;
    struct err err = {0};
    struct plan followed = *of;
    int n;
    if (store_begun(of->results_dir) && store_open_read(of->results_dir, &s, &err)) {
        if (follow(s, a, of, &followed, &n, &err) &&
            (str_eq(store_campaign(s)->experiment_hash, of->experiment_hash) || same_searches(s, &followed, n, &err)))
            read_progress(s, a, &followed, &at);
        store_close(s);
    }
    double measured = measured_pace(&followed, &at);
    for (int i = 0; i < nout; i++) {
        struct plan plan = followed;
        int cores = out[i].cores > 0 ? out[i].cores : cpus_usable();
        if (out[i].half) {
            plan.threads = cores / 2;
            plan.target_settings =
                arena_printf(a, "%s%soverlap=yes", plan.target_settings, *plan.target_settings ? "," : "");
        }
        out[i] = (struct campaign_forecast){.cores = cores,
                                            .half = out[i].half,
                                            .pace = measured > 0 ? measured : (out[i].pace > 0 ? out[i].pace : 1),
                                            .measured = measured > 0,
                                            .most = plan_trials(of),
                                            .is_virtual = is_virtual};
        forecast(&plan, &at, retime, &out[i]);
    }
    arena_close(a);
}

const char *campaign_forecast_text(struct arena *a, const struct campaign_forecast *f)
{
    char left[64], most[64];
    clock_format(f->left_s, left, sizeof left);
    clock_format(f->most_s, most, sizeof most);
    return f->is_virtual
               ? "no time passes on this target: what searching and training take is not predicted"
               : arena_printf(a, "predicted time left, on a quiet machine: %s, with every trial that may come %s", left,
                              most);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* best_program: makes the plan of a campaign with one cell and one kernel, runs it and reads its records. */
#include "harness/cli/bench/best_program.h"

#include "harness/base/clock.h"
#include "harness/measure/measure.h"
#include "harness/measure/worker.h"
#include "harness/record/store.h"
#include "harness/record/tally.h"
#include "harness/stats/summary.h"
#include "harness/tune/campaign.h"

#include <math.h>
#include <string.h>

/* Random programs are up to forty times slower than the best: timing those in full would take most of the time. */
#define PATIENCE 5

static bool make_plan(struct bench_env *b, const struct best_program *h, const char *folder, struct plan *out,
                      struct err *err)
{
    struct plan_task *row = ARENA_NEW(b->arena, struct plan_task);
    *row = (struct plan_task){.task = h->task, .weight = 1};
    *out = gauge_plan(
        b, folder,
        (struct cell_plan){.network = "bench", .seed = h->seed, .tasks = row, .ntasks = 1, .trials = h->trials});
    out->stem = arena_printf(b->arena, "bench %s, seed %lld", h->task->name, (long long)h->seed);
    out->target = "cpu";
    out->threads = h->threads;
    if (!regime_named("tvmc", &out->regime, err) || !regime_named("retime", &out->retime_regime, err))
        return false;
    out->regime.patience = PATIENCE;
    return true;
}

static bool read_records(struct bench_env *b, const char *folder, struct best_program *h, struct err *err)
{
    struct store *s;
    struct record best;
    bool found = false;
    if (!store_open_read(folder, &s, err))
        return false;
    bool fine = tally_phases(s, 0, h->phases, &h->rounds_s, err) &&
                store_best(s, b->arena, (struct store_part){0, 0, 0}, &best, &found, err);
    store_close(s);
    if (!fine || !found)
        return fine && err_set(err, "no valid program of '%s' was found", h->task->name);
    h->best_s = sample_mean(&best.sample);
    return record_candidate(b->arena, &best, h->task, &h->best, err);
}

bool best_program_run(struct bench_env *b, struct best_program *h, struct err *err)
{
    struct plan plan;
    const char *folder;
    struct campaign_options o = {.faults = "", .revision = "", .versions = ""};
    if (!gauge_folder(b, &folder, err))
        return false;
    double start = clock_now();
    bool fine = make_plan(b, h, folder, &plan, err) && campaign_run(b->cli->registry, &plan, &o, err);
    h->search_s = clock_now() - start;
    fine = fine && read_records(b, folder, h, err);
    gauge_folder_remove(b, folder);
    return fine;
}

/* ---- timing the winners again ---- */

/* layout: a rival does not know our steps, and so not the order in which they would have the weights. */
static bool open_measurer(struct bench_env *b, const char *target, int threads, enum layout_mode layout,
                          struct measurer **out, struct err *err)
{
    struct limits limits;
    struct measure_options o = {.target = registry_target(b->cli->registry, target, err),
                                .target_settings = strcmp(target, "cpu") == 0 ? b->target_settings : "",
                                .threads = threads,
                                .build_workers = 1,
                                .layout = layout,
                                .seed = 1,
                                .faults = ""};
    return o.target && regime_named("retime", &o.regime, err) && measure_open(&o, out, &limits, err);
}

/* least: NULL, or where the fastest repeat goes */
static bool time_one(struct measurer *m, const struct candidate *c, double *seconds, double *least, struct err *err)
{
    struct regime regime;
    struct sample s;
    if (!regime_named("retime", &regime, err) || !measure_again(m, c, &regime, &s, err))
        return false;
    *seconds = summary_median(s.seconds, s.nseconds);
    if (least)
        *least = summary_of(s.seconds, s.nseconds).min;
    return s.outcome == OUTCOME_OK ||
           err_set(err, "'%s' could not be timed again: %s: %s", c->task->name, outcome_word(s.outcome), s.message);
}

bool meter_open(struct bench_env *b, int threads, struct meter *out, struct err *err)
{
    struct target_env env = {.threads = threads, .layout = LAYOUT_NONE};
    struct limits limits;
    const struct target *t = registry_target(b->cli->registry, "cpu", err);
    if (!t || !target_begin(t, "", b->arena, &env, &out->self, &limits, err))
        return false;
    out->target = t;
    return true;
}

void meter_close(struct meter *m)
{
    if (m->target)
        m->target->close(m->self);
}

double meter_flops(const struct meter *m)
{
    return m->target->peak_flops(m->self);
}

static bool time_beside_peak(struct meter *peak, struct measurer *m, struct best_program *h, int i, struct err *err)
{
    double before = meter_flops(peak);
    if (!time_one(m, &h->best, &h->ours_s[i], &h->least_s[i], err))
        return false;
    h->peak[i] = fmax(before, meter_flops(peak));
    return true;
}

bool best_program_time(struct bench_env *b, struct best_program *h, int n, int launches, const char *rival,
                       struct err *err)
{
    struct measurer *ours = NULL, *theirs = NULL;
    struct meter peak = {0};
    bool fine = n > 0 && open_measurer(b, "cpu", h->threads, LAYOUT_REWRITTEN, &ours, err) &&
                (!rival || open_measurer(b, rival, h->threads, LAYOUT_NONE, &theirs, err)) &&
                meter_open(b, h->threads, &peak, err);
    for (int i = 0; fine && i < launches && i < BEST_PROGRAM_LAUNCHES; i++)
        for (int k = 0; fine && k < n; k++) {
            fine = time_beside_peak(&peak, ours, &h[k], i, err) &&
                   (!theirs || time_one(theirs, &h[k].best, &h[k].theirs_s[i], NULL, err));
            h[k].n = i + 1;
        }
    meter_close(&peak);
    measure_close(theirs);
    measure_close(ours);
    return fine;
}

double best_program_share(const struct best_program *h, int launch)
{
    return h->peak[launch] > 0 ? h->task->flops / h->least_s[launch] / h->peak[launch] : NAN;
}

double best_program_best_share(const struct best_program *h)
{
    double peak = summary_of(h->peak, h->n).max;
    return peak > 0 ? h->task->flops / summary_of(h->least_s, h->n).min / peak : NAN;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* plan: what an experiment would do and how long it would take; runs nothing. */
#include "harness/base/clock.h"
#include "harness/cli/open.h"
#include "harness/report/data/power.h"
#include "harness/tune/aa_run.h"
#include "harness/tune/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void half_text(struct text *t, double half)
{
    if (isinf(half))
        text_add(t, "no interval");
    else
        text_printf(t, "±%.3g %%", 100 * expm1(half));
}

static void outlook_text(const struct power *o, struct text *t)
{
    text_printf(t, "\nspread between seeds of a network's kernel ratio: %.3g (log scale, ", o->spread);
    if (o->df)
        text_printf(t, "from the records, %d degrees of freedom)\n", o->df);
    else
        text_add(t, "assumed: what the authors' repeated runs differ by)\n");
    text_printf(t, "95 %% interval that %d seed%s: a network ", o->seeds, o->seeds == 1 ? " buys" : "s buy");
    half_text(t, o->network);
    text_printf(t, ", the mean of %d networks ", o->networks);
    half_text(t, o->mean);
    text_printf(t,
                "\nthe mean is within 10 %% with %d seeds, within 25 %% with %d; a verdict needs 10, an indication 5\n",
                o->kernel_seeds, o->search_seeds);
}

static void budget_text(const struct power *o, double budget_s, struct text *t)
{
    char budget[64], seed[64];
    clock_format(budget_s, budget, sizeof budget);
    clock_format(o->seed_s, seed, sizeof seed);
    text_printf(t, "a budget of %s buys %d seed%s (%s each): a network ", budget, o->budget_seeds,
                o->budget_seeds == 1 ? "" : "s", seed);
    half_text(t, o->budget_network);
    text_add(t, ", the mean ");
    half_text(t, o->budget_mean);
    text_char(t, '\n');
}

static void half_member(struct text *t, const char *name, double half)
{
    text_printf(t, "\"%s\": ", name);
    text_number(t, half);
}

static void outlook_json(const struct power *o, double budget_s, struct text *t)
{
    text_add(t, ", \"interval\": {\"spread\": ");
    text_number(t, o->spread);
    text_printf(t, ", \"df\": %d, \"seeds\": %d, ", o->df, o->seeds);
    half_member(t, "network", o->network);
    text_add(t, ", ");
    half_member(t, "mean", o->mean);
    text_printf(t, ", \"seeds_10\": %d, \"seeds_25\": %d, \"seed_s\": ", o->kernel_seeds, o->search_seeds);
    text_number(t, o->seed_s);
    if (budget_s > 0) {
        text_add(t, ", \"budget\": {\"seconds\": ");
        text_number(t, budget_s);
        text_printf(t, ", \"seeds\": %d, ", o->budget_seeds);
        half_member(t, "network", o->budget_network);
        text_add(t, ", ");
        half_member(t, "mean", o->budget_mean);
        text_add(t, "}");
    }
    text_add(t, "}");
}

static void plan_text(const struct experiment *e, const struct campaign_forecast *f, struct text *t)
{
    char left[64], winners[64], floor[64];
    clock_format(f->left_s, left, sizeof left);
    clock_format(f->winners_s, winners, sizeof winners);
    clock_format(f->rehearsal_s, floor, sizeof floor);
    text_printf(t, "%s%s%s: %s\n", e->stem, *e->tier ? ", tier " : "", e->tier, e->title);
    text_printf(t, "machine %s, target %s {%s}, regime: ", e->plan.machine, e->plan.target, e->plan.target_settings);
    setting_print(regime_settings, &e->plan.regime, t);
    text_printf(t, "\n\n%-14s %-16s %4s %7s %6s %8s  %s\n", "network", "arm", "seed", "kernels", "calls", "trials",
                "starts from");
    for (int i = 0; i < e->plan.ncells; i++) {
        const struct cell_plan *c = &e->plan.cells[i];
        double calls = 0;
        for (int k = 0; k < c->ntasks; k++)
            calls += c->tasks[k].weight;
        text_printf(t, "%-14s %-16s %4lld %7d %6.0f %s%7lld  ", c->network, c->arm, (long long)c->seed, c->ntasks,
                    calls, c->explore_cell < 0 ? " " : "≤", (long long)cell_plan_trials(c));
        if (c->explore_cell >= 0)
            text_printf(t, "best of the first %lld records of %s", (long long)c->k, e->plan.cells[c->explore_cell].arm);
        text_char(t, '\n');
    }
    text_printf(t, "\n%d cells, at most %lld trials, %lld of them recorded in %s\n", e->plan.ncells,
                (long long)f->trials, (long long)f->done, e->plan.results_dir);
    text_printf(t,
                "predicted time left: at most %s (%.3g s a trial, %s; %s of it to time the winners again, %s for the "
                "A/A floor)\n",
                left, f->trial_s, f->measured ? "as in the records so far" : "assumed", winners, floor);
    if (e->plan.launches > 0)
        text_printf(t,
                    "shoot-out: %d launch%s of the %d fastest of each arm and kernel; A/A floor: %d kernels "
                    "in %d launches, before and after\n",
                    e->plan.launches, e->plan.launches == 1 ? "" : "es", plan_retime_top(&e->plan),
                    aa_run_programs(&e->plan), aa_run_launches(&e->plan));
}

static void plan_json(const struct experiment *e, const struct campaign_forecast *f, const struct power *o,
                      double budget_s, struct text *t)
{
    text_add(t, "{\"experiment\": ");
    text_json(t, e->stem);
    text_add(t, ", \"tier\": ");
    text_json(t, e->tier);
    text_printf(t, ", \"hash\": \"%s\", \"trials\": %lld, \"done\": %lld, \"trial_s\": ", e->plan.experiment_hash,
                (long long)f->trials, (long long)f->done);
    text_number(t, f->trial_s);
    text_add(t, ", \"winners_s\": ");
    text_number(t, f->winners_s);
    text_add(t, ", \"rehearsal_s\": ");
    text_number(t, f->rehearsal_s);
    text_printf(t, ", \"launches\": %d, \"finalists\": %d, \"twins\": %d, \"twin_launches\": %d", e->plan.launches,
                plan_retime_top(&e->plan), aa_run_programs(&e->plan), aa_run_launches(&e->plan));
    text_add(t, ", \"left_s\": ");
    text_number(t, f->left_s);
    outlook_json(o, budget_s, t);
    text_add(t, ", \"cells\": [");
    for (int i = 0; i < e->plan.ncells; i++) {
        const struct cell_plan *c = &e->plan.cells[i];
        text_printf(t, "%s{\"network\": \"%s\", \"arm\": \"%s\", \"seed\": %lld, \"kernels\": %d, \"trials\": %lld}",
                    i ? ", " : "", c->network, c->arm, (long long)c->seed, c->ntasks, (long long)cell_plan_trials(c));
    }
    text_add(t, "]}\n");
}

struct plan_options {
    struct open_options open;
    const char *budget;
};
static const struct option options[] = {OPEN_ROWS(struct plan_options, open),
                                        OPTION(struct plan_options, budget, "--budget", "TIME",
                                               "how many seeds and which interval a time buys: 90m, 2h, 1d"),
                                        {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct plan_options *o = c->options;
    double budget_s = 0;
    struct power outlook;
    struct experiment *e;
    if ((o->budget && !cli_duration("--budget", o->budget, &budget_s, err)) ||
        !open_experiment(c, c->words[0], &o->open, &e, err))
        return false;
    struct campaign_forecast f;
    const struct target *target = registry_target(c->registry, e->plan.target, err);
    if (!target || !campaign_fits(&e->plan, target->is_virtual, err))
        return false;
    campaign_forecast(&e->plan, target->is_virtual, false, &f);
    power_of(c->arena, e, f.trial_s, budget_s, &outlook);
    struct text t = {0};
    if (c->json) {
        plan_json(e, &f, &outlook, budget_s, &t);
    } else {
        plan_text(e, &f, &t);
        outlook_text(&outlook, &t);
        if (budget_s > 0)
            budget_text(&outlook, budget_s, &t);
    }
    cli_print(&t);
    text_free(&t);
    return true;
}

static const struct json_member members[] = {
    MEMBER("experiment", "text", "Name of the experiment."),
    MEMBER("tier", "text", "Size of the run; empty: the file has no tiers."),
    MEMBER("hash", "text", "SHA-256 of what will be run."),
    MEMBER("trials", "count", "Trials at most."),
    MEMBER("done", "count", "Trials that are recorded already."),
    MEMBER("trial_s", "seconds", "Time of a trial: as in the records so far, else assumed."),
    MEMBER("winners_s", "seconds", "Part of left_s that the re-timing takes."),
    MEMBER("rehearsal_s", "seconds", "Part of left_s that the A/A test takes."),
    MEMBER("launches", "count", "Fresh processes of the re-timing; 0: there is none."),
    MEMBER("finalists", "count", "Programs of each arm and kernel that are timed again."),
    MEMBER("twins", "count", "Kernels of the A/A test."),
    MEMBER("twin_launches", "count", "Fresh processes of the A/A test."),
    MEMBER("left_s", "seconds", "Predicted time that is left, at most."),
    MEMBER("interval.spread", "log ratio", "Standard deviation between seeds of a network's kernel ratio."),
    MEMBER("interval.df", "count", "Degrees of freedom that the spread rests on; 0: it is assumed."),
    MEMBER("interval.seeds", "count", "Seeds of the experiment."),
    MEMBER("interval.network", "log ratio", "Half width of a network's 95 % interval; null with one seed."),
    MEMBER("interval.mean", "log ratio", "Half width for the mean over networks; null with one seed."),
    MEMBER("interval.seeds_10", "count", "Seeds at which the mean is known to within 10 %."),
    MEMBER("interval.seeds_25", "count", "Seeds at which the mean is known to within 25 %."),
    MEMBER("interval.seed_s", "seconds", "Predicted time of one seed."),
    MEMBER_MAYBE("interval.budget.seconds", "seconds", "The time given by --budget."),
    MEMBER_MAYBE("interval.budget.seeds", "count", "Seeds that it buys."),
    MEMBER_MAYBE("interval.budget.network", "log ratio", "Half width of a network's 95 % interval then."),
    MEMBER_MAYBE("interval.budget.mean", "log ratio", "Half width for the mean over networks then."),
    MEMBER("cells[].network", "text", "Network of the cell."),
    MEMBER("cells[].arm", "text", "Arm of the cell."),
    MEMBER("cells[].seed", "number", "Seed of the cell."),
    MEMBER("cells[].kernels", "count", "Kernels of the cell."),
    MEMBER("cells[].trials", "count", "Trials of the cell, at most."),
    {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge plan EXPERIMENT", members), {0}};

const struct verb verb_plan = {.name = "plan",
                               .arguments = "EXPERIMENT",
                               .summary = "cells, trials, predicted time and interval width; runs nothing",
                               .words = 1,
                               .options = options,
                               .options_size = sizeof(struct plan_options),
                               .experiments = true,
                               .json = forms,
                               .run = run};

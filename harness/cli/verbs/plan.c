/* SPDX-License-Identifier: Apache-2.0 */
/* plan: what an experiment would do and how long it would take; runs nothing. It refuses what run and report would. */
#include "harness/base/clock.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/claims/claim_forecast.h"
#include "harness/cli/fleet_option.h"
#include "harness/cli/remote_option.h"
#include "harness/report/data/power.h"
#include "harness/tune/campaign.h"
#include "harness/tune/forecast.h"
#include "harness/tune/shards.h"

#include <math.h>
#include <string.h>

#define NIGHT_S (9 * 3600.)
#define WORTH_S 600. /* what other settings must spare to be told */
static const int on_cores[] = {1, 2, 8};
enum { ON_CORES = sizeof on_cores / sizeof *on_cores };

struct plan_view { /* all that is shown */
    struct arena *arena;
    const struct experiment *experiment;
    struct campaign_forecast forecast, elsewhere[ON_CORES]; /* with the cores here; with on_cores */
    struct campaign_forecast half;                          /* of the most of these; cores 0: not asked */
    struct power power;
    struct claim_forecasts claims;
    const char *pace_by; /* "as in the records so far" */
    double budget_s;     /* of --budget, 0: not given */
    double nights;
    int64_t shards; /* of --shards, 0: not given */
    double shard_s; /* of the longest of them */
    int64_t duel_launches;
    int retime_top;
};

/* ---- for people ---- */

static void half_text(struct text *t, double half)
{
    if (isinf(half))
        text_add(t, "none");
    else
        text_printf(t, "±%.3g %%", 100 * expm1(half));
}

static void power_text(const struct power *o, struct text *t)
{
    text_printf(t, "\nspread between seeds of a network's kernel ratio: %.3g (log scale, ", o->spread);
    if (o->df)
        text_printf(t, "from the records, %d degrees of freedom)\n", o->df);
    else
        text_add(t, "assumed: what the authors' repeated runs differ by)\n");
    text_printf(t, "95 %% interval that %d seed%s: of a network ", o->seeds, o->seeds == 1 ? " buys" : "s buy");
    half_text(t, o->network);
    text_printf(t, ", of the mean of %d network%s ", o->networks, o->networks == 1 ? "" : "s");
    half_text(t, o->mean);
    text_printf(t,
                "\na verdict on the mean takes %d seeds at a tolerance of 10 %% (kernels), %d at 25 %% (search time)\n",
                o->kernel_seeds, o->search_seeds);
}

static void budget_text(const struct power *o, double budget_s, struct text *t)
{
    char budget[64], seed[64];
    clock_format(budget_s, budget, sizeof budget);
    clock_format(o->seed_s, seed, sizeof seed);
    text_printf(t, "a budget of %s buys %d seed%s (%s each): of a network ", budget, o->budget_seeds,
                o->budget_seeds == 1 ? "" : "s", seed);
    half_text(t, o->budget_network);
    text_add(t, ", of the mean ");
    half_text(t, o->budget_mean);
    text_char(t, '\n');
}

static int wider(int width, const char *word)
{
    int n = (int)strlen(word);
    return n > width ? n : width;
}

/* "; takes 13 kernels of resnet50 and others" */
static void taken_text(const struct plan *p, int cell, struct text *t)
{
    const struct cell_plan *c = &p->cells[cell];
    struct plan_place from;
    const char *first = NULL;
    bool others = false;
    for (int k = 0; k < c->ntasks; k++)
        if (plan_taken(p, cell, k, &from)) {
            others = others || (first && !str_eq(first, p->cells[from.cell].network));
            first = first ? first : p->cells[from.cell].network;
        }
    int taken = plan_taken_count(p, cell);
    if (taken)
        text_printf(t, "%s takes %d kernel%s of %s%s", c->explore_cell < 0 ? " " : ";", taken, taken == 1 ? "" : "s",
                    first, others ? " and others" : "");
}

/* Trials and kernels as if no network took any from another. */
static void sharing_text(const struct plan *p, struct text *t)
{
    long long alone = 0, kernels = 0, taken = 0;
    for (int i = 0; i < p->ncells; i++) {
        alone += cell_plan_trials(&p->cells[i]);
        kernels += p->cells[i].ntasks;
        taken += plan_taken_count(p, i);
    }
    if (p->share_kernels)
        text_printf(t,
                    "share_kernels: %lld of %lld kernels of all cells are taken from an earlier network, which spares "
                    "%lld of %lld trials;\n               the squared error of means over networks is taken as %.1f "
                    "times that of independent ones\n",
                    taken, kernels, alone - (long long)plan_trials(p), alone, plan_design_effect(p));
}

static void cells_text(const struct plan *p, struct text *t)
{
    int network = wider(14, "network"), arm = wider(16, "arm");
    for (int i = 0; i < p->ncells; i++) {
        network = wider(network, p->cells[i].network);
        arm = wider(arm, p->cells[i].arm);
    }
    text_printf(t, "\n%-*s %-*s %4s %7s %6s %8s  %s\n", network, "network", arm, "arm", "seed", "kernels", "calls",
                "trials", "starts from");
    for (int i = 0; i < p->ncells; i++) {
        const struct cell_plan *c = &p->cells[i];
        double calls = 0;
        for (int k = 0; k < c->ntasks; k++)
            calls += c->tasks[k].weight;
        text_printf(t, "%-*s %-*s %4lld %7d %6.0f %s%7lld", network, c->network, arm, c->arm, (long long)c->seed,
                    c->ntasks, calls, c->explore_cell < 0 ? " " : "≤", (long long)plan_cell_trials(p, i));
        if (c->explore_cell >= 0)
            text_printf(t, "  best of the first %lld records of %s", (long long)c->k, p->cells[c->explore_cell].arm);
        taken_text(p, i, t);
        text_char(t, '\n');
    }
}

static void cores_text(const struct plan_view *v, struct text *t)
{
    char left[64];
    text_printf(t,
                "           (at most: every search makes all its trials, and all programs of a kernel differ)\n"
                "           that is with %d core%s;",
                v->forecast.cores, v->forecast.cores == 1 ? "" : "s");
    for (int i = 0; i < ON_CORES; i++) {
        clock_format(v->elsewhere[i].left_s, left, sizeof left);
        text_printf(t, "%s with %d %s", i ? "," : "", on_cores[i], left);
    }
    text_char(t, '\n');
    clock_format(v->half.left_s, left, sizeof left);
    if (v->half.cores && v->half.left_s < v->elsewhere[ON_CORES - 1].left_s - WORTH_S)
        text_printf(t,
                    "           with %d %s where kernels have %d, and builds go on beside runs on the others\n"
                    "               (--set threads=%d --set target_settings.overlap=true)\n",
                    v->half.cores, left, v->half.cores / 2, v->half.cores / 2);
}

/* What is left here, and on machines of other numbers of cores. */
static void ask_forecasts(struct plan_view *v, const struct target *target, const struct plan *p, double pace)
{
    bool halves = target->keeps_cores && !p->threads && p->regime.overlap && !keys_overlap(p->target_settings);
    struct campaign_forecast at[1 + ON_CORES + 1] = {0};
    for (int i = 0; i < ON_CORES; i++)
        at[1 + i].cores = on_cores[i];
    at[1 + ON_CORES] = (struct campaign_forecast){.cores = on_cores[ON_CORES - 1], .half = true};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        at[i].pace = pace;
    campaign_forecast(p, target->is_virtual, false, at, 1 + ON_CORES + halves);
    v->forecast = at[0];
    memcpy(v->elsewhere, at + 1, sizeof v->elsewhere);
    if (halves)
        v->half = at[1 + ON_CORES];
}

static void shards_text(const struct plan_view *v, struct text *t)
{
    char left[64];
    clock_format(v->shard_s, left, sizeof left);
    text_printf(t, "           in %lld shards at once, the longest: %s\n", (long long)v->shards,
                v->forecast.is_virtual ? "not known" : left);
}

static void plan_text(const struct plan_view *v, struct text *t)
{
    const struct experiment *e = v->experiment;
    const struct plan *p = &e->plan;
    const struct campaign_forecast *f = &v->forecast;
    char retiming[64];
    clock_format(f->retiming_s, retiming, sizeof retiming);
    text_printf(t, "%s%s%s: %s\n", e->stem, *e->tier ? ", tier " : "", e->tier, e->title);
    text_printf(t, "machine %s, target %s {%s}, regime: ", p->machine, p->target, p->target_settings);
    setting_print(regime_settings, &p->regime, t);
    text_char(t, '\n');
    cells_text(p, t);
    text_printf(t, "\n%d cells, about %lld trials, at most %lld, %lld of them recorded in %s\n", p->ncells,
                (long long)f->trials, (long long)f->most, (long long)f->done, p->results_dir);
    sharing_text(p, t);
    text_add(t, campaign_forecast_text(v->arena, f));
    if (!f->is_virtual)
        text_printf(t,
                    " (%.3g s a trial, %s; %s of it for the re-timing;\n"
                    "           %.2f times as long as on the core of harness/doc/hours.md)",
                    f->trial_s, v->pace_by, retiming, f->pace);
    text_char(t, '\n');
    if (!f->is_virtual)
        cores_text(v, t);
    if (v->shards)
        shards_text(v, t);
    if (f->left_s > NIGHT_S)
        text_printf(t, "           nights of 9 hours: %.0f\n", ceil(f->left_s / NIGHT_S));
    if (plan_has_duels(p) && p->duels.min_launches == p->duels.max_launches)
        text_printf(t, "re-timing: duels of %lld launches\n", (long long)p->duels.max_launches);
    else if (plan_has_duels(p))
        text_printf(t,
                    "re-timing: duels of %lld to %lld launches, until every interval is %.2g %% wide to either side\n",
                    (long long)p->duels.min_launches, (long long)p->duels.max_launches, 100 * p->duels.half_width);
    if (plan_has_duels(p) && p->duels.minutes > 0)
        text_printf(t, "           at most %g minutes\n", p->duels.minutes);
    power_text(&v->power, t);
    if (v->budget_s > 0)
        budget_text(&v->power, v->budget_s, t);
    claim_forecasts_text(&v->claims, t);
}

/* ---- for programs ---- */

#define VIEW struct plan_view, 0
#define EXPERIMENT struct experiment, 1
#define BUDGET struct plan_view, 2
#define SHARDS struct plan_view, 3
#define CELL struct cell_plan, 0
#define ELSEWHERE struct campaign_forecast, 0
#define HALVED struct campaign_forecast, 1
static const struct json_member members[] = {
    FIELD("experiment", EXPERIMENT, stem, "text", "Name of the experiment."),
    MEMBER("tier", "text", "Size of the run; empty: the file has no tiers."),
    FIELD("hash", EXPERIMENT, plan.experiment_hash, "text", "SHA-256 of what will be run."),
    FIELD("trials", VIEW, forecast.most, "count", "Trials at most."),
    FIELD("trials_expected", VIEW, forecast.trials, "count",
          "Expected trials: fewer where searches end by themselves or descents are shared."),
    FIELD("done", VIEW, forecast.done, "count", "Trials that are recorded already."),
    FIELD("trial_s", VIEW, forecast.trial_s, "seconds",
          "Time of an expected trial: as in the records so far, else guessed."),
    FIELD("pace", VIEW, forecast.pace, "ratio",
          "How many times as long as on the core of harness/doc/hours.md: by the records so far, else as --pace or a "
          "moment of lowering says."),
    FIELD("retiming_s", VIEW, forecast.retiming_s, "seconds", "Part of left_s that the re-timing takes."),
    FIELD("duel_min_launches", VIEW, duel_launches, "count", "Launches of each duel, at least; 0: there are no duels."),
    FIELD("duel_max_launches", EXPERIMENT, plan.duels.max_launches, "count", "Launches of each duel, at most."),
    FIELD("duel_half_width", EXPERIMENT, plan.duels.half_width, "of the log",
          "Half width of every interval, that ends the duels."),
    FIELD("retime_top", VIEW, retime_top, "count", "Programs of each arm and kernel that are timed again."),
    FIELD("left_s", VIEW, forecast.left_s, "seconds", "Predicted time that is left, with the cores here."),
    FIELD("most_s", VIEW, forecast.most_s, "seconds",
          "The same at most: all trials, and duels of programs that all differ."),
    FIELD("on_cores[].cores", ELSEWHERE, cores, "count", "Cores of another machine like this one."),
    FIELD("on_cores[].left_s", ELSEWHERE, left_s, "seconds", "Predicted time that is left there."),
    FIELD_MAYBE("on_cores[].half_s", HALVED, left_s, "seconds",
                "The same where kernels have half of the cores and builds go on beside runs on the others."),
    FIELD("on_cores[].retiming_s", ELSEWHERE, retiming_s, "seconds", "Part of left_s that the re-timing takes."),
    FIELD("nights", VIEW, nights, "count", "left_s in nights of 9 hours, rounded up."),
    FIELD_MAYBE("shards", SHARDS, shards, "count", "Shards of --shards."),
    FIELD_MAYBE("shard_s", SHARDS, shard_s, "seconds", "Predicted time that is left of the longest of them."),
    FIELD("interval.spread", VIEW, power.spread, "log ratio",
          "Standard deviation between seeds of a network's kernel ratio."),
    FIELD("interval.df", VIEW, power.df, "count", "Degrees of freedom that the spread rests on; 0: it is assumed."),
    FIELD("interval.seeds", VIEW, power.seeds, "count", "Seeds of the experiment."),
    FIELD("interval.network", VIEW, power.network, "log ratio",
          "Half width of a network's 95 % interval; null with one seed."),
    FIELD("interval.mean", VIEW, power.mean, "log ratio", "Half width for the mean over networks; null with one seed."),
    FIELD(
        "interval.seeds_10", VIEW, power.kernel_seeds, "count",
        "Seeds that give a verdict on the mean at a tolerance of 10 %: half width and 15 degrees of freedom. 0: none."),
    FIELD("interval.seeds_25", VIEW, power.search_seeds, "count",
          "Seeds that give a verdict on the mean at a tolerance of 25 %. 0: none."),
    FIELD("interval.seed_s", VIEW, power.seed_s, "seconds", "Predicted time of one seed."),
    FIELD_MAYBE("interval.budget.seconds", BUDGET, budget_s, "seconds", "The time given by --budget."),
    FIELD_MAYBE("interval.budget.seeds", BUDGET, power.budget_seeds, "count", "Seeds that it buys."),
    FIELD_MAYBE("interval.budget.network", BUDGET, power.budget_network, "log ratio",
                "Half width of a network's 95 % interval then."),
    FIELD_MAYBE("interval.budget.mean", BUDGET, power.budget_mean, "log ratio",
                "Half width for the mean over networks then."),
    FIELD(
        "design_effect", VIEW, power.design, "ratio",
        "Squared error of means over networks that share kernels, over that of independent ones; 1: none are shared."),
    FIELD("claims_spread", VIEW, claims.spread, "log ratio",
          "Spread of a network's ratio between seeds that the claims' widths rest on."),
    FIELD("claims_df", VIEW, claims.df, "count", "Degrees of freedom of it, from the records; 0: it is assumed."),
    MEMBER_MAYBE("claims[].id", "text", "A claim that this experiment tests."),
    MEMBER_MAYBE("claims[].reach", "text", "What the tier can say of it: settles, side (indicative), or not."),
    FIELD_MAYBE("claims[].half_width", struct claim_forecast, 0, half, "log ratio",
                "Expected half width of its 95 % interval; null: none."),
    FIELD_MAYBE("claims[].df", struct claim_forecast, 0, df, "count", "Its degrees of freedom; null: none."),
    FIELD_MAYBE("claims[].chance", struct claim_forecast, 0, chance, "share",
                "Of runs that have 15 of them (stats/df_chance.h); null: none."),
    FIELD_MAYBE("claims[].reason", struct claim_forecast, 0, reason, "text", "The width, or what is missing."),
    FIELD("cells[].network", CELL, network, "text", "Network of the cell."),
    FIELD("cells[].arm", CELL, arm, "text", "Arm of the cell."),
    FIELD("cells[].seed", CELL, seed, "number", "Seed of the cell."),
    FIELD("cells[].kernels", CELL, ntasks, "count", "Kernels of the cell."),
    MEMBER("cells[].taken", "count", "Kernels of the cell whose records are taken from an earlier network."),
    MEMBER("cells[].trials", "count", "Trials of the cell, at most."),
    MEMBER("cells[].trials_alone", "count", "Trials at most if the cell took no kernel."),
    {0}};

static cJSON *plan_json(struct plan_view *v)
{
    const struct plan *p = &v->experiment->plan;
    cJSON *all = json_object();
    v->nights = ceil(v->forecast.left_s / NIGHT_S);
    v->duel_launches = plan_has_duels(p) ? p->duels.min_launches : 0;
    v->retime_top = plan_retime_top(p);
    json_put_str(all, "tier", v->experiment->tier);
    json_put_fields(all, members, "",
                    (const void *[]){v, v->experiment, v->budget_s > 0 ? v : NULL, v->shards ? v : NULL});
    cJSON *claims = json_put_array(all, "claims"), *cells = json_put_array(all, "cells");
    cJSON *cores = json_put_array(all, "on_cores");
    for (int i = 0; i < ON_CORES; i++)
        json_put_fields(json_put_object(cores, NULL), members, "on_cores[].",
                        (const void *[]){&v->elsewhere[i], v->half.cores == on_cores[i] ? &v->half : NULL});
    for (int i = 0; i < v->claims.n; i++) {
        cJSON *o = json_put_object(claims, NULL);
        json_put_str(o, "id", v->claims.at[i].claim->id);
        json_put_str(o, "reach", claim_reach_words[v->claims.at[i].reach]);
        json_put_fields(o, members, "claims[].", (const void *[]){&v->claims.at[i]});
    }
    for (int i = 0; i < p->ncells; i++) {
        cJSON *cell = json_put_object(cells, NULL);
        json_put_fields(cell, members, "cells[].", (const void *[]){&p->cells[i]});
        json_put_int(cell, "taken", plan_taken_count(p, i));
        json_put_int(cell, "trials", plan_cell_trials(p, i));
        json_put_int(cell, "trials_alone", cell_plan_trials(&p->cells[i]));
    }
    return all;
}

struct plan_options {
    struct open_options open;
    double budget_s; /* 0: not given */
    double pace;     /* 0: not given */
    int64_t shards;
    const char *on;
};
static const struct setting options[] = {
    OPEN_ROWS(struct plan_options, open),
    ON_ROW(struct plan_options, on, "with --shards: as `raingauge run` takes it; nothing is asked of it"),
    SHARDS_ROW(struct plan_options, shards),
    BUDGET_ROW(struct plan_options, budget_s, "how many seeds and which interval a time buys: 90m, 2h, 1d"),
    REAL_SETTING("--pace", struct plan_options, pace, "0", 0, 1000,
                 "without records: how many times as long all takes as on the core of harness/doc/hours.md (0: what a "
                 "moment of lowering tells)",
                 .word = "TIMES"),
    {0}};

/* Where an explorer has fewer trials of a kernel, on average, than the k records that its exploiter may see. */
static void warn_few(const struct plan *p)
{
    const struct cell_plan *worst = NULL;
    double least = 1;
    int n = 0;
    for (int i = 0; i < p->ncells; i++) {
        const struct cell_plan *c = &p->cells[i], *from = c->explore_cell < 0 ? NULL : &p->cells[c->explore_cell];
        double share = from ? (double)cell_plan_trials(from) / from->ntasks / (double)c->k : 1;
        n += share < 1;
        worst = share < least ? c : worst;
        least = fmin(share, least);
    }
    if (worst)
        log_warn("in %d of %d cells k is above the trials a kernel of the explorer: '%s' may see %lld records, '%s' "
                 "has %.0f trials a kernel of '%s'",
                 n, p->ncells, worst->arm, (long long)worst->k, p->cells[worst->explore_cell].arm,
                 least * (double)worst->k, worst->network);
}

/* How long the longest of the shards takes. */
static bool forecast_shards(struct cli *c, const struct plan_options *o, bool is_virtual, double pace,
                            struct plan_view *v, struct err *err)
{
    struct fleet_on at;
    const struct fleet_engine *engine;
    const struct plan *whole = &v->experiment->plan;
    struct plan part = *whole;
    if (*o->on && !fleet_on_parse(c->arena, o->on, &at, &engine, err))
        return false;
    if (*o->on && (!engine || !o->shards))
        return err_set(err, "--on is for a plan of shards: --on slurm --shards 8");
    v->shards = o->shards;
    for (int i = 1; i <= o->shards; i++) {
        part.results_dir = arena_printf(c->arena, "%s/shards/%d", whole->results_dir, i);
        if (!shard_elsewhere(whole, (struct shard){i, (int)o->shards}, c->arena, &part.elsewhere, err))
            return false;
        struct campaign_forecast f = {.pace = pace};
        campaign_forecast(&part, is_virtual, false, &f, 1);
        v->shard_s = fmax(v->shard_s, f.left_s);
    }
    return true;
}

static bool run(struct cli *c, struct err *err)
{
    const struct plan_options *o = c->options;
    struct plan_view v = {.budget_s = o->budget_s};
    struct experiment *e;
    if (!open_experiment(c, c->words[0], &o->open, &e, err))
        return false;
    const struct target *target = registry_target(c->registry, e->plan.target, err);
    if (!target || !campaign_fits(&e->plan, target->is_virtual, err))
        return false;
    if (!campaign_target_works(c->registry, &e->plan, err))
        return err_context(err, "%s, machine '%s'", e->file, e->plan.machine);
    warn_few(&e->plan);
    v.arena = c->arena;
    v.experiment = e;
    double pace = o->pace > 0 ? o->pace : forecast_pace();
    ask_forecasts(&v, target, &e->plan, pace);
    v.pace_by = v.forecast.measured ? "as in the records so far"
                : o->pace > 0       ? "as --pace says"
                                    : "by a moment of lowering";
    power_of(c->arena, e, v.forecast.trial_s * (double)v.forecast.trials, v.budget_s, &v.power);
    if (!forecast_shards(c, o, target->is_virtual, pace, &v, err) ||
        !claim_forecasts_make(c->arena, c->folder, e, &v.claims, err))
        return false;
    struct text t = {0};
    if (c->json)
        cli_print_json(plan_json(&v));
    else
        plan_text(&v, &t);
    cli_print(&t);
    return true;
}

static const struct json_form forms[] = {JSON_FORM("raingauge plan EXPERIMENT", members), {0}};

const struct verb verb_plan = {.name = "plan",
                               .arguments = "EXPERIMENT",
                               .summary = "cells, trials, predicted time and interval width; runs nothing",
                               .asks = ASKS_EXPERIMENT,
                               .needed = 1,
                               .words = 1,
                               VERB_OPTIONS(struct plan_options),
                               .experiments = true,
                               .json = forms,
                               .run = run};

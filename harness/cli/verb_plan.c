/* SPDX-License-Identifier: Apache-2.0 */
/* plan: what an experiment would do and how long it would take; runs nothing. */
#include "harness/base/clock.h"
#include "harness/cli/open.h"
#include "harness/tune/campaign.h"

static void plan_text(const struct experiment *e, const struct campaign_forecast *f, struct text *t)
{
    char left[64];
    clock_format(f->left_s, left, sizeof left);
    text_printf(t, "%s%s%s: %s\n", e->stem, *e->tier ? ", tier " : "", e->tier, e->title);
    text_printf(t, "machine %s, target %s {%s}, regime: ", e->plan.machine, e->plan.target, e->plan.target_settings);
    regime_print(&e->plan.regime, t);
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
    text_printf(t, "predicted time left: at most %s (%.3g s a trial, %s)\n", left, f->trial_s,
                f->measured ? "as in the records so far" : "assumed");
}

static void plan_json(const struct experiment *e, const struct campaign_forecast *f, struct text *t)
{
    text_add(t, "{\"experiment\": ");
    text_json(t, e->stem);
    text_add(t, ", \"tier\": ");
    text_json(t, e->tier);
    text_printf(t, ", \"hash\": \"%s\", \"trials\": %lld, \"done\": %lld, \"trial_s\": ", e->plan.experiment_hash,
                (long long)f->trials, (long long)f->done);
    text_number(t, f->trial_s);
    text_add(t, ", \"left_s\": ");
    text_number(t, f->left_s);
    text_add(t, ", \"cells\": [");
    for (int i = 0; i < e->plan.ncells; i++) {
        const struct cell_plan *c = &e->plan.cells[i];
        text_printf(t, "%s{\"network\": \"%s\", \"arm\": \"%s\", \"seed\": %lld, \"kernels\": %d, \"trials\": %lld}",
                    i ? ", " : "", c->network, c->arm, (long long)c->seed, c->ntasks, (long long)cell_plan_trials(c));
    }
    text_add(t, "]}\n");
}

bool verb_plan(struct cli *c, struct err *err)
{
    struct open_options o = {0};
    const struct option table[] = {OPEN_ROWS(o), {0}};
    const char *name = NULL;
    int n;
    struct experiment *e;
    if (!cli_options(c, table, &name, 1, &n, err) || !open_experiment(c, name, &o, &e, err))
        return false;
    struct campaign_forecast f;
    const struct target *target = kit_target(c->kit, e->plan.target, err);
    if (!target)
        return false;
    campaign_forecast(&e->plan, target->is_virtual, &f);
    struct text t = {0};
    if (c->json)
        plan_json(e, &f, &t);
    else
        plan_text(e, &f, &t);
    cli_print(&t);
    text_free(&t);
    return true;
}

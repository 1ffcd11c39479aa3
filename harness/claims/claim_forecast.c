/* SPDX-License-Identifier: Apache-2.0 */
/* claim_forecast: the tests are those of stats/verdict.c, in their order, as far as the design decides them. */
#include "harness/claims/claim_forecast.h"

#include "harness/base/text.h"
#include "harness/experiment/machine.h"
#include "harness/measure/host.h"
#include "harness/report/data/power.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/pooled.h"
#include "harness/stats/t_test.h"

#include <math.h>
#include <string.h>

enum { NAMES_SHOWN = 8 };

struct design {
    struct arena *a;
    const struct experiment *e;
    const struct claims *claims;
    const char *folder; /* of experiments */
    struct host host;
    double spread;
};

const char *claim_reach_word(enum claim_reach r)
{
    static const char *const words[CLAIM_REACHES] = {"settles", "side", "not"};
    return words[r];
}

/* ---- what is missing ---- */

static bool has_network(const struct experiment *e, const char *name)
{
    for (int i = 0; i < e->nnetworks; i++)
        if (str_eq(e->networks[i]->name, name))
            return true;
    return false;
}

static bool has_k(const struct arm *arm, int64_t k)
{
    for (int i = 0; i < arm->nk; i++)
        if (arm->k[i] == k)
            return true;
    return k == 0;
}

/* The arm that the claim is about: in a report of one pair the first that starts from another's records. */
static const struct arm *arm_of(const struct experiment *e, const struct claim *c)
{
    for (int i = 0; i < e->narms; i++)
        if (c->arm ? str_eq(e->arms[i].name, c->arm) : e->arms[i].explore != NULL)
            return &e->arms[i];
    return NULL;
}

/* A recorded device is the machine that the experiment names. */
static bool is_recorded(const struct experiment *e)
{
    return str_eq(e->plan.target, "replay");
}

/* Why this target cannot speak about the claim; NULL: it can. */
static const char *wrong_machine(const struct design *d, const struct claim *c)
{
    const struct plan *p = &d->e->plan;
    const char *target = is_recorded(d->e) ? d->e->machine.target : p->target;
    bool known = false;
    for (int i = 0; i < d->claims->nmachines; i++)
        known = known || str_eq(d->claims->machines[i].target, target);
    if (!known)
        return arena_printf(d->a, "no claim is about target '%s'", target);
    const char *codegen = keys_codegen(p->target, p->target_settings);
    if (codegen && !str_eq(codegen, "tvm"))
        return "claims are about TVM's code: codegen=tvm";
    if (c->machine &&
        (!str_eq(c->machine->target, target) || (*c->machine->arch && !str_eq(c->machine->arch, d->host.arch))))
        return arena_printf(d->a, "takes %s", c->machine->title);
    return NULL;
}

static const char *missing(const struct design *d, const struct claim *c)
{
    const struct experiment *e = d->e;
    const struct arm *arm = arm_of(e, c);
    const char *machine = wrong_machine(d, c);
    if (machine)
        return machine;
    if (!arm || !has_k(arm, c->k))
        return arm ? arena_printf(d->a, "takes k = %lld", (long long)c->k) : "takes an arm that is not there";
    if (c->network && !has_network(e, c->network))
        return arena_printf(d->a, "takes network %s", c->network);
    if (5 * e->nnetworks < 4 * c->networks)
        return arena_printf(d->a, "takes %lld of its %lld networks", (long long)(4 * c->networks + 4) / 5,
                            (long long)c->networks);
    if (c->column == CLAIMS_NETWORKS && e->nnetworks < c->about.value)
        return arena_printf(d->a, "takes %g networks", c->about.value);
    return e->budget == BUDGET_MECHANICS ? "this budget shows the mechanics only" : NULL;
}

/* ---- how wide ---- */

static void width(const struct design *d, const struct claim *c, struct claim_forecast *f)
{
    double networks = c->network || d->e->nnetworks < 1 ? 1 : d->e->nnetworks, seeds = (double)d->e->seeds;
    double design = c->network ? 1 : plan_design_effect(&d->e->plan);
    f->half = NAN;
    if (c->column == CLAIMS_WINS) {
        f->df = networks / design - 1;
        return;
    }
    f->df = seeds < POOLED_SEEDS ? design_effect_df(networks, seeds, design) : seeds - 1;
    if (f->df > 0)
        f->half = t_test_quantile(ESTIMATE_CONFIDENCE, f->df) * d->spread * sqrt(design / (networks * seeds));
}

/* Not of the claim's own machine class: what is found is called transferred. */
static const char *transferred(const struct design *d, const struct claim *c)
{
    const struct machine_traits t = {
        .cpu = d->host.cpu, .arch = d->host.arch, .memory_gib = d->host.memory_gib, .cores = d->host.cores_online};
    if (c->machine && !is_recorded(d->e) && !str_eq(c->machine->target, "cpu")) /* the device is not asked here */
        return arena_printf(d->a, "; transferred where the device is no %s", c->machine->title);
    bool here = !c->machine || (strstr(d->host.cpu, c->machine->match) != NULL &&
                                machine_takes(d->a, d->folder, c->machine->name, &t));
    if (is_recorded(d->e) && c->machine)
        here = str_eq(c->machine->name, d->e->plan.machine);
    return here ? "" : arena_printf(d->a, "; transferred, as this is no %s", c->machine->title);
}

static void judge(const struct design *d, const struct claim *c, struct claim_forecast *f)
{
    const char *also = transferred(d, c);
    bool share = c->column == CLAIMS_WINS;
    width(d, c, f);
    const char *wide = share
                           ? arena_printf(d->a, "a share of %d networks", d->e->nnetworks)
                           : arena_printf(d->a, "to ±%.1f %% by %.0f degrees of freedom", 100 * expm1(f->half), f->df);
    f->reach = f->df >= VERDICT_DF_SIDE ? CLAIM_SIDE : CLAIM_REACHES_NOT;
    if (d->e->budget == BUDGET_REDUCED)
        f->reason = arena_printf(d->a, "a reduced budget tells the side at most%s", also);
    else if (f->df < VERDICT_DF)
        f->reason = arena_printf(d->a, "%.0f degree%s of freedom, %d give a verdict%s", f->df,
                                 fabs(f->df - 1) < 0.5 ? "" : "s", VERDICT_DF, also);
    else if (!share && f->half > log1p(c->about.tolerance))
        f->reason = arena_printf(d->a, "%s, the tolerance is %.3g %%%s", wide, 100 * c->about.tolerance, also);
    else {
        f->reach = CLAIM_SETTLES;
        f->reason = arena_printf(d->a, "%s%s", wide, also);
    }
}

static void forecast(const struct design *d, const struct claim *c, struct claim_forecast *f)
{
    *f = (struct claim_forecast){
        .claim = c, .reach = CLAIM_REACHES_NOT, .half = NAN, .df = NAN, .reason = missing(d, c)};
    if (f->reason)
        return;
    if (c->column != CLAIMS_NETWORKS) {
        judge(d, c, f);
        return;
    }
    f->reach = d->e->budget == BUDGET_WHOLE ? CLAIM_SETTLES : CLAIM_REACHES_NOT;
    f->reason = d->e->budget == BUDGET_WHOLE ? "a count of networks" : "a count takes the whole budget";
}

bool claim_forecasts_make(struct arena *a, const char *folder, const struct experiment *e, struct claim_forecasts *out,
                          struct err *err)
{
    struct claims claims;
    struct power power;
    *out = (struct claim_forecasts){.spread = CLAIM_FORECAST_LUCK};
    if (!e->paper || !*e->paper)
        return true;
    if (!claims_load(a, folder, e->paper, &claims, err))
        return false;
    power_of(a, e, 0, 0, &power);
    if (power.df)
        *out = (struct claim_forecasts){.spread = power.spread, .df = power.df};
    struct design d = {.a = a, .e = e, .claims = &claims, .folder = folder, .spread = out->spread};
    host_probe(&d.host);
    struct claim_forecast *at = ARENA_ARRAY(a, struct claim_forecast, claims.n + 1);
    for (int i = 0; i < claims.n; i++)
        if (claims.list[i].experiment && str_eq(claims.list[i].experiment, e->stem))
            forecast(&d, &claims.list[i], &at[out->n++]);
    out->at = at;
    return true;
}

/* ---- for people ---- */

static bool same_line(const struct claim_forecast *x, const struct claim_forecast *y)
{
    return x->reach == y->reach && str_eq(x->reason, y->reason);
}

/* All claims with the reach and the reason of number first. */
static void line(const struct claim_forecasts *f, int first, struct text *to)
{
    int shown = 0, all = 0;
    for (int i = 0; i < first; i++)
        if (same_line(&f->at[i], &f->at[first]))
            return;
    text_add(to, "  ");
    for (int i = first; i < f->n; i++) {
        if (!same_line(&f->at[i], &f->at[first]))
            continue;
        if (shown < NAMES_SHOWN)
            text_printf(to, "%s%s", shown++ ? ", " : "", f->at[i].claim->id);
        all++;
    }
    if (all > shown)
        text_printf(to, " and %d more", all - shown);
    text_printf(to, ": %s\n", f->at[first].reason);
}

void claim_forecasts_text(const struct claim_forecasts *f, struct text *to)
{
    static const char *const heads[CLAIM_REACHES] = {
        "claims that this tier can settle", "claims of which it tells the side", "claims that it cannot settle"};
    if (!f->n)
        return;
    if (f->df)
        text_printf(to, "\nspread of a network's ratio, for the claims: %.3g, from the records\n", f->spread);
    else
        text_printf(to,
                    "\nspread of a network's ratio, for the claims: %.3g, assumed; no records tell it yet (at the %.3g "
                    "above, widths are %.2g times these)\n",
                    f->spread, POWER_ASSUMED, POWER_ASSUMED / f->spread);
    for (int reach = 0; reach < CLAIM_REACHES; reach++) {
        int n = 0;
        for (int i = 0; i < f->n; i++)
            n += f->at[i].reach == (enum claim_reach)reach;
        text_printf(to, "%s: %d\n", heads[reach], n);
        for (int i = 0; i < f->n; i++)
            if (f->at[i].reach == (enum claim_reach)reach)
                line(f, i, to);
    }
}

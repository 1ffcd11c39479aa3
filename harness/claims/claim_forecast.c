/* SPDX-License-Identifier: Apache-2.0 */
/* claim_forecast: the design makes evidence with an interval as wide as it will be, and stats/verdict.c says what that
 * evidence can carry: the very functions that judge the results. */
#include "harness/claims/claim_forecast.h"

#include "harness/base/text.h"
#include "harness/claims/claim_cure.h"
#include "harness/experiment/machine.h"
#include "harness/measure/host.h"
#include "harness/report/data/power.h"
#include "harness/stats/df_chance.h"
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
    struct df_chance mean, network; /* over networks, and of one */
};

const char *const claim_reach_words[CLAIM_REACHES] = {"settles", "side", "not"};

/* ---- what is missing ---- */

/* A recorded device is the machine that the experiment names. */
static bool is_recorded(const struct experiment *e)
{
    return str_eq(e->plan.target, "replay");
}

/* Can this target speak about the claim? *why says why not. */
static enum evidence_machine machine_of(const struct design *d, const struct claim *c, const char **why)
{
    const struct plan *p = &d->e->plan;
    const char *target = is_recorded(d->e) ? d->e->machine.target : p->target;
    bool known = false, here = !c->machine;
    for (int i = 0; i < d->claims->nmachines; i++)
        known = known || str_eq(d->claims->machines[i].target, target);
    if (!known || (c->machine && (!str_eq(c->machine->target, target) ||
                                  (*c->machine->arch && !str_eq(c->machine->arch, d->host.arch))))) {
        *why = known ? arena_printf(d->a, "takes %s", c->machine->title)
                     : arena_printf(d->a, "no claim is about target '%s'", target);
        return EVIDENCE_WRONG_TARGET;
    }
    const struct machine_traits t = {
        .cpu = d->host.cpu, .arch = d->host.arch, .memory_gib = d->host.memory_gib, .cores = d->host.cores_online};
    if (c->machine && is_recorded(d->e))
        here = str_eq(c->machine->name, p->machine);
    else if (c->machine)
        here = str_eq(c->machine->target, "cpu") && strstr(d->host.cpu, c->machine->match) != NULL &&
               machine_takes(d->a, d->folder, c->machine->name, &t);
    return here ? EVIDENCE_SAME_MACHINE : EVIDENCE_OTHER_MACHINE;
}

/* What of the claim the design has not; NULL: it has all. */
static const char *missing(const struct design *d, const struct claim *c)
{
    const struct experiment *e = d->e;
    const struct arm *arm = claim_arm(e, c);
    if (!arm || !claim_has_k(arm, c))
        return arm ? arena_printf(d->a, "takes k = %lld", (long long)c->k) : "takes an arm that is not there";
    if (!claim_has_network(e, c))
        return arena_printf(d->a, "takes network %s", c->network);
    return c->column == CLAIMS_NETWORKS && e->nnetworks < c->about.value
               ? arena_printf(d->a, "takes %g networks", c->about.value)
               : NULL;
}

/* ---- what its results will be ---- */

static double half_of(const struct design *d, double networks, double replicated, double design, double df)
{
    double seeds = (double)d->e->seeds, of_t = seeds < POOLED_SEEDS ? df : seeds - 1;
    double error = sqrt(design * pooled_expected(networks, replicated, seeds));
    return of_t > 0 ? t_test_quantile(ESTIMATE_CONFIDENCE, of_t) * d->spread * error : INFINITY;
}

static struct evidence evidence_of(const struct design *d, const struct claim *c, struct claim_forecast *f,
                                   const char **why)
{
    const struct experiment *x = d->e;
    double networks = c->network || x->nnetworks < 1 ? 1 : x->nnetworks;
    double design = c->network ? 1 : plan_design_effect(&x->plan);
    struct evidence e = {.source = EVIDENCE_MEASURED,
                         .ratio = 1,
                         .seeds = (int)x->seeds,
                         .clock = claims_column_clock(c->column),
                         .networks = x->nnetworks,
                         .networks_all = c->column == CLAIMS_NETWORKS ? (int)c->about.value : (int)c->networks,
                         .share = c->column == CLAIMS_WINS,
                         .count = c->column == CLAIMS_NETWORKS};
    e.machine = machine_of(d, c, why);
    e.codegen = claims_codegen(x->plan.target, x->plan.target_settings);
    e.budget = x->budget == BUDGET_WHOLE     ? EVIDENCE_WHOLE
               : x->budget == BUDGET_REDUCED ? EVIDENCE_REDUCED
                                             : EVIDENCE_MECHANICS;
    if (e.share) {
        e.df = networks / design - 1;
        struct superiority s =
            superiority_counts((int)networks / 2, 0, (int)networks - (int)networks / 2, ESTIMATE_CONFIDENCE);
        f->half = log(s.high / s.low) / 2 * sqrt(design);
        f->chance = e.df >= VERDICT_DF;
    } else if (!e.count) {
        const struct network *one = c->network ? experiment_network(x, c->network) : NULL;
        struct df_chance chance = !c->network ? d->mean : one && one->replicated ? d->network : (struct df_chance){0};
        e.df = chance.likely;
        f->half = half_of(d, networks, c->network ? 1 : x->nreplicated, design, e.df);
        f->chance = chance.share;
    }
    e.low = e.count ? 1 : exp(-f->half);
    e.high = e.count ? 1 : exp(f->half);
    f->df = e.count ? (double)NAN : e.df;
    return e;
}

/* For people: what the forecast rests on. */
static const char *reason_of(const struct design *d, const struct claim *c, const struct evidence *e,
                             const struct claim_forecast *f, enum verdict_lack lack)
{
    const char *elsewhere =
        e->machine == EVIDENCE_SAME_MACHINE ? ""
        : str_eq(c->machine->target, "cpu")
            ? arena_printf(d->a, "; of another machine, as this is no %s", c->machine->title)
            : arena_printf(d->a, "; of another machine where the device is no %s", c->machine->title);
    const char *chance = e->count || e->share ? ""
                                              : arena_printf(d->a, "; %d degrees of freedom in %.0f of 100 runs",
                                                             VERDICT_DF, 100 * f->chance);
    const char *wide = e->count   ? "a count of networks"
                       : e->share ? arena_printf(d->a, "a share of %d networks", e->networks)
                                  : arena_printf(d->a, "to ±%.1f %%%s", 100 * expm1(f->half), chance);
    switch (lack) {
    case VERDICT_LACK_CODEGEN:
        return "claims are about TVM's code: codegen=tvm";
    case VERDICT_LACK_NETWORKS:
        return arena_printf(d->a, "takes %lld of its %d networks", evidence_least(c->networks), e->networks_all);
    case VERDICT_LACK_MECHANICS:
        return "this budget shows the mechanics only";
    case VERDICT_LACK_BUDGET:
        return arena_printf(d->a, "a reduced budget indicates at most%s", elsewhere);
    case VERDICT_LACK_WIDTH:
        return arena_printf(d->a, "%s, the tolerance is %.3g %%%s", wide, 100 * c->about.tolerance, elsewhere);
    case VERDICT_LACK_SPREAD:
        return arena_printf(d->a, "%d degrees of freedom are not likely%s", VERDICT_DF_SIDE, elsewhere);
    default:
        return arena_printf(d->a, "%s%s", wide, elsewhere);
    }
}

static void forecast(const struct design *d, const struct claim *c, struct claim_forecast *f)
{
    *f = (struct claim_forecast){
        .claim = c, .reach = CLAIM_REACHES_NOT, .half = NAN, .df = NAN, .chance = NAN, .reason = missing(d, c)};
    const char *why = NULL;
    struct evidence e = evidence_of(d, c, f, &why);
    enum verdict_lack refused = verdict_refuses(&e), weak = verdict_weakens(&c->about, &e);
    if (why)
        f->reason = why;
    if (f->reason)
        return;
    f->reach = refused ? CLAIM_REACHES_NOT : weak ? CLAIM_SIDE : CLAIM_SETTLES;
    f->reason = reason_of(d, c, &e, f, refused ? refused : weak);
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
    double rows = e->nreplicated > 1 ? e->nreplicated / plan_design_effect(&e->plan) : 1;
    d.mean = df_chance_of(rows, (int)e->seeds, DF_CHANCE_SPREAD, VERDICT_DF);
    d.network = df_chance_of(1, (int)e->seeds, DF_CHANCE_SPREAD, VERDICT_DF);
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
    static const char *const heads[CLAIM_REACHES] = {"claims that this tier settles in four of five runs or more",
                                                     "claims that it indicates", "claims that it says nothing of"};
    if (!f->n)
        return;
    if (f->df)
        text_printf(to, "\nspread of a network's ratio, for the claims: %.3g, from the records\n", f->spread);
    else
        text_printf(to,
                    "\nspread of a network's ratio, for the claims: %.3g, assumed; no records show it yet (at the %.3g "
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

/* SPDX-License-Identifier: Apache-2.0 */
/* claim_lookup: a claim is judged by the document of a report, whether made now from the records or committed with the
 * results, so by the very numbers that the report shows. */
#include "harness/claims/claim_lookup.h"

#include "harness/base/file.h"
#include "harness/claims/claim_value.h"
#include "harness/experiment/yaml.h"
#include "harness/measure/regime.h"
#include "harness/report/data/document_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct result { /* of one experiment */
    const char *experiment, *tier, *place;
    const char *reason; /* why there is none, NULL: the document is there */
    const struct document *d;
    struct result *next;
};
struct claim_lookup_book {
    struct arena *a;
    struct claim_lookup_options o;
    struct result *results;
};

struct claim_lookup_book *claim_lookup_open(struct arena *a, const struct claim_lookup_options *o)
{
    struct claim_lookup_book *b = ARENA_NEW(a, struct claim_lookup_book);
    b->a = a;
    b->o = *o;
    return b;
}

struct claim_lookup_book *claim_lookup_document(struct arena *a, const struct document *d)
{
    struct claim_lookup_book *b = ARENA_NEW(a, struct claim_lookup_book);
    struct result *one = ARENA_NEW(a, struct result);
    b->a = a;
    *one = (struct result){.experiment = d->experiment, .tier = d->tier, .d = d};
    one->place = *one->tier ? arena_printf(a, "%s/%s", one->experiment, one->tier) : one->experiment;
    b->results = one;
    return b;
}

/* ---- the result of an experiment ---- */

/* Does the experiment's file have such a tier? What is wrong with the file is for experiment_load to say. */
static bool has_tier(struct claim_lookup_book *b, const char *experiment, const char *tier)
{
    struct yaml *doc;
    char *path = file_join(b->a, b->o.folder, arena_printf(b->a, "%s.yaml", experiment));
    return !yaml_load(b->a, path, &doc, NULL) || yaml_get(yaml_get(doc, "tiers"), tier);
}

/* Results of one tier into r; false: none, and r->reason says why when there are some that cannot be used. */
static bool look_at(struct claim_lookup_book *b, const char *tier, struct result *r)
{
    struct experiment_options o = {.folder = b->o.folder, .name = r->experiment, .tier = tier};
    struct experiment *e;
    struct document *d = ARENA_NEW(b->a, struct document);
    struct err err = {0};
    if (!b->o.tier && !has_tier(b, r->experiment, tier))
        return false;
    if (!experiment_load(b->a, b->o.registry, &o, &e, &err)) {
        r->reason = arena_str(b->a, err.text);
        return false;
    }
    if (!document_exists(b->a, e))
        return false;
    r->tier = e->tier;
    r->place = e->plan.results_dir;
    r->reason = NULL;
    if (document_read(b->a, e, b->o.folder, d, &err)) {
        r->d = d;
        return true;
    }
    r->reason = arena_str(b->a, err.text);
    return false;
}

static const struct result *result_of(struct claim_lookup_book *b, const char *experiment)
{
    static const char *const tiers[] = {"full", "short", "smoke"};
    for (struct result *r = b->results; r; r = r->next)
        if (str_eq(r->experiment, experiment))
            return r;
    struct result *r = ARENA_NEW(b->a, struct result);
    r->experiment = experiment;
    r->next = b->results;
    b->results = r;
    const char *first = NULL; /* the reason of the best tier that has results */
    bool found = b->o.tier && look_at(b, b->o.tier, r);
    for (int i = 0; i < 3 && !b->o.tier && !found; i++) {
        found = look_at(b, tiers[i], r);
        first = first ? first : r->reason;
    }
    if (!found && !r->reason)
        r->reason = first;
    if (!found && !r->reason)
        r->reason = arena_printf(b->a, "nothing is measured yet: raingauge run %s --tier %s", experiment,
                                 b->o.tier ? b->o.tier : "full");
    return r;
}

/* ---- the machine ---- */

/* Does a fact of the host or the target hold these words? */
static bool holds(const struct document *d, const char *words)
{
    for (int i = 0; i < document_rows(d, TABLE_ENVIRONMENT); i++) {
        const char *part = document_text_at(d, TABLE_ENVIRONMENT, i, COL_PART);
        if ((str_eq(part, "host") || str_eq(part, "target")) &&
            strstr(document_text_at(d, TABLE_ENVIRONMENT, i, COL_TEXT_VALUE), words))
            return true;
    }
    return false;
}

static const char *arch_of(const struct document *d)
{
    for (int i = 0; i < document_rows(d, TABLE_ENVIRONMENT); i++)
        if (str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_PART), "host") &&
            str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_NAME), "arch"))
            return document_text_at(d, TABLE_ENVIRONMENT, i, COL_TEXT_VALUE);
    return "";
}

static bool is_machine(const struct result *r, const struct claims_machine *m)
{
    return str_eq(r->d->target, m->target) && holds(r->d, m->match);
}

/* The reason why these results cannot speak about the claim at all; NULL when they can. */
static const char *wrong_kind(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                              const struct result *r)
{
    const char *target = r->d->target, *arch = arch_of(r->d);
    bool known = false;
    for (int i = 0; i < all->nmachines; i++)
        known = known || str_eq(all->machines[i].target, target);
    if (!known)
        return arena_printf(b->a, "the results in '%s' are of target '%s', which no claim is about", r->place, target);
    if (document_codegen(r->d) && !str_eq(document_codegen(r->d), "tvm"))
        return arena_printf(b->a, "the results in '%s' were searched with codegen=fast, not with TVM's code", r->place);
    if (!c->machine)
        return NULL;
    if (!str_eq(c->machine->target, target))
        return arena_printf(b->a, "needs target '%s' (%s), the results in '%s' are of '%s'", c->machine->target,
                            c->machine->title, r->place, target);
    if (*c->machine->arch && !str_eq(c->machine->arch, arch))
        return arena_printf(b->a, "needs %s (%s), the results in '%s' are of %s", c->machine->arch, c->machine->title,
                            r->place, *arch ? arch : "an unknown processor");
    return NULL;
}

static bool same_machine(const struct claims *all, const struct claim *c, const struct result *r)
{
    bool same = c->machine && is_machine(r, c->machine);
    for (int i = 0; i < all->nmachines && !c->machine; i++)
        same = same || is_machine(r, &all->machines[i]);
    return same;
}

/* ---- the numbers ---- */

static double floor_of(const struct result *r, bool single)
{
    return document_number_at(r->d, TABLE_NOISE, 0, single ? COL_NOISE_FLOOR_NETWORK : COL_NOISE_FLOOR);
}

static bool is_unverified(struct claim_lookup_book *b, const char *regime)
{
    struct regime r;
    setting_defaults(regime_settings, &r);
    return setting_parse(regime_settings, &r, b->a, regime, NULL) && !r.verify;
}

static void take_noise(struct claim_lookup_book *b, const struct claim *c, const struct result *r,
                       struct verdict_measurement *f)
{
    const char *gates = document_text_at(r->d, TABLE_NOISE, 0, COL_STATE);
    const char *reason = document_text_at(r->d, TABLE_NOISE, 0, COL_REASON);
    f->noise = floor_of(r, c->network != NULL);
    f->gates = str_eq(gates, "passed")   ? VERDICT_GATES_PASSED
               : str_eq(gates, "failed") ? VERDICT_GATES_FAILED
                                         : VERDICT_GATES_UNKNOWN;
    f->reason = *reason ? reason : NULL;
    if (is_unverified(b, r->d->regime)) {
        f->gates = VERDICT_GATES_FAILED;
        f->reason = "the regime did not verify the candidates (verify=no)";
    }
}

static enum verdict_budget budget_of(const char *tier)
{
    return str_eq(tier, "smoke") ? VERDICT_MECHANICS : str_eq(tier, "full") || !*tier ? VERDICT_WHOLE : VERDICT_REDUCED;
}

static void measure(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                    const struct result *r, struct claim_lookup *out)
{
    struct verdict_measurement *f = &out->found;
    struct claim_value x;
    f->reason = wrong_kind(b, all, c, r);
    if (!f->reason)
        f->reason = claim_value_find(b->a, r->d, r->place, c, floor_of(r, true), &x);
    if (f->reason)
        return;
    f->source = VERDICT_MEASURED;
    f->same_machine = same_machine(all, c, r);
    f->budget = budget_of(r->tier);
    f->networks = x.networks;
    f->networks_all = (int)c->networks;
    f->seeds = x.seeds;
    take_noise(b, c, r, f);
    f->ratio = x.value;
    f->low = x.low;
    f->high = x.high;
    out->across_low = x.across_low;
    out->across_high = x.across_high;
    out->wall = x.wall;
}

/* ---- the authors' files ---- */

/* Networks with a whole block; the released resnet152 was a second run of resnet101 (harness/doc/droplet.md, "Defects
 * of the released files"). */
static double models_of(const struct sweep_cell *cell)
{
    int n = 0, pair = 0;
    for (int i = 0; i < cell->nnetworks; i++) {
        n += cell->networks[i].whole;
        pair += cell->networks[i].whole &&
                (str_eq(cell->networks[i].network, "resnet101") || str_eq(cell->networks[i].network, "resnet152"));
    }
    return n - (pair == 2);
}

static double sweep_value(const struct reanalysis *x, const struct claim *c)
{
    const struct sweep_cell *cell = reanalysis_cell(x, c->released_machine, c->released_k);
    if (!cell || !cell->counted)
        return NAN;
    if (str_eq(c->released_column, "networks"))
        return models_of(cell);
    if (str_eq(c->released_column, "usual"))
        return 2.0 * cell->wins / cell->counted;
    return str_eq(c->released_column, "exec") ? cell->exec : cell->search[SWEEP_APPORTIONED];
}

static double meta_value(const struct reanalysis *x, const struct claim *c)
{
    for (int i = 0; i < x->nmeta; i++)
        if (str_eq(x->meta[i].machine, c->released_machine) && x->meta[i].k == c->released_k)
            return x->meta[i].exec[str_eq(c->released_column, "exec_all")];
    return NAN;
}

/* Geometric mean over the machine's kernels at that k. */
static double micro_value(const struct reanalysis *x, const struct claim *c)
{
    double logs = 0;
    int n = 0;
    for (int i = 0; i < x->nmicro; i++)
        if (str_eq(x->micro[i].machine, c->released_machine) && x->micro[i].k == c->released_k &&
            x->micro[i].exec_x > 0) {
            logs += log(x->micro[i].exec_x);
            n++;
        }
    return n ? exp(logs / n) : NAN;
}

static double variance_value(const struct reanalysis *x, const struct claim *c)
{
    for (int i = 0; i < x->nvariance; i++) {
        const struct sweep_network *v = &x->variance[i];
        if (str_eq(v->block->machine, c->released_machine) && str_eq(v->network, c->released_network) &&
            v->block->k == c->released_k)
            return str_eq(c->released_column, "exec") ? v->exec_x : v->search_x[SWEEP_APPORTIONED];
    }
    return NAN;
}

static const struct {
    const char *table;
    double (*value)(const struct reanalysis *x, const struct claim *c); /* NAN: not in these files */
} released[] = {{"sweep", sweep_value}, {"meta", meta_value}, {"micro", micro_value}, {"variance", variance_value}};

static void take_released(struct claim_lookup_book *b, const struct claim *c, struct claim_lookup *out)
{
    const struct reanalysis *x = b->o.released;
    double v = NAN;
    for (size_t i = 0; i < sizeof released / sizeof *released; i++)
        if (str_eq(released[i].table, c->released_table))
            v = released[i].value(x, c);
    if (isnan(v))
        return;
    out->found =
        (struct verdict_measurement){.source = VERDICT_FROM_LOGS, .ratio = v, .low = NAN, .high = NAN, .noise = NAN};
    out->tier = NULL;
    out->place = x->release->dir;
    out->wall = out->across_low = out->across_high = NAN;
    out->verdict = verdict_of(&c->about, &out->found);
}

/* A count is no ratio: as many as the claim says, or not yet. */
static struct verdict count_networks(const struct claim *c, const struct claim_lookup *e)
{
    struct verdict v = {.kind = VERDICT_NOT_MEASURED};
    if (e->found.source != VERDICT_MEASURED)
        return verdict_of(&c->about, &e->found);
    if (e->found.ratio >= c->about.value)
        v.kind = e->found.same_machine ? VERDICT_REPRODUCED : VERDICT_TRANSFERRED;
    snprintf(v.reason, sizeof v.reason, "%g of %g networks have results in '%s'", e->found.ratio, c->about.value,
             e->place);
    return v;
}

void claim_lookup_of(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                     struct claim_lookup *out)
{
    *out = (struct claim_lookup){.wall = NAN,
                                 .across_low = NAN,
                                 .across_high = NAN,
                                 .found = {.ratio = NAN, .low = NAN, .high = NAN, .noise = NAN}};
    if (c->untested) {
        out->found.reason = c->untested;
    } else {
        const struct result *r = result_of(b, c->experiment);
        out->tier = r->tier;
        out->place = r->place;
        out->found.reason = r->reason;
        if (r->d)
            measure(b, all, c, r, out);
    }
    out->verdict =
        c->experiment && c->column == CLAIMS_NETWORKS ? count_networks(c, out) : verdict_of(&c->about, &out->found);
    if (out->verdict.kind == VERDICT_NOT_MEASURED && b->o.released && c->released_table)
        take_released(b, c, out);
}

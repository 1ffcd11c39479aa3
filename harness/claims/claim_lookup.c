/* SPDX-License-Identifier: Apache-2.0 */
/* claim_lookup: a claim is judged by the document of a report, whether made now from the records or committed with the
 * results, so by the very numbers that the report shows. */
#include "harness/claims/claim_lookup.h"

#include "harness/claims/claim_cure.h"
#include "harness/claims/claim_value.h"
#include "harness/experiment/experiment_index.h"
#include "harness/experiment/machine.h"
#include "harness/measure/regime.h"
#include "harness/report/data/document_read.h"
#include "harness/report/data/report_summary.h"
#include "harness/stats/verdict_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result { /* of one tier of an experiment */
    const char *experiment, *tier, *place;
    bool is_put, is_used; /* given by the caller; some claim was looked up in it */
    const char *reason;   /* why there is none, NULL: the document is there */
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

void claim_lookup_put(struct claim_lookup_book *b, const struct document *d)
{
    struct result *one = ARENA_NEW(b->a, struct result);
    *one = (struct result){.experiment = d->experiment, .tier = d->tier, .is_put = true, .d = d, .next = b->results};
    one->place = *one->tier ? arena_printf(b->a, "%s/%s", one->experiment, one->tier) : one->experiment;
    b->results = one;
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

static double number(const struct document *d, const char *part, const char *name)
{
    const char *text = document_fact(d, part, name);
    return text ? atof(text) : 0;
}

/* Was it compiled for a processor for which the paper compiled? By the target's own name of it. */
static bool is_compiled_so(const struct document *d, const struct claims_machine *m)
{
    bool same = m->nmcpu == 0;
    for (int i = 0; i < document_rows(d, TABLE_ENVIRONMENT); i++)
        for (int k = 0; k < m->nmcpu; k++)
            same = same || (str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_PART), "target") &&
                            str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_NAME), "cpu") &&
                            str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_TEXT_VALUE), m->mcpu[k]));
    return same;
}

/* Does the machine's file take the computer of these results for it? Its rule is finer than the claims' words: both
 * A100 are called so. */
static bool is_file_machine(struct claim_lookup_book *b, const struct document *d, const char *name)
{
    const struct machine_traits t = {.cpu = document_fact(d, "host", "cpu"),
                                     .arch = document_fact(d, "host", "arch"),
                                     .memory_gib = number(d, "host", "memory_gib"),
                                     .cores = (int)number(d, "host", "cores_online"),
                                     .gpu = document_fact(d, "target", "gpu"),
                                     .gpu_memory_gib = number(d, "target", "gpu_memory_gib")};
    return machine_takes(b->a, b->o.folder, name, &t);
}

/* NULL: it is no recorded device. */
static const char *recorded_machine(const struct document *d)
{
    return str_eq(d->target, "replay") ? document_fact(d, "target", "recorded_machine") : NULL;
}

/* What answered: of a recorded device the target of its machine ("replay" where that has no file). */
static const char *target_of(struct claim_lookup_book *b, const struct document *d)
{
    const char *recorded = recorded_machine(d);
    struct machine m;
    struct err ignored = {0};
    return recorded && machine_load(b->a, b->o.folder, recorded, &m, &ignored) ? m.target : d->target;
}

/* ---- the result of an experiment ---- */

/* Results of one tier into r, whose reason says why when there are some that cannot be used. */
static void look_at(struct claim_lookup_book *b, const char *tier, struct result *r)
{
    struct experiment_options o = {
        .folder = b->o.folder, .name = r->experiment, .tier = tier, .sets = b->o.sets, .nsets = b->o.nsets};
    struct experiment *e;
    struct document *d = ARENA_NEW(b->a, struct document);
    struct err err = {0};
    if (!b->o.tier && !experiment_has_tier(b->a, b->o.folder, r->experiment, tier))
        return;
    if (!experiment_load(b->a, b->o.registry, &o, &e, &err)) {
        r->reason = arena_str(b->a, err.text);
        return;
    }
    if (!document_exists(b->a, e))
        return;
    r->place = e->plan.results_dir;
    if (document_read(b->a, e, b->o.folder, d, &err))
        r->d = d;
    else
        r->reason = arena_str(b->a, err.text);
}

static struct result *result_at(struct claim_lookup_book *b, const char *experiment, const char *tier)
{
    for (struct result *r = b->results; r; r = r->next)
        if (str_eq(r->experiment, experiment) && str_eq(r->tier, tier))
            return r;
    struct result *r = ARENA_NEW(b->a, struct result);
    *r = (struct result){.experiment = experiment, .tier = tier, .next = b->results};
    b->results = r;
    look_at(b, tier, r);
    return r;
}

/* Of the tier, NULL: of the best tier that is of the target (NULL: of any), else of the best tier. */
static const struct result *result_of(struct claim_lookup_book *b, const char *experiment, const char *only,
                                      const char *target)
{
    static const char *const tiers[] = {"judge", "full", "night", "direction", "gpu", "short", "smoke", NULL};
    static const struct result none = {.reason = "nothing is measured yet"};
    const char *named[] = {only, NULL}, *const *tier = only ? named : tiers;
    struct result *best = NULL, *unusable = NULL, *put = NULL;
    for (struct result *r = b->results; r; r = r->next)
        put = r->is_put && str_eq(r->experiment, experiment) ? r : put;
    for (; *tier && !put; tier++) {
        struct result *r = result_at(b, experiment, *tier);
        bool fits = r->d && (!target || str_eq(target_of(b, r->d), target));
        best = r->d && (!best || fits) ? r : best;
        unusable = unusable || !r->reason ? unusable : r;
        if (fits)
            break;
    }
    struct result *r = put ? put : best ? best : unusable;
    if (r)
        r->is_used = true;
    return r ? r : &none;
}

/* ---- is it about this machine ---- */

static bool is_machine(struct claim_lookup_book *b, const struct result *r, const struct claims_machine *m)
{
    const char *recorded = recorded_machine(r->d);
    if (recorded)
        return str_eq(recorded, m->name);
    return str_eq(r->d->target, m->target) && !document_unlike_machines(r->d) && holds(r->d, m->match) &&
           is_compiled_so(r->d, m) && is_file_machine(b, r->d, m->name);
}

/* Can these results speak about the claim at all? Why not goes into *reason. */
static enum evidence_machine machine_of(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                                        const struct result *r, const char **reason)
{
    const char *target = target_of(b, r->d), *arch = document_fact(r->d, "host", "arch");
    bool known = false, same = c->machine && is_machine(b, r, c->machine);
    for (int i = 0; i < all->nmachines; i++) {
        known = known || str_eq(all->machines[i].target, target);
        same = same || (!c->machine && is_machine(b, r, &all->machines[i]));
    }
    if (!known)
        *reason =
            arena_printf(b->a, "the results in '%s' are of target '%s', which no claim is about", r->place, target);
    else if (c->machine && !str_eq(c->machine->target, target))
        *reason = arena_printf(b->a, "needs target '%s' (%s), the results in '%s' are of '%s'", c->machine->target,
                               c->machine->title, r->place, target);
    else if (c->machine && *c->machine->arch && (!arch || !str_eq(c->machine->arch, arch)))
        *reason = arena_printf(b->a, "needs %s (%s), the results in '%s' are of %s", c->machine->arch,
                               c->machine->title, r->place, arch && *arch ? arch : "an unknown processor");
    else
        return same ? EVIDENCE_SAME_MACHINE : EVIDENCE_OTHER_MACHINE;
    return EVIDENCE_WRONG_TARGET;
}

/* ---- the numbers ---- */

static bool is_unverified(struct claim_lookup_book *b, const char *regime)
{
    struct regime r;
    setting_defaults(regime_settings, &r);
    return setting_parse(regime_settings, &r, b->a, regime, NULL) && !r.verify;
}

/* The gates of what the claim is about. */
static void take_gates(struct claim_lookup_book *b, const struct claim *c, const struct result *r,
                       struct claim_lookup *out, const char **reason)
{
    enum validity_about about = claims_column_about(c->column);
    out->found.noise = about == VALIDITY_KERNELS ? document_number_at(r->d, TABLE_NOISE, 0, COL_NOISE_FLOOR) : 0;
    out->found.gates = document_gates(r->d, about, reason);
    if (out->found.gates == VERDICT_GATES_FAILED)
        out->cure = report_summary_cure(r->d, about);
    if (is_unverified(b, r->d->regime)) {
        out->found.gates = VERDICT_GATES_FAILED;
        *reason = "the regime did not verify the candidates (verify=no)";
        out->cure = claim_cure(b->a, &b->o, c);
    }
}

static enum evidence_budget budget_of(const struct document *d)
{
    return !document_judges(d)                                     ? EVIDENCE_MECHANICS
           : str_eq(d->budget, experiment_budgets[BUDGET_REDUCED]) ? EVIDENCE_REDUCED
                                                                   : EVIDENCE_WHOLE;
}

/* What speaks against the number: that its machines are unlike; of a side that was found the networks that are on the
 * other one; of search time to parity the runs that never arrive; and what the claims' file says of whatever measures
 * it. */
static const char *caveat_of(struct claim_lookup_book *b, const struct claim *c, const struct document *d,
                             const struct claim_value *x, const struct verdict *v)
{
    const struct arrivals *w = &x->arrivals;
    bool sided = v->finding >= FINDING_FOR && v->finding <= FINDING_AGAINST;
    const char *numbers = sided ? x->exceptions : NULL, *unlike = document_unlike_machines(d), *caveat = NULL;
    if (w->runs && w->reached < w->runs)
        numbers = arena_printf(b->a,
                               "%d of %d runs never are as good as the first arm in the end; of the first arm's own, "
                               "%d of %d come to the median of the others",
                               w->runs - w->reached, w->runs, w->null_reached, w->null_runs);
    if (unlike)
        unlike = arena_printf(b->a, "networks were searched on unlike machines (%s)", unlike);
    const char *all[] = {unlike, numbers, c->caveat};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            caveat = caveat ? arena_printf(b->a, "%s; %s", caveat, all[i]) : all[i];
    return caveat;
}

static void take_value(const struct claim *c, const struct claim_value *x, struct claim_lookup *out)
{
    struct evidence *f = &out->found;
    f->clock = claims_column_clock(c->column);
    f->share = c->column == CLAIMS_WINS;
    f->count = c->column == CLAIMS_NETWORKS;
    f->networks = f->count ? x->searched : x->networks;
    f->networks_all = (int)(f->count ? c->about.value : (double)c->networks);
    f->seeds = x->seeds;
    f->df = x->df;
    f->ratio = x->value;
    f->low = x->low;
    f->high = x->high;
    f->ties = x->ties;
    f->pairs = x->pairs;
    f->arrivals = x->arrivals.runs > 0;
    f->arrive_low = x->arrivals.low;
    f->arrive_high = x->arrivals.high;
    out->described = x->described;
    out->half = log(x->high / x->low) / 2;
    out->across_low = x->across_low;
    out->across_high = x->across_high;
    out->wall = x->wall;
}

/* context: why nothing was measured, and the command that would measure more. */
static void measure(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                    const struct result *r, struct claim_lookup *out, struct claim_value *x,
                    struct verdict_context *context)
{
    struct evidence *f = &out->found;
    out->changed = fingerprint_state_of(b->a, r->d->claims_begun, c);
    f->source = EVIDENCE_MEASURED;
    f->budget = budget_of(r->d);
    f->machine = machine_of(b, all, c, r, &context->reason);
    f->codegen = claims_codegen(r->d->target, r->d->target_settings);
    if (f->codegen == EVIDENCE_CODEGEN_OTHER)
        context->reason = arena_printf(b->a, "the results in '%s' were searched with codegen=%s, not with TVM's code",
                                       r->place, document_codegen(r->d));
    if (context->reason)
        return;
    context->reason = claim_value_find(b->a, r->d, r->place, c, x);
    if (context->reason) {
        f->source = EVIDENCE_NONE;
        return;
    }
    take_value(c, x, out);
    take_gates(b, c, r, out, &context->reason);
    context->command = *r->d->tier ? arena_printf(b->a, "raingauge run %s --tier %s", r->experiment, r->d->tier)
                                   : arena_printf(b->a, "raingauge run %s", r->experiment);
}

/* ---- the authors' files ---- */

static struct claim_released released_of(struct claim_lookup_book *b, const struct claim *c)
{
    const struct released_results *x = b->o.released;
    struct claim_released out = {.value = NAN};
    if (!x || c->released_paper != x->paper)
        return out;
    struct evidence e = {.source = EVIDENCE_RELEASED, .ratio = c->released_paper->value(x, &c->released)};
    if (isnan(e.ratio))
        return out;
    out = (struct claim_released){.given = true, .value = e.ratio, .verdict = verdict_of(&c->about, &e)};
    out.reason = verdict_sentence(b->a, &c->about, &e, &out.verdict, &(struct verdict_context){0});
    out.caveat = out.verdict.finding == FINDING_INSIDE ? c->released_paper->caveat(b->a, x, &c->released) : NULL;
    return out;
}

void claim_lookup_of(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                     struct claim_lookup *out)
{
    claim_lookup_in(b, all, c, b->o.tier, out);
}

void claim_lookup_in(struct claim_lookup_book *b, const struct claims *all, const struct claim *c, const char *tier,
                     struct claim_lookup *out)
{
    struct verdict_context context = {.reason = c->untested};
    struct claim_value x = {0};
    *out = (struct claim_lookup){.wall = NAN,
                                 .across_low = NAN,
                                 .across_high = NAN,
                                 .half = NAN,
                                 .measurement = claims_measurement(b->a, c),
                                 .found = {.ratio = NAN, .low = NAN, .high = NAN, .noise = NAN}};
    if (!c->untested) {
        const struct result *r = result_of(b, c->experiment, tier, c->machine ? c->machine->target : NULL);
        out->tier = r->tier;
        out->place = r->place;
        out->document = r->d;
        context.reason = r->reason;
        if (r->d)
            measure(b, all, c, r, out, &x, &context);
    }
    /* The paper's ratio to parity is another number than that at the common target: the side alone is judged. */
    struct verdict_claim about = c->about;
    if (out->described)
        about.value = about.band_low = about.band_high = NAN;
    out->verdict = verdict_of(&about, &out->found);
    out->caveat = out->found.source == EVIDENCE_MEASURED && out->verdict.finding != FINDING_NOT_MEASURED
                      ? caveat_of(b, c, out->document, &x, &out->verdict)
                      : NULL;
    if (out->verdict.finding == FINDING_NOT_MEASURED && c->experiment)
        out->cure = claim_cure(b->a, &b->o, c);
    context.cure = out->cure;
    out->reason = verdict_sentence(b->a, &about, &out->found, &out->verdict, &context);
    out->released = released_of(b, c);
}

const struct claim_lookup_run *claim_lookup_runs(struct claim_lookup_book *b, int *n)
{
    int most = 0;
    for (const struct result *r = b->results; r; r = r->next)
        most++;
    struct claim_lookup_run *out = ARENA_ARRAY(b->a, struct claim_lookup_run, most + 1);
    *n = 0;
    for (const struct result *r = b->results; r; r = r->next)
        if (r->d && r->is_used)
            out[(*n)++] = (struct claim_lookup_run){r->place, r->experiment, r->d->claims_begun};
    return out;
}

struct claim_lookup *claim_lookup_all(struct claim_lookup_book *b, struct arena *a, const struct claims *all)
{
    struct claim_lookup *out = ARENA_ARRAY(a, struct claim_lookup, all->n + 1);
    for (int i = 0; i < all->n; i++)
        claim_lookup_of(b, all, &all->list[i], &out[i]);
    return out;
}

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

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

struct claim_lookup_book *claim_lookup_document(struct arena *a, const struct document *d,
                                                const struct registry *registry, const char *folder)
{
    struct claim_lookup_book *b = ARENA_NEW(a, struct claim_lookup_book);
    struct result *one = ARENA_NEW(a, struct result);
    b->a = a;
    b->o = (struct claim_lookup_options){.registry = registry, .folder = folder};
    *one = (struct result){.experiment = d->experiment, .tier = d->tier, .d = d};
    one->place = *one->tier ? arena_printf(a, "%s/%s", one->experiment, one->tier) : one->experiment;
    b->results = one;
    return b;
}

/* ---- the result of an experiment ---- */

/* Results of one tier into r; false: none, and r->reason says why when there are some that cannot be used. */
static bool look_at(struct claim_lookup_book *b, const char *tier, struct result *r)
{
    struct experiment_options o = {
        .folder = b->o.folder, .name = r->experiment, .tier = tier, .sets = b->o.sets, .nsets = b->o.nsets};
    struct experiment *e;
    struct document *d = ARENA_NEW(b->a, struct document);
    struct err err = {0};
    if (!b->o.tier && !experiment_has_tier(b->a, b->o.folder, r->experiment, tier))
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
    static const char *const tiers[] = {"judge", "full", "direction", "short", "smoke", NULL};
    for (struct result *r = b->results; r; r = r->next)
        if (str_eq(r->experiment, experiment))
            return r;
    struct result *r = ARENA_NEW(b->a, struct result);
    r->experiment = experiment;
    r->next = b->results;
    b->results = r;
    const char *first = NULL; /* the reason of the best tier that has results */
    bool found = b->o.tier && look_at(b, b->o.tier, r);
    for (int i = 0; tiers[i] && !b->o.tier && !found; i++) {
        found = look_at(b, tiers[i], r);
        first = first ? first : r->reason;
    }
    if (!found && !r->reason)
        r->reason = first;
    if (!found && !r->reason)
        r->reason = "nothing is measured yet";
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

/* A fact of where it ran; NULL: not told. */
static const char *fact(const struct document *d, const char *part, const char *name)
{
    for (int i = 0; i < document_rows(d, TABLE_ENVIRONMENT); i++)
        if (str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_PART), part) &&
            str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_NAME), name))
            return document_text_at(d, TABLE_ENVIRONMENT, i, COL_TEXT_VALUE);
    return NULL;
}

static double number(const struct document *d, const char *part, const char *name)
{
    const char *text = fact(d, part, name);
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
    const struct machine_traits t = {.cpu = fact(d, "host", "cpu"),
                                     .arch = fact(d, "host", "arch"),
                                     .memory_gib = number(d, "host", "memory_gib"),
                                     .cores = (int)number(d, "host", "cores_online"),
                                     .gpu = fact(d, "target", "gpu"),
                                     .gpu_memory_gib = number(d, "target", "gpu_memory_gib")};
    return machine_takes(b->a, b->o.folder, name, &t);
}

/* NULL: it is no recorded device. */
static const char *recorded_machine(const struct document *d)
{
    return str_eq(d->target, "replay") ? fact(d, "target", "recorded_machine") : NULL;
}

/* What answered: of a recorded device the target of its machine ("replay" where that has no file). */
static const char *target_of(struct claim_lookup_book *b, const struct document *d)
{
    const char *recorded = recorded_machine(d);
    struct machine m;
    struct err ignored = {0};
    return recorded && machine_load(b->a, b->o.folder, recorded, &m, &ignored) ? m.target : d->target;
}

static bool is_machine(struct claim_lookup_book *b, const struct result *r, const struct claims_machine *m)
{
    const char *recorded = recorded_machine(r->d);
    if (recorded)
        return str_eq(recorded, m->name);
    return str_eq(r->d->target, m->target) && holds(r->d, m->match) && is_compiled_so(r->d, m) &&
           is_file_machine(b, r->d, m->name);
}

/* The reason why these results cannot speak about the claim at all; NULL when they can. */
static const char *wrong_kind(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                              const struct result *r)
{
    const char *target = target_of(b, r->d), *arch = fact(r->d, "host", "arch");
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
    if (*c->machine->arch && (!arch || !str_eq(c->machine->arch, arch)))
        return arena_printf(b->a, "needs %s (%s), the results in '%s' are of %s", c->machine->arch, c->machine->title,
                            r->place, *arch ? arch : "an unknown processor");
    return NULL;
}

static bool same_machine(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                         const struct result *r)
{
    bool same = c->machine && is_machine(b, r, c->machine);
    for (int i = 0; i < all->nmachines && !c->machine; i++)
        same = same || is_machine(b, r, &all->machines[i]);
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

/* The gates of what the claim is about. The noise floor is one of kernels. */
static void take_gates(struct claim_lookup_book *b, const struct claim *c, const struct result *r,
                       struct verdict_measurement *f)
{
    enum validity_about about = claims_column_about(c->column);
    f->noise = about == VALIDITY_KERNELS ? floor_of(r, c->network != NULL) : 0;
    f->gates = document_gates(r->d, about, &f->reason);
    if (f->gates == VERDICT_GATES_FAILED)
        f->cure = report_summary_cure(r->d, about);
    if (is_unverified(b, r->d->regime)) {
        f->gates = VERDICT_GATES_FAILED;
        f->reason = "the regime did not verify the candidates (verify=no)";
        f->cure = claim_cure(b->a, &b->o, c);
    }
}

static enum verdict_budget budget_of(const struct document *d)
{
    return !document_judges(d)                                     ? VERDICT_MECHANICS
           : str_eq(d->budget, experiment_budgets[BUDGET_REDUCED]) ? VERDICT_REDUCED
                                                                   : VERDICT_WHOLE;
}

static void measure(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                    const struct result *r, struct claim_lookup *out)
{
    struct verdict_measurement *f = &out->found;
    struct claim_value x;
    f->reason = wrong_kind(b, all, c, r);
    if (!f->reason)
        f->reason = claim_value_find(b->a, r->d, r->place, c, floor_of(r, true), &x);
    out->changed = fingerprint_state_of(b->a, r->d->claims_begun, c);
    if (f->reason)
        return;
    f->source = VERDICT_MEASURED;
    f->same_machine = same_machine(b, all, c, r);
    f->budget = budget_of(r->d);
    f->networks = x.networks;
    f->networks_all = (int)c->networks;
    f->seeds = x.seeds;
    f->df = x.df;
    f->share = c->column == CLAIMS_WINS;
    f->ratio = x.value;
    f->low = x.low;
    f->high = x.high;
    out->half = log(x.high / x.low) / 2;
    f->command = *r->d->tier ? arena_printf(b->a, "raingauge run %s --tier %s", r->experiment, r->d->tier)
                             : arena_printf(b->a, "raingauge run %s", r->experiment);
    bool covered = 5 * f->networks >= 4 * f->networks_all && f->ratio > 0 && f->budget != VERDICT_MECHANICS;
    take_gates(b, c, r, f);
    if (!covered)
        f->cure = claim_cure(b->a, &b->o, c);
    if (x.reached < x.runs)
        out->caveat = arena_printf(b->a,
                                   "in %d of %d runs the arm never is as good: they count with 1 at most, so the "
                                   "number is an upper bound",
                                   x.runs - x.reached, x.runs);
    out->across_low = x.across_low;
    out->across_high = x.across_high;
    out->wall = x.wall;
}

/* ---- the authors' files ---- */

static void take_released(struct claim_lookup_book *b, const struct claim *c, struct claim_lookup *out)
{
    const struct released_results *x = b->o.released;
    double v = c->released_paper->value(x, &c->released);
    if (isnan(v))
        return;
    out->found =
        (struct verdict_measurement){.source = VERDICT_FROM_LOGS, .ratio = v, .low = NAN, .high = NAN, .noise = NAN};
    out->tier = NULL;
    out->place = x->dir;
    out->wall = out->across_low = out->across_high = out->half = NAN;
    out->verdict = verdict_of(&c->about, &out->found);
    if (out->verdict.kind == VERDICT_REANALYSED)
        out->caveat = c->released_paper->caveat(b->a, x, &c->released);
}

/* A count is no ratio: as many as the claim says, of a run that is the claim's own and valid, or not yet. */
static struct verdict count_networks(const struct claim *c, const struct claim_lookup *e)
{
    const struct verdict_measurement *f = &e->found;
    struct verdict v = {.kind = VERDICT_NOT_MEASURED};
    bool enough = f->ratio >= c->about.value, whole = f->budget == VERDICT_WHOLE;
    if (f->source != VERDICT_MEASURED)
        return verdict_of(&c->about, f);
    if (enough && whole && f->gates == VERDICT_GATES_FAILED)
        v.kind = VERDICT_INVALID;
    else if (enough && whole && f->gates == VERDICT_GATES_UNKNOWN)
        v.kind = VERDICT_INCONCLUSIVE;
    else if (enough && whole)
        v.kind = f->same_machine ? VERDICT_REPRODUCED : VERDICT_TRANSFERRED;
    snprintf(v.reason, sizeof v.reason, "%g of %g networks have results in '%s'%s%s%s%s%s", f->ratio, c->about.value,
             e->place, whole ? "" : " of a reduced budget", v.kind < VERDICT_TRANSFERRED && f->reason ? ": " : "",
             v.kind < VERDICT_TRANSFERRED && f->reason ? f->reason : "", f->cure ? "; " : "", f->cure ? f->cure : "");
    return v;
}

/* The authors' files speak where no run has measured the claim, and where one on another machine concludes nothing. */
static bool wants_released(const struct claim_lookup_book *b, const struct claim *c, const struct claim_lookup *out)
{
    if (!b->o.released || c->released_paper != b->o.released->paper)
        return false;
    enum verdict_kind kind = out->verdict.kind;
    bool elsewhere = out->found.source == VERDICT_MEASURED && !out->found.same_machine;
    return kind == VERDICT_NOT_MEASURED || (elsewhere && (kind == VERDICT_INCONCLUSIVE || kind == VERDICT_INVALID));
}

void claim_lookup_of(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                     struct claim_lookup *out)
{
    *out = (struct claim_lookup){.wall = NAN,
                                 .across_low = NAN,
                                 .across_high = NAN,
                                 .half = NAN,
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
    if (out->found.source == VERDICT_NOTHING && c->experiment)
        out->found.cure = claim_cure(b->a, &b->o, c);
    out->verdict =
        c->experiment && c->column == CLAIMS_NETWORKS ? count_networks(c, out) : verdict_of(&c->about, &out->found);
    if (wants_released(b, c, out))
        take_released(b, c, out);
}

const struct claim_lookup_run *claim_lookup_runs(struct claim_lookup_book *b, int *n)
{
    int most = 0;
    for (const struct result *r = b->results; r; r = r->next)
        most++;
    struct claim_lookup_run *out = ARENA_ARRAY(b->a, struct claim_lookup_run, most + 1);
    *n = 0;
    for (const struct result *r = b->results; r; r = r->next)
        if (r->d)
            out[(*n)++] = (struct claim_lookup_run){r->place, r->experiment, r->d->claims_begun};
    return out;
}

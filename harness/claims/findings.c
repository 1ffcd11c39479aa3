/* SPDX-License-Identifier: Apache-2.0 */
/* findings: all numbers are those of verdicts, reports and forecasts; none is made here. */
#include "harness/claims/findings.h"

#include "harness/base/file.h"
#include "harness/base/vec.h"
#include "harness/claims/claim_forecast.h"
#include "harness/claims/claims_tap.h"
#include "harness/experiment/experiment_index.h"
#include "harness/experiment/yaml.h"
#include "harness/report/data/document_read.h"
#include "harness/report/data/report_summary.h"
#include "harness/stats/verdict_text.h"
#include "harness/tune/campaign.h"

#include <math.h>
#include <string.h>

/* ---- claimed, and seen ---- */

static bool is_open(const struct claim_lookup *e)
{
    enum verdict_finding f = e->verdict.finding;
    return f == FINDING_NOT_MEASURED || f == FINDING_INVALID || f == FINDING_INCONCLUSIVE;
}

static bool has_number(const struct claim_lookup *e)
{
    return e->found.source == EVIDENCE_MEASURED && e->verdict.finding != FINDING_INVALID && isfinite(e->found.ratio);
}

/* Open ones only where the paper stands or falls with them. */
static bool is_shown(const struct claim *c, const struct claim_lookup *e)
{
    return has_number(e) && !c->detail && (c->headline || !is_open(e));
}

/* "[table3/direction](table3/direction/report.txt)". */
static const char *link_of(struct arena *a, const char *place)
{
    const char *in = str_starts(place, "results/") ? place + strlen("results/") : place;
    return arena_printf(a, "[%s](%s/report.txt)", in, in);
}

static const char *claimed(struct arena *a, const struct verdict_claim *c)
{
    static const char *const sides[] = {[VERDICT_ABOVE] = "more than 1",
                                        [VERDICT_BELOW] = "less than 1",
                                        [VERDICT_PARITY] = "1",
                                        [VERDICT_AS_GOOD] = "1 or more",
                                        [VERDICT_NUMBER] = "a number"};
    return isfinite(c->value) ? arena_printf(a, "%g", c->value) : sides[c->side];
}

/* What speaks against a number, or is to be known with it. */
struct note {
    const char *id, *text; /* the text follows on ids */
};
struct shown {                             /* runs, and what is to be known of their numbers */
    VEC(const struct claim_lookup *) runs; /* one of each place */
    VEC(struct note) notes;
};

static void take_run(struct shown *to, const struct claim_lookup *e)
{
    for (int i = 0; i < to->runs.n; i++)
        if (str_eq(to->runs.at[i]->place, e->place))
            return;
    vec_push(&to->runs, e);
}

static void take_notes(const struct findings_input *in, const char *id, const struct claim_lookup *e, struct shown *to)
{
    if (e->verdict.finding == FINDING_NOT_MEASURED)
        vec_push(&to->notes, ((struct note){id, arena_printf(in->a, ", not measured: %s", e->reason)}));
    if (e->caveat)
        vec_push(&to->notes, ((struct note){id, arena_printf(in->a, ", doubtful: %s", e->caveat)}));
    if (e->released.given && e->released.caveat)
        vec_push(&to->notes,
                 ((struct note){id, arena_printf(in->a, ", doubtful in the authors' files: %s", e->released.caveat)}));
    if (e->found.ties)
        vec_push(&to->notes, ((struct note){id, arena_printf(in->a, ": %d of %d kernels end in the same program",
                                                             e->found.ties, e->found.pairs)}));
}

/* begins: of a row, up to what was seen; released: what the authors' files say. */
static void put_row(const struct findings_input *in, const char *begins, const char *released,
                    const struct claim_lookup *e, struct text *out)
{
    text_printf(out, "%s | %.3f [%.3f, %.3f] | ", begins, e->found.ratio, e->found.low, e->found.high);
    if (in->look->released)
        text_printf(out, "%s | ", released);
    text_printf(out, "%s | %s |\n", verdict_word(&e->verdict), link_of(in->a, e->place));
}

static const struct yaml *tiers_of(const struct findings_input *in, const char *stem)
{
    struct yaml *doc;
    struct err ignored = {0};
    const char *path = file_join(in->a, in->look->folder, arena_printf(in->a, "%s.yaml", stem));
    return yaml_load(in->a, path, &doc, &ignored) ? yaml_get(doc, "tiers") : NULL;
}

/* What the other runs of the experiment say of the claim, on whatever machine. */
static void put_others(const struct findings_input *in, int i, struct shown *to, struct text *out)
{
    const struct claim *c = &in->claims->list[i];
    const struct yaml *tiers = in->look->tier ? NULL : tiers_of(in, c->experiment);
    for (int t = 0; tiers && t < tiers->n; t++) {
        const char *tier = tiers->keys[t]->text;
        if (str_eq(tier, "smoke") || str_eq(tier, in->lookups[i].tier))
            continue;
        struct claim_lookup *e = ARENA_NEW(in->a, struct claim_lookup);
        claim_lookup_in(in->book, in->claims, c, tier, e);
        e->released.given = false; /* it is told beside the claim */
        if (!has_number(e) || e->verdict.finding == FINDING_NOT_MEASURED)
            continue;
        put_row(in, "| | |", "", e, out);
        take_run(to, e);
        take_notes(in, arena_printf(in->a, "%s in `%s/%s`", c->id, c->experiment, tier), e, to);
    }
}

/* Each text once, behind all claims that it is of. */
static void put_notes(const struct shown *of, struct text *out)
{
    const struct note *notes = of->notes.at;
    int n = of->notes.n;
    for (int i = 0; i < n; i++) {
        bool told = false;
        for (int k = 0; k < i && !told; k++)
            told = str_eq(notes[k].text, notes[i].text);
        if (told)
            continue;
        text_printf(out, "- %s", notes[i].id);
        for (int k = i + 1; k < n; k++)
            if (str_eq(notes[k].text, notes[i].text))
                text_printf(out, ", %s", notes[k].id);
        text_printf(out, "%s.\n", notes[i].text);
    }
}

static const char *environment(const struct document *d, const char *name)
{
    for (int i = 0; i < document_rows(d, TABLE_ENVIRONMENT); i++)
        if (str_eq(document_text_at(d, TABLE_ENVIRONMENT, i, COL_NAME), name))
            return document_text_at(d, TABLE_ENVIRONMENT, i, COL_TEXT_VALUE);
    return "not known";
}

static void put_run(const struct findings_input *in, const struct claim_lookup *e, struct text *out)
{
    const struct document *d = e->document;
    const char *codegen = document_codegen(d), *gpu = document_fact(d, "target", "gpu");
    text_printf(out, "- %s: %s budget, %lld trials with %lld seed%s on ", link_of(in->a, e->place), d->budget,
                (long long)d->trials_measured, (long long)d->seeds, d->seeds == 1 ? "" : "s");
    if (gpu)
        text_add(out, gpu);
    else
        text_printf(out, "%s (usable cores: %s)", environment(d, "cpu"), environment(d, "cores_usable"));
    text_printf(out, ", code of %s, %s, noise floor %.1f %%.\n", codegen ? codegen : d->target, d->measured,
                100 * document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR));
}

static void seen(const struct findings_input *in, struct text *out)
{
    struct text rows = {0};
    struct shown shown = {0};
    for (int i = 0; i < in->claims->n; i++) {
        const struct claim *c = &in->claims->list[i];
        const struct claim_lookup *e = &in->lookups[i];
        if (!is_shown(c, e))
            continue;
        put_row(in,
                arena_printf(in->a, "| %s, %s (%s) | %s | %s", c->id, c->claim, c->metric, c->where,
                             claimed(in->a, &c->about)),
                e->released.given ? arena_printf(in->a, "%.3f", e->released.value) : "not known", e, &rows);
        take_run(&shown, e);
        take_notes(in, c->id, e, &shown);
        put_others(in, i, &shown, &rows);
    }
    if (rows.len) {
        text_printf(out,
                    "\nClaimed, and seen here with 95 %% intervals over seeds. A row without a claim is another run of "
                    "the one above.\n\n| claim | from | claimed | seen | %sverdict | run "
                    "|\n|---|---|---|---|%s---|---|\n%s\n",
                    in->look->released ? "the authors' files | " : "", in->look->released ? "---|" : "",
                    text_str(&rows));
        for (int i = 0; i < shown.runs.n; i++)
            put_run(in, shown.runs.at[i], out);
        put_notes(&shown, out);
    }
    text_free(&rows);
    vec_free(&shown.runs);
    vec_free(&shown.notes);
}

static bool is_measured(const struct claim_lookup *e)
{
    return has_number(e) && e->verdict.finding != FINDING_NOT_MEASURED;
}

/* Where all of two or more headline claims are from; NULL: they are from several. */
static const char *shared_place(const struct findings_input *in)
{
    const char *place = NULL;
    int n = 0;
    for (int i = 0; i < in->claims->n; i++) {
        const struct claim_lookup *e = &in->lookups[i];
        if (!in->claims->list[i].headline || !is_measured(e))
            continue;
        if (n++ && !str_eq(place, e->place))
            return NULL;
        place = e->place;
    }
    return n > 1 ? place : NULL;
}

void findings_opening(const struct findings_input *in, struct text *out)
{
    struct text judged = {0}, missing = {0};
    const char *place = shared_place(in);
    bool reduced = true;
    for (int i = 0; i < in->claims->n; i++) {
        const struct claim *c = &in->claims->list[i];
        const struct claim_lookup *e = &in->lookups[i];
        if (!c->headline)
            continue;
        if (!is_measured(e)) {
            text_printf(&missing, "%s%s", missing.len ? ", " : "", c->id);
            continue;
        }
        text_printf(&judged, "%s%s: %s, %.3f [%.3f, %.3f]%s", judged.len ? "; " : "", c->claim,
                    verdict_word(&e->verdict), e->found.ratio, e->found.low, e->found.high,
                    e->caveat ? ", doubtful" : "");
        if (!place)
            text_printf(&judged, ", in %s", link_of(in->a, e->place));
        reduced = reduced && e->found.budget == EVIDENCE_REDUCED;
    }
    text_printf(out, "- **%s**", in->claims->title);
    if (judged.len)
        text_printf(out, ": %s%s%s", text_str(&judged),
                    place ? arena_printf(in->a, ". All are of %s", link_of(in->a, place)) : "",
                    !reduced ? ""
                    : place  ? ", at reduced budgets"
                             : "; all at reduced budgets");
    if (missing.len)
        text_printf(out, "%s%s",
                    judged.len ? ". Headline claims that are not measured: " : ", not measured: ", text_str(&missing));
    text_add(out, ".\n");
    text_free(&judged);
    text_free(&missing);
}

/* ---- why, and what it would cost ---- */

static struct experiment *load(const struct findings_input *in, const char *stem, const char *tier)
{
    const struct claim_lookup_options *o = in->look;
    struct experiment_options x = {.folder = o->folder, .name = stem, .tier = tier, .sets = o->sets, .nsets = o->nsets};
    struct experiment *e;
    struct err ignored = {0};
    return experiment_load(in->a, o->registry, &x, &e, &ignored) ? e : NULL;
}

/* "about 3.1 h on two cores": the page is the same on every machine. */
static const char *hours(const struct findings_input *in, const struct experiment *e)
{
    struct campaign_forecast f = {.cores = 2};
    struct err ignored = {0};
    const struct target *t = registry_target(in->look->registry, e->plan.target, &ignored);
    if (!t)
        return "not known how long";
    campaign_forecast(&e->plan, t->is_virtual, false, &f, 1);
    return f.is_virtual ? "no time on a device" : arena_printf(in->a, "about %.1f h on two cores", f.left_s / 3600);
}

static bool is_tested(const struct claims *c, const char *stem)
{
    for (int i = 0; i < c->n; i++)
        if (c->list[i].experiment && str_eq(c->list[i].experiment, stem))
            return true;
    return false;
}

/* What each of its tiers found; in one line, how long those take that found nothing, tier short apart. */
static void why_of(const struct findings_input *in, const char *stem, struct text *out)
{
    const struct yaml *tiers = tiers_of(in, stem);
    const char *title = NULL, *rule = NULL;
    struct text rows = {0}, missing = {0};
    for (int t = 0; tiers && t < tiers->n; t++) {
        const char *tier = tiers->keys[t]->text;
        struct experiment *e = str_eq(tier, "smoke") ? NULL : load(in, stem, tier);
        struct document d;
        struct err ignored = {0};
        if (!e || !str_eq(e->paper, in->claims->paper))
            continue;
        title = e->title;
        rule = rule ? rule : report_summary_rule(in->a, e);
        if (document_exists(in->a, e) && document_read(in->a, e, in->look->folder, &d, &ignored) &&
            document_kernels_stand(&d))
            text_printf(&rows, "| %s | %s%s |\n", link_of(in->a, e->plan.results_dir), d.answer ? d.answer : d.found,
                        d.answer ? report_summary_sharing(&d) : "");
        else if (!str_eq(tier, "short"))
            text_printf(&missing, "%s %s (%s)", missing.len ? "," : "", tier, hours(in, e));
    }
    if (title)
        text_printf(out, "\n`%s`, %s%s%s.%s%s%s\n", stem, title, rule ? ". Declared before the runs: " : "",
                    rule ? rule : "", missing.len ? " No valid run yet of" : "", text_str(&missing),
                    missing.len ? "." : "");
    if (rows.len)
        text_printf(out, "\n| run | found |\n|---|---|\n%s", text_str(&rows));
    text_free(&rows);
    text_free(&missing);
}

/* Experiments of the paper that test no claim of it. */
static void why(const struct findings_input *in, struct text *out)
{
    char **names;
    int n;
    struct err ignored = {0};
    struct text items = {0};
    if (!file_list(in->a, in->look->folder, ".yaml", &names, &n, &ignored))
        return;
    for (int i = 0; i < n; i++)
        if (!is_tested(in->claims, names[i]))
            why_of(in, names[i], &items);
    if (in->claims->nexplained)
        text_add(out, "\nWhat the authors' own numbers say of the difference:\n\n");
    for (int i = 0; i < in->claims->nexplained; i++)
        text_printf(out, "- %s\n", in->claims->explained[i]);
    if (items.len)
        text_printf(out, "\nWhat explains the difference, asked by experiments that judge no claim.\n%s",
                    text_str(&items));
    text_free(&items);
}

static void open_of(const struct findings_input *in, const char *stem, struct text *out)
{
    int open = 0, missing = 0, settles = 0;
    const char *tier = experiment_has_tier(in->a, in->look->folder, stem, "judge") ? "judge" : "full";
    struct experiment *e = load(in, stem, tier);
    struct claim_forecasts f = {0};
    struct err ignored = {0};
    for (int i = 0; i < in->claims->n; i++)
        if (in->claims->list[i].experiment && str_eq(in->claims->list[i].experiment, stem) &&
            is_open(&in->lookups[i])) {
            missing += in->lookups[i].verdict.finding == FINDING_NOT_MEASURED;
            open += in->lookups[i].verdict.finding != FINDING_NOT_MEASURED;
        }
    if (!open && !missing)
        return;
    text_printf(out, "| `%s` | %d | %d | ", stem, open, missing);
    if (e && claim_forecasts_make(in->a, in->look->folder, e, &f, &ignored)) {
        for (int i = 0; i < f.n; i++)
            settles += f.at[i].reach == CLAIM_SETTLES;
        text_printf(out, "`raingauge run %s --tier %s` | %d of %d | %s |\n", stem, tier, settles, f.n, hours(in, e));
    } else {
        text_add(out, "not known | | |\n");
    }
}

static void open_claims(const struct findings_input *in, struct text *out)
{
    int none = 0;
    text_add(out, "\nClaims that are open or not measured, and what it would take:\n\n"
                  "| experiment | open | not measured | a run that would settle some here | of them | takes "
                  "|\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < in->claims->n; i++) {
        const char *stem = in->claims->list[i].experiment;
        bool known = !stem;
        none += !stem;
        for (int k = 0; k < i && !known; k++)
            known = in->claims->list[k].experiment && str_eq(in->claims->list[k].experiment, stem);
        if (!known)
            open_of(in, stem, out);
    }
    if (none)
        text_printf(out, "\n%d claims have no experiment here; `raingauge claims %s` says why.\n", none,
                    in->claims->paper);
}

void findings_why(const struct findings_input *in, struct text *out)
{
    const struct claims_tap counted = claims_tap_make(in->claims, in->lookups);
    text_printf(out, "## %s: why, and what is open\n\nMeasured here:", in->claims->title);
    claims_tap_count(&counted, false, out);
    text_add(out, ".\n");
    why(in, out);
    open_claims(in, out);
}

void findings_seen(const struct findings_input *in, struct text *out)
{
    text_printf(out, "## %s: claim by claim\n", in->claims->title);
    seen(in, out);
}

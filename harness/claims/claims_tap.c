/* SPDX-License-Identifier: Apache-2.0 */
/* claims_tap: TAP 13, since prove of Debian 12 refuses 14; details in the YAML block after a point. */
#include "harness/claims/claims_tap.h"

#include "harness/stats/verdict_text.h"

#include <math.h>
#include <string.h>

/* The verdict that a claim's test hangs on: what was measured, else what the authors' files say. */
static const struct verdict *deciding(const struct claim_lookup *e)
{
    return e->verdict.finding == FINDING_NOT_MEASURED && e->released.given ? &e->released.verdict : &e->verdict;
}

struct claims_tap claims_tap_make(const struct claims *c, const struct claim_lookup *e)
{
    struct claims_tap d = {.claims = c, .lookups = e};
    for (int i = 0; i < c->n; i++) {
        const struct verdict *v = deciding(&e[i]);
        d.tests[v->finding]++;
        if (c->list[i].headline && (!d.headline || verdict_rank(v) < verdict_rank(d.headline)))
            d.headline = v;
    }
    return d;
}

/* Directives of TAP start with '#', and a line is a point. */
static void plain(struct text *t, const char *s)
{
    for (; *s; s++)
        text_char(t, *s == '#' ? '-' : (unsigned char)*s < ' ' ? ' ' : *s);
}

static void point(const struct claims_tap *d, int i, struct text *t)
{
    const struct claim *c = &d->claims->list[i];
    const struct claim_lookup *e = &d->lookups[i];
    const struct verdict *v = deciding(e);
    const char *directive = v->finding == FINDING_NOT_MEASURED                                         ? "SKIP"
                            : v->finding == FINDING_INCONCLUSIVE || v->finding == FINDING_FOR_NOT_SIZE ? "TODO"
                                                                                                       : NULL;
    bool fine = verdict_leans(v) == LEANING_FOR || v->finding == FINDING_NOT_MEASURED;
    text_printf(t, "%s %d - %s", fine ? "ok" : "not ok", i + 1, c->id);
    if (!directive)
        text_printf(t, " %s%s%s", verdict_word(v), v->released ? " (the authors' files)" : "",
                    (v->released ? e->released.caveat : e->caveat) ? ", doubtful" : "");
    text_add(t, ": ");
    plain(t, c->claim);
    if (directive) {
        text_printf(t, " # %s %s%s: ", directive, verdict_word(v), e->caveat ? ", doubtful" : "");
        plain(t, e->reason);
    }
    text_char(t, '\n');
}

/* A quoted string of YAML is one of JSON. */
static void field(struct text *t, const char *name, const char *value)
{
    struct text valid = {0};
    text_utf8(&valid, value);
    text_printf(t, "  %s: ", name);
    json_print(cJSON_CreateString(text_str(&valid)), t);
    text_char(t, '\n');
    text_free(&valid);
}

static void details(const struct claims_tap *d, int i, struct text *t)
{
    const struct claim *c = &d->claims->list[i];
    const struct claim_lookup *e = &d->lookups[i];
    text_add(t, "  ---\n");
    field(t, "verdict", verdict_word(&e->verdict));
    field(t, "reason", e->reason);
    if (e->caveat)
        field(t, "doubtful", e->caveat);
    if (e->released.given) {
        field(t, "released_verdict", verdict_word(&e->released.verdict));
        field(t, "released_reason", e->released.reason);
    }
    if (e->released.caveat)
        field(t, "released_doubtful", e->released.caveat);
    if (e->found.source == EVIDENCE_MEASURED)
        field(t, "measurement", e->measurement);
    if (e->changed > FINGERPRINT_SAME)
        field(t, "claim_since_the_run_began", fingerprint_words[e->changed]);
    field(t, "metric", c->metric);
    field(t, "clock", c->clock);
    field(t, "machine", c->machine ? c->machine->title : "any");
    if (isfinite(c->about.value))
        text_printf(t, "  paper: %g\n", c->about.value);
    text_printf(t, "  tolerance: %g\n", c->about.tolerance);
    if (isfinite(e->found.ratio))
        text_printf(t, "  value: %.4g\n", e->found.ratio);
    if (isfinite(e->found.low) && isfinite(e->found.high))
        text_printf(t, "  interval: [%.4g, %.4g]\n", e->found.low, e->found.high);
    if (e->found.df > 0)
        text_printf(t, "  degrees_of_freedom: %.3g\n", e->found.df);
    if (isfinite(e->half))
        text_printf(t, "  half_width: %.4g\n", e->half);
    if (isfinite(e->across_low) && isfinite(e->across_high))
        text_printf(t, "  others_like_these: [%.4g, %.4g]\n", e->across_low, e->across_high);
    if (isfinite(e->wall))
        text_printf(t, "  wall: %.4g\n", e->wall);
    if (e->found.pairs)
        text_printf(t, "  same_program: %d of %d kernels\n", e->found.ties, e->found.pairs);
    if (e->described)
        text_printf(t, "  as_the_paper_counts: %.4g [%.4g, %.4g]\n", e->described->ratio, e->described->low,
                    e->described->high);
    if (e->place)
        field(t, "results", e->place);
    text_add(t, "  ...\n");
}

/* Claims of the run's experiment that are not as they were when it began. */
static int changed_since(const struct claims_tap *d, const struct claim_lookup_run *run, struct arena *a,
                         const struct claim **out)
{
    int n = 0;
    for (int i = 0; i < d->claims->n; i++) {
        const struct claim *c = &d->claims->list[i];
        if (c->experiment && str_eq(c->experiment, run->experiment) &&
            fingerprint_state_of(a, run->begun, c) > FINGERPRINT_SAME)
            out[n++] = c;
    }
    return n;
}

/* Were the claims fixed before the runs that judge them? */
static void say_runs(const struct claims_tap *d, struct text *t)
{
    struct arena *a = arena_open("changes");
    const struct claim **changed = ARENA_ARRAY(a, const struct claim *, d->claims->n + 1);
    for (int i = 0; i < d->nruns; i++) {
        const struct claim_lookup_run *run = &d->runs[i];
        enum fingerprint_state file = fingerprint_file(run->begun, d->claims);
        int n = changed_since(d, run, a, changed);
        text_printf(t, "# %s: ", run->place);
        if (file == FINGERPRINT_UNKNOWN)
            text_add(t, "the records do not say what the claims were when the run began\n");
        else if (n == 0)
            text_printf(t, "its claims are as they were when the run began%s\n",
                        file == FINGERPRINT_SAME ? "" : ", the file of claims changed elsewhere");
        else
            text_add(t, "the file of claims changed since the run began:");
        for (int k = 0; k < n && file != FINGERPRINT_UNKNOWN; k++)
            text_printf(t, "%s %s (%s)%s", k ? "," : "", changed[k]->id,
                        fingerprint_words[fingerprint_state_of(a, run->begun, changed[k])], k == n - 1 ? "\n" : "");
    }
    arena_close(a);
}

static bool spoken(const struct claim_lookup *e)
{
    return e->verdict.finding != FINDING_NOT_MEASURED || e->released.given;
}

/* Is there an earlier claim with this word that rests on the same measurement? */
static bool seen(const struct claims_tap *d, int i)
{
    for (int k = 0; k < i; k++)
        if (str_eq(d->lookups[k].measurement, d->lookups[i].measurement) &&
            str_eq(verdict_word(&d->lookups[k].verdict), verdict_word(&d->lookups[i].verdict)))
            return true;
    return false;
}

void claims_tap_count(const struct claims_tap *d, bool released, struct text *t)
{
    for (int w = 0, n, of; verdict_words[w]; w++) {
        n = of = 0;
        for (int i = 0; i < d->claims->n; i++) {
            const struct claim_lookup *e = &d->lookups[i];
            const struct verdict *v = released ? &e->released.verdict : &e->verdict;
            if ((released && !e->released.given) || !str_eq(verdict_word(v), verdict_words[w]))
                continue;
            n++;
            of += !seen(d, i);
        }
        bool measured = !released && !str_eq(verdict_words[w], "NOT MEASURED");
        if (n && measured)
            text_printf(t, " %d %s (%d measurement%s),", n, verdict_words[w], of, of == 1 ? "" : "s");
        else if (n)
            text_printf(t, " %d %s,", n, verdict_words[w]);
    }
    text_printf(t, " of %d claims", d->claims->n);
}

void claims_tap_print(const struct claims_tap *d, struct text *t)
{
    const struct claims *c = d->claims;
    bool released = false;
    text_printf(t, "TAP version 13\n# %s: %s\n# %s, SHA-256 %s\n1..%d\n", c->paper, c->title, c->file, c->hash, c->n);
    for (const char *p = d->findings; p && *p; p += strcspn(p, "\n") + 1)
        text_printf(t, "# %.*s\n", (int)strcspn(p, "\n"), p);
    say_runs(d, t);
    for (int i = 0; i < c->n; i++) {
        point(d, i, t);
        if (spoken(&d->lookups[i]))
            details(d, i, t);
        released = released || d->lookups[i].released.given;
    }
    if (d->headline)
        text_printf(t, "# headline: %s\n", verdict_word(d->headline));
    text_add(t, "# measured:");
    claims_tap_count(d, false, t);
    text_char(t, '\n');
    if (released) {
        text_add(t, "# the authors' files:");
        claims_tap_count(d, true, t);
        text_char(t, '\n');
    }
}

/* What cannot be read from a field. */
struct words {
    const char *verdict, *released_verdict, *machine, *column;
    double released_value, as_the_paper_counts;
};
#define CLAIM struct claim, 0
#define LOOKUP struct claim_lookup, 1
#define WORDS struct words, 2
const struct json_member claims_members[] = {
    MEMBER("paper", "text", "Name of the paper."),
    MEMBER("file", "text", "File of its claims."),
    MEMBER("hash", "text", "SHA-256 of that file."),
    MEMBER_MAYBE("runs[].results", "text", "A folder with results that claims were judged by."),
    MEMBER_MAYBE("runs[].claims_begun", "text", "SHA-256 of the file of claims when that run began; empty: not known."),
    MEMBER_MAYBE("runs[].changed[]", "text", "Names of claims that were changed or added since."),
    MEMBER("headline", "text", "The worst verdict of the headline claims."),
    FIELD("claims[].id", CLAIM, id, "text", "Name of the claim."),
    FIELD("claims[].verdict", WORDS, verdict, "text",
          "What was measured of it: a word of the table in harness/doc/measurement.md, \"Verdict rules\"."),
    FIELD_MAYBE("claims[].released_verdict", WORDS, released_verdict, "text",
                "What the authors' files say: REANALYSED or NOT REPRODUCED; null: nothing, or they were not given."),
    FIELD_MAYBE("claims[].released_value", WORDS, released_value, "ratio", "The number in these files."),
    FIELD_MAYBE("claims[].released_reason", LOOKUP, released.reason, "text", "Why that verdict."),
    FIELD_MAYBE("claims[].released_caveat", LOOKUP, released.caveat, "text",
                "Why that number is doubtful; null: it is not."),
    MEMBER("claims[].measurement", "text",
           "What is measured; claims of one measurement are not independent. Empty: no experiment tests it."),
    FIELD("claims[].same_program", LOOKUP, found.ties, "count", "Kernels of which both arms end in the same program."),
    FIELD("claims[].same_program_of", LOOKUP, found.pairs, "count", "Of how many; 0: not known."),
    FIELD_MAYBE("claims[].as_the_paper_counts", WORDS, as_the_paper_counts, "ratio",
                "Of search time to parity: the paper's own ratio, a description that no verdict rests on."),
    FIELD("claims[].value", LOOKUP, found.ratio, "ratio",
          "What was measured; of column wins the share of networks over a half."),
    MEMBER("claims[].interval", "[low, high]", "95 % interval over seeds, which decides."),
    MEMBER("claims[].interval_others", "[low, high]", "95 % interval over networks or kernels like these."),
    FIELD("claims[].paper", CLAIM, about.value, "ratio", "The paper's value; null: it states a side only."),
    FIELD("claims[].tolerance", CLAIM, about.tolerance, "ratio",
          "The band is value / (1 + tolerance) to value x (1 + tolerance)."),
    FIELD("claims[].reason", LOOKUP, reason, "text", "Why this verdict."),
    FIELD_MAYBE("claims[].cure", LOOKUP, cure, "text",
                "What would measure it, or make its gates pass, with the command; null: nothing."),
    FIELD_MAYBE("claims[].caveat", LOOKUP, caveat, "text", "Why the number is doubtful; null: it is not."),
    MEMBER("claims[].changed", "text",
           "Whether the claim is as it was when the run began: as it was, changed, new; empty: not known."),
    FIELD("claims[].df", LOOKUP, found.df, "number",
          "Degrees of freedom of the spread between seeds; a verdict takes 15."),
    FIELD("claims[].half_width", LOOKUP, half, "log ratio",
          "Half the interval; a verdict takes ln(1 + tolerance) at most."),
    FIELD("claims[].more_seeds", LOOKUP, verdict.more_seeds, "count",
          "Seeds that would settle it; 0: none would, or it is settled."),
    FIELD("claims[].seeds", LOOKUP, found.seeds, "count", "Seeds that the value rests on."),
    FIELD("claims[].headline", CLAIM, headline, "true or false", "Whether it is a claim of the abstract."),
    FIELD("claims[].noise", LOOKUP, found.noise, "log ratio",
          "Noise floor of kernels; no smaller effect gets a verdict. 0: the claim is not about kernels."),
    FIELD("claims[].wall", LOOKUP, wall, "ratio",
          "Of a search claim on another clock: the same ratio on the wall clock."),
    FIELD("claims[].claim", CLAIM, claim, "text", "The claim in words."),
    FIELD("claims[].where", CLAIM, where, "text", "Where the paper says so."),
    FIELD("claims[].metric", CLAIM, metric, "text", "What is compared."),
    FIELD("claims[].clock", CLAIM, clock, "text", "Clock of a search claim: wall, records or none."),
    FIELD("claims[].machine", WORDS, machine, "text", "Machine that it is about, or any."),
    FIELD("claims[].experiment", CLAIM, experiment, "text", "Experiment that tests it; null: none does."),
    FIELD("claims[].column", WORDS, column, "text", "Column of that experiment's report; null: none."),
    FIELD("claims[].arm", CLAIM, arm, "text", "Arm that it is about; null: that of the report."),
    FIELD("claims[].results", LOOKUP, place, "text", "Folder that the verdict was read from; null: none."),
    {0}};

static void put_claim(const struct claim *c, const struct claim_lookup *e, cJSON *o)
{
    const struct words words = {
        .verdict = verdict_word(&e->verdict),
        .released_verdict = e->released.given ? verdict_word(&e->released.verdict) : NULL,
        .machine = c->machine ? c->machine->name : "any",
        .column = c->experiment ? claims_column_word(c->column) : NULL,
        .released_value = e->released.given ? e->released.value : (double)NAN,
        .as_the_paper_counts = e->described ? e->described->ratio : (double)NAN,
    };
    json_put_fields(o, claims_members, "claims[].", (const void *[]){c, e, &words});
    json_put_range(o, "interval", e->found.low, e->found.high);
    json_put_range(o, "interval_others", e->across_low, e->across_high);
    json_put_str(o, "measurement", e->measurement);
    json_put_str(o, "changed", fingerprint_words[e->changed]);
}

/* The hash in a fingerprint's first line. */
static const char *file_hash(struct arena *a, const char *begun)
{
    const char *at = strchr(begun, ' ');
    return at ? arena_strn(a, at + 1, strcspn(at + 1, "\n")) : "";
}

static void put_runs(const struct claims_tap *d, cJSON *root)
{
    struct arena *a = arena_open("changes");
    const struct claim **changed = ARENA_ARRAY(a, const struct claim *, d->claims->n + 1);
    cJSON *list = json_put_array(root, "runs");
    for (int i = 0; i < d->nruns; i++) {
        cJSON *o = json_put_object(list, NULL);
        json_put_str(o, "results", d->runs[i].place);
        json_put_str(o, "claims_begun", file_hash(a, d->runs[i].begun));
        cJSON *names = json_put_array(o, "changed");
        int n = changed_since(d, &d->runs[i], a, changed);
        for (int k = 0; k < n; k++)
            json_put_str(names, NULL, changed[k]->id);
    }
    arena_close(a);
}

void claims_tap_json(const struct claims_tap *d, struct text *t)
{
    cJSON *root = json_object();
    json_put_str(root, "paper", d->claims->paper);
    json_put_str(root, "file", d->claims->file);
    json_put_str(root, "hash", d->claims->hash);
    json_put_str(root, "headline", d->headline ? verdict_word(d->headline) : NULL);
    put_runs(d, root);
    cJSON *list = json_put_array(root, "claims");
    for (int i = 0; i < d->claims->n; i++)
        put_claim(&d->claims->list[i], &d->lookups[i], json_put_object(list, NULL));
    json_print(root, t);
    text_char(t, '\n');
}

static int against(const struct claims_tap *d)
{
    int n = 0;
    for (int f = 0; f < FINDING_COUNT; f++)
        n += verdict_leans(&(struct verdict){.finding = (enum verdict_finding)f}) == LEANING_AGAINST ? d->tests[f] : 0;
    return n;
}

const char *claims_tap_summary(struct arena *a, const struct claims_tap *d)
{
    return arena_printf(a, "%d not reproduced, %d invalid, %d open, %d not measured", against(d),
                        d->tests[FINDING_INVALID], d->tests[FINDING_INCONCLUSIVE] + d->tests[FINDING_FOR_NOT_SIZE],
                        d->tests[FINDING_NOT_MEASURED]);
}

enum exit_code claims_tap_code(const struct claims_tap *d)
{
    bool open = d->tests[FINDING_INCONCLUSIVE] || d->tests[FINDING_FOR_NOT_SIZE] || d->tests[FINDING_NOT_MEASURED];
    return against(d)                  ? EXIT_REGRESSION
           : d->tests[FINDING_INVALID] ? EXIT_INVALID
           : open                      ? EXIT_INCONCLUSIVE
                                       : EXIT_FINE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* claims_tap: TAP 13, since prove of Debian 12 refuses 14; details in the YAML block after a point. */
#include "harness/claims/claims_tap.h"

#include "harness/base/json.h"

#include <math.h>
#include <string.h>

struct claims_tap claims_tap_make(const struct claims *c, const struct claim_lookup *e)
{
    struct claims_tap d = {.claims = c, .lookups = e, .headline = VERDICT_NOT_MEASURED};
    int headlines = 0;
    for (int i = 0; i < c->n; i++) {
        enum verdict_kind k = e[i].verdict.kind;
        d.count[k]++;
        if (c->list[i].headline)
            d.headline = headlines++ == 0 || k < d.headline ? k : d.headline;
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
    const struct verdict *v = &d->lookups[i].verdict;
    bool open = v->kind == VERDICT_INCONCLUSIVE;
    bool bad = v->kind == VERDICT_NOT_REPRODUCED || v->kind == VERDICT_INVALID || open;
    text_printf(t, "%s %d - %s %s%s: ", bad ? "not ok" : "ok", i + 1, c->id, verdict_word(v->kind),
                d->lookups[i].caveat ? ", doubtful" : "");
    plain(t, c->claim);
    if (open || v->kind == VERDICT_NOT_MEASURED) {
        text_add(t, open ? " # TODO " : " # SKIP ");
        plain(t, v->reason);
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
    field(t, "verdict", verdict_word(e->verdict.kind));
    field(t, "reason", e->verdict.reason);
    if (e->caveat)
        field(t, "doubtful", e->caveat);
    if (e->changed > FINGERPRINT_SAME)
        field(t, "claim_since_the_run_began", fingerprint_word(e->changed));
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
                        fingerprint_word(fingerprint_state_of(a, run->begun, changed[k])), k == n - 1 ? "\n" : "");
    }
    arena_close(a);
}

void claims_tap_print(const struct claims_tap *d, struct text *t)
{
    const struct claims *c = d->claims;
    text_printf(t, "TAP version 13\n# %s: %s\n# %s, SHA-256 %s\n1..%d\n", c->paper, c->title, c->file, c->hash, c->n);
    say_runs(d, t);
    for (int i = 0; i < c->n; i++) {
        point(d, i, t);
        if (d->lookups[i].verdict.kind != VERDICT_NOT_MEASURED)
            details(d, i, t);
    }
    text_printf(t, "# headline: %s\n#", verdict_word(d->headline));
    for (int k = VERDICT_COUNT - 1; k >= 0; k--)
        if (d->count[k])
            text_printf(t, " %d %s,", d->count[k], verdict_word((enum verdict_kind)k));
    text_printf(t, " of %d claims\n", c->n);
}

static void put_claim(const struct claim *c, const struct claim_lookup *e, cJSON *o)
{
    json_put_str(o, "id", c->id);
    json_put_str(o, "verdict", verdict_word(e->verdict.kind));
    json_put_number(o, "value", e->found.ratio);
    json_put_range(o, "interval", e->found.low, e->found.high);
    json_put_range(o, "interval_others", e->across_low, e->across_high);
    json_put_number(o, "paper", c->about.value);
    json_put_number(o, "tolerance", c->about.tolerance);
    json_put_str(o, "reason", e->verdict.reason);
    json_put_str(o, "cure",
                 e->verdict.kind == VERDICT_INVALID || e->verdict.kind == VERDICT_NOT_MEASURED ? e->found.cure : NULL);
    json_put_str(o, "caveat", e->caveat);
    json_put_str(o, "changed", fingerprint_word(e->changed));
    json_put_number(o, "df", e->found.df);
    json_put_number(o, "half_width", e->half);
    json_put_int(o, "more_seeds", e->verdict.more_seeds);
    json_put_int(o, "seeds", e->found.seeds);
    json_put_bool(o, "headline", c->headline);
    json_put_number(o, "noise", e->found.noise);
    json_put_number(o, "wall", e->wall);
    json_put_str(o, "claim", c->claim);
    json_put_str(o, "where", c->where);
    json_put_str(o, "metric", c->metric);
    json_put_str(o, "clock", c->clock);
    json_put_str(o, "machine", c->machine ? c->machine->name : "any");
    json_put_str(o, "experiment", c->experiment);
    json_put_str(o, "column", c->experiment ? claims_column_word(c->column) : NULL);
    json_put_str(o, "arm", c->arm);
    json_put_str(o, "results", e->place);
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
    json_put_str(root, "headline", verdict_word(d->headline));
    put_runs(d, root);
    cJSON *list = json_put_array(root, "claims");
    for (int i = 0; i < d->claims->n; i++)
        put_claim(&d->claims->list[i], &d->lookups[i], json_put_object(list, NULL));
    json_print(root, t);
    text_char(t, '\n');
}

enum exit_code claims_tap_code(const struct claims_tap *d)
{
    return d->count[VERDICT_NOT_REPRODUCED]                                   ? EXIT_REGRESSION
           : d->count[VERDICT_INVALID]                                        ? EXIT_INVALID
           : d->count[VERDICT_INCONCLUSIVE] || d->count[VERDICT_NOT_MEASURED] ? EXIT_INCONCLUSIVE
                                                                              : EXIT_FINE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* claims_tap: TAP 13, since prove of Debian 12 refuses 14 (practice.md, fact 8); details in the YAML block after a
 * point.
 */
#include "harness/claims/claims_tap.h"

#include <math.h>

struct claims_tap claims_tap_make(const struct claims *c, const struct claim_lookup *e)
{
    struct claims_tap d = {.claims = c, .evidence = e, .headline = VERDICT_NOT_MEASURED};
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
    const struct verdict *v = &d->evidence[i].verdict;
    bool open = v->kind == VERDICT_INCONCLUSIVE;
    bool bad = v->kind == VERDICT_NOT_REPRODUCED || v->kind == VERDICT_INVALID || open;
    text_printf(t, "%s %d - %s %s: ", bad ? "not ok" : "ok", i + 1, c->id, verdict_word(v->kind));
    plain(t, c->claim);
    if (open || v->kind == VERDICT_NOT_MEASURED) {
        text_add(t, open ? " # TODO " : " # SKIP ");
        plain(t, v->reason);
    }
    text_char(t, '\n');
}

static void field(struct text *t, const char *name, const char *value)
{
    text_printf(t, "  %s: ", name);
    text_json(t, value);
    text_char(t, '\n');
}

static void details(const struct claims_tap *d, int i, struct text *t)
{
    const struct claim *c = &d->claims->list[i];
    const struct claim_lookup *e = &d->evidence[i];
    text_add(t, "  ---\n");
    field(t, "verdict", verdict_word(e->verdict.kind));
    field(t, "reason", e->verdict.reason);
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
    if (isfinite(e->across_low) && isfinite(e->across_high))
        text_printf(t, "  others_like_these: [%.4g, %.4g]\n", e->across_low, e->across_high);
    if (isfinite(e->wall))
        text_printf(t, "  wall: %.4g\n", e->wall);
    if (e->place)
        field(t, "results", e->place);
    text_add(t, "  ...\n");
}

void claims_tap_print(const struct claims_tap *d, struct text *t)
{
    const struct claims *c = d->claims;
    text_printf(t, "TAP version 13\n# %s: %s\n# %s, SHA-256 %s\n1..%d\n", c->paper, c->title, c->file, c->hash, c->n);
    for (int i = 0; i < c->n; i++) {
        point(d, i, t);
        if (d->evidence[i].verdict.kind != VERDICT_NOT_MEASURED)
            details(d, i, t);
    }
    text_printf(t, "# headline: %s\n#", verdict_word(d->headline));
    for (int k = VERDICT_COUNT - 1; k >= 0; k--)
        if (d->count[k])
            text_printf(t, " %d %s,", d->count[k], verdict_word((enum verdict_kind)k));
    text_printf(t, " of %d claims\n", c->n);
}

static void claim_object(const struct claim *c, const struct claim_lookup *e, struct text *t)
{
    text_add(t, "{\"id\": ");
    text_json(t, c->id);
    text_member_string(t, "verdict", verdict_word(e->verdict.kind));
    text_member_number(t, "value", e->found.ratio);
    text_member_pair(t, "interval", e->found.low, e->found.high);
    text_member_pair(t, "interval_others", e->across_low, e->across_high);
    text_member_number(t, "paper", c->about.value);
    text_member_number(t, "tolerance", c->about.tolerance);
    text_member_string(t, "reason", e->verdict.reason);
    text_printf(t, ", \"more_seeds\": %d, \"seeds\": %d, \"headline\": %s", e->verdict.more_seeds, e->found.seeds,
                c->headline ? "true" : "false");
    text_member_number(t, "noise", e->found.noise);
    text_member_number(t, "wall", e->wall);
    text_member_string(t, "claim", c->claim);
    text_member_string(t, "where", c->where);
    text_member_string(t, "metric", c->metric);
    text_member_string(t, "clock", c->clock);
    text_member_string(t, "machine", c->machine ? c->machine->name : "any");
    text_member_string(t, "experiment", c->experiment);
    text_member_string(t, "column", c->experiment ? claims_column_word(c->column) : NULL);
    text_member_string(t, "arm", c->arm);
    text_member_string(t, "results", e->place);
    text_add(t, "}");
}

void claims_tap_json(const struct claims_tap *d, struct text *t)
{
    text_add(t, "{\"paper\": ");
    text_json(t, d->claims->paper);
    text_member_string(t, "file", d->claims->file);
    text_member_string(t, "hash", d->claims->hash);
    text_member_string(t, "headline", verdict_word(d->headline));
    text_add(t, ", \"claims\": [");
    for (int i = 0; i < d->claims->n; i++) {
        text_add(t, i ? ",\n" : "\n");
        claim_object(&d->claims->list[i], &d->evidence[i], t);
    }
    text_add(t, "\n]}\n");
}

enum exit_code claims_tap_code(const struct claims_tap *d)
{
    return d->count[VERDICT_NOT_REPRODUCED]                                   ? EXIT_REGRESSION
           : d->count[VERDICT_INVALID]                                        ? EXIT_INVALID
           : d->count[VERDICT_INCONCLUSIVE] || d->count[VERDICT_NOT_MEASURED] ? EXIT_INCONCLUSIVE
                                                                              : EXIT_FINE;
}

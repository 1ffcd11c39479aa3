/* SPDX-License-Identifier: Apache-2.0 */
/* claims_tap: TAP 13, since prove of Debian 12 refuses 14; details in the YAML block after a point. */
#include "harness/claims/claims_tap.h"

#include "harness/base/json.h"

#include <math.h>

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
    text_printf(t, "%s %d - %s %s: ", bad ? "not ok" : "ok", i + 1, c->id, verdict_word(v->kind));
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

void claims_tap_json(const struct claims_tap *d, struct text *t)
{
    cJSON *root = json_object();
    json_put_str(root, "paper", d->claims->paper);
    json_put_str(root, "file", d->claims->file);
    json_put_str(root, "hash", d->claims->hash);
    json_put_str(root, "headline", verdict_word(d->headline));
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

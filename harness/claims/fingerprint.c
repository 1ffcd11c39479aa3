/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprint: a claim's hash has 16 digits: it detects edits, not forgeries. */
#include "harness/claims/fingerprint.h"

#include "harness/base/digest.h"
#include "harness/base/text.h"

#include <math.h>
#include <string.h>

static const char *claim_hash(struct arena *a, const struct claim *c)
{
    struct text t = {0};
    char hex[65];
    text_printf(&t, "%d %.17g %.17g %s %s %lld %s", (int)c->about.side, isnan(c->about.value) ? -1 : c->about.value,
                c->about.tolerance, c->machine ? c->machine->name : "any", c->clock, (long long)c->networks,
                c->experiment ? c->experiment : "untested");
    if (c->experiment)
        text_printf(&t, " %s %lld %s %s", claims_column_word(c->column), (long long)c->k, c->arm ? c->arm : "",
                    c->network ? c->network : "");
    for (int i = 0; i < c->nover; i++)
        text_printf(&t, " %s", c->over[i]);
    if (c->about.band_low > 0 || c->about.margin > 0)
        text_printf(&t, " band %.17g %.17g margin %.17g", c->about.band_low, c->about.band_high, c->about.margin);
    digest_sha256(text_str(&t), t.len, hex);
    text_free(&t);
    return arena_strn(a, hex, 16);
}

const char *fingerprint_of(struct arena *a, const char *folder, const char *paper, const char *experiment)
{
    struct claims claims;
    struct err ignored = {0};
    if (!*paper || !claims_load(a, folder, paper, &claims, &ignored))
        return "";
    struct text t = {0};
    text_printf(&t, "%s %s\n", paper, claims.hash);
    for (int i = 0; i < claims.n; i++)
        if (claims.list[i].experiment && str_eq(claims.list[i].experiment, experiment))
            text_printf(&t, "%s %s\n", claims.list[i].id, claim_hash(a, &claims.list[i]));
    return text_keep(&t, a);
}

/* How the line of that name compares. */
static enum fingerprint_state look_up(const char *begun, const char *name, const char *hash)
{
    size_t n = strlen(name);
    for (const char *line = begun; *line; line += strcspn(line, "\n"), line += *line != 0)
        if (strncmp(line, name, n) == 0 && line[n] == ' ')
            return strncmp(line + n + 1, hash, strlen(hash)) == 0 ? FINGERPRINT_SAME : FINGERPRINT_CHANGED;
    return *begun ? FINGERPRINT_NEW : FINGERPRINT_UNKNOWN;
}

enum fingerprint_state fingerprint_state_of(struct arena *a, const char *begun, const struct claim *c)
{
    return look_up(begun, c->id, claim_hash(a, c));
}

enum fingerprint_state fingerprint_file(const char *begun, const struct claims *c)
{
    return look_up(begun, c->paper, c->hash);
}

const char *const fingerprint_words[] = {"", "as it was", "changed", "new"};

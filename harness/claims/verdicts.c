/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts: those that speak come first, then what is not measured, each in the order of the claims' file. */
#include "harness/claims/verdicts.h"

#include "harness/claims/claim_lookup.h"
#include "harness/stats/verdict_text.h"

#include <math.h>

static void put(struct document *d, const struct claim *c, const struct claim_lookup *e)
{
    struct document_row to = document_add(d, TABLE_VERDICTS);
    bool seeds = e->found.seeds > 1;
    document_text(to, COL_CLAIM, c->id);
    document_text(to, COL_SAYS, c->claim);
    document_text(to, COL_VERDICT, verdict_word(&e->verdict));
    document_number(to, COL_VALUE, e->found.ratio);
    document_range(to, COL_INTERVAL, seeds ? e->found.low : (double)NAN, seeds ? e->found.high : (double)NAN);
    document_range(to, COL_INTERVAL_OTHERS, e->across_low, e->across_high);
    document_number(to, COL_PAPER, c->about.value);
    document_text(to, COL_CLOCK, c->clock);
    document_number(to, COL_WALL, e->wall);
    document_count(to, COL_SEEDS, e->found.seeds);
    if (e->found.df > 0)
        document_number(to, COL_DF, e->found.df);
    document_number(to, COL_INTERVAL_HALF, e->half);
    document_text(to, COL_CHANGED, e->changed > FINGERPRINT_SAME ? fingerprint_words[e->changed] : NULL);
    document_text(to, COL_DOUBT, e->caveat);
    document_text(to, COL_MEASUREMENT, e->measurement);
    document_text(to, COL_REASON, e->reason);
}

/* Rows of tables are for raingauge claims. */
static bool tests(const struct document *d, const struct claim *c)
{
    return c->experiment && !c->detail && str_eq(c->experiment, d->experiment);
}

/* Were the claims fixed before the run? */
static const char *since(const struct document *d)
{
    const char *changed = "";
    for (int i = 0; i < document_rows(d, TABLE_VERDICTS); i++) {
        const char *how = document_text_at(d, TABLE_VERDICTS, i, COL_CHANGED);
        if (*how)
            changed = arena_printf(d->a, "%s%s%s (%s)", changed, *changed ? ", " : "",
                                   document_text_at(d, TABLE_VERDICTS, i, COL_CLAIM), how);
    }
    return !*d->claims_begun ? "The records do not say what it held when the run began"
           : *changed        ? arena_printf(d->a, "Since the run began these were changed: %s", changed)
                             : "None of these was changed since the run began";
}

/* "3 TRANSFERRED, 2 INCONCLUSIVE; doubtful: C2": of what was judged. */
static const char *counted(const struct document *d)
{
    const char *all = "", *doubts = "";
    for (int w = 0; verdict_words[w]; w++) {
        int n = 0;
        for (int i = 0; i < document_rows(d, TABLE_VERDICTS); i++)
            n += str_eq(document_text_at(d, TABLE_VERDICTS, i, COL_VERDICT), verdict_words[w]);
        if (n && !str_eq(verdict_words[w], "NOT MEASURED"))
            all = arena_printf(d->a, "%s%s%d %s", all, *all ? ", " : "", n, verdict_words[w]);
    }
    for (int i = 0; i < document_rows(d, TABLE_VERDICTS); i++)
        if (*document_text_at(d, TABLE_VERDICTS, i, COL_DOUBT))
            doubts = arena_printf(d->a, "%s%s%s", doubts,
                                  *doubts ? ", " : "; doubtful: ", document_text_at(d, TABLE_VERDICTS, i, COL_CLAIM));
    return *all ? arena_printf(d->a, " Claims of %s: %s%s.", d->paper, all, doubts) : "";
}

void verdicts_fill(struct document *d, const struct registry *registry, const char *folder)
{
    char *hash = ARENA_ARRAY(d->a, char, 65);
    struct claims claims;
    struct err why = {0};
    d->tables[TABLE_VERDICTS].nrows = 0;
    d->unjudged = NULL;
    claims_hash(d->a, folder, d->paper, hash);
    d->claims_now = hash;
    d->claims_hash = d->from_file && *d->claims_hash ? d->claims_hash : hash;
    if (!*hash || !claims_load(d->a, folder, d->paper, &claims, &why)) {
        d->unjudged = *why.text   ? arena_str(d->a, why.text)
                      : *d->paper ? "the experiment's paper has no file of claims"
                                  : "the experiment names no paper";
        return;
    }
    if (claims_codegen(d->target, d->target_settings) == EVIDENCE_CODEGEN_OTHER) {
        d->unjudged = "the programs are those of codegen=fast, and the paper's were TVM's: run with codegen=tvm";
        return;
    }
    struct claim_lookup_book *book =
        claim_lookup_open(d->a, &(struct claim_lookup_options){.registry = registry, .folder = folder});
    claim_lookup_put(book, d);
    struct claim_lookup *found = ARENA_ARRAY(d->a, struct claim_lookup, claims.n + 1);
    for (int i = 0; i < claims.n; i++)
        if (tests(d, &claims.list[i]))
            claim_lookup_of(book, &claims, &claims.list[i], &found[i]);
    for (int speaks = 1; speaks >= 0; speaks--)
        for (int i = 0; i < claims.n; i++)
            if (tests(d, &claims.list[i]) && (found[i].verdict.finding != FINDING_NOT_MEASURED) == speaks)
                put(d, &claims.list[i], &found[i]);
    d->claims_since = since(d);
    d->validity = arena_printf(d->a, "%s%s", d->validity, counted(d));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* machine_comparison: agreement is counted over machines: of two runs on machines of one name, which may be the same
 * machine, the sides are one vote, and two votes against each other are a contradiction all the same. */
#include "harness/report/machines/machine_comparison.h"

#include "harness/base/text.h"
#include "harness/base/vec.h"
#include "harness/report/data/document_json.h"
#include "harness/report/data/report_summary.h"
#include "harness/stats/verdict_text.h"

#include <math.h>

enum { CAVEATS = 16 };

const char *const machine_agreement_words[MACHINES_AGREEMENTS] = {"agree: for", "agree: against", "contradict", "open",
                                                                  "not measured"};

struct maker {
    struct arena *a;
    const struct document *const *d; /* n of them */
    int n;
    struct machine_column *columns;
    VEC(struct machine_row) rows;
    VEC(struct machine_claim) claims;
};

/* ---- what is refused ---- */

static const char *as_json(struct arena *a, const struct document *d)
{
    struct text t = {0};
    document_json_print(d, &t);
    return text_keep(&t, a);
}

static bool refuse(struct maker *m, const char *const *folders, struct err *err)
{
    struct arena_mark mark = arena_mark(m->a);
    if (m->n > MACHINES_MOST)
        return err_set(err, "%d folders of results: at most %d are set beside each other", m->n, MACHINES_MOST);
    if (m->n < 2)
        return err_set(err, "'%s' is one folder of results: two or more of one experiment are set beside each other",
                       folders[0]);
    for (int i = 1; i < m->n; i++)
        if (!str_eq(m->d[i]->experiment, m->d[0]->experiment))
            return err_set(err, "results of one experiment are wanted: '%s' is of '%s', and '%s' of '%s'", folders[0],
                           m->d[0]->experiment, folders[i], m->d[i]->experiment);
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < i; k++)
            if (str_eq(m->d[i]->hash, m->d[k]->hash) && m->d[i]->trials_measured == m->d[k]->trials_measured &&
                str_eq(as_json(m->a, m->d[i]), as_json(m->a, m->d[k])))
                return err_set(err, "'%s' and '%s' hold the same results: each machine's are wanted once", folders[k],
                               folders[i]);
    arena_release(m->a, mark);
    return true;
}

/* ---- columns ---- */

/* Virtual machines of two models may have one name: then with the model, as LLVM calls it: "AMD EPYC (znver4)". */
static const char *machine_name(const struct maker *m, int i)
{
    const char *name = document_machine(m->d[i]), *model = document_fact(m->d[i], "target", "cpu");
    for (int k = 0; model && k < m->n; k++) {
        const char *other = document_fact(m->d[k], "target", "cpu");
        if (other && str_eq(document_machine(m->d[k]), name) && !str_eq(other, model) &&
            str_eq(m->d[k]->target_settings, m->d[i]->target_settings))
            return arena_printf(m->a, "%s (%s)", name, model);
    }
    return name;
}

static void name_column(struct maker *m, int i)
{
    struct machine_column *c = &m->columns[i];
    int before = 0;
    c->name = machine_name(m, i);
    c->same_as = i;
    for (int k = i - 1; k >= 0; k--)
        if (str_eq(machine_name(m, k), c->name)) {
            before++;
            c->same_as = k;
        }
    if (before)
        c->name = arena_printf(m->a, "%s #%d", c->name, before + 1);
}

struct caveats {
    const char **at;
    int n;
};

static void add(struct caveats *c, const char *text)
{
    if (text && c->n < CAVEATS)
        c->at[c->n++] = text;
}

static void add_gates(struct maker *m, const struct document *d, struct caveats *c)
{
    for (int i = 0; i < VALIDITY_ABOUTS; i++) {
        const char *reason, *about = validity_about_words[i];
        enum verdict_gates gates = document_gates(d, (enum validity_about)i, &reason);
        if (gates != VERDICT_GATES_PASSED)
            add(c, arena_printf(m->a, "%s: %s%s%s", about,
                                gates == VERDICT_GATES_FAILED ? "INVALID, no finding" : "not judged",
                                reason ? ", " : "", reason ? reason : ""));
    }
}

/* What the run did otherwise than the first column's. */
static void add_differences(struct maker *m, const struct document *d, struct caveats *c)
{
    const struct document *first = m->d[0];
    const char *codegen = document_codegen(d), *of_first = document_codegen(first);
    if (!str_eq(d->tier, first->tier))
        add(c, arena_printf(m->a, "tier '%s', not '%s'", d->tier, first->tier));
    if (codegen && of_first && !str_eq(codegen, of_first))
        add(c, arena_printf(m->a, "codegen=%s, not codegen=%s", codegen, of_first));
    if (!str_eq(d->target, first->target))
        add(c, arena_printf(m->a, "target '%s', not '%s'", d->target, first->target));
    if (!str_eq(d->regime, first->regime))
        add(c, "timed under another regime");
    if (d->layout != first->layout || d->threads != first->threads)
        add(c, arena_printf(m->a, "layout %lld and %lld threads, not %lld and %lld", (long long)d->layout,
                            (long long)d->threads, (long long)first->layout, (long long)first->threads));
    if (!str_eq(d->revision, first->revision))
        add(c, arena_printf(m->a, "by revision %s of raingauge, not %s", d->revision, first->revision));
    if (!str_eq(d->claims_begun, first->claims_begun))
        add(c, *d->claims_begun && *first->claims_begun
                   ? "the claims' file was another one when it began"
                   : "whether the claims' file was the same when it began is not known");
}

static bool claims_changed(const struct document *d)
{
    bool changed = false;
    for (int i = 0; i < document_rows(d, TABLE_VERDICTS); i++)
        changed = changed || *document_text_at(d, TABLE_VERDICTS, i, COL_CHANGED);
    return changed;
}

static void fill_column(struct maker *m, int i, const char *folder)
{
    struct machine_column *c = &m->columns[i];
    struct caveats list = {.at = ARENA_ARRAY(m->a, const char *, CAVEATS)};
    const struct document *d = m->d[i];
    const char *unlike = document_unlike_machines(d);
    *c = (struct machine_column){.d = d, .folder = folder};
    name_column(m, i);
    if (c->same_as != i)
        add(&list, arena_printf(m->a,
                                "a machine like that of column %d, or the same one: the two agreeing is not agreement "
                                "between machines",
                                c->same_as + 1));
    if (!d->complete)
        add(&list, arena_printf(m->a, "not complete: %s", d->missing ? d->missing : "cells are missing"));
    if (unlike)
        add(&list, arena_printf(m->a, "of shards of unlike machines (%s)", unlike));
    if (d->is_virtual)
        add(&list, "the target is virtual: its times say nothing about any claim");
    add_gates(m, d, &list);
    if (d->budget && *d->budget && !str_eq(d->budget, experiment_budgets[BUDGET_WHOLE]))
        add(&list, str_eq(d->budget, experiment_budgets[BUDGET_REDUCED])
                       ? "a reduced budget: of claims the side at most"
                       : "a budget that shows that it runs and no more");
    if (d->unjudged)
        add(&list, arena_printf(m->a, "no verdicts: %s", d->unjudged));
    else if (claims_changed(d))
        add(&list, d->claims_since);
    if (i)
        add_differences(m, d, &list);
    c->caveats = list.at;
    c->ncaveats = list.n;
}

/* ---- rows ---- */

static bool is_race(const struct document *d)
{
    return document_rows(d, TABLE_RACE) > 0;
}

static struct machine_ratio ratio_of(const struct document *d, const char *arm, enum validity_about about)
{
    bool sooner = about == VALIDITY_SEARCH && is_race(d);
    enum report_table t = sooner ? TABLE_RACE : TABLE_MEANS;
    enum report_column c = about == VALIDITY_KERNELS ? report_summary_headline(d)
                           : sooner                  ? COL_SOONER_WALL
                                                     : COL_SEARCH_SPEEDUP_WALL;
    struct machine_ratio out = {NAN, NAN, NAN, false};
    const char *reason;
    for (int i = 0; i < document_rows(d, t) && isnan(out.ratio); i++) {
        const struct estimate *e = document_ratio_at(d, t, i, c);
        if (*document_text_at(d, t, i, COL_NETWORK) || !str_eq(document_text_at(d, t, i, COL_ARM), arm))
            continue;
        out.ratio = document_number_at(d, t, i, c);
        if (e && e->over != ESTIMATE_NOTHING) {
            out.low = e->low;
            out.high = e->high;
        }
    }
    out.is_finding = isfinite(out.ratio) && document_gates(d, about, &reason) != VERDICT_GATES_FAILED;
    return out;
}

static void add_row(struct maker *m, const char *arm, enum validity_about about)
{
    struct machine_ratio *of = ARENA_ARRAY(m->a, struct machine_ratio, m->n);
    bool any = false;
    for (int i = 0; i < m->n; i++) {
        of[i] = ratio_of(m->d[i], arm, about);
        any = any || isfinite(of[i].ratio);
    }
    if (any)
        vec_push(&m->rows, (struct machine_row){arm, about, of});
}

/* Arms in the order in which the first machine that has them names them, each with its kernels and its search. */
static void fill_rows(struct maker *m)
{
    for (int i = 0; i < m->n; i++)
        for (int r = 0; r < document_rows(m->d[i], TABLE_MEANS); r++) {
            const char *arm = document_text_at(m->d[i], TABLE_MEANS, r, COL_ARM);
            bool known = false;
            for (int k = 0; k < m->rows.n; k++)
                known = known || str_eq(m->rows.at[k].arm, arm);
            for (int about = 0; about < VALIDITY_ABOUTS && !known; about++)
                add_row(m, arm, (enum validity_about)about);
        }
}

/* ---- claims ---- */

static struct machine_verdict verdict_in(const struct document *d, const char *claim)
{
    struct machine_verdict out = {"", "", "", LEANING_NEITHER};
    for (int i = 0; i < document_rows(d, TABLE_VERDICTS); i++)
        if (str_eq(document_text_at(d, TABLE_VERDICTS, i, COL_CLAIM), claim)) {
            out.verdict = document_text_at(d, TABLE_VERDICTS, i, COL_VERDICT);
            out.reason = document_text_at(d, TABLE_VERDICTS, i, COL_REASON);
            out.doubt = document_text_at(d, TABLE_VERDICTS, i, COL_DOUBT);
            out.leans = verdict_word_leans(out.verdict);
        }
    return out;
}

/* Machines, by name, of which a run is on this side. */
static int machines_on(const struct maker *m, const struct machine_verdict *of, enum verdict_leaning side)
{
    int n = 0;
    for (int i = 0; i < m->n; i++) {
        bool first = of[i].leans == side;
        for (int k = 0; k < i && first; k++)
            first = of[k].leans != side || m->columns[k].same_as != m->columns[i].same_as;
        n += first;
    }
    return n;
}

static enum machine_agreement agreement_of(const struct maker *m, const struct machine_verdict *of)
{
    int with = machines_on(m, of, LEANING_FOR), against = machines_on(m, of, LEANING_AGAINST);
    bool measured = false;
    for (int i = 0; i < m->n; i++)
        measured = measured || (*of[i].verdict && !str_eq(of[i].verdict, "NOT MEASURED"));
    return with && against ? MACHINES_DIFFER
           : with > 1      ? MACHINES_FOR
           : against > 1   ? MACHINES_AGAINST
           : measured      ? MACHINES_OPEN
                           : MACHINES_UNKNOWN;
}

static void add_claim(struct maker *m, const char *claim, const char *says)
{
    struct machine_verdict *of = ARENA_ARRAY(m->a, struct machine_verdict, m->n);
    struct machine_claim c = {.claim = claim, .says = says, .of = of};
    for (int i = 0; i < m->n; i++) {
        of[i] = verdict_in(m->d[i], claim);
        c.doubtful = c.doubtful || (of[i].leans != LEANING_NEITHER && *of[i].doubt);
    }
    c.agreement = agreement_of(m, of);
    vec_push(&m->claims, c);
}

/* Those that a machine has measured first, as its own report has them. */
static void fill_claims(struct maker *m)
{
    for (int i = 0; i < m->n; i++)
        for (int r = 0; r < document_rows(m->d[i], TABLE_VERDICTS); r++) {
            const char *claim = document_text_at(m->d[i], TABLE_VERDICTS, r, COL_CLAIM);
            bool known = false;
            for (int k = 0; k < m->claims.n; k++)
                known = known || str_eq(m->claims.at[k].claim, claim);
            if (!known)
                add_claim(m, claim, document_text_at(m->d[i], TABLE_VERDICTS, r, COL_SAYS));
        }
}

/* ---- the three lines ---- */

/* "; they contradict each other on C1, C2" */
static const char *named(struct arena *a, const struct machine_comparison *out, enum machine_agreement which,
                         const char *before)
{
    struct text t = {0};
    for (int i = 0; i < out->nclaims; i++)
        if (out->claims[i].agreement == which)
            text_printf(&t, "%s%s", t.len ? ", " : before, out->claims[i].claim);
    return text_keep(&t, a);
}

static void conclude(struct arena *a, struct machine_comparison *out)
{
    int count[MACHINES_AGREEMENTS] = {0}, machines = 0;
    struct text validity = {0};
    for (int i = 0; i < out->nclaims; i++)
        count[out->claims[i].agreement]++;
    for (int i = 0; i < out->ncolumns; i++) {
        const struct machine_column *c = &out->columns[i];
        bool counts = c->d->valid || !document_judges(c->d);
        machines += c->same_as == i;
        out->invalid = out->invalid || counts ? out->invalid : c->name;
        text_printf(&validity, "%s%s: %s%s", i ? "; " : "", c->name,
                    c->d->valid ? "no gate failed"
                    : counts    ? "a tier that judges nothing"
                                : "INVALID, ",
                    counts ? "" : c->d->invalid);
    }
    text_char(&validity, '.');
    out->found = arena_printf(
        a,
        "%s in %d column%s, of %d machine%s. Claims: %d agree for%s, %d agree against%s, %d contradict%s, %d are open, "
        "%d are not measured.",
        out->columns[0].d->experiment, out->ncolumns, out->ncolumns == 1 ? "" : "s", machines,
        machines == 1 ? "" : "s by name", count[MACHINES_FOR], named(a, out, MACHINES_FOR, ": "),
        count[MACHINES_AGAINST], named(a, out, MACHINES_AGAINST, ": "), count[MACHINES_DIFFER],
        named(a, out, MACHINES_DIFFER, ": "), count[MACHINES_OPEN], count[MACHINES_UNKNOWN]);
    out->validity = text_keep(&validity, a);
    out->next = arena_printf(a, "Next: raingauge report %s",
                             out->invalid ? "DIR of an INVALID column says what would cure it"
                                          : "DIR says of one machine why its verdicts are as they are");
}

bool machine_comparison_make(struct arena *a, const struct document *const *documents, const char *const *folders,
                             int n, struct machine_comparison *out, struct err *err)
{
    struct maker m = {.a = a, .d = documents, .n = n, .columns = ARENA_ARRAY(a, struct machine_column, n + 1)};
    *out = (struct machine_comparison){.columns = m.columns, .ncolumns = n};
    if (!refuse(&m, folders, err))
        return false;
    for (int i = 0; i < n; i++)
        fill_column(&m, i, folders[i]);
    fill_rows(&m);
    fill_claims(&m);
    vec_keep(a, &m.rows, &out->rows, &out->nrows);
    vec_keep(a, &m.claims, &out->claims, &out->nclaims);
    conclude(a, out);
    return out->nrows > 0 ||
           err_set(err, "no arm of '%s' is set against another in any of these results", documents[0]->experiment);
}

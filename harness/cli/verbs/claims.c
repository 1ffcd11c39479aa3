/* SPDX-License-Identifier: Apache-2.0 */
/* claims: what became of a paper's claims, from the results that there are. Runs nothing. */
#include "harness/claims/claims_tap.h"
#include "harness/claims/findings.h"
#include "harness/cli/open.h"
#include "harness/experiment/experiment_index.h"
#include "harness/released/released_papers.h"
#include "harness/report/data/document_read.h"

#include <stdio.h>

static void list_papers(struct cli *c, char **names, int n)
{
    struct text t = {0};
    cJSON *list = c->json ? json_array() : NULL;
    for (int i = 0; i < n; i++)
        if (c->json)
            json_put_str(list, NULL, names[i]);
        else
            text_printf(&t, "%s\n", names[i]);
    if (c->json)
        cli_print_json(list);
    cli_print(&t);
}

/* Files of another paper say nothing of these claims. */
static bool read_released(struct cli *c, const char *dir, const struct claims *claims,
                          const struct released_results **out, struct err *err)
{
    struct released_results *r = ARENA_NEW(c->arena, struct released_results);
    bool any = false;
    *out = NULL;
    if (!dir)
        return true;
    if (!released_open(c->arena, dir, r, err))
        return false;
    for (int i = 0; i < claims->n; i++)
        any = any || claims->list[i].released_paper == r->paper;
    if (!any)
        return err_set(err, "'%s' holds the released files of '%s', which no claim of '%s' is about", dir,
                       r->paper->name, claims->paper);
    if (r->nproblems)
        fprintf(stderr, "%d broken rows or files of '%s' are left out (raingauge reanalyse names them)\n", r->nproblems,
                dir);
    *out = r;
    return true;
}

struct claims_options {
    const char *tier, *released;
    struct setting_strings sets;
};
static const struct setting options[] = {
    STRING_SETTING("--tier", struct claims_options, tier, NULL,
                   "judge by the results of this tier (else by the best there is)", .word = "TIER",
                   .group = GROUP_EXPERIMENT),
    STRINGS_SETTING("--set", struct claims_options, sets, "judge runs that were made with this --set: seeds=3",
                    .word = "KEY=VALUE", .group = GROUP_EXPERIMENT),
    STRING_SETTING("--released", struct claims_options, released, NULL,
                   "the authors' result files: what they say of a claim stands beside what was measured", .word = "DIR",
                   .group = GROUP_EXPERIMENT),
    {0}};

/* A tier that no experiment of these claims has is a slip: it would make every claim NOT MEASURED. */
static bool check_tier(struct cli *c, const char *tier, const struct claims *claims, struct err *err)
{
    for (int i = 0; tier && i < claims->n; i++)
        if (claims->list[i].experiment && experiment_has_tier(c->arena, c->folder, claims->list[i].experiment, tier))
            return true;
    static const char *const usual[] = {"smoke", "short", "judge", "direction", "full"};
    const char *near = tier ? str_nearest(tier, usual, sizeof usual / sizeof *usual) : NULL;
    return !tier || err_set(err, "no experiment of the claims of '%s' has a tier '%s'%s%s%s", claims->paper, tier,
                            near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The report of a results folder, and the claims that its experiment tests. */
static bool open_folder(struct cli *c, const char *dir, struct document *d, struct claims *claims, struct err *err)
{
    const struct claims_options *o = c->options;
    const struct open_options open = {.tier = o->tier, .sets = o->sets};
    struct experiment *e;
    int n = 0;
    if (!open_experiment(c, dir, &open, &e, err) || !document_read(c->arena, e, c->folder, d, err))
        return false;
    if (!*e->paper)
        return err_set(err, "'%s' is of experiment '%s', which is of no paper", dir, e->stem);
    if (!claims_load(c->arena, c->folder, e->paper, claims, err))
        return false;
    struct claim *tested = ARENA_ARRAY(c->arena, struct claim, claims->n + 1);
    for (int i = 0; i < claims->n; i++)
        if (claims->list[i].experiment && str_eq(claims->list[i].experiment, d->experiment))
            tested[n++] = claims->list[i];
    claims->list = tested;
    claims->n = n;
    return n > 0 || err_set(err, "no claim of '%s' is tested by experiment '%s'", e->paper, d->experiment);
}

static bool run(struct cli *c, struct err *err)
{
    const struct claims_options *o = c->options;
    const char *paper = c->words[0], *dir = paper ? open_folder_of(c, paper) : NULL;
    struct document only = {0};
    struct claims claims = {0};
    char **names;
    int n;
    if (!paper && !claims_papers(c->arena, c->folder, &names, &n, err))
        return false;
    if (!paper && n != 1) {
        list_papers(c, names, n);
        return true;
    }
    paper = paper ? paper : names[0];
    if (dir ? !open_folder(c, dir, &only, &claims, err)
            : !claims_load(c->arena, c->folder, paper, &claims, err) || !check_tier(c, o->tier, &claims, err))
        return false;
    struct claim_lookup_options look = {
        .registry = c->registry, .folder = c->folder, .tier = o->tier, .sets = o->sets.at, .nsets = o->sets.n};
    if (!read_released(c, o->released, &claims, &look.released, err))
        return false;
    struct claim_lookup_book *book = claim_lookup_open(c->arena, &look);
    if (dir)
        claim_lookup_put(book, &only);
    const struct claim_lookup *e = claim_lookup_all(book, c->arena, &claims);
    struct claims_tap d = claims_tap_make(&claims, e);
    d.runs = claim_lookup_runs(book, &d.nruns);
    struct text t = {0}, findings = {0};
    const struct findings_input in = {c->arena, &look, &claims, book, e};
    if (!c->json && !dir) {
        findings_opening(&in, &findings);
        text_char(&findings, '\n');
        findings_why(&in, &findings);
        text_char(&findings, '\n');
        findings_seen(&in, &findings);
    }
    d.findings = text_keep(&findings, c->arena);
    if (c->json)
        claims_tap_json(&d, &t);
    else
        claims_tap_print(&d, &t);
    cli_print(&t);
    err->code = claims_tap_code(&d);
    return err->code == EXIT_FINE ||
           err_set(err, "%d claims of '%s': %s", claims.n, claims.paper, claims_tap_summary(c->arena, &d));
}

static const struct verb_exit exits[] = {{EXIT_REGRESSION, "something was found against a claim"},
                                         {EXIT_INVALID, "else: a claim's measurement is invalid"},
                                         {EXIT_INCONCLUSIVE, "else: a claim is open or not measured"},
                                         {0}};

static const struct json_form forms[] = {JSON_FORM("raingauge claims PAPER", claims_members), {0}};

const struct verb verb_claims = {.name = "claims",
                                 .arguments = "[PAPER|DIR]",
                                 .summary = "the verdicts on a paper's claims, as TAP; runs nothing",
                                 .more = "Without PAPER it lists the papers, or judges the only one. DIR is a results "
                                         "folder: the claims that its experiment tests, by it alone.",
                                 .words = 1,
                                 VERB_OPTIONS(struct claims_options),
                                 .experiments = true,
                                 .exits = exits,
                                 .json = forms,
                                 .run = run};

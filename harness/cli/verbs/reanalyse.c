/* SPDX-License-Identifier: Apache-2.0 */
/* reanalyse: what the authors' released files say when their tables are computed again (harness/doc/droplet.md).
 * Broken rows are named on stderr with their place, the rest is still processed, and the exit status is 2. */
#include "harness/cli/reference/reanalyse_members.h"
#include "harness/released/release_open.h"
#include "harness/released/released_json.h"
#include "harness/released/released_text.h"

#include <stdio.h>

enum { NAMED_MOST = 40 };

static void name_problems(const struct release *r)
{
    for (int i = 0; i < r->problems.n && i < NAMED_MOST; i++) {
        const struct release_problem *p = &r->problems.at[i];
        if (p->line)
            fprintf(stderr, "%s/%s:%d: %s\n", r->dir, p->file, p->line, p->text);
        else
            fprintf(stderr, "%s/%s: %s\n", r->dir, p->file, p->text);
    }
    if (r->problems.n > NAMED_MOST)
        fprintf(stderr, "and %d more\n", r->problems.n - NAMED_MOST);
}

static void print_text(const struct reanalysis *x, const struct outliers *s, const struct released_claims *claims,
                       int64_t k)
{
    struct text t = {0};
    released_text_print(x, s, claims, k, &t);
    cli_print(&t);
    text_free(&t);
}

struct reanalyse_options {
    const char *k;
};
static const struct option options[] = {
    OPTION_OF(GROUP_OUTPUT, struct reanalyse_options, k, "--k", "K",
              "tables by network and lists of outliers at this k (300); --json has all"),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct reanalyse_options *o = c->options;
    const char *dir = c->words[0];
    struct release *r;
    struct reanalysis x;
    struct released_claims claims;
    int64_t k;
    if (!dir)
        return err_set(err,
                       "which folder? a checkout of the authors' repository, or one with tables such as ryzen7.tsv");
    if (!str_int(o->k, &k) || k < 1)
        return err_set(err, "--k must be a whole number from 1, not '%s'", o->k);
    if (!release_open(c->arena, dir, &r, err))
        return false;
    name_problems(r);
    reanalysis_make(c->arena, r, &x);
    const struct outliers *s = outlier_find(c->arena, &x, c->folder);
    released_claim_make(c->arena, &x, s, &claims);
    if (c->json)
        cli_print_json(released_json(&x, s, &claims));
    else
        print_text(&x, s, &claims, k);
    return r->problems.n == 0 || err_set(err, "%d broken rows or files were left out", r->problems.n);
}

static const struct json_form forms[] = {JSON_FORM("raingauge reanalyse DIR", reanalyse_members), {0}};

static const struct verb_exit exits[] = {{EXIT_USAGE, "wrong usage, or broken rows were left out"}, {0}};

const struct verb verb_reanalyse = {.name = "reanalyse",
                                    .arguments = "DIR",
                                    .summary = "a paper's tables, computed again from its authors' result files",
                                    .words = 1,
                                    .options = options,
                                    .defaults = &(const struct reanalyse_options){.k = "300"},
                                    .options_size = sizeof(struct reanalyse_options),
                                    .exits = exits,
                                    .json = forms,
                                    .run = run};

/* SPDX-License-Identifier: Apache-2.0 */
/* reanalyse: what the authors' released files say when their tables are computed again (harness/doc/droplet.md).
 * Broken rows are named on stderr with their place, the rest is still processed, and the exit status is 2. */
#include "harness/cli/cli.h"
#include "harness/released/droplet/released_json.h"
#include "harness/released/pruner/pruner_paper.h"
#include "harness/released/released_papers.h"

#include <stdio.h>

enum { NAMED_MOST = 40 };

static void name_problems(const struct released_results *r)
{
    for (int i = 0; i < r->nproblems && i < NAMED_MOST; i++) {
        const struct release_problem *p = &r->problems[i];
        fprintf(stderr, "%s/%s", r->dir, p->file);
        if (p->line)
            fprintf(stderr, ":%d", p->line);
        if (p->column)
            fprintf(stderr, ":%d", p->column);
        fprintf(stderr, ": %s\n", p->text);
    }
    if (r->nproblems > NAMED_MOST)
        fprintf(stderr, "and %d more\n", r->nproblems - NAMED_MOST);
}

static void print_text(struct cli *c, const struct released_results *r, int64_t k)
{
    struct text t = {0};
    r->paper->print(c->arena, r, c->folder, k, &t);
    cli_print(&t);
}

struct reanalyse_options {
    int64_t k;
};
static const struct setting options[] = {
    INT_SETTING("--k", struct reanalyse_options, k, "300", 1, INT32_MAX,
                "of Droplet: tables by network and lists of outliers at this k; --json has all", .word = "K",
                .group = GROUP_OUTPUT),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct reanalyse_options *o = c->options;
    const char *dir = c->words[0];
    struct released_results r;
    if (!released_open(c->arena, dir, &r, err))
        return false;
    name_problems(&r);
    if (c->json)
        cli_print_json(r.paper->json(c->arena, &r, c->folder));
    else
        print_text(c, &r, o->k);
    return r.nproblems == 0 || err_set(err, "%d broken rows or files were left out", r.nproblems);
}

static const struct json_form forms[] = {JSON_FORM("raingauge reanalyse DIR", droplet_members),
                                         JSON_FORM("raingauge reanalyse DIR of pruner", pruner_members),
                                         {0}};

static const struct verb_exit exits[] = {{EXIT_USAGE, "wrong usage, or broken rows were left out"}, {0}};

const struct verb verb_reanalyse = {
    .name = "reanalyse",
    .arguments = "DIR",
    .summary = "a paper's tables, computed again from its authors' result files",
    .asks = "which folder? a checkout of a paper's authors' repository, or one with tables such as ryzen7.tsv",
    .needed = 1,
    .words = 1,
    VERB_OPTIONS(struct reanalyse_options),
    .exits = exits,
    .json = forms,
    .run = run};

/* SPDX-License-Identifier: Apache-2.0 */
/* droplet_paper: the reanalysis of the folder is the paper's data; outliers and verdicts are made when they are asked
 * for. */
#include "harness/released/droplet/droplet_paper.h"

#include "harness/released/droplet/release_open.h"
#include "harness/released/droplet/released_json.h"
#include "harness/released/droplet/released_text.h"
#include "harness/released/droplet/released_value.h"

static const struct released_table tables[] = {
    {"sweep", {"exec", "search", "usual", "networks", "explorer", "explorer_search"}, true, false, true},
    {"network", {"exec", "search"}, true, true, true},
    {"meta", {"exec", "exec_all"}, true, false, true},
    {"micro", {"exec"}, true, false, true}, /* geometric mean over the six kernels */
    {"variance", {"exec", "search", "better", "worse"}, true, true, true},
};

static bool open(struct arena *a, const char *dir, struct released_results *out, bool *none, struct err *err)
{
    struct release *r;
    struct reanalysis *x = ARENA_NEW(a, struct reanalysis);
    if (!release_open(a, dir, &r, none, err))
        return false;
    reanalysis_make(a, r, x);
    out->problems = r->problems.at;
    out->nproblems = r->problems.n;
    out->data = x;
    return true;
}

static void print(struct arena *a, const struct released_results *r, const char *folder, int64_t k, struct text *t)
{
    const struct reanalysis *x = r->data;
    struct released_claims claims;
    const struct outliers *s = outlier_find(a, x, folder);
    released_claim_make(a, x, s, &claims);
    released_text_print(x, s, &claims, k, t);
}

static cJSON *json(struct arena *a, const struct released_results *r, const char *folder)
{
    const struct reanalysis *x = r->data;
    struct released_claims claims;
    const struct outliers *s = outlier_find(a, x, folder);
    released_claim_make(a, x, s, &claims);
    return released_json(x, s, &claims);
}

static double value(const struct released_results *r, const struct released_query *q)
{
    return released_value(r->data, q);
}

static const char *caveat(struct arena *a, const struct released_results *r, const struct released_query *q)
{
    return released_value_caveat(a, r->data, q);
}

const struct released_paper droplet_paper = {
    .name = "droplet",
    .files = "perf_stats/ and results/ of the authors' repository, or tables such as ryzen7.tsv",
    .tables = tables,
    .ntables = sizeof tables / sizeof *tables,
    .open = open,
    .print = print,
    .json = json,
    .value = value,
    .caveat = caveat};

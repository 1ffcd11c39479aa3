/* SPDX-License-Identifier: Apache-2.0 */
/* claims: what became of a paper's claims, from the results that there are. Runs nothing. */
#include "harness/claims/claims_tap.h"
#include "harness/cli/cli.h"

#include <stdio.h>

static void list_papers(struct cli *c, char **names, int n)
{
    struct text t = {0};
    for (int i = 0; i < n; i++) {
        if (c->json) {
            text_add(&t, i ? ", " : "[");
            text_json(&t, names[i]);
        } else {
            text_printf(&t, "%s\n", names[i]);
        }
    }
    if (c->json)
        text_add(&t, n ? "]\n" : "[]\n");
    cli_print(&t);
    text_free(&t);
}

static bool read_released(struct cli *c, const char *dir, const struct reanalysis **out, struct err *err)
{
    struct release *r;
    struct reanalysis *x = ARENA_NEW(c->arena, struct reanalysis);
    *out = NULL;
    if (!dir)
        return true;
    if (!release_open(c->arena, dir, &r, err))
        return false;
    if (r->problems.n)
        fprintf(stderr, "%d broken rows or files of '%s' are left out (raingauge reanalyse names them)\n",
                r->problems.n, dir);
    reanalysis_make(c->arena, r, x);
    *out = x;
    return true;
}

bool verb_claims(struct cli *c, struct err *err)
{
    const char *paper = NULL, *tier = NULL, *released = NULL;
    const struct option table[] = {{"--tier", "smoke|short|full",
                                    "judge by the results of this tier (else by the best there is)", NULL, &tier, NULL},
                                   {"--released", "DIR",
                                    "the authors' result files, for claims that no run of ours has measured", NULL,
                                    &released, NULL},
                                   {0}};
    struct claims claims;
    char **names;
    int n;
    if (!cli_options(c, table, &paper, 1, &n, err))
        return false;
    if (!paper) {
        if (!claims_papers(c->arena, c->folder, &names, &n, err))
            return false;
        list_papers(c, names, n);
        return true;
    }
    if (!claims_load(c->arena, c->folder, paper, &claims, err))
        return false;
    struct claim_lookup_options o = {.registry = c->registry, .folder = c->folder, .tier = tier};
    if (!read_released(c, released, &o.released, err))
        return false;
    struct claim_lookup_book *book = claim_lookup_open(c->arena, &o);
    struct claim_lookup *e = ARENA_ARRAY(c->arena, struct claim_lookup, claims.n);
    for (int i = 0; i < claims.n; i++)
        claim_lookup_of(book, &claims, &claims.list[i], &e[i]);
    struct claims_tap d = claims_tap_make(&claims, e);
    struct text t = {0};
    if (c->json)
        claims_tap_json(&d, &t);
    else
        claims_tap_print(&d, &t);
    cli_print(&t);
    text_free(&t);
    err->code = claims_tap_code(&d);
    return err->code == EXIT_FINE ||
           err_set(err, "%d claims of '%s': %d not reproduced, %d invalid, %d inconclusive, %d not measured", claims.n,
                   paper, d.count[VERDICT_NOT_REPRODUCED], d.count[VERDICT_INVALID], d.count[VERDICT_INCONCLUSIVE],
                   d.count[VERDICT_NOT_MEASURED]);
}

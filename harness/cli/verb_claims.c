/* SPDX-License-Identifier: Apache-2.0 */
/* claims: what became of a paper's claims, from the results that there are. Runs nothing. */
#include "harness/cli/cli.h"
#include "harness/experiment/docket.h"

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

bool verb_claims(struct cli *c, struct err *err)
{
    const char *paper = NULL, *tier = NULL;
    const struct option table[] = {{"--tier", "smoke|short|full",
                                    "judge by the results of this tier (else by the best there is)", NULL, &tier, NULL},
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
    struct evidence_options o = {.kit = c->kit, .folder = c->folder, .tier = tier};
    struct evidence_book *book = evidence_open(c->arena, &o);
    struct evidence *e = ARENA_ARRAY(c->arena, struct evidence, claims.n);
    for (int i = 0; i < claims.n; i++)
        evidence_of(book, &claims, &claims.list[i], &e[i]);
    struct docket d = docket_make(&claims, e);
    struct text t = {0};
    if (c->json)
        docket_json(&d, &t);
    else
        docket_tap(&d, &t);
    cli_print(&t);
    text_free(&t);
    err->code = docket_code(&d);
    return err->code == EXIT_FINE ||
           err_set(err, "%d claims of '%s': %d not reproduced, %d invalid, %d inconclusive, %d not measured", claims.n,
                   paper, d.count[VERDICT_NOT_REPRODUCED], d.count[VERDICT_INVALID], d.count[VERDICT_INCONCLUSIVE],
                   d.count[VERDICT_NOT_MEASURED]);
}

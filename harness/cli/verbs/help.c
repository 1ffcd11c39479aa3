/* SPDX-License-Identifier: Apache-2.0 */
/* help: of all verbs, or of one. */
#include "harness/cli/reference/help.h"
#include "harness/cli/verbs.h"

static bool run(struct cli *c, struct err *err)
{
    struct text t = {0};
    const struct verb *v = c->nwords ? verb_find(c->words[0], err) : NULL;
    if (c->nwords && !v)
        return false;
    if (v)
        help_verb(v, &t);
    else
        help_all(&t);
    cli_print(&t);
    return true;
}

const struct verb verb_help = {
    .name = "help", .arguments = "[VERB]", .summary = "this list, or the options of one verb", .words = 1, .run = run};

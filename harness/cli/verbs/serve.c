/* SPDX-License-Identifier: Apache-2.0 */
/* serve: the other end of `run --on`. */
#include "harness/cli/remote_option.h"
#include "harness/measure/remote/server.h"

struct serve_options {
    const char *lock, *campaign;
};
static const struct setting options[] = {
    STRING_SETTING("--lock", struct serve_options, lock, "", "only one program at a time measures with this file",
                   .word = "FILE"),
    STRING_SETTING("--campaign", struct serve_options, campaign, "",
                   "ends the program that this campaign left behind, if it has the file", .word = "NAME"),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct serve_options *o = c->options;
    struct server_options how = {.identity = remote_identity(c), .lock = o->lock, .campaign = o->campaign};
    return server_serve(c->registry, &how, err);
}

const struct verb verb_serve = {.name = "serve",
                                .arguments = "",
                                .summary = "measures for `run --on` of another machine, which starts it",
                                VERB_OPTIONS(struct serve_options),
                                .run = run};

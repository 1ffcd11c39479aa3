/* SPDX-License-Identifier: Apache-2.0 */
/* merge: one campaign of what its shards recorded. */
#include "harness/base/log.h"
#include "harness/cli/cli.h"
#include "harness/fleet/shard_merge.h"

#include <string.h>

struct merge_options {
    const char *results;
    bool partial, unlike;
};
static const struct setting options[] = {
    STRING_SETTING("--results", struct merge_options, results, NULL,
                   "folder of the whole campaign (of results/EXPERIMENT/TIER/shards/N: results/EXPERIMENT/TIER)",
                   .word = "DIR", .group = GROUP_EXPERIMENT),
    FLAG_SETTING("--partial", struct merge_options, partial,
                 "also where shards are missing: the report says that the campaign is not complete"),
    FLAG_SETTING("--unlike", struct merge_options, unlike,
                 "also shards of unlike processors: the report and each verdict say so"),
    {0}};

/* The folder that holds "shards/N"; NULL: it is named otherwise. */
static const char *whole_of(struct arena *a, const char *shard)
{
    char *dir = arena_str(a, shard), *last;
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        dir[--n] = 0;
    if (!(last = strrchr(dir, '/')))
        return NULL;
    *last = 0;
    if (!str_ends(dir, "/shards"))
        return NULL;
    dir[strlen(dir) - strlen("/shards")] = 0;
    return dir;
}

static bool run(struct cli *c, struct err *err)
{
    const struct merge_options *o = c->options;
    const char *out = o->results ? o->results : whole_of(c->arena, c->words[0]);
    if (!out)
        return err_set(err, "'%s' is not in a folder of shards: --results says where the campaign shall be",
                       c->words[0]);
    int missing = 0;
    if (!shards_merge(out, c->words, c->nwords, o->unlike, o->partial ? &missing : NULL, err))
        return false;
    log_info("%d shards are one campaign in '%s'", c->nwords, out);
    if (missing)
        log_info("%d cells are done in none of them: the campaign is not complete", missing);
    return true;
}

const struct verb verb_merge = {.name = "merge",
                                .arguments = "SHARD...",
                                .summary = "makes one campaign of what its shards recorded (run --shard)",
                                .asks = "merge what? the folders of all shards of a campaign",
                                .needed = 1,
                                .words = CLI_WORDS,
                                VERB_OPTIONS(struct merge_options),
                                .run = run};

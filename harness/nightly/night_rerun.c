/* SPDX-License-Identifier: Apache-2.0 */
/* night_rerun: which series, which old binary, and the turns. */
#include "harness/nightly/night_rerun.h"

#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/nightly/drift.h"
#include "harness/nightly/night_commands.h"
#include "harness/nightly/night_files.h"

#include <string.h>

struct rerun {
    const char *networks; /* to search again, as a value of --set; NULL: none */
    bool programs;        /* pinned ones are launched again */
    struct night_side old, new;
    int old_launches, new_launches; /* that are recorded already */
};

/* "search alexnet/ansor" -> "alexnet"; NULL: a pinned program, or not suspect. */
static const char *suspect_network(const struct night_run *r, const struct finding *f)
{
    if (!finding_is(f, REGRESSION_SUSPECT) || str_starts(f->v.series, "program "))
        return NULL;
    const char *from = strchr(f->v.series, ' ') + 1;
    return arena_strn(r->o->arena, from, strcspn(from, "/"));
}

/* "networks=alexnet,vgg11", or NULL. Whole names are compared: one may be part of another. */
static const char *suspect_networks(const struct night_run *r)
{
    const char *set = NULL;
    for (int i = 0; i < r->findings.all.n; i++) {
        const char *network = suspect_network(r, &r->findings.all.at[i]);
        bool listed = !network;
        for (int j = 0; j < i && !listed; j++) {
            const char *other = suspect_network(r, &r->findings.all.at[j]);
            listed = other && str_eq(other, network);
        }
        if (!listed)
            set = set ? arena_printf(r->o->arena, "%s,%s", set, network)
                      : arena_printf(r->o->arena, "networks=%s", network);
    }
    return set;
}

static bool suspect_programs(const struct night_run *r)
{
    for (int i = 0; i < r->findings.all.n; i++)
        if (finding_is(&r->findings.all.at[i], REGRESSION_SUSPECT) &&
            str_starts(r->findings.all.at[i].v.series, "program "))
            return true;
    return false;
}

/* The latest night of the window whose binary is kept; for a drift, one from before its step. */
static bool find_old(struct night_run *r)
{
    int64_t since = drift_since(&r->findings);
    for (int i = 0; i < r->nwindow && (since || i < HISTORY_WINDOW); i++) {
        const struct night *n = &r->window[i];
        if (since && n->number >= since)
            continue;
        r->old = *n;
        if (file_exists(night_files_binary(r, n->binary)))
            return true;
    }
    r->unjudged = arena_printf(r->o->arena, "the binary of night %lld is no longer kept ('%s')",
                               (long long)r->old.number, night_files_binary(r, r->old.binary));
    return false;
}

static bool run_side(struct night_run *r, const struct rerun *x, const struct night_side *side, int pair,
                     struct err *err)
{
    struct arena *a = r->o->arena;
    const char *results = arena_printf(a, "%s/again/%s-%d", night_files_results(r), side->word, pair + 1);
    const char *const more[] = {x->networks, "seeds=1", arena_printf(a, "first_seed=%d", pair + 1), NULL};
    int launched = side == &x->old ? x->old_launches : x->new_launches;
    return (!x->networks || night_commands_campaign(r, side, results, more, pair + 1, err)) &&
           (!x->programs || pair < launched || night_commands_launch(r, side, night_files_programs(r), pair, err));
}

bool night_rerun(struct night_run *r, struct err *err)
{
    struct rerun x = {.networks = suspect_networks(r), .programs = suspect_programs(r)};
    if (!find_old(r))
        return true;
    x.old = (struct night_side){"old", night_files_binary(r, r->old.binary), night_files_experiments(r, r->old.binary)};
    x.new = (struct night_side){"new", r->binary, r->o->experiments};
    if (!night_commands_launches_done(r, &x.old, &x.old_launches, err) ||
        !night_commands_launches_done(r, &x.new, &x.new_launches, err))
        return false;
    log_info("night %lld: %d series look changed: old and new run again in turns, %d pairs", (long long)r->night.number,
             findings_count(&r->findings, regression_words[REGRESSION_SUSPECT]), NIGHT_PAIRS);
    for (int i = 0; i < NIGHT_PAIRS; i++) { /* they take turns in going first, too */
        const struct night_side *first = i % 2 ? &x.new : &x.old, *second = i % 2 ? &x.old : &x.new;
        if (!run_side(r, &x, first, i, err) || !run_side(r, &x, second, i, err))
            return false;
    }
    return true;
}

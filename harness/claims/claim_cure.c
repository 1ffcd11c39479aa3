/* SPDX-License-Identifier: Apache-2.0 */
/* claim_cure: what the experiment's tier lacks of the claim is looked up in its plan. */
#include "harness/claims/claim_cure.h"

#include "harness/experiment/experiment_index.h"
#include "harness/released/droplet/paper_networks.h"
#include "harness/stats/verdict.h"

#include <string.h>

struct claim_cure_plan {
    const char *experiment;
    const struct experiment *e; /* NULL: it cannot be read */
    struct claim_cure_plan *next;
};

static const char *tier_of(struct arena *a, const struct claim_lookup_options *o, const char *experiment)
{
    return o->tier                                                  ? o->tier
           : !o->folder                                             ? NULL
           : experiment_has_tier(a, o->folder, experiment, "judge") ? "judge"
           : experiment_has_tier(a, o->folder, experiment, "full")  ? "full"
                                                                    : NULL;
}

const struct arm *claim_arm(const struct experiment *e, const struct claim *c)
{
    for (int i = 0; i < e->narms; i++)
        if (c->arm ? str_eq(e->arms[i].name, c->arm) : e->arms[i].explore != NULL)
            return &e->arms[i];
    return NULL;
}

bool claim_has_k(const struct arm *arm, const struct claim *c)
{
    for (int i = 0; i < arm->nk; i++)
        if (arm->k[i] == c->k)
            return true;
    return c->k == 0;
}

/* " --set dpansor.k=300" where the plan has not that k. */
static const char *set_k(struct arena *a, const struct experiment *e, const struct claim *c)
{
    const struct arm *arm = claim_arm(e, c);
    return arm && !claim_has_k(arm, c) ? arena_printf(a, " --set %s.k=%lld", arm->name, (long long)c->k) : "";
}

bool claim_has_network(const struct experiment *e, const struct claim *c)
{
    return !c->network || experiment_network(e, c->network);
}

/* Are the plan's seeds too few for one network? An average's are the tier's own. */
static bool lacks_seeds(const struct experiment *e, const struct claim *c)
{
    return c->network && e->seeds <= VERDICT_DF;
}

/* " --set networks=..." where the plan has too few of those that the claim is about, and of one network where it needs
 * more seeds. Twenty are the paper's. */
static const char *set_networks(struct arena *a, const struct experiment *e, const struct claim *c)
{
    const char *names = "";
    if (c->network)
        return claim_has_network(e, c) && !lacks_seeds(e, c) ? "" : arena_printf(a, " --set networks=%s", c->network);
    if (evidence_covers(e->nnetworks, c->networks) || c->networks != PAPER_NETWORKS)
        return "";
    for (int i = 0; i < PAPER_NETWORKS; i++)
        names = arena_printf(a, "%s%s%s", names, i ? "," : "", paper_networks[i].name);
    return arena_printf(a, " --set networks=%s", names);
}

static const char *set_seeds(struct arena *a, const struct experiment *e, const struct claim *c)
{
    return lacks_seeds(e, c) ? arena_printf(a, " --set seeds=%d", VERDICT_DF + 1) : "";
}

/* " --set machine=a100" where the experiment's own machine is not the claim's: another target, or the paper compiled
 * for a processor. A recorded device answers for its own machine. */
static const char *set_machine(struct arena *a, const struct experiment *e, const struct claim *c)
{
    if (!c->machine || str_eq(e->plan.target, "replay") || str_eq(e->plan.machine, c->machine->name))
        return "";
    return str_eq(c->machine->target, e->plan.target) && !c->machine->nmcpu
               ? ""
               : arena_printf(a, " --set machine=%s", c->machine->name);
}

/* What the tier would run; NULL: it is not known. Read once for all claims of an experiment. */
static const struct experiment *plan_of(struct arena *a, struct claim_lookup_options *o, const char *name,
                                        const char *tier)
{
    struct experiment_options x = {.folder = o->folder, .name = name, .tier = tier, .sets = o->sets, .nsets = o->nsets};
    struct experiment *e;
    struct err ignored = {0};
    for (const struct claim_cure_plan *p = o->plans; p; p = p->next)
        if (str_eq(p->experiment, name))
            return p->e;
    struct claim_cure_plan *p = ARENA_NEW(a, struct claim_cure_plan);
    *p = (struct claim_cure_plan){.experiment = name, .next = o->plans};
    o->plans = p;
    if (o->registry && o->folder && experiment_load(a, o->registry, &x, &e, &ignored))
        p->e = e;
    return p->e;
}

const char *claim_cure(struct arena *a, struct claim_lookup_options *o, const struct claim *c)
{
    const char *tier = tier_of(a, o, c->experiment), *where = "", *sets = "", *machine = "";
    const struct experiment *e = plan_of(a, o, c->experiment, tier);
    if (c->machine)
        where = arena_printf(a, " on %s", c->machine->title);
    for (int i = 0; i < o->nsets; i++)
        if (strncmp(o->sets[i], "target_settings.codegen=", 24) != 0) /* claims are about TVM's code */
            sets = arena_printf(a, "%s --set %s", sets, o->sets[i]);
    if (e) {
        machine = set_machine(a, e, c);
        sets = arena_printf(a, "%s%s%s%s", sets, set_networks(a, e, c), set_seeds(a, e, c), set_k(a, e, c));
    }
    return arena_printf(a, "to measure it%s: raingauge run %s%s%s%s%s", where, c->experiment, tier ? " --tier " : "",
                        tier ? tier : "", machine, sets);
}

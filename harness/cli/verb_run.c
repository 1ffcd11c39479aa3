/* SPDX-License-Identifier: Apache-2.0 */
/* run: runs an experiment, or goes on with it. */
#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/cli/gather.h"
#include "harness/cli/open.h"
#include "harness/tune/campaign.h"
#include "revision.h"

#include <string.h>

/* As a shell takes it; a list in --set has brackets. */
static void add_word(struct text *t, const char *option, const char *value)
{
    text_printf(t, " %s%s", option, *option ? " " : "");
    if (!strpbrk(value, " \t\n'\"\\$`*?[]{}()<>|&;!~#")) {
        text_add(t, value);
        return;
    }
    text_char(t, '\'');
    for (const char *s = value; *s; s++) {
        if (*s == '\'')
            text_add(t, "'\\'");
        text_char(t, *s);
    }
    text_char(t, '\'');
}

/* Without its --set it would be another experiment, or one with another shoot-out. */
static void tell_how(const char *name, const char *tier, const struct open_options *o)
{
    struct text t = {0};
    add_word(&t, "", name);
    if (*tier)
        add_word(&t, "--tier", tier);
    for (int i = 0; i < o->sets.n; i++)
        add_word(&t, "--set", o->sets.at[i]);
    if (o->results)
        add_word(&t, "--results", o->results);
    log_info("go on with: raingauge run%s --resume", text_str(&t));
    text_free(&t);
}

bool verb_run(struct cli *c, struct err *err)
{
    struct open_options o = {0};
    bool resume = false, retime = false;
    const char *faults = "", *name = NULL;
    const struct option table[] = {OPEN_ROWS(o),
                                   {"--resume", NULL, "go on with what is recorded, or start", &resume, NULL, NULL},
                                   {"--retime", NULL,
                                    "goes on, but sets the shoot-out aside and does it again (after INVALID)", &retime,
                                    NULL, NULL},
                                   {"--faults", "crash:5,hang:7,memory:9,wrong:11",
                                    "plants real faults at these trials (demonstrations)", NULL, &faults, NULL},
                                   {0}};
    int n;
    struct experiment *e;
    if (!cli_options(c, table, &name, 1, &n, err) || !open_experiment(c, name, &o, &e, err))
        return false;
    struct text versions = {0};
    struct campaign_forecast f;
    char left[64];
    const struct target *target = registry_target(c->registry, e->plan.target, err);
    if (!target)
        return false;
    gather_versions(&versions);
    campaign_forecast(&e->plan, target->is_virtual, retime, &f);
    clock_format(f.left_s, left, sizeof left);
    log_info("%s%s%s: %lld trials planned, %lld recorded; predicted time left: at most %s", e->stem,
             *e->tier ? ", tier " : "", e->tier, (long long)f.trials, (long long)f.done, left);
    struct campaign_options options = {.resume = resume || retime,
                                       .retime = retime,
                                       .faults = faults,
                                       .revision = RAINGAUGE_REVISION,
                                       .versions = text_str(&versions)};
    bool done = campaign_run(c->registry, &e->plan, &options, err);
    if (!done && err->code == EXIT_INTERRUPTED)
        tell_how(name, e->tier, &o);
    text_free(&versions);
    return done;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/fleet_on.h"

#include "harness/base/settings.h"
#include "harness/fleet/slurm.h"
#include "harness/fleet/ssh_hosts.h"

#include <string.h>

#define GIVE_UP_ROW                                                                                                    \
    REAL_SETTING("give_up_min", struct fleet_on, give_up_min, "10", 0, 1e6,                                            \
                 "minutes without an answer after which waiting ends, to be resumed")
static const struct setting slurm_settings[] = {
    STRING_SETTING("bundle", struct fleet_on, bundle, "",
                   "folder that `make bundle` made, on a file system that the nodes share (this program)"),
    GIVE_UP_ROW,
    {0}};

static const struct setting ssh_settings[] = {
    STRING_SETTING("config", struct fleet_on, config, "", "configuration file for ssh in place of its own"),
    STRING_SETTING("folder", struct fleet_on, remote_folder, "",
                   "folder on the hosts for the program and the shards (~/.cache/raingauge)"),
    STRING_SETTING("bundle", struct fleet_on, bundle, "",
                   "folder that `make bundle` made (bundle or bundle-gpu beside this program)"),
    GIVE_UP_ROW,
    {0}};

static const struct {
    const char *scheme;
    const struct fleet_engine *engine;
    const struct setting *settings;
    int places; /* that it may name, at least */
} ENGINES[] = {{"slurm", &slurm_engine, slurm_settings, 0}, {"ssh", &ssh_engine, ssh_settings, 2}};

/* The words before the first that has a '=' are places. */
static const char *split(struct arena *a, const char *text, const char **settings, int *places)
{
    const char *end = text, *equals = strchr(text, '=');
    size_t n = strlen(text);
    *settings = "";
    if (equals) {
        for (end = equals; end > text && end[-1] != ',';)
            end--;
        n = end > text ? (size_t)(end - 1 - text) : 0;
        *settings = end;
    }
    const char *out = arena_strn(a, text, n);
    *places = *out != 0;
    for (const char *c = out; *c; c++)
        *places += *c == ',';
    return out;
}

bool fleet_on_parse(struct arena *a, const char *text, struct fleet_on *out, const struct fleet_engine **engine,
                    struct err *err)
{
    *engine = NULL;
    for (size_t i = 0; i < sizeof ENGINES / sizeof *ENGINES; i++) {
        size_t n = strlen(ENGINES[i].scheme);
        const char *settings;
        int places;
        if (strncmp(text, ENGINES[i].scheme, n) != 0 || (text[n] && text[n] != ':' && text[n] != ','))
            continue;
        *out = (struct fleet_on){.config = "", .remote_folder = "", .bundle = ""};
        setting_defaults(ENGINES[i].settings, out);
        out->where = split(a, text[n] ? text + n + 1 : "", &settings, &places);
        if (places < ENGINES[i].places)
            return true;
        *engine = ENGINES[i].engine;
        return !*settings || setting_parse(ENGINES[i].settings, out, a, settings, err) || err_context(err, "--on");
    }
    return true;
}

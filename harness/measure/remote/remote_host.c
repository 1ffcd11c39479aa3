/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/measure/remote/remote_host.h"

#include <string.h>

static const struct setting remote_host_settings[] = {
    STRING_SETTING("config", struct remote_host, config, "", "configuration file for ssh in place of its own"),
    STRING_SETTING("folder", struct remote_host, folder, "",
                   "folder on the remote machine that the program is kept in (~/.cache/raingauge)"),
    STRING_SETTING("bundle", struct remote_host, bundle, "",
                   "folder that `make bundle` made (bundle or bundle-gpu beside this program)"),
    REAL_SETTING("give_up_min", struct remote_host, give_up_min, "10", 0, 1e6,
                 "minutes without an answer after which the run stops, to be resumed"),
    {0}};

bool remote_host_parse(struct arena *a, const char *text, struct remote_host *out, struct err *err)
{
    static const char scheme[] = "ssh:";
    size_t n = strcspn(text, ",");
    *out = (struct remote_host){.campaign = "", .identity = ""};
    setting_defaults(remote_host_settings, out);
    if (!str_starts(text, scheme))
        return err_set(err, "--on '%s' must begin with ssh: as in ssh:HOST", text);
    out->name = arena_strn(a, text, n);
    const char *host = out->name + sizeof scheme - 1;
    if (!*host || *host == '-')
        return err_set(err, "--on '%s' names no host", text);
    out->destination = str_starts(host, "//") ? out->name : host;
    return !text[n] || setting_parse(remote_host_settings, out, a, text + n + 1, err) || err_context(err, "--on");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/named_option.h"

#include "harness/plug/target.h"

#include <string.h>

const char *const named_option_layouts[] = {"none", "insert", "rewritten", NULL};

const char *named_option_split(struct arena *a, const char *text, const char **settings)
{
    size_t n = strcspn(text, ",");
    *settings = text + n + (text[n] == ',');
    return arena_strn(a, text, n);
}

bool target_option_parse(struct cli *c, const char *text, struct target_option *out, struct err *err)
{
    void *unused;
    const char *name = named_option_split(c->arena, text, &out->settings);
    out->target = registry_target(c->registry, name, err);
    return (out->target &&
            setting_options(c->arena, out->target->settings, out->target->options_size, out->settings, &unused, err)) ||
           err_context(err, "--target %s", name);
}

bool regime_option_parse(struct cli *c, const char *text, struct regime *out, struct err *err)
{
    const char *settings, *name = named_option_split(c->arena, text, &settings);
    return (regime_named(name, out, err) && setting_parse(regime_settings, out, c->arena, settings, err)) ||
           err_context(err, "--regime %s", text);
}

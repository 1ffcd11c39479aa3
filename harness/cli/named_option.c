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

/* at: of struct store_cell. */
static bool is_there(struct cli *c, const struct store_cell *cells, int n, const char *what, const char *asked,
                     size_t at, struct err *err)
{
    const char **names = ARENA_ARRAY(c->arena, const char *, n + 1);
    int different = 0;
    for (int i = 0, k; i < n && asked; i++) {
        const char *name = *(const char *const *)((const char *)&cells[i] + at);
        if (str_eq(name, asked))
            return true;
        for (k = 0; k < different && !str_eq(names[k], name);)
            k++;
        names[k] = name;
        different += k == different;
    }
    if (asked)
        str_unknown(err, what, asked, names, different);
    return !asked;
}

bool recorded_option_check(struct cli *c, struct store *s, const char *arm, const char *network, struct err *err)
{
    struct store_cell *cells;
    int n;
    return store_cells(s, c->arena, &cells, &n, err) &&
           is_there(c, cells, n, "arm", arm, offsetof(struct store_cell, arm), err) &&
           is_there(c, cells, n, "network", network, offsetof(struct store_cell, network), err);
}

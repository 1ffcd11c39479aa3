/* SPDX-License-Identifier: Apache-2.0 */
/* conditions: only what differs is written into the text, so that arms that say the same have the same. */
#include "harness/experiment/conditions.h"

#include "harness/base/text.h"
#include "harness/experiment/named_files.h"

#include <string.h>

bool conditions_regime(const struct layers *l, const char *key, struct regime *out, struct err *err)
{
    const char *preset = NULL, *changes = "";
    for (int i = l->n - 1; i >= 0; i--) {
        const struct yaml *map = yaml_get(l->at[i], key);
        if (!map)
            continue;
        if (map->kind == YAML_SCALAR) { /* regime: tvmc */
            preset = map->text;
            continue;
        }
        const char *name = NULL, *all;
        if (!yaml_string(map, "preset", false, &name, err) || !yaml_settings(l->arena, l->at[i], key, &all, err))
            return false;
        if (name) { /* a named preset starts anew */
            preset = name;
            changes = "";
        }
        for (int k = 0; k < map->n; k++) {
            if (map->at[k]->kind != YAML_SCALAR)
                return yaml_err(map->at[k], err, "'%s' must be a single value", map->keys[k]->text);
            if (!str_eq(map->keys[k]->text, "preset"))
                changes = arena_printf(l->arena, "%s%s%s=%s", changes, *changes ? "," : "", map->keys[k]->text,
                                       map->at[k]->text);
        }
    }
    struct err why = {0};
    if ((preset && !regime_named(preset, out, &why)) || !setting_parse(regime_settings, out, l->arena, changes, &why))
        return yaml_err(layers_place(l, key), err, "%s", why.text);
    return out->patience == 0 || out->patience >= 1 ||
           yaml_err(layers_place(l, key), err, "'patience' is %g times the fastest: at least 1, or 0 for none",
                    out->patience);
}

/* The settings of the target with the arm's added, settled as the plan's are. Which files they name must not change: an
 * experiment's hash has the contents of the plan's only. */
static bool settle_target(const struct layers *l, const struct conditions *own, const struct plan *p,
                          const struct target *t, struct conditions *out, struct err *err)
{
    const struct yaml *at = layers_place(l, "target_settings");
    struct err why = {0};
    struct named_files files;
    void *options;
    const char *all =
        arena_printf(l->arena, "%s%s%s", p->target_settings, *p->target_settings ? "," : "", own->target_settings);
    if (!setting_options(l->arena, t->settings, t->options_size, all, &options, &why))
        return yaml_err(at, err, "settings of '%s': %s", t->name, why.text);
    out->target_settings = setting_settled(l->arena, t->settings, options, true);
    const struct named_files_of of = {t->settings, t->options_size, out->target_settings, NULL};
    if (!named_files_read(l->arena, &of, &files, &why))
        return yaml_err(at, err, "settings of '%s': %s", t->name, why.text);
    return (str_eq(files.fixed, p->files.fixed) && str_eq(files.movable, p->files.movable)) ||
           yaml_err(at, err, "an arm's settings of '%s' name a file: only the experiment's can", t->name);
}

/* "a=1 b=2" of the settings that differ. */
static void print_regime(const struct regime *r, const struct regime *usual, struct text *out)
{
    for (const struct setting *s = regime_settings; s->name; s++) {
        const struct setting one[] = {*s, {0}};
        struct text a = {0}, b = {0};
        setting_print(one, r, &a);
        setting_print(one, usual, &b);
        if (!str_eq(text_str(&a), text_str(&b)))
            text_printf(out, " %s", text_str(&a));
        text_free(&a);
        text_free(&b);
    }
}

bool conditions_read(const struct layers *l, const struct conditions *own, const struct plan *p, const struct target *t,
                     const struct conditions **out, struct err *err)
{
    struct conditions *c = ARENA_NEW(l->arena, struct conditions);
    struct text all = {0}, regime = {0};
    *out = NULL;
    *c = (struct conditions){.target_settings = p->target_settings,
                             .threads = layers_get(l, "threads") ? own->threads : p->threads,
                             .layout = layers_get(l, "layout") ? own->layout : p->layout,
                             .regime = p->regime};
    if (!conditions_regime(l, "regime", &c->regime, err) ||
        (*own->target_settings && !settle_target(l, own, p, t, c, err)))
        return false;
    if (c->layout != p->layout)
        text_printf(&all, "layout=%d, ", (int)c->layout);
    if (c->threads != p->threads)
        text_printf(&all, "threads=%d, ", c->threads);
    if (!str_eq(c->target_settings, p->target_settings))
        text_printf(&all, "%s, ", own->target_settings);
    print_regime(&c->regime, &p->regime, &regime);
    if (regime.len)
        text_printf(&all, "regime%s, ", text_str(&regime));
    text_free(&regime);
    const char *text = text_keep(&all, l->arena);
    c->text = arena_strn(l->arena, text, strlen(text) > 2 ? strlen(text) - 2 : 0);
    if (*c->text)
        *out = c;
    return true;
}
